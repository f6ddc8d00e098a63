//! Sessions of rten.

use std::path::Path;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, Value, ValueOrView};
use rten_tensor::prelude::*;

use super::{Observed, Output, Provider, Read, Session, SessionOptions};
use crate::{Elements, Error, ModelSource, Tensor};

pub(super) const RUNTIME: &str = "rten 0.27";

struct RtenSession {
    model: Model,
    threads: Option<usize>,
    outputs: Vec<(String, NodeId)>,
}

pub(super) fn open(
    source: &ModelSource,
    options: &SessionOptions,
) -> Result<Box<dyn Session>, Error> {
    if options.provider != Provider::Cpu {
        return Err(Error::Request("rten runs on the processor alone; drop --provider".to_owned()));
    }
    let locations = source.synthesized().iter().map(|(location, _)| location);
    for location in locations.chain(source.data().iter().map(|(location, _)| location)) {
        if !is_read(location) {
            return Err(Error::Load {
                runtime: RUNTIME.to_owned(),
                why: format!(
                    "it reads weights from .data and .onnx_data files in the model's folder, not `{location}`; use ONNX Runtime"
                ),
            });
        }
    }
    let mut loader = ModelOptions::with_all_ops();
    if options.as_written {
        loader.enable_optimization(false);
    }
    for (location, contents) in source.synthesized() {
        loader.external_data(location, contents.to_vec());
    }
    for (location, contents) in source.data() {
        loader.external_data(location, contents.whole().unwrap_or_default().to_vec());
    }
    let why = |error: rten::LoadError| Error::Load {
        runtime: RUNTIME.to_owned(),
        why: error.to_string().lines().next().unwrap_or_default().to_owned(),
    };
    let model = loader.load(source.bytes().to_vec()).map_err(why)?;
    let named = |id: &NodeId| Some((model.node_info(*id)?.name()?.to_owned(), *id));
    let outputs = model.output_ids().iter().filter_map(named).collect();
    Ok(Box::new(RtenSession { model, threads: options.threads, outputs }))
}

/// Whether rten reads a data file of this name.
fn is_read(location: &str) -> bool {
    let path = Path::new(location);
    let is_name = path.file_name().is_some_and(|name| name == path.as_os_str());
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    is_name && (ending.starts_with("data") || ending.starts_with("onnx_data"))
}

impl Session for RtenSession {
    fn run(
        &mut self,
        inputs: &[(String, Tensor)],
        outputs: Option<&[String]>,
        read: Read,
    ) -> Result<Vec<Output>, Error> {
        let failed = |why: String| Error::Run { runtime: RUNTIME.to_owned(), why };
        let mut fed: Vec<(NodeId, ValueOrView<'_>)> = Vec::with_capacity(inputs.len());
        for (name, tensor) in inputs {
            let id = self.model.node_id(name).map_err(|error| failed(error.to_string()))?;
            fed.push((id, value(name, tensor)?.into()));
        }
        // Every value can be asked for by its name.
        let wanted: Vec<(String, NodeId)> = match outputs {
            None => self.outputs.clone(),
            Some(names) => names
                .iter()
                .map(|name| Ok((name.clone(), self.model.node_id(name)?)))
                .collect::<Result<_, rten::RunError>>()
                .map_err(|error| failed(error.to_string()))?,
        };
        let ids: Vec<NodeId> = wanted.iter().map(|(_, id)| *id).collect();
        let options = self.threads.map(|threads| {
            RunOptions::default()
                .with_thread_pool(Some(ThreadPool::with_num_threads(threads).into()))
        });
        let found =
            self.model.run(fed, &ids, options).map_err(|error| failed(error.to_string()))?;
        if read == Read::Nothing {
            return Ok(Vec::new());
        }
        let output = |((name, _), value): ((String, NodeId), Value)| {
            let tensor = tensor(value);
            let observed = match &tensor {
                Some(tensor) => Observed::Tensor {
                    dtype: tensor.dtype(),
                    shape: tensor
                        .shape()
                        .iter()
                        .map(|size| i64::try_from(*size).unwrap_or(-1))
                        .collect(),
                },
                None => Observed::Sequence,
            };
            let tensor = tensor.filter(|_| read == Read::Values);
            Output { name, observed, tensor }
        };
        Ok(wanted.into_iter().zip(found).map(output).collect())
    }

    fn outputs(&self) -> Vec<String> {
        self.outputs.iter().map(|(name, _)| name.clone()).collect()
    }

    fn runtime(&self) -> String {
        RUNTIME.to_owned()
    }
}

/// A tensor in the types that rten has, see [`Engine::keeps_types`](super::Engine::keeps_types).
fn value(name: &str, tensor: &Tensor) -> Result<Value, Error> {
    let shape = tensor.shape();
    #[expect(clippy::cast_possible_truncation, reason = "rten has no wider integers")]
    Ok(match tensor.elements() {
        Elements::I64(all) => {
            let all: Vec<i32> = all
                .iter()
                .map(|x| (*x).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32)
                .collect();
            rten_tensor::Tensor::from_data(shape, all).into()
        }
        Elements::I32(all) => rten_tensor::Tensor::from_data(shape, all.clone()).into(),
        Elements::Bool(all) => {
            let all: Vec<i32> = all.iter().map(|x| i32::from(*x)).collect();
            rten_tensor::Tensor::from_data(shape, all).into()
        }
        Elements::I8(all) => rten_tensor::Tensor::from_data(shape, all.clone()).into(),
        Elements::U8(all) => rten_tensor::Tensor::from_data(shape, all.clone()).into(),
        Elements::F32(all) => rten_tensor::Tensor::from_data(shape, all.clone()).into(),
        Elements::F64(_) | Elements::F16(_) | Elements::Bf16(_) => {
            let all = tensor.to_f32().unwrap_or_default();
            rten_tensor::Tensor::from_data(shape, all).into()
        }
        _ => return Err(Error::Type(name.to_owned(), tensor.dtype().to_string())),
    })
}

fn tensor(value: Value) -> Option<Tensor> {
    macro_rules! tensors {
        ($value:ident: $($name:ident)*) => {
            match $value {
                $(Value::$name(tensor) => {
                    Tensor::new(tensor.shape().to_vec(), tensor.to_vec()).ok()
                })*
                _ => None,
            }
        };
    }
    tensors!(value: FloatTensor Int32Tensor Int8Tensor UInt8Tensor)
}
