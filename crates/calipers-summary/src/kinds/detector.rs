//! Object detectors.

use calipers_report::{Report, TaskKind};

use super::super::Kind;
use super::super::wording::{counted, listed, of_family, stated_task};
use super::{attention_layers, classes, convolutions, design, image, no_notes, number};

pub(in super::super) const KIND: Kind = Kind {
    name: "detector",
    matches: |report| stated_task(report) == TaskKind::ObjectDetection,
    noun: |report| of_family(report, "object detector"),
    figures,
    notes: no_notes,
    run: image,
};

fn figures(report: &Report) -> Vec<String> {
    let facts = &report.architecture.facts;
    let mut figures = design(report);
    figures.extend(convolutions(report).into_iter().take(1));
    figures.extend(attention_layers(report));
    figures.extend(classes(report));
    if let Some(positions) = counted(facts.positions, "position", "positions") {
        let strides = facts.strides.as_deref().unwrap_or_default();
        let strides: Vec<String> = strides.iter().map(|stride| number(*stride)).collect();
        figures.push(match strides.is_empty() {
            true => positions,
            false => format!("{positions} at strides {}", listed(&strides)),
        });
    }
    figures
}
