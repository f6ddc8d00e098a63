//! The hardware's section: where the model fits, how fast it runs there, and what limits it.
//!
//! Memory is in bytes, time in milliseconds. Every time is a range; it is `null`, with a reason,
//! where there is no model of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Assumption, Bottleneck, DeviceClass, Evidence, KernelKind, Precision};

/// Where the model will run, and how fast.
///
/// The fields next to `precision`, `batch`, `devices`, `requirements`, `method` and `assumptions`
/// tell of the one device that was asked for; they are empty when none was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Hardware {
    /// The device that was asked for.
    pub device: Option<DeviceFacts>,
    /// What the model computes in.
    pub precision: Precision,
    /// Why in that.
    pub precision_why: String,
    /// Samples, or sequences, of one run.
    pub batch: u64,
    /// Tokens of a sequence, the ones before this run included; of sequence models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// Whether it fits the device's memory; `null` when that cannot be determined.
    pub fits: Option<bool>,
    /// All memory that it needs there, the workspace at its expected size.
    pub memory_bytes: Option<u64>,
    /// What that is made of.
    pub memory: Option<MemoryNeed>,
    /// The largest batch that fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_batch: Option<u64>,
    /// The longest context that fits at this batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_context: Option<u64>,
    /// Time of one run when a recorded graph is replayed, or a compiled engine runs.
    pub latency_ms: Option<Range<f64>>,
    /// Time of one run when the host issues every operation.
    pub eager_ms: Option<Range<f64>>,
    /// Why there is no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_latency: Option<String>,
    /// What takes most of the time.
    pub bottleneck: Option<Bottleneck>,
    /// Whether the host cannot issue work as fast as the device does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_bound: Option<bool>,
    /// How the time divides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<TimeShares>,
    /// Kernels of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernels: Option<u64>,
    /// The most expensive of them, most expensive first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub top_kernels: Vec<TopKernel>,
    /// What the most expensive kernels reach of what the device allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roofline: Option<Roofline>,
    /// Share of the device's peak that is reached over the whole run, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_percent: Option<f64>,
    /// Share of the device's bandwidth that is reached, in percent; above 100 where caches serve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_percent: Option<f64>,
    /// Time to read the weights once at the device's full bandwidth: no run is shorter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_read_floor_ms: Option<f64>,
    /// Low and high are about the expected time divided and multiplied by this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range_factor: Option<f64>,
    /// Whether the constants of the time were measured on another device, which widens the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extrapolated: Option<bool>,
    /// Samples a second at this batch.
    pub throughput: Option<f64>,
    /// Energy of one sample is at most this: the device's power for as long as a run may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_joules_at_most: Option<f64>,
    /// The model at growing batches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub batch_scaling: Vec<ScalingRow>,
    /// The smallest batch that gives nine tenths of the best throughput of the table; none where it
    /// grows to the table's end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saturation_batch: Option<u64>,
    /// The model at growing lengths of its sequence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sequence_scaling: Vec<ScalingRow>,
    /// The model at growing sides of its image.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resolution_scaling: Vec<ScalingRow>,
    /// Prompt and tokens apart, of models that generate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    /// The model on each of several devices.
    pub devices: Vec<DeviceRow>,
    /// What a stated target asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirements: Option<Requirements>,
    /// How the figures were made, in words.
    pub method: Vec<String>,
    /// What they rest on.
    pub assumptions: Vec<Assumption>,
}

/// An estimate with its uncertainty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Range<T> {
    /// At best.
    pub low: T,
    /// Most likely.
    pub expected: T,
    /// At worst, with common settings.
    pub high: T,
}

/// A device, as far as the figures rest on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceFacts {
    /// What the command is given: `rtx-4090`.
    pub id: String,
    /// As people say it.
    pub name: String,
    /// Its class.
    pub class: DeviceClass,
    /// Memory that a model can use.
    pub memory_bytes: Option<u64>,
    /// Memory bandwidth, in bytes a second.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Dense peak of the precision that it computes in, in operations a second.
    pub peak_per_s: Option<f64>,
    /// That precision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computes_in: Option<Precision>,
    /// Why in that.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub computes_in_why: String,
    /// Board or module power.
    pub power_w: Option<f64>,
    /// What its figures rest on.
    pub evidence: Evidence,
    /// Where they are from.
    pub source: String,
    /// What was found on this machine, a sentence each; nothing for a device that was named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
}

/// Memory that a run needs, by what it is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryNeed {
    /// Weights and other stored tensors, in the precision.
    pub weights_bytes: Option<u64>,
    /// Activations at their peak, in the precision; the cache is not among them.
    pub activations_bytes: Option<u64>,
    /// Keys and values of all sequences at the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv_cache_bytes: Option<u64>,
    /// What a runtime takes also.
    pub workspace_bytes: Range<u64>,
    /// Why a part is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

/// How the time of a run divides, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeShares {
    /// In kernels that arithmetic bounds.
    pub compute_percent: f64,
    /// In kernels that memory bounds.
    pub memory_percent: f64,
    /// In getting from kernel to kernel.
    pub launch_overhead_percent: f64,
}

/// A kernel that takes much of the time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TopKernel {
    /// What it does.
    pub kind: KernelKind,
    /// The node that it comes from; of several, the last.
    pub node: String,
    /// Its time.
    pub ms: f64,
    /// Share of the run, in percent.
    pub percent: f64,
}

/// What kernels reach, under the ceilings of the device.
///
/// Figures are of the estimate that `latency_ms` gives, not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Roofline {
    /// Memory bandwidth, in bytes a second.
    pub bandwidth_bytes_per_s: f64,
    /// Dense peaks that the kernels below compute under, highest first.
    pub compute: Vec<ComputeCeiling>,
    /// Kernels by the share of the run that they take, at most 40; those that are alike in kind,
    /// arithmetic and bytes are one.
    pub kernels: Vec<RooflineKernel>,
    /// Share of the run that those take, in percent.
    pub percent: f64,
    /// Kernels that are not among them since they do no arithmetic.
    pub without_arithmetic: u64,
    /// Kernels that are not among them since they take too little time.
    pub left_out: u64,
}

/// A peak of the device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComputeCeiling {
    /// The precision.
    pub precision: Precision,
    /// Operations a second.
    pub per_s: f64,
}

/// Kernels that are alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RooflineKernel {
    /// What they do.
    pub kind: KernelKind,
    /// The node of the first of them.
    pub node: String,
    /// How many there are.
    pub count: u64,
    /// Operations, contractions and all others, for each byte that is read or written.
    pub intensity: f64,
    /// Operations a second that are reached.
    pub per_s: f64,
    /// Share of the run that all of them take, in percent.
    pub percent: f64,
    /// The precision that they compute in.
    pub precision: Precision,
}

/// The model at one size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScalingRow {
    /// The batch, the length or the side.
    pub size: u64,
    /// One run at that size; throughput is in tokens along a sequence that is generated.
    #[serde(flatten)]
    pub run: RunEstimate,
}

/// One run on a device: its time, its throughput, its memory, and whether that fits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunEstimate {
    /// Time of one run; `null` when it does not fit or is not known.
    pub latency_ms: Option<Range<f64>>,
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

/// A model that generates: the prompt and the tokens after it, apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Generation {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Tokens in the sequence when one more is generated, that one included.
    pub context: u64,
    /// Whether keys and values are kept, so that a step computes one token alone.
    pub cached: bool,
    /// Time to the first token: the prompt in one run.
    pub first_token_ms: Option<Range<f64>>,
    /// Time of each further token, of all sequences of the batch at once.
    pub token_ms: Option<Range<f64>>,
    /// Tokens a second of one sequence.
    pub tokens_per_s: Option<f64>,
    /// Tokens a second of all sequences of the batch together.
    pub tokens_per_s_all: Option<f64>,
    /// Why a figure is missing, and what holds of the others.
    pub notes: Vec<String>,
}

/// The model on one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceRow {
    /// What the command is given: `rtx-4090`.
    pub id: String,
    /// As people say it.
    pub name: String,
    /// Its memory.
    pub device_memory_bytes: Option<u64>,
    /// One run there, the runtime overhead at its expected size; the reason is why a figure is
    /// missing.
    #[serde(flatten)]
    pub run: RunEstimate,
    /// Whether it fits only if the workspace stays below its highest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tight: bool,
    /// The largest batch that fits.
    pub largest_batch: Option<u64>,
    /// What takes most of the time.
    pub bottleneck: Option<Bottleneck>,
    /// Precision that it computes in, where it lacks the one asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computes_in: Option<Precision>,
}

/// What a stated target asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Requirements {
    /// Longest time of a run that was stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_latency_ms: Option<f64>,
    /// Fewest samples a second that were stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_throughput: Option<f64>,
    /// Whether the device that was asked for meets it; `null` when none was, or that cannot be determined.
    pub target_met: Option<bool>,
    /// Why, or why not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The slowest device that is expected to meet it.
    pub minimum: Option<Requirement>,
    /// The slowest that meets it even at the high end of its range, and fits with group.
    pub recommended: Option<Requirement>,
    /// The slowest that does so with half of its time and of its memory to spare.
    pub optimal: Option<Requirement>,
    /// Devices that were devices_considered.
    pub devices_considered: u64,
    /// Devices of which nothing can be determined.
    pub unknown: u64,
    /// What is in the way where a place is empty, or the nearest device.
    pub notes: Vec<String>,
}

/// A device that meets a target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Requirement {
    /// The device.
    pub id: String,
    /// As people say it.
    pub name: String,
    /// The batch at which it does.
    pub batch: u64,
    /// One run at that batch.
    #[serde(flatten)]
    pub run: RunEstimate,
    /// How many times better than the target the expected figure is.
    pub margin: f64,
    /// How many times the memory needed the device has.
    pub memory_margin: Option<f64>,
}
