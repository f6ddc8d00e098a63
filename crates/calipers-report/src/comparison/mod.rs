//! What changed between models: the one value that every rendering of a comparison reads.
//!
//! [`Comparison`] is of two models, [`ComparisonTable`] of three or more. Like the report, their
//! JSON is the public contract, and a figure that is not known is null, never 0.

mod figures;
mod gates;
mod graph;
mod interface;
mod table;
mod tensors;
mod view;
mod weights;

pub use figures::{Difference, Direction, FigureChange, FigureKind, Measure, Quantity};
pub use gates::GateResult;
pub use graph::{
    AddedNode, AttributeChange, ChangeGroup, ChangeKind, ChangedNode, GraphChanges, GroupedChange,
    RemovedNode,
};
pub use interface::{Interface, InterfaceChange, InterfacePart};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use table::{ComparisonTable, FigureRow, Metric, ParetoChart, ParetoPoint};
pub use tensors::TensorMatch;
pub use view::{ComparisonView, NodeStatus};
pub use weights::{
    DepthChange, TensorChange, TensorDifference, UncomparedTensor, WeightChanges, WeightRelation,
};

use crate::{Family, Finding, Format, Generator, Producer, Report, Scheme, Severity, TaskKind};

/// Version of the layout of [`Comparison`] and [`ComparisonTable`].
pub const COMPARISON_VERSION: &str = "1.0";

/// What changed from one model to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Comparison {
    /// Version of this layout, see [`COMPARISON_VERSION`].
    pub comparison_version: String,
    /// The program that made the comparison.
    pub generator: Generator,
    /// The first model: the baseline.
    pub a: ComparedModel,
    /// The second model.
    pub b: ComparedModel,
    /// Whether the second can replace the first, and what got better and worse.
    pub verdict: Verdict,
    /// What a caller sees: inputs, outputs, opsets, domains.
    pub interface: Interface,
    /// The nodes; null when one side is a saved report, or a file that stores no graph.
    pub graph: Option<GraphChanges>,
    /// Learned tensors matched by name and shape, where the files are of different formats or one
    /// stores no graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensors: Option<TensorMatch>,
    /// The stored weights; only there when they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightChanges>,
    /// Figures side by side.
    pub figures: Vec<FigureChange>,
    /// Findings that only one of the models has.
    pub findings: FindingChanges,
    /// The gates that were set.
    pub gates: Vec<GateResult>,
    /// What the comparison could not look at, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Default for Comparison {
    fn default() -> Self {
        Self {
            comparison_version: COMPARISON_VERSION.to_owned(),
            generator: Generator::default(),
            a: ComparedModel::default(),
            b: ComparedModel::default(),
            verdict: Verdict::default(),
            interface: Interface::default(),
            graph: None,
            tensors: None,
            weights: None,
            figures: Vec::new(),
            findings: FindingChanges::default(),
            gates: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// One of the models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ComparedModel {
    /// What it is called here: its file name, with folders where the names of models are equal.
    pub label: String,
    /// File name, without its folder.
    pub file: String,
    /// File format.
    pub format: Format,
    /// Whether it was read from the model file or from a saved report.
    pub source: ModelSource,
    /// Bytes of the model file.
    pub bytes: u64,
    /// SHA-256 of the model file, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// What exported it.
    pub producer: Producer,
    /// The summary's title, such as `BERT encoder`.
    pub title: String,
    /// Family.
    pub family: Option<Family>,
    /// Task.
    pub task: TaskKind,
    /// Scheme of quantization.
    pub quantization: Scheme,
    /// Nodes of the main graph, the subgraphs and the functions.
    pub nodes: u64,
}

impl ComparedModel {
    /// What a report says of its model.
    pub fn new(label: String, report: &Report, source: ModelSource) -> Self {
        let title = report.summary.as_ref().map(|summary| summary.title.clone());
        Self {
            label,
            file: report.model.file.clone(),
            format: report.model.format,
            source,
            bytes: report.model.bytes,
            sha256: report.model.sha256.clone(),
            producer: report.model.producer.clone(),
            title: title.unwrap_or_default(),
            family: report.architecture.family,
            task: report.task.kind,
            quantization: report.quantization.scheme,
            nodes: report.graph.nodes_total,
        }
    }
}

/// Where what is known of a model comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ModelSource {
    /// The model file.
    #[default]
    Model,
    /// A report that was saved as JSON.
    Report,
}

/// The answer in two sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Verdict {
    /// Whether callers of the first model can load the second one in its place, unchanged.
    pub drop_in: bool,
    /// Whether the two models are the same but for names.
    pub identical: bool,
    /// The first sentence: drop-in or not, and why.
    pub compatibility: String,
    /// The second sentence: what got better and what got worse.
    pub trade: String,
}

/// Findings that only one of the models has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FindingChanges {
    /// Findings of the second model that the first does not have.
    pub new: Vec<Finding>,
    /// Findings of the first model that the second does not have.
    pub resolved: Vec<Finding>,
    /// Findings of both.
    pub unchanged: u64,
    /// The findings of both by id, the most severe first. Their counts add up to `unchanged`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchanged_by_id: Vec<FindingCount>,
}

/// How many findings have an id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FindingCount {
    /// Stable name of the check, such as `graph-cycle`.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// The findings.
    pub count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_survives_its_own_json() {
        let comparison = Comparison {
            graph: Some(GraphChanges::default()),
            weights: Some(WeightChanges::default()),
            figures: vec![FigureChange {
                name: "macs".to_owned(),
                a: Some(Quantity::Integer(100)),
                b: Some(Quantity::Number(107.5)),
                delta: Some(Difference::Number(7.5)),
                percent: Some(7.5),
                ..FigureChange::default()
            }],
            ..Comparison::default()
        };
        let json = serde_json::to_string(&comparison).unwrap();
        assert!(json.contains(r#""a":100,"b":107.5,"delta":7.5,"percent":7.5"#), "{json}");
        assert_eq!(serde_json::from_str::<Comparison>(&json).unwrap(), comparison);
    }
}
