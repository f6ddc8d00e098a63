//! Tree ensembles: forests, boosting, isolation forests.

use calipers_report::ModelKind;

use super::super::Kind;
use super::super::wording::{counted, family_or, in_sentence};
use super::{classes, for_task, is_kind, no_notes, one_row};

pub(in super::super) const KIND: Kind = Kind {
    name: "trees",
    matches: |report| is_kind(report, ModelKind::TreeEnsemble),
    noun: |report| {
        let family = in_sentence(&family_or(report, "tree ensemble"));
        // Boosting and bagging are methods; a forest and a tree are models.
        let nouns = ["ensemble", "forest", "tree"];
        let is_model = nouns.iter().any(|noun| family.ends_with(noun));
        let family = if is_model { family } else { format!("{family} ensemble") };
        for_task(report, &family)
    },
    figures: |report| {
        let trees = report.architecture.facts.trees.filter(|trees| *trees > 1);
        counted(trees, "tree", "trees").into_iter().chain(classes(report)).collect()
    },
    notes: no_notes,
    run: one_row,
};
