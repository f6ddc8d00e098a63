//! How long laying out takes, against the number of nodes: `cargo run --release -p calipers-render
//! --example layouts`. It has to grow with the nodes, and no faster.
#![allow(clippy::print_stdout, reason = "it prints its measurements")]

use std::time::Instant;

use calipers_render::graph::groups::lay_out_groups;
use calipers_report::{GraphGroup, GraphView, GroupEdge, GroupItem, GroupKind, ViewNode};

/// Boxes of a group, as the analysis cuts them.
const ROOM: usize = 96;

/// A graph of `nodes` nodes in nested groups; each node reads the one before and an earlier one.
fn graph(nodes: usize) -> GraphView {
    let mut view = GraphView::default();
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % below.max(1)
    };
    view.groups.push(GraphGroup::default());
    let mut level: Vec<GroupItem> = (0..nodes).map(GroupItem::Node).collect();
    view.nodes = (0..nodes)
        .map(|number| ViewNode {
            op: if number % 3 == 0 { "Conv" } else { "Add" }.into(),
            drawn: true,
            ..ViewNode::default()
        })
        .collect();
    loop {
        let is_last = level.len() <= ROOM;
        let mut outer = Vec::new();
        for items in level.chunks(ROOM) {
            let next = (1..items.len()).map(|to| GroupEdge {
                from: to - 1,
                to,
                count: 1,
                ..GroupEdge::default()
            });
            let mut edges: Vec<GroupEdge> = next.collect();
            for to in 2..items.len() {
                if random(3) == 0 {
                    let from = to - 1 - random(to.min(30) - 1);
                    edges.push(GroupEdge { from, to, count: 1, ..GroupEdge::default() });
                }
            }
            let group = GraphGroup {
                kind: GroupKind::Segment,
                items: items.to_vec(),
                edges,
                ..GraphGroup::default()
            };
            if is_last {
                view.groups[0] = group;
            } else {
                outer.push(GroupItem::GraphGroup(view.groups.len()));
                view.groups.push(group);
            }
        }
        if is_last {
            return view;
        }
        level = outer;
    }
}

fn main() {
    println!("{:>9} {:>7} {:>9} {:>12}", "nodes", "groups", "ms", "µs a node");
    for nodes in [1_000, 10_000, 100_000, 300_000] {
        let view = graph(nodes);
        let began = Instant::now();
        let sheets = lay_out_groups(&view);
        let time = began.elapsed();
        let boxes: usize = sheets.iter().map(|group| group.sheet.boxes.len()).sum();
        assert!(boxes >= nodes);
        #[expect(clippy::cast_precision_loss, reason = "it is a measurement")]
        let each = time.as_secs_f64() * 1e6 / nodes as f64;
        println!(
            "{nodes:>9} {:>7} {:>9.1} {each:>12.2}",
            view.groups.len(),
            time.as_secs_f64() * 1e3
        );
    }
}
