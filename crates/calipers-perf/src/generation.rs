//! Models that generate: the prompt, and each token after it.

use calipers_measure::assume::Role;
use calipers_report::{Generation, Range, Style};

use super::profile::{ModelProfile, OperatingPoint};
use super::query::span;
use super::scaling::rate;
use crate::devices::Device;

/// Prompt and tokens of a generative model on a device; `None` for other models.
pub(crate) fn describe(
    profile: &ModelProfile<'_>,
    base: &OperatingPoint,
    device: &Device,
) -> Option<Generation> {
    let cached = profile.cached();
    let is_decoder = profile.architecture.style == Some(Style::Decoder)
        && profile.architecture.facts.vocab.is_some();
    let context = profile.context()?;
    if !cached && !is_decoder || profile.untimed().is_some() {
        return None;
    }
    let mut reported = Generation { prompt: context, context, cached, ..Generation::default() };
    let time = |new: u64, reported: &mut Generation| -> Option<Range<f64>> {
        let at = OperatingPoint { dims: profile.lengths(context, new), ..base.clone() };
        let estimate = profile.kernels(&at).and_then(|kernels| profile.time(&kernels, device));
        match estimate {
            Ok(estimate) => Some(estimate.replayed),
            Err(why) => {
                reported.notes.push(why);
                None
            }
        }
    };
    let whole = |reported: &mut Generation| time(context, reported);
    let (first, token) = match cached {
        false => {
            reported.notes.push(
                "it keeps no keys and values, so that every token computes the whole context"
                    .to_owned(),
            );
            let run = whole(&mut reported);
            (run, run)
        }
        true if profile.named(Role::New).next().is_some() => {
            (whole(&mut reported), time(1, &mut reported))
        }
        true => {
            let token = time(1, &mut reported);
            reported.notes.push(
                "the file takes a fixed number of tokens in a run, so that a prompt takes as many \
                 runs as it has tokens"
                    .to_owned(),
            );
            #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
            let runs = context as f64;
            let times = |range: Range<f64>| Range {
                low: range.low * runs,
                expected: range.expected * runs,
                high: range.high * runs,
            };
            (token.map(times), token)
        }
    };
    reported.first_token_ms = first.as_ref().map(span);
    reported.token_ms = token.as_ref().map(span);
    reported.tokens_per_s = token.map(|token| rate(1, token.expected));
    reported.tokens_per_s_all = token.map(|token| rate(base.batch, token.expected));
    reported.notes.dedup();
    Some(reported)
}
