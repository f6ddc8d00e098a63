//! Key figures of one model, for a table of many: what `calipers card` lists in an index.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{DType, Family, ModelKind, Report, Scheme, Severity, TaskKind};

/// One model in a table of many. A figure that is not known is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct KeyFigures {
    /// Path with forward slashes, or URL, of the model.
    pub path: String,
    /// Path of its card, relative to the index; null if it has none.
    pub card: Option<String>,
    /// Why the model could not be read; all figures are null then.
    pub error: Option<String>,
    /// Bytes of the model file.
    pub bytes: Option<u64>,
    /// Kind of model.
    pub kind: Option<ModelKind>,
    /// Family.
    pub family: Option<Family>,
    /// Task; null when it is not recognized.
    pub task: Option<TaskKind>,
    /// Data type of most parameters.
    pub precision: Option<DType>,
    /// Quantization scheme, or `none`.
    pub quantization: Option<Scheme>,
    /// Nodes of the main graph.
    pub nodes: Option<u64>,
    /// Parameters: learned elements.
    pub parameters: Option<u64>,
    /// Bytes of all stored tensors.
    pub weights_bytes: Option<u64>,
    /// Multiply-accumulates of one run, under the report's assumptions.
    pub macs: Option<u64>,
    /// Floating-point operations: 2 × `macs`.
    pub flops: Option<u64>,
    /// Whether `macs` and `flops` leave out nodes of unknown cost.
    pub lower_bound: Option<bool>,
    /// Peak activation memory of one run.
    pub peak_activation_bytes: Option<u64>,
    /// KV cache per token.
    pub kv_cache_bytes_per_token: Option<u64>,
    /// Device of `latency_ms` and `memory_bytes`.
    pub device: Option<String>,
    /// Expected latency of one run on the device.
    pub latency_ms: Option<f64>,
    /// Memory that one run needs on the device.
    pub memory_bytes: Option<u64>,
    /// Findings of severity `error`.
    pub errors: Option<u64>,
    /// Findings of severity `warning`.
    pub warnings: Option<u64>,
    /// Findings of severity `info`.
    pub infos: Option<u64>,
}

impl KeyFigures {
    /// What a report says, picked out.
    pub fn new(path: String, report: &Report) -> Self {
        let findings = |severity: Severity| {
            let count =
                report.findings.iter().filter(|finding| finding.severity == severity).count();
            u64::try_from(count).ok()
        };
        let hardware = report.hardware.as_ref();
        let device = hardware.and_then(|hardware| hardware.device.as_ref());
        let latency = hardware.and_then(|hardware| hardware.latency_ms.as_ref());
        let cache = report.memory.kv_cache.as_ref();
        Self {
            path,
            card: None,
            error: None,
            bytes: Some(report.model.bytes),
            kind: report.architecture.kind,
            family: report.architecture.family,
            task: Some(report.task.kind).filter(|task| *task != TaskKind::Unknown),
            precision: report.model.precision,
            quantization: Some(report.quantization.scheme),
            nodes: Some(report.graph.nodes),
            parameters: report.parameters.total,
            weights_bytes: report.memory.weights_bytes,
            macs: report.cost.work.macs,
            flops: report.cost.work.flops(),
            lower_bound: Some(report.cost.lower_bound),
            peak_activation_bytes: report.memory.peak_activation_bytes,
            kv_cache_bytes_per_token: cache.and_then(|cache| cache.bytes_per_token),
            device: device.map(|device| device.id.clone()),
            latency_ms: latency.map(|latency| latency.expected),
            memory_bytes: hardware.and_then(|hardware| hardware.memory_bytes),
            errors: findings(Severity::Error),
            warnings: findings(Severity::Warning),
            infos: findings(Severity::Info),
        }
    }

    /// A file that could not be read.
    pub fn unread(path: String, error: String) -> Self {
        Self { path, error: Some(error), ..Self::default() }
    }
}
