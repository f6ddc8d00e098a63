//! The model's graph to look around in: groups inside groups, down to single nodes.
//!
//! A group is a part that was recognized, a run of repeats, a segment of a part that is too large to
//! be seen at once, a subgraph, or a function's body. GraphGroups, nodes and values are numbered; group 0
//! is the main graph.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LayerCost, PartKind, RunEstimate, ValueShape, Work};

/// A graph as groups.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphView {
    /// File name, without its folder.
    pub file: String,
    /// The groups; the first is the main graph. A parent is before what is in it.
    pub groups: Vec<GraphGroup>,
    /// The nodes: those of the main graph in order of execution, then those of subgraphs and
    /// functions.
    pub nodes: Vec<ViewNode>,
    /// Values that nodes take or give.
    pub values: Vec<ViewValue>,
    /// Sizes that can be chosen, and what follows from them.
    pub sizes: SizeControls,
    /// What was left out, in words.
    pub notes: Vec<String>,
}

/// What a group is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GroupKind {
    /// The main graph.
    #[default]
    Graph,
    /// A part that was recognized.
    Block,
    /// Likes in a row.
    Repeat,
    /// A segment of the order of execution, so that no group holds too much.
    Segment,
    /// A graph of control flow.
    Subgraph,
    /// The body of a function.
    Function,
}

/// A part of the graph that can be opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphGroup {
    /// What it is.
    pub kind: GroupKind,
    /// What to call it.
    pub name: String,
    /// Its figures in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// What the part is; missing where it is none that was recognized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<PartKind>,
    /// Of likes in a row, how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// The group it is in; a function's body is in none.
    pub parent: Option<usize>,
    /// Boxes in it, in order of execution.
    pub items: Vec<GroupItem>,
    /// Arrows between them.
    pub edges: Vec<GroupEdge>,
    /// Nodes inside, at every depth of it.
    pub nodes: u64,
    /// Learned elements of those nodes.
    pub parameters: Option<u64>,
    /// Arithmetic and bytes of the nodes of which they are known.
    #[serde(flatten)]
    pub work: Work,
    /// Most bytes of activations alive at one of its nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alive_bytes: Option<u64>,
    /// Nodes whose cost is not known: then sums are lower bounds.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unknown: u64,
}

/// A box of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GroupItem {
    /// Another group, by its number.
    GraphGroup(usize),
    /// A node, by its number.
    Node(usize),
    /// What a caller feeds, by the value's number.
    Input(usize),
    /// What the graph gives, by the value's number.
    Output(usize),
    /// What comes from outside the group.
    Entry,
    /// What is read outside the group.
    Exit,
}

/// An arrow between two boxes of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GroupEdge {
    /// Number of the box in the group that it starts at.
    pub from: usize,
    /// Number of the box in the group that it ends at.
    pub to: usize,
    /// Values that it carries; the first few.
    pub values: Vec<usize>,
    /// How many it carries.
    pub count: u64,
}

/// A node, with all that is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ViewNode {
    /// Its name, or its place in the file when it has none.
    pub name: String,
    /// Its operator.
    pub op: String,
    /// The operator's domain; `ai.onnx` is the standard one.
    pub domain: String,
    /// The module it belongs to; empty when the file does not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The group it is in.
    pub group: usize,
    /// Whether it is drawn; nodes that only hold a constant are not.
    pub drawn: bool,
    /// GraphGroups inside it: subgraphs, or the function that it calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<usize>,
    /// Values that it takes; null where an optional one is left out.
    pub inputs: Vec<Option<usize>>,
    /// Values that it gives.
    pub outputs: Vec<Option<usize>>,
    /// Its attributes; long ones are cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<(String, String)>,
    /// Learned elements that it is the first to use.
    pub parameters: Option<u64>,
    /// What it costs.
    #[serde(flatten)]
    pub cost: LayerCost,
    /// Why its cost is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Bytes of activations alive while it runs; of nodes of the main graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alive_bytes: Option<u64>,
}

/// A value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ViewValue {
    /// Its name.
    pub name: String,
    /// Its type and shape.
    #[serde(flatten)]
    pub value: ValueShape,
    /// Whether the file stores it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stored: bool,
}

/// Sizes that can be chosen without looking at the model again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeControls {
    /// What can be chosen.
    pub size_controls: Vec<SizeControl>,
    /// When each activation is alive, so that their peak can be found at any size: inputs first, then as
    /// they come to be. Empty when
    /// nothing is free, or where `live_ranges_unknown` says why.
    pub live_ranges: Vec<LiveRange>,
    /// Why live_ranges are not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_ranges_unknown: Option<String>,
    /// Times at several sizes.
    pub times: TimeTable,
}

/// A size that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SizeControl {
    /// What it counts: `batch`, `sequence`, `context`, or the dimension's name.
    pub name: String,
    /// What it is in the report's figures.
    pub size: u64,
    /// The greatest that makes sense; a table of positions may end there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
    /// Dimensions that follow it, with what is to be added to it.
    pub dims: BTreeMap<String, i64>,
    /// Whether the file fixes it, so that only times are reported at other sizes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
}

/// The places in the order of execution at which an activation is alive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveRange {
    /// The node that gives it; 0 for inputs.
    pub from: u64,
    /// The last node that needs it; the number of nodes for outputs.
    pub until: u64,
    /// Its bytes, a number or a formula.
    pub bytes: String,
    /// Whether it is the caller's, so that nothing may be written over it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub borrowed: bool,
    /// With reuse of places, the activation that it is a view of, by its number in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view_of: Option<usize>,
    /// With reuse of places, those whose place it takes: the first that has as many bytes, is not
    /// borrowed, and that nothing needs afterwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_take: Vec<usize>,
}

/// Times of one run on several devices at several sizes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeTable {
    /// Batches that were looked at.
    pub batches: Vec<u64>,
    /// Lengths that were looked at; empty where the model has none.
    pub lengths: Vec<u64>,
    /// The devices.
    pub devices: Vec<DeviceTimes>,
}

/// Times of one run on a device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceTimes {
    /// What the command is given: `rtx-4090`.
    pub id: String,
    /// As people say it.
    pub name: String,
    /// Its memory.
    pub memory_bytes: Option<u64>,
    /// One for each batch at the first length, then for each at the second, and so on.
    pub runs: Vec<RunEstimate>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}
