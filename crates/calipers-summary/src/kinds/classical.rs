//! Models of few steps: linear ones, support vectors, neighbours, Bayes, clusters.

use super::super::Kind;
use super::super::wording::{family_or, lower};
use super::into_classes;

/// Kinds that are told so.
const TOLD: &[&str] = &["clustering", "linear", "naive-bayes", "nearest-neighbours", "svm"];

/// A classifier and a machine are things; a regression is a way to make a model.
fn as_thing(family: String) -> String {
    let is_thing = ["classifier", "machine", "model"].iter().any(|thing| family.ends_with(thing));
    if is_thing { family } else { format!("{family} model") }
}

pub(in super::super) const KIND: Kind = Kind {
    name: "classical",
    is: |report| report.architecture.kind.as_deref().is_some_and(|kind| TOLD.contains(&kind)),
    noun: |report| {
        let kind = report.architecture.kind.as_deref().unwrap_or("classical");
        let family = match report.architecture.family.as_deref() {
            // A name of a person or of letters keeps its capital.
            Some("k-means" | "k-nearest-neighbours" | "naive-bayes") => family_or(report, kind),
            _ => lower(&family_or(report, &format!("{} model", kind.replace('-', " ")))),
        };
        match calipers_report::names::does(&report.task.kind) {
            Some(does) => format!("{} that {does}", as_thing(family)),
            None => as_thing(family),
        }
    },
    built: |report| {
        let classes = into_classes(report);
        match classes.is_empty() {
            true => Vec::new(),
            false => vec![format!("It sorts each row{classes}.")],
        }
    },
    run: |_| "one row".to_owned(),
};
