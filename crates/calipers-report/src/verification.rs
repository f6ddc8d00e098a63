//! What an execution of a model showed of the shapes that were inferred.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A model's inferred types and shapes, compared with those of executions: what `calipers verify`
/// prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Verification {
    /// The file name of the model.
    pub model: String,
    /// The runtime and its version, e.g. `ONNX Runtime 1.31.1`.
    pub runtime: String,
    /// Whether missing weights were synthesized.
    pub synthesized_weights: bool,
    /// Values that nodes of the main graph compute.
    pub values: u64,
    /// Of those, the ones whose type and shape were as inferred in every execution.
    pub equal: u64,
    /// Of the equal ones, those with a dimension that the data decides: its size was not compared.
    pub data_dependent: u64,
    /// Those that were different.
    pub different: Vec<DifferentValue>,
    /// Those that were not computed or could not be read.
    pub not_run: Vec<SkippedValue>,
    /// Those that were computed and whose type or shape was not inferred.
    pub not_inferred: Vec<SkippedValue>,
    /// Nodes of the file and nodes that ran; missing where the runtime does not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodeCounts>,
    /// The executions.
    pub executions: Vec<Execution>,
    /// Nodes whose values cannot be read, since they are inside subgraphs or functions.
    pub inner_nodes: u64,
}

impl Verification {
    /// Whether every value that was computed was as inferred.
    pub fn is_equal(&self) -> bool {
        let fits = |figure: &Option<ComparedBytes>| {
            figure.as_ref().is_none_or(|bytes| bytes.inferred == bytes.observed)
        };
        self.different.is_empty()
            && self
                .executions
                .iter()
                .all(|run| fits(&run.peak_activation_bytes) && fits(&run.kv_cache_bytes))
    }
}

/// A value whose type or shape was not as inferred.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DifferentValue {
    /// The value.
    pub value: String,
    /// The node that computes it.
    pub node: String,
    /// The operator of the node.
    pub op: String,
    /// The inferred type and shape, e.g. `float32 [1, 8]`.
    pub inferred: String,
    /// The type and shape in the execution.
    pub observed: String,
    /// The execution, as an index into `executions`.
    pub execution: u64,
}

/// A value that was not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SkippedValue {
    /// The value.
    pub value: String,
    /// Why.
    pub reason: String,
}

/// Nodes of the main graph and those that a runtime executed, operator by operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NodeCounts {
    /// Nodes of the file, without constants.
    pub expected: u64,
    /// Of those, the ones that ran.
    pub executed: u64,
    /// Nodes that ran and are not in the file: casts that the runtime inserts, or parts of operators
    /// that it has no kernel for.
    pub added_by_runtime: u64,
}

/// One execution of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Execution {
    /// The sizes of the free dimensions.
    pub sizes: BTreeMap<String, i64>,
    /// Values that were compared.
    pub values: u64,
    /// The peak of live activation bytes; null where an activation has no known size.
    pub peak_activation_bytes: Option<ComparedBytes>,
    /// Bytes of the KV cache after the run; null where the model has none.
    pub kv_cache_bytes: Option<ComparedBytes>,
    /// Why the model could not run at these sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Bytes as inferred and as observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ComparedBytes {
    /// As inferred.
    pub inferred: u64,
    /// From the sizes of the values that were computed.
    pub observed: u64,
}
