//! The time of a run: the sum over its kernels.
//!
//! Each kernel takes its launch overhead and a blend of arithmetic, memory traffic and dependent
//! products that was fitted for its kind, see [`DeviceTiming`]. No estimate is below what the
//! device's peak and bandwidth allow.

use std::collections::BTreeSet;
use std::sync::Arc;

use calipers_report::wording::sentence;
use calipers_report::{Confidence, DeviceClass, Range, Runtime};
use hashbrown::HashMap;

use super::activations::activation_bits;
use super::kernels::{KernelKind, Quantized};
use super::workload::{Load, Member};
use crate::devices::{Device, DeviceTiming, HostOverhead, KernelModel, KernelTime, Precision};
use crate::processor::{ProcessorClock, ProcessorKernel, ProcessorKind, on_processor};
use crate::runtime::RuntimeModel;

/// Kernels that an estimate names.
const NAMED: usize = 5;

/// How long one run takes, in seconds, and what takes the time.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    /// When a CUDA graph is replayed, or a compiled engine runs.
    pub graph: Range,
    /// In eager mode, where the host overhead of the runtime was measured.
    pub eager: Option<Range>,
    /// Seconds in compute-bound kernels, in memory-bound kernels and in launches; their sum is
    /// `graph.expected`.
    pub compute: f64,
    pub memory: f64,
    pub launches: f64,
    pub kernels: usize,
    /// Every kernel, alike ones together.
    pub each: Vec<TimedKernel>,
    /// Share of the device's peak that the contractions reach, in percent; `None` without any.
    pub peak_percent: Option<f64>,
    /// Bandwidth utilization in percent; above 100 where caches serve.
    pub bandwidth_percent: Option<f64>,
    /// Seconds to read the weights once at the device's full bandwidth.
    pub weight_read_floor: f64,
    /// Low and high are about the expected time divided and multiplied by this.
    pub factor: f64,
    /// Whether the timing constants are another device's, or assumed.
    pub is_extrapolated: bool,
    /// High where runtime and device were measured, medium where one of the two was.
    pub confidence: Confidence,
    /// How it was estimated, a sentence each.
    pub method: Vec<String>,
}

impl Estimate {
    /// Kernels, the slowest first.
    pub(crate) fn slowest_first(&self) -> Vec<&TimedKernel> {
        let mut kernels: Vec<&TimedKernel> = self.each.iter().collect();
        kernels.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        kernels
    }

    /// The slowest kernels, one by one; of equally slow ones, those that run first.
    pub(crate) fn top_kernels(&self) -> Vec<(&TimedKernel, Member)> {
        let mut top: Vec<(&TimedKernel, Member)> = Vec::new();
        for kernel in self.slowest_first() {
            if top.len() >= NAMED && top.last().is_some_and(|last| last.0.seconds > kernel.seconds)
            {
                break;
            }
            top.extend(kernel.members.iter().take(NAMED).map(|member| (kernel, *member)));
        }
        let seconds = |kernel: &TimedKernel| kernel.seconds;
        top.sort_by(|a, b| seconds(b.0).total_cmp(&seconds(a.0)).then(a.1.place.cmp(&b.1.place)));
        top.truncate(NAMED);
        top
    }
}

/// Kernels that are alike, with the time of each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TimedKernel {
    pub kind: KernelKind,
    pub members: Arc<[Member]>,
    pub seconds: f64,
    /// All of its arithmetic.
    pub flops: f64,
    /// Bytes read and written.
    pub bytes: f64,
    /// The peak that bounds it, and the precision of that peak.
    pub peak: f64,
    pub precision: Precision,
    /// Whether it is the dispatch of nodes that do nothing else, all of them together.
    pub is_dispatch: bool,
}

/// Why there is no estimate.
pub(crate) type NoEstimate = String;

/// Returns the time of kernels on a device at a precision.
pub(crate) fn estimate(
    loads: &[Load],
    device: &Device,
    precision: Precision,
    runtime: Runtime,
    threads: Option<u32>,
) -> Result<Estimate, NoEstimate> {
    if loads.is_empty() {
        return Err("no operator of the model depends on its inputs".to_owned());
    }
    if runtime == Runtime::TensorRt && !device.runs_tensorrt() {
        return Err("TensorRT runs on NVIDIA GPUs only".to_owned());
    }
    let mut clock = Clock::new(device, precision, runtime)?;
    // Only GPUs run the PyTorch model; other devices run the file, where norms are folded.
    let runs = |load: &&Load| match device.class {
        DeviceClass::Cpu => load.processor.is_some(),
        class => load.processor.is_none() && (class.launches_kernels() || !load.is_unfolded),
    };
    clock.processor = ProcessorClock::for_device(device, threads);
    clock.total_weight_bytes = loads.iter().filter(runs).map(Load::stored_bytes).sum();
    for load in loads.iter().filter(runs) {
        clock.run(load)?;
    }
    clock.finish()
}

/// The memory that kernels read and write.
#[derive(Clone, Copy)]
enum Memory {
    /// The device's own, with its bandwidth in bytes per second.
    Own(f64),
    /// On-chip only: weights are held there, or cross the link (bytes per second).
    OnChip { holds: f64, link: Option<f64> },
}

/// Sums the times of kernels.
struct Clock<'d> {
    device: &'d Device,
    precision: Precision,
    runtime: Runtime,
    timing: DeviceTiming,
    /// Timing on a processor.
    processor: Option<ProcessorClock>,
    /// Bytes of weights that a run reads.
    total_weight_bytes: f64,
    memory: Memory,
    compute: f64,
    moving: f64,
    launches: f64,
    /// Seconds at the full peak.
    at_peak: f64,
    bytes: f64,
    weight_bytes: f64,
    each: Vec<TimedKernel>,
    kernels: usize,
    /// Norms that the exporter folded, and kernels of unknown sizes.
    unfolded: usize,
    not_sized: usize,
    notes: BTreeSet<String>,
    /// Timing models that were selected before.
    models: HashMap<(KernelKind, Precision, bool), TimedBy>,
}

/// Keys that a unit takes at least. Measured with PyTorch on an H200 (132 units), one query, 3 heads of
/// keys for 9 of queries, 64 wide: 19, 27, 49 and 135 µs in fp32 and 5, 7, 8 and 11 µs in fp16 at 128,
/// 1,024, 4,096 and 16,384 keys.
const FEWEST_KEYS: f64 = 192.0;

/// A timing model, and the peak that bounds it with its precision.
type TimedBy = (KernelModel, f64, Precision);

impl<'d> Clock<'d> {
    fn new(device: &'d Device, precision: Precision, runtime: Runtime) -> Result<Self, NoEstimate> {
        let memory = match (&device.on_chip, device.bandwidth()) {
            (Some(chip), _) => Memory::OnChip {
                holds: chip.memory_mb.map_or(0.0, |mb| mb * 1e6),
                link: chip.link_gb_s.map(|gb_s| gb_s * 1e9),
            },
            (None, Some(bandwidth)) => Memory::Own(bandwidth),
            (None, None) => {
                return Err(format!("the memory bandwidth of {} is not known", device.name));
            }
        };
        Ok(Self {
            device,
            precision,
            runtime,
            timing: DeviceTiming::for_device(device),
            processor: None,
            total_weight_bytes: 0.0,
            memory,
            compute: 0.0,
            moving: 0.0,
            launches: 0.0,
            at_peak: 0.0,
            bytes: 0.0,
            weight_bytes: 0.0,
            each: Vec::new(),
            kernels: 0,
            unfolded: 0,
            not_sized: 0,
            notes: BTreeSet::new(),
            models: HashMap::new(),
        })
    }

    fn on_processor(&self, load: &Load, weight_bytes: f64) -> Option<ProcessorKernel> {
        let are_cold = self.processor.as_ref()?.exceeds_cache(self.total_weight_bytes);
        on_processor(load, weight_bytes, self.precision, are_cold)
    }

    /// Products that follow one another in a kernel. Attention of few queries leaves units idle, so its
    /// keys are divided among them, in blocks of at least [`FEWEST_KEYS`].
    fn depth(&self, load: &Load) -> f64 {
        let units = f64::from(self.device.units.unwrap_or(1)).max(1.0);
        match load.kind {
            KernelKind::Attention if load.lanes < units => {
                let divided = load.depth * load.lanes / units;
                load.depth.min(divided.max(FEWEST_KEYS))
            }
            _ => load.depth,
        }
    }

    fn run(&mut self, load: &Load) -> Result<(), NoEstimate> {
        let (computes, wide, weight) = widths(self.precision, load.quantized);
        let weight_bytes = load.weights * weight / 8.0;
        let bytes = load.activations * wide / 8.0 + weight_bytes;
        let (model, peak, precision) = self.kernel_model(load.kind, computes, load.flops > 0.0)?;
        let bandwidth = match self.memory {
            Memory::Own(bandwidth) => bandwidth,
            // On-chip memory is not a bottleneck.
            Memory::OnChip { .. } => f64::INFINITY,
        };
        let depth = self.depth(load);
        let mut time = model.time(load.flops, bytes, depth, peak, bandwidth);
        if let (Some(clock), Some(kernel)) =
            (&self.processor, self.on_processor(load, weight_bytes))
        {
            time = clock.time(&kernel);
        } else if load.steps > 1.0 {
            // Steps divide the work and run one after another.
            let step = model.time(
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
        #[expect(clippy::cast_precision_loss, reason = "kernels are few")]
        let count = load.members.len() as f64;
        self.launches += count * time.launch;
        if time.compute >= time.memory {
            self.compute += count * time.body;
        } else {
            self.moving += count * time.body;
        }
        self.at_peak += count * (load.flops / peak);
        self.bytes += count * bytes;
        self.weight_bytes += count * weight_bytes;
        self.kernels += load.members.len();
        self.unfolded += if load.is_unfolded { load.members.len() } else { 0 };
        self.not_sized += if load.is_sized { 0 } else { load.members.len() };
        self.each.push(TimedKernel {
            kind: load.kind,
            members: Arc::clone(&load.members),
            seconds: time.total(),
            flops: load.flops + load.other_flops,
            bytes,
            peak,
            precision,
            is_dispatch: load.processor == Some(ProcessorKind::View),
        });
        Ok(())
    }

    fn kernel_model(
        &mut self,
        kind: KernelKind,
        computes: Precision,
        has_products: bool,
    ) -> Result<TimedBy, NoEstimate> {
        if let Some(known) = self.models.get(&(kind, computes, has_products)) {
            return Ok(*known);
        }
        let selected = self.select_model(kind, computes, has_products)?;
        self.models.insert((kind, computes, has_products), selected);
        Ok(selected)
    }

    /// Returns the timing model of a kind, and the peak that its efficiency is a share of.
    fn select_model(
        &mut self,
        kind: KernelKind,
        computes: Precision,
        has_products: bool,
    ) -> Result<TimedBy, NoEstimate> {
        let peak = self.device.runs_at(computes).ok_or_else(|| {
            format!(
                "the {} peak of {} is not known, nor that of a fallback precision",
                computes.id(),
                self.device.name
            )
        })?;
        let used = peak.precision_used;
        if used != computes && has_products {
            self.notes.insert(sentence(&peak.why));
        }
        let mut selected = self.timing.kernel_model(kind, used);
        let (flops, of) = match selected.model.peak.filter(|of| *of != used) {
            None => (peak.flops, used),
            Some(of) => match self.device.peak(of) {
                Some(flops) => (flops, of),
                None => {
                    // The efficiency of matrix units does not apply to a device without them.
                    let plain = self.timing.kernel_model(KernelKind::Gemm, used).model;
                    selected.model.efficiency = plain.efficiency;
                    self.notes.insert(format!(
                        "The {} peak is not known, so convolutions use the {} peak with the efficiency of matrix products.",
                        of.id(),
                        used.id(),
                    ));
                    (peak.flops, used)
                }
            },
        };
        if let Some(why) = selected.substitution.take().filter(|_| has_products) {
            self.notes.insert(sentence(&why));
        }
        Ok((selected.model, flops, of))
    }

    fn finish(mut self) -> Result<Estimate, NoEstimate> {
        let mut total = self.compute + self.moving + self.launches;
        let mut weight_read_floor = 0.0;
        let mut floor = self.at_peak;
        match self.memory {
            Memory::Own(bandwidth) => {
                weight_read_floor = self.weight_bytes / bandwidth;
                let cache = self.device.cache_mb.map_or(0.0, |mb| mb * 1e6);
                // Weights that fit the cache may stay there from run to run.
                if self.weight_bytes > 2.0 * cache {
                    floor = floor.max(weight_read_floor);
                }
            }
            Memory::OnChip { holds, link } if self.weight_bytes > holds => {
                let link = link.ok_or_else(|| self.too_large())?;
                let streaming = self.weight_bytes / link;
                weight_read_floor = streaming;
                self.moving += streaming;
                total += streaming;
                floor = floor.max(streaming);
                self.notes.insert(format!(
                    "{}, so they cross the link in every run.",
                    sentence(&self.too_large()).trim_end_matches('.')
                ));
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
            return Err("the time is too large to represent".to_owned());
        }
        let runtime = RuntimeModel::new(self.runtime);
        if let Some(processor) = &self.processor {
            processor.describe(&mut self.timing);
        }
        let is_fitted = self.timing.host.is_some();
        let factor = self.timing.range * if is_fitted { runtime.range_factor } else { 1.0 };
        let is_measured = runtime.is_measured() || self.processor.is_some();
        let graph =
            Range { low: (total / factor).max(floor), expected: total, high: total * factor };
        let percent = |share: f64| Some(100.0 * share / total).filter(|share| *share > 0.0);
        let bandwidth_percent = match self.memory {
            Memory::Own(bandwidth) => percent(self.bytes / bandwidth),
            Memory::OnChip { .. } => None,
        };
        Ok(Estimate {
            graph,
            eager: self.eager(graph),
            compute: self.compute,
            memory: self.moving,
            launches: self.launches,
            kernels: self.kernels,
            peak_percent: percent(self.at_peak),
            bandwidth_percent,
            weight_read_floor,
            factor,
            is_extrapolated: self.timing.is_extrapolated,
            confidence: match (self.timing.is_extrapolated, is_measured) {
                (false, true) => Confidence::High,
                (false, false) => Confidence::Medium,
                (true, true) if is_fitted => Confidence::Medium,
                (true, _) => Confidence::Low,
            },
            method: self.method(),
            each: self.each,
        })
    }

    fn too_large(&self) -> String {
        let rule = self.device.on_chip.as_ref().map_or("", |chip| &*chip.rule);
        format!(
            "{:.1} MB of weights exceed the known on-chip memory ({rule})",
            self.weight_bytes / 1e6
        )
    }

    /// The time in eager mode, where the host may be slower than the device.
    fn eager(&self, graph: Range) -> Option<Range> {
        // The host overhead was measured with PyTorch.
        let measured = self.timing.host.filter(|_| self.runtime == Runtime::PyTorch);
        let HostOverhead { us: host_us, range: factor } = measured?;
        #[expect(clippy::cast_precision_loss, reason = "kernels are few")]
        let host = self.kernels as f64 * host_us * 1e-6;
        Some(Range {
            low: graph.low.max(host / factor),
            expected: graph.expected.max(host),
            high: graph.high.max(host * factor),
        })
    }

    fn method(&self) -> Vec<String> {
        let count = match self.kernels {
            1 => "1 kernel".to_owned(),
            count => format!("{count} kernels"),
        };
        let mut method = vec![format!(
            "Latency is the sum over {count}; each is modeled from its launch overhead, arithmetic and memory traffic."
        )];
        method.extend(self.timing.provenance.iter().cloned());
        let runtime = RuntimeModel::new(self.runtime);
        if self.timing.host.is_some() && !runtime.is_measured() {
            method.push(format!(
                "Kernel times were measured with PyTorch; {} was not measured, so the range is {} times wider.",
                self.runtime.display_name(),
                runtime.range_factor
            ));
        }
        if self.unfolded > 0 {
            method.push(format!(
                "{} batch norms that the exporter folded into convolutions count as kernels, because PyTorch runs them.",
                self.unfolded
            ));
        }
        if self.not_sized > 0 {
            method.push(format!(
                "{} kernels read or write values of unknown shape, which count as 0 bytes.",
                self.not_sized
            ));
        }
        method.extend(self.notes.iter().cloned());
        method
    }
}

/// The precision that a kernel computes in, and the bits of its activations and weights.
fn widths(precision: Precision, quantized: Option<Quantized>) -> (Precision, f64, f64) {
    // Runtimes widen 4-bit weights before the product.
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
mod tests;
