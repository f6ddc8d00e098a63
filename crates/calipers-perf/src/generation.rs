//! Generative models: the time to the first token, and per token after it.

use calipers_measure::assume::Role;
use calipers_report::{Generation, Range, Style};

use super::estimate::NoEstimate;
use super::profile::{ModelProfile, OperatingPoint};
use super::query::span;
use super::scaling::rate;
use super::workload::Load;
use crate::devices::Device;

type Loads = Result<Vec<Load>, NoEstimate>;

/// The runs of a generative model, evaluated once for all devices.
pub(crate) struct GenerationSteps<'p> {
    profile: &'p ModelProfile<'p>,
    context: u64,
    batch: u64,
    /// The run that computes the whole prompt; `None` where it takes a run per token.
    prompt: Option<Loads>,
    /// The run that computes one token; `None` where it computes the whole context again.
    token: Option<Loads>,
    note: Option<&'static str>,
}

impl<'p> GenerationSteps<'p> {
    /// The runs of a generative model; `None` for other models.
    pub(crate) fn new(profile: &'p ModelProfile<'p>, base: &OperatingPoint) -> Option<Self> {
        let cached = profile.cached();
        let is_decoder = profile.architecture.style == Some(Style::Decoder)
            && profile.architecture.facts.vocab.is_some();
        let context = profile.context()?;
        if !cached && !is_decoder || profile.untimed().is_some() {
            return None;
        }
        let kernels = |new: u64| {
            let dims = profile.lengths(context, new);
            profile.loads(&OperatingPoint { dims, ..base.clone() })
        };
        let (prompt, token, note) = match cached {
            false => {
                let note = "Without a KV cache, every token computes the whole context.";
                (Some(kernels(context)), None, Some(note))
            }
            true if profile.named(Role::New).next().is_some() => {
                (Some(kernels(context)), Some(kernels(1)), None)
            }
            true => {
                let note = "The file fixes the number of tokens per run, so a prompt takes one run \
                            per token.";
                (None, Some(kernels(1)), Some(note))
            }
        };
        Some(Self { profile, context, batch: base.batch, prompt, token, note })
    }

    /// The time to the first token and per token on a device, in seconds.
    pub(crate) fn times(
        &self,
        device: &Device,
    ) -> (Result<Range, NoEstimate>, Result<Range, NoEstimate>) {
        let time = |kernels: &Loads| -> Result<Range, NoEstimate> {
            let kernels = kernels.as_ref().map_err(Clone::clone)?;
            Ok(self.profile.time(kernels, device)?.graph)
        };
        match (&self.prompt, &self.token) {
            (Some(prompt), Some(token)) => (time(prompt), time(token)),
            (Some(prompt), None) => {
                let run = time(prompt);
                (run.clone(), run)
            }
            (None, Some(token)) => {
                let token = time(token);
                (token.clone().map(|token| times(token, self.context)), token)
            }
            (None, None) => (Err(String::new()), Err(String::new())),
        }
    }

    /// The report's section on generation.
    pub(crate) fn report(&self, device: &Device) -> Generation {
        let (first, token) = self.times(device);
        let mut notes: Vec<String> = self.note.map(str::to_owned).into_iter().collect();
        notes.extend([&first, &token].into_iter().filter_map(|time| time.as_ref().err()).cloned());
        notes.dedup();
        let (first, token) = (first.ok(), token.ok());
        Generation {
            prompt: self.context,
            context: self.context,
            cached: self.profile.cached(),
            first_token_ms: first.as_ref().map(span),
            token_ms: token.as_ref().map(span),
            tokens_per_s: token.map(|token| rate(1, token.expected)),
            tokens_per_s_all: token.map(|token| rate(self.batch, token.expected)),
            notes,
        }
    }
}

/// A time, repeated.
fn times(range: Range, runs: u64) -> Range {
    #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
    let runs = runs as f64;
    Range { low: range.low * runs, expected: range.expected * runs, high: range.high * runs }
}
