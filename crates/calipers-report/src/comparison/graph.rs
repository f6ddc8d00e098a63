//! The nodes, compared.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::names;

/// The smallest edit that makes the second graph of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GraphChanges {
    /// The changes in words, the largest first.
    pub groups: Vec<ChangeGroup>,
    /// Nodes that only the second model has, in its order of execution.
    pub added: Vec<AddedNode>,
    /// Nodes that only the first model has, in its order of execution.
    pub removed: Vec<RemovedNode>,
    /// Nodes of both that differ, in the first model's order of execution.
    pub changed: Vec<ChangedNode>,
    /// Nodes of both that have other names.
    pub renamed: u64,
    /// Changed nodes that moved to another place in the order of execution.
    pub moved: u64,
    /// Nodes of both that do not differ but for their names.
    pub unchanged: u64,
    /// Outputs of the model that another node computes, by their names in the second model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewired_outputs: Vec<String>,
}

impl GraphChanges {
    /// Whether nothing differs but names.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.rewired_outputs.is_empty()
    }
}

/// A node of the second model alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AddedNode {
    /// Its name in the second model.
    pub b: String,
    /// Its operator.
    pub op: String,
}

/// A node of the first model alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RemovedNode {
    /// Its name in the first model.
    pub a: String,
    /// Its operator.
    pub op: String,
}

/// A node of both models that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChangedNode {
    /// Its name in the first model.
    pub a: String,
    /// Its name in the second model.
    pub b: String,
    /// Its operator in the first model.
    pub op: String,
    /// Its operator in the second model, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op_b: Option<String>,
    /// What differs.
    pub what: Vec<ChangeKind>,
    /// Attributes that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<AttributeChange>,
    /// What differs in stored tensors, a phrase each: `weight float32[64, 3] → float32[64, 4]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tensors: Vec<String>,
    /// Whether it moved to another place in the order of execution.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
}

/// An attribute that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AttributeChange {
    /// Its name.
    pub name: String,
    /// Its value in the first model; null where it has none and no default.
    pub a: Option<String>,
    /// Its value in the second model.
    pub b: Option<String>,
}

names! {
    /// What differs between two nodes that are the same.
    pub enum ChangeKind default Attribute {
        Attribute = "attribute" => "attributes",
        Operator = "operator" => "operator",
        Shape = "shape" => "weight shapes",
        Type = "type" => "type",
        Weights = "weights" => "weights",
        Wiring = "wiring" => "inputs",
    }
}

/// Changes that belong together, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ChangeGroup {
    /// What they are together: `Encoder layer 3 removed (50 nodes)`.
    pub text: String,
    /// Why they belong together.
    pub kind: GroupedChange,
    /// Places in `added`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<usize>,
    /// Places in `removed`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<usize>,
    /// Places in `changed`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<usize>,
}

names! {
    /// Why changes belong together.
    pub enum GroupedChange default Other {
        Attributes = "attributes" => "Attributes",
        Conversion = "conversion" => "Type conversion",
        Fusion = "fusion" => "Fusion",
        Insertion = "insertion" => "Inserted nodes",
        Layer = "layer" => "Layers",
        Operator = "operator" => "Operators",
        Other = "other" => "Other changes",
        Quantization = "quantization" => "Quantization",
        Removal = "removal" => "Removed nodes",
        Shapes = "shapes" => "Weight shapes",
        Weights = "weights" => "Weights",
        Wiring = "wiring" => "Wiring",
    }
}
