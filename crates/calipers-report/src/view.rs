//! The graph view: groups inside groups, down to single nodes.
//!
//! A group is a recognized part, a run of repeats, a segment of a part that is too large to display
//! at once, a subgraph, or the body of a function. Groups, nodes and values are numbered; group 0 is
//! the main graph.

use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::names;
use crate::{
    Bottleneck, DeviceClass, LayerCost, PartKind, Precision, RunEstimate, ValueShape, Work,
};

/// A graph as groups.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GraphView {
    /// File name, without its folder.
    pub file: String,
    /// The groups; the first is the main graph. A parent is before what is in it.
    pub groups: Vec<GraphGroup>,
    /// The nodes: those of the main graph in order of execution, then those of subgraphs and
    /// functions.
    pub nodes: Vec<ViewNode>,
    /// Inputs and outputs of the nodes.
    pub values: Vec<ViewValue>,
    /// Size controls, and the figures that follow from them.
    pub sizes: SizeControls,
    /// Parts of the model that the view omits, a sentence each.
    pub notes: Vec<String>,
}

names! {
    /// The class of an operator, as the graph view colors it.
    pub enum OperatorGroup default Other {
        /// Convolution, matrix multiplication, fully connected layer.
        Contraction = "contraction" => "Convolution, MatMul",
        /// Fused attention.
        Attention = "attention" => "Attention",
        /// Recurrent layer.
        Recurrent = "recurrent" => "Recurrent",
        /// Activation function, softmax.
        Activation = "activation" => "Activation",
        /// Normalization layer.
        Normalization = "normalization" => "Normalization",
        /// Pooling or reduction.
        Pooling = "pooling" => "Pooling, reduction",
        /// Arithmetic on each element.
        Elementwise = "elementwise" => "Elementwise",
        /// Reshape, transpose, slice, gather, concat.
        Movement = "movement" => "Shape, data movement",
        /// Conversion between floats and quantized integers.
        Quantization = "quantization" => "Quantization",
        /// Runs a subgraph, or calls a function.
        ControlFlow = "control-flow" => "Control flow",
        /// Every other operator.
        Other = "other" => "Other",
    }
}

/// What a group is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GroupKind {
    /// The main graph.
    #[default]
    Graph,
    /// A part that was recognized.
    Block,
    /// Repeated parts in sequence.
    Repeat,
    /// A segment of the order of execution, so that no group holds too much.
    Segment,
    /// A graph of control flow.
    Subgraph,
    /// The body of a function.
    Function,
}

/// A part of the graph that can be opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GraphGroup {
    /// What it is.
    pub kind: GroupKind,
    /// Its display name.
    pub name: String,
    /// Its hyperparameters, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The kind of part; missing where it was not recognized.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<PartKind>,
    /// The number of repeats, of a group of repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// The group it is in; a function's body is in none.
    pub parent: Option<usize>,
    /// Boxes in it, in order of execution.
    pub items: Vec<GroupItem>,
    /// Arrows between them.
    pub edges: Vec<GroupEdge>,
    /// Every node inside at any depth.
    pub nodes: u64,
    /// Parameters of those nodes.
    pub parameters: Option<u64>,
    /// Arithmetic and bytes of the nodes of known cost.
    #[serde(flatten)]
    pub work: Work,
    /// The largest number of activation bytes live at one of its nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alive_bytes: Option<u64>,
    /// Nodes of unknown cost; with any, sums are lower bounds.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unknown: u64,
}

/// A box of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GroupItem {
    /// Another group, by its number.
    GraphGroup(usize),
    /// A node, by its number.
    Node(usize),
    /// An input of the graph, by the number of its value.
    Input(usize),
    /// An output of the graph, by the number of its value.
    Output(usize),
    /// Values produced outside the group.
    Entry,
    /// Values consumed outside the group.
    Exit,
}

/// An arrow between two boxes of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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

/// A node and its properties.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ViewNode {
    /// Its name, or its position in the file when it has none.
    pub name: String,
    /// Its operator.
    pub op: Arc<str>,
    /// The class of the operator.
    #[serde(default)]
    pub class: OperatorGroup,
    /// The operator's domain; `ai.onnx` is the standard one.
    pub domain: Arc<str>,
    /// The module it belongs to; empty when the file does not say.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub scope: Arc<str>,
    /// The group it is in.
    pub group: usize,
    /// Whether it is drawn; nodes that only hold a constant are not.
    pub drawn: bool,
    /// Whether it is a constant or computes shapes, so that it is not part of the network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auxiliary: bool,
    /// Its groups: subgraphs, or the function that it calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<usize>,
    /// Its inputs; null for an optional input that is omitted.
    pub inputs: Vec<Option<usize>>,
    /// Its outputs.
    pub outputs: Vec<Option<usize>>,
    /// Its attributes; long ones are truncated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<(String, String)>,
    /// Attributes that the node omits, with the default values of its operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defaults: Vec<(String, String)>,
    /// Parameters that it is the first to use.
    pub parameters: Option<u64>,
    /// Its cost.
    #[serde(flatten)]
    pub cost: LayerCost,
    /// Why its cost is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Bytes of activations live while it runs; of nodes of the main graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alive_bytes: Option<u64>,
}

/// A value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ViewValue {
    /// Its name.
    pub name: String,
    /// Its type and shape, which many values share.
    #[serde(flatten)]
    pub value: Arc<ValueShape>,
    /// Whether the file stores it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stored: bool,
}

/// Sizes that can be chosen without another analysis of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SizeControls {
    /// What can be chosen.
    pub size_controls: Vec<SizeControl>,
    /// When each activation is live, from which the peak follows at any size: inputs first, then in
    /// order of execution. Empty when no dimension is free, or for the reason in
    /// `live_ranges_unknown`.
    pub live_ranges: Vec<LiveRange>,
    /// Why live ranges are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_ranges_unknown: Option<String>,
    /// Times at several sizes.
    pub times: TimeTable,
}

/// A size that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SizeControl {
    /// What it counts: `batch`, `sequence`, `context`, or the dimension's name.
    pub name: String,
    /// Its value in the report.
    pub size: u64,
    /// The largest useful value, such as the number of position embeddings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
    /// Dimensions that follow it, each with its offset.
    pub dims: BTreeMap<String, i64>,
    /// Its size in the file, where the file fixes it; another size requires an export with a dynamic
    /// axis, and scales arithmetic and activations in proportion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<u64>,
}

/// The positions in the order of execution at which an activation is live.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LiveRange {
    /// The node that produces it; 0 for inputs.
    pub from: u64,
    /// The last node that needs it; the number of nodes for outputs.
    pub until: u64,
    /// Its bytes, a number or a formula, which many activations share.
    pub bytes: Arc<str>,
    /// Whether it belongs to the caller, so that it cannot be overwritten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub borrowed: bool,
    /// With in-place reuse, the activation that it is a view of, by its number in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view_of: Option<usize>,
    /// With in-place reuse, the activations whose buffer it may take: the first with as many bytes
    /// that is not borrowed and not needed afterwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_take: Vec<usize>,
}

/// Memory and times of one run on several devices, at several sizes and precisions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TimeTable {
    /// The precisions; the first is that of the report.
    pub precisions: Vec<Precision>,
    /// The batch sizes, in ascending order.
    pub batches: Vec<u64>,
    /// The sequence lengths, in ascending order; empty where the model has none.
    pub lengths: Vec<u64>,
    /// What a run needs on every device, in the order of [`DeviceTimes::runs`].
    pub needs: Vec<RunNeed>,
    /// The devices.
    pub devices: Vec<DeviceTimes>,
}

/// Memory of a run, without the overhead of a runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunNeed {
    /// Weights and other stored tensors, in the precision.
    pub weights_bytes: Option<u64>,
    /// Peak activations, in the precision.
    pub activations_bytes: Option<u64>,
    /// Keys and values of all sequences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv_cache_bytes: Option<u64>,
}

/// Times of one run on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DeviceTimes {
    /// Its id on the command line: `rtx-4090`.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Its class.
    pub class: DeviceClass,
    /// Its memory.
    pub memory_bytes: Option<u64>,
    /// A run for each precision, in each of these for each length, and in each of these for each
    /// batch.
    pub runs: Vec<TimedRun>,
}

/// One run on a device, with what limits it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TimedRun {
    /// Its time and memory.
    #[serde(flatten)]
    pub run: RunEstimate,
    /// Whether it fits only while the runtime overhead stays below its upper bound.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tight: bool,
    /// What takes most of the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottleneck: Option<Bottleneck>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}
