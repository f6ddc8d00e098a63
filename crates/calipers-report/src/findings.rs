//! What the report warns of, assumes and does not know.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The model cannot run, or its file is unsafe, as is.
    Error,
    /// Likely to cause trouble.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// The name in JSON and in every rendering: `error`, `warning` or `info`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// One thing that is risky or odd about the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Finding {
    /// Stable name of the check, such as `graph-cycle`.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// What was found, with the figures.
    pub detail: String,
    /// Names of nodes or tensors concerned; the first few where there are many.
    pub nodes: Vec<String>,
    /// What to do about it.
    pub recommendation: String,
}

/// Findings of one model, on their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FindingTable {
    /// File name, without its folder.
    pub file: String,
    /// Findings of severity `error`.
    pub errors: u64,
    /// Findings of severity `warning`.
    pub warnings: u64,
    /// Findings of severity `info`.
    pub infos: u64,
    /// The findings, most severe first.
    pub findings: Vec<Finding>,
}

/// The documentation of a kind of finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FindingRule {
    /// Stable name, such as `graph-cycle`.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// Family: `contradiction`, `deployment`, `quantization`, `security`, `structure`, `weights`.
    pub group: String,
    /// One line that states the finding.
    pub title: String,
    /// What is looked at.
    pub checks: String,
    /// Why it matters.
    pub why: String,
    /// A model that has it.
    pub example: String,
    /// What to do about it.
    pub recommendation: String,
}

/// A value that was taken as given so that a figure could be stated.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Assumption {
    /// What is assumed, such as a dimension's name.
    pub what: String,
    /// The value it was given.
    pub value: String,
    /// Where that value comes from.
    pub why: String,
}

impl Assumption {
    /// The name of the dimension or of the element of an input that it sets a size for.
    pub fn size_name(&self) -> Option<&str> {
        self.what.strip_prefix("dimension ").or_else(|| self.value_name())
    }

    /// The name of the element of an integer input that it sets, as `--value` does.
    pub fn value_name(&self) -> Option<&str> {
        self.what.strip_prefix("value ")
    }
}

/// A figure that could not be established.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Unknown {
    /// Path of the field in the report, such as `graph.depth`.
    pub what: String,
    /// Why it is not known.
    pub reason: String,
}
