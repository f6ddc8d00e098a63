//! How long laying out takes, against the number of nodes: `cargo run --release -p calipers-render
//! --example layouts`. It has to grow with the nodes, and no faster.
#![allow(clippy::print_stdout, reason = "it prints its measurements")]

use std::time::Instant;

use calipers_render::graph::rooms::lay_out_rooms;
use calipers_report::{GraphView, Room, RoomEdge, RoomItem, RoomKind, ViewNode};

/// Boxes of a room, as the analysis cuts them.
const ROOM: usize = 96;

/// A graph of so many nodes in rooms of rooms; each node reads the one before and an earlier one.
fn graph(nodes: usize) -> GraphView {
    let mut view = GraphView::default();
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % below.max(1)
    };
    view.rooms.push(Room::default());
    let mut level: Vec<RoomItem> = (0..nodes).map(RoomItem::Node).collect();
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
            let next = (1..items.len()).map(|to| RoomEdge {
                from: to - 1,
                to,
                count: 1,
                ..RoomEdge::default()
            });
            let mut edges: Vec<RoomEdge> = next.collect();
            for to in 2..items.len() {
                if random(3) == 0 {
                    let from = to - 1 - random(to.min(30) - 1);
                    edges.push(RoomEdge { from, to, count: 1, ..RoomEdge::default() });
                }
            }
            let room =
                Room { kind: RoomKind::Stretch, items: items.to_vec(), edges, ..Room::default() };
            if is_last {
                view.rooms[0] = room;
            } else {
                outer.push(RoomItem::Room(view.rooms.len()));
                view.rooms.push(room);
            }
        }
        if is_last {
            return view;
        }
        level = outer;
    }
}

fn main() {
    println!("{:>9} {:>7} {:>9} {:>12}", "nodes", "rooms", "ms", "µs a node");
    for nodes in [1_000, 10_000, 100_000, 300_000] {
        let view = graph(nodes);
        let began = Instant::now();
        let sheets = lay_out_rooms(&view);
        let time = began.elapsed();
        let boxes: usize = sheets.iter().map(|room| room.sheet.boxes.len()).sum();
        assert!(boxes >= nodes);
        #[expect(clippy::cast_precision_loss, reason = "it is a measurement")]
        let each = time.as_secs_f64() * 1e6 / nodes as f64;
        println!(
            "{nodes:>9} {:>7} {:>9.1} {each:>12.2}",
            view.rooms.len(),
            time.as_secs_f64() * 1e3
        );
    }
}
