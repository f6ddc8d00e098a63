//! How the cost lies along the order of execution.

use calipers_infer::Typed;
use calipers_ir::{Model, NodeId};
use calipers_report::{DepthStretch, Work};

use super::{add, add_work, figures};
use crate::assume::Sizes;
use crate::graph::percent;
use crate::parameters::Owners;

/// Stretches at most: as many as a picture shows apart.
const STRETCHES: usize = 64;

/// The main graph in order of execution, in stretches of as many nodes each.
pub(super) fn cut(
    model: &Model,
    typed: &Typed,
    sizes: &Sizes,
    owners: &Owners,
) -> Vec<DepthStretch> {
    let order = &model.main().order;
    let each = order.len().div_ceil(STRETCHES).max(1);
    let mut stretches: Vec<DepthStretch> = order
        .chunks(each)
        .enumerate()
        .map(|(i, nodes)| DepthStretch {
            first: (i * each) as u64,
            ..stretch(nodes, typed, sizes, owners)
        })
        .collect();
    let sum = |field: fn(&DepthStretch) -> Option<u64>| {
        let mut sum = Some(0);
        stretches.iter().for_each(|stretch| add(&mut sum, field(stretch)));
        sum.filter(|sum| *sum > 0)
    };
    let [macs, bytes, parameters] =
        [sum(|s| s.work.macs), sum(|s| s.work.bytes_moved), sum(|s| s.parameters)];
    let share = |part: Option<u64>, total: Option<u64>| {
        part.zip(total).map(|(part, total)| percent(part, total))
    };
    for stretch in &mut stretches {
        stretch.macs_percent = share(stretch.work.macs, macs);
        stretch.bytes_percent = share(stretch.work.bytes_moved, bytes);
        stretch.parameters_percent = share(stretch.parameters, parameters);
    }
    stretches
}

fn stretch(nodes: &[NodeId], typed: &Typed, sizes: &Sizes, owners: &Owners) -> DepthStretch {
    let (mut work, mut parameters) = (Work::ZERO, Some(0));
    for node in nodes {
        add(&mut parameters, owners.elements(*node));
        if let Some(Ok(tally)) = typed.cost(*node) {
            add_work(&mut work, &figures(tally, sizes));
        }
    }
    DepthStretch { nodes: nodes.len() as u64, work, parameters, ..DepthStretch::default() }
}
