//! Trees: forests, boosting, isolation forests.

use calipers_report::Report;

use super::super::Kind;
use super::super::wording::{family_or, lower, some};
use super::{into_classes, is_kind};

pub(in super::super) const KIND: Kind = Kind {
    name: "trees",
    is: |report| is_kind(report, "tree-ensemble"),
    noun: |report| {
        let family = lower(&family_or(report, "ensemble of trees"));
        // Boosting and bagging are ways to build one; a forest and a tree are things.
        let is_thing = ["forest", "tree", "trees"].iter().any(|thing| family.ends_with(thing));
        let family = if is_thing { family } else { format!("{family} ensemble") };
        match calipers_report::names::does(&report.task.kind) {
            Some(does) => format!("{family} that {does}"),
            None => family,
        }
    },
    built,
    run: |_| "one row".to_owned(),
};

fn built(report: &Report) -> Vec<String> {
    let facts = &report.architecture.facts;
    let classes = into_classes(report);
    match some(facts.trees.filter(|trees| *trees > 1), "tree", "trees") {
        Some(trees) if !classes.is_empty() => {
            vec![format!("It asks {trees} and sorts each row{classes}.")]
        }
        Some(trees) => vec![format!("It asks {trees} about each row.")],
        None if !classes.is_empty() => vec![format!("It sorts each row{classes}.")],
        None => Vec::new(),
    }
}
