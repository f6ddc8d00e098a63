//! The graph as rooms: every node stands in one of them, arrows say what the file says, no room holds
//! too much, and sums are those of the report.
use std::collections::HashSet;

use calipers::{Bindings, Question};
use calipers_report::{GraphView, Report, RoomItem, RoomKind};
use calipers_testkit::{Corpus, Outcome, fixture};

use crate::support::explore;

calipers_testkit::tests! {
    test: [
        hostile_files_are_cut_into_rooms_as_well,
        repeats_are_rooms_with_a_room_for_each,
        subgraphs_are_rooms_of_the_node_that_holds_them,
        the_same_model_gives_the_same_view,
        a_long_chain_is_cut_into_stretches,
    ];
    each_corpus: [every_model_is_cut_into_rooms];
}

/// Boxes that a room may hold: 96, and those for what comes in and goes out.
const MOST: usize = 98;

fn look(path: &std::path::Path) -> (Report, GraphView) {
    let model = calipers::Model::open(path).unwrap();
    explore(&model, &Bindings::default(), &Question::default()).unwrap()
}

fn check(name: &str, report: &Report, view: &GraphView) {
    assert_eq!(view.rooms[0].kind, RoomKind::Graph, "{name}");
    let mut seen = HashSet::new();
    for (number, room) in view.rooms.iter().enumerate() {
        assert!(room.items.len() <= MOST, "{name}: room {number} holds {}", room.items.len());
        let boxes: HashSet<&RoomItem> = room.items.iter().collect();
        assert_eq!(boxes.len(), room.items.len(), "{name}: a box stands twice in room {number}");
        for item in &room.items {
            match item {
                RoomItem::Node(node) => {
                    assert!(seen.insert(*node), "{name}: node {node} stands in two rooms");
                    assert_eq!(view.nodes[*node].room, number, "{name}");
                }
                RoomItem::Room(inner) => {
                    assert!(*inner > number, "{name}: room {inner} stands before its parent");
                    assert_eq!(view.rooms[*inner].parent, Some(number), "{name}");
                }
                RoomItem::Input(value) | RoomItem::Output(value) => {
                    assert!(*value < view.values.len(), "{name}");
                }
                RoomItem::Entry | RoomItem::Exit => {}
            }
        }
        for edge in &room.edges {
            assert!(edge.from < room.items.len() && edge.to < room.items.len(), "{name}");
            assert!(!edge.values.is_empty() && edge.count >= edge.values.len() as u64, "{name}");
            assert_ne!(room.items[edge.from], RoomItem::Exit, "{name}");
            assert_ne!(room.items[edge.to], RoomItem::Entry, "{name}");
        }
    }
    let drawn = view.nodes.iter().filter(|node| node.drawn).count();
    assert_eq!(seen.len(), drawn, "{name}: every node that is drawn stands somewhere");
    assert_eq!(view.rooms[0].nodes, report.graph.nodes, "{name}");
    arrows(name, view);
    if report.cost.unknown_count == 0 && report.cost.macs.is_some() {
        let all = view.rooms[0].macs.or(Some(0));
        assert_eq!(all, report.cost.macs, "{name}");
    }
}

/// Whether a node that reads what another gives is joined with it in the room that both stand in.
fn arrows(name: &str, view: &GraphView) {
    let mut givers = vec![None; view.values.len()];
    for (number, node) in view.nodes.iter().enumerate().filter(|(_, node)| node.drawn) {
        for value in node.outputs.iter().flatten() {
            givers[*value] = Some(number);
        }
    }
    let mut joined = HashSet::new();
    for room in &view.rooms {
        for edge in &room.edges {
            joined.insert((room.items[edge.from], room.items[edge.to]));
        }
    }
    for (number, node) in view.nodes.iter().enumerate().filter(|(_, node)| node.drawn) {
        for giver in node.inputs.iter().flatten().filter_map(|value| givers[*value]) {
            let from = view.nodes[giver].room;
            let pair = match from == node.room {
                true if giver == number => continue,
                true => (RoomItem::Node(giver), RoomItem::Node(number)),
                // From another room it comes in by the door, or from a room beside.
                false => {
                    let enters = joined.contains(&(RoomItem::Entry, RoomItem::Node(number)));
                    let beside = view.rooms[node.room].items.iter().any(|item| {
                        matches!(item, RoomItem::Room(_))
                            && joined.contains(&(*item, RoomItem::Node(number)))
                    });
                    assert!(enters || beside, "{name}: nothing leads to node {number}");
                    continue;
                }
            };
            assert!(joined.contains(&pair), "{name}: node {giver} does not lead to {number}");
        }
    }
}

fn every_model_is_cut_into_rooms(corpus: &Corpus) -> Outcome {
    for path in corpus.models() {
        let (report, view) = look(&path);
        check(&path.display().to_string(), &report, &view);
    }
    Ok(())
}

fn hostile_files_are_cut_into_rooms_as_well() {
    for path in Corpus::repository().hostile() {
        let Ok(model) = calipers::Model::open(&path) else { continue };
        let explored = explore(&model, &Bindings::default(), &Question::default());
        let (report, view) = explored.unwrap();
        check(&path.display().to_string(), &report, &view);
    }
}

fn repeats_are_rooms_with_a_room_for_each() {
    let (_, view) = look(&fixture("zoo/bert_tiny_cls_op17.onnx"));
    // The network has two layers, see its facts.
    let repeat = view.rooms.iter().find(|room| room.kind == RoomKind::Repeat).unwrap();
    assert_eq!(repeat.times, Some(2));
    let turns = repeat.items.iter().filter(|item| matches!(item, RoomItem::Room(_)));
    assert_eq!(turns.count(), 2);
}

fn subgraphs_are_rooms_of_the_node_that_holds_them() {
    let (_, view) = look(&fixture("zoo/script_loop_if_op17.onnx"));
    let holder = view.nodes.iter().find(|node| node.op == "Loop").unwrap();
    let [body] = holder.rooms[..] else { panic!("a loop has one body") };
    assert_eq!(view.rooms[body].kind, RoomKind::Subgraph);
    assert_eq!(view.rooms[body].parent, Some(holder.room));
}

fn the_same_model_gives_the_same_view() {
    let path = fixture("zoo/detr_tiny_op17.onnx");
    assert_eq!(look(&path), look(&path));
}

fn a_long_chain_is_cut_into_stretches() {
    use calipers_samples::{DataType::F32, ModelBuilder};
    let mut chain = ModelBuilder::new(17);
    chain.input("v0", F32, &["4"]).output("v2000", F32, &["4"]);
    for number in 0..2000 {
        // Nothing repeats in a row of two kinds that change places.
        let op = if number * number % 7 < 3 { "Erf" } else { "Tanh" };
        chain.node(op, &[&format!("v{number}")], &[&format!("v{}", number + 1)], &[]);
    }
    let model = calipers::Model::read(chain.build(), "chain.onnx").unwrap();
    let (report, view) = explore(&model, &Bindings::default(), &Question::default()).unwrap();
    check("chain", &report, &view);
    assert_eq!(view.rooms[0].nodes, 2000);
    // 2,000 boxes by 96 are 21 stretches.
    let stretches = view.rooms.iter().filter(|room| room.kind == RoomKind::Stretch);
    assert!(stretches.count() >= 20, "{} rooms", view.rooms.len());
}
