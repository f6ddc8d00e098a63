//! The graph as groups: every node is in one of them, arrows say what the file says, no group holds
//! too much, and sums are those of the report.
use std::collections::HashSet;

use calipers::{Bindings, HardwareQuery};
use calipers_report::{GraphView, GroupItem, GroupKind, OperatorGroup, Report};
use calipers_testkit::{Corpus, Outcome, fixture};

use crate::support::explore;

calipers_testkit::tests! {
    test: [
        hostile_files_are_cut_into_groups_as_well,
        repeats_are_groups_with_a_group_for_each,
        repeats_count_the_nodes_that_the_architecture_counts,
        nodes_have_a_class_and_the_defaults_of_their_operator,
        subgraphs_are_groups_of_the_node_that_holds_them,
        the_same_model_gives_the_same_view,
        a_long_chain_is_cut_into_segments,
    ];
    each_corpus: [every_model_is_cut_into_groups];
}

/// Boxes that a group may hold: 96, and those for what comes in and goes out.
const MOST: usize = 98;

fn explored(path: &std::path::Path) -> (Report, GraphView) {
    let model = calipers::Model::open(path).unwrap();
    explore(&model, &Bindings::default(), &HardwareQuery::default()).unwrap()
}

fn check(name: &str, report: &Report, view: &GraphView) {
    assert_eq!(view.groups[0].kind, GroupKind::Graph, "{name}");
    let mut seen = HashSet::new();
    for (number, group) in view.groups.iter().enumerate() {
        assert!(group.items.len() <= MOST, "{name}: group {number} holds {}", group.items.len());
        let boxes: HashSet<&GroupItem> = group.items.iter().collect();
        assert_eq!(boxes.len(), group.items.len(), "{name}: a box is twice in group {number}");
        for item in &group.items {
            match item {
                GroupItem::Node(node) => {
                    assert!(seen.insert(*node), "{name}: node {node} is in two groups");
                    assert_eq!(view.nodes[*node].group, number, "{name}");
                }
                GroupItem::GraphGroup(inner) => {
                    assert!(*inner > number, "{name}: group {inner} is before its parent");
                    assert_eq!(view.groups[*inner].parent, Some(number), "{name}");
                }
                GroupItem::Input(value) | GroupItem::Output(value) => {
                    assert!(*value < view.values.len(), "{name}");
                }
                GroupItem::Entry | GroupItem::Exit => {}
            }
        }
        for edge in &group.edges {
            assert!(edge.from < group.items.len() && edge.to < group.items.len(), "{name}");
            assert!(!edge.values.is_empty() && edge.count >= edge.values.len() as u64, "{name}");
            assert_ne!(group.items[edge.from], GroupItem::Exit, "{name}");
            assert_ne!(group.items[edge.to], GroupItem::Entry, "{name}");
        }
    }
    let drawn = view.nodes.iter().filter(|node| node.drawn).count();
    assert_eq!(seen.len(), drawn, "{name}: every node that is drawn is somewhere");
    assert_eq!(view.groups[0].nodes, report.graph.nodes, "{name}");
    arrows(name, view);
    if report.cost.unknown_count == 0 && report.cost.macs.is_some() {
        let all = view.groups[0].macs.or(Some(0));
        assert_eq!(all, report.cost.macs, "{name}");
    }
}

/// Whether a node that reads what another gives is joined with it in the group that both are in.
fn arrows(name: &str, view: &GraphView) {
    let mut givers = vec![None; view.values.len()];
    for (number, node) in view.nodes.iter().enumerate().filter(|(_, node)| node.drawn) {
        for value in node.outputs.iter().flatten() {
            givers[*value] = Some(number);
        }
    }
    let mut joined = HashSet::new();
    for group in &view.groups {
        for edge in &group.edges {
            joined.insert((group.items[edge.from], group.items[edge.to]));
        }
    }
    for (number, node) in view.nodes.iter().enumerate().filter(|(_, node)| node.drawn) {
        for giver in node.inputs.iter().flatten().filter_map(|value| givers[*value]) {
            let from = view.nodes[giver].group;
            let pair = match from == node.group {
                true if giver == number => continue,
                true => (GroupItem::Node(giver), GroupItem::Node(number)),
                // From another group it comes in by the door, or from a group next to.
                false => {
                    let enters = joined.contains(&(GroupItem::Entry, GroupItem::Node(number)));
                    let adjacent = view.groups[node.group].items.iter().any(|item| {
                        matches!(item, GroupItem::GraphGroup(_))
                            && joined.contains(&(*item, GroupItem::Node(number)))
                    });
                    assert!(enters || adjacent, "{name}: nothing leads to node {number}");
                    continue;
                }
            };
            assert!(joined.contains(&pair), "{name}: node {giver} does not lead to {number}");
        }
    }
}

fn every_model_is_cut_into_groups(corpus: &Corpus) -> Outcome {
    for path in corpus.models() {
        let (report, view) = explored(&path);
        check(&path.display().to_string(), &report, &view);
    }
    Ok(())
}

fn hostile_files_are_cut_into_groups_as_well() {
    for path in Corpus::repository().hostile() {
        let Ok(model) = calipers::Model::open(&path) else { continue };
        let explored = explore(&model, &Bindings::default(), &HardwareQuery::default());
        let (report, view) = explored.unwrap();
        check(&path.display().to_string(), &report, &view);
    }
}

fn repeats_are_groups_with_a_group_for_each() {
    let (_, view) = explored(&fixture("zoo/bert_tiny_cls_op17.onnx"));
    // The network has two layers, see its facts.
    let repeat = view.groups.iter().find(|group| group.kind == GroupKind::Repeat).unwrap();
    assert_eq!(repeat.times, Some(2));
    let turns = repeat.items.iter().filter(|item| matches!(item, GroupItem::GraphGroup(_)));
    assert_eq!(turns.count(), 2);
}

fn repeats_count_the_nodes_that_the_architecture_counts() {
    let (report, view) = explored(&fixture("zoo/bert_tiny_cls_op17.onnx"));
    let group = view.groups.iter().find(|group| group.kind == GroupKind::Repeat).unwrap();
    let repeat = &report.architecture.repeats[0];
    assert_eq!(group.nodes, repeat.times * repeat.nodes);
}

fn nodes_have_a_class_and_the_defaults_of_their_operator() {
    let (_, view) = explored(&fixture("zoo/bert_tiny_cls_op17.onnx"));
    let node = |op: &str| view.nodes.iter().find(|node| *node.op == *op).unwrap();
    assert_eq!(node("MatMul").class, OperatorGroup::Contraction);
    assert_eq!(node("Softmax").class, OperatorGroup::Activation);
    // The schema of Gemm has four attributes with defaults; a node omits some.
    let gemm = node("Gemm");
    let names: HashSet<&str> =
        gemm.attributes.iter().chain(&gemm.defaults).map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, HashSet::from(["alpha", "beta", "transA", "transB"]));
}

fn subgraphs_are_groups_of_the_node_that_holds_them() {
    let (_, view) = explored(&fixture("zoo/script_loop_if_op17.onnx"));
    let holder = view.nodes.iter().find(|node| &*node.op == "Loop").unwrap();
    let [body] = holder.groups[..] else { panic!("a loop has one body") };
    assert_eq!(view.groups[body].kind, GroupKind::Subgraph);
    assert_eq!(view.groups[body].parent, Some(holder.group));
}

fn the_same_model_gives_the_same_view() {
    let path = fixture("zoo/detr_tiny_op17.onnx");
    assert_eq!(explored(&path), explored(&path));
}

fn a_long_chain_is_cut_into_segments() {
    use calipers_samples::{DataType::F32, ModelBuilder};
    let mut chain = ModelBuilder::new(17);
    chain.input("v0", F32, &["4"]).output("v2000", F32, &["4"]);
    for number in 0..2000 {
        // Nothing repeats in a row of two kinds that change places.
        let op = if number * number % 7 < 3 { "Erf" } else { "Tanh" };
        chain.node(op, &[&format!("v{number}")], &[&format!("v{}", number + 1)], &[]);
    }
    let model = calipers::Model::read(chain.build(), "chain.onnx").unwrap();
    let (report, view) = explore(&model, &Bindings::default(), &HardwareQuery::default()).unwrap();
    check("chain", &report, &view);
    assert_eq!(view.groups[0].nodes, 2000);
    // 2,000 boxes by 96 are 21 segments.
    let segments = view.groups.iter().filter(|group| group.kind == GroupKind::Segment);
    assert!(segments.count() >= 20, "{} groups", view.groups.len());
}
