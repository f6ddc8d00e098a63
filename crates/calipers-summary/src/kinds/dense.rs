//! Networks of plain layers: perceptrons, mixers.

use calipers_report::ModelKind;

use super::super::Kind;
use super::super::wording::{activation, family_or, lower, some};
use super::{into_classes, is_kind, one_run};

pub(in super::super) const KIND: Kind = Kind {
    name: "dense network",
    is: |report| is_kind(report, ModelKind::Mlp) || is_kind(report, ModelKind::Mixer),
    noun: |report| {
        let family = family_or(
            report,
            if is_kind(report, ModelKind::Mixer) { "mixer" } else { "multi-layer perceptron" },
        );
        let family = if is_kind(report, ModelKind::Mlp) { lower(&family) } else { family };
        match report.task.kind.activity() {
            Some(does) => format!("{family} that {does}"),
            None => family,
        }
    },
    built: |report| {
        let facts = &report.architecture.facts;
        let mut sentences = Vec::new();
        if let Some(layers) = some(facts.layers, "layer", "layers") {
            let activation = activation(report)
                .map_or(String::new(), |activation| format!(" with {activation}"));
            sentences.push(format!("It has {layers}{activation}."));
        }
        let classes = into_classes(report);
        if !classes.is_empty() {
            sentences.push(format!("It sorts what it is given{classes}."));
        }
        sentences
    },
    run: one_run,
};
