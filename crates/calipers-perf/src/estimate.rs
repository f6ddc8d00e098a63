//! How long kernels take on a device, added up.
//!
//! Each kernel takes its launch and the blend of arithmetic, memory and waiting that was fitted for
//! its kind, see [`DeviceTiming`]. No estimate is below what the device's peak and bandwidth allow.

use std::collections::BTreeSet;

use calipers_ir::NodeId;
use calipers_report::Range;
use calipers_sym::Expr;

use super::activations::activation_bits;
use super::kernels::{Kernel, KernelKind, Quantized};
use crate::devices::{Device, DeviceTiming, HostOverhead, KernelTime, Precision, SelectedModel};

/// Kernels that an estimate names.
const NAMED: usize = 5;

/// How long one run takes, in seconds, and what takes the time.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// When a recorded graph is replayed, or a compiled engine runs.
    pub replayed: Range<f64>,
    /// When the host issues every operation.
    pub issued: Range<f64>,
    /// Seconds of the replay that arithmetic, memory and launching bound; their sum is all of it.
    pub compute: f64,
    pub memory: f64,
    pub launches: f64,
    pub kernels: usize,
    /// Every kernel, most expensive first.
    pub each: Vec<TimedKernel>,
    /// Share of the device's peak that the contractions reach, in percent; none where there are none.
    pub peak_percent: Option<f64>,
    /// Share of the device's bandwidth that is reached, in percent; above 100 where caches serve.
    pub bandwidth_percent: Option<f64>,
    /// Seconds to read the weights once at the device's full bandwidth.
    pub weights_once: f64,
    /// Low and high are about the expected time divided and multiplied by this.
    pub factor: f64,
    /// Whether the constants are another device's, or nobody's.
    pub is_carried: bool,
    /// What it rests on, in words.
    pub method: Vec<String>,
}

impl Estimate {
    /// The kernels that are worth naming.
    pub fn top_kernels(&self) -> impl Iterator<Item = &TimedKernel> {
        self.each.iter().take(NAMED)
    }
}

/// A kernel, and how long it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedKernel {
    pub kind: KernelKind,
    pub node: NodeId,
    pub seconds: f64,
    /// All of its arithmetic, and all that it reads and writes.
    pub flops: f64,
    pub bytes: f64,
    /// The peak that bounds it, and of which precision that is.
    pub peak: f64,
    pub precision: Precision,
}

/// Why there is no estimate.
pub(crate) type NoEstimate = String;

/// How long the kernels take on a device at a precision. `size` gives each free dimension its size.
pub(crate) fn estimate(
    kernels: &[Kernel],
    size: &dyn Fn(&str) -> Option<i64>,
    device: &Device,
    precision: Precision,
) -> Result<Estimate, NoEstimate> {
    if kernels.is_empty() {
        return Err("nothing of the model runs on its inputs".to_owned());
    }
    let mut clock = Clock::new(device, precision)?;
    // Runtimes of other devices take the file as it is; the framework on a GPU runs folded norms.
    let kernels: Vec<&Kernel> = kernels
        .iter()
        .filter(|kernel| device.class.launches_kernels() || !kernel.is_unfolded())
        .collect();
    for kernel in &kernels {
        clock.run(kernel, size)?;
    }
    clock.finish(&kernels)
}

/// What a kernel does at one size.
struct Load {
    kind: KernelKind,
    flops: f64,
    /// Arithmetic that is no product.
    other_flops: f64,
    activations: f64,
    weights: f64,
    depth: f64,
    steps: f64,
}

impl Load {
    fn of(kernel: &Kernel, size: &dyn Fn(&str) -> Option<i64>) -> Result<Self, NoEstimate> {
        let whole = |expr: &Expr| -> Result<i128, NoEstimate> {
            let value = expr.evaluate_wide(size).map_err(|error| error.to_string())?;
            // A wrong file can make a size negative.
            Ok(value.max(0))
        };
        #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
        let figure = |expr: &Expr| whole(expr).map(|value| value as f64);
        Ok(Self {
            kind: kernel.kind_at(whole(&kernel.rows)?),
            flops: 2.0 * figure(&kernel.work.macs)?,
            other_flops: figure(&kernel.work.other_flops)?,
            activations: figure(&kernel.activations)?,
            weights: figure(&kernel.weights)?,
            depth: figure(&kernel.depth)?,
            steps: figure(&kernel.steps)?.max(1.0),
        })
    }
}

/// Where data lies, and how fast it comes.
#[derive(Clone, Copy)]
enum Memory {
    /// Memory of the device's own, in bytes a second.
    Own(f64),
    /// None: weights lie on the chip, or cross the link, in bytes a second.
    OnChip { holds: f64, link: Option<f64> },
}

/// Adds up.
struct Clock<'d> {
    device: &'d Device,
    precision: Precision,
    timing: DeviceTiming,
    memory: Memory,
    compute: f64,
    moving: f64,
    launches: f64,
    /// Seconds at the full peak.
    at_peak: f64,
    bytes: f64,
    weight_bytes: f64,
    each: Vec<TimedKernel>,
    words: BTreeSet<String>,
}

impl<'d> Clock<'d> {
    fn new(device: &'d Device, precision: Precision) -> Result<Self, NoEstimate> {
        let memory = match (&device.on_chip, device.bandwidth()) {
            (Some(chip), _) => Memory::OnChip {
                holds: chip.memory_mb.map_or(0.0, |mb| mb * 1e6),
                link: chip.link_gb_s.map(|gb_s| gb_s * 1e9),
            },
            (None, Some(bandwidth)) => Memory::Own(bandwidth),
            (None, None) => return Err(format!("no bandwidth of {} is known", device.name)),
        };
        Ok(Self {
            device,
            precision,
            timing: DeviceTiming::for_device(device),
            memory,
            compute: 0.0,
            moving: 0.0,
            launches: 0.0,
            at_peak: 0.0,
            bytes: 0.0,
            weight_bytes: 0.0,
            each: Vec::new(),
            words: BTreeSet::new(),
        })
    }

    fn run(
        &mut self,
        kernel: &Kernel,
        size: &dyn Fn(&str) -> Option<i64>,
    ) -> Result<(), NoEstimate> {
        let load = Load::of(kernel, size)?;
        let (computes, wide, weight) = widths(self.precision, kernel.quantized);
        let weight_bytes = load.weights * weight / 8.0;
        let bytes = load.activations * wide / 8.0 + weight_bytes;
        let (selected, peak, precision) =
            self.kernel_model(load.kind, computes, load.flops > 0.0)?;
        let bandwidth = match self.memory {
            Memory::Own(bandwidth) => bandwidth,
            // What is on the chip is there when it is needed.
            Memory::OnChip { .. } => f64::INFINITY,
        };
        let mut time = selected.model.time(load.flops, bytes, load.depth, peak, bandwidth);
        if load.steps > 1.0 {
            // Steps share the work and wait for each other.
            let step = selected.model.time(
                load.flops / load.steps,
                bytes / load.steps,
                load.depth,
                peak,
                bandwidth,
            );
            time = KernelTime {
                launch: time.launch * load.steps,
                body: step.body * load.steps,
                compute: step.compute * load.steps,
                memory: step.memory * load.steps,
            };
        }
        self.launches += time.launch;
        if time.compute >= time.memory {
            self.compute += time.body;
        } else {
            self.moving += time.body;
        }
        self.at_peak += load.flops / peak;
        self.bytes += bytes;
        self.weight_bytes += weight_bytes;
        self.each.push(TimedKernel {
            kind: load.kind,
            node: kernel.node,
            seconds: time.total(),
            flops: load.flops + load.other_flops,
            bytes,
            peak,
            precision,
        });
        Ok(())
    }

    /// Returns the timing model of a kind, and the peak that it is a share of, with its precision.
    fn kernel_model(
        &mut self,
        kind: KernelKind,
        computes: Precision,
        has_products: bool,
    ) -> Result<(SelectedModel, f64, Precision), NoEstimate> {
        let peak = self.device.runs_at(computes).ok_or_else(|| {
            format!(
                "no {} peak of {} is known, nor of what it would fall back to",
                computes.id(),
                self.device.name
            )
        })?;
        let used = peak.precision_used;
        if used != computes && has_products {
            self.words.insert(peak.why.clone());
        }
        let mut selected = self.timing.kernel_model(kind, used);
        let (flops, of) = match selected.model.peak.filter(|of| *of != used) {
            None => (peak.flops, used),
            Some(of) => match self.device.peak(of) {
                Some(flops) => (flops, of),
                None => {
                    // A share of matrix units says nothing of a device without them.
                    let plain = self.timing.kernel_model(KernelKind::Gemm, used).model;
                    selected.model.efficiency = plain.efficiency;
                    self.words.insert(format!(
                        "no {} peak is known: convolutions run at the {} peak, with the share that products reach",
                        of.id(),
                        used.id(),
                    ));
                    (peak.flops, used)
                }
            },
        };
        if let Some(why) = selected.substitution.take().filter(|_| has_products) {
            self.words.insert(why);
        }
        Ok((selected, flops, of))
    }

    fn finish(mut self, kernels: &[&Kernel]) -> Result<Estimate, NoEstimate> {
        let mut total = self.compute + self.moving + self.launches;
        let mut weights_once = 0.0;
        let mut floor = self.at_peak;
        match self.memory {
            Memory::Own(bandwidth) => {
                weights_once = self.weight_bytes / bandwidth;
                let cache = self.device.cache_mb.map_or(0.0, |mb| mb * 1e6);
                // What fits a cache may lie there from run to run.
                if self.weight_bytes > 2.0 * cache {
                    floor = floor.max(weights_once);
                }
            }
            Memory::OnChip { holds, link } if self.weight_bytes > holds => {
                let link = link.ok_or_else(|| self.too_large())?;
                let streaming = self.weight_bytes / link;
                weights_once = streaming;
                self.moving += streaming;
                total += streaming;
                floor = floor.max(streaming);
                self.words
                    .insert(format!("{}; its weights cross the link each time", self.too_large()));
            }
            Memory::OnChip { .. } => {}
        }
        let short = (floor - total).max(0.0);
        if floor > self.at_peak {
            self.moving += short;
        } else {
            self.compute += short;
        }
        total += short;
        if !(total.is_finite() && total > 0.0) {
            return Err("the kernels' sizes are beyond reckoning".to_owned());
        }
        let factor = self.timing.range;
        let replayed =
            Range { low: (total / factor).max(floor), expected: total, high: total * factor };
        let percent = |share: f64| Some(100.0 * share / total).filter(|share| *share > 0.0);
        self.each.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let bandwidth_percent = match self.memory {
            Memory::Own(bandwidth) => percent(self.bytes / bandwidth),
            Memory::OnChip { .. } => None,
        };
        Ok(Estimate {
            replayed,
            issued: self.issued(replayed, kernels.len()),
            compute: self.compute,
            memory: self.moving,
            launches: self.launches,
            kernels: kernels.len(),
            peak_percent: percent(self.at_peak),
            bandwidth_percent,
            weights_once,
            factor,
            is_carried: self.timing.is_extrapolated,
            method: self.method(kernels),
            each: self.each,
        })
    }

    fn too_large(&self) -> String {
        let rule = self.device.on_chip.as_ref().map_or("", |chip| &*chip.rule);
        format!(
            "{:.1} MB of weights are more than is known to fit on the chip ({rule})",
            self.weight_bytes / 1e6
        )
    }

    /// When the host issues every operation, it may be the slower of the two.
    fn issued(&self, replayed: Range<f64>, kernels: usize) -> Range<f64> {
        let Some(HostOverhead { us: host_us, range: factor }) = self.timing.host else {
            return replayed;
        };
        #[expect(clippy::cast_precision_loss, reason = "kernels are few")]
        let host = kernels as f64 * host_us * 1e-6;
        Range {
            low: replayed.low.max(host / factor),
            expected: replayed.expected.max(host),
            high: replayed.high.max(host * factor),
        }
    }

    fn method(&self, kernels: &[&Kernel]) -> Vec<String> {
        let mut method = vec![format!(
            "{} kernels as a framework launches them: each its launch, and a blend of arithmetic, memory and waiting by its kind and size",
            kernels.len()
        )];
        method.extend(self.timing.provenance.iter().cloned());
        let norms = kernels.iter().filter(|kernel| kernel.is_unfolded()).count();
        if norms > 0 {
            method.push(format!(
                "{norms} batch norms that the file has folded into convolutions count as kernels: the framework that was measured runs them"
            ));
        }
        let unsized_ = kernels.iter().filter(|kernel| !kernel.is_sized).count();
        if unsized_ > 0 {
            method.push(format!(
                "{unsized_} kernels have values of unknown shape, which count as no data at all"
            ));
        }
        method.extend(self.words.iter().cloned());
        method
    }
}

/// What a kernel computes in, and bits of its activations and weights.
fn widths(precision: Precision, quantized: Option<Quantized>) -> (Precision, f64, f64) {
    // Weights of four bits are widened; no runtime multiplies them as they are.
    let computes = match precision {
        Precision::Int4 => Precision::Fp16,
        other => other,
    };
    let wide = f64::from(activation_bits(precision));
    match quantized {
        None => (computes, wide, f64::from(precision.bits())),
        Some(Quantized { bits, weights_only: false }) => (Precision::Int8, 8.0, f64::from(bits)),
        Some(Quantized { bits, weights_only: true }) => {
            let computes = if computes.bits() < 16 { Precision::Fp16 } else { computes };
            (computes, wide.max(16.0), f64::from(bits.min(precision.bits())))
        }
    }
}

#[cfg(test)]
mod tests {
    use calipers_samples::DataType;

    use super::*;
    use crate::devices::{DeviceClass, Evidence, OnChipMemory, find};
    use crate::kernels;
    use crate::testing::{Look as _, Tiny};

    /// A product of so many rows, 4096 x 4096.
    fn product(rows: &str) -> Vec<Kernel> {
        let mut t = Tiny::new();
        let (x, w) = (t.input(&[rows, "4096"]), t.input(&["4096", "4096"]));
        let y = t.op("MatMul", &[&x, &w]);
        t.output(&y).look(kernels::find)
    }

    fn none(_: &str) -> Option<i64> {
        None
    }

    #[test]
    fn packed_products_take_what_plain_ones_do() {
        let h200 = find("h200-sxm").unwrap();
        let plain = estimate(&product("4096"), &none, h200, Precision::Fp16).unwrap();
        let mut t = Tiny::new();
        let x = t.input(&["4096", "4096"]);
        let w = t.raw(DataType::F8E4M3FN, &[4096, 4096], &vec![1; 4096 * 4096]);
        let scale = t.weight(&[4096, 1]);
        let y = t.contrib("MatMulBlockQuantizedFp8Weight", &[&x, &w, &scale]);
        let packed = t.output(&y).look(kernels::find);
        let packed = estimate(&packed, &none, h200, Precision::Fp16).unwrap();
        // 2 x 4096 x 4096 x 4096 FLOPs at 989.5 TFLOPS take 0.139 ms.
        for found in [&plain, &packed] {
            assert!((0.139e-3..0.3e-3).contains(&found.replayed.expected), "{found:?}");
        }
    }

    #[test]
    fn large_products_are_bound_by_arithmetic_and_small_ones_by_memory() {
        let h200 = find("h200-sxm").unwrap();
        let large = estimate(&product("8192"), &none, h200, Precision::Fp16).unwrap();
        // 2 x 8192 x 4096 x 4096 FLOPs at 989.5 TFLOPS take 0.278 ms; 0.31 ms and more were measured.
        assert!((0.278e-3..0.45e-3).contains(&large.replayed.expected), "{large:?}");
        assert!(large.compute > large.memory + large.launches);
        assert!(large.peak_percent.is_some_and(|percent| percent > 60.0 && percent < 100.0));
        let small = estimate(&product("1"), &none, h200, Precision::Fp16).unwrap();
        // 33.5 MB at 4.8 TB/s take 7 us; 13.7 us were measured.
        assert!((8e-6..16e-6).contains(&small.replayed.expected), "{small:?}");
        assert!(small.memory > small.compute);
        // The host takes longer to issue one operation than the device to run it.
        assert!(small.issued.expected > small.replayed.expected);
        assert_eq!((small.kernels, small.each.len()), (1, 1));
        assert_eq!(small.each[0].kind, KernelKind::Gemv);
    }

    #[test]
    fn a_free_dimension_is_given_or_is_an_error() {
        let kernels = product("batch");
        let h200 = find("h200-sxm").unwrap();
        let error = estimate(&kernels, &none, h200, Precision::Fp16).unwrap_err();
        assert!(error.contains("batch"), "{error}");
        let at = |batch| estimate(&kernels, &|_| Some(batch), h200, Precision::Fp16).unwrap();
        assert!(at(64).replayed.expected < at(4096).replayed.expected);
        // A wrong file can say anything.
        for odd in [0, -5, i64::MAX] {
            if let Ok(found) = estimate(&kernels, &|_| Some(odd), h200, Precision::Fp16) {
                assert!(found.replayed.high.is_finite() && found.replayed.low > 0.0, "{odd}");
            }
        }
        assert!(estimate(&[], &none, h200, Precision::Fp16).is_err());
    }

    #[test]
    fn precisions_that_a_device_lacks_fall_back_in_words() {
        // A Volta has no tf32: convolutions run at fp32.
        let mut t = Tiny::new();
        let (x, w) = (t.input(&["1", "64", "56", "56"]), t.weight(&[64, 64, 3, 3]));
        let y = t.op("Conv", &[&x, &w]);
        let kernels = t.output(&y).look(kernels::find);
        let volta = find("v100-sxm2-32").unwrap();
        let found = estimate(&kernels, &none, volta, Precision::Fp32).unwrap();
        assert!(found.method.iter().any(|words| words.contains("no tf32 peak is known")));
        let found = estimate(&kernels, &none, volta, Precision::Bf16).unwrap();
        assert!(found.method.iter().any(|words| words.contains("widens to fp32")
            || words.contains("computes in fp32")));
        // 8 bits cannot hold what 16 can.
        let hailo = find("hailo-8").unwrap();
        let error = estimate(&kernels, &none, hailo, Precision::Fp16).unwrap_err();
        assert!(error.contains("no fp16 peak"), "{error}");
    }

    #[test]
    fn without_memory_of_its_own_weights_fit_or_cross_the_link() {
        let mut chip = Device::blank("x", "X", DeviceClass::Npu, Evidence::Derived, "a test");
        chip.peaks.insert(Precision::Int8, 4.0);
        let rule = "weights stream over the link".to_owned();
        chip.on_chip = Some(OnChipMemory { memory_mb: Some(8.0), link_gb_s: Some(0.5), rule });
        let layer = |rows: i64| {
            let mut t = Tiny::new();
            let (x, w) = (t.input(&["1", "1000"]), t.weight(&[1000, rows]));
            let y = t.op("MatMul", &[&x, &w]);
            t.output(&y).look(kernels::find)
        };
        let fits = estimate(&layer(1000), &none, &chip, Precision::Int8).unwrap();
        assert!(fits.replayed.expected < 1e-3 && fits.weights_once == 0.0);
        // 10 MB at 0.5 GB/s take 20 ms.
        let streams = estimate(&layer(10_000), &none, &chip, Precision::Int8).unwrap();
        assert!((20e-3..21e-3).contains(&streams.replayed.expected), "{streams:?}");
        assert!(streams.replayed.low >= 20e-3);
        if let Some(chip) = chip.on_chip.as_mut() {
            chip.link_gb_s = None;
        }
        let error = estimate(&layer(10_000), &none, &chip, Precision::Int8).unwrap_err();
        assert!(error.starts_with("10.0 MB of weights"), "{error}");
    }

    #[test]
    fn few_bits_are_read_as_they_are_stored() {
        let whole = Some(Quantized { bits: 8, weights_only: false });
        let packed = Some(Quantized { bits: 4, weights_only: true });
        assert_eq!(widths(Precision::Fp16, None), (Precision::Fp16, 16.0, 16.0));
        assert_eq!(widths(Precision::Int4, None), (Precision::Fp16, 16.0, 4.0));
        assert_eq!(widths(Precision::Fp32, whole), (Precision::Int8, 8.0, 8.0));
        assert_eq!(widths(Precision::Fp16, packed), (Precision::Fp16, 16.0, 4.0));
        assert_eq!(widths(Precision::Int8, packed), (Precision::Fp16, 16.0, 4.0));
    }
}
