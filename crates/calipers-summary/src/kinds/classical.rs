//! Classical models: linear models, SVMs, nearest neighbors, naive Bayes, clustering.

use calipers_report::{Family, ModelKind};

use super::super::Kind;
use super::super::wording::{family_or, in_sentence, stated_family};
use super::{classes, for_task, no_notes, one_row};

/// Kinds that are described so.
const CLASSICAL: &[ModelKind] = &[
    ModelKind::Clustering,
    ModelKind::Linear,
    ModelKind::NaiveBayes,
    ModelKind::NearestNeighbors,
    ModelKind::Svm,
];

/// The name as that of a model: `linear classifier`, but `logistic regression model`.
fn as_model(family: String) -> String {
    let is_model = ["classifier", "machine", "model"].iter().any(|noun| family.ends_with(noun));
    if is_model { family } else { format!("{family} model") }
}

pub(in super::super) const KIND: Kind = Kind {
    name: "classical",
    matches: |report| report.architecture.kind.is_some_and(|kind| CLASSICAL.contains(&kind)),
    noun: |report| {
        let kind = report.architecture.kind.map_or("classical", ModelKind::id);
        let family = match stated_family(report) {
            // A person's name and an initial keep their case.
            Some(Family::KMeans | Family::KNearestNeighbors | Family::NaiveBayes) => {
                family_or(report, kind)
            }
            _ => in_sentence(&family_or(report, &format!("{} model", kind.replace('-', " ")))),
        };
        for_task(report, &as_model(family))
    },
    figures: |report| classes(report).into_iter().collect(),
    notes: no_notes,
    run: one_row,
};
