//! Models of no other kind: only what the graph shows.

use calipers_report::units;
use calipers_report::{GraphOrigin, ModelKind, Report};

use super::super::Kind;
use super::super::wording::{family_or, in_sentence, stated_family};
use super::{attention_layers, for_task, one_run, operators};

/// Operators that are named.
const MOST: usize = 3;

/// What a model of no known kind is called.
pub(in super::super) const UNRECOGNIZED: &str = "unrecognized architecture";

pub(in super::super) const KIND: Kind = Kind {
    name: "other",
    matches: |_| true,
    noun: |report| match report.architecture.kind {
        Some(kind) => {
            let name = family_or(report, &in_sentence(kind.display_name()));
            // A family alone may be an adjective.
            let is_family = stated_family(report).is_some() && kind == ModelKind::Transformer;
            let name = if is_family { format!("{name} transformer") } else { name };
            for_task(report, &name)
        }
        None => match (report.model.graph_origin, &report.architecture.variant) {
            (GraphOrigin::Absent, Some(variant)) => format!("weights of {variant}"),
            (GraphOrigin::Absent, None) => "weights without a graph".to_owned(),
            _ => UNRECOGNIZED.to_owned(),
        },
    },
    figures: attention_layers,
    notes,
    run: one_run,
};

fn notes(report: &Report) -> Vec<String> {
    let graph = &report.graph;
    let is_absent = report.model.graph_origin == GraphOrigin::Absent;
    if report.architecture.kind.is_some() || is_absent {
        return Vec::new();
    }
    if graph.nodes == 0 {
        return vec!["The graph has no nodes.".to_owned()];
    }
    let operators = operators(report, MOST);
    let nodes = units::counted(graph.nodes, "node", "nodes");
    vec![match operators.as_str() {
        "" => format!("The graph has {nodes}, all with unknown operators."),
        operators if graph.nodes == 1 => format!("The graph has {nodes}: {operators}."),
        operators => format!("The graph has {nodes}, most often {operators}."),
    }]
}
