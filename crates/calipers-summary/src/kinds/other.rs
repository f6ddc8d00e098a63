//! Whatever is none of the others: what the graph shows is reported, and no more.

use calipers_report::units;
use calipers_report::{ModelKind, Report};

use super::super::wording::{listed, of_family};
use super::super::{Kind, names};
use super::{attention_layers, one_run};

/// Operators that are named.
const MOST: usize = 3;

pub(in super::super) const KIND: Kind = Kind {
    name: "other",
    is: |_| true,
    noun: |report| match (report.architecture.kind.map(ModelKind::id), report.task.kind.activity())
    {
        (Some(kind), Some(does)) => {
            format!("{} that {does}", of_family(report, &kind.replace('-', " ")))
        }
        (Some(kind), None) => of_family(report, &kind.replace('-', " ")),
        (None, _) => "model of no kind that is known".to_owned(),
    },
    built,
    run: one_run,
};

fn built(report: &Report) -> Vec<String> {
    let mut sentences: Vec<String> = attention_layers(report).into_iter().collect();
    let graph = &report.graph;
    if graph.nodes == 0 {
        sentences.push("Its graph has no nodes.".to_owned());
        return sentences;
    }
    let known = graph.operators.iter().filter_map(|row| names::operator(&row.op));
    let operators: Vec<String> = known.take(MOST).map(str::to_owned).collect();
    let nodes = units::counted(graph.nodes, "node", "nodes");
    sentences.push(match operators.as_slice() {
        [] => format!("Its graph has {nodes}, of operators that are not known."),
        [only] if graph.nodes == 1 => format!("Its graph has {nodes}, of operator {only}."),
        operators => format!("Its graph has {nodes}, with {} the commonest.", listed(operators)),
    });
    sentences
}
