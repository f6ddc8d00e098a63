//! All answers about hardware, put together.

use std::borrow::Cow;
use std::collections::BTreeMap;

use calipers_ir::NodeId;
use calipers_measure::assume;
use calipers_report::{
    Assumption, Bottleneck, DearKernel, DeviceFacts, DeviceRow, Hardware, Range, RunEstimate,
    TimeShares,
};

use super::estimate::Estimate;
use super::requirements::{self, Target};
use super::room::{self, Room};
use super::subject::{At, Subject};
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
pub struct Question {
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

impl Default for Question {
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

/// Answers the question.
pub fn answer(subject: &Subject<'_>, question: &Question) -> Hardware {
    let room = Room::new(subject);
    let batch = question.batch.unwrap_or_else(|| subject.base_batch()).max(1);
    let at = At { batch, dims: BTreeMap::new() };
    let mut told = Hardware {
        precision: subject.choice.precision,
        precision_why: subject.choice.why.clone(),
        batch: if subject.batch.fixed == Some(0) { 0 } else { batch },
        context: subject.context(),
        ..Hardware::default()
    };
    let kernels = match subject.untimed() {
        Some(why) => Err(why),
        None => subject.kernels(&at),
    };
    let time = |device: &Device| match &kernels {
        Ok(kernels) => subject.time(kernels, device),
        Err(why) => Err(why.clone()),
    };
    told.devices = question.table.iter().map(|device| row(&room, &at, device, &time)).collect();
    if let Some(device) = &question.device {
        headline(&room, &at, device, &time, &mut told);
        told.device = Some(facts(device, subject.choice.precision, &question.found));
    }
    let target =
        Target { latency_ms: question.target_latency_ms, throughput: question.target_throughput };
    if target.is_given() {
        let all = question.catalog.devices();
        let device = question.device.as_ref();
        let fixed = question.batch.is_some();
        told.requirements = Some(requirements::describe(&room, &at, target, device, all, fixed));
    }
    tell(subject, question, &mut told);
    told
}

type Timed<'a> = dyn Fn(&Device) -> Result<Estimate, String> + 'a;

/// The model on a device, in a row.
fn row(room: &Room<'_>, at: &At, device: &Device, time: &Timed<'_>) -> DeviceRow {
    let fit = room.fit(at, device);
    let precision = room.subject.choice.precision;
    let used = device.runs_at(precision).map(|peak| peak.precision_used);
    let (run, estimate) = scaling::run(&fit, at.batch, || time(device));
    DeviceRow {
        id: device.id.clone(),
        name: device.name.clone(),
        device_memory_bytes: device.memory_bytes(),
        run: RunEstimate { reason: run.reason.or(fit.why), ..run },
        tight: fit.tight,
        largest_batch: room.largest_batch(at, device),
        bottleneck: estimate.as_ref().map(bottleneck),
        computes_in: used.filter(|used| *used != precision),
    }
}

/// Everything about the one device.
fn headline(room: &Room<'_>, at: &At, device: &Device, time: &Timed<'_>, told: &mut Hardware) {
    let subject = room.subject;
    let fit = room.fit(at, device);
    let need = room.need(at, device);
    told.fits = fit.fits;
    told.memory_bytes = fit.bytes;
    told.memory = Some(need);
    told.largest_batch = room.largest_batch(at, device);
    let positions = assume::positions(subject.model, subject.typed);
    if subject.context().is_some() {
        let most = positions.unwrap_or(room::MOST_CONTEXT);
        told.largest_context = room.largest_context(at, device, most);
    }
    told.method.extend(fit.why);
    if fit.tight {
        told.method
            .push("it fits only if the runtime's workspace stays below its highest".to_owned());
    }
    told.batch_scaling = scaling::batches(room, at, device);
    told.batch_enough = scaling::enough(&told.batch_scaling);
    told.sequence_scaling = scaling::lengths(room, at, device, positions);
    told.resolution_scaling = resolution::sides(room, at, device);
    if fit.fits == Some(false) {
        told.no_latency = Some("it does not fit the device's memory".to_owned());
        return;
    }
    told.generation = generation::describe(subject, at, device);
    let estimate = match time(device) {
        Ok(estimate) => estimate,
        Err(why) => {
            told.no_latency = Some(why);
            return;
        }
    };
    times(&estimate, at, device, subject, told);
}

fn times(
    estimate: &Estimate,
    at: &At,
    device: &Device,
    subject: &Subject<'_>,
    told: &mut Hardware,
) {
    let total = estimate.replayed.expected;
    let percent = |seconds: f64| share(seconds, total);
    told.latency_ms = Some(span(&estimate.replayed));
    told.issued_ms = Some(span(&estimate.issued));
    told.bottleneck = Some(bottleneck(estimate));
    told.host_bound = Some(estimate.issued.expected > total * 1.2);
    told.shares = Some(TimeShares {
        compute_percent: percent(estimate.compute),
        memory_percent: percent(estimate.memory),
        launches_percent: percent(estimate.launches),
    });
    told.kernels = Some(estimate.kernels as u64);
    told.dearest = estimate
        .dearest()
        .map(|kernel| DearKernel {
            kind: kernel.kind,
            node: subject.model.node_label(kernel.node),
            ms: digits(kernel.seconds * 1e3),
            percent: percent(kernel.seconds),
        })
        .collect();
    told.roofline = roofline::describe(estimate, device, &|node| subject.model.node_label(node));
    told.peak_percent = estimate.peak_percent.map(digits);
    told.bandwidth_percent = estimate.bandwidth_percent.map(digits);
    told.weights_once_ms = Some(digits(estimate.weights_once * 1e3)).filter(|ms| *ms > 0.0);
    told.range_factor = Some(digits(estimate.factor));
    told.carried_over = Some(estimate.is_carried);
    told.throughput = Some(scaling::rate(at.batch, total));
    #[expect(clippy::cast_precision_loss, reason = "it is a bound")]
    let energy = |watts: f64| digits(watts * estimate.replayed.high / at.batch as f64);
    told.energy_joules_at_most = device.power_w.map(energy);
    told.method.extend(estimate.method.iter().cloned());
}

/// What the figures rest on.
fn tell(subject: &Subject<'_>, question: &Question, told: &mut Hardware) {
    let assume =
        |what: &str, value: String, why: String| Assumption { what: what.to_owned(), value, why };
    if let (true, Some(fixed)) = (subject.batch.symbols.is_empty(), subject.batch.fixed)
        && (fixed != told.batch || !told.batch_scaling.is_empty())
    {
        let why =
            format!("the file fixes it at {fixed}; other batches suppose that it is exported anew");
        told.assumptions.push(assume("batch", told.batch.to_string(), why));
    }
    if subject.cached() {
        let why =
            "a runtime that joins old and new keys and values in a new place holds them twice";
        told.assumptions.push(assume("copies of the KV cache", "1".to_owned(), why.to_owned()));
    }
    if !subject.choice.own {
        let scales = match subject.choice.precision {
            Precision::Int4 | Precision::Fp4 => {
                "; a scale of 16 bits stands for every 32 weights, and activations are in fp16"
            }
            _ => "",
        };
        let why = format!("floats are converted, integers stay as they are stored{scales}");
        told.assumptions.push(assume("weights", subject.choice.precision.id().to_owned(), why));
    }
    if let Some(device) = &question.device {
        told.method.push(room::workspace_words(device.class));
    }
    if let (Some(context), Some(rows)) =
        (told.context, assume::positions(subject.model, subject.typed))
        && context > rows
    {
        told.method.push(format!("the model's table of positions ends at {rows}"));
    }
    if subject.untimed().is_some() {
        return;
    }
    let lacks = |node: &&NodeId| matches!(subject.typed.cost(**node), Some(Err(_)));
    let uncosted = subject.model.main().order.iter().filter(lacks).count();
    if uncosted > 0 {
        told.method.push(format!("{uncosted} nodes have no known cost, so times are lower bounds"));
    }
    if question.device.is_none() {
        told.method.push(
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

fn bottleneck(estimate: &Estimate) -> Bottleneck {
    let Estimate { compute, memory, launches, .. } = *estimate;
    match () {
        () if compute >= memory && compute >= launches => Bottleneck::Compute,
        () if memory >= launches => Bottleneck::Memory,
        () => Bottleneck::Launches,
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
        assert_eq!(Question::default().table.len(), WELL_KNOWN.len());
    }
}
