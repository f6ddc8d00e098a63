//! Object detectors.

use calipers_report::{Report, TaskKind};

use super::super::Kind;
use super::super::wording::{of_family, stated_task};
use super::{attention_layers, classes, convolutions, design, image, no_notes, positions};

pub(in super::super) const KIND: Kind = Kind {
    name: "detector",
    matches: |report| stated_task(report) == TaskKind::ObjectDetection,
    noun: |report| of_family(report, "object detector"),
    figures,
    notes: no_notes,
    run: image,
};

fn figures(report: &Report) -> Vec<String> {
    let mut figures = design(report);
    figures.extend(convolutions(report).into_iter().take(1));
    figures.extend(attention_layers(report));
    figures.extend(classes(report));
    figures.extend(positions(report));
    figures
}
