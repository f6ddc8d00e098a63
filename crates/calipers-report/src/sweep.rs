//! What a model costs at several sizes of its inputs: what `calipers sweep` prints.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Assumption, Binding, Work};

/// A model at several sizes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SweepTable {
    /// Dimensions that take sizes in turn, in the order they were given.
    pub dims: Vec<String>,
    /// Inputs that take shapes in turn.
    pub inputs: Vec<String>,
    /// The points: every combination, the last of the names changing fastest.
    pub points: Vec<SweepPoint>,
    /// What had to be assumed at any of them.
    pub assumptions: Vec<Assumption>,
}

/// A model at one size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SweepPoint {
    /// Size of each swept dimension.
    pub dims: BTreeMap<String, i64>,
    /// Shape of each swept input.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Vec<i64>>,
    /// What each free dimension of the model was bound to.
    pub bindings: BTreeMap<String, Binding>,
    /// Arithmetic and bytes of one run.
    #[serde(flatten)]
    pub work: Work,
    /// Most bytes of activations alive at once.
    pub peak_activation_bytes: Option<u64>,
    /// The same when a result may take the place of an input that nothing needs any more.
    pub peak_activation_in_place_bytes: Option<u64>,
    /// Bytes that one more token adds to the cache of keys and values, for one sequence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv_cache_bytes_per_token: Option<u64>,
    /// Tokens that it holds after the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv_cache_context: Option<u64>,
    /// Bytes that it takes then, for all sequences of the batch together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv_cache_bytes: Option<u64>,
    /// Figures in which dimensions stay free at this point, as formulas: `macs`, `other_flops`, `bytes_moved`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub formula: BTreeMap<String, String>,
    /// Nodes whose cost is not known; the sums are lower bounds when there are any.
    pub unknown: u64,
    /// Why a figure is not known, by its field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<String, String>,
}
