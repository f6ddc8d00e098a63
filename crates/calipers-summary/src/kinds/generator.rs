//! Decoders that generate text, token by token.

use calipers_report::units;
use calipers_report::{Report, Style, TaskKind};

use super::super::Kind;
use super::super::wording::{of_family, stated_task};
use super::{attention_layers, for_task, is_style, sequence, vocabulary};

pub(in super::super) const KIND: Kind = Kind {
    name: "generator",
    matches: |report| {
        stated_task(report) == TaskKind::TextGeneration || is_style(report, Style::Decoder)
    },
    noun: |report| for_task(report, &of_family(report, "decoder")),
    figures: |report| attention_layers(report).into_iter().chain(vocabulary(report)).collect(),
    notes,
    run,
};

fn notes(report: &Report) -> Vec<String> {
    let is_generator = stated_task(report) == TaskKind::TextGeneration;
    match report.memory.kv_cache {
        None if is_generator => {
            vec!["Without a KV cache, each new token recomputes the whole sequence.".to_owned()]
        }
        _ => Vec::new(),
    }
}

/// With a cache, a run is a decoding step.
fn run(report: &Report) -> String {
    match report.memory.kv_cache.as_ref().and_then(|cache| cache.context) {
        Some(context) => {
            format!("one decoding step at a context of {} tokens", units::integer(context))
        }
        None => sequence(report),
    }
}
