//! What each node of the main graph takes and costs: what `calipers layers` prints.

use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Assumption, Binding, ValueShape, Work};

/// The nodes of the main graph, a row each; nodes with subgraphs are one row with what is inside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LayerTable {
    /// The rows, in the order that was asked for.
    pub layers: Vec<Layer>,
    /// Rows that were left out because only the first ones were asked for.
    pub left_out: u64,
    /// Scopes with the sums of what is in them, parents before children, where asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<Scope>,
    /// The sums over all nodes, shown or not.
    pub total: LayerTotal,
    /// Dimensions that the data decides, and what decides them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data_dependent: BTreeMap<String, String>,
    /// What each free dimension was bound to.
    pub bindings: BTreeMap<String, Binding>,
    /// What had to be assumed for the figures above.
    pub assumptions: Vec<Assumption>,
    /// Choices that the costs rest on, such as the more expensive branch of an `If`.
    pub notes: Vec<String>,
}

/// One node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Layer {
    /// Its place in the order of execution, from 0.
    pub index: u64,
    /// The node: its name, or its place in the file when it has none.
    pub node: String,
    /// Its operator.
    pub op: String,
    /// The operator's domain; `ai.onnx` is the standard one.
    pub domain: String,
    /// The module it belongs to, as a path from the root, `/encoder/layer.0`; empty when the file
    /// does not say.
    pub scope: String,
    /// Its inputs; null where an optional one is left out.
    pub inputs: Vec<Option<Operand>>,
    /// Its outputs; null where an optional one is left out.
    pub outputs: Vec<Option<Operand>>,
    /// Learned elements that it is the first to use; null when a tensor's size is not known.
    pub parameters: Option<u64>,
    /// What it costs.
    #[serde(flatten)]
    pub cost: LayerCost,
    /// Why its cost is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A value that a node takes or gives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Operand {
    /// Its name.
    pub name: String,
    /// Its type and shape.
    #[serde(flatten)]
    pub value: ValueShape,
}

/// Arithmetic and bytes of a node, of a scope, or of all nodes.
///
/// Figures hold under the table's `bindings` and `assumptions`; the formula keeps the symbols. A
/// figure is null when it is not known or depends on a dimension that the data decides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LayerCost {
    /// Arithmetic and bytes.
    #[serde(flatten)]
    pub work: Work,
    /// Share of all multiply-accumulates, in percent, to two decimals. It can be known where the
    /// figures are not: of `3*batch` in `4*batch` it is 75.
    pub macs_percent: Option<f64>,
    /// Arithmetic for each byte, all of it by all bytes, to two decimals; null where no byte moves.
    pub intensity: Option<f64>,
    /// Figures that depend on free dimensions, as formulas: `macs`, `other_flops`, `bytes_moved`.
    #[serde(default, skip_serializing_if = "CostFormula::is_empty")]
    pub formula: CostFormula,
}

/// Figures that depend on free dimensions, as formulas. Layers of one shape share the texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CostFormula {
    /// Bytes read and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_moved: Option<Arc<str>>,
    /// Multiply-accumulates of contractions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub macs: Option<Arc<str>>,
    /// Other arithmetic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_flops: Option<Arc<str>>,
}

impl CostFormula {
    /// Whether no figure has a formula.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The formula of a field.
    pub fn get(&self, field: &str) -> Option<&str> {
        self.iter().find(|(name, _)| *name == field).map(|(_, text)| text)
    }

    /// The fields that have a formula, with it.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Self { bytes_moved, macs, other_flops } = self;
        [("bytes_moved", bytes_moved), ("macs", macs), ("other_flops", other_flops)]
            .into_iter()
            .filter_map(|(field, text)| Some((field, text.as_deref()?)))
    }
}

/// Sums over the whole main graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LayerTotal {
    /// Nodes.
    pub nodes: u64,
    /// Learned elements of the model.
    pub parameters: Option<u64>,
    /// Of those, the ones that no node of the main graph uses: handed out as they are, or held by
    /// functions that nothing calls.
    pub parameters_elsewhere: u64,
    /// What they cost together.
    #[serde(flatten)]
    pub cost: LayerCost,
    /// Nodes, subgraphs' ones too, whose cost is not known; the sums are lower bounds when there
    /// are any.
    pub unknown: u64,
}

/// A scope with the sums of all nodes in it and in the scopes below it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Scope {
    /// Its path from the root; `/` is the root.
    pub scope: String,
    /// How deep it lies; the root is at 0.
    pub depth: u64,
    /// The kind of module, where the exporter says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Nodes in it and below it.
    pub nodes: u64,
    /// Learned elements that they are the first to use.
    pub parameters: Option<u64>,
    /// What they cost together.
    #[serde(flatten)]
    pub cost: LayerCost,
    /// Of the nodes, the ones whose cost is not known; the sums are lower bounds when there are any.
    pub unknown: u64,
}
