//! How long kernels take: timing models fitted on measurements, and substitutes for what was not
//! measured.
//!
//! `architectures.toml` holds the models of measured architectures, `defaults.toml` how far they
//! are extrapolated and cautious constants for all other devices.
//!
//! ```
//! use calipers_perf::devices::{DeviceTiming, KernelKind, Precision, find};
//!
//! let h200 = DeviceTiming::for_device(find("h200-sxm")?);
//! assert!(!h200.is_extrapolated && h200.range < 1.5);
//! let ada = DeviceTiming::for_device(find("rtx-4090")?);
//! assert!(ada.is_extrapolated && ada.range > h200.range);
//! let gemm = h200.kernel_model(KernelKind::Gemm, Precision::Fp16).model;
//! // 2 x 8192^3 FLOPs take 1.1 ms at the peak of 989.5 TFLOPS, and more in practice.
//! let time = gemm.time(2.0 * 8192_f64.powi(3), 4e8, 8192.0, 989.5e12, 4.8e12);
//! assert!(time.total() > 1.1e-3);
//! # Ok::<(), calipers_perf::devices::NotFound>(())
//! ```

mod kind;
mod tables;

use std::sync::LazyLock;

pub use calipers_report::KernelKind;
use calipers_report::Precision;
use kind::substitute;
use tables::{Architecture, Assumed, Similarity, Tables};

use crate::devices::catalog;
use crate::devices::device::Device;

static ARCHITECTURES: &str = include_str!("../../../devices/architectures.toml");
static DEFAULTS: &str = include_str!("../../../devices/defaults.toml");

static BUILTIN: LazyLock<Tables> = LazyLock::new(|| {
    // A test reads the files that are compiled in.
    Tables::parse(ARCHITECTURES, DEFAULTS).unwrap_or_default()
});

/// The timing model of one kind of kernel: its time as a function of its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelModel {
    /// From kernel to kernel, in microseconds.
    pub launch_us: f64,
    /// Share of the dense peak that arithmetic reaches.
    pub efficiency: f64,
    /// Share of the memory bandwidth that is reached.
    pub bandwidth: f64,
    /// Nanoseconds for each product that is summed for one result.
    pub depth_ns: f64,
    /// How sharply the largest of compute, memory and depth dominates.
    pub blend: f64,
    /// The precision whose peak the efficiency is a share of, where it is not the kernel's own.
    pub peak: Option<Precision>,
    /// Kernels that it was fitted on; 0 where it is assumed.
    pub rows: u32,
    /// Geometric-mean factor of error on them.
    pub error: f64,
}

/// A kernel's time in seconds, in total and by cause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelTime {
    /// Launch overhead.
    pub launch: f64,
    /// Arithmetic, or products that wait for each other where that is longer.
    pub compute: f64,
    /// Moving data.
    pub memory: f64,
    /// All but the launch.
    pub body: f64,
}

impl KernelTime {
    /// Returns launch plus body.
    pub fn total(self) -> f64 {
        self.launch + self.body
    }
}

impl KernelModel {
    /// Returns the time of a kernel of this many FLOPs, bytes and products per result (`depth`), on
    /// a device of this peak (FLOP/s) and bandwidth (bytes per second).
    pub fn time(
        &self,
        flops: f64,
        bytes: f64,
        depth: f64,
        peak: f64,
        bandwidth: f64,
    ) -> KernelTime {
        let power = 1.0 + self.blend;
        let compute = flops / (peak * self.efficiency);
        let memory = bytes / (bandwidth * self.bandwidth);
        let waiting = if flops > 0.0 { depth * self.depth_ns * 1e-9 } else { 0.0 };
        // Powers of numbers near 1 do not underflow.
        let largest = compute.max(memory).max(waiting);
        let body = if largest > 0.0 {
            let sum: f64 =
                [compute, memory, waiting].map(|t| (t / largest).powf(power)).iter().sum();
            largest * sum.powf(1.0 / power)
        } else {
            0.0
        };
        KernelTime { launch: self.launch_us * 1e-6, compute: compute.max(waiting), memory, body }
    }
}

/// A kernel timing model, and what it replaces where it is not the kind's own.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedModel {
    /// The model.
    pub model: KernelModel,
    /// What was not measured, and what is used instead.
    pub substitution: Option<String>,
}

/// The time that the host takes to issue one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostOverhead {
    /// Expected microseconds.
    pub us: f64,
    /// Low and high are the expected time divided and multiplied by this.
    pub range: f64,
}

#[derive(Clone, Debug)]
enum Source<'a> {
    Measured(&'a Architecture),
    Default(&'a Assumed),
    /// The class of the device has no constants.
    Unknown,
}

/// The kernel timing models of a device: measured, extrapolated from another one, or assumed.
#[derive(Clone, Debug)]
pub struct DeviceTiming {
    source: Source<'static>,
    /// Low and high are the expected time divided and multiplied by this.
    pub range: f64,
    /// Whether the constants are those of another device, or assumed.
    pub is_extrapolated: bool,
    /// The host's overhead; `None` where the device is the host.
    pub host: Option<HostOverhead>,
    /// Factor on launch overheads, relative to the measured device.
    launch_factor: f64,
    /// Factor on the time of a dependent product: the ratio of clocks.
    clock_factor: f64,
    /// Where the constants are from and how accurate they are, a sentence each.
    pub provenance: Vec<String>,
}

impl DeviceTiming {
    /// Returns the timing of a device: measured, else extrapolated, else assumed.
    pub fn for_device(device: &Device) -> Self {
        if !device.class.launches_kernels() {
            return Self::assumed(device);
        }
        let all = &BUILTIN.architectures;
        let own = all.iter().find(|known| known.name == device.architecture);
        own.or(all.first())
            .map_or_else(|| Self::assumed(device), |known| extrapolated(known, device))
    }

    fn assumed(device: &Device) -> Self {
        let found = BUILTIN.defaults.iter().find(|row| row.class == device.class);
        let words = match found {
            Some(row) => {
                format!("Timing constants of {} devices: {}.", row.class.id(), row.why)
            }
            None => format!("The speed of {} devices is not known.", device.class.id()),
        };
        Self {
            source: found.map_or(Source::Unknown, Source::Default),
            range: found.map_or(3.0, |row| row.range),
            is_extrapolated: true,
            host: None,
            launch_factor: 1.0,
            clock_factor: 1.0,
            provenance: vec![words],
        }
    }

    /// Returns the timing model of a kind of kernel that computes in a precision.
    pub fn kernel_model(&self, kind: KernelKind, precision: Precision) -> SelectedModel {
        let mut selected = match self.source {
            Source::Measured(known) => known.kernel_model(kind, precision),
            Source::Default(row) => {
                SelectedModel { model: row.kernel_model(kind), substitution: None }
            }
            Source::Unknown => SelectedModel { model: CAUTIOUS, substitution: None },
        };
        selected.model.launch_us *= self.launch_factor;
        selected.model.depth_ns *= self.clock_factor;
        selected
    }
}

/// Constants for a class without a row, which a test forbids.
const CAUTIOUS: KernelModel = KernelModel {
    launch_us: 5.0,
    efficiency: 0.2,
    bandwidth: 0.5,
    depth_ns: 0.0,
    blend: 1.0,
    peak: None,
    rows: 0,
    error: 1.0,
};

fn extrapolated(known: &'static Architecture, device: &Device) -> DeviceTiming {
    let reference = catalog::find(&known.device).ok();
    let from = reference.map_or(&*known.device, |device| &device.name);
    let fitted = format!(
        "Timing models were fitted on {} kernels and {} whole runs on {from} ({}).",
        known.kernel_rows, known.model_rows, known.framework
    );
    let mut timing = DeviceTiming {
        source: Source::Measured(known),
        range: known.range,
        is_extrapolated: device.id != known.device,
        host: Some(HostOverhead { us: known.host_us, range: known.host_range }),
        launch_factor: 1.0,
        clock_factor: 1.0,
        provenance: vec![fitted],
    };
    if !timing.is_extrapolated {
        timing.provenance.push(format!(
            "On held-out models the estimate is off by {:.0}% on average; {:.0}% fall inside the range.",
            100.0 * (known.held_out_error - 1.0),
            known.range_holds_percent
        ));
        return timing;
    }
    let to = if device.architecture == known.name {
        Similarity::SameArchitecture
    } else if reference.is_some_and(|reference| reference.vendor == device.vendor) {
        Similarity::SameVendor
    } else {
        Similarity::Other
    };
    if let Some(row) = BUILTIN.extrapolations.iter().find(|row| row.to == to) {
        timing.range = timing.range.max(row.range);
        timing.provenance.push(format!("Extrapolated to {}: {}.", device.name, row.why));
    }
    let own = |of: &Device| of.clock_mhz;
    if let Some((theirs, ours)) = reference.and_then(own).zip(own(device)) {
        timing.clock_factor = theirs / ours;
    }
    if let Some((theirs, ours)) =
        reference.and_then(|of| of.launch.device_us).zip(device.launch.device_us)
    {
        timing.launch_factor = ours / theirs;
    }
    if let Some(host_us) = device.launch.host_us {
        timing.host = Some(HostOverhead { us: host_us, range: known.host_range });
    }
    timing
}

/// Precisions whose timing model is used for one that has none, best first.
fn substitutes(precision: Precision) -> &'static [Precision] {
    use Precision::{Bf16, Fp4, Fp8, Fp16, Fp32, Int4, Int8, Tf32};
    match precision {
        Fp32 => &[Fp32],
        Tf32 => &[Tf32, Fp16, Fp32],
        Fp16 => &[Fp16, Bf16, Fp32],
        Bf16 => &[Bf16, Fp16, Fp32],
        Fp8 => &[Fp8, Fp16, Fp32],
        Fp4 => &[Fp4, Fp8, Fp16, Fp32],
        Int8 => &[Int8, Fp16, Fp32],
        Int4 => &[Int4, Int8, Fp16, Fp32],
    }
}

impl Architecture {
    fn kernel_model(&self, kind: KernelKind, precision: Precision) -> SelectedModel {
        if precision == Precision::Tf32
            && let Some(model) = self.models.get(&(kind, Precision::Fp32))
            && model.peak == Some(Precision::Tf32)
        {
            return SelectedModel { model: *model, substitution: None };
        }
        for &near in substitutes(precision) {
            for other in [Some(kind), substitute(kind)].into_iter().flatten() {
                let Some(model) = self.models.get(&(other, near)) else { continue };
                // Sixteen bits take the same time to read, whatever they mean.
                let is_alike = near.bits() == precision.bits() && precision != Precision::Tf32;
                let substitution = (other != kind || !is_alike).then(|| {
                    format!(
                        "no {} kernel was measured at {}: {} at {} is used instead",
                        kind.id(),
                        precision.id(),
                        other.id(),
                        near.id()
                    )
                });
                let model = KernelModel { peak: model.peak.filter(|peak| *peak != near), ..*model };
                return SelectedModel { model, substitution };
            }
        }
        let substitution = Some(format!("no {} kernel was measured", kind.id()));
        SelectedModel { model: CAUTIOUS, substitution }
    }
}

impl Assumed {
    fn kernel_model(&self, kind: KernelKind) -> KernelModel {
        let share = self.efficiency.get(&kind).or_else(|| self.efficiency.get(&KernelKind::Other));
        KernelModel { efficiency: share.copied().unwrap_or(CAUTIOUS.efficiency), ..self.model }
    }
}

#[cfg(test)]
mod tests {
    use calipers_report::DeviceClass;

    use super::*;

    #[test]
    fn the_files_are_read_and_complete() {
        let tables = Tables::parse(ARCHITECTURES, DEFAULTS).unwrap();
        assert_eq!(*BUILTIN, tables);
        for known in &tables.architectures {
            let device = catalog::find(&known.device).unwrap();
            assert_eq!(device.architecture, known.name);
            assert!(known.held_out_error < 1.3 && known.range >= 1.1 && known.host_us > 1.0);
            for (key, model) in &known.models {
                assert!(model.rows >= 3 && (1.0..2.0).contains(&model.error), "{key:?}");
                assert!(model.launch_us > 0.5 && model.launch_us < 50.0, "{key:?}");
                assert!(model.depth_ns >= 0.0 && model.blend >= 0.0, "{key:?}");
                for share in [model.efficiency, model.bandwidth] {
                    assert!(share > 0.0 && share <= 1.0, "{key:?}");
                }
            }
        }
        for class in DeviceClass::ALL.iter().filter(|class| !class.launches_kernels()) {
            let row = tables.defaults.iter().find(|row| row.class == *class).unwrap();
            assert!(
                row.range >= 2.0 && row.efficiency.contains_key(&KernelKind::Other),
                "{class:?}"
            );
        }
        let to: Vec<Similarity> = tables.extrapolations.iter().map(|row| row.to).collect();
        assert_eq!(to, [Similarity::SameArchitecture, Similarity::SameVendor, Similarity::Other]);
        assert!(tables.extrapolations.is_sorted_by(|a, b| a.range < b.range));
    }

    #[test]
    fn every_kind_has_a_timing_model() {
        for row in &BUILTIN.defaults {
            for kind in KernelKind::ALL.iter().copied() {
                let model = row.kernel_model(kind);
                let stated = row.efficiency.get(&kind).or(row.efficiency.get(&KernelKind::Other));
                assert_eq!(Some(&model.efficiency), stated, "{:?} {kind:?}", row.class);
                assert!(
                    model.efficiency > 0.0 && model.efficiency <= 1.0,
                    "{:?} {kind:?}",
                    row.class
                );
            }
        }
        for known in &BUILTIN.architectures {
            for kind in KernelKind::ALL.iter().copied() {
                let names = [Some(kind), substitute(kind)];
                let is_known = |precision| {
                    names
                        .iter()
                        .flatten()
                        .any(|name| known.models.contains_key(&(*name, precision)))
                };
                assert!(is_known(Precision::Fp32) && is_known(Precision::Fp16), "{kind:?}");
            }
        }
    }

    #[test]
    fn unknown_kinds_and_keys_are_refused() {
        for (wrong, word) in [
            (DEFAULTS.replace("gemm =", "gmm ="), "gmm"),
            (DEFAULTS.replace("blend", "blnd"), "blnd"),
        ] {
            let error = Tables::parse(ARCHITECTURES, &wrong).unwrap_err();
            assert!(error.message().contains(word) && error.span().is_some(), "{error}");
        }
        let wrong = ARCHITECTURES.replace("kind = \"softmax\"", "kind = \"sofmax\"");
        assert!(Tables::parse(&wrong, DEFAULTS).unwrap_err().message().contains("sofmax"));
    }

    #[test]
    fn time_is_launch_and_the_blend_of_three() {
        let model = KernelModel {
            launch_us: 2.0,
            efficiency: 0.5,
            bandwidth: 0.5,
            depth_ns: 1.0,
            blend: 1.0,
            peak: None,
            rows: 0,
            error: 1.0,
        };
        // 3 GFLOP at half of 1 TFLOPS are 6 ms, 4 MB at half of 1 GB/s are 8 ms: 10 ms by Pythagoras.
        let time = model.time(3e9, 4e6, 0.0, 1e12, 1e9);
        assert!((time.compute - 6e-3).abs() < 1e-9 && (time.memory - 8e-3).abs() < 1e-9);
        assert!((time.total() - 10.002e-3).abs() < 1e-9);
        // A thousand products one after another are a microsecond.
        let time = model.time(1.0, 0.0, 1000.0, 1e12, 1e9);
        assert!((time.body - 1e-6).abs() < 1e-9);
        let time = model.time(0.0, 0.0, 0.0, 1e12, 1e9);
        assert!((time.total() - 2e-6).abs() < 1e-12);
    }

    #[test]
    fn extrapolation_is_stated_and_widens_the_range() {
        let timing = |id: &str| DeviceTiming::for_device(catalog::find(id).unwrap());
        let ranges = ["h200-sxm", "h100-pcie", "rtx-4090", "mi300x"].map(|id| timing(id).range);
        assert!(ranges.is_sorted_by(|a, b| a < b), "{ranges:?}");
        assert!(!timing("h200-sxm").is_extrapolated && timing("h100-pcie").is_extrapolated);
        assert!(
            timing("rtx-4090").provenance[1].starts_with("Extrapolated to NVIDIA GeForce RTX 4090")
        );
        assert!(timing("rpi5").provenance[0].contains("not measured"));
        assert!(timing("rpi5").host.is_none());
    }

    #[test]
    fn a_measured_device_states_its_held_out_error() {
        let words = &DeviceTiming::for_device(catalog::find("h200-sxm").unwrap()).provenance[1];
        let known = &BUILTIN.architectures[0];
        let error = format!("off by {:.0}% on average", (known.held_out_error - 1.0) * 100.0);
        assert!(words.contains(&error), "{words}");
        assert!(known.range_holds_percent >= 95.0 && known.range >= 1.3);
    }

    #[test]
    fn substitutions_are_stated() {
        let timing = DeviceTiming::for_device(catalog::find("h200-sxm").unwrap());
        let substitution = |kind, precision| timing.kernel_model(kind, precision).substitution;
        assert_eq!(substitution(KernelKind::Gemm, Precision::Fp16), None);
        assert_eq!(substitution(KernelKind::Softmax, Precision::Bf16), None);
        let conv = timing.kernel_model(KernelKind::Conv, Precision::Fp32).model;
        assert_eq!(conv.peak, Some(Precision::Tf32));
        let int8 = substitution(KernelKind::Conv, Precision::Int8).unwrap();
        assert_eq!(int8, "no conv kernel was measured at int8: conv at fp16 is used instead");
        let recurrent = substitution(KernelKind::Recurrent, Precision::Fp16).unwrap();
        assert!(recurrent.contains("gemm at fp16"), "{recurrent}");
    }
}
