//! Three or more models.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{COMPARISON_VERSION, ComparedModel, Comparison, FigureKind, Measure, Quantity};
use crate::Generator;

/// Several models side by side, each compared with the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ComparisonTable {
    /// Version of this layout, see [`COMPARISON_VERSION`].
    pub comparison_version: String,
    /// The program that made the comparison.
    pub generator: Generator,
    /// The models, in the order given; the first is the baseline.
    pub models: Vec<ComparedModel>,
    /// Figures, a value for each model.
    pub figures: Vec<FigureRow>,
    /// Which models are the best trade.
    pub pareto: Option<ParetoChart>,
    /// The first model with each of the others.
    pub comparisons: Vec<Comparison>,
}

impl Default for ComparisonTable {
    fn default() -> Self {
        Self {
            comparison_version: COMPARISON_VERSION.to_owned(),
            generator: Generator::default(),
            models: Vec::new(),
            figures: Vec::new(),
            pareto: None,
            comparisons: Vec::new(),
        }
    }
}

/// One figure of every model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FigureRow {
    /// Its id, as gates name it.
    pub name: String,
    /// Its name for people.
    pub label: String,
    /// What is measured.
    pub kind: FigureKind,
    /// Its unit.
    pub measure: Measure,
    /// Its values, in the order of the models; null when one is not known.
    pub values: Vec<Option<Quantity>>,
    /// Places of the models with the best value; empty where no value is better than another.
    pub best: Vec<usize>,
}

/// A metric of each model that the user measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Metric {
    /// Its name: `accuracy`.
    pub name: String,
    /// Its values, in the order of the models; null when one was not given.
    pub values: Vec<Option<f64>>,
    /// Whether a lower value is better, as for an error or a loss.
    pub lower_is_better: bool,
}

/// Two figures of every model, and which models no other beats in both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ParetoChart {
    /// The figure along the horizontal axis, by its id.
    pub x: String,
    /// Its name for people.
    pub x_label: String,
    /// Its unit.
    pub x_measure: Measure,
    /// The figure along the vertical axis.
    pub y: String,
    /// Its name for people.
    pub y_label: String,
    /// Its unit.
    pub y_measure: Measure,
    /// Whether a lower value of the vertical figure is better.
    pub lower_y_is_better: bool,
    /// The models that have both figures.
    pub points: Vec<ParetoPoint>,
}

/// One model in the chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ParetoPoint {
    /// Its place among the models.
    pub model: usize,
    /// Along the horizontal axis.
    pub x: f64,
    /// Along the vertical axis.
    pub y: f64,
    /// Whether no other model is at least as good in both figures and better in one.
    pub best: bool,
}
