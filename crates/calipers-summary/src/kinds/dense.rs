//! Networks of linear layers: perceptrons and mixers.

use calipers_report::ModelKind;

use super::super::Kind;
use super::super::wording::{counted, family_or, in_sentence};
use super::{classes, for_task, is_kind, no_notes, one_run};

pub(in super::super) const KIND: Kind = Kind {
    name: "dense network",
    matches: |report| is_kind(report, ModelKind::Mlp) || is_kind(report, ModelKind::Mixer),
    noun: |report| {
        let is_mixer = is_kind(report, ModelKind::Mixer);
        let name = if is_mixer { "mixer" } else { "multilayer perceptron" };
        let family = family_or(report, name);
        for_task(report, &if is_mixer { family } else { in_sentence(&family) })
    },
    figures: |report| {
        let layers = counted(report.architecture.facts.layers, "layer", "layers");
        layers.into_iter().chain(classes(report)).collect()
    },
    notes: no_notes,
    run: one_run,
};
