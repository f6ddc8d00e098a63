//! How the graph is built: nodes, depth, initializers, subgraphs, functions.

use calipers_report::ShapeFacts;

use super::context::Context;
use super::operators;
use super::wording::{folded, joined, length, qualified};
use crate::document::Block;
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
    let mut blocks = vec![Block::Values(figures(context))];
    let local = &graph.local_functions;
    let functions = tables::functions(&local[..local.len().min(MOST)]);
    if !functions.is_empty() {
        blocks.extend([Block::heading("Functions"), Block::Table(functions)]);
    }
    blocks.extend(operators::blocks(report));
    blocks
}

/// Counts of the graph, one after another.
fn figures(context: &mut Context<'_>) -> Vec<Spans> {
    let report = context.report;
    let graph = &report.graph;
    let counted =
        |count: u64, one: &str, many: &str| Spans::plain(units::counted(count, one, many));
    let mut values = vec![counted(graph.nodes, "node", "nodes")];
    values.push(counted(length(&graph.operators), "operator", "operators"));
    if graph.nodes_total != graph.nodes {
        let all = units::integer(graph.nodes_total);
        values.push(Spans::plain(format!("{all} with subgraphs and functions")));
    }
    let depth = context.known("graph.depth", graph.depth, Value::Integer);
    values.push(Spans::plain("depth ").and_all(depth));
    values.push(counted(length(&graph.inputs), "input", "inputs"));
    values.push(counted(length(&graph.outputs), "output", "outputs"));
    values.push(counted(graph.initializers, "initializer", "initializers"));
    for (count, one, many) in [
        (graph.overridable_inputs, "overridable initializer", "overridable initializers"),
        (graph.subgraphs, "subgraph", "subgraphs"),
        (graph.functions, "function", "functions"),
    ] {
        if count > 0 {
            values.push(counted(count, one, many));
        }
    }
    let shapes = &report.shapes;
    if shapes.values > 0 {
        let all = units::counted(shapes.values, "inferred shape", "inferred shapes");
        values.push(match joined(shape_counts(shapes), ", ") {
            Some(counts) => Spans::plain(format!("{all}: ")).and_all(counts),
            None => Spans::plain(all),
        });
    }
    values
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
            Spans::toned(tone, Value::text(format!("{} {word}", units::integer(count))))
        })
        .collect()
}

/// Nodes, initializers, subgraphs, functions, depth; functions by name; shapes.
fn brief(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let graph = &report.graph;
    let mut values = vec![
        Spans::toned(Tone::Strong, Value::Integer(graph.nodes)).and_text(if graph.nodes == 1 {
            " node"
        } else {
            " nodes"
        }),
    ];
    if graph.nodes_total != graph.nodes {
        values
            .push(Spans::from(Value::Integer(graph.nodes_total)).and_text(" including subgraphs"));
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
            shapes.unknown.first().map(|unknown| {
                Block::Note(Spans::toned(Tone::Quiet, Value::prose(&unknown.reason)))
            }),
        );
    }
    blocks
}
