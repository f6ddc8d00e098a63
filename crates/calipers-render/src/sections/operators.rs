//! Operators, how many nodes each has, and their share.

use calipers_report::{OperatorCount, Report};

use super::wording::length;
use crate::document::Block;
use crate::{tables, units};

/// Operators that are shown; where there are more, all of them are folded beneath.
const SHOWN: usize = 12;
/// Operators that are listed at all.
const MOST: usize = 500;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let graph = &report.graph;
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
