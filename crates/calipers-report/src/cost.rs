//! The cost's section: arithmetic and bytes, as figures and as formulas.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Work;

/// What one run of the model costs.
///
/// A figure holds under the report's `bindings` and `assumptions`; the formula keeps the symbols. A
/// total that lacks nodes is a lower bound: `unknown` names them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Cost {
    /// Arithmetic and bytes.
    #[serde(flatten)]
    pub work: Work,
    /// All arithmetic: `flops` and `other_flops` together.
    #[serde(default)]
    pub total_flops: Option<u64>,
    /// The same as formulas in the free dimensions, by field: `macs`, `other_flops`, `bytes_moved`.
    pub formula: BTreeMap<String, String>,
    /// Whether nodes are missing from the totals, so that they are lower bounds.
    pub lower_bound: bool,
    /// Nodes whose cost is not known, with the reason; the first ones where there are many.
    pub unknown: Vec<UncostedNode>,
    /// Nodes whose cost is not known.
    pub unknown_count: u64,
    /// Share of nodes whose cost is known, in percent, to two decimals.
    pub coverage: f64,
    /// Choices that the totals rest on, such as the more expensive branch of an `If`.
    pub notes: Vec<String>,
    /// The most expensive nodes of the main graph, most expensive first.
    pub top_nodes: Vec<TopNode>,
    /// Nodes of the main graph with the same operator and the same multiply-accumulates, each group
    /// once, most expensive group first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub top_groups: Vec<TopGroup>,
    /// What each operator of the main graph costs, most arithmetic first. A node that holds a
    /// subgraph or calls a function counts with what is inside. Operators without arithmetic are
    /// left out; the figures sum to the totals.
    #[serde(default)]
    pub by_op: Vec<OperatorCost>,
    /// The main graph in order of execution, cut into at most 64 segments of as many nodes each,
    /// but for the last one.
    #[serde(default)]
    pub by_depth: Vec<DepthSegment>,
}

/// What all nodes of one operator cost together.
///
/// A figure is null when that of one of the nodes depends on a dimension without a size, or does
/// not fit 64 bits. Nodes whose cost is not known at all are left out, as in the totals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OperatorCost {
    /// The operator.
    pub op: String,
    /// Its nodes in the main graph whose cost is known.
    pub nodes: u64,
    /// Their arithmetic and bytes together.
    #[serde(flatten)]
    pub work: Work,
    /// Share of all arithmetic of the main graph, `flops` and `other_flops` together, in percent, to
    /// two decimals.
    pub percent: Option<f64>,
}

/// A segment of the main graph in order of execution.
///
/// Shares are in percent, to two decimals, of all segments together; null where the total is not
/// known or nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DepthSegment {
    /// The first node's place, from 0.
    pub first: u64,
    /// Nodes.
    pub nodes: u64,
    /// Arithmetic and bytes; nodes whose cost is not known are left out, as in the total.
    #[serde(flatten)]
    pub work: Work,
    /// Share of all multiply-accumulates.
    pub macs_percent: Option<f64>,
    /// Share of all bytes.
    pub bytes_percent: Option<f64>,
    /// Learned elements that these nodes use first.
    pub parameters: Option<u64>,
    /// Share of all that nodes of the main graph use.
    pub parameters_percent: Option<f64>,
}

/// A node whose cost is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct UncostedNode {
    /// The node.
    pub node: String,
    /// Its operator.
    pub op: String,
    /// Why.
    pub reason: String,
}

/// A node and what it costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TopNode {
    /// The node.
    pub node: String,
    /// Its operator.
    pub op: String,
    /// Arithmetic and bytes.
    #[serde(flatten)]
    pub work: Work,
    /// Share of all multiply-accumulates, in percent, to two decimals.
    pub percent: Option<f64>,
}

/// Nodes with the same operator and the same cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TopGroup {
    /// The first nodes, in order of execution; at most 32.
    pub nodes: Vec<String>,
    /// How many nodes there are.
    pub count: u64,
    /// Their operator.
    pub op: String,
    /// Multiply-accumulates of each node.
    pub macs: u64,
    /// Share of all multiply-accumulates that the group has, in percent, to two decimals.
    pub percent: Option<f64>,
}
