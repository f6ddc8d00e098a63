//! The changes of the graph, in words and node by node.

use calipers_report::{ChangedNode, GraphChanges};

use crate::document::{Block, Section};
use crate::table::{Column, Table, Tone, Value};
use crate::units;
use crate::value::Spans;

/// Groups of changes that a screen lists.
const GROUPS: usize = 24;
/// Nodes that a page lists of each kind.
const NODES: usize = 100;

/// Counts of nodes, and the groups of changes.
pub(super) fn section(graph: Option<&GraphChanges>) -> Section {
    let Some(graph) = graph else {
        let note = Spans::quiet("not compared: a saved report has no graph");
        return Section::new("graph", "Graph", vec![Block::Paragraph(note)]);
    };
    let mut blocks = vec![Block::Paragraph(counts(graph))];
    blocks.push(Block::list(
        graph.groups.iter().take(GROUPS).map(|group| Spans::from(Value::quoted(&group.text))),
    ));
    if let Some(rest) = graph.groups.len().checked_sub(GROUPS).filter(|rest| *rest > 0) {
        let more = units::counted(rest as u64, "more group of changes", "more groups of changes");
        blocks.push(Block::Note(Spans::quiet(format!("{more}: --format json lists all"))));
    }
    if !graph.rewired_outputs.is_empty() {
        let names = graph.rewired_outputs.iter().take(8).map(|name| Spans::from(Value::name(name)));
        blocks.push(Block::Paragraph(
            Spans::plain("Computed by another node: ").and_all(Spans::joined(names, ", ")),
        ));
    }
    Section::new("graph", "Graph", blocks)
}

/// How many nodes are added, removed, changed, moved, renamed and unchanged.
pub(super) fn counts(graph: &GraphChanges) -> Spans {
    let parts = [
        (graph.added.len() as u64, "added", Tone::Strong),
        (graph.removed.len() as u64, "removed", Tone::Strong),
        (graph.changed.len() as u64, "changed", Tone::Strong),
        (graph.moved, "moved", Tone::Plain),
        (graph.renamed, "renamed", Tone::Plain),
        (graph.unchanged, "unchanged", Tone::Quiet),
    ];
    let shown = parts
        .into_iter()
        .filter(|(count, word, _)| *count > 0 || matches!(*word, "added" | "removed" | "changed"));
    let nodes = shown.map(|(count, word, tone)| {
        let tone = if count == 0 { Tone::Quiet } else { tone };
        Spans::toned(tone, Value::text(format!("{} {word}", units::integer(count))))
    });
    Spans::joined(nodes, " · ")
}

/// Nodes that changed, were added or removed, for a page.
pub(super) fn nodes(graph: &GraphChanges) -> Vec<Block> {
    let mut blocks = Vec::new();
    let rest = |count: usize| match count.checked_sub(NODES) {
        Some(rest @ 1..) => vec![Block::Note(Spans::quiet(format!(
            "and {}",
            units::counted(rest as u64, "other node", "other nodes")
        )))],
        _ => vec![],
    };
    if !graph.changed.is_empty() {
        let mut table = Table::new(
            "changed",
            vec![
                Column::text("a", "node"),
                Column::text("op", "operator"),
                Column::text("what", "what changed"),
            ],
        );
        for node in graph.changed.iter().take(NODES) {
            table.row(vec![Value::name(&node.a), Value::text(operator(node)), what(node)]);
        }
        let summary = units::counted(graph.changed.len() as u64, "changed node", "changed nodes");
        let mut inside = vec![Block::Table(table)];
        inside.extend(rest(graph.changed.len()));
        blocks.push(Block::fold(summary, inside));
    }
    let lists = [
        (
            graph.added.iter().map(|node| (&node.op, &node.b)).collect::<Vec<_>>(),
            ["added node", "added nodes"],
        ),
        (
            graph.removed.iter().map(|node| (&node.op, &node.a)).collect(),
            ["removed node", "removed nodes"],
        ),
    ];
    for (list, [one, many]) in lists {
        if list.is_empty() {
            continue;
        }
        let items = list.iter().take(NODES).map(|(op, name)| {
            Spans::from(Value::name(op.as_str()))
                .and_text(" ")
                .and_value(Value::name(name.as_str()))
        });
        let mut inside = vec![Block::list(items)];
        inside.extend(rest(list.len()));
        blocks.push(Block::fold(units::counted(list.len() as u64, one, many), inside));
    }
    blocks
}

fn operator(node: &ChangedNode) -> String {
    match &node.op_b {
        Some(other) => format!("{} → {other}", node.op),
        None => node.op.clone(),
    }
}

/// What changed about a node.
fn what(node: &ChangedNode) -> Value {
    let mut parts: Vec<String> = Vec::new();
    for change in &node.attributes {
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
        parts.push(format!("{}: {} → {}", change.name, text(&change.a), text(&change.b)));
    }
    parts.extend(node.tensors.iter().cloned());
    if parts.is_empty() {
        parts.extend(node.what.iter().map(|kind| kind.display_name().to_owned()));
    }
    Value::prose(parts.join("; "))
}
