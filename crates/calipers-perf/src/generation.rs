//! Models that generate: the prompt, and each token after it.

use calipers_measure::assume::Role;
use calipers_report::{Generation, Range, Style};

use super::answer::span;
use super::scaling::rate;
use super::subject::{At, Subject};
use crate::devices::Device;

/// Prompt and tokens of a generative model on a device; `None` for other models.
pub(crate) fn describe(subject: &Subject<'_>, base: &At, device: &Device) -> Option<Generation> {
    let cached = subject.cached();
    let is_decoder = subject.architecture.style == Some(Style::Decoder)
        && subject.architecture.facts.vocab.is_some();
    let context = subject.context()?;
    if !cached && !is_decoder || subject.untimed().is_some() {
        return None;
    }
    let mut told = Generation { prompt: context, context, cached, ..Generation::default() };
    let time = |new: u64, told: &mut Generation| -> Option<Range<f64>> {
        let at = At { dims: subject.lengths(context, new), ..base.clone() };
        let estimate = subject.kernels(&at).and_then(|kernels| subject.time(&kernels, device));
        match estimate {
            Ok(estimate) => Some(estimate.replayed),
            Err(why) => {
                told.notes.push(why);
                None
            }
        }
    };
    let whole = |told: &mut Generation| time(context, told);
    let (first, token) = match cached {
        false => {
            told.notes.push(
                "it keeps no keys and values, so that every token computes the whole context"
                    .to_owned(),
            );
            let run = whole(&mut told);
            (run, run)
        }
        true if subject.named(Role::New).next().is_some() => (whole(&mut told), time(1, &mut told)),
        true => {
            let token = time(1, &mut told);
            told.notes.push(
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
    told.first_token_ms = first.as_ref().map(span);
    told.token_ms = token.as_ref().map(span);
    told.tokens_per_s = token.map(|token| rate(1, token.expected));
    told.tokens_per_s_all = token.map(|token| rate(base.batch, token.expected));
    told.notes.dedup();
    Some(told)
}
