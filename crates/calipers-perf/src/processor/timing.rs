//! The timing model of a processor: the time of a kernel on a number of threads.
//!
//! A kernel takes its dispatch and a body. The body blends arithmetic (multiply-accumulates at a rate
//! of one thread, and nanoseconds per element) with memory traffic. Threads divide it, less a serial
//! share, and cost a synchronization; ONNX Runtime runs small work on one thread.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use calipers_report::{DeviceClass, Precision};
use serde::{Deserialize, Serialize};

use crate::devices::{Device, DeviceTiming, KernelTime};

static FITTED: &str = include_str!("../../devices/processors.toml");

static BUILTIN: LazyLock<CpuTiming> = LazyLock::new(|| {
    // A test reads the file that is compiled in.
    toml::from_str(FITTED).unwrap_or_default()
});

/// What a kernel is on a processor; it selects the timing constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessorKind {
    /// A product with stored weights.
    Gemm,
    /// Products of two activations, one per head and sample.
    Batched,
    /// Products with masked softmax results, which are denormal where a mask is added.
    MaskedBatched,
    /// A product of 8-bit integers, unsigned and signed.
    GemmInt8,
    /// A product of unsigned 8-bit integers, which are widened to 16 bits.
    GemmUint8,
    /// A convolution on blocks of channels.
    Conv,
    /// A convolution with a kernel of one element.
    Pointwise,
    /// A convolution that reads few channels.
    Stem,
    /// A depthwise convolution.
    Depthwise,
    /// A convolution that copies its input to columns: grouped, transposed, over one axis, or with
    /// weights that are not stored as floats.
    Im2col,
    /// A quantized convolution (`QLinearConv`) with signed weights.
    ConvInt8,
    /// A quantized convolution with unsigned weights.
    ConvUint8,
    /// A quantized depthwise convolution.
    DepthwiseInt8,
    /// `ConvInteger`, which leaves 32-bit sums.
    ConvInteger,
    /// One pass of simple arithmetic.
    Elementwise,
    /// An exponential or the like for every element.
    Transcendental,
    /// GELU with the error function, or its approximation.
    Gelu,
    /// GELU that adds a bias before.
    BiasGelu,
    /// Quantizing.
    Quantize,
    /// Dequantizing, which runs on one thread.
    Dequantize,
    /// Softmax.
    Softmax,
    /// Softmax over scores with some masked out: their exponentials are denormal.
    MaskedSoftmax,
    /// Softmax of quantized scores.
    SoftmaxInt8,
    /// A norm.
    LayerNorm,
    /// A norm over neighboring channels, which has no fast kernel.
    LocalResponse,
    /// A reduction, or global pooling.
    Reduce,
    /// Pooling.
    Pool,
    /// Interpolation to another resolution.
    Resize,
    /// A copy into or out of blocks of channels.
    Reorder,
    /// A transpose.
    Transpose,
    /// A copy in order: concatenation, slice, split, padding.
    Copy,
    /// Rows of a table.
    Gather,
    /// A recurrent layer.
    Recurrent,
    /// A recurrent layer on 8-bit integers.
    RecurrentInt8,
    /// A view or a shape computation: its dispatch only.
    View,
}

impl ProcessorKind {
    /// Whether it multiplies 8-bit integers.
    pub fn is_integer(self) -> bool {
        matches!(
            self,
            Self::GemmInt8
                | Self::GemmUint8
                | Self::ConvInt8
                | Self::ConvUint8
                | Self::DepthwiseInt8
                | Self::ConvInteger
                | Self::RecurrentInt8
        )
    }
}

/// Constants of one kind of kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KindTiming {
    /// Billions of multiply-accumulates per second of one thread; 0 where it does none.
    pub gmacs: f64,
    /// Nanoseconds of one thread for each element that is written.
    pub element_ns: f64,
    /// Rows of a product at which half the rate is reached.
    pub half_rows: f64,
    /// Products per result at which half the rate is reached.
    pub half_depth: f64,
    /// Share of the work that threads do not divide.
    pub serial: f64,
}

impl Default for KindTiming {
    fn default() -> Self {
        Self { gmacs: 0.0, element_ns: 0.0, half_rows: 0.0, half_depth: 0.0, serial: 0.03 }
    }
}

/// Timing constants of a processor. A device file may have them as `[device.timing]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CpuTiming {
    /// Id of the device that was measured.
    pub device: String,
    /// The software that was measured.
    pub runtime: String,
    /// Measured kernels.
    pub kernel_rows: u32,
    /// Measured runs of whole models.
    pub model_rows: u32,
    /// Geometric-mean factor of error on held-out models; 0 where it was not measured.
    pub held_out_error: f64,
    /// Share of held-out runs inside the range, in percent.
    pub range_holds_percent: f64,
    /// Low and high are the expected time divided and multiplied by this.
    pub range: f64,
    /// Microseconds of each node.
    pub dispatch_us: f64,
    /// Microseconds that each doubling of the threads adds to a parallel kernel.
    pub sync_us: f64,
    /// GB/s of one thread while a kernel's data fits `cache_mb`.
    pub cache_gb_s: f64,
    /// GB/s of one thread from memory.
    pub memory_gb_s: f64,
    /// MB of a kernel's data that stay in the caches.
    pub cache_mb: f64,
    /// Share of memory traffic that threads do not divide.
    pub memory_serial: f64,
    /// Constants by kind.
    pub kinds: BTreeMap<ProcessorKind, KindTiming>,
}

impl Default for CpuTiming {
    fn default() -> Self {
        Self {
            device: String::new(),
            runtime: "ONNX Runtime".to_owned(),
            kernel_rows: 0,
            model_rows: 0,
            held_out_error: 0.0,
            range_holds_percent: 0.0,
            range: 2.5,
            dispatch_us: 3.0,
            sync_us: 3.0,
            cache_gb_s: 20.0,
            memory_gb_s: 12.0,
            cache_mb: 64.0,
            memory_serial: 0.03,
            kinds: BTreeMap::new(),
        }
    }
}

/// The sizes of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessorKernel {
    /// Its kind.
    pub kind: ProcessorKind,
    /// Multiply-accumulates.
    pub macs: f64,
    /// Elements that are written; of reductions, elements that are read.
    pub elements: f64,
    /// Bytes read and written.
    pub bytes: f64,
    /// Bytes of weights among them that come from memory in every run: those of a model that the
    /// caches do not hold.
    pub cold_bytes: f64,
    /// Rows of a product; sequences of a recurrent layer; else 1.
    pub rows: f64,
    /// Products that are summed for one result, else 1.
    pub depth: f64,
    /// Nodes, where only their dispatch counts; else not used.
    pub steps: f64,
}

impl CpuTiming {
    /// Returns the constants that are compiled in.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// Returns the time of a kernel on this many threads.
    pub fn time(&self, kernel: &ProcessorKernel, threads: f64) -> KernelTime {
        let launch = self.dispatch_us * 1e-6;
        if kernel.kind == ProcessorKind::View {
            let launch = launch * kernel.steps;
            return KernelTime { launch, compute: 0.0, memory: 0.0, body: 0.0 };
        }
        let known = self.kinds.get(&kernel.kind).copied().unwrap_or_default();
        let (compute, memory) = self.parts(&known, kernel, 1.0);
        let body = blend(compute, memory);
        let alone = KernelTime { launch, compute, memory, body };
        if threads <= 1.0 {
            return alone;
        }
        // Threads share the sequences of a recurrent layer, not its steps.
        let threads = match kernel.kind {
            ProcessorKind::Recurrent | ProcessorKind::RecurrentInt8 => {
                threads.min(kernel.rows.max(1.0))
            }
            _ => threads,
        };
        let (compute, memory) = self.parts(&known, kernel, threads);
        let body = blend(compute, memory) + self.sync_us * 1e-6 * threads.log2();
        if body < alone.body { KernelTime { launch, compute, memory, body } } else { alone }
    }

    fn parts(&self, known: &KindTiming, kernel: &ProcessorKernel, threads: f64) -> (f64, f64) {
        let speedup = |serial: f64| threads / (1.0 + serial * (threads - 1.0));
        let rate = known.gmacs * 1e9 * kernel.rows / (kernel.rows + known.half_rows)
            * (kernel.depth / (kernel.depth + known.half_depth));
        let products = if rate > 0.0 { kernel.macs / rate } else { 0.0 };
        let compute =
            (products + kernel.elements * known.element_ns * 1e-9) / speedup(known.serial);
        let gb_s =
            if kernel.bytes > self.cache_mb * 1e6 { self.memory_gb_s } else { self.cache_gb_s };
        let warm_bytes = kernel.bytes - kernel.cold_bytes;
        let moving = warm_bytes / (gb_s * 1e9) + kernel.cold_bytes / (self.memory_gb_s * 1e9);
        (compute, moving / speedup(self.memory_serial))
    }
}

/// The larger of two times, and some of the other: they overlap in part.
fn blend(a: f64, b: f64) -> f64 {
    a.hypot(b)
}

/// The constants of a device on a number of threads.
#[derive(Clone, Debug)]
pub(crate) struct ProcessorClock {
    timing: CpuTiming,
    threads: u32,
    range: f64,
    is_extrapolated: bool,
    provenance: Vec<String>,
}

/// How much wider the range is on a processor that was not measured.
const EXTRAPOLATED_RANGE: f64 = 2.2;

impl ProcessorClock {
    /// Returns the constants of a device: its own, the built-in ones, or those scaled to it.
    fn new(device: &Device, threads: Option<u32>) -> Self {
        // Slow cores are left out: the fast ones would wait for them.
        let cores = device.fast_cores();
        let threads = threads.unwrap_or(cores).clamp(1, cores);
        let builtin = CpuTiming::builtin();
        let own = device.timing.as_deref();
        let timing = own.unwrap_or(builtin);
        let fitted = match own {
            Some(own) => format!(
                "Timing constants were measured on this processor ({} kernels).",
                own.kernel_rows
            ),
            None => format!(
                "Timing models were fitted on {} kernels and {} whole runs of {} on {}.",
                builtin.kernel_rows,
                builtin.model_rows,
                builtin.runtime,
                crate::devices::find(&builtin.device)
                    .map_or(&*builtin.device, |device| &device.name)
            ),
        };
        let threads_sentence = match threads {
            1 => {
                "Latency on a processor is that of ONNX Runtime with 1 intra-op thread.".to_owned()
            }
            _ => format!(
                "Latency on a processor is that of ONNX Runtime with {threads} intra-op threads."
            ),
        };
        let mut found = Self {
            timing: timing.clone(),
            threads,
            range: timing.range,
            is_extrapolated: own.is_none() && device.id != builtin.device,
            provenance: vec![fitted, threads_sentence],
        };
        if found.is_extrapolated {
            found.timing = scaled(builtin, device);
            found.range = builtin.range.max(EXTRAPOLATED_RANGE);
            found.provenance.push(format!(
                "Extrapolated to {} by peak per core, bandwidth and clock: the range is wider.",
                device.name
            ));
        } else if timing.held_out_error > 1.0 {
            found.provenance.push(format!(
                "On held-out models the estimate is off by {:.0}% on average; {:.0}% fall inside the range.",
                100.0 * (timing.held_out_error - 1.0),
                timing.range_holds_percent
            ));
        }
        found
    }

    /// Returns the constants of a processor; `None` for other devices.
    pub(crate) fn for_device(device: &Device, threads: Option<u32>) -> Option<Self> {
        (device.class == DeviceClass::Cpu).then(|| Self::new(device, threads))
    }

    /// Sets the range and the provenance of a device's timing.
    pub(crate) fn describe(&self, timing: &mut DeviceTiming) {
        timing.range = self.range;
        timing.is_extrapolated = self.is_extrapolated;
        timing.provenance.clone_from(&self.provenance);
    }

    /// Whether the caches do not hold this many bytes of weights.
    pub(crate) fn exceeds_cache(&self, weight_bytes: f64) -> bool {
        weight_bytes > self.timing.cache_mb * 1e6
    }

    /// Returns the time of a kernel.
    pub(crate) fn time(&self, kernel: &ProcessorKernel) -> KernelTime {
        self.timing.time(kernel, f64::from(self.threads))
    }
}

/// Constants scaled from the measured device to another one.
fn scaled(base: &CpuTiming, device: &Device) -> CpuTiming {
    let mut timing = base.clone();
    let Ok(reference) = crate::devices::find(&base.device) else { return timing };
    let per_core = |device: &Device, precision| -> Option<f64> {
        Some(device.peak(precision)? / f64::from(device.fast_cores()))
    };
    let ratio = |ours: Option<f64>, theirs: Option<f64>| match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours > 0.0 && theirs > 0.0 => Some(ours / theirs),
        _ => None,
    };
    let peak = |precision| ratio(per_core(device, precision), per_core(reference, precision));
    let fp32 = peak(Precision::Fp32).unwrap_or(1.0);
    // The measured 8-bit kernels use VNNI, whose rate is four times that of floats.
    let fp32_of_int8 = |device: &Device| {
        let floats = per_core(device, Precision::Fp32)?;
        Some(per_core(device, Precision::Int8).map_or(floats, |int8| int8.min(4.0 * floats)))
    };
    let int8 = ratio(fp32_of_int8(device), fp32_of_int8(reference)).unwrap_or(fp32);
    let clock = ratio(device.clock_mhz, reference.clock_mhz).unwrap_or(1.0);
    timing.dispatch_us /= clock;
    timing.sync_us /= clock;
    timing.cache_gb_s *= clock;
    timing.memory_gb_s *= clock;
    if let Some(bandwidth) = device.bandwidth() {
        limit_bandwidth(&mut timing, bandwidth / 1e9, f64::from(device.fast_cores()));
    }
    timing.cache_mb = device.cache_mb.unwrap_or(timing.cache_mb).min(timing.cache_mb);
    for (kind, known) in &mut timing.kinds {
        known.gmacs *= if kind.is_integer() { int8 } else { fp32 };
        known.element_ns /= fp32;
    }
    timing
}

/// Keeps what all cores together read below the bandwidth of a device, in GB/s.
fn limit_bandwidth(timing: &mut CpuTiming, gb_s: f64, cores: f64) {
    timing.memory_gb_s = timing.memory_gb_s.min(gb_s);
    if cores > 1.0 {
        // The serial share at which `cores` threads reach the bandwidth.
        let needed = (cores * timing.memory_gb_s / gb_s - 1.0) / (cores - 1.0);
        timing.memory_serial = timing.memory_serial.max(needed.min(1.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernels() -> Vec<ProcessorKernel> {
        let kinds = CpuTiming::builtin().kinds.keys().copied();
        let sizes = [1e3, 1e5, 1e7];
        let kernel = |kind, elements: f64| ProcessorKernel {
            kind,
            macs: 1e3 * elements,
            elements,
            bytes: 12.0 * elements,
            cold_bytes: 4.0 * elements,
            rows: 128.0,
            depth: 1e3,
            steps: 1.0,
        };
        kinds.flat_map(|kind| sizes.map(|elements| kernel(kind, elements))).collect()
    }

    fn processors() -> Vec<&'static Device> {
        let all = crate::devices::all().iter();
        all.filter(|device| device.class == DeviceClass::Cpu).collect()
    }

    #[test]
    fn every_kind_has_constants() {
        let builtin = CpuTiming::builtin();
        assert!(builtin.kinds.len() > 25);
        for (kind, known) in &builtin.kinds {
            assert!(known.gmacs > 0.0 || known.element_ns > 0.0, "{kind:?}");
            assert!(known.serial > 0.0, "{kind:?}");
        }
    }

    #[test]
    fn no_processor_is_faster_than_its_peak_and_bandwidth() {
        let mut checked = 0;
        for device in processors() {
            let clock = ProcessorClock::new(device, None);
            let cores = f64::from(device.fast_cores());
            let peak = |precision| device.peak(precision).unwrap_or(f64::INFINITY);
            // Processors with VNNI or SDOT compute four 8-bit products for one of floats.
            let integers = peak(Precision::Int8).max(4.0 * peak(Precision::Fp32));
            for kernel in kernels() {
                for threads in [1.0, cores] {
                    let time = clock.timing.time(&kernel, threads);
                    let most =
                        if kernel.kind.is_integer() { integers } else { peak(Precision::Fp32) };
                    let known = clock.timing.kinds[&kernel.kind];
                    let label = format!("{} {:?} {threads}", device.id, kernel.kind);
                    assert!(time.total().is_finite() && time.total() > 0.0, "{label}");
                    if known.gmacs > 0.0 {
                        assert!(
                            2.0 * kernel.macs / time.total() <= most * threads / cores,
                            "{label}"
                        );
                    }
                    if let Some(bandwidth) = device.bandwidth().filter(|_| kernel.bytes > 6e7) {
                        assert!(kernel.bytes / time.total() <= bandwidth, "{label}");
                    }
                    checked += 1;
                }
            }
        }
        assert!(checked > 500, "{checked}");
    }

    #[test]
    fn more_threads_are_not_much_slower() {
        for device in processors() {
            let clock = ProcessorClock::new(device, None);
            for kernel in kernels() {
                let time = |threads| clock.timing.time(&kernel, threads).total();
                for threads in [2.0, 4.0, 8.0, 16.0] {
                    let sync = clock.timing.sync_us * 1e-6;
                    assert!(
                        time(threads) <= time(threads / 2.0) + sync,
                        "{} {kernel:?}",
                        device.id
                    );
                    assert!(time(threads) <= time(1.0), "{} {kernel:?}", device.id);
                }
            }
        }
    }

    #[test]
    fn an_extrapolation_says_so_and_is_wider() {
        for device in processors() {
            let clock = ProcessorClock::new(device, None);
            let is_measured = device.id == CpuTiming::builtin().device;
            let says = clock.provenance.iter().any(|line| line.contains("Extrapolated"));
            assert_eq!(says, !is_measured, "{}", device.id);
            assert_eq!(clock.range > CpuTiming::builtin().range, !is_measured, "{}", device.id);
        }
    }
}
