//! The nodes that cost most.

use super::context::Context;
use crate::document::Block;
use crate::tables;

/// Nodes that are listed, and those that a screen shows.
const MOST: usize = 10;
const SHOWN: usize = 3;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let nodes = &context.report.cost.top_nodes;
    if !context.is_brief() {
        return vec![Block::Table(tables::top_nodes(&nodes[..nodes.len().min(MOST)]))];
    }
    // Of a few nodes, the most expensive ones say nothing new.
    if nodes.len() <= SHOWN {
        return vec![];
    }
    let shown = nodes.iter().take(SHOWN).take_while(|node| node.macs.is_some_and(|macs| macs > 0));
    let shown = shown.count();
    vec![Block::Table(tables::top_nodes(&nodes[..shown]).without_headings())]
}
