//! Nodes that stay and differ: attributes, weights, types, shapes, wiring.

use std::collections::BTreeMap;

use calipers_ir::NodeId;
use calipers_report::units::counted;
use calipers_report::wording::listed;
use calipers_report::{ChangeGroup, ChangedNode, GroupedChange};

use super::Left;
use super::places::phrase;

/// Operators that a text names.
const MAX_NAMED: usize = 3;

/// Takes every change that is left.
pub(super) fn group(left: &mut Left<'_>) -> Vec<ChangeGroup> {
    let mut alike: BTreeMap<(GroupedChange, String), Vec<usize>> = BTreeMap::new();
    for (at, node) in left.graph.changed.iter().enumerate() {
        if !left.changed[at] {
            alike.entry(key(node)).or_default().push(at);
        }
    }
    let groups: Vec<ChangeGroup> = alike
        .into_iter()
        .map(|((kind, what), places)| {
            let text = described(left, kind, &what, &places);
            ChangeGroup { text, kind, changed: places, ..ChangeGroup::default() }
        })
        .collect();
    left.changed.fill(true);
    // Nothing is left but what no rule takes.
    let rest =
        |taken: &[bool]| -> Vec<usize> { (0..taken.len()).filter(|at| !taken[*at]).collect() };
    let (removed, added) = (rest(&left.removed), rest(&left.added));
    let mut groups = groups;
    if !removed.is_empty() || !added.is_empty() {
        let text = format!("{} removed, {} added", removed.len(), added.len());
        groups.push(ChangeGroup { text, removed, added, ..ChangeGroup::default() });
    }
    groups
}

/// What a change is, and the words that alike changes share.
fn key(node: &ChangedNode) -> (GroupedChange, String) {
    use calipers_report::ChangeKind as K;
    let has = |kind: K| node.what.contains(&kind);
    if has(K::Shape) {
        (GroupedChange::Shapes, node.tensors.first().cloned().unwrap_or_default())
    } else if has(K::Type) {
        let types = node.tensors.first().map(|text| types(text)).unwrap_or_default();
        (GroupedChange::Conversion, types)
    } else if has(K::Weights) {
        (GroupedChange::Weights, String::new())
    } else if has(K::Attribute) {
        let texts: Vec<String> = node
            .attributes
            .iter()
            .map(|change| {
                let text =
                    |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
                format!("{} {} → {}", change.name, text(&change.a), text(&change.b))
            })
            .collect();
        let what = if texts.is_empty() { "settings changed".to_owned() } else { texts.join(", ") };
        (GroupedChange::Attributes, format!("{}: {what}", node.op))
    } else {
        (GroupedChange::Wiring, String::new())
    }
}

/// The types of a text such as `weight float32[64, 3] → float16[64, 3]`.
fn types(text: &str) -> String {
    let word = |side: &str| {
        let side = side.split('[').next().unwrap_or_default();
        side.rsplit(' ').next().unwrap_or_default().to_owned()
    };
    match text.split_once(" → ") {
        Some((from, to)) => format!("{} → {}", word(from), word(to)),
        None => String::new(),
    }
}

fn described(left: &Left<'_>, kind: GroupedChange, what: &str, places: &[usize]) -> String {
    let nodes: Vec<NodeId> = places.iter().map(|at| left.changes.changed[*at].0).collect();
    let place = phrase(left.a.outline, &nodes);
    let ops = operators(left, places);
    let in_ops = match (places, place.is_empty()) {
        ([at], _) => format!(" in `{}`", left.graph.changed[*at].a),
        (_, true) => format!(" in {ops}"),
        (_, false) => place.clone(),
    };
    match kind {
        GroupedChange::Shapes if what.is_empty() => {
            format!("Weight shapes changed in {ops}{place}")
        }
        GroupedChange::Shapes => format!("{what}{in_ops}"),
        GroupedChange::Conversion if what.is_empty() => format!("Types changed in {ops}"),
        GroupedChange::Conversion => format!("Weights {what} in {ops}"),
        GroupedChange::Weights => match places {
            [_] => format!("Weights changed{in_ops}"),
            _ => format!("Weights changed in {ops}"),
        },
        GroupedChange::Attributes => match places {
            [_] => format!("{what}{in_ops}"),
            _ if place.is_empty() => {
                format!("{what} in {}", counted(places.len() as u64, "node", "nodes"))
            }
            _ => format!("{what}{place}"),
        },
        _ => match places {
            [at] => format!("Inputs of `{}` changed", left.graph.changed[*at].a),
            _ => format!("Inputs of {ops} changed"),
        },
    }
}

/// Nodes by operator: `52 Conv and 1 Gemm`.
fn operators(left: &Left<'_>, places: &[usize]) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for at in places {
        *counts.entry(left.graph.changed[*at].op.as_str()).or_default() += 1;
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(op, count)| (std::cmp::Reverse(*count), *op));
    if counts.len() > MAX_NAMED {
        return counted(places.len() as u64, "node", "nodes");
    }
    let texts: Vec<String> = counts
        .iter()
        .map(|(op, count)| counted(*count, &format!("{op} node"), &format!("{op} nodes")))
        .collect();
    listed(&texts)
}
