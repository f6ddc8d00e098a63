//! Sessions of ONNX Runtime.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use calipers_ir::DType;
use half::{bf16, f16};
use ort::environment::Environment;
use ort::ep::{self, ExecutionProvider as _, ExecutionProviderDispatch};
use ort::session::builder::{GraphOptimizationLevel, SessionBuilder};
use ort::session::{OutputSelector, RunOptions, SessionInputValue};
use ort::value::{DynValue, TensorElementType, TensorRef, ValueType};

use super::{Observed, Output, Provider, Read, Session, SessionOptions};
use crate::library::Library;
use crate::{Elements, Error, ModelSource, Tensor};

/// One environment serves the whole process, with the first library that is asked for.
static LOADED: OnceLock<(Library, Environment)> = OnceLock::new();

fn loaded(named: Option<&Path>) -> Result<&'static (Library, Environment), Error> {
    if let Some(loaded) = LOADED.get() {
        return Ok(loaded);
    }
    let library = Library::find(named)?;
    let failed = |why: String| Error::Library { path: library.path.clone(), why };
    let path = std::path::absolute(&library.path).map_err(|error| failed(error.to_string()))?;
    let builder = ort::init_from(&path).map_err(|error| failed(error.to_string()))?;
    let environment = builder
        .with_name("calipers")
        .with_telemetry(false)
        // What matters is in the error; everything else would mix with the output.
        .with_logger(Arc::new(|_, _, _, _, _| {}))
        .build()
        .map_err(|error| failed(error.to_string()))?;
    Ok(LOADED.get_or_init(|| (library, environment)))
}

pub(super) fn version(named: Option<&Path>) -> Result<String, Error> {
    Ok(display_name(&loaded(named)?.0))
}

fn display_name(library: &Library) -> String {
    format!("ONNX Runtime {}", library.version)
}

struct OnnxSession {
    session: ort::session::Session,
    runtime: String,
}

pub(super) fn open(
    source: &ModelSource,
    options: &SessionOptions,
) -> Result<Box<dyn Session>, Error> {
    let (library, environment) = loaded(options.library.as_deref())?;
    let runtime = display_name(library);
    let failed =
        |error: ort::Error| Error::Load { runtime: runtime.clone(), why: first_line(&error) };
    let mut builder = configured(environment, source, options).map_err(failed)?;
    if let Some(provider) = dispatch(options.provider, &runtime)? {
        builder =
            builder.with_execution_providers([provider]).map_err(|error| failed(error.into()))?;
    }
    let session = match source.file() {
        Some(path) => builder.commit_from_file(path),
        None => builder.commit_from_memory(source.bytes()),
    };
    let session = session.map_err(failed)?;
    Ok(Box::new(OnnxSession { session, runtime }))
}

fn configured(
    environment: &Environment,
    source: &ModelSource,
    options: &SessionOptions,
) -> Result<SessionBuilder, ort::Error> {
    let level = match options.as_written {
        true => GraphOptimizationLevel::Disable,
        false => GraphOptimizationLevel::All,
    };
    let mut builder =
        ort::session::Session::builder(environment)?.with_optimization_level(level)?;
    if let Some(threads) = options.threads {
        builder = builder.with_intra_threads(threads)?;
    }
    if let Some(folder) = source.folder() {
        let folder = folder.to_string_lossy();
        builder = builder
            .with_config_entry("session.model_external_initializers_file_folder_path", folder)?;
    }
    for (location, contents) in source.synthesized() {
        builder =
            builder.with_external_initializer_file_in_memory(location, Arc::clone(contents))?;
    }
    if let Some(prefix) = &options.profile {
        builder = builder.with_profiling(prefix)?;
    }
    if let Some(path) = &options.optimized {
        builder = builder.with_optimized_model_path(path)?;
    }
    Ok(builder)
}

/// The provider, where the library has it.
fn dispatch(provider: Provider, library: &str) -> Result<Option<ExecutionProviderDispatch>, Error> {
    let (is_there, dispatch, hint) = match provider {
        Provider::Cpu => return Ok(None),
        Provider::Cuda => (
            ep::CUDA::is_available(),
            ep::CUDA::default().build(),
            "run `pip install onnxruntime-gpu`",
        ),
        Provider::TensorRt => (
            ep::TensorRT::is_available(),
            ep::TensorRT::default().build(),
            "run `pip install onnxruntime-gpu` and install TensorRT",
        ),
        Provider::CoreMl => (
            ep::CoreML::is_available(),
            ep::CoreML::default().build(),
            "run `pip install onnxruntime` on macOS",
        ),
        Provider::OpenVino => (
            ep::OpenVINO::is_available(),
            ep::OpenVINO::default().build(),
            "run `pip install onnxruntime-openvino`",
        ),
    };
    match is_there {
        Ok(true) => Ok(Some(dispatch.error_on_failure())),
        _ => Err(Error::Provider {
            library: library.to_owned(),
            provider: provider.display_name(),
            hint: hint.to_owned(),
        }),
    }
}

impl Session for OnnxSession {
    fn run(
        &mut self,
        inputs: &[(String, Tensor)],
        outputs: Option<&[String]>,
        read: Read,
    ) -> Result<Vec<Output>, Error> {
        let runtime = self.runtime.clone();
        let failed =
            |error: ort::Error| Error::Run { runtime: runtime.clone(), why: first_line(&error) };
        let mut fed: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = Vec::with_capacity(inputs.len());
        for (name, tensor) in inputs {
            fed.push((Cow::Borrowed(name), view(tensor).map_err(failed)?));
        }
        let selected = match outputs {
            None => OutputSelector::default(),
            Some(names) => names
                .iter()
                .fold(OutputSelector::no_default(), |selected, name| selected.with(name.as_str())),
        };
        let options = RunOptions::new().map_err(failed)?.with_outputs(selected);
        let found = self.session.run_with_options(fed, &options).map_err(failed)?;
        if read == Read::Nothing {
            return Ok(Vec::new());
        }
        let output = |(name, value): (&str, &DynValue)| {
            let tensor = (read == Read::Values).then(|| copied(value)).flatten();
            Output { name: name.to_owned(), observed: observed(value), tensor }
        };
        Ok(found.iter().map(|(name, value)| output((name, &value))).collect())
    }

    fn outputs(&self) -> Vec<String> {
        self.session.outputs().iter().map(|outlet| outlet.name().to_owned()).collect()
    }

    fn end_profile(&mut self) -> Result<PathBuf, Error> {
        let path =
            self.session.end_profiling().map_err(|error| Error::Request(first_line(&error)))?;
        Ok(PathBuf::from(path))
    }

    fn runtime(&self) -> String {
        self.runtime.clone()
    }
}

/// What ONNX Runtime says, without what it adds for its developers.
fn first_line(error: &ort::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// A tensor as ONNX Runtime sees it, without a copy.
fn view(tensor: &Tensor) -> Result<SessionInputValue<'_>, ort::Error> {
    let shape = tensor.shape();
    macro_rules! views {
        ($($name:ident)*) => {
            match tensor.elements() {
                $(Elements::$name(all) => TensorRef::from_array_view((shape, &all[..]))?.into(),)*
                Elements::Text(all) => {
                    ort::value::Tensor::from_string_array((shape, &all[..]))?.into()
                }
            }
        };
    }
    Ok(views!(F32 F64 F16 Bf16 I8 U8 I16 U16 I32 U32 I64 U64 Bool))
}

fn copied(value: &DynValue) -> Option<Tensor> {
    let ValueType::Tensor { ty, shape, .. } = value.dtype() else { return None };
    let shape: Vec<usize> =
        shape.iter().map(|size| usize::try_from(*size).ok()).collect::<Option<_>>()?;
    macro_rules! copy {
        ($($ty:ident = $rust:ty,)*) => {
            match ty {
                $(TensorElementType::$ty => {
                    Elements::from(value.try_extract_tensor::<$rust>().ok()?.1.to_vec())
                })*
                TensorElementType::String => Elements::Text(value.try_extract_strings().ok()?.1),
                _ => return None,
            }
        };
    }
    let elements = copy! {
        Float32 = f32, Float64 = f64, Float16 = f16, Bfloat16 = bf16, Int8 = i8, Uint8 = u8,
        Int16 = i16, Uint16 = u16, Int32 = i32, Uint32 = u32, Int64 = i64, Uint64 = u64, Bool = bool,
    };
    Tensor::new(shape, elements).ok()
}

fn observed(value: &DynValue) -> Observed {
    match value.dtype() {
        ValueType::Tensor { ty, shape, .. } => {
            Observed::Tensor { dtype: dtype(*ty), shape: shape.to_vec() }
        }
        ValueType::Sequence(_) => Observed::Sequence,
        ValueType::Map { .. } => Observed::Map,
        ValueType::Optional(_) => Observed::Optional,
    }
}

fn dtype(ty: TensorElementType) -> DType {
    use TensorElementType as T;
    match ty {
        T::Float32 => DType::Float32,
        T::Uint8 => DType::Uint8,
        T::Int8 => DType::Int8,
        T::Uint16 => DType::Uint16,
        T::Int16 => DType::Int16,
        T::Int32 => DType::Int32,
        T::Int64 => DType::Int64,
        T::String => DType::String,
        T::Bool => DType::Bool,
        T::Float16 => DType::Float16,
        T::Float64 => DType::Float64,
        T::Uint32 => DType::Uint32,
        T::Uint64 => DType::Uint64,
        T::Bfloat16 => DType::Bfloat16,
        T::Complex64 => DType::Complex64,
        T::Complex128 => DType::Complex128,
        T::Float8E4M3FN => DType::Float8E4M3Fn,
        T::Float8E4M3FNUZ => DType::Float8E4M3Fnuz,
        T::Float8E5M2 => DType::Float8E5M2,
        T::Float8E5M2FNUZ => DType::Float8E5M2Fnuz,
        T::Uint4 => DType::Uint4,
        T::Int4 => DType::Int4,
        T::Float4E2M1 => DType::Float4E2M1,
        T::Float8E8M0 => DType::Float8E8M0,
        T::Uint2 => DType::Uint2,
        T::Int2 => DType::Int2,
        _ => DType::Undefined,
    }
}
