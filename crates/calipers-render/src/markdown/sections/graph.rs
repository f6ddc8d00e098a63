//! How the graph is built: nodes, depth, initialisers, subgraphs, functions.

use calipers_report::Report;

use crate::markdown::escape::code;
use crate::markdown::grid::{Align, Table};
use crate::markdown::page::Page;
use crate::markdown::words::unknown;
use crate::units;

/// Functions that are written.
const MOST: usize = 50;

pub(super) fn write(report: &Report, page: &mut Page) {
    let graph = &report.graph;
    if graph.nodes == 0 && graph.inputs.is_empty() && graph.outputs.is_empty() {
        return;
    }
    let number = |value: usize| units::integer(u64::try_from(value).unwrap_or(u64::MAX));
    let mut table = Table::facts();
    table.fact("Nodes", units::integer(graph.nodes));
    let inside = (graph.nodes_total != graph.nodes).then(|| units::integer(graph.nodes_total));
    table.fact("Nodes with subgraphs and functions", inside);
    let depth = graph.depth.map_or_else(|| unknown(report, "graph.depth"), units::integer);
    table.fact("Depth (longest path)", depth);
    table.fact("Inputs", number(graph.inputs.len()));
    table.fact("Outputs", number(graph.outputs.len()));
    table.fact("Initialisers", units::integer(graph.initializers));
    let some = |count: u64| (count > 0).then(|| units::integer(count));
    table.fact("Inputs with a stored default", some(graph.overridable_inputs));
    table.fact("Subgraphs", some(graph.subgraphs));
    table.fact("Functions", some(graph.functions));
    let shapes = &report.shapes;
    if shapes.values > 0 {
        let told: Vec<String> =
            [(shapes.fixed, "fixed"), (shapes.symbolic, "symbolic"), (shapes.unshaped, "unknown")]
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| format!("{} {word}", units::integer(count)))
                .collect();
        let values = units::counted(shapes.values, "value", "values");
        table.fact("Shapes inside", format!("{values}: {}", told.join(", ")));
    }
    page.table(&table);

    let mut functions =
        Table::new(&[("Function", Align::Left), ("Nodes", Align::Right), ("Calls", Align::Right)]);
    for function in graph.local_functions.iter().take(MOST) {
        let name = format!("{}.{}", function.domain, function.name);
        functions.row(vec![
            code(&name),
            units::integer(function.nodes),
            units::integer(function.calls),
        ]);
    }
    if !functions.is_empty() {
        page.heading("Functions");
        page.table(&functions);
    }
}
