//! Gates: what a model must keep to.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of one gate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GateResult {
    /// The gate as it was written: `macs <= +5%`.
    pub expression: String,
    /// Whether the model passes. A figure that is not known fails.
    pub passed: bool,
    /// What the figure is, and what it may be: `MACs are 4.50 G, at most 4.30 G (+5 %) are allowed`.
    pub detail: String,
    /// Where the gate was set: `command line`, or a file and line.
    pub source: String,
}
