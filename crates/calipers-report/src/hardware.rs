//! The hardware section: where the model fits, how fast it runs there, and what limits it.
//!
//! Memory is in bytes, time in milliseconds. Every time is a range; it is `null`, with a reason,
//! where there is no model of it.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Assumption, Bottleneck, Confidence, DeviceClass, Evidence, ExecutionMode, KernelKind,
    Precision, Runtime, ordered,
};

/// Where the model will run, and how fast.
///
/// `runtime`, `mode`, `precision`, `batch`, `context`, `devices`, `requirements`, `method` and
/// `assumptions` are always filled. All other fields describe the one device that was asked for,
/// and are empty when none was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Hardware {
    /// The device that was asked for.
    pub device: Option<DeviceFacts>,
    /// The software that runs the model.
    pub runtime: Runtime,
    /// Intra-op threads of the processor; only for processors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// How kernels are issued in `latency_ms` and in every other time but `eager_ms`.
    pub mode: ExecutionMode,
    /// What the model computes in.
    pub precision: Precision,
    /// Why that precision.
    pub precision_why: String,
    /// Samples, or sequences, per run.
    pub batch: u64,
    /// Whether the inputs have a batch dimension. Where they do not, one run is one sample.
    pub batch_dimension: bool,
    /// Tokens of a sequence, including those before this run; only for sequence models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// Whether it fits the device's memory; `null` when that cannot be determined.
    pub fits: Option<bool>,
    /// Memory needed on the device, with the runtime overhead at its expected size.
    pub memory_bytes: Option<u64>,
    /// Its parts.
    pub memory: Option<MemoryNeed>,
    /// The largest batch that fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_batch: Option<u64>,
    /// The longest context that fits at this batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_context: Option<u64>,
    /// The headline: time of one run, in the mode of `mode`.
    pub latency_ms: Option<Range>,
    /// Time of one run in eager mode, where the host issues every operation; `null` where the
    /// host overhead of the runtime was not measured.
    pub eager_ms: Option<Range>,
    /// Time of one run when a CUDA graph is replayed, or a compiled engine runs.
    pub graph_ms: Option<Range>,
    /// Confidence in the time: `high` where runtime and device were measured, `medium` where one
    /// of the two was, `low` where neither was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Why there is no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_latency: Option<String>,
    /// What takes most of the time.
    pub bottleneck: Option<Bottleneck>,
    /// Whether, in eager mode, the host issues operations more slowly than the device runs them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_bound: Option<bool>,
    /// The time by cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<TimeShares>,
    /// Kernels of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernels: Option<u64>,
    /// The slowest kernels, slowest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub top_kernels: Vec<TopKernel>,
    /// The slowest kernels under the ceilings of the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roofline: Option<Roofline>,
    /// Compute utilization: share of the device's dense peak over the whole run, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_percent: Option<f64>,
    /// Why the compute utilization is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_peak_percent: Option<String>,
    /// Bandwidth utilization over the whole run, in percent; above 100 where caches serve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_percent: Option<f64>,
    /// Time to read the weights once at the device's full bandwidth: no run is shorter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_read_floor_ms: Option<f64>,
    /// Low and high are about the expected time divided and multiplied by this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range_factor: Option<f64>,
    /// Whether the timing constants were measured on another device, which widens the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extrapolated: Option<bool>,
    /// Samples per second at this batch.
    pub throughput: Option<f64>,
    /// Upper bound of the energy per sample: the device's power times the high end of the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_joules_at_most: Option<f64>,
    /// The model at growing batches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub batch_scaling: Vec<ScalingRow>,
    /// The optimal batch: the smallest one with nine tenths of the best throughput in
    /// `batch_scaling`; `null` where throughput grows up to the last row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saturation_batch: Option<u64>,
    /// The model at growing sequence lengths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sequence_scaling: Vec<ScalingRow>,
    /// The model at growing image sides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resolution_scaling: Vec<ScalingRow>,
    /// Time to the first token and per token, for generative models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    /// The model on each of several devices.
    pub devices: Vec<DeviceRow>,
    /// The devices that a target requires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirements: Option<Requirements>,
    /// How the figures were estimated, a sentence each.
    pub method: Vec<String>,
    /// What was assumed.
    pub assumptions: Vec<Assumption>,
}

/// An estimate with its uncertainty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Range {
    /// At best.
    pub low: f64,
    /// Most likely.
    pub expected: f64,
    /// At worst, with common settings.
    pub high: f64,
}

/// An estimate of a size in bytes, with its uncertainty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ByteRange {
    /// At best.
    pub low: u64,
    /// Most likely.
    pub expected: u64,
    /// At worst, with common settings.
    pub high: u64,
}

/// The figures of a device that the estimate uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DeviceFacts {
    /// The id that `--device` takes: `rtx-4090`.
    pub id: String,
    /// The name in use.
    pub name: String,
    /// Its class.
    pub class: DeviceClass,
    /// Memory that a model can use.
    pub memory_bytes: Option<u64>,
    /// Memory bandwidth, in bytes per second.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Every dense peak that is known, widest precision first, in operations per second.
    #[serde(default, with = "ordered", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<Precision, f64>"))]
    pub peaks_per_s: Vec<(Precision, f64)>,
    /// Dense peak of the precision that it computes in, in operations per second.
    pub peak_per_s: Option<f64>,
    /// The precision that it computes in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computes_in: Option<Precision>,
    /// Why that precision.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub computes_in_why: String,
    /// Board or module power.
    pub power_w: Option<f64>,
    /// What its figures rest on.
    pub evidence: Evidence,
    /// Their source.
    pub source: String,
    /// What was detected on this machine, a sentence each; empty for a device that was named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
}

/// Memory that a run needs, by purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MemoryNeed {
    /// Weights and other stored tensors, in the precision.
    pub weights_bytes: Option<u64>,
    /// Peak activations in the precision, without the KV cache.
    pub activations_bytes: Option<u64>,
    /// The KV cache of all sequences at the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv_cache_bytes: Option<u64>,
    /// Runtime overhead: driver contexts, libraries, scratch space, allocator slack.
    pub workspace_bytes: ByteRange,
    /// Why a part is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

/// The time of a run by cause, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TimeShares {
    /// In compute-bound kernels.
    pub compute_percent: f64,
    /// In memory-bound kernels.
    pub memory_percent: f64,
    /// In launching kernels.
    pub launch_overhead_percent: f64,
}

/// A slow kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TopKernel {
    /// Its kind.
    pub kind: KernelKind,
    /// The node that it computes; the main one where several are fused.
    pub node: String,
    /// Its time.
    pub ms: f64,
    /// Share of the run, in percent.
    pub percent: f64,
}

/// Kernels under the ceilings of the device.
///
/// The figures are those of the estimate in `latency_ms`; they are not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Roofline {
    /// Memory bandwidth, in bytes per second.
    pub bandwidth_bytes_per_s: f64,
    /// Dense peaks that bound the kernels below, highest first.
    pub compute: Vec<ComputeCeiling>,
    /// Kernels by their share of the run, at most 40; kernels with the same kind, arithmetic and
    /// bytes are one entry.
    pub kernels: Vec<RooflineKernel>,
    /// Share of the run that those take, in percent.
    pub percent: f64,
    /// Kernels left out because they do no arithmetic.
    pub without_arithmetic: u64,
    /// Kernels left out because they take too little time.
    pub left_out: u64,
}

/// A peak of the device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ComputeCeiling {
    /// The precision.
    pub precision: Precision,
    /// Operations per second.
    pub per_s: f64,
}

/// Identical kernels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RooflineKernel {
    /// Their kind.
    pub kind: KernelKind,
    /// The node of the first of them.
    pub node: String,
    /// Their number.
    pub count: u64,
    /// Arithmetic intensity: operations of any kind per byte read or written.
    pub intensity: f64,
    /// Operations per second that they reach.
    pub per_s: f64,
    /// Share of the run that all of them take, in percent.
    pub percent: f64,
    /// The precision that they compute in.
    pub precision: Precision,
}

/// The model at one size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ScalingRow {
    /// The batch, the length or the side.
    pub size: u64,
    /// One run at that size; throughput is in tokens per second where a sequence is generated.
    #[serde(flatten)]
    pub run: RunEstimate,
}

/// One run on a device: its time, its throughput, its memory, and whether that fits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunEstimate {
    /// Time of one run; `null` when it does not fit or is not known.
    pub latency_ms: Option<Range>,
    /// Samples per second.
    pub throughput: Option<f64>,
    /// Memory needed, the runtime overhead at its expected size.
    pub memory_bytes: Option<u64>,
    /// Whether that fits.
    pub fits: Option<bool>,
    /// Why there is no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Times of a generative model: the prompt, and each token after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Generation {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Tokens in the sequence when one more is generated, including that one.
    pub context: u64,
    /// Whether there is a KV cache, so that a step computes one token.
    pub cached: bool,
    /// Time to the first token: the whole prompt.
    pub first_token_ms: Option<Range>,
    /// Time per output token, for all sequences of the batch at once.
    pub token_ms: Option<Range>,
    /// Tokens per second of one sequence.
    pub tokens_per_s: Option<f64>,
    /// Tokens per second of the whole batch.
    pub tokens_per_s_all: Option<f64>,
    /// Why a figure is missing, and what the others assume.
    pub notes: Vec<String>,
}

/// The model on one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DeviceRow {
    /// The id that `--device` takes: `rtx-4090`.
    pub id: String,
    /// The name in use.
    pub name: String,
    /// Its memory.
    pub device_memory_bytes: Option<u64>,
    /// One run there, the runtime overhead at its expected size; the reason is why a figure is
    /// missing.
    #[serde(flatten)]
    pub run: RunEstimate,
    /// Whether it fits only if the runtime overhead stays below its high end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tight: bool,
    /// The largest batch that fits.
    pub largest_batch: Option<u64>,
    /// The smallest batch with nine tenths of the best throughput; `null` where throughput grows
    /// up to batch 256, or the batch cannot be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saturation_batch: Option<u64>,
    /// Compute utilization: share of the device's dense peak over the whole run, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_percent: Option<f64>,
    /// What takes most of the time.
    pub bottleneck: Option<Bottleneck>,
    /// Precision that it computes in, where it lacks the one asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computes_in: Option<Precision>,
}

/// The devices that a target requires.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Requirements {
    /// The target in words: `30 images/s`.
    #[serde(default)]
    pub target: String,
    /// Whether the target is the default for this kind of model, because none was stated.
    #[serde(default)]
    pub target_is_default: bool,
    /// Longest time of one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_latency_ms: Option<f64>,
    /// Lowest throughput, in samples per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_throughput: Option<f64>,
    /// Longest time to the first token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_first_token_ms: Option<f64>,
    /// Lowest rate of one sequence, in tokens per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_tokens_per_s: Option<f64>,
    /// Whether the device that was asked for meets the target; `null` when none was, or that
    /// cannot be determined.
    pub target_met: Option<bool>,
    /// Why, or why not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The slowest device whose expected time meets the target.
    pub minimum: Option<Requirement>,
    /// The slowest device that meets the target at the high end of its range, with enough memory
    /// for the highest runtime overhead.
    pub recommended: Option<Requirement>,
    /// The slowest device that meets the target twice over at the high end of its range, with
    /// twice the memory.
    pub optimal: Option<Requirement>,
    /// Devices that were considered.
    pub devices_considered: u64,
    /// Devices that cannot be judged, because a figure is missing.
    pub unknown: u64,
    /// Why a level is empty, or the nearest device.
    pub notes: Vec<String>,
}

/// A device that meets a target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Requirement {
    /// The device.
    pub id: String,
    /// The name in use.
    pub name: String,
    /// The batch at which it does.
    pub batch: u64,
    /// One run at that batch.
    #[serde(flatten)]
    pub run: RunEstimate,
    /// Target divided by expected time, or expected throughput divided by target.
    pub margin: f64,
    /// Time to the first token, where the target has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<Range>,
    /// The device's memory divided by the memory needed.
    pub memory_margin: Option<f64>,
}
