//! The memory's section: weights, activations at their peak, and the key-value cache.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one run of the model keeps in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Memory {
    /// Bytes of all stored tensors, learned or not.
    pub weights_bytes: Option<u64>,
    /// Most bytes of activations alive at once, in order of execution, each value in a place of its
    /// own. Inputs and outputs count; what is computed from constants alone does not.
    pub peak_activation_bytes: Option<u64>,
    /// The same when a result may take the place of an input that nothing needs any more.
    pub peak_activation_in_place_bytes: Option<u64>,
    /// At least this many bytes of activations are alive at once: the peak of those whose size is
    /// known. Only where `peak_activation_bytes` is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_activation_lower_bound_bytes: Option<u64>,
    /// At most this many bytes of activations are alive at once, in a mixture of experts whose
    /// router decides the sizes: the peak if every expert got every token. Only where
    /// `peak_activation_bytes` is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_activation_upper_bound_bytes: Option<u64>,
    /// The node at which the peak is.
    pub peak_at: Option<String>,
    /// Bytes alive at that node in the dimensions that are free. The node is the one that leads at
    /// the sizes that `assumptions` names; at others another may.
    pub formula: Option<String>,
    /// Bytes alive at each node of the main graph, in order of execution. Empty when the peak is not
    /// known.
    pub timeline: Vec<u64>,
    /// The largest activations, largest first.
    pub largest: Vec<LargeValue>,
    /// Activations of one type and shape, each group once, largest activation first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub largest_groups: Vec<LargeGroup>,
    /// Cache of keys and values that a decoder carries from step to step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv_cache: Option<KvCache>,
    /// Why there is no such cache, in a few words: `encoder`, `not a sequence model`. Absent when
    /// there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv_cache_absent: Option<String>,
}

/// A large activation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LargeValue {
    /// The value.
    pub name: String,
    /// Its type and shape.
    #[serde(rename = "type")]
    pub type_text: String,
    /// Its bytes.
    pub bytes: u64,
}

/// Large activations of one type and shape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LargeGroup {
    /// The first activations, in order of execution; at most 32.
    pub names: Vec<String>,
    /// How many there are.
    pub count: u64,
    /// Their type and shape.
    #[serde(rename = "type")]
    pub type_text: String,
    /// Bytes of each.
    pub bytes: u64,
}

/// A decoder's cache of keys and values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct KvCache {
    /// Layers that keep one.
    pub layers: u64,
    /// Heads of keys and values in each.
    pub kv_heads: Option<u64>,
    /// Size of a head.
    pub head_dim: Option<u64>,
    /// Element type.
    pub dtype: String,
    /// Bytes that one more token adds, for one sequence.
    pub bytes_per_token: Option<u64>,
    /// Bytes that do not grow with the tokens, for one sequence: what was computed from an encoder's
    /// output.
    pub fixed_bytes: Option<u64>,
    /// Tokens that it holds after the run, under the report's bindings and assumptions; all that it
    /// has capacity for, where it does not grow.
    pub context: Option<u64>,
    /// Bytes of one sequence at that context, the fixed ones included.
    pub bytes_at_context: Option<u64>,
    /// Sequences of the run, each with this many bytes of its own.
    pub sequences: Option<u64>,
    /// Tokens that the newest token looks back to, itself included, in layers whose attention is
    /// limited. The graph may keep more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// Layers whose attention is limited so.
    #[serde(default)]
    pub windowed_layers: u64,
    /// Bytes of one sequence at that context if those layers kept no more than they look at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_in_window: Option<u64>,
    /// What shows that there is one.
    pub evidence: Vec<String>,
}
