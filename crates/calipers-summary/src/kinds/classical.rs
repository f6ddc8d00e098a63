//! Models of few steps: linear ones, support vectors, neighbors, Bayes, clusters.

use calipers_report::{Family, ModelKind};

use super::super::Kind;
use super::super::wording::{family_or, lower};
use super::into_classes;

/// Kinds that are reported so.
const TOLD: &[ModelKind] = &[
    ModelKind::Clustering,
    ModelKind::Linear,
    ModelKind::NaiveBayes,
    ModelKind::NearestNeighbors,
    ModelKind::Svm,
];

/// A classifier and a machine are things; a regression is a way to make a model.
fn as_thing(family: String) -> String {
    let is_thing = ["classifier", "machine", "model"].iter().any(|thing| family.ends_with(thing));
    if is_thing { family } else { format!("{family} model") }
}

pub(in super::super) const KIND: Kind = Kind {
    name: "classical",
    is: |report| report.architecture.kind.is_some_and(|kind| TOLD.contains(&kind)),
    noun: |report| {
        let kind = report.architecture.kind.map_or("classical", ModelKind::id);
        let family = match report.architecture.family {
            // A name of a person or of letters keeps its capital.
            Some(Family::KMeans | Family::KNearestNeighbors | Family::NaiveBayes) => {
                family_or(report, kind)
            }
            _ => lower(&family_or(report, &format!("{} model", kind.replace('-', " ")))),
        };
        match report.task.kind.activity() {
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
