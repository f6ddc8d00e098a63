//! Tensors from NumPy files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use calipers_ir::DType;
use calipers_report::{OutputTensor, RunOutcome};

use super::{Applied, Subject, named, read_file};
use crate::apply::generate::Port;
use crate::apply::npy;
use crate::session::{Read, Session};
use crate::{Elements, Error, Tensor};

/// Bytes of a file at most.
const MOST_BYTES: u64 = 2_000_000_000;

/// Runs a model on tensors and returns all outputs.
pub(super) fn tensors(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    files: &[(Option<String>, PathBuf)],
) -> Result<Applied, Error> {
    let ports = subject.ports();
    let mut fed: Vec<(String, Tensor)> = Vec::new();
    for (name, path) in files {
        for (found, tensor) in read(path)? {
            let name = name.clone().or(found);
            let name = input(&ports, name.as_deref())?.to_owned();
            if fed.iter().any(|(known, _)| *known == name) {
                return Err(Error::Request(format!("input `{name}` is given twice")));
            }
            fed.push((name, tensor));
        }
    }
    let missing: Vec<String> = ports
        .iter()
        .filter(|port| !fed.iter().any(|(name, _)| *name == port.name))
        .map(|port| format!("`{}` ({})", port.name, described(port)))
        .collect();
    if !missing.is_empty() {
        return Err(Error::Request(format!(
            "no tensor for {}: write --input NAME=FILE.npy",
            missing.join(", ")
        )));
    }
    for (name, tensor) in &mut fed {
        if let Some(port) = ports.iter().find(|port| port.name == *name)
            && let Some(fitting) = fitting(port, tensor)?
        {
            *tensor = fitting;
        }
    }
    let found = session.run(&fed, None, Read::Values)?;
    let others = found.iter().filter(|output| output.tensor.is_none());
    let others: Vec<&str> = others.map(|output| output.name.as_str()).collect();
    let preprocessing = match others.is_empty() {
        true => BTreeMap::new(),
        false => BTreeMap::from([("outputs left out".to_owned(), others.join(", "))]),
    };
    let outputs = named(found);
    Ok(Applied { outcome: summaries(&outputs), preprocessing, outputs, picture: None })
}

/// Outputs as they are.
pub(super) fn summaries(outputs: &[(String, Tensor)]) -> RunOutcome {
    let outputs = outputs.iter().map(|(name, tensor)| summary(name, tensor));
    RunOutcome::Tensors { outputs: outputs.collect() }
}

fn read(path: &Path) -> Result<Vec<(Option<String>, Tensor)>, Error> {
    let failed = |why: String| Error::Request(format!("cannot read {}: {why}", path.display()));
    let bytes = read_file(path, MOST_BYTES).map_err(failed)?;
    let found = match bytes.starts_with(b"PK") {
        true => npy::read_archive(&bytes)
            .map(|all| all.into_iter().map(|(name, it)| (Some(name), it)).collect()),
        false => npy::read(&bytes).map(|tensor| vec![(None, tensor)]),
    };
    found.map_err(|error| failed(error.to_string()))
}

/// The input of a name; without one, the only input.
fn input<'a>(ports: &'a [Port], name: Option<&str>) -> Result<&'a str, Error> {
    let names = || {
        let names: Vec<String> = ports.iter().map(|port| format!("`{}`", port.name)).collect();
        names.join(", ")
    };
    match (name, ports) {
        (Some(name), _) => {
            let found = ports.iter().find(|port| port.name == name);
            found.map(|port| port.name.as_str()).ok_or_else(|| {
                Error::Request(format!("the model has no input `{name}`; its inputs: {}", names()))
            })
        }
        (None, [only]) => Ok(&only.name),
        (None, _) => Err(Error::Request(format!(
            "write --input NAME=FILE.npy; the model's inputs: {}",
            names()
        ))),
    }
}

fn described(port: &Port) -> String {
    let sizes = port.sizes.iter().map(|size| size.map_or("?".to_owned(), |size| size.to_string()));
    format!("{} [{}]", port.dtype, sizes.collect::<Vec<_>>().join(", "))
}

/// The tensor in the type of the input, where it has another: NumPy makes 64-bit floats and integers
/// by default.
fn fitting(port: &Port, tensor: &Tensor) -> Result<Option<Tensor>, Error> {
    let fits = |(size, given): (&Option<usize>, &usize)| size.is_none_or(|size| size == *given);
    let shape = tensor.shape();
    if shape.len() != port.sizes.len() || !port.sizes.iter().zip(shape).all(fits) {
        return Err(Error::Request(format!(
            "input `{}` takes {}, the file has {} {shape:?}",
            port.name,
            described(port),
            tensor.dtype()
        )));
    }
    if tensor.dtype() == port.dtype {
        return Ok(None);
    }
    match (tensor.elements(), port.dtype) {
        (Elements::F64(_), DType::Float32 | DType::Float16) => {
            let values = tensor.to_f32().unwrap_or_default();
            Ok(Tensor::from_f32(shape.to_vec(), values, port.dtype))
        }
        // Not through floats, which do not hold every integer.
        (Elements::I64(all), DType::Int32) => {
            let all: Result<Vec<i32>, _> = all.iter().map(|it| i32::try_from(*it)).collect();
            let all = all.map_err(|_| {
                Error::Request(format!("input `{}` takes int32, a value is larger", port.name))
            })?;
            Tensor::new(shape.to_vec(), all).map(Some)
        }
        _ => Err(Error::Request(format!(
            "input `{}` takes {}, the file has {}: convert it with array.astype(...)",
            port.name,
            port.dtype,
            tensor.dtype()
        ))),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a mean for people")]
fn summary(name: &str, tensor: &Tensor) -> OutputTensor {
    let sizes: Vec<String> = tensor.shape().iter().map(ToString::to_string).collect();
    let values = tensor.to_f32().filter(|values| !values.is_empty());
    let range = values.map(|values| {
        let sum: f64 = values.iter().map(|value| f64::from(*value)).sum();
        #[expect(clippy::cast_possible_truncation, reason = "a mean for people")]
        let mean = (sum / values.len() as f64) as f32;
        let least = values.iter().copied().fold(f32::INFINITY, f32::min);
        let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        [least, mean, most]
    });
    // JSON has no infinity.
    let range = range.filter(|range| range.iter().all(|it| it.is_finite()));
    let type_text = format!("{} [{}]", tensor.dtype(), sizes.join(", "));
    OutputTensor { name: name.to_owned(), type_text, range }
}
