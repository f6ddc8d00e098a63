//! Operators, how many nodes each has, and their share.

use calipers_report::{OperatorCount, Report};

use super::context::Context;
use super::wording::{length, more};
use crate::document::Block;
use crate::{tables, units};

/// Operators that are shown; where there are more, all of them are folded beneath.
const SHOWN: usize = 12;
/// Operators that a screen shows.
const BARS: usize = 5;
/// Operators that are listed at all.
const MOST: usize = 500;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let graph = &report.graph;
    if context.is_brief() {
        return brief(operators_run(report));
    }
    if graph.operators.is_empty() {
        return vec![];
    }
    let kinds = length(&graph.operators);
    let mut blocks = vec![Block::paragraph(format!(
        "{} of {}.",
        units::counted(graph.nodes, "node", "nodes"),
        units::counted(kinds, "kind", "kinds")
    ))];
    // Folding one or two would save nothing.
    if graph.operators.len() <= SHOWN + 2 {
        blocks.push(Block::Table(tables::operators(&graph.operators)));
    } else {
        blocks.push(Block::Table(tables::operators(&graph.operators[..SHOWN])));
        blocks.push(fold(format!("All {kinds} kinds"), &graph.operators));
    }
    if graph.nodes_total != graph.nodes {
        blocks.push(fold("With subgraphs and functions".to_owned(), &graph.operators_total));
    }
    blocks
}

fn fold(summary: String, operators: &[OperatorCount]) -> Block {
    let table = tables::operators(&operators[..operators.len().min(MOST)]);
    Block::fold(summary, vec![Block::Table(table)])
}

/// The operators of a run: those of subgraphs and functions too, where there are any.
fn operators_run(report: &Report) -> &[OperatorCount] {
    match has_subgraphs(report) {
        true => &report.graph.operators_total,
        false => &report.graph.operators,
    }
}

/// Whether nodes are in subgraphs or functions.
pub(super) fn has_subgraphs(report: &Report) -> bool {
    report.graph.nodes_total != report.graph.nodes
}

/// The most frequent operators, and the rest in one line.
fn brief(operators: &[OperatorCount]) -> Vec<Block> {
    // Folding one would save nothing.
    let shown = if operators.len() > BARS + 1 { BARS } else { operators.len() };
    let (shown, rest) = operators.split_at(shown);
    let mut blocks = vec![Block::Table(tables::operators(shown).without_headings())];
    blocks.extend(more(rest.len(), ["kind", "kinds"]).map(|words| {
        let nodes: u128 = rest.iter().map(|operator| u128::from(operator.count)).sum();
        Block::Note(words.and_quiet(format!(", {}", units::counted(nodes, "node", "nodes"))))
    }));
    blocks
}
