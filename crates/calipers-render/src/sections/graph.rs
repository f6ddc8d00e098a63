//! How the graph is built: nodes, depth, initializers, subgraphs, functions.

use calipers_report::Report;

use super::wording::{length, unknown};
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::{tables, units};

/// Functions that are listed.
const MOST: usize = 50;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let graph = &report.graph;
    if graph.nodes == 0 && graph.inputs.is_empty() && graph.outputs.is_empty() {
        return vec![];
    }
    let mut blocks = vec![Block::Facts(facts(report))];
    let local = &graph.local_functions;
    let functions = tables::functions(&local[..local.len().min(MOST)]);
    if !functions.is_empty() {
        blocks.extend([Block::heading("Functions"), Block::Table(functions)]);
    }
    blocks
}

fn facts(report: &Report) -> Facts {
    let graph = &report.graph;
    let some = |count: u64| (count > 0).then_some(Value::Integer(count));
    let mut facts = Facts::default();
    facts.add("Nodes", Value::Integer(graph.nodes));
    let inside = (graph.nodes_total != graph.nodes).then_some(Value::Integer(graph.nodes_total));
    facts.add("Nodes with subgraphs and functions", inside);
    let depth = graph.depth.map_or_else(|| unknown(report, "graph.depth"), Value::Integer);
    facts.add("Depth (longest path)", depth);
    facts.add("Inputs", Value::Integer(length(&graph.inputs)));
    facts.add("Outputs", Value::Integer(length(&graph.outputs)));
    facts.add("Initialisers", Value::Integer(graph.initializers));
    facts.add("Inputs with a stored default", some(graph.overridable_inputs));
    facts.add("Subgraphs", some(graph.subgraphs));
    facts.add("Functions", some(graph.functions));
    let shapes = &report.shapes;
    if shapes.values > 0 {
        let counts: Vec<String> =
            [(shapes.fixed, "fixed"), (shapes.symbolic, "symbolic"), (shapes.unshaped, "unknown")]
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| format!("{} {word}", units::integer(count)))
                .collect();
        let values = units::counted(shapes.values, "value", "values");
        facts.add("Shapes inside", format!("{values}: {}", counts.join(", ")));
    }
    facts
}
