//! Devices as `calipers devices` prints them: a list, or one in full.

use serde::{Deserialize, Serialize};

use crate::{DeviceClass, Evidence, Precision, ordered};

/// The devices that pass a filter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceList {
    /// By class, vendor and id.
    pub devices: Vec<DeviceSpec>,
    /// Devices that were left out only because their memory is not known.
    pub unknown_memory: usize,
}

/// The figures of one device. A figure that no source states is `None`; peaks are dense.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceSpec {
    /// The id that `--device` takes: `h100-sxm`.
    pub id: String,
    /// The name in use: `NVIDIA H100 SXM`.
    pub name: String,
    /// In lower case: `nvidia`.
    pub vendor: String,
    /// Its class.
    pub class: DeviceClass,
    /// The microarchitecture: `Hopper`.
    pub architecture: String,
    /// Memory that a model can use, in GB (10⁹ bytes).
    pub memory_gb: Option<f64>,
    /// `HBM3`, `GDDR6`, …
    pub memory_type: Option<String>,
    /// Memory bandwidth in GB/s (10⁹ bytes per second).
    pub bandwidth_gb_s: Option<f64>,
    /// The capacity rule of an accelerator without memory of its own.
    pub on_chip: Option<OnChipMemory>,
    /// Dense peaks by precision, widest first, in TFLOPS, or TOPS for integers; a precision
    /// without evidence is absent.
    #[serde(with = "ordered")]
    pub peaks: Vec<(Precision, f64)>,
    /// Multiprocessors, compute units, Xe cores or CPU cores.
    pub units: Option<u32>,
    /// Fast cores of a processor that has two kinds; peaks count these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub performance_cores: Option<u32>,
    /// Boost clock.
    pub clock_mhz: Option<f64>,
    /// Clock of the matrix peaks, where the vendor states a lower one for them.
    pub matrix_clock_mhz: Option<f64>,
    /// Last-level cache on the device, in MB as vendors print it.
    pub cache_mb: Option<f64>,
    /// Board or module power (TDP).
    pub power_w: Option<f64>,
    /// Launch overheads measured on this device.
    pub launch: LaunchOverhead,
    /// Other names that `--device` takes: `h100`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Names by which drivers and operating systems report it.
    pub detect_as: Vec<String>,
    /// Whether a peak that looks like a sparse one was verified to be dense.
    pub dense_checked: bool,
    /// What the figures rest on.
    pub evidence: Evidence,
    /// Their source.
    pub source: String,
    /// The arithmetic behind the figures that the source does not state.
    pub derivation: Option<String>,
    /// What they were checked against.
    pub checked: Option<String>,
    /// Remarks.
    pub notes: Option<String>,
}

/// Launch overheads, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchOverhead {
    /// From kernel to kernel on the device, as when a recorded graph is replayed.
    pub device_us: Option<f64>,
    /// For the host to issue one operation.
    pub host_us: Option<f64>,
}

/// An accelerator that has no memory of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OnChipMemory {
    /// On-chip memory for weights, in MB (10⁶ bytes).
    pub memory_mb: Option<f64>,
    /// Bandwidth of the link to the host, in GB/s.
    pub link_gb_s: Option<f64>,
    /// What holds when a model is larger.
    pub rule: String,
}

/// One device in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceSheet {
    /// What was detected on this machine, a sentence each; empty for a device that was named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// The device of the catalog that matches the detected one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
    /// The device.
    pub device: DeviceSpec,
    /// The peak at which each precision runs, widest first.
    pub precisions: Vec<PrecisionPeak>,
    /// Launch overheads, measured on this device or on a similar one.
    pub launching: Option<LaunchSource>,
}

/// A precision on a device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PrecisionPeak {
    /// The precision.
    pub precision: Precision,
    /// Its peak; `None` where neither it nor a fallback has a known peak.
    pub peak: Option<PeakSpec>,
}

/// The rate at which a device does the products of a precision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeakSpec {
    /// Dense FLOP/s, or integer operations per second; a multiply-add counts as two.
    pub flops: f64,
    /// The precision that the device computes in.
    pub precision_used: Precision,
    /// Why that one.
    pub why: String,
}

/// Launch overheads and the device that they were measured on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchSource {
    /// From kernel to kernel on the device, in microseconds.
    pub device_us: Option<f64>,
    /// For the host to issue one operation, in microseconds.
    pub host_us: Option<f64>,
    /// The device that they were measured on, where it is another one.
    pub extrapolated_from: Option<String>,
    /// Their source.
    pub why: String,
}
