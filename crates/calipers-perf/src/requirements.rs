//! Which device a stated target asks for.
//!
//! Every device of the table is devices_considered at the batches that fit it. Of those that meet the target,
//! the slowest is the least that will do: prices are not known, and speed is what they follow.
//!
//! | place | meets the target | has the memory |
//! |---|---|---|
//! | minimum | as expected | as expected |
//! | recommended | at the high end of its range | with the highest workspace |
//! | optimal | at the high end, in half the time or twice over | twice |

use calipers_report::{Range, Requirement, Requirements, RunEstimate};

use super::memory_fit::MemoryFit;
use super::profile::OperatingPoint;
use super::query::{digits, span};
use super::scaling::rate;
use crate::devices::Device;

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Target {
    pub latency_ms: Option<f64>,
    pub throughput: Option<f64>,
}

/// A device at one batch.
#[derive(Clone, Debug)]
struct Candidate {
    found: Requirement,
    tight: bool,
    /// How many times better than the target at the high end.
    sure: f64,
}

/// Batches that are tried for a throughput.
const BATCHES: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

impl Target {
    pub(crate) fn is_given(self) -> bool {
        self.latency_ms.is_some() || self.throughput.is_some()
    }

    /// How many times better than the target a run is; the worse of the two.
    fn margin(self, latency_ms: f64, throughput: f64) -> f64 {
        let latency = self.latency_ms.map_or(f64::MAX, |target| target / latency_ms);
        let rate = self.throughput.map_or(f64::MAX, |target| throughput / target);
        latency.min(rate)
    }
}

/// What the target asks for, and whether `device` meets it.
pub(crate) fn describe(
    memory_fit: &MemoryFit<'_>,
    base: &OperatingPoint,
    target: Target,
    device: Option<&Device>,
    all: &[Device],
    fixed_batch: bool,
) -> Requirements {
    let mut reported = Requirements {
        target_latency_ms: target.latency_ms,
        target_throughput: target.throughput,
        ..Requirements::default()
    };
    let batches: Vec<u64> = match (target.throughput, fixed_batch) {
        (Some(_), false) => BATCHES.to_vec(),
        _ => vec![base.batch],
    };
    let kernels: Vec<_> = batches
        .iter()
        .map(|batch| {
            (*batch, memory_fit.profile.kernels(&OperatingPoint { batch: *batch, ..base.clone() }))
        })
        .collect();
    let best = |device: &Device| -> Result<Candidate, String> {
        let mut best: Result<Candidate, String> = Err("it does not fit".to_owned());
        for (batch, kernels) in &kernels {
            let at = OperatingPoint { batch: *batch, ..base.clone() };
            let kernels = kernels.as_deref().map_err(Clone::clone);
            let candidate = weigh(memory_fit, &at, target, device, kernels);
            match (&best, &candidate) {
                (Ok(known), Ok(candidate)) if candidate.found.margin <= known.found.margin => {}
                (Ok(_), Err(_)) => break,
                _ => best = candidate,
            }
        }
        best
    };
    if let Some(device) = device {
        (reported.target_met, reported.why) =
            verdict(best(device), memory_fit, base, target, device);
    }
    let mut candidates = Vec::new();
    for device in all.iter().filter(|device| !device.id.starts_with("generic-")) {
        reported.devices_considered += 1;
        match best(device) {
            Ok(candidate) => candidates.push(candidate),
            Err(_) if memory_fit.fit(base, device).fits == Some(false) => {}
            Err(_) => reported.unknown += 1,
        }
    }
    // The slowest first.
    candidates.sort_by(|one, other| one.found.margin.total_cmp(&other.found.margin));
    let roomy = |candidate: &&Candidate, times: f64| {
        candidate.found.memory_margin.is_some_and(|margin| margin >= times)
    };
    let first = |test: &dyn Fn(&&Candidate) -> bool| {
        candidates.iter().find(|candidate| test(candidate)).map(|candidate| candidate.found.clone())
    };
    reported.minimum = first(&|candidate| candidate.found.margin >= 1.0);
    reported.recommended =
        first(&|candidate| candidate.sure >= 1.0 && !candidate.tight && roomy(candidate, 1.0));
    reported.optimal = first(&|candidate| candidate.sure >= 2.0 && roomy(candidate, 2.0));
    if reported.minimum.is_none() {
        reported.notes.push(match candidates.last() {
            Some(Candidate { found, .. }) => {
                format!(
                    "no device of the table is expected to meet it; the nearest is {}",
                    found.name
                )
            }
            None => "no device of the table is known to run it".to_owned(),
        });
    }
    reported
}

fn weigh(
    memory_fit: &MemoryFit<'_>,
    at: &OperatingPoint,
    target: Target,
    device: &Device,
    kernels: Result<&[super::kernels::Kernel], String>,
) -> Result<Candidate, String> {
    let fit = memory_fit.fit(at, device);
    match fit.fits {
        Some(true) => {}
        Some(false) => return Err("it does not fit".to_owned()),
        None => return Err(fit.why.unwrap_or_default()),
    }
    let estimate = memory_fit.profile.time(kernels?, device)?;
    let latency_ms: Range<f64> = span(&estimate.replayed);
    let throughput = rate(at.batch, estimate.replayed.expected);
    let bytes = fit.bytes;
    #[expect(clippy::cast_precision_loss, reason = "a ratio needs a few digits")]
    let memory_margin = bytes
        .filter(|bytes| *bytes > 0)
        .zip(device.memory_bytes())
        .map(|(bytes, memory_fit)| digits(memory_fit as f64 / bytes as f64));
    Ok(Candidate {
        sure: target.margin(latency_ms.high, rate(at.batch, estimate.replayed.high)),
        tight: fit.tight,
        found: Requirement {
            id: device.id.clone(),
            name: device.name.clone(),
            batch: at.batch,
            margin: digits(target.margin(latency_ms.expected, throughput)),
            run: RunEstimate {
                latency_ms: Some(latency_ms),
                throughput: Some(throughput),
                memory_bytes: bytes,
                fits: fit.fits,
                reason: None,
            },
            memory_margin,
        },
    })
}

/// Whether the device that was asked for meets the target, in words.
fn verdict(
    best: Result<Candidate, String>,
    memory_fit: &MemoryFit<'_>,
    base: &OperatingPoint,
    target: Target,
    device: &Device,
) -> (Option<bool>, String) {
    let Candidate { found, sure, .. } = match best {
        Ok(candidate) => candidate,
        Err(why) => {
            let fits = memory_fit.fit(base, device).fits;
            return (fits.filter(|fits| !fits), format!("on {}, {why}", device.name));
        }
    };
    let met = found.margin >= 1.0;
    let how = match (met, sure >= 1.0) {
        (true, true) => "met, even at the high end of the range",
        (true, false) => "expected to be met, though not at the high end of the range",
        (false, _) => "not met",
    };
    let mut parts = Vec::new();
    if let (Some(wanted), Some(latency_ms)) = (target.latency_ms, found.run.latency_ms) {
        let is = latency_ms.expected;
        parts.push(format!("{is} ms are expected, and {} ms are wanted", digits(wanted)));
    }
    if let (Some(wanted), Some(is)) = (target.throughput, found.run.throughput) {
        parts.push(format!("{is} a second are expected, and {} are wanted", digits(wanted)));
    }
    (Some(met), format!("{how} on {} at batch {}: {}", device.name, found.batch, parts.join("; ")))
}
