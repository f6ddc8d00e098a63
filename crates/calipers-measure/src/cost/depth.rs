//! How the cost lies along the order of execution.

use calipers_ir::{Model, NodeId};
use calipers_report::{DepthSegment, Work};

use super::{NodeWork, add, add_work};
use crate::graph::percent;
use crate::parameters::Owners;

/// Segments at most: as many as a chart shows apart.
const STRETCHES: usize = 64;

/// The main graph in order of execution, in segments of as many nodes each.
pub(super) fn cut(model: &Model, node_work: &NodeWork<'_>, owners: &Owners) -> Vec<DepthSegment> {
    let order = &model.main().order;
    let each = order.len().div_ceil(STRETCHES).max(1);
    let mut segments: Vec<DepthSegment> = order
        .chunks(each)
        .enumerate()
        .map(|(i, nodes)| DepthSegment {
            first: (i * each) as u64,
            ..segment(nodes, node_work, owners)
        })
        .collect();
    let sum = |field: fn(&DepthSegment) -> Option<u64>| {
        let mut sum = Some(0);
        segments.iter().for_each(|segment| add(&mut sum, field(segment)));
        sum.filter(|sum| *sum > 0)
    };
    let [macs, bytes, parameters] =
        [sum(|s| s.work.macs), sum(|s| s.work.bytes_moved), sum(|s| s.parameters)];
    let share = |part: Option<u64>, total: Option<u64>| {
        part.zip(total).map(|(part, total)| percent(part, total))
    };
    for segment in &mut segments {
        segment.macs_percent = share(segment.work.macs, macs);
        segment.bytes_percent = share(segment.work.bytes_moved, bytes);
        segment.parameters_percent = share(segment.parameters, parameters);
    }
    segments
}

fn segment(nodes: &[NodeId], node_work: &NodeWork<'_>, owners: &Owners) -> DepthSegment {
    let (mut work, mut parameters) = (Work::ZERO, Some(0));
    for node in nodes {
        add(&mut parameters, owners.elements(*node));
        if let Some((_, own)) = node_work.cost_of(*node) {
            add_work(&mut work, &own);
        }
    }
    DepthSegment { nodes: nodes.len() as u64, work, parameters, ..DepthSegment::default() }
}
