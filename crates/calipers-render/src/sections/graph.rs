//! How the graph is built: nodes, depth, initializers, subgraphs, functions.

use calipers_report::ShapeFacts;

use super::context::Context;
use super::wording::{folded, length, qualified};
use crate::document::{Block, Facts};
use crate::table::{Tone, Value};
use crate::value::Spans;
use crate::{tables, units};

/// Functions that are listed, and those that a screen shows.
const MOST: usize = 50;
const SHOWN: usize = 3;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let graph = &report.graph;
    if context.is_brief() {
        return brief(context);
    }
    if graph.nodes == 0 && graph.inputs.is_empty() && graph.outputs.is_empty() {
        return vec![];
    }
    let mut blocks = vec![Block::Facts(facts(context))];
    let local = &graph.local_functions;
    let functions = tables::functions(&local[..local.len().min(MOST)]);
    if !functions.is_empty() {
        blocks.extend([Block::heading("Functions"), Block::Table(functions)]);
    }
    blocks
}

fn facts(context: &mut Context<'_>) -> Facts {
    let report = context.report;
    let graph = &report.graph;
    let some = |count: u64| (count > 0).then_some(Value::Integer(count));
    let mut facts = Facts::default();
    facts.add("Nodes", Value::Integer(graph.nodes));
    let inside = (graph.nodes_total != graph.nodes).then_some(Value::Integer(graph.nodes_total));
    facts.add("Nodes with subgraphs and functions", inside);
    let depth = context.known("graph.depth", graph.depth, Value::Integer);
    facts.add("Depth (longest path)", depth);
    facts.add("Inputs", Value::Integer(length(&graph.inputs)));
    facts.add("Outputs", Value::Integer(length(&graph.outputs)));
    facts.add("Initializers", Value::Integer(graph.initializers));
    facts.add("Inputs with a stored default", some(graph.overridable_inputs));
    facts.add("Subgraphs", some(graph.subgraphs));
    facts.add("Functions", some(graph.functions));
    let shapes = &report.shapes;
    if shapes.values > 0 {
        let counts = Spans::joined(shape_counts(shapes), ", ");
        let values = units::counted(shapes.values, "value", "values");
        facts.add("Shapes inside", Spans::plain(format!("{values}: ")).and_all(counts));
    }
    facts
}

/// How many values have a shape.
fn shape_counts(shapes: &ShapeFacts) -> Vec<Spans> {
    let counts = [
        (shapes.fixed, Tone::Plain, "fixed"),
        (shapes.symbolic, Tone::Plain, "symbolic"),
        (shapes.unshaped, Tone::Warning, "unknown"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    counts
        .map(|(count, tone, word)| {
            Spans::of(tone, Value::text(format!("{} {word}", units::integer(count))))
        })
        .collect()
}

/// Nodes, initializers, subgraphs, functions, depth; functions by name; shapes.
fn brief(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let graph = &report.graph;
    let mut values =
        vec![Spans::of(Tone::Strong, Value::Integer(graph.nodes)).and_text(if graph.nodes == 1 {
            " node"
        } else {
            " nodes"
        })];
    if graph.nodes_total != graph.nodes {
        values.push(Spans::from(Value::Integer(graph.nodes_total)).and_text(" in all graphs"));
    }
    values.push(Spans::plain(units::counted(graph.initializers, "initializer", "initializers")));
    // Before version 4 every initializer had to be an input too, which says nothing of the model.
    if graph.overridable_inputs > 0 && report.model.ir_version.is_none_or(|version| version >= 4) {
        let inputs = units::counted(graph.overridable_inputs, "input", "inputs");
        values.push(Spans::plain(format!("{inputs} with a default")));
    }
    for (count, one, many) in
        [(graph.subgraphs, "subgraph", "subgraphs"), (graph.functions, "function", "functions")]
    {
        if count > 0 {
            values.push(Spans::plain(units::counted(count, one, many)));
        }
    }
    let depth = context.known("graph.depth", graph.depth, Value::Integer);
    values.push(Spans::plain("depth ").and_all(depth));
    let functions = graph.local_functions.iter();
    let functions = folded(functions, SHOWN, ["function", "functions"], |function| {
        let nodes = units::counted(function.nodes, "node", "nodes");
        let calls = units::counted(function.calls, "call", "calls");
        Spans::from(qualified(&function.name, &function.domain))
            .and_quiet(format!(" {nodes}, {calls}"))
    });
    let mut blocks = vec![Block::Values(values), Block::Values(functions)];
    let shapes = &report.shapes;
    if shapes.values > 0 {
        let mut counts = shape_counts(shapes);
        if let Some(first) = counts.first_mut() {
            let all = units::counted(shapes.values, "value", "values");
            *first = Spans::quiet(format!("shapes of {all}: ")).and_all(first.clone());
        }
        blocks.push(Block::Values(counts));
        blocks.extend(
            shapes
                .unknown
                .first()
                .map(|unknown| Block::Note(Spans::of(Tone::Quiet, Value::prose(&unknown.reason)))),
        );
    }
    blocks
}
