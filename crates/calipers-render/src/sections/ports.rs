//! What goes in, what comes out, and what each free dimension means.

use calipers_report::{Binding, Port};

use super::context::Context;
use super::wording::{folded, more};
use crate::document::Block;
use crate::table::Value;
use crate::value::Spans;
use crate::{tables, units};

/// Inputs, or outputs, that are shown; where there are more, all are folded.
const SHOWN: usize = 16;
/// Inputs, or outputs, and dimensions that a screen shows.
const PORTS: usize = 6;
const DIMENSIONS: usize = 12;
/// Rows that are listed at all.
const MOST: usize = 500;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let graph = &report.graph;
    let mut blocks = vec![Block::Table(tables::interface(
        &graph.inputs[..shown(&graph.inputs)],
        &graph.outputs[..shown(&graph.outputs)],
    ))];
    for (noun, [inputs, outputs]) in
        [("inputs", [&graph.inputs[..], &[]]), ("outputs", [&[], &graph.outputs[..]])]
    {
        let [inputs, outputs] =
            [inputs, outputs].map(|side| &side[shown(side)..side.len().min(MOST)]);
        let rest = inputs.len() + outputs.len();
        if rest > 0 {
            let summary = format!("{} more {noun}", units::integer(rest as u64));
            blocks
                .push(Block::fold(summary, vec![Block::Table(tables::interface(inputs, outputs))]));
        }
    }
    blocks.push(Block::list(tables::dimension_lines(report)));
    blocks
}

/// How many inputs, or outputs, are shown at once.
fn shown(ports: &[Port]) -> usize {
    if ports.len() <= SHOWN { ports.len() } else { SHOWN / 2 }
}

/// The inputs, for a screen.
pub(super) fn inputs(context: &mut Context<'_>) -> Vec<Block> {
    few(&context.report.graph.inputs, "inputs", ["input", "inputs"], context)
}

/// The outputs, for a screen.
pub(super) fn outputs(context: &mut Context<'_>) -> Vec<Block> {
    few(&context.report.graph.outputs, "outputs", ["output", "outputs"], context)
}

fn few(ports: &[Port], side: &str, noun: [&str; 2], context: &mut Context<'_>) -> Vec<Block> {
    if ports.is_empty() {
        return vec![Block::Values(vec![Spans::quiet("none")])];
    }
    // Folding one port would save nothing.
    let shown = if ports.len() > PORTS { PORTS - 1 } else { ports.len() };
    let unknown = |i: usize, field: &str| context.unknown(&format!("graph.{side}[{i}]{field}"));
    let mut blocks = vec![Block::Table(tables::brief_ports(&ports[..shown], unknown))];
    blocks.extend(more(ports.len() - shown, noun).map(Block::Note));
    blocks
}

/// What the free dimensions were bound to, where any was, for a screen.
pub(super) fn dimensions(context: &mut Context<'_>) -> Vec<Block> {
    let bindings = &context.report.bindings;
    if !bindings.values().any(|binding| matches!(binding, Binding::Size(_))) {
        return vec![];
    }
    let noun = ["dimension", "dimensions"];
    let values = folded(bindings.iter(), DIMENSIONS, noun, |(name, binding)| {
        let name = Spans::from(Value::name(name));
        match binding {
            Binding::Size(size) => name.and_text(format!(" = {size}")),
            Binding::Free(_) => name.and_quiet(" free"),
        }
    });
    vec![Block::Values(values)]
}
