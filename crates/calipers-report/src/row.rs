//! What a model has in the other tables of a dataset: its layers, tensors, findings and values.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A node of a model's main graph. A figure that is not known is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LayerRow {
    /// Path or URL of the model.
    pub path: String,
    /// Position in the execution order, from 0.
    pub index: u64,
    /// Name of the node, or its position in the file if it has none.
    pub node: String,
    /// Operator.
    pub op: String,
    /// Domain of the operator; `ai.onnx` is the standard one.
    pub domain: String,
    /// Module that the node belongs to, as a path from the root.
    pub scope: String,
    /// Types and shapes of the inputs: `float32[1,3,224,224] float32[64,3,7,7]`.
    pub inputs: String,
    /// Types and shapes of the outputs.
    pub outputs: String,
    /// Data type of the largest input that is stored with the model.
    pub weight_dtype: Option<String>,
    /// Parameters, counted at the first node that uses them.
    pub parameters: Option<u64>,
    /// Multiply-accumulates of contractions.
    pub macs: Option<u64>,
    /// FLOPs of all other operations.
    pub other_flops: Option<u64>,
    /// Bytes read and written.
    pub bytes_moved: Option<u64>,
}

/// A tensor that is stored with a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TensorRow {
    /// Path or URL of the model.
    pub path: String,
    /// Name of the tensor; empty for most tensors in attributes.
    pub name: String,
    /// Data type.
    pub dtype: String,
    /// Dimensions: `64,3,7,7`.
    pub shape: String,
    /// Number of elements; null if the dimensions are invalid.
    pub elements: Option<u64>,
    /// Size in bytes.
    pub bytes: Option<u64>,
    /// Where the model stores it: `initializer`, `attribute` or `sparse`.
    pub stored_in: String,
    /// Whether its data is in another file.
    pub external: bool,
}

/// A finding of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FindingRow {
    /// Path or URL of the model.
    pub path: String,
    /// Stable id of the finding, such as `graph-cycle`.
    pub id: String,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// Title, one line.
    pub title: String,
    /// What was found, with figures.
    pub detail: String,
    /// What to do about it.
    pub recommendation: String,
}

/// A value of a model's main graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ShapeRow {
    /// Path or URL of the model.
    pub path: String,
    /// Name of the value.
    pub value: String,
    /// Data type; null if it is not known.
    pub dtype: Option<String>,
    /// Dimensions, as numbers or expressions: `batch,77,512`; null if the rank is not known.
    pub shape: Option<String>,
    /// Rank: the number of dimensions.
    pub rank: Option<u64>,
}
