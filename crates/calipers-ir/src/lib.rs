//! The model in memory, whatever file it came from.
//!
//! A [`Model`] is a set of flat arenas (graphs, nodes, values, tensors) that refer to each other by
//! typed ids, so a graph nested a million levels deep is dropped and walked without recursion.
//! A reader fills a [`ModelBuilder`]; [`ModelBuilder::finish`] resolves names to values through the
//! scopes, finds every value's producer and consumers, and puts the nodes of each graph into an
//! order of execution.
//!
//! ```
//! use calipers_ir::{ModelBuilder, NodeDraft, TypedName};
//!
//! let mut builder = ModelBuilder::default();
//! let graph = builder.add_main_graph().unwrap();
//! let [x, y, relu] = ["x", "y", "Relu"].map(|name| builder.names.intern(name));
//! builder.graph_mut(graph).inputs.push(TypedName::untyped(x));
//! builder.add_node(graph, NodeDraft { op: relu, ..NodeDraft::default() }, &[x], &[y]).unwrap();
//! builder.graph_mut(graph).outputs.push(TypedName::untyped(y));
//! let model = builder.finish().unwrap();
//!
//! let node = model.graph(graph).order[0];
//! assert_eq!(model.name(model.node(node).op), "Relu");
//! assert_eq!(model.depth(graph), Some(1));
//! ```
//!
//! Nothing here reads files or knows what an operator means.
#![forbid(unsafe_code)]

pub mod assembly;
mod attribute;
mod block_format;
mod builder;
mod described;
mod dtype;
mod format;
mod graph;
mod hint;
mod ids;
mod issue;
mod layout;
mod link;
mod model;
mod names;
mod order;
mod process;
mod renamed;
pub mod scope;
pub mod secrets;
mod source;
mod tensor;
mod types;

pub use attribute::{Attribute, AttributeText, AttributeValue, List};
pub use block_format::BlockFormat;
pub use builder::{GraphDraft, ModelBuilder, NodeDraft, TooLarge, TypedName};
pub use described::{Description, Hazard};
pub use dtype::{DType, UnknownDType};
pub use format::{Format, GraphOrigin, UnknownFormat, goes_without_saying};
pub use graph::{
    Consumer, Function, Graph, GraphKind, Node, Producer, QuantizationAnnotation, Value,
};
pub use hint::{Hint, HintParts};
pub use ids::{
    FunctionId, GraphId, IdRange, LayoutId, NameId, NodeId, SparseId, TensorId, TypeId, ValueId,
};
pub use issue::Issue;
pub use layout::{Affine, Axes, Layout, StoredWeight, WeightRole};
pub use model::{DeviceConfiguration, Header, Model, OpsetImport, TrainingStep, UnknownFields};
pub use names::Names;
pub use process::PerProcess;
pub use renamed::{Masking, Naming, Role};
pub use source::{Bytes, DecodeError, Decoder, Source, Span};
pub use tensor::{
    Data, DataFile, DataFileState, External, SizeError, SparseTensor, StoredIn, Tensor,
};
pub use types::{Container, Dim, Leaf, TensorType, ValueType};
