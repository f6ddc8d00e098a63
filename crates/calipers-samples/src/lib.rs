//! Small ONNX models built in code, for the demonstration and for tests.
//!
//! Four models that are like those people have, each with figures worked out by hand in its
//! module: [`mod@digits`], [`mod@encoder`], [`mod@detector`] and [`mod@branches`]. And [`ModelBuilder`], with
//! which a test writes the model it needs, a strange one too.
//!
//! ```
//! let bytes = calipers_samples::digits();
//! assert!(bytes.len() as u64 > 4 * calipers_samples::digits::PARAMETERS);
//! ```
//!
//! The same call returns the same bytes on every machine.
#![forbid(unsafe_code)]

mod attribute;
mod graph;
mod model;
mod net;
mod tensor;
mod types;
pub mod wire;

pub mod branches;
pub mod detector;
pub mod digits;
pub mod encoder;

pub use attribute::{Attribute, AttributeKind};
pub use branches::model as branches;
pub use detector::model as detector;
pub use digits::model as digits;
pub use encoder::model as encoder;
pub use graph::{Graph, Node};
pub use model::{Function, ModelBuilder};
pub use tensor::{SparseTensor, Tensor};
pub use types::{DataType, Type};

/// A model of this crate, with the figures that are known of it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Its name, without an extension.
    pub name: &'static str,
    /// Writes the file's bytes.
    pub model: fn() -> Vec<u8>,
    /// Learned elements, wherever they are stored.
    pub parameters: u64,
    /// Nodes of the main graph.
    pub nodes: u64,
    /// Nodes of the main graph, the subgraphs and the function bodies, each once.
    pub nodes_total: u64,
    /// Initializers of the main graph.
    pub initializers: u64,
}

/// Every model of this crate, by name.
pub const SAMPLES: [Sample; 4] =
    [branches::SAMPLE, detector::SAMPLE, digits::SAMPLE, encoder::SAMPLE];
