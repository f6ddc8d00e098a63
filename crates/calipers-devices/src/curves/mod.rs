//! How long kernels take: curves fitted on measurements, and what stands for those nobody measured.
//!
//! `architectures.toml` holds curves of measured architectures, `defaults.toml` how far they are
//! carried and cautious constants for the rest.
//!
//! ```
//! use calipers_devices::{Precision, Speed, find};
//!
//! let h200 = Speed::of(find("h200-sxm")?);
//! assert!(!h200.is_carried && h200.range < 1.5);
//! let ada = Speed::of(find("rtx-4090")?);
//! assert!(ada.is_carried && ada.range > h200.range);
//! let found = h200.curve("gemm", Precision::Fp16);
//! // 2 x 8192^3 FLOPs of 989.5 TFLOPS take 1.1 ms at the peak, and more than that in truth.
//! let time = found.curve.time(2.0 * 8192_f64.powi(3), 4e8, 8192.0, 989.5e12, 4.8e12);
//! assert!(time.total() > 1.1e-3);
//! # Ok::<(), calipers_devices::NotFound>(())
//! ```

mod file;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::catalog;
use crate::device::{Class, Device};
use crate::precision::Precision;

static ARCHITECTURES: &str = include_str!("../../architectures.toml");
static DEFAULTS: &str = include_str!("../../defaults.toml");

static BUILTIN: LazyLock<Tables> = LazyLock::new(|| {
    // A test reads the files that are compiled in.
    Tables::parse(ARCHITECTURES, DEFAULTS).unwrap_or_default()
});

/// Kinds without a curve of their own, and the kind that stands for them.
const INSTEAD: &[(&str, &str)] = &[
    ("gemv", "gemm"),
    ("grouped", "conv"),
    ("other", "elementwise"),
    ("pointwise", "conv"),
    ("recurrent", "gemm"),
    ("stem", "conv"),
];

/// How long a kernel of one kind takes, by its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// From kernel to kernel, in microseconds.
    pub launch_us: f64,
    /// Share of the dense peak that arithmetic reaches.
    pub efficiency: f64,
    /// Share of the memory bandwidth that is reached.
    pub bandwidth: f64,
    /// For each product that is added up for one result, in nanoseconds.
    pub depth_ns: f64,
    /// How sharply the largest of the three wins.
    pub blend: f64,
    /// The precision whose peak the efficiency is a share of, where it is not the kernel's own.
    pub peak: Option<Precision>,
    /// Kernels that it was fitted on; 0 where it was not.
    pub rows: u32,
    /// Geometric-mean factor of error on them.
    pub error: f64,
}

/// A kernel's time in seconds, and what it would take for each reason alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelTime {
    /// Issuing it.
    pub launch: f64,
    /// Arithmetic, or products that wait for each other where that is longer.
    pub compute: f64,
    /// Moving data.
    pub memory: f64,
    /// All but the launch.
    pub body: f64,
}

impl KernelTime {
    /// Launch and body.
    pub fn total(self) -> f64 {
        self.launch + self.body
    }
}

impl Curve {
    /// The time of a kernel of so many FLOPs, bytes and products for one result, on a device of this
    /// peak (FLOP/s) and bandwidth (bytes a second).
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

/// A curve, and in words what it stands for where it is not the kind's own.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundCurve {
    /// The curve.
    pub curve: Curve,
    /// What is missing and what stands for it.
    pub why: Option<String>,
}

/// Curves of a measured architecture.
#[derive(Clone, Debug, Default, PartialEq)]
struct Architecture {
    name: String,
    device: String,
    framework: String,
    curves: BTreeMap<(String, Precision), Curve>,
    kernel_rows: f64,
    model_rows: f64,
    held_out_error: f64,
    range: f64,
    range_holds_percent: f64,
    host_us: f64,
    host_range: f64,
}

/// Constants for a class of devices that nobody measured.
#[derive(Clone, Debug, PartialEq)]
struct Assumed {
    class: Class,
    curve: Curve,
    efficiency: BTreeMap<String, f64>,
    range: f64,
    why: String,
}

#[derive(Clone, Debug, PartialEq)]
struct Carry {
    to: String,
    range: f64,
    why: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Tables {
    architectures: Vec<Architecture>,
    defaults: Vec<Assumed>,
    carries: Vec<Carry>,
}

#[derive(Clone, Debug)]
enum Source<'a> {
    Measured(&'a Architecture),
    Default(&'a Assumed),
    /// Nothing is known of the class.
    Nothing,
}

/// How fast a device is, as far as that was measured or can be carried over.
#[derive(Clone, Debug)]
pub struct Speed {
    source: Source<'static>,
    /// Low and high are the expected time divided and multiplied by this.
    pub range: f64,
    /// Whether the constants are another device's, or nobody's.
    pub is_carried: bool,
    /// Microseconds for the host to issue an operation, and its range; none where the device is the
    /// host.
    pub host: Option<(f64, f64)>,
    /// What launches and waiting are multiplied by, against the measured device.
    launches: f64,
    clock: f64,
    /// Where the constants are from and how far they can be believed, a sentence each.
    pub words: Vec<String>,
}

impl Speed {
    /// The speed of a device: measured, else carried over, else assumed.
    pub fn of(device: &Device) -> Self {
        if !device.class.launches_kernels() {
            return Self::assumed(device);
        }
        let all = &BUILTIN.architectures;
        let own = all.iter().find(|known| known.name == device.architecture);
        own.or(all.first()).map_or_else(|| Self::assumed(device), |known| carried(known, device))
    }

    fn assumed(device: &Device) -> Self {
        let found = BUILTIN.defaults.iter().find(|row| row.class == device.class);
        let words = match found {
            Some(row) => format!("constants of {} devices: {}", row.class, row.why),
            None => format!("nothing is known of the speed of {} devices", device.class),
        };
        Self {
            source: found.map_or(Source::Nothing, Source::Default),
            range: found.map_or(3.0, |row| row.range),
            is_carried: true,
            host: None,
            launches: 1.0,
            clock: 1.0,
            words: vec![words],
        }
    }

    /// The curve of a kind of kernel that computes in a precision.
    pub fn curve(&self, kind: &str, precision: Precision) -> FoundCurve {
        let mut found = match self.source {
            Source::Measured(known) => known.curve(kind, precision),
            Source::Default(row) => FoundCurve { curve: row.curve(kind), why: None },
            Source::Nothing => FoundCurve { curve: CAUTIOUS, why: None },
        };
        found.curve.launch_us *= self.launches;
        found.curve.depth_ns *= self.clock;
        found
    }
}

/// For a class without a row, which a test forbids.
const CAUTIOUS: Curve = Curve {
    launch_us: 5.0,
    efficiency: 0.2,
    bandwidth: 0.5,
    depth_ns: 0.0,
    blend: 1.0,
    peak: None,
    rows: 0,
    error: 1.0,
};

fn carried(known: &'static Architecture, device: &Device) -> Speed {
    let reference = catalog::find(&known.device).ok();
    let from = reference.map_or(&*known.device, |device| &device.name);
    let fitted = format!(
        "constants fitted on {} kernels and {} whole runs on {from} ({})",
        known.kernel_rows, known.model_rows, known.framework
    );
    let mut speed = Speed {
        source: Source::Measured(known),
        range: known.range,
        is_carried: device.id != known.device,
        host: Some((known.host_us, known.host_range)),
        launches: 1.0,
        clock: 1.0,
        words: vec![fitted],
    };
    if !speed.is_carried {
        speed.words.push(format!(
            "mean error {:.0} % on network families held out of the fit; {:.0} % fall inside the range",
            100.0 * (known.held_out_error - 1.0),
            known.range_holds_percent
        ));
        return speed;
    }
    let to = if device.architecture == known.name {
        "same-architecture"
    } else if reference.is_some_and(|reference| reference.vendor == device.vendor) {
        "same-vendor"
    } else {
        "other"
    };
    if let Some(row) = BUILTIN.carries.iter().find(|row| row.to == to) {
        speed.range = speed.range.max(row.range);
        speed.words.push(format!("carried over to {}: {}", device.name, row.why));
    }
    let own = |of: &Device| of.clock_mhz;
    if let Some((theirs, ours)) = reference.and_then(own).zip(own(device)) {
        speed.clock = theirs / ours;
    }
    if let Some((theirs, ours)) =
        reference.and_then(|of| of.launch.device_us).zip(device.launch.device_us)
    {
        speed.launches = ours / theirs;
    }
    if let Some(host_us) = device.launch.host_us {
        speed.host = Some((host_us, known.host_range));
    }
    speed
}

/// Precisions whose curve stands for one that has none, best first.
fn neighbours(precision: Precision) -> &'static [Precision] {
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
    fn curve(&self, kind: &str, precision: Precision) -> FoundCurve {
        let instead = INSTEAD.iter().find(|(name, _)| *name == kind).map(|(_, other)| *other);
        if precision == Precision::Tf32
            && let Some(curve) = self.curves.get(&(kind.to_owned(), Precision::Fp32))
            && curve.peak == Some(Precision::Tf32)
        {
            return FoundCurve { curve: *curve, why: None };
        }
        for near in neighbours(precision) {
            for name in [Some(kind), instead].into_iter().flatten() {
                let Some(curve) = self.curves.get(&(name.to_owned(), *near)) else { continue };
                // Sixteen bits are read alike, whatever they mean.
                let alike =
                    near.bits() == precision.bits() && !matches!(precision, Precision::Tf32);
                let why = (name != kind || !alike).then(|| {
                    format!("no {kind} kernel was measured at {precision}: {name} at {near} stands for it")
                });
                let curve = Curve { peak: curve.peak.filter(|peak| peak != near), ..*curve };
                return FoundCurve { curve, why };
            }
        }
        FoundCurve { curve: CAUTIOUS, why: Some(format!("no {kind} kernel was measured")) }
    }
}

impl Assumed {
    fn curve(&self, kind: &str) -> Curve {
        let share = self.efficiency.get(kind).or_else(|| self.efficiency.get("other"));
        Curve { efficiency: share.copied().unwrap_or(CAUTIOUS.efficiency), ..self.curve }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_read_and_complete() {
        let tables = Tables::parse(ARCHITECTURES, DEFAULTS).unwrap();
        assert_eq!(*BUILTIN, tables);
        for known in &tables.architectures {
            let device = catalog::find(&known.device).unwrap();
            assert_eq!(device.architecture, known.name);
            assert!(known.held_out_error < 1.3 && known.range >= 1.1 && known.host_us > 1.0);
            for (key, curve) in &known.curves {
                assert!(curve.rows >= 3 && (1.0..2.0).contains(&curve.error), "{key:?}");
                assert!(curve.launch_us > 0.5 && curve.launch_us < 50.0, "{key:?}");
                for share in [curve.efficiency, curve.bandwidth] {
                    assert!(share > 0.0 && share <= 1.0, "{key:?}");
                }
            }
        }
        for class in Class::ALL.into_iter().filter(|class| !class.launches_kernels()) {
            let row = tables.defaults.iter().find(|row| row.class == class).unwrap();
            assert!(row.range >= 2.0 && row.efficiency.contains_key("other"), "{class}");
        }
        let carried: Vec<&str> = tables.carries.iter().map(|row| &*row.to).collect();
        assert_eq!(carried, ["same-architecture", "same-vendor", "other"]);
        assert!(tables.carries.is_sorted_by(|a, b| a.range < b.range));
    }

    #[test]
    fn a_curve_is_launch_and_the_blend_of_three() {
        let curve = Curve {
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
        let time = curve.time(3e9, 4e6, 0.0, 1e12, 1e9);
        assert!((time.compute - 6e-3).abs() < 1e-9 && (time.memory - 8e-3).abs() < 1e-9);
        assert!((time.total() - 10.002e-3).abs() < 1e-9);
        // A thousand products one after another are a microsecond.
        let time = curve.time(1.0, 0.0, 1000.0, 1e12, 1e9);
        assert!((time.body - 1e-6).abs() < 1e-9);
        let time = curve.time(0.0, 0.0, 0.0, 1e12, 1e9);
        assert!((time.total() - 2e-6).abs() < 1e-12);
    }

    #[test]
    fn carrying_over_is_said_and_widens_the_range() {
        let speed = |id: &str| Speed::of(catalog::find(id).unwrap());
        let ranges = ["h200-sxm", "h100-pcie", "rtx-4090", "mi300x"].map(|id| speed(id).range);
        assert!(ranges.is_sorted_by(|a, b| a < b), "{ranges:?}");
        assert!(!speed("h200-sxm").is_carried && speed("h100-pcie").is_carried);
        assert!(speed("rtx-4090").words[1].starts_with("carried over to NVIDIA GeForce RTX 4090"));
        assert!(speed("rpi5").words[0].contains("not measured"));
        assert!(speed("rpi5").host.is_none());
    }

    #[test]
    fn a_measured_device_states_its_held_out_error() {
        let words = &Speed::of(catalog::find("h200-sxm").unwrap()).words[1];
        let known = &BUILTIN.architectures[0];
        let error = format!("mean error {:.0} %", (known.held_out_error - 1.0) * 100.0);
        assert!(words.starts_with(&error), "{words}");
        assert!(known.range_holds_percent >= 95.0 && known.range >= 1.3);
    }

    #[test]
    fn what_was_not_measured_is_said() {
        let speed = Speed::of(catalog::find("h200-sxm").unwrap());
        assert_eq!(speed.curve("gemm", Precision::Fp16).why, None);
        assert_eq!(speed.curve("softmax", Precision::Bf16).why, None);
        assert_eq!(speed.curve("conv", Precision::Fp32).curve.peak, Some(Precision::Tf32));
        let int8 = speed.curve("conv", Precision::Int8).why.unwrap();
        assert_eq!(int8, "no conv kernel was measured at int8: conv at fp16 stands for it");
        assert!(speed.curve("recurrent", Precision::Fp16).why.unwrap().contains("gemm at fp16"));
    }
}
