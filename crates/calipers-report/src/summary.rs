//! The summary's section: the report in a few sentences.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The report in prose. Every figure in it is a field of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Summary {
    /// One line.
    pub title: String,
    /// The paragraphs, with an empty line between them. Plain text, no markup.
    pub text: String,
    /// Who wrote it: `built-in`, or the name of the language model.
    pub source: String,
    /// The result of checking it; of a language model's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<SummaryCheck>,
    /// What the reader should know: why a language model's text was not used, say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The result of checking a language model's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SummaryCheck {
    /// Facts in the text, each filled in from the report.
    pub claims: u64,
    /// Sentences that were removed because they held more than facts and connecting words.
    pub struck: u64,
}
