//! The order of boxes in a group, and segments of it where there are too many.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use calipers_ir::Model;
use calipers_report::GroupKind;
use hashbrown::HashMap;

use super::Thing;
use super::arrows::Arrow;
use super::tree::{Draft, Tree};

/// Boxes that a group may hold; of more, segments become groups. So each group is laid out in bounded
/// time, and a person sees no more than can be seen.
const MOST: usize = 96;

/// The boxes of each group, in order of execution.
pub(super) fn order(tree: &Tree<'_>, arrows: Vec<Arrow>) -> Vec<Vec<Thing>> {
    let mut boxes: Vec<Vec<(usize, Thing)>> = vec![Vec::new(); tree.groups.len()];
    let mut first = vec![usize::MAX; tree.groups.len()];
    for (graph, _) in tree.of_graph_sorted() {
        for (place, node) in tree.model.graph(graph).order.iter().enumerate() {
            let Some(home) = tree.home[node.index()] else { continue };
            first[home] = first[home].min(place);
            if tree.is_drawn(*node) {
                boxes[home].push((place + 1, Thing::Node(*node)));
            }
        }
    }
    // Children have greater numbers than their parents.
    for number in (0..tree.groups.len()).rev().filter(|number| tree.groups[*number].alive) {
        if let Some(parent) = tree.groups[number].parent {
            first[parent] = first[parent].min(first[number]);
            boxes[parent].push((first[number].saturating_add(1), Thing::GraphGroup(number)));
        }
    }
    for (thing, group) in &tree.ports {
        let place = if matches!(thing, Thing::Input(_)) { 0 } else { usize::MAX };
        boxes[*group].push((place, *thing));
    }
    let mut arrows = arrows.into_iter().peekable();
    let mut ordered = Vec::with_capacity(boxes.len());
    for (number, mut boxes) in boxes.into_iter().enumerate() {
        boxes.sort_unstable();
        let places: HashMap<Thing, usize> =
            boxes.iter().enumerate().map(|(place, (_, thing))| (*thing, place)).collect();
        let mut pairs = Vec::new();
        while let Some(arrow) = arrows.next_if(|arrow| arrow.group == number) {
            if let (Some(from), Some(to)) = (places.get(&arrow.from), places.get(&arrow.to)) {
                pairs.push((*from, *to));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        ordered.push(run(boxes.len(), &pairs).into_iter().map(|place| boxes[place].1).collect());
    }
    ordered
}

/// Boxes of a cycle that are considered.
const NEAR: usize = 64;

/// An order in which producers come before consumers, otherwise as numbered. Of cycles, which joining nodes
/// into boxes can make, the box that waits for the fewest others goes first.
fn run(count: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut waits = vec![0_usize; count];
    let mut starts = vec![0_usize; count + 1];
    for (from, to) in pairs {
        waits[*to] += 1;
        starts[from + 1] += 1;
    }
    for place in 0..count {
        starts[place + 1] += starts[place];
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..count).filter(|place| waits[*place] == 0).map(Reverse).collect();
    let (mut done, mut order, mut oldest) = (vec![false; count], Vec::with_capacity(count), 0);
    while order.len() < count {
        let next = match ready.pop() {
            Some(Reverse(next)) => next,
            None => {
                while done[oldest] {
                    oldest += 1;
                }
                let near = (oldest..count.min(oldest + NEAR)).filter(|place| !done[*place]);
                near.min_by_key(|place| waits[*place]).unwrap_or(oldest)
            }
        };
        if std::mem::replace(&mut done[next], true) {
            continue;
        }
        order.push(next);
        for (_, to) in &pairs[starts[next]..starts[next + 1]] {
            waits[*to] = waits[*to].saturating_sub(1);
            if waits[*to] == 0 && !done[*to] {
                ready.push(Reverse(*to));
            }
        }
    }
    order
}

/// Splits groups that hold too many boxes into segments.
pub(super) fn split(tree: &mut Tree<'_>, order: Vec<Vec<Thing>>) -> Vec<Vec<Thing>> {
    let mut items = order;
    for number in 0..items.len() {
        let mut things = std::mem::take(&mut items[number]);
        let mut is_first_level = true;
        while things.len() > MOST {
            let groups = things.len().div_ceil(MOST);
            let size = things.len().div_ceil(groups);
            let mut place = 1_usize;
            let mut outer = Vec::with_capacity(groups);
            for segment in things.chunks(size) {
                let group = tree.groups.len();
                let (name, detail) = match is_first_level {
                    true => (
                        format!("Steps {place} to {}", place + segment.len() - 1),
                        commonest(tree.model, segment),
                    ),
                    false => (around(tree, segment), String::new()),
                };
                place += segment.len();
                tree.groups.push(Draft {
                    kind: GroupKind::Segment,
                    name,
                    detail,
                    parent: Some(number),
                    alive: true,
                    ..Draft::default()
                });
                for thing in segment {
                    tree.settle(*thing, group);
                }
                items.push(segment.to_vec());
                outer.push(Thing::GraphGroup(group));
            }
            things = outer;
            is_first_level = false;
        }
        items[number] = things;
    }
    items
}

/// From the first step of some segments to the last.
fn around(tree: &Tree<'_>, segments: &[Thing]) -> String {
    let name = |thing: Option<&Thing>| match thing {
        Some(Thing::GraphGroup(group)) => tree.groups[*group].name.as_str(),
        _ => "",
    };
    let (first, last) = (name(segments.first()), name(segments.last()));
    let from = first.split(" to ").next().unwrap_or(first);
    let to = last.rsplit(" to ").next().unwrap_or(last);
    format!("{from} to {to}")
}

/// The commonest operators of a segment.
fn commonest(model: &Model, segment: &[Thing]) -> String {
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for thing in segment {
        if let Thing::Node(node) = thing {
            *counts.entry(model.written_op(*node)).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let words: Vec<String> =
        counts.iter().take(2).map(|(op, count)| format!("{count} × {}", brief(op))).collect();
    words.join(", ")
}

fn brief(op: &str) -> String {
    op.chars().take(40).collect()
}

/// Renumbers the groups, parents first, and drops dissolved ones.
pub(super) fn number<'a>(tree: Tree<'a>, items: &[Vec<Thing>]) -> (Tree<'a>, Vec<Vec<Thing>>) {
    let mut numbers = vec![usize::MAX; tree.groups.len()];
    let mut order = Vec::with_capacity(tree.groups.len());
    let roots = (0..tree.groups.len()).filter(|group| tree.groups[*group].parent.is_none());
    for root in roots.filter(|group| tree.groups[*group].alive) {
        let mut open = vec![root];
        while let Some(group) = open.pop() {
            numbers[group] = order.len();
            order.push(group);
            open.extend(items[group].iter().rev().filter_map(|thing| match thing {
                Thing::GraphGroup(inner) => Some(*inner),
                _ => None,
            }));
        }
    }
    let renumbered = |thing: &Thing| match thing {
        Thing::GraphGroup(group) => Thing::GraphGroup(numbers[*group]),
        other => *other,
    };
    let new_items = order.iter().map(|group| items[*group].iter().map(renumbered).collect());
    let new_items = new_items.collect();
    let mut tree = tree;
    let groups = order.iter().map(|group| {
        let draft = tree.groups[*group].clone();
        Draft { parent: draft.parent.map(|parent| numbers[parent]), ..draft }
    });
    tree.groups = groups.collect();
    for home in tree.home.iter_mut().flatten() {
        *home = numbers[*home];
    }
    for (_, group) in &mut tree.ports {
        *group = numbers[*group];
    }
    for group in tree.of_graph.values_mut() {
        *group = numbers[*group];
    }
    (tree, new_items)
}

impl Tree<'_> {
    /// Puts a box into a group.
    fn settle(&mut self, thing: Thing, group: usize) {
        match thing {
            Thing::GraphGroup(inner) => self.groups[inner].parent = Some(group),
            Thing::Node(node) => self.home[node.index()] = Some(group),
            Thing::Input(_) | Thing::Output(_) => {
                if let Some(place) = self.port_places.get(&thing) {
                    self.ports[*place].1 = group;
                }
            }
            Thing::Entry | Thing::Exit => {}
        }
    }

    /// Graphs that have a group, in the model's order.
    fn of_graph_sorted(&self) -> impl Iterator<Item = (calipers_ir::GraphId, usize)> {
        let graphs = self.model.graphs();
        graphs.filter_map(|(id, _)| Some((id, *self.of_graph.get(&id)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn givers_come_first_and_rings_are_opened() {
        assert_eq!(run(3, &[(1, 0), (2, 1)]), [2, 1, 0]);
        assert_eq!(run(3, &[]), [0, 1, 2]);
        assert_eq!(run(3, &[(0, 1), (1, 0), (1, 2)]), [0, 1, 2]);
        // The first waits for both others, the second for the first alone.
        assert_eq!(run(3, &[(0, 1), (1, 0), (1, 2), (2, 0)]), [1, 2, 0]);
    }
}
