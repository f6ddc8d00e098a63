//! The query about hardware, and the report section that answers it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use calipers_ir::NodeId;
use calipers_measure::assume;
use calipers_report::{
    Assumption, Bottleneck, DeviceClass, DeviceFacts, DeviceRow, Hardware, Range, RunEstimate,
    Runtime, TimeShares, TopKernel,
};

use super::estimate::Estimate;
use super::generation::GenerationSteps;
use super::memory_fit::{self, MemoryFit};
use super::profile::{ModelProfile, OperatingPoint};
use super::{requirements, resolution, roofline, scaling};
use crate::devices::{Catalog, Device, Precision};

/// Devices that are compared when none is named: common ones of every size.
pub const WELL_KNOWN: [&str; 8] = [
    "h200-sxm",
    "a100-80-sxm",
    "l4",
    "rtx-4090",
    "rtx-4050-mobile",
    "jetson-orin-nano-super",
    "i9-13900k",
    "rpi5",
];

/// A query about hardware.
#[derive(Clone, Debug)]
pub struct HardwareQuery {
    /// The device to report in full; `None` compares the devices of `table` only.
    pub device: Option<Device>,
    /// What was detected on this machine, where `device` was detected.
    pub found: Vec<String>,
    /// Devices to compare.
    pub table: Vec<Device>,
    /// Devices that requirements choose from.
    pub catalog: Cow<'static, Catalog>,
    /// The software that runs the model.
    pub runtime: Runtime,
    /// Precision to compute in; the model's own where it is `None`.
    pub precision: Option<Precision>,
    /// Intra-op threads of a processor; all of its cores where it is `None`.
    pub threads: Option<u32>,
    /// Samples per run.
    pub batch: Option<u64>,
    /// Tokens of a sequence.
    pub context: Option<u64>,
    /// Longest time of one run.
    pub target_latency_ms: Option<f64>,
    /// Lowest throughput, in samples per second.
    pub target_throughput: Option<f64>,
    /// Longest time to the first token of a generative model.
    pub target_first_token_ms: Option<f64>,
}

impl Default for HardwareQuery {
    /// The well-known devices, at the model's own precision.
    fn default() -> Self {
        let catalog = crate::devices::builtin();
        let table = WELL_KNOWN.iter().filter_map(|id| catalog.find(id).ok().cloned()).collect();
        Self {
            device: None,
            found: Vec::new(),
            table,
            catalog: Cow::Borrowed(catalog),
            runtime: Runtime::default(),
            precision: None,
            threads: None,
            batch: None,
            context: None,
            target_latency_ms: None,
            target_throughput: None,
            target_first_token_ms: None,
        }
    }
}

/// Returns the hardware section of the report.
pub fn answer(profile: &ModelProfile<'_>, query: &HardwareQuery) -> Hardware {
    let memory_fit = MemoryFit::new(profile);
    let batch = query.batch.unwrap_or_else(|| profile.base_batch()).max(1);
    let at = OperatingPoint { batch, dims: BTreeMap::new() };
    let mut reported = Hardware {
        runtime: profile.plan.runtime,
        batch_dimension: profile.batch.has_dimension,
        precision: profile.precision.precision,
        precision_why: profile.precision.why.clone(),
        batch: if profile.batch.fixed == Some(0) { 0 } else { batch },
        context: profile.context(),
        ..Hardware::default()
    };
    let loads = match profile.untimed() {
        Some(why) => Err(why),
        None => profile.loads(&at),
    };
    let time = |device: &Device| match &loads {
        Ok(loads) => profile.time(loads, device),
        Err(why) => Err(why.clone()),
    };
    reported.devices =
        query.table.iter().map(|device| row(&memory_fit, &at, device, &time)).collect();
    let saturation = scaling::saturation_batches(&memory_fit, &at, &query.table);
    for (row, batch) in reported.devices.iter_mut().zip(saturation) {
        row.saturation_batch = batch;
    }
    let steps = GenerationSteps::new(profile, &at);
    if let Some(device) = &query.device {
        headline(&memory_fit, &at, device, &time, &mut reported);
        if reported.fits != Some(false) {
            reported.generation = steps.as_ref().map(|steps| steps.report(device));
        }
        reported.threads = threads(device, query.threads);
        reported.device = Some(facts(device, profile.precision.precision, &query.found));
    }
    reported.requirements =
        Some(requirements::requirements(&memory_fit, &at, query, steps.as_ref()));
    explain(profile, query, &mut reported);
    reported
}

type Timed<'a> = dyn Fn(&Device) -> Result<Estimate, String> + 'a;

/// The model on a device of the comparison.
fn row(
    memory_fit: &MemoryFit<'_>,
    at: &OperatingPoint,
    device: &Device,
    time: &Timed<'_>,
) -> DeviceRow {
    let fit = memory_fit.fit(at, device);
    let precision = memory_fit.profile.precision.precision;
    let used = device.runs_at(precision).map(|peak| peak.precision_used);
    let (run, estimate) = scaling::run(&fit, at.batch, || time(device));
    DeviceRow {
        id: device.id.clone(),
        name: device.name.clone(),
        device_memory_bytes: device.memory_bytes(),
        run: RunEstimate { reason: run.reason.or(fit.why), ..run },
        tight: fit.tight,
        largest_batch: memory_fit.largest_batch(at, device),
        saturation_batch: None,
        peak_percent: estimate.as_ref().and_then(|it| it.peak_percent).map(digits),
        bottleneck: estimate.as_ref().map(bottleneck),
        computes_in: used.filter(|used| *used != precision),
    }
}

/// Fills everything about the one device.
fn headline(
    memory_fit: &MemoryFit<'_>,
    at: &OperatingPoint,
    device: &Device,
    time: &Timed<'_>,
    reported: &mut Hardware,
) {
    let profile = memory_fit.profile;
    let fit = memory_fit.fit(at, device);
    let need = memory_fit.need(at, device);
    reported.fits = fit.fits;
    reported.memory_bytes = fit.bytes;
    reported.memory = Some(need);
    reported.largest_batch = memory_fit.largest_batch(at, device);
    let positions = assume::positions(profile.model, profile.typed);
    if profile.context().is_some() {
        let most = positions.unwrap_or(memory_fit::MOST_CONTEXT);
        reported.largest_context = memory_fit.largest_context(at, device, most);
    }
    reported.method.extend(fit.why);
    if fit.tight {
        reported
            .method
            .push("It fits only if the runtime overhead stays below its high end.".to_owned());
    }
    reported.batch_scaling = scaling::batches(memory_fit, at, device);
    reported.saturation_batch = scaling::saturation_batch(&reported.batch_scaling);
    reported.sequence_scaling = scaling::lengths(memory_fit, at, device, positions);
    reported.resolution_scaling = resolution::sides(memory_fit, at, device);
    if fit.fits == Some(false) {
        reported.no_latency = Some("it does not fit in the device's memory".to_owned());
        return;
    }
    let estimate = match time(device) {
        Ok(estimate) => estimate,
        Err(why) => {
            reported.no_latency = Some(why);
            return;
        }
    };
    times(&estimate, at, device, profile, reported);
}

fn times(
    estimate: &Estimate,
    at: &OperatingPoint,
    device: &Device,
    profile: &ModelProfile<'_>,
    reported: &mut Hardware,
) {
    let total = estimate.graph.expected;
    let percent = |seconds: f64| share(seconds, total);
    reported.latency_ms = Some(span(&estimate.graph));
    reported.graph_ms = reported.latency_ms;
    reported.eager_ms = estimate.eager.as_ref().map(span);
    reported.confidence = Some(estimate.confidence);
    reported.bottleneck = Some(bottleneck(estimate));
    reported.host_bound = estimate.eager.map(|eager| eager.expected > total * 1.2);
    reported.shares = Some(TimeShares {
        compute_percent: percent(estimate.compute),
        memory_percent: percent(estimate.memory),
        launch_overhead_percent: percent(estimate.launches),
    });
    reported.kernels = Some(estimate.kernels as u64);
    reported.top_kernels = estimate
        .top_kernels()
        .into_iter()
        .map(|(kernel, member)| TopKernel {
            kind: kernel.kind,
            node: profile.model.node_label(member.node),
            ms: digits(kernel.seconds * 1e3),
            percent: percent(kernel.seconds),
        })
        .collect();
    reported.roofline =
        roofline::describe(estimate, device, &|node| profile.model.node_label(node));
    reported.peak_percent = estimate.peak_percent.map(digits);
    reported.no_peak_percent = reported.peak_percent.is_none().then(|| {
        "no matrix product, convolution or attention runs, so no kernel uses the peak".to_owned()
    });
    reported.bandwidth_percent = estimate.bandwidth_percent.map(digits);
    reported.weight_read_floor_ms =
        Some(digits(estimate.weight_read_floor * 1e3)).filter(|ms| *ms > 0.0);
    reported.range_factor = Some(digits(estimate.factor));
    reported.extrapolated = Some(estimate.is_extrapolated);
    reported.throughput = Some(scaling::rate(at.batch, total));
    #[expect(clippy::cast_precision_loss, reason = "it is a bound")]
    let energy = |watts: f64| digits(watts * estimate.graph.high / at.batch as f64);
    reported.energy_joules_at_most = device.power_w.map(energy);
    reported.method.extend(estimate.method.iter().cloned());
}

/// Adds the method and the assumptions.
fn explain(profile: &ModelProfile<'_>, query: &HardwareQuery, reported: &mut Hardware) {
    let assume =
        |what: &str, value: String, why: String| Assumption { what: what.to_owned(), value, why };
    if let (true, Some(fixed)) = (profile.batch.symbols.is_empty(), profile.batch.fixed)
        && profile.batch.has_dimension
        && (fixed != reported.batch || !reported.batch_scaling.is_empty())
    {
        let why = format!(
            "fixed at {fixed} in the file; re-export with a dynamic batch axis to use other batches"
        );
        reported.assumptions.push(assume("batch", reported.batch.to_string(), why));
    }
    if profile.cached() {
        let why = "a runtime that copies the cache to append to it holds it twice";
        reported.assumptions.push(assume("copies of the KV cache", "1".to_owned(), why.to_owned()));
    }
    if !profile.precision.own {
        let scales = match profile.precision.precision {
            Precision::Int4 | Precision::Fp4 => {
                "; every 32 weights share a 16-bit scale, and activations are fp16"
            }
            _ => "",
        };
        let why = format!("floats are converted, integers stay as stored{scales}");
        reported.assumptions.push(assume(
            "weights",
            profile.precision.precision.id().to_owned(),
            why,
        ));
    }
    if let Some(device) = &query.device {
        reported.method.push(memory_fit::overhead_sentence(device.class));
    }
    if let (Some(context), Some(rows)) =
        (reported.context, assume::positions(profile.model, profile.typed))
        && context > rows
    {
        reported.method.push(format!("The position table of the model ends at {rows}."));
    }
    if profile.untimed().is_some() {
        return;
    }
    let lacks = |node: &&NodeId| matches!(profile.typed.cost(**node), Some(Err(_)));
    let uncosted = profile.model.main().order.iter().filter(lacks).count();
    if uncosted > 0 {
        reported
            .method
            .push(format!("{uncosted} nodes have no known cost, so times are lower bounds."));
    }
    reported.method.push(mode_sentence(profile.plan.runtime));
    let fused: usize = profile.plan.fusions.iter().map(|(_, count)| count).sum();
    if fused > 0 {
        let names = profile.plan.fusions.iter().map(|(name, count)| format!("{name}: {count}"));
        let operators = if fused == 1 { "operator" } else { "operators" };
        reported.method.push(format!(
            "{} fuses {fused} {operators} into other kernels ({}).",
            profile.plan.runtime.display_name(),
            names.collect::<Vec<_>>().join(", ")
        ));
    }
}

/// How kernels are issued in the headline.
fn mode_sentence(runtime: Runtime) -> String {
    match runtime {
        Runtime::PyTorch => "Latency is that of CUDA graph replay (on CPUs, of one run).",
        Runtime::OnnxRuntime => {
            "Latency is that of ONNX Runtime with all graph optimizations; on a GPU, with \
             `enable_cuda_graph`."
        }
        Runtime::TensorRt => "Latency is that of a TensorRT engine in a CUDA graph.",
    }
    .to_owned()
}

/// The intra-op threads of a run on a processor.
fn threads(device: &Device, asked: Option<u32>) -> Option<u32> {
    let is_processor = device.class == DeviceClass::Cpu;
    device.units.filter(|_| is_processor)?;
    let cores = device.fast_cores();
    Some(asked.unwrap_or(cores).clamp(1, cores))
}

fn facts(device: &Device, precision: Precision, found: &[String]) -> DeviceFacts {
    let peak = device.runs_at(precision);
    DeviceFacts {
        id: device.id.clone(),
        name: device.name.clone(),
        class: device.class,
        memory_bytes: device.memory_bytes(),
        bandwidth_bytes_per_s: device.bandwidth(),
        peaks_per_s: device
            .peaks
            .iter()
            .map(|(precision, tera)| (*precision, tera * 1e12))
            .collect(),
        peak_per_s: peak.as_ref().map(|peak| peak.flops),
        computes_in: peak.as_ref().map(|peak| peak.precision_used),
        computes_in_why: peak.map(|peak| peak.why).unwrap_or_default(),
        power_w: device.power_w,
        evidence: device.evidence,
        source: device.provenance(),
        found: found.to_vec(),
    }
}

/// What takes most of the time.
pub(crate) fn bottleneck(estimate: &Estimate) -> Bottleneck {
    let Estimate { compute, memory, launches, .. } = *estimate;
    match () {
        () if compute >= memory && compute >= launches => Bottleneck::Compute,
        () if memory >= launches => Bottleneck::MemoryBandwidth,
        () => Bottleneck::LaunchOverhead,
    }
}

/// Seconds as milliseconds.
pub(crate) fn span(range: &Range) -> Range {
    let ms = |seconds: f64| digits(seconds * 1e3);
    Range { low: ms(range.low), expected: ms(range.expected), high: ms(range.high) }
}

/// A share in percent, to four digits.
pub(crate) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { digits((part / whole * 100.0).clamp(0.0, 100.0)) } else { 0.0 }
}

/// Rounds to four significant digits: it is an estimate, and the last bits of floating-point
/// arithmetic differ between machines.
pub(crate) fn digits(value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return 0.0;
    }
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_four_digits() {
        for (value, wanted) in
            [(1.234_56, 1.235), (123_456.0, 123_500.0), (0.000_123_44, 0.000_123_4)]
        {
            assert_eq!(digits(value), wanted);
        }
        assert_eq!(digits(f64::NAN), 0.0);
    }

    #[test]
    fn every_well_known_device_is_in_the_table() {
        assert_eq!(HardwareQuery::default().table.len(), WELL_KNOWN.len());
    }
}
