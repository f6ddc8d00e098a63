//! The graph's section: what goes in, what comes out, and how it is built.

use calipers_ir::DType;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ValueKind;

/// Facts of the main graph, and of the subgraphs and functions that belong to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GraphFacts {
    /// The graph's own name.
    pub name: String,
    /// Nodes of the main graph.
    pub nodes: u64,
    /// Nodes of the main graph, of every subgraph, and of every function body (each body once).
    pub nodes_total: u64,
    /// Nodes on the longest path through the main graph.
    pub depth: Option<u64>,
    /// What a caller must feed: graph inputs that no initializer fills.
    pub inputs: Vec<Port>,
    /// What the model gives back.
    pub outputs: Vec<Port>,
    /// Graph inputs that an initializer fills, which a caller may override.
    pub overridable_inputs: u64,
    /// Initializers of the main graph, sparse ones included.
    pub initializers: u64,
    /// Elements of those initializers by data type, whatever they are for.
    pub initializer_elements: std::collections::BTreeMap<String, u64>,
    /// Subgraphs of control flow, at every depth.
    pub subgraphs: u64,
    /// Functions that the model defines.
    pub functions: u64,
    /// Those functions.
    pub local_functions: Vec<FunctionFacts>,
    /// Operators of the main graph, commonest first.
    pub operators: Vec<OperatorCount>,
    /// Operators of the main graph, the subgraphs and the function bodies, commonest first.
    pub operators_total: Vec<OperatorCount>,
}

/// A function that the model defines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FunctionFacts {
    /// Its name.
    pub name: String,
    /// Its domain.
    pub domain: String,
    /// Which overload of the name it is, if it has several.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub overload: String,
    /// Nodes in its body, subgraphs included.
    pub nodes: u64,
    /// Nodes of the whole model that call it.
    pub calls: u64,
}

/// How often an operator occurs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OperatorCount {
    /// The operator, such as `Conv`.
    pub op: String,
    /// Its domain; the standard one is spelled `ai.onnx`.
    pub domain: String,
    /// Nodes of this operator.
    pub count: u64,
    /// Share of all nodes, in percent, to two decimals.
    pub percent: f64,
}

/// One input or output of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Port {
    /// The name by which a caller feeds or fetches it.
    pub name: String,
    /// What it is.
    pub kind: ValueKind,
    /// Element type; null when the file does not say, and for maps, which have two.
    pub dtype: Option<DType>,
    /// Dimensions as the file writes them; null when even their number is not stated.
    pub shape: Option<Vec<Dimension>>,
    /// Dimensions of an output as inference finds them, where the file says less or otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inferred: Option<Vec<Dimension>>,
    /// The whole type in one line, such as `float32[batch, 3, 224, 224]` or `sequence(float32[?])`.
    #[serde(rename = "type")]
    pub type_text: String,
    /// What the author wrote about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
}

/// One dimension of a shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Dimension {
    /// A fixed size.
    Size(i64),
    /// A name, or an expression in names.
    Symbol(String),
    /// The file leaves it open without a name.
    Unknown,
}
