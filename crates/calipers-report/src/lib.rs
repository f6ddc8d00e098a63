//! The report on a model: the one value that every rendering, comparison and service reads.
//!
//! Nothing here computes. The stages fill a [`Report`]; `calipers-render` writes it; its JSON is the
//! public contract, which `calipers-schema` describes. [`units`] formats numbers, [`suggestions`] finds the
//! known name that a misspelled one was probably meant to be.
//!
//! ```
//! let report = calipers_report::Report::default();
//! let json = serde_json::to_string(&report).unwrap();
//! assert!(json.starts_with(r#"{"schema_version":"#));
//! ```
//!
//! A figure that could not be established is `None` (JSON `null`), and [`Report::unknown`] says
//! why. It is never 0.
#![forbid(unsafe_code)]

mod activation;
mod architecture;
mod architecture_rows;
mod article;
mod benchmark;
mod block;
mod comparison;
mod cost;
mod dataset;
mod device_names;
mod devices;
mod family;
mod figures;
mod findings;
mod flattened;
mod graph;
mod hardware;
mod kernel;
mod kind;
mod layers;
mod memory;
mod model;
mod names;
mod ordered;
mod parameters;
pub mod quantities;
mod renamed;
mod row;
mod run_result;
#[cfg(feature = "schema")]
pub mod schema;
mod scheme;
mod shapes;
pub mod suggestions;
mod summary;
mod sweep;
mod task;
pub mod units;
mod verification;
mod view;
mod weights;
pub mod wording;
mod work;

use std::collections::BTreeMap;

pub use activation::Activation;
pub use architecture::{
    Architecture, ArchitectureFacts, Arrow, Block, BlockCount, Diagram, DiagramBox, Quantization,
    Repeat, Skip, Task,
};
pub use article::with_article;
pub use benchmark::{
    Benchmark, BenchmarkMemory, BenchmarkPoint, BlockTime, LatencyStatistics, NodeTime, Noise,
    NotMapped, OperatorTime, PredictedLatency, RuntimeProfile,
};
pub use block::{BlockKind, BoxKind, CompositeKind, PartKind};
pub use calipers_ir::{DType, Format, GraphOrigin, goes_without_saying};
pub use comparison::{
    AddedNode, AttributeChange, COMPARISON_VERSION, ChangeGroup, ChangeKind, ChangedNode,
    ComparedModel, Comparison, ComparisonTable, ComparisonView, DepthChange, Difference, Direction,
    FigureChange, FigureKind, FigureRow, FindingChanges, FindingCount, GateResult, GraphChanges,
    GroupedChange, Interface, InterfaceChange, InterfacePart, Measure, Metric, ModelSource,
    NodeStatus, ParetoChart, ParetoPoint, Quantity, RemovedNode, TensorChange, TensorDifference,
    TensorMatch, UncomparedTensor, Verdict, WeightChanges, WeightRelation,
};
pub use cost::{Cost, DepthSegment, OperatorCost, TopGroup, TopNode, UncostedNode};
pub use dataset::{Likeness, ModelGroup, ModelRow, Registry};
pub use device_names::{DeviceClass, Evidence, Precision};
pub use devices::{
    DeviceList, DeviceSheet, DeviceSpec, LaunchOverhead, LaunchSource, OnChipMemory, PeakSpec,
    PrecisionPeak,
};
pub use family::Family;
pub use figures::KeyFigures;
pub use findings::{Assumption, Finding, FindingRule, FindingTable, Severity, Unknown};
pub use graph::{Dimension, FunctionFacts, GraphFacts, OperatorCount, Port};
pub use hardware::{
    ByteRange, ComputeCeiling, DeviceFacts, DeviceRow, Generation, Hardware, MemoryNeed, Range,
    Requirement, Requirements, Roofline, RooflineKernel, RunEstimate, ScalingRow, TimeShares,
    TopKernel,
};
pub use kernel::{Bottleneck, ExecutionMode, KernelKind, Runtime};
pub use kind::{
    AttentionKind, Confidence, ModelKind, NormKind, NormPosition, SkipKind, Style, ValueKind,
};
pub use layers::{CostFormula, Layer, LayerCost, LayerTable, LayerTotal, Operand, Scope};
pub use memory::{KvCache, LargeGroup, LargeValue, Memory};
pub use model::{DataFile, DataStatus, ModelFacts, Producer, TrainingFacts, UnknownField};
pub use names::UnknownId;
pub use parameters::{OperatorMemory, Parameters};
pub use renamed::RENAMED;
pub use row::{FindingRow, LayerRow, ShapeRow, TensorRow};
pub use run_result::{
    ClassScore, ClassifiedText, ClassifiedToken, FoundObject, OutputTensor, RunOutcome, RunResult,
    SpeechSegment,
};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
pub use scheme::{Granularity, Scheme};
use serde::{Deserialize, Serialize};
pub use shapes::{ShapeFacts, ShapeTable, UnknownShape, ValueShape};
pub use summary::{Summary, SummaryCheck};
pub use sweep::{SweepPoint, SweepTable};
pub use task::TaskKind;
pub use verification::{
    ComparedBytes, DifferentValue, Execution, NodeCounts, SkippedValue, Verification,
};
pub use view::{
    DeviceTimes, GraphGroup, GraphView, GroupEdge, GroupItem, GroupKind, LiveRange, OperatorGroup,
    RunNeed, SizeControl, SizeControls, TimeTable, TimedRun, ViewNode, ViewValue,
};
pub use weights::{TensorRange, UnreadTensor, Weights};
pub use work::Work;

/// Version of the JSON layout. The first number changes when a field is removed or changes its
/// resolved, the second when a field is added.
pub const SCHEMA_VERSION: &str = "2.0";

/// Everything Calipers found out about one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Report {
    /// Version of this layout, see [`SCHEMA_VERSION`].
    pub schema_version: String,
    /// The program that made the report.
    pub generator: Generator,
    /// The file and what it says of itself.
    pub model: ModelFacts,
    /// The graph: inputs, outputs, nodes, operators.
    pub graph: GraphFacts,
    /// How much is known of the shapes inside the graph.
    pub shapes: ShapeFacts,
    /// Learned weights, and what is stored next to them.
    pub parameters: Parameters,
    /// What one run costs.
    pub cost: Cost,
    /// What one run keeps in memory.
    pub memory: Memory,
    /// How the network is built.
    pub architecture: Architecture,
    /// What the model does.
    pub task: Task,
    /// How numbers are held in few bits.
    pub quantization: Quantization,
    /// Where the model will run, and how fast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<Hardware>,
    /// What the weights hold; only there when they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
    /// What is risky about the model, most severe first.
    pub findings: Vec<Finding>,
    /// What each free dimension was bound to: a number, or the word `symbolic`.
    pub bindings: BTreeMap<String, Binding>,
    /// What had to be assumed for the figures above.
    pub assumptions: Vec<Assumption>,
    /// Figures that could not be established, each with the reason.
    pub unknown: Vec<Unknown>,
    /// All of it in a few sentences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// What an execution showed of the inferred shapes, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verification>,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            generator: Generator::default(),
            model: ModelFacts::default(),
            graph: GraphFacts::default(),
            shapes: ShapeFacts::default(),
            parameters: Parameters::default(),
            cost: Cost::default(),
            memory: Memory::default(),
            architecture: Architecture::default(),
            task: Task::default(),
            quantization: Quantization::default(),
            hardware: None,
            weights: None,
            findings: Vec::new(),
            bindings: BTreeMap::new(),
            assumptions: Vec::new(),
            unknown: Vec::new(),
            summary: None,
            verified: None,
        }
    }
}

/// The program that made a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Generator {
    /// Always `calipers`.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Default for Generator {
    fn default() -> Self {
        Self { name: "calipers".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// What a free dimension represents in this report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Binding {
    /// Bound to this size.
    Size(i64),
    /// Left free: the word `symbolic`.
    Free(Free),
}

/// The word `symbolic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Free {
    /// The dimension has no number in this report.
    Symbolic,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_survives_its_own_json() {
        let mut report = Report::default();
        report.bindings.insert("batch".into(), Binding::Free(Free::Symbolic));
        report.bindings.insert("sequence".into(), Binding::Size(128));
        report.graph.inputs.push(Port {
            shape: Some(vec![
                Dimension::Size(1),
                Dimension::Symbol("past + 1".into()),
                Dimension::Unknown,
            ]),
            ..Port::default()
        });
        let json = serde_json::to_string(&report).unwrap();
        assert!(json.contains(r#""bindings":{"batch":"symbolic","sequence":128}"#));
        assert!(json.contains(r#""shape":[1,"past + 1",null]"#));
        assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    }
}
