//! The devices that a target requires.
//!
//! Every device of the catalog is evaluated; of those that meet the target, the slowest is named:
//! prices are not known, and they follow speed.
//!
//! | level | meets the target | has the memory |
//! |---|---|---|
//! | minimum | with its expected time | as expected |
//! | recommended | at the high end of its range | with the highest runtime overhead |
//! | optimal | twice over, at the high end of its range | twice |

use calipers_measure::assume::Role;
use calipers_report::{Range, Requirement, Requirements, RunEstimate, TaskKind, units};

use super::generation::GenerationSteps;
use super::memory_fit::MemoryFit;
use super::profile::{MOST_KERNELS, ModelProfile, OperatingPoint};
use super::query::{HardwareQuery, digits, span};
use super::resolution;
use super::scaling::rate;
use super::workload::Load;
use crate::devices::Device;

/// The default target of vision models, in images per second.
const IMAGES_PER_S: f64 = 30.0;
/// The default targets of generative models.
const TOKENS_PER_S: f64 = 20.0;
const FIRST_TOKEN_MS: f64 = 1000.0;
/// The default target of all other models.
const LATENCY_MS: f64 = 100.0;

/// Batches that are tried for a stated throughput.
const BATCHES: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// What a device must reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    latency_ms: Option<f64>,
    throughput: Option<f64>,
    first_token_ms: Option<f64>,
    tokens_per_s: Option<f64>,
    is_default: bool,
    /// What a sample is called.
    noun: &'static str,
}

impl Target {
    /// The target of a query, else the default for the kind of model.
    pub(crate) fn new(profile: &ModelProfile<'_>, query: &HardwareQuery, generates: bool) -> Self {
        let noun = if is_vision(profile) { "images" } else { "samples" };
        let stated = Self {
            latency_ms: query.target_latency_ms,
            throughput: query.target_throughput,
            first_token_ms: query.target_first_token_ms.filter(|_| generates),
            tokens_per_s: None,
            is_default: false,
            noun,
        };
        if stated.latency_ms.or(stated.throughput).or(stated.first_token_ms).is_some() {
            return stated;
        }
        let target = Self { is_default: true, ..stated };
        match () {
            () if generates => Self {
                first_token_ms: Some(FIRST_TOKEN_MS),
                tokens_per_s: Some(TOKENS_PER_S),
                ..target
            },
            () if is_vision(profile) => Self { throughput: Some(IMAGES_PER_S), ..target },
            () => Self { latency_ms: Some(LATENCY_MS), ..target },
        }
    }

    /// The target in words: `at least 30 images/s`.
    fn description(self) -> String {
        let parts = [
            self.latency_ms.map(|ms| format!("at most {} per run", duration(ms))),
            self.throughput.map(|rate| format!("at least {}", per_second(rate, self.noun))),
            self.tokens_per_s.map(|rate| format!("at least {}", per_second(rate, "tokens"))),
            self.first_token_ms.map(|ms| format!("at most {} to the first token", duration(ms))),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }

    fn is_generation(self) -> bool {
        self.first_token_ms.is_some() || self.tokens_per_s.is_some()
    }

    /// How many times better than the target a run is; the lowest of all parts.
    fn margin(self, reached: &Reached) -> f64 {
        let part = |target: Option<f64>, ratio: &dyn Fn(f64) -> Option<f64>| match target {
            Some(target) => ratio(target).unwrap_or(0.0),
            None => f64::MAX,
        };
        [
            part(self.latency_ms, &|target| Some(target / reached.latency_ms)),
            part(self.throughput, &|target| Some(reached.throughput / target)),
            part(self.first_token_ms, &|target| Some(target / reached.first_token_ms?)),
            part(self.tokens_per_s, &|target| Some(1e3 / reached.token_ms? / target)),
        ]
        .into_iter()
        .fold(f64::MAX, f64::min)
    }
}

/// Figures of a run that are compared with a target.
struct Reached {
    latency_ms: f64,
    throughput: f64,
    first_token_ms: Option<f64>,
    token_ms: Option<f64>,
}

/// Whether the model takes images.
fn is_vision(profile: &ModelProfile<'_>) -> bool {
    match profile.task {
        // What comes out is text, token by token, or compared with it.
        TaskKind::ImageTextSimilarity | TaskKind::ImageToText => false,
        TaskKind::Unknown => {
            profile.named(Role::Image).next().is_some() || resolution::own_side(profile).is_some()
        }
        task => task.is_image(),
    }
}

/// A rate with its unit: `30 images/s`.
fn per_second(rate: f64, noun: &str) -> String {
    let rate = units::rate(rate).replace("/s", "");
    format!("{} {noun}/s", rate.strip_suffix(".0").unwrap_or(&rate))
}

/// A time with its unit: `20 ms`, `1 s`.
fn duration(ms: f64) -> String {
    match ms / 1e3 {
        seconds if seconds >= 1.0 => format!("{} s", digits(seconds)),
        _ => units::time(ms),
    }
}

/// A device at one batch.
#[derive(Clone, Debug)]
struct Candidate {
    found: Requirement,
    tight: bool,
    /// How many times better than the target at the high end of the range.
    high_margin: f64,
    /// Time per token of a generative model.
    token_ms: Option<Range>,
}

/// Kernels of a run, or why there is no estimate.
type Loads = Result<Vec<Load>, String>;

/// The search for devices.
struct Search<'s> {
    memory_fit: &'s MemoryFit<'s>,
    base: &'s OperatingPoint,
    target: Target,
    /// Kernels of a run at each batch.
    loads: Vec<(u64, Loads)>,
    steps: Option<&'s GenerationSteps<'s>>,
}

/// Returns the devices that the target requires, and whether the query's device meets it.
pub(crate) fn requirements(
    memory_fit: &MemoryFit<'_>,
    base: &OperatingPoint,
    query: &HardwareQuery,
    steps: Option<&GenerationSteps<'_>>,
) -> Requirements {
    let profile = memory_fit.profile;
    let target = Target::new(profile, query, steps.is_some());
    let mut reported = Requirements {
        target: target.description(),
        target_is_default: target.is_default,
        target_latency_ms: target.latency_ms,
        target_throughput: target.throughput,
        target_first_token_ms: target.first_token_ms,
        target_tokens_per_s: target.tokens_per_s,
        ..Requirements::default()
    };
    if let Some(why) = profile.untimed() {
        reported.notes.push(format!("No device can be named: {why}."));
        return reported;
    }
    if target.is_default && profile.plan.workload.groups() > MOST_KERNELS {
        reported.notes.push(format!(
            "The catalog was not searched, because the network has {} different kernels. Set a target to \
             search it.",
            profile.plan.workload.groups()
        ));
        return reported;
    }
    // A default target is for a run as it is; a stated throughput may be reached by batching.
    let may_batch = !target.is_default && query.batch.is_none() && profile.batch.has_dimension;
    let batches: &[u64] = match target.throughput {
        Some(_) if may_batch => &BATCHES,
        _ => &[base.batch],
    };
    let loads =
        |batch: &u64| (*batch, profile.loads(&OperatingPoint { batch: *batch, ..base.clone() }));
    let loads = batches.iter().map(loads).collect();
    let search = Search { memory_fit, base, target, loads, steps };
    if let Some(device) = &query.device {
        (reported.target_met, reported.why) = search.verdict(device);
    }
    let devices = query.catalog.devices().iter();
    search.fill(devices.filter(|device| !device.id.starts_with("generic-")), &mut reported);
    reported
}

impl Search<'_> {
    /// Evaluates the devices and fills the levels.
    fn fill<'d>(&self, devices: impl Iterator<Item = &'d Device>, reported: &mut Requirements) {
        let mut candidates = Vec::new();
        for device in devices {
            reported.devices_considered += 1;
            match self.best(device) {
                Ok(candidate) => candidates.push(candidate),
                Err(_) if self.memory_fit.fit(self.base, device).fits == Some(false) => {}
                Err(_) => reported.unknown += 1,
            }
        }
        // The slowest first.
        candidates.sort_by(|one, other| one.found.margin.total_cmp(&other.found.margin));
        let has_memory = |candidate: &Candidate, times: f64| {
            candidate.found.memory_margin.is_some_and(|margin| margin >= times)
        };
        let first = |test: &dyn Fn(&Candidate) -> bool| {
            let found = candidates.iter().find(|candidate| test(candidate));
            found.map(|candidate| candidate.found.clone())
        };
        reported.minimum = first(&|candidate| candidate.found.margin >= 1.0);
        reported.recommended = first(&|candidate| {
            candidate.high_margin >= 1.0 && !candidate.tight && has_memory(candidate, 1.0)
        });
        reported.optimal =
            first(&|candidate| candidate.high_margin >= 2.0 && has_memory(candidate, 2.0));
        if reported.minimum.is_none() {
            reported.notes.push(match candidates.last() {
                Some(Candidate { found, .. }) => format!(
                    "No device of the catalog is expected to meet the target; the nearest is {}.",
                    found.name
                ),
                None => "No device of the catalog is known to run it.".to_owned(),
            });
        }
    }

    /// A device at the batch with the largest margin.
    fn best(&self, device: &Device) -> Result<Candidate, String> {
        let mut best: Result<Candidate, String> = Err("it does not fit".to_owned());
        for (batch, loads) in &self.loads {
            let at = OperatingPoint { batch: *batch, ..self.base.clone() };
            let candidate = self.candidate(&at, device, loads.as_deref().map_err(Clone::clone));
            match (&best, &candidate) {
                (Ok(known), Ok(candidate)) if candidate.found.margin <= known.found.margin => {}
                (Ok(_), Err(_)) => break,
                _ => best = candidate,
            }
        }
        best
    }

    fn candidate(
        &self,
        at: &OperatingPoint,
        device: &Device,
        loads: Result<&[Load], String>,
    ) -> Result<Candidate, String> {
        let fit = self.memory_fit.fit(at, device);
        match fit.fits {
            Some(true) => {}
            Some(false) => return Err("it does not fit".to_owned()),
            None => return Err(fit.why.unwrap_or_default()),
        }
        let estimate = self.memory_fit.profile.time(loads?, device)?;
        let latency_ms: Range = span(&estimate.graph);
        let (first_token_ms, token_ms) = match self.steps.filter(|_| self.target.is_generation()) {
            Some(steps) => {
                let (first, token) = steps.times(device);
                (Some(span(&first?)), Some(span(&token?)))
            }
            None => (None, None),
        };
        let reached = |part: fn(&Range) -> f64| Reached {
            latency_ms: part(&latency_ms),
            throughput: rate(at.batch, part(&estimate.graph)),
            first_token_ms: first_token_ms.as_ref().map(part),
            token_ms: token_ms.as_ref().map(part),
        };
        let expected = reached(|range| range.expected);
        #[expect(clippy::cast_precision_loss, reason = "a ratio needs a few digits")]
        let memory_margin = fit
            .bytes
            .filter(|bytes| *bytes > 0)
            .zip(device.memory_bytes())
            .map(|(bytes, memory)| digits(memory as f64 / bytes as f64));
        let run = RunEstimate {
            latency_ms: Some(token_ms.unwrap_or(latency_ms)),
            throughput: Some(
                token_ms.map_or(expected.throughput, |token| digits(1e3 / token.expected)),
            ),
            memory_bytes: fit.bytes,
            fits: fit.fits,
            reason: None,
        };
        Ok(Candidate {
            high_margin: self.target.margin(&reached(|range| range.high)),
            tight: fit.tight,
            token_ms,
            found: Requirement {
                id: device.id.clone(),
                name: device.name.clone(),
                batch: at.batch,
                margin: digits(self.target.margin(&expected)),
                run,
                first_token_ms,
                memory_margin,
            },
        })
    }

    /// Whether the device that was asked for meets the target, and why.
    fn verdict(&self, device: &Device) -> (Option<bool>, String) {
        let Candidate { found, high_margin, token_ms, .. } = match self.best(device) {
            Ok(candidate) => candidate,
            Err(why) => {
                let fits = self.memory_fit.fit(self.base, device).fits;
                return (fits.filter(|fits| !fits), format!("{}: {why}", device.name));
            }
        };
        let met = found.margin >= 1.0;
        let how = match (met, high_margin >= 1.0) {
            (true, true) => "met even at the high end of the range",
            (true, false) => "expected to be met, but not at the high end of the range",
            (false, _) => "not met",
        };
        let compared =
            |expected: String, target: String| format!("expected {expected}, target {target}");
        let ms =
            |expected: Range, target: f64| compared(duration(expected.expected), duration(target));
        let target = self.target;
        let rates = |expected: f64, target: f64, noun: &str| {
            compared(per_second(expected, noun), per_second(target, noun))
        };
        let parts = [
            target.latency_ms.zip(found.run.latency_ms).map(|(target, time)| ms(time, target)),
            target
                .throughput
                .zip(found.run.throughput)
                .map(|(wanted, rate)| rates(rate, wanted, target.noun)),
            target
                .tokens_per_s
                .zip(token_ms)
                .map(|(wanted, token)| rates(digits(1e3 / token.expected), wanted, "tokens")),
            target
                .first_token_ms
                .zip(found.first_token_ms)
                .map(|(target, time)| format!("first token {}", ms(time, target))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let at = match self.memory_fit.profile.batch.has_dimension {
            true => format!(" at batch {}", units::integer(found.batch)),
            false => String::new(),
        };
        (Some(met), format!("{how} on {}{at}: {}", device.name, parts.join("; ")))
    }
}
