//! The nodes that cost most.

use calipers_report::Report;

use crate::document::Block;
use crate::tables;

/// Nodes that are listed.
const MOST: usize = 10;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let nodes = &report.cost.dearest;
    vec![Block::Table(tables::top_nodes(&nodes[..nodes.len().min(MOST)]))]
}
