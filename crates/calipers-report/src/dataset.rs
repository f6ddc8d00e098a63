//! One model in a dataset of many: what `calipers scan` stores and `calipers index` shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Format, KeyFigures, Style};

/// One model of a dataset. What is not known is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelRow {
    /// Path, its figures, or why it could not be read. `path` is the address of the model as it was
    /// given or found: a path with forward slashes, or a URL.
    #[serde(flatten)]
    pub figures: KeyFigures,
    /// What identifies this state of the file: its size and time of modification, or the ETag of a server.
    pub version: Option<String>,
    /// Format of the file.
    pub format: Option<Format>,
    /// Title of the model, as in its summary.
    pub title: Option<String>,
    /// Design of the network.
    pub style: Option<Style>,
    /// Public network that it is a variant of, such as `resnet-50`.
    pub variant: Option<String>,
    /// License that the file states, as it states it.
    pub license: Option<String>,
    /// Program that wrote the file.
    pub producer: Option<String>,
    /// Version of the default operator set.
    pub opset: Option<i64>,
    /// Digest of the graph: operators, attributes, wiring, types and shapes of weights, without
    /// names and values. Equal for models of one architecture.
    pub architecture_digest: Option<String>,
    /// Digest of samples of the stored weights with their types and shapes. Files with the same weights
    /// have the same digest; null where the weights are not at hand.
    pub weights_digest: Option<String>,
    /// Ids of its findings, sorted, each once.
    pub findings: Vec<String>,
}
