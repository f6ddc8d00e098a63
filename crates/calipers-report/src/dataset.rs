//! One model in a dataset of many: what `calipers scan` stores and `calipers index` shows.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::names;
use crate::{Format, KeyFigures, Report, Style};

/// One model of a dataset. What is not known is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
    /// Digest of the graph: operators, attributes, connections, types and shapes of weights, without
    /// names and values. Models of the same architecture have the same digest.
    pub architecture_digest: Option<String>,
    /// Digest of the types, shapes and sampled bytes of the stored weights. Files with the same weights
    /// have the same digest; null where the weights cannot be read.
    pub weights_digest: Option<String>,
    /// MinHash of the shapes of its large weights, regardless of type: 32 entries, as hexadecimal digits. The share of
    /// equal entries of two models estimates the share of shapes that they have in common; null for fewer than four
    /// large weights.
    pub shape_signature: Option<String>,
    /// Ids of its findings, sorted, without duplicates.
    pub findings: Vec<String>,
}

impl ModelRow {
    /// Returns the row of a report. The license is that of the file as renderings show it.
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

/// Many models, and the groups of similar ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registry {
    /// The models, by path.
    pub models: Vec<ModelRow>,
    /// Groups of similar models; groups of one kind have no model in common.
    pub groups: Vec<ModelGroup>,
}

/// A group of similar models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelGroup {
    /// What they have in common.
    pub likeness: Likeness,
    /// Two or more places in the list of models, ascending.
    pub models: Vec<usize>,
}

names! {
    /// What the models of a group have in common.
    pub exhaustive enum Likeness {
        /// The digests of their weights are equal.
        Weights = "weights" => "same weights",
        /// The digests of their graphs are equal.
        Architecture = "architecture" => "same architecture",
        /// Their family, and the shapes of nearly all large weights, regardless of type: variants that were fine-tuned,
        /// quantized or given another head.
        Shapes = "shapes" => "similar weight shapes",
    }
}
