//! What a caller sees of a model, compared.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::names;

/// What changed for a caller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Interface {
    /// Whether code that calls the first model can call the second one unchanged. False where the
    /// interfaces could not be compared.
    pub compatible: bool,
    /// Why the interfaces were not compared, as a sentence; absent where they were.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub not_compared: String,
    /// Every change, those that break a caller first.
    pub changes: Vec<InterfaceChange>,
}

/// One change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct InterfaceChange {
    /// What changed.
    pub what: InterfacePart,
    /// The input, output or domain, by its name in the first model where it has one.
    pub name: String,
    /// What changed, as a sentence that quotes names between backticks.
    pub detail: String,
    /// Whether it can break a caller.
    pub breaking: bool,
    /// What it was; null for what was added.
    pub a: Option<String>,
    /// What it is; null for what was removed.
    pub b: Option<String>,
}

names! {
    /// A part of the interface that changed.
    pub enum InterfacePart default Input {
        Data = "data-files" => "Data files",
        Domain = "domain" => "Operator domain",
        Input = "input" => "Input",
        IrVersion = "ir-version" => "IR version",
        Opset = "opset" => "Opset",
        Output = "output" => "Output",
    }
}
