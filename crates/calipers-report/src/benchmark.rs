//! Measured times of a model, next to the estimated ones.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Range;

/// Measured latency, throughput and memory of a model: what `calipers bench` prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Benchmark {
    /// The file name of the model.
    pub model: String,
    /// The runtime and its version, e.g. `ONNX Runtime 1.31.1`.
    pub runtime: String,
    /// The id of the execution provider.
    pub provider: String,
    /// Whether missing weights were synthesized.
    pub synthesized_weights: bool,
    /// Sizes of the free dimensions, by name.
    pub sizes: BTreeMap<String, i64>,
    /// Samples per run; missing where the model has no batch dimension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// Intra-op threads.
    pub threads: u64,
    /// Milliseconds to load the model.
    pub load_ms: f64,
    /// Runs before the measurement.
    pub warmup_runs: u64,
    /// Whether latency was stable when the measurement began.
    pub warmup_stable: bool,
    /// Measured runs.
    pub runs: u64,
    /// The latency of one run.
    pub latency_ms: LatencyStatistics,
    /// Samples per second, or runs per second without a batch dimension.
    pub throughput: f64,
    /// Other batch sizes and numbers of threads.
    pub points: Vec<BenchmarkPoint>,
    /// Resident memory of the process.
    pub memory: BenchmarkMemory,
    /// How much the machine disturbed the measurement.
    pub noise: Noise,
    /// The profile of the runtime, where it writes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<RuntimeProfile>,
    /// Why there is no profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_profile: Option<String>,
    /// The estimate that the measurement is compared with.
    pub predicted: PredictedLatency,
    /// The target, where one was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_latency_ms: Option<f64>,
    /// Whether the median meets the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_met: Option<bool>,
}

/// Statistics over the latency of runs, in milliseconds. Percentiles are interpolated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LatencyStatistics {
    /// Half of the runs are faster.
    pub median: f64,
    /// 90 % of the runs are faster.
    pub p90: f64,
    /// 99 % of the runs are faster.
    pub p99: f64,
    /// The fastest run.
    pub min: f64,
    /// The slowest run.
    pub max: f64,
    /// The distance from the 10th to the 90th percentile, in percent of the median.
    pub spread_percent: f64,
}

/// A batch size and a number of threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BenchmarkPoint {
    /// Samples per run; missing where the model has no batch dimension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// Intra-op threads.
    pub threads: u64,
    /// Measured runs.
    pub runs: u64,
    /// The latency of one run; missing where it did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<LatencyStatistics>,
    /// Samples per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput: Option<f64>,
    /// Why it did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Resident memory of the process, in bytes; missing where the system does not report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BenchmarkMemory {
    /// Resident bytes after the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident_bytes: Option<u64>,
    /// Private bytes that loading and running the model added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_bytes: Option<u64>,
    /// Bytes of the weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights_bytes: Option<u64>,
    /// Added bytes above the weights: activations, packed copies of weights, the runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above_weights_bytes: Option<u64>,
}

/// How much the machine disturbed a measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Noise {
    /// Whether the machine was too noisy to trust the percentiles.
    pub is_noisy: bool,
    /// What was noticed, a sentence each.
    pub reasons: Vec<String>,
    /// Cores that other processes used meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_load_cores: Option<f64>,
    /// Share of runs slower than 1.5 times the median, in percent.
    pub interrupted_percent: f64,
}

/// Time by operator and by block, from the runtime's profiler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RuntimeProfile {
    /// Profiled runs.
    pub runs: u64,
    /// Milliseconds of all kernels of one run.
    pub kernel_ms: f64,
    /// The operators that the runtime executed, the slowest first.
    pub operators: Vec<OperatorTime>,
    /// Blocks of the network, in order of execution.
    pub blocks: Vec<BlockTime>,
    /// The slowest nodes.
    pub top_nodes: Vec<NodeTime>,
    /// Kernels that could not be mapped to a node of the file.
    pub not_mapped: NotMapped,
}

/// An operator that a runtime executed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OperatorTime {
    /// The operator, as the runtime calls it.
    pub op: String,
    /// Kernels per run.
    pub count: u64,
    /// Milliseconds per run.
    pub ms: f64,
    /// Share of the time of all kernels.
    pub percent: f64,
}

/// A block of the network, measured and predicted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BlockTime {
    /// Its name.
    pub name: String,
    /// Measured milliseconds per run.
    pub measured_ms: f64,
    /// Share of the time of all kernels.
    pub percent: f64,
    /// Predicted milliseconds per run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted_ms: Option<f64>,
}

/// A node of the file, measured and predicted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NodeTime {
    /// Its name.
    pub node: String,
    /// The operator that the runtime executed for it; a fused one covers other nodes too.
    pub op: String,
    /// Measured milliseconds per run.
    pub measured_ms: f64,
    /// Share of the time of all kernels.
    pub percent: f64,
    /// Predicted milliseconds per run; missing where the estimate has no kernel at this node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted_ms: Option<f64>,
}

/// Kernels without a node of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NotMapped {
    /// Kernels per run.
    pub count: u64,
    /// Milliseconds per run.
    pub ms: f64,
    /// Share of the time of all kernels.
    pub percent: f64,
    /// Their operators.
    pub ops: Vec<String>,
}

/// The estimate that a measurement is compared with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PredictedLatency {
    /// The display name of the device.
    pub device: String,
    /// Intra-op threads of the device; only for processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// The predicted latency; missing where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<Range>,
    /// The measured median divided by the expected latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
