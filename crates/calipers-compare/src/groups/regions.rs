//! Nodes next to each other that were replaced, inserted or removed. Regions that are alike are one
//! group with a count.

use std::collections::BTreeMap;

use calipers_arch::view::Outline;
use calipers_ir::NodeId;
use calipers_report::units::counted;
use calipers_report::wording::listed;
use calipers_report::{BlockKind, ChangeGroup, GroupedChange, PartKind};
use hashbrown::{HashMap, HashSet};

use super::places::phrase;
use super::{Left, producers, readers};

/// Operators that a text names.
const MAX_NAMED: usize = 4;

/// A change that is part of a region, by its place in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Item {
    Removed(usize),
    Added(usize),
    Changed(usize),
}

/// Takes everything that is added or removed, and operators that changed.
pub(super) fn group(left: &mut Left<'_>) -> Vec<ChangeGroup> {
    let regions = find(left);
    let mut alike: BTreeMap<(String, String), Vec<Region>> = BTreeMap::new();
    for region in regions {
        alike.entry(region.signature(left)).or_default().push(region);
    }
    let groups: Vec<ChangeGroup> =
        alike.into_values().map(|regions| described(left, &regions)).collect();
    for group in &groups {
        group.removed.iter().for_each(|at| left.removed[*at] = true);
        group.added.iter().for_each(|at| left.added[*at] = true);
        group.changed.iter().for_each(|at| left.changed[*at] = true);
    }
    groups
}

/// Changes next to each other.
#[derive(Debug, Default)]
struct Region {
    removed: Vec<usize>,
    added: Vec<usize>,
    changed: Vec<usize>,
}

/// Joins changes that are next to each other.
fn find(left: &Left<'_>) -> Vec<Region> {
    let (removed, added) = (&left.changes.removed, &left.changes.added);
    let mut items: Vec<Item> = Vec::new();
    items.extend((0..removed.len()).filter(|at| !left.removed[*at]).map(Item::Removed));
    items.extend((0..added.len()).filter(|at| !left.added[*at]).map(Item::Added));
    let changed = left.changes.changed.iter().enumerate();
    let operators = changed.filter(|(at, (.., what))| what.operator && !left.changed[*at]);
    items.extend(operators.map(|(at, _)| Item::Changed(at)));
    let places: HashMap<Item, usize> =
        items.iter().enumerate().map(|(at, item)| (*item, at)).collect();
    let mut sets = Sets::new(items.len());
    let removed_item =
        |node: NodeId| places.get(&Item::Removed(*left.removed_at.get(&node)?)).copied();
    let added_item = |node: NodeId| places.get(&Item::Added(*left.added_at.get(&node)?)).copied();
    for (at, item) in items.iter().enumerate() {
        match *item {
            Item::Removed(place) => {
                let after = readers(left.a.model, removed[place]).filter_map(removed_item);
                after.for_each(|other| sets.join(at, other));
            }
            Item::Added(place) => {
                let after = readers(left.b.model, added[place]).filter_map(added_item);
                after.for_each(|other| sets.join(at, other));
            }
            // What read the operator became part of it, or was part of it: `Conv`, `Relu`.
            Item::Changed(place) => {
                let (a, b, _) = left.changes.changed[place];
                readers(left.a.model, a)
                    .filter_map(removed_item)
                    .for_each(|other| sets.join(at, other));
                readers(left.b.model, b)
                    .filter_map(added_item)
                    .for_each(|other| sets.join(at, other));
            }
        }
    }
    join_replaced(left, &items, &mut sets);
    let mut regions: BTreeMap<usize, Region> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        let region = regions.entry(sets.root(at)).or_default();
        match *item {
            Item::Removed(place) => region.removed.push(place),
            Item::Added(place) => region.added.push(place),
            Item::Changed(place) => region.changed.push(place),
        }
    }
    regions.into_values().collect()
}

/// What is around a set of removed or added nodes, by nodes of the first model.
#[derive(Debug, Default)]
struct Around {
    before: HashSet<NodeId>,
    after: HashSet<NodeId>,
}

/// Joins removed nodes with those that were added between the same neighbors.
fn join_replaced(left: &Left<'_>, items: &[Item], sets: &mut Sets) {
    let (mut of_removed, mut of_added): (HashMap<usize, Around>, HashMap<usize, Around>) =
        Default::default();
    for (at, item) in items.iter().enumerate() {
        let root = sets.root(at);
        match *item {
            Item::Removed(place) => {
                let node = left.changes.removed[place];
                let around = of_removed.entry(root).or_default();
                let stays = |node: &NodeId| left.to_b.contains_key(node);
                around.before.extend(producers(left.a.model, node).filter(stays));
                around.after.extend(readers(left.a.model, node).filter(stays));
            }
            Item::Added(place) => {
                let node = left.changes.added[place];
                let around = of_added.entry(root).or_default();
                let twin = |node: NodeId| left.to_a.get(&node).copied();
                around.before.extend(producers(left.b.model, node).filter_map(twin));
                around.after.extend(readers(left.b.model, node).filter_map(twin));
            }
            Item::Changed(_) => {}
        }
    }
    let mut by_neighbor: HashMap<NodeId, Vec<usize>> = HashMap::new();
    for (root, around) in &of_removed {
        // What is at the end of the graph has no reader; its producers identify it.
        let keys = if around.after.is_empty() { &around.before } else { &around.after };
        keys.iter().for_each(|key| by_neighbor.entry(*key).or_default().push(*root));
    }
    for (root, around) in &of_added {
        let keys = if around.after.is_empty() { &around.before } else { &around.after };
        let candidates = keys.iter().filter_map(|key| by_neighbor.get(key)).flatten();
        for candidate in candidates {
            let other = &of_removed[candidate];
            let is_between = around.before.is_empty()
                || other.before.is_empty()
                || !around.before.is_disjoint(&other.before);
            if is_between {
                sets.join(*root, *candidate);
            }
        }
    }
}

impl Region {
    /// How often it repeats one fusion or expansion: where a residual connection goes from one to the
    /// next, they are one region. 1 for anything else.
    fn repeats(&self, left: &Left<'_>) -> usize {
        let (a, b) = (counts(&self.ops_a(left)), counts(&self.ops_b(left)));
        let is_divided = |counts: &[usize], by: usize| counts.iter().all(|count| count % by == 0);
        match (&a[..], &b[..]) {
            ([], _) | (_, []) => 1,
            (many, [one]) | ([one], many) if *one > 1 && is_divided(many, *one) => *one,
            _ => 1,
        }
    }

    /// What its nodes were called, and what they are called: equal for regions that are alike.
    fn signature(&self, left: &Left<'_>) -> (String, String) {
        let repeats = self.repeats(left);
        (named(&self.ops_a(left), repeats), named(&self.ops_b(left), repeats))
    }

    fn nodes_a(&self, left: &Left<'_>) -> Vec<NodeId> {
        let changed = self.changed.iter().map(|at| left.changes.changed[*at].0);
        changed.chain(self.removed.iter().map(|at| left.changes.removed[*at])).collect()
    }

    fn nodes_b(&self, left: &Left<'_>) -> Vec<NodeId> {
        let changed = self.changed.iter().map(|at| left.changes.changed[*at].1);
        changed.chain(self.added.iter().map(|at| left.changes.added[*at])).collect()
    }

    fn ops_a(&self, left: &Left<'_>) -> Vec<String> {
        self.nodes_a(left).iter().map(|node| left.a.op(*node).to_owned()).collect()
    }

    fn ops_b(&self, left: &Left<'_>) -> Vec<String> {
        self.nodes_b(left).iter().map(|node| left.b.op(*node).to_owned()).collect()
    }
}

/// Operators with their counts, without constants where there is anything else.
fn by_operator(ops: &[String]) -> BTreeMap<&str, usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for op in ops {
        *counts.entry(op).or_default() += 1;
    }
    if counts.len() > 1 {
        counts.remove("Constant");
    }
    counts
}

/// The count of each operator.
fn counts(ops: &[String]) -> Vec<usize> {
    by_operator(ops).into_values().collect()
}

/// All operators with their counts in one of several repeats, as a text.
fn named(ops: &[String], repeats: usize) -> String {
    let counts = by_operator(ops);
    let texts: Vec<String> =
        counts.iter().map(|(op, count)| format!("{op} {}", count / repeats)).collect();
    texts.join(",")
}

/// What one side of a region is called: its operator, the part of the network that it is, or its
/// operators.
fn called(outline: &Outline, nodes: &[NodeId], ops: &[String]) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for op in ops {
        if !distinct.contains(&op.as_str()) {
            distinct.push(op);
        }
    }
    if distinct.len() > 1 {
        distinct.retain(|op| *op != "Constant");
    }
    if let [op] = distinct[..] {
        return op.to_owned();
    }
    if let Some(part) = part(outline, nodes) {
        return part;
    }
    match distinct.len() {
        1..=MAX_NAMED => listed(&distinct),
        _ => counted(computing(ops) as u64, "node", "nodes"),
    }
}

/// The part of the network that the nodes are, where they are about all of it.
fn part(outline: &Outline, nodes: &[NodeId]) -> Option<String> {
    let mut inside: BTreeMap<usize, usize> = BTreeMap::new();
    for node in nodes {
        for group in outline.around(outline.home(*node)) {
            *inside.entry(group).or_default() += 1;
        }
    }
    let is_it = |group: usize, there: usize| {
        let group = &outline.groups[group];
        there * 5 >= group.nodes * 4 && there * 5 >= nodes.len() * 4
    };
    // Inner parts have larger numbers: the innermost that holds the nodes is meant.
    inside.iter().rev().find_map(|(group, there)| {
        if !is_it(*group, *there) {
            return None;
        }
        match &outline.groups[*group].part {
            // Its operators say which of the three there are.
            Some(PartKind::Block(BlockKind::ConvNormAct)) => None,
            Some(PartKind::Block(kind)) => Some(kind.display_name().to_owned()),
            _ => None,
        }
    })
}

/// Regions that are alike, in words.
fn described(left: &Left<'_>, regions: &[Region]) -> ChangeGroup {
    let mut group = ChangeGroup::default();
    for region in regions {
        group.removed.extend(&region.removed);
        group.added.extend(&region.added);
        group.changed.extend(&region.changed);
    }
    let Some(first) = regions.first() else { return group };
    let (nodes_a, nodes_b) = (first.nodes_a(left), first.nodes_b(left));
    let from = called(left.a.outline, &nodes_a, &first.ops_a(left));
    let to = called(left.b.outline, &nodes_b, &first.ops_b(left));
    let repeats = first.repeats(left);
    let times = regions.iter().map(|region| region.repeats(left)).sum();
    let all_a: Vec<NodeId> =
        regions.iter().filter_map(|region| region.nodes_a(left).first().copied()).collect();
    let all_b: Vec<NodeId> =
        regions.iter().filter_map(|region| region.nodes_b(left).first().copied()).collect();
    let place = match all_a.is_empty() {
        // A region that repeats goes over several parts.
        _ if times > regions.len() => String::new(),
        true => phrase(left.b.outline, &all_b),
        false => phrase(left.a.outline, &all_a),
    };
    (group.text, group.kind) = match (nodes_a.is_empty(), nodes_b.is_empty()) {
        (false, true) => {
            let name = left.a.model.node_label(nodes_a[0]);
            let nodes = computing(&first.ops_a(left));
            let text = alone(&from, nodes, times, &name, "removed", &place);
            let rest = nodes_a.len() - nodes;
            (text + &constants(rest * times), GroupedChange::Removal)
        }
        (true, false) => {
            let name = left.b.model.node_label(nodes_b[0]);
            let nodes = computing(&first.ops_b(left));
            let text = alone(&to, nodes, times, &name, "inserted", &place);
            let rest = nodes_b.len() - nodes;
            (text + &constants(rest * times), GroupedChange::Insertion)
        }
        _ => {
            let count_a = computing(&first.ops_a(left)) / repeats;
            let count_b = computing(&first.ops_b(left)) / repeats;
            let is_fused = count_b == 1 && count_a > 1;
            let is_expanded = count_a == 1 && count_b > 1;
            let repeated = if times > 1 { format!(", {times} times") } else { String::new() };
            let where_ = if place.is_empty() { repeated } else { place };
            if is_fused {
                (format!("{from} fused into {to}{where_}"), GroupedChange::Fusion)
            } else if is_expanded && !is_part_name(&to) {
                (format!("{from} expanded into {to}{where_}"), GroupedChange::Fusion)
            } else if from == to {
                let detail = format!("{} → {} nodes", nodes_a.len(), nodes_b.len());
                (format!("{from} rewritten{where_} ({detail})"), GroupedChange::Other)
            } else {
                (format!("{from} → {to}{where_}"), GroupedChange::Operator)
            }
        }
    };
    group
}

/// What goes with the nodes that are named.
fn constants(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(", with {}", counted(count as u64, "constant", "constants")),
    }
}

/// Nodes without the constants that they read; all of them where there is nothing else.
fn computing(ops: &[String]) -> usize {
    match ops.iter().filter(|op| *op != "Constant").count() {
        0 => ops.len(),
        count => count,
    }
}

/// Whether a side is called by the part of the network that it is.
fn is_part_name(name: &str) -> bool {
    BlockKind::ALL.iter().any(|kind| kind.display_name() == name)
}

/// Nodes that are only removed, or only inserted.
fn alone(what: &str, nodes: usize, times: usize, name: &str, verb: &str, place: &str) -> String {
    let repeated = || match place.is_empty() {
        true => format!(" {times} times"),
        false => place.to_owned(),
    };
    match (nodes, times) {
        // The name is a count already.
        (_, 1) if what.starts_with(|c: char| c.is_ascii_digit()) => format!("{what} {verb}{place}"),
        _ if what.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{what} {verb}{}", repeated())
        }
        (1, 1) => format!("{what} `{name}` {verb}{place}"),
        (1, _) => format!(
            "{} {verb}{place}",
            counted(times as u64, &format!("{what} node"), &format!("{what} nodes"))
        ),
        (_, 1) => format!("{what} {verb}{place} ({nodes} nodes)"),
        _ => format!("{what} {verb}{} ({nodes} nodes each)", repeated()),
    }
}

/// Disjoint sets.
struct Sets {
    parents: Vec<usize>,
}

impl Sets {
    fn new(items: usize) -> Self {
        Self { parents: (0..items).collect() }
    }

    fn root(&mut self, at: usize) -> usize {
        let mut at = at;
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        // The first item of a region is its root, so that regions keep the order of the graph.
        self.parents[one.max(other)] = one.min(other);
    }
}
