//! Gates: what a model must keep to.
//!
//! A gate is one expression, judged on a finished [`Comparison`]:
//!
//! ```
//! use calipers_compare::gates::Gate;
//! use calipers_report::Comparison;
//!
//! let gate = Gate::parse("latency@l4 <= +5%", "command line", &[]).unwrap();
//! assert_eq!(gate.device(), Some("l4"));
//! // The comparison has no latency, so that the gate fails.
//! assert!(!gate.judge(&Comparison::default()).passed);
//!
//! let error = Gate::parse("mcas <= +5%", "command line", &[]).unwrap_err();
//! assert_eq!(error.hint.as_deref(), Some("did you mean `macs`?"));
//! ```
//!
//! | expression | passes |
//! |---|---|
//! | `macs <= 4.3G`, `file-size < 100 MB`, `latency@l4 <= 20ms` | a figure within a bound |
//! | `macs <= +5%`, `file-size <= +1MB`, `nodes == same` | a figure within a change from the baseline |
//! | `family == bert`, `task == same` | the family, task, quantization or precision |
//! | `accuracy >= -0.5`, `metric:accuracy >= 76` | a metric of the user |
//! | `interface compatible`, `drop-in` | callers need no change |
//! | `graph unchanged`, `weights unchanged` | nothing differs but names |
//! | `no new error`, `no new warning`, `no new finding`, `no new graph-cycle` | no such finding that the baseline lacks |
//! | `no error`, `no warning`, `no findings`, `no graph-cycle` | no such finding |
//!
//! `warning` includes errors. A percentage with a sign is one of the baseline, for every figure.

mod budgets;
mod error;
mod figure;
mod judge;
mod parse;
mod statement;
mod wording;

use std::fmt;

pub use budgets::{Budget, BudgetError, Budgets};
use calipers_report::quantities::Decimal;
use calipers_report::{Comparison, FigureKind, GateResult, Severity};
pub use error::GateError;

/// One condition that a model must meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    expression: String,
    source: String,
    condition: Condition,
}

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    InterfaceCompatible,
    DropIn,
    GraphUnchanged,
    WeightsIdentical,
    NoFindings { only_new: bool, which: Which },
    Figure { figure: Figure, operator: Operator, bound: Bound },
}

/// The findings that a gate is about.
#[derive(Clone, Debug, PartialEq)]
enum Which {
    /// Those at least as severe as this.
    Severity(Severity),
    /// Those with this id.
    Id(String),
}

/// The figure that a gate is about.
#[derive(Clone, Debug, PartialEq)]
struct Figure {
    kind: FigureKind,
    /// The device, type or metric.
    subject: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    AtMost,
    Below,
    AtLeast,
    Above,
    Equal,
    NotEqual,
}

/// What a figure is compared with.
#[derive(Clone, Debug, PartialEq)]
enum Bound {
    /// A value in the unit of the figure; whether it was written in percent.
    Value { value: Decimal, in_percent: bool },
    /// The baseline plus a percentage of it.
    Percent(Decimal),
    /// The baseline plus an amount.
    Offset(Decimal),
    /// The baseline.
    Same,
    /// Words, as an id and as people read them.
    Words { id: String, display_name: String },
}

impl Gate {
    /// Parses an expression. `source` is where it was set: `command line`, or a file and line.
    /// `finding_ids` are the ids of findings that it may name.
    ///
    /// # Errors
    ///
    /// Returns an error that points at the part of the expression that is wrong.
    pub fn parse(text: &str, source: &str, finding_ids: &[&str]) -> Result<Self, GateError> {
        let condition = parse::condition(text, finding_ids)?;
        let expression = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Self { expression, source: source.to_owned(), condition })
    }

    /// Returns the expression as it was written.
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// Returns where it was set.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the device that it names after `@`.
    pub fn device(&self) -> Option<&str> {
        match &self.condition {
            Condition::Figure {
                figure: Figure { kind: FigureKind::Latency | FigureKind::Memory, subject },
                ..
            } => subject.as_deref(),
            _ => None,
        }
    }

    /// Returns the metric of the user that it names.
    pub fn metric(&self) -> Option<&str> {
        match &self.condition {
            Condition::Figure { figure: Figure { kind: FigureKind::Metric, subject }, .. } => {
                subject.as_deref()
            }
            _ => None,
        }
    }

    /// Whether it compares the model with another one.
    pub fn needs_baseline(&self) -> bool {
        match &self.condition {
            Condition::InterfaceCompatible
            | Condition::DropIn
            | Condition::GraphUnchanged
            | Condition::WeightsIdentical => true,
            Condition::NoFindings { only_new, .. } => *only_new,
            Condition::Figure { bound, .. } => match bound {
                Bound::Percent(_) | Bound::Offset(_) | Bound::Same => true,
                Bound::Value { .. } | Bound::Words { .. } => false,
            },
        }
    }

    /// Whether the weights of both models have to be compared for it.
    pub fn needs_weights(&self) -> bool {
        self.condition == Condition::WeightsIdentical
    }

    /// Judges a comparison. What is not known fails.
    pub fn judge(&self, comparison: &Comparison) -> GateResult {
        let (passed, detail) = judge::outcome(&self.condition, comparison);
        GateResult {
            expression: self.expression.clone(),
            passed,
            detail,
            source: self.source.clone(),
        }
    }
}

/// The expression.
impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.expression)
    }
}

#[cfg(test)]
mod tests;
