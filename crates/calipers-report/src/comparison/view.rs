//! Both graphs for the HTML page, with what became of each node.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::GraphView;
use crate::names::names;

/// The graphs of two models and their nodes, matched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ComparisonView {
    /// The graph of the first model.
    pub a: GraphView,
    /// The graph of the second model.
    pub b: GraphView,
    /// What became of each node of the first graph, in the order of its `nodes`.
    pub status_a: Vec<NodeStatus>,
    /// What became of each node of the second graph.
    pub status_b: Vec<NodeStatus>,
    /// Matched nodes: places in the two lists of nodes.
    pub pairs: Vec<(usize, usize)>,
    /// Places of the nodes of `graph.removed`, in the first list of nodes.
    pub removed: Vec<usize>,
    /// Places of the nodes of `graph.added`, in the second list of nodes.
    pub added: Vec<usize>,
    /// Places of the nodes of `graph.changed`, in both lists of nodes.
    pub changed: Vec<(usize, usize)>,
}

names! {
    /// What became of a node.
    pub enum NodeStatus default Same {
        Added = "added" => "added",
        Changed = "changed" => "changed",
        Removed = "removed" => "removed",
        Same = "same" => "unchanged",
    }
}
