//! Why a model cannot be executed.

use std::path::PathBuf;

/// Why a model cannot be executed, in words that say what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// ONNX Runtime is not installed.
    #[error(
        "ONNX Runtime is not installed: run `pip install onnxruntime`, or name its library with --runtime-lib"
    )]
    NoLibrary,
    /// The library cannot be loaded.
    #[error("cannot load ONNX Runtime from {}: {why}", path.display())]
    Library {
        /// The library.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The library has a version that is not supported.
    #[error(
        "ONNX Runtime {found} at {} is not supported: expected {oldest} to {newest}; run `pip install 'onnxruntime=={newest}.*'`",
        path.display()
    )]
    Version {
        /// The library.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The oldest supported version.
        oldest: &'static str,
        /// The newest supported version.
        newest: &'static str,
    },
    /// The program was built without this runtime.
    #[error("this build of Calipers has no {0}: build it with the feature `{1}`")]
    NotBuilt(&'static str, &'static str),
    /// The library does not have the execution provider.
    #[error("{library} has no {provider} execution provider: {hint}")]
    Provider {
        /// The runtime and its version.
        library: String,
        /// The provider.
        provider: &'static str,
        /// Which package has it.
        hint: String,
    },
    /// Weights are missing.
    #[error("{0}; pass --synthesize to run with random weights")]
    MissingWeights(String),
    /// A file of weights may not be opened.
    #[error("the data file `{0}` is refused: {1}")]
    RefusedData(String, String),
    /// The runtime refuses the model.
    #[error("{runtime} cannot load the model: {why}")]
    Load {
        /// The runtime and its version.
        runtime: String,
        /// What it says.
        why: String,
    },
    /// The runtime fails while it runs the model.
    #[error("{runtime} cannot run the model: {why}")]
    Run {
        /// The runtime and its version.
        runtime: String,
        /// What it says.
        why: String,
    },
    /// A tensor does not have as many elements as its shape.
    #[error("a tensor of shape {shape:?} has {elements} elements")]
    Elements {
        /// The shape.
        shape: Vec<usize>,
        /// The elements it was given.
        elements: usize,
    },
    /// A value has a type that cannot be held.
    #[error("`{0}` has the type {1}, which cannot be passed to the runtime")]
    Type(String, String),
    /// Anything that keeps a request from being carried out.
    #[error("{0}")]
    Request(String),
}
