//! Sessions: a model that a runtime has loaded.

#[cfg(feature = "onnxruntime")]
mod onnxruntime;
#[cfg(feature = "rten")]
mod rten;

use std::path::{Path, PathBuf};

use calipers_ir::DType;

use crate::{Error, ModelSource, Tensor};

/// The software that executes models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// ONNX Runtime, a library that the user has installed.
    #[default]
    OnnxRuntime,
    /// rten, which is built in and knows fewer operators.
    Rten,
}

impl Engine {
    /// Every runtime.
    pub const ALL: &'static [Self] = &[Self::OnnxRuntime, Self::Rten];

    /// Whether a run returns any value that is named, not outputs alone.
    pub const fn returns_any_value(self) -> bool {
        matches!(self, Self::Rten)
    }

    /// Whether values have the types of the file. rten computes 64-bit integers and truth values as
    /// 32-bit integers, and all floats as 32-bit ones.
    pub const fn keeps_types(self) -> bool {
        matches!(self, Self::OnnxRuntime)
    }

    /// The id, as it is typed.
    pub const fn id(self) -> &'static str {
        match self {
            Self::OnnxRuntime => "onnxruntime",
            Self::Rten => "rten",
        }
    }
}

/// An execution provider of ONNX Runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    /// The processor.
    #[default]
    Cpu,
    /// NVIDIA GPUs.
    Cuda,
    /// NVIDIA GPUs through TensorRT.
    TensorRt,
    /// Apple devices.
    CoreMl,
    /// Intel devices.
    OpenVino,
}

impl Provider {
    /// Every provider.
    pub const ALL: &'static [Self] =
        &[Self::Cpu, Self::Cuda, Self::TensorRt, Self::CoreMl, Self::OpenVino];

    /// The id, as it is typed.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::TensorRt => "tensorrt",
            Self::CoreMl => "coreml",
            Self::OpenVino => "openvino",
        }
    }

    /// The display name.
    pub const fn display_name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Cuda => "CUDA",
            Self::TensorRt => "TensorRT",
            Self::CoreMl => "CoreML",
            Self::OpenVino => "OpenVINO",
        }
    }
}

/// How a model is executed.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// The runtime.
    pub engine: Engine,
    /// The library of ONNX Runtime, where it is not to be searched.
    pub library: Option<PathBuf>,
    /// The execution provider.
    pub provider: Provider,
    /// Intra-op threads; all cores by default.
    pub threads: Option<usize>,
    /// Whether the graph is executed as written, without optimization.
    pub as_written: bool,
    /// The prefix of the profile's file name, where a profile is written.
    pub profile: Option<PathBuf>,
    /// The file of the optimized graph, where it is saved.
    pub optimized: Option<PathBuf>,
}

/// What is wanted of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// The values of the outputs.
    Values,
    /// Types and shapes of the outputs.
    Types,
    /// Nothing, for timing.
    Nothing,
}

/// The type of a value that a run produced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// A tensor.
    Tensor {
        /// The type of its elements.
        dtype: DType,
        /// Its sizes.
        shape: Vec<i64>,
    },
    /// A sequence.
    Sequence,
    /// A map.
    Map,
    /// An optional value.
    Optional,
}

/// One output of a run.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its type.
    pub observed: Observed,
    /// Its elements, where they were asked for and can be held.
    pub tensor: Option<Tensor>,
}

/// A model that a runtime has loaded.
pub trait Session {
    /// Runs the model. Without `outputs`, all of them are computed.
    ///
    /// # Errors
    ///
    /// [`Error::Run`] if the runtime fails.
    fn run(
        &mut self,
        inputs: &[(String, Tensor)],
        outputs: Option<&[String]>,
        read: Read,
    ) -> Result<Vec<Output>, Error>;

    /// The names of the outputs, in order.
    fn outputs(&self) -> Vec<String>;

    /// Ends the profile and returns its file.
    ///
    /// # Errors
    ///
    /// [`Error::Request`] if the runtime writes no profile.
    fn end_profile(&mut self) -> Result<PathBuf, Error> {
        Err(Error::Request("this runtime writes no profile".to_owned()))
    }

    /// The runtime and its version, e.g. `ONNX Runtime 1.31.1`.
    fn runtime(&self) -> String;
}

/// Loads a model.
///
/// # Errors
///
/// [`Error::Load`] if the runtime refuses the model, [`Error::NoLibrary`] and others if there is no
/// runtime.
pub fn open(source: &ModelSource, options: &SessionOptions) -> Result<Box<dyn Session>, Error> {
    match options.engine {
        #[cfg(feature = "onnxruntime")]
        Engine::OnnxRuntime => onnxruntime::open(source, options),
        #[cfg(not(feature = "onnxruntime"))]
        Engine::OnnxRuntime => Err(Error::NotBuilt("ONNX Runtime", "onnxruntime")),
        #[cfg(feature = "rten")]
        Engine::Rten => rten::open(source, options),
        #[cfg(not(feature = "rten"))]
        Engine::Rten => Err(Error::NotBuilt("rten", "rten")),
    }
}

/// Returns the name and version of a runtime, e.g. `ONNX Runtime 1.31.1`.
///
/// # Errors
///
/// Those of finding the runtime.
pub fn version(engine: Engine, library: Option<&Path>) -> Result<String, Error> {
    match engine {
        #[cfg(feature = "onnxruntime")]
        Engine::OnnxRuntime => onnxruntime::version(library),
        #[cfg(not(feature = "onnxruntime"))]
        Engine::OnnxRuntime => Err(Error::NotBuilt("ONNX Runtime", "onnxruntime")),
        #[cfg(feature = "rten")]
        Engine::Rten => Ok(rten::RUNTIME.to_owned()),
        #[cfg(not(feature = "rten"))]
        Engine::Rten => Err(Error::NotBuilt("rten", "rten")),
    }
}
