//! All answers about hardware, put together.

use std::borrow::Cow;
use std::collections::BTreeMap;

use calipers_ir::NodeId;
use calipers_measure::assume;
use calipers_report::{
    Assumption, Bottleneck, DeviceFacts, DeviceRow, Hardware, Range, RunEstimate, TimeShares,
    TopKernel,
};

use super::estimate::Estimate;
use super::memory_fit::{self, MemoryFit};
use super::profile::{ModelProfile, OperatingPoint};
use super::requirements::{self, Target};
use super::{generation, resolution, roofline, scaling};
use crate::devices::{Catalog, Device, Precision};

/// Devices that a table shows when none are named: some that many people have, of every size.
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

/// What is asked about hardware.
#[derive(Clone, Debug)]
pub struct HardwareQuery {
    /// The device to tell everything of.
    pub device: Option<Device>,
    /// What was found on this machine, where that device was found and not named.
    pub found: Vec<String>,
    /// Devices of the table.
    pub table: Vec<Device>,
    /// Devices that requirements choose from.
    pub catalog: Cow<'static, Catalog>,
    /// What to compute in; the model's own where it is not given.
    pub precision: Option<Precision>,
    /// Samples of one run.
    pub batch: Option<u64>,
    /// Tokens of a sequence.
    pub context: Option<u64>,
    /// The longest that a run may take.
    pub target_latency_ms: Option<f64>,
    /// Samples a second that there must be.
    pub target_throughput: Option<f64>,
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
            precision: None,
            batch: None,
            context: None,
            target_latency_ms: None,
            target_throughput: None,
        }
    }
}

/// Answers the query.
pub fn answer(profile: &ModelProfile<'_>, query: &HardwareQuery) -> Hardware {
    let memory_fit = MemoryFit::new(profile);
    let batch = query.batch.unwrap_or_else(|| profile.base_batch()).max(1);
    let at = OperatingPoint { batch, dims: BTreeMap::new() };
    let mut reported = Hardware {
        precision: profile.choice.precision,
        precision_why: profile.choice.why.clone(),
        batch: if profile.batch.fixed == Some(0) { 0 } else { batch },
        context: profile.context(),
        ..Hardware::default()
    };
    let kernels = match profile.untimed() {
        Some(why) => Err(why),
        None => profile.kernels(&at),
    };
    let time = |device: &Device| match &kernels {
        Ok(kernels) => profile.time(kernels, device),
        Err(why) => Err(why.clone()),
    };
    reported.devices =
        query.table.iter().map(|device| row(&memory_fit, &at, device, &time)).collect();
    if let Some(device) = &query.device {
        headline(&memory_fit, &at, device, &time, &mut reported);
        reported.device = Some(facts(device, profile.choice.precision, &query.found));
    }
    let target =
        Target { latency_ms: query.target_latency_ms, throughput: query.target_throughput };
    if target.is_given() {
        let all = query.catalog.devices();
        let device = query.device.as_ref();
        let fixed = query.batch.is_some();
        reported.requirements =
            Some(requirements::describe(&memory_fit, &at, target, device, all, fixed));
    }
    tell(profile, query, &mut reported);
    reported
}

type Timed<'a> = dyn Fn(&Device) -> Result<Estimate, String> + 'a;

/// The model on a device, in a row.
fn row(
    memory_fit: &MemoryFit<'_>,
    at: &OperatingPoint,
    device: &Device,
    time: &Timed<'_>,
) -> DeviceRow {
    let fit = memory_fit.fit(at, device);
    let precision = memory_fit.profile.choice.precision;
    let used = device.runs_at(precision).map(|peak| peak.precision_used);
    let (run, estimate) = scaling::run(&fit, at.batch, || time(device));
    DeviceRow {
        id: device.id.clone(),
        name: device.name.clone(),
        device_memory_bytes: device.memory_bytes(),
        run: RunEstimate { reason: run.reason.or(fit.why), ..run },
        tight: fit.tight,
        largest_batch: memory_fit.largest_batch(at, device),
        bottleneck: estimate.as_ref().map(bottleneck),
        computes_in: used.filter(|used| *used != precision),
    }
}

/// Everything about the one device.
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
            .push("it fits only if the runtime's workspace stays below its highest".to_owned());
    }
    reported.batch_scaling = scaling::batches(memory_fit, at, device);
    reported.saturation_batch = scaling::enough(&reported.batch_scaling);
    reported.sequence_scaling = scaling::lengths(memory_fit, at, device, positions);
    reported.resolution_scaling = resolution::sides(memory_fit, at, device);
    if fit.fits == Some(false) {
        reported.no_latency = Some("it does not fit the device's memory".to_owned());
        return;
    }
    reported.generation = generation::describe(profile, at, device);
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
    let total = estimate.replayed.expected;
    let percent = |seconds: f64| share(seconds, total);
    reported.latency_ms = Some(span(&estimate.replayed));
    reported.eager_ms = Some(span(&estimate.issued));
    reported.bottleneck = Some(bottleneck(estimate));
    reported.host_bound = Some(estimate.issued.expected > total * 1.2);
    reported.shares = Some(TimeShares {
        compute_percent: percent(estimate.compute),
        memory_percent: percent(estimate.memory),
        launch_overhead_percent: percent(estimate.launches),
    });
    reported.kernels = Some(estimate.kernels as u64);
    reported.top_kernels = estimate
        .top_kernels()
        .map(|kernel| TopKernel {
            kind: kernel.kind,
            node: profile.model.node_label(kernel.node),
            ms: digits(kernel.seconds * 1e3),
            percent: percent(kernel.seconds),
        })
        .collect();
    reported.roofline =
        roofline::describe(estimate, device, &|node| profile.model.node_label(node));
    reported.peak_percent = estimate.peak_percent.map(digits);
    reported.bandwidth_percent = estimate.bandwidth_percent.map(digits);
    reported.weight_read_floor_ms =
        Some(digits(estimate.weights_once * 1e3)).filter(|ms| *ms > 0.0);
    reported.range_factor = Some(digits(estimate.factor));
    reported.extrapolated = Some(estimate.is_carried);
    reported.throughput = Some(scaling::rate(at.batch, total));
    #[expect(clippy::cast_precision_loss, reason = "it is a bound")]
    let energy = |watts: f64| digits(watts * estimate.replayed.high / at.batch as f64);
    reported.energy_joules_at_most = device.power_w.map(energy);
    reported.method.extend(estimate.method.iter().cloned());
}

/// What the figures rest on.
fn tell(profile: &ModelProfile<'_>, query: &HardwareQuery, reported: &mut Hardware) {
    let assume =
        |what: &str, value: String, why: String| Assumption { what: what.to_owned(), value, why };
    if let (true, Some(fixed)) = (profile.batch.symbols.is_empty(), profile.batch.fixed)
        && (fixed != reported.batch || !reported.batch_scaling.is_empty())
    {
        let why = format!(
            "the file fixes it at {fixed}; other batches suppose that it is exported again"
        );
        reported.assumptions.push(assume("batch", reported.batch.to_string(), why));
    }
    if profile.cached() {
        let why =
            "a runtime that joins old and new keys and values in a new place holds them twice";
        reported.assumptions.push(assume("copies of the KV cache", "1".to_owned(), why.to_owned()));
    }
    if !profile.choice.own {
        let scales = match profile.choice.precision {
            Precision::Int4 | Precision::Fp4 => {
                "; a scale of 16 bits represents every 32 weights, and activations are in fp16"
            }
            _ => "",
        };
        let why = format!("floats are converted, integers stay as they are stored{scales}");
        reported.assumptions.push(assume("weights", profile.choice.precision.id().to_owned(), why));
    }
    if let Some(device) = &query.device {
        reported.method.push(memory_fit::workspace_words(device.class));
    }
    if let (Some(context), Some(rows)) =
        (reported.context, assume::positions(profile.model, profile.typed))
        && context > rows
    {
        reported.method.push(format!("the model's table of positions ends at {rows}"));
    }
    if profile.untimed().is_some() {
        return;
    }
    let lacks = |node: &&NodeId| matches!(profile.typed.cost(**node), Some(Err(_)));
    let uncosted = profile.model.main().order.iter().filter(lacks).count();
    if uncosted > 0 {
        reported
            .method
            .push(format!("{uncosted} nodes have no known cost, so times are lower bounds"));
    }
    if query.device.is_none() {
        reported.method.push(
            "times are of a replayed graph or a compiled engine, and ranges say how far to believe \
             them"
                .to_owned(),
        );
    }
}

fn facts(device: &Device, precision: Precision, found: &[String]) -> DeviceFacts {
    let peak = device.runs_at(precision);
    DeviceFacts {
        id: device.id.clone(),
        name: device.name.clone(),
        class: device.class,
        memory_bytes: device.memory_bytes(),
        bandwidth_bytes_per_s: device.bandwidth(),
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
pub(crate) fn span(range: &Range<f64>) -> Range<f64> {
    let ms = |seconds: f64| digits(seconds * 1e3);
    Range { low: ms(range.low), expected: ms(range.expected), high: ms(range.high) }
}

/// A share in percent, to four digits.
pub(crate) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { digits((part / whole * 100.0).clamp(0.0, 100.0)) } else { 0.0 }
}

/// A figure to four digits that mean something. It is an estimate, and no machine's own arithmetic
/// shows in so few.
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
