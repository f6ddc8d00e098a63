//! What goes in, what comes out, and what each free dimension means.

use calipers_report::{Port, Report};

use super::wording::length;
use crate::document::Block;
use crate::{tables, units};

/// Inputs, or outputs, that are shown; where there are more, all are folded.
const SHOWN: usize = 16;
/// Rows that are listed at all.
const MOST: usize = 500;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let graph = &report.graph;
    let mut blocks = side("Inputs", ["input", "inputs"], &graph.inputs);
    blocks.extend(side("Outputs", ["output", "outputs"], &graph.outputs));
    let dimensions = tables::dimensions(report);
    if !dimensions.is_empty() {
        blocks.extend([Block::heading("Dimensions"), Block::Table(dimensions)]);
    }
    blocks
}

fn side(heading: &str, noun: [&str; 2], ports: &[Port]) -> Vec<Block> {
    if ports.is_empty() {
        return vec![];
    }
    let mut blocks = vec![Block::heading(heading)];
    if ports.len() <= SHOWN {
        blocks.push(Block::Table(tables::ports(ports)));
        return blocks;
    }
    blocks.push(Block::Table(tables::ports(&ports[..SHOWN / 2])));
    let all = Block::Table(tables::ports(&ports[..ports.len().min(MOST)]));
    let summary = format!("All {}", units::counted(length(ports), noun[0], noun[1]));
    blocks.push(Block::fold(summary, vec![all]));
    blocks
}
