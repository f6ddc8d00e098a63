//! The nodes that cost most.

use calipers_report::{Cost, TopGroup};

use super::context::Context;
use crate::document::Block;
use crate::repeats::repeated;
use crate::value::Spans;
use crate::{tables, units};

/// Groups of nodes that a card lists, and nodes that a screen shows.
const MOST: usize = 6;
const SHOWN: usize = 3;

/// The most expensive nodes of a card, those that are alike together.
pub(super) fn groups(cost: &Cost) -> Vec<Spans> {
    let line = |group: &TopGroup| {
        let each = if group.count > 1 { " each" } else { "" };
        let macs = units::operations(group.macs, "MACs");
        let words = repeated(&group.nodes, group.count).and_text(format!(": {macs}{each}"));
        match group.percent {
            // Shares have two decimals; what is less is not nothing.
            Some(share) => words.and_text(format!(", {}", units::percent(share.max(0.001)))),
            None => words,
        }
    };
    cost.top_groups.iter().take(MOST).map(line).collect()
}

/// The most expensive nodes, for a screen.
pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let nodes = &context.report.cost.top_nodes;
    // Of a few nodes, the most expensive ones say nothing new.
    if nodes.len() <= SHOWN {
        return vec![];
    }
    let shown = nodes.iter().take(SHOWN).take_while(|node| node.macs.is_some_and(|macs| macs > 0));
    let shown = shown.count();
    vec![Block::Table(tables::top_nodes(&nodes[..shown]).without_headings())]
}
