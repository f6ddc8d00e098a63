//! Which node of the main graph uses each learned element first.
//!
//! A weight may be used inside a subgraph or a function; then it belongs to the node that holds or
//! calls that.

use calipers_infer::walk::{ResolvedKind, ResolvedOps, subgraphs};
use calipers_ir::{GraphKind, Model, NodeId, ValueId};
use calipers_ops::Movement;
use hashbrown::HashMap;

use super::role::Role;
use super::stored::Stored;

/// Nodes that may be between a weight and the call it is handed to.
const STEPS: usize = 16;

/// Learned elements by the node of the main graph that uses them first.
#[derive(Debug, Default)]
pub struct Owners {
    elements: HashMap<NodeId, Option<u64>>,
    /// Learned elements that no node of the main graph uses.
    pub elsewhere: u64,
}

impl Owners {
    pub(super) fn find(model: &Model, resolved: &ResolvedOps, stored: &[Stored]) -> Self {
        let callers = callers(model, resolved);
        let places = places(model);
        let mut owners = Self::default();
        for item in stored {
            if !matches!(item.role, Role::Weight | Role::Statistic) {
                continue;
            }
            let elements = item.elements.as_ref().ok().copied();
            let owner =
                item.user.and_then(|user| owner(model, &callers, &places, user, item.value));
            let Some(owner) = owner else {
                owners.elsewhere = owners.elsewhere.saturating_add(elements.unwrap_or(0));
                continue;
            };
            let sum = owners.elements.entry(owner).or_insert(Some(0));
            *sum = sum.zip(elements).and_then(|(sum, elements)| sum.checked_add(elements));
        }
        owners
    }

    /// Learned elements that a node uses first; `None` when a tensor's size is not known.
    pub fn elements(&self, node: NodeId) -> Option<u64> {
        self.elements.get(&node).copied().unwrap_or(Some(0))
    }
}

/// For each function that is called, the first node of the main graph through which it is.
fn callers(model: &Model, resolved: &ResolvedOps) -> HashMap<usize, NodeId> {
    let mut callers = HashMap::new();
    for top in &model.main().order {
        let mut open = vec![*top];
        while let Some(node) = open.pop() {
            for graph in subgraphs(model, node) {
                open.extend(model.graph(graph).order.iter().copied());
            }
            if let ResolvedKind::Call(function) = resolved.get(node).kind
                && callers.try_insert(function.index(), *top).is_ok()
            {
                let body = model.function(function).body;
                open.extend(model.graph(body).order.iter().copied());
            }
        }
    }
    callers
}

/// Where a graph is: in a node of the main graph, in a function, or nowhere.
#[derive(Clone, Copy, Debug)]
enum Place {
    Main,
    In(NodeId),
    Function(usize),
    Nowhere,
}

/// The place of every graph; each graph is found after the one that it is in.
fn places(model: &Model) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(model.graphs().len());
    for (_, graph) in model.graphs() {
        places.push(match graph.kind {
            GraphKind::Main => Place::Main,
            GraphKind::Function(function) => Place::Function(function.index()),
            GraphKind::Training => Place::Nowhere,
            GraphKind::Subgraph { node, .. } => {
                match places.get(model.node(node).graph.index()).copied() {
                    Some(Place::Main) => Place::In(node),
                    outer => outer.unwrap_or(Place::Nowhere),
                }
            }
        });
    }
    places
}

/// The node of the main graph that represents the use of a value.
fn owner(
    model: &Model,
    callers: &HashMap<usize, NodeId>,
    places: &[Place],
    user: NodeId,
    value: Option<ValueId>,
) -> Option<NodeId> {
    match places[model.node(user).graph.index()] {
        Place::Main => Some(user),
        Place::In(node) => Some(node),
        Place::Nowhere => None,
        // Handed to a call: the call it is handed to, not the first of that function.
        Place::Function(function) => value
            .filter(|value| model.value(*value).graph == model.main_id())
            .and_then(|value| call_of(model, places, value))
            .or_else(|| callers.get(&function).copied()),
    }
}

/// The node of the main graph that a value reaches first, past the nodes that only move it.
fn call_of(model: &Model, places: &[Place], mut value: ValueId) -> Option<NodeId> {
    let in_main = |node: NodeId| match places[model.node(node).graph.index()] {
        Place::Main => Some(node),
        Place::In(outer) => Some(outer),
        Place::Function(_) | Place::Nowhere => None,
    };
    let mut last = None;
    for _ in 0..STEPS {
        let consumers = model.consumers(value).iter();
        let Some(node) = consumers.filter_map(|consumer| in_main(consumer.node)).min() else {
            break;
        };
        last = Some(node);
        let (domain, op) = (model.node(node).domain, model.node(node).op);
        let row = calipers_ops::find(model.name(domain), model.name(op));
        let movement = row.and_then(|row| row.traits.movement);
        let moves = movement.is_some_and(|it| it.is_layout() || it == Movement::Convert);
        match model.outputs(node).first() {
            Some(Some(output)) if moves => value = *output,
            _ => break,
        }
    }
    last
}
