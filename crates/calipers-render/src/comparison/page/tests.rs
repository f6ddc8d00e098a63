use calipers_report::{
    AddedNode, AttributeChange, ChangeGroup, ChangeKind, ChangedNode, ComparedModel, Comparison,
    ComparisonView, GateResult, GraphChanges, GraphGroup, GraphView, GroupItem, NodeStatus,
    RemovedNode, Verdict, ViewNode,
};
use serde_json::json;

use super::html;
use crate::document::{Block, Document, Section};

const HOSTILE: &str = "</script><img src=x onerror=\"y\">\u{202e}";

fn graph(names: &[&str]) -> GraphView {
    let node =
        |name: &&str| ViewNode { name: (*name).to_owned(), drawn: true, ..ViewNode::default() };
    let items = (0..names.len()).map(GroupItem::Node).collect();
    GraphView {
        groups: vec![GraphGroup { items, ..GraphGroup::default() }],
        nodes: names.iter().map(node).collect(),
        ..GraphView::default()
    }
}

/// A node of each kind, wherever it is possible with a hostile text.
fn sample() -> (Comparison, ComparisonView) {
    let text = || HOSTILE.to_owned();
    let model =
        || ComparedModel { label: text(), title: text(), nodes: 2, ..ComparedModel::default() };
    let changes = GraphChanges {
        groups: vec![
            ChangeGroup {
                text: text(),
                added: vec![0],
                removed: vec![0],
                ..ChangeGroup::default()
            },
            ChangeGroup {
                text: "The kernel grew".to_owned(),
                changed: vec![0],
                ..ChangeGroup::default()
            },
        ],
        added: vec![AddedNode { b: text(), op: text() }],
        removed: vec![RemovedNode { a: text(), op: text() }],
        changed: vec![ChangedNode {
            a: "conv".to_owned(),
            b: text(),
            what: vec![ChangeKind::Attribute, ChangeKind::Shape],
            attributes: vec![AttributeChange { name: text(), a: None, b: Some(text()) }],
            tensors: vec![text()],
            ..ChangedNode::default()
        }],
        unchanged: 1_234,
        rewired_outputs: vec![text()],
        ..GraphChanges::default()
    };
    let gate = |passed| GateResult { passed, ..GateResult::default() };
    let comparison = Comparison {
        a: model(),
        b: model(),
        verdict: Verdict { compatibility: text(), trade: text(), ..Verdict::default() },
        graph: Some(changes),
        gates: vec![gate(true), gate(false), gate(true)],
        notes: vec![text()],
        ..Comparison::default()
    };
    let view = ComparisonView {
        a: graph(&["conv", HOSTILE]),
        b: graph(&[HOSTILE, "conv"]),
        status_a: vec![NodeStatus::Changed, NodeStatus::Removed],
        status_b: vec![NodeStatus::Added, NodeStatus::Changed],
        pairs: vec![(0, 1)],
        removed: vec![1],
        added: vec![0],
        changed: vec![(0, 1)],
    };
    (comparison, view)
}

fn document() -> Document {
    let section = |id: &str, words: &str| {
        Section::new(id, words, vec![Block::paragraph(format!("{words} in words"))])
    };
    let sections = [("verdict", "Verdict"), ("graph", "Nodes"), ("figures", "Figures")];
    let sections = sections.map(|(id, words)| section(id, words)).to_vec();
    Document { sections, ..Document::default() }
}

#[test]
fn hostile_text_is_nothing_but_text() {
    let (comparison, view) = sample();
    let page = html(&comparison, Some(&view), &document());
    assert!(!page.contains("<img"), "a name became an element");
    assert_eq!(page.matches("<script").count(), 2, "data and code");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains('\u{202e}'), "a name turns the reading direction");
}

#[test]
fn the_policy_allows_what_is_in_the_page_and_nothing_else() {
    let (comparison, view) = sample();
    let page = html(&comparison, Some(&view), &document());
    let policy = page.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
    let policy = policy.split('"').next().unwrap();
    let script = page.rsplit("<script>").next().unwrap().split("</script>").next().unwrap();
    let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    for text in [script, style] {
        assert!(policy.contains(&crate::page::embed::digest(text)), "{policy}");
    }
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
    let body = page.split("<body>").nth(1).unwrap().split("<script>").next().unwrap();
    assert!(!body.contains(" style=") && !body.contains(" onclick="));
}

#[test]
fn what_differs_can_be_read_without_a_script() {
    let (comparison, view) = sample();
    for (view, elements) in [(Some(&view), 2), (None, 0)] {
        let page = html(&comparison, view, &document());
        assert!(page.contains("Not a drop-in replacement"));
        assert!(page.contains("1 gate failed") && page.contains("2 gates passed"));
        assert!(page.contains("Outputs that another node computes: <code>"));
        assert!(page.contains("The kernel grew") && page.contains("1,234 unchanged"));
        assert!(page.contains("<section id=\"figures\"><h2>Figures</h2><p>Figures in words</p>"));
        // The page has these in parts of its own.
        assert!(!page.contains("Verdict in words") && !page.contains("Nodes in words"));
        assert_eq!(page.matches("<script").count(), elements);
        assert_eq!(page.contains("<canvas"), view.is_some());
    }
}

#[test]
fn without_compared_nodes_there_is_no_graph() {
    let (comparison, view) = sample();
    let saved = Comparison { graph: None, ..comparison };
    let page = html(&saved, Some(&view), &document());
    assert!(!page.contains("<script") && !page.contains("id=\"compare-graph\""));
    assert!(page.contains("Nodes in words"));
}

#[test]
fn the_data_have_a_letter_for_each_node() {
    let (comparison, view) = sample();
    let changes = comparison.graph.as_ref().unwrap();
    let data = serde_json::to_value(super::data::Data::new(&comparison, changes, &view)).unwrap();
    assert_eq!(data["status"], json!(["cr", "ac"]));
    assert_eq!(data["pairs"], json!([[0], [1]]));
    assert_eq!(data["changed"]["what"], json!([["attribute", "shape"]]));
    assert_eq!(data["changed"]["attributes"]["0"][0][1], serde_json::Value::Null);
    assert_eq!(data["groups"][1]["changed"], json!([0]));
}

#[test]
fn a_node_that_the_graph_leaves_out_keeps_its_name() {
    let (comparison, mut view) = sample();
    view.removed = vec![usize::MAX];
    view.changed = vec![(0, usize::MAX)];
    let changes = comparison.graph.as_ref().unwrap();
    let data = serde_json::to_value(super::data::Data::new(&comparison, changes, &view)).unwrap();
    assert_eq!(data["removed"], json!([null]));
    assert_eq!([&data["changed"]["a"], &data["changed"]["b"]], [&json!([0]), &json!([null])]);
    // The changed node is drawn in one of the graphs.
    let unplaced = data["unplaced"].as_object().unwrap();
    assert_eq!(unplaced.keys().collect::<Vec<_>>(), ["0"]);
}
