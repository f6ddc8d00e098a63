//! One model in a dataset of many: what `calipers scan` stores and `calipers index` shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::names;
use crate::{Format, KeyFigures, Report, Style};

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
    /// Signature of the shapes of its large weights, whatever their types: 32 minima of hashes, as hexadecimal digits. The
    /// share of equal minima of two models estimates the share of weights that they have in common; null where there
    /// are fewer than four such weights.
    pub shape_signature: Option<String>,
    /// Ids of its findings, sorted, each once.
    pub findings: Vec<String>,
}

impl ModelRow {
    /// What a report says, picked out. The license is that of the file as renderings show it.
    pub fn new(path: String, report: &Report, license: Option<&str>) -> Self {
        let mut findings: Vec<String> = report.findings.iter().map(|it| it.id.clone()).collect();
        findings.sort();
        findings.dedup();
        let producer = &report.model.producer;
        Self {
            figures: KeyFigures::new(path, report),
            format: Some(report.model.format),
            title: report.summary.as_ref().map(|summary| summary.title.clone()),
            style: report.architecture.style,
            variant: report.architecture.variant.clone(),
            license: license.map(str::to_owned),
            producer: (!producer.name.is_empty())
                .then(|| format!("{} {}", producer.name, producer.version).trim_end().to_owned()),
            opset: report.model.opsets.get("ai.onnx").copied(),
            findings,
            ..Self::default()
        }
    }
}

/// Many models, and which of them are alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registry {
    /// The models, by path.
    pub models: Vec<ModelRow>,
    /// Groups of models that are alike; those of one kind have no model in common.
    pub groups: Vec<ModelGroup>,
}

/// Models that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelGroup {
    /// In what they are alike.
    pub likeness: Likeness,
    /// Two or more places in the list of models, ascending.
    pub models: Vec<usize>,
}

names! {
    /// In what models are alike.
    pub exhaustive enum Likeness {
        /// The digests of their weights are equal.
        Weights = "weights" => "same weights",
        /// The digests of their graphs are equal.
        Architecture = "architecture" => "same architecture",
        /// Of one family, and nearly all large weights have the same shapes, whatever their types: variants that were
        /// fine-tuned, quantized or given another head.
        Shapes = "shapes" => "similar weight shapes",
    }
}
