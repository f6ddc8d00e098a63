//! One device.

use std::collections::BTreeMap;

use calipers_report::{DeviceClass, Evidence, LaunchOverhead, OnChipMemory, PeakSpec, Precision};
use serde::{Deserialize, Serialize};

use crate::devices::precision::fallbacks;
use crate::processor::CpuTiming;

/// One device. A figure that no source states is `None`; peaks are dense.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// What the command is given: `h100-sxm`.
    pub id: String,
    /// As people say it.
    pub name: String,
    /// In lower case: `nvidia`.
    pub vendor: String,
    /// Its class.
    pub class: DeviceClass,
    /// Rates per clock and constants go by it: `Hopper`.
    pub architecture: String,
    /// Memory that a model can use, in GB (10⁹ bytes).
    pub memory_gb: Option<f64>,
    /// `HBM3`, `GDDR6`, …
    pub memory_type: Option<String>,
    /// Memory bandwidth in GB/s (10⁹ bytes a second).
    pub bandwidth_gb_s: Option<f64>,
    /// The capacity rule of an accelerator without memory of its own.
    pub on_chip: Option<OnChipMemory>,
    /// Dense peaks in TFLOPS, or TOPS for integers; a precision without evidence is absent.
    pub peaks: BTreeMap<Precision, f64>,
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
    /// Launch overheads measured on this device; see [`crate::devices::Catalog::launch`].
    pub launch: LaunchOverhead,
    /// Timing constants that were measured on this processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Box<CpuTiming>>,
    /// Other names that it is found by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Names by which drivers and operating systems report it.
    pub detect_as: Vec<String>,
    /// Whether a peak that looks sparse was looked into, and is dense.
    pub dense_checked: bool,
    /// What the figures rest on.
    pub evidence: Evidence,
    /// Where they are from.
    pub source: String,
    /// The arithmetic behind the figures that the source does not state.
    pub derivation: Option<String>,
    /// What they were compared with.
    pub checked: Option<String>,
    /// What else a reader should know.
    pub notes: Option<String>,
}

impl Device {
    /// Returns the cores of a processor that work is spread over: the fast ones where it has two
    /// kinds. At least 1.
    pub fn fast_cores(&self) -> u32 {
        self.performance_cores.or(self.units).unwrap_or(1).max(1)
    }

    /// Returns a device with an identity and no figures.
    pub fn blank(
        id: &str,
        name: &str,
        class: DeviceClass,
        evidence: Evidence,
        source: &str,
    ) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            vendor: "generic".to_owned(),
            class,
            architecture: "unknown".to_owned(),
            memory_gb: None,
            memory_type: None,
            bandwidth_gb_s: None,
            on_chip: None,
            peaks: BTreeMap::new(),
            units: None,
            performance_cores: None,
            clock_mhz: None,
            matrix_clock_mhz: None,
            cache_mb: None,
            power_w: None,
            launch: LaunchOverhead::default(),
            timing: None,
            aliases: vec![],
            detect_as: vec![],
            dense_checked: false,
            evidence,
            source: source.to_owned(),
            derivation: None,
            checked: None,
            notes: None,
        }
    }

    /// Returns the dense peak stated for this precision, in FLOP/s or integer operations per second.
    pub fn peak(&self, precision: Precision) -> Option<f64> {
        self.peaks.get(&precision).map(|tera| tera * 1e12)
    }

    /// Returns the peak at which a runtime computes products of this precision: its own, else that
    /// of a fallback ([`fallbacks`]). `None` where neither is known.
    pub fn runs_at(&self, precision: Precision) -> Option<PeakSpec> {
        if let Some(flops) = self.peak(precision) {
            let why = format!("the device's own {} peak", precision.id());
            return Some(PeakSpec { flops, precision_used: precision, why });
        }
        let mut fallbacks = fallbacks(precision).iter();
        let used = *fallbacks.find(|fallback| self.peaks.contains_key(fallback))?;
        let widened = if precision.bits() < used.bits() { "widens to" } else { "computes in" };
        let [asked, other] = [precision.id(), used.id()];
        let why = format!("no {asked} peak is known, so a runtime {widened} {other}");
        Some(PeakSpec { flops: self.peak(used)?, precision_used: used, why })
    }

    /// The source, followed by the arithmetic where a figure is not the source's own.
    pub fn provenance(&self) -> String {
        match &self.derivation {
            Some(derivation) => format!("{}; {}: {derivation}", self.source, self.evidence.id()),
            None => self.source.clone(),
        }
    }

    /// Memory that a model can use, in bytes.
    #[allow(clippy::cast_possible_truncation, reason = "bounded when read: at most 10^15")]
    pub fn memory_bytes(&self) -> Option<u64> {
        self.memory_gb.filter(|gb| *gb > 0.0).map(|gb| (gb * 1e9).round() as u64)
    }

    /// Returns the memory bandwidth in bytes per second.
    pub fn bandwidth(&self) -> Option<f64> {
        self.bandwidth_gb_s.map(|gb_s| gb_s * 1e9)
    }

    /// Whether TensorRT runs on it.
    pub fn runs_tensorrt(&self) -> bool {
        self.vendor == "nvidia" && self.class.launches_kernels()
    }

    /// Whether it has no memory of its own, so that the rule of [`OnChipMemory`] holds.
    pub fn is_on_chip_only(&self) -> bool {
        self.on_chip.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_precision_falls_back_to_a_wider_one() {
        let mut device =
            Device::blank("x", "X", DeviceClass::Npu, Evidence::Derived, "arithmetic in a test");
        assert_eq!(device.runs_at(Precision::Fp16), None);
        device.peaks.insert(Precision::Int8, 26.0);
        // Eight bits cannot hold what sixteen can.
        assert_eq!(device.runs_at(Precision::Fp16), None);
        let int4 = device.runs_at(Precision::Int4).unwrap();
        assert_eq!((int4.flops, int4.precision_used), (26e12, Precision::Int8));
        assert_eq!(int4.why, "no int4 peak is known, so a runtime widens to int8");
        let int8 = device.runs_at(Precision::Int8).unwrap();
        assert_eq!(int8.why, "the device's own int8 peak");
    }

    #[test]
    fn memory_is_in_decimal_gigabytes() {
        let mut device = Device::blank("x", "X", DeviceClass::Cpu, Evidence::Derived, "a test");
        assert_eq!(device.memory_bytes(), None);
        device.memory_gb = Some(24.0);
        assert_eq!(device.memory_bytes(), Some(24_000_000_000));
    }
}
