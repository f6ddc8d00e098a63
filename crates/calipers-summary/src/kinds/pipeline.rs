//! Several steps in one file: preparation and a model behind it.

use calipers_report::ModelKind;

use super::super::wording::listed;
use super::super::{Kind, names};
use super::{into_classes, is_kind};

/// Operators that are named.
const MOST: usize = 4;

pub(in super::super) const KIND: Kind = Kind {
    name: "pipeline",
    is: |report| is_kind(report, ModelKind::Pipeline),
    noun: |report| match report.task.kind.activity() {
        Some(does) => format!("pipeline that {does}"),
        None if report.graph.nodes == 1 => "pipeline of a single step".to_owned(),
        None => "pipeline of several steps".to_owned(),
    },
    built: |report| {
        let known = report.graph.operators.iter().filter_map(|row| names::operator(&row.op));
        let steps: Vec<String> = known.take(MOST).map(str::to_owned).collect();
        let classes = into_classes(report);
        let mut sentences = Vec::new();
        match (steps.as_slice(), report.graph.nodes) {
            ([], _) => {}
            ([step], 1) => sentences.push(format!("Its only operator is {step}.")),
            (steps, _) => sentences
                .push(format!("Its steps are in one graph, with operators {}.", listed(steps))),
        }
        if !classes.is_empty() {
            sentences.push(format!("It sorts each row{classes}."));
        }
        sentences
    },
    run: |_| "one row".to_owned(),
};
