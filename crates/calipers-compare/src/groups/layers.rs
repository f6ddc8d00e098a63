//! Whole parts of the network that were added or removed.

use calipers_arch::view::Outline;
use calipers_ir::NodeId;
use calipers_report::units::counted;
use calipers_report::wording::{capitalized, in_sentence, listed};
use calipers_report::{ChangeGroup, CompositeKind, GroupKind, GroupedChange, PartKind};
use hashbrown::HashMap;

use super::places::{kind_name, plural};
use super::{Left, producers, readers};
use crate::graph::Graph;

/// Parts that a text names by their numbers.
const MAX_NUMBERS: usize = 12;

/// Share of the nodes of a part that must be added or removed. Constants and computation of shapes
/// are often common to several parts, and stay.
const MOST: f64 = 0.8;

/// A part, and the places of its nodes in the list of changes.
type Whole = (usize, Vec<usize>);

/// Takes the changes of parts that were added or removed as a whole.
pub(super) fn group(left: &mut Left<'_>) -> Vec<ChangeGroup> {
    let mut groups = Vec::new();
    let mut removed = whole_parts(left.a, &left.changes.removed, &left.to_b);
    removed.retain(|(_, places)| !is_replaced_in_b(left, places));
    for (text, places) in described(left.a.outline, removed, "removed") {
        places.iter().for_each(|at| left.removed[*at] = true);
        let kind = GroupedChange::Layer;
        groups.push(ChangeGroup { text, kind, removed: places, ..ChangeGroup::default() });
    }
    let mut added = whole_parts(left.b, &left.changes.added, &left.to_a);
    added.retain(|(_, places)| !is_replaced_in_a(left, places));
    for (text, places) in described(left.b.outline, added, "added") {
        places.iter().for_each(|at| left.added[*at] = true);
        let kind = GroupedChange::Layer;
        groups.push(ChangeGroup { text, kind, added: places, ..ChangeGroup::default() });
    }
    groups
}

/// Whether nodes were added where these removed ones were: what reads them reads an added node now.
fn is_replaced_in_b(left: &Left<'_>, places: &[usize]) -> bool {
    let nodes = places.iter().map(|at| left.changes.removed[*at]);
    let mut after = nodes.flat_map(|node| readers(left.a.model, node));
    after.any(|reader| {
        let twin = left.to_b.get(&reader);
        twin.is_some_and(|twin| {
            producers(left.b.model, *twin).any(|node| {
                left.added_at.contains_key(&node) && !super::quantization::converts(left.b, node)
            })
        })
    })
}

/// Whether nodes were removed where these added ones are.
fn is_replaced_in_a(left: &Left<'_>, places: &[usize]) -> bool {
    let nodes = places.iter().map(|at| left.changes.added[*at]);
    let mut after = nodes.flat_map(|node| readers(left.b.model, node));
    after.any(|reader| {
        let twin = left.to_a.get(&reader);
        twin.is_some_and(|twin| {
            producers(left.a.model, *twin).any(|node| {
                left.removed_at.contains_key(&node) && !super::quantization::converts(left.a, node)
            })
        })
    })
}

/// The outermost parts whose nodes are in the list, with the places of these nodes.
///
/// A part that keeps a contraction is still there, whatever is around it.
fn whole_parts(graph: Graph<'_>, nodes: &[NodeId], stays: &HashMap<NodeId, NodeId>) -> Vec<Whole> {
    if nodes.is_empty() {
        return Vec::new();
    }
    let outline = graph.outline;
    let mut keeps = vec![false; outline.groups.len()];
    for node in stays.keys().filter(|node| is_contraction(graph, **node)) {
        for group in outline.around(outline.home(*node)) {
            keeps[group] = true;
        }
    }
    let mut inside: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        for group in outline.around(outline.home(*node)) {
            inside.entry(group).or_default().push(at);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a share of few nodes")]
    let is_whole = |group: usize| {
        let there = inside.get(&group).map_or(0, Vec::len);
        !keeps[group]
            && is_layer(outline, group)
            && there as f64 >= MOST * outline.groups[group].nodes as f64
    };
    let mut whole: Vec<usize> = inside.keys().copied().filter(|group| is_whole(*group)).collect();
    whole.sort_unstable();
    let outermost: Vec<usize> = whole
        .iter()
        .copied()
        .filter(|group| {
            !outline.around(*group).skip(1).any(|outer| whole.binary_search(&outer).is_ok())
        })
        .collect();
    outermost.into_iter().filter_map(|group| Some((group, inside.get(&group)?.clone()))).collect()
}

fn is_contraction(graph: Graph<'_>, node: NodeId) -> bool {
    let node = graph.model.node(node);
    let (domain, op) = (graph.model.name(node.domain), graph.model.name(node.op));
    calipers_ops::find(domain, op).is_some_and(|operator| operator.traits.is_contraction())
}

/// Whether a part counts as a layer of its own: more than a few operators, and numbered or named.
fn is_layer(outline: &Outline, group: usize) -> bool {
    let group = &outline.groups[group];
    let is_part = match &group.part {
        Some(PartKind::Block(kind)) => !kind.is_activation() && !kind.is_norm(),
        Some(PartKind::Composite(kind)) => {
            !matches!(kind, CompositeKind::Preparation | CompositeKind::Operations)
        }
        _ => false,
    };
    is_part && group.kind == GroupKind::Block && group.nodes > 2
}

/// Parts in words, those of one kind together.
fn described(outline: &Outline, parts: Vec<Whole>, verb: &str) -> Vec<(String, Vec<usize>)> {
    let mut by_kind: Vec<(&str, Vec<Whole>)> = Vec::new();
    for part in parts {
        let kind = kind_name(outline, part.0);
        match by_kind.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, known)) => known.push(part),
            None => by_kind.push((kind, vec![part])),
        }
    }
    by_kind
        .into_iter()
        .map(|(kind, parts)| {
            let places: Vec<usize> = parts.iter().flat_map(|(_, places)| places).copied().collect();
            let nodes = counted(places.len() as u64, "node", "nodes");
            let text = match parts.as_slice() {
                [(group, _)] => format!("{} {verb} ({nodes})", outline.groups[*group].name),
                _ => {
                    let names: Vec<&str> = parts
                        .iter()
                        .map(|(group, _)| outline.groups[*group].name.as_str())
                        .collect();
                    let which = numbers(&names).map(|numbers| format!(" {numbers}"));
                    match which {
                        Some(which) => {
                            format!("{}{which} {verb} ({nodes})", capitalized(&plural(kind)))
                        }
                        None => format!("{} {} {verb} ({nodes})", parts.len(), plural(kind)),
                    }
                }
            };
            (text, places)
        })
        .collect()
}

/// The numbers of names that differ only in those: `3, 4 and 7`, or `3 to 8`.
fn numbers(names: &[&str]) -> Option<String> {
    let split = |name: &str| {
        let (words, number) = name.rsplit_once(' ')?;
        Some((in_sentence(words), number.parse::<u64>().ok()?))
    };
    let mut all = names.iter().map(|name| split(name)).collect::<Option<Vec<_>>>()?;
    if all.iter().any(|(words, _)| *words != all[0].0) {
        return None;
    }
    all.sort_unstable_by_key(|(_, number)| *number);
    let numbers: Vec<u64> = all.iter().map(|(_, number)| *number).collect();
    // Each stage numbers its blocks from 1: equal numbers identify none.
    if numbers.windows(2).any(|two| two[0] == two[1]) {
        return None;
    }
    let (first, last) = (*numbers.first()?, *numbers.last()?);
    if numbers.len() > 2 && last - first + 1 == numbers.len() as u64 {
        return Some(format!("{first} to {last}"));
    }
    let texts: Vec<String> = numbers.iter().map(u64::to_string).collect();
    (texts.len() <= MAX_NUMBERS).then(|| listed(&texts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_joined() {
        assert_eq!(numbers(&["Layer 3", "Layer 4"]).as_deref(), Some("3 and 4"));
        assert_eq!(numbers(&["Layer 5", "Layer 3", "Layer 4"]).as_deref(), Some("3 to 5"));
        assert_eq!(numbers(&["Layer 1", "Layer 3", "Layer 4"]).as_deref(), Some("1, 3 and 4"));
        assert_eq!(numbers(&["Layer 1", "Block 3"]), None);
        assert_eq!(numbers(&["Layer 1", "Head"]), None);
        assert_eq!(numbers(&["Block 1", "Block 1", "Block 2"]), None);
    }
}
