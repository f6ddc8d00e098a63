//! Whether two matched nodes read the same, with nodes that were added or removed left out.
//!
//! A node that is inserted in an edge does not change the node behind it: what it reads is traced
//! through added nodes in the second graph and through removed ones in the first.

use calipers_ir::{AttributeValue, TensorId};
use hashbrown::HashSet;

use super::TensorPair;
use super::hash::mix;
use super::matcher::{Matching, Sides};
use super::network::{NONE, Network, Source};
use super::operator::{StoredChange, attribute_changes, is_same_operator, stored_change};
use super::signatures::Ports;

/// Nodes that a trace visits. What leads further says nothing about one edge.
const MAX_TRACE: usize = 512;

/// What differs between two matched nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// The operator.
    pub operator: bool,
    /// Attributes, or stored settings such as axes.
    pub attribute: bool,
    /// Stored weights.
    pub weights: bool,
    /// The type of a stored tensor.
    pub dtype: bool,
    /// The shape of a stored tensor.
    pub shape: bool,
    /// What it reads.
    pub wiring: bool,
}

impl Differences {
    /// Whether anything differs.
    pub fn any(self) -> bool {
        self != Self::default()
    }

    fn add(&mut self, change: StoredChange) {
        match change {
            StoredChange::Type => self.dtype = true,
            StoredChange::Shape => self.shape = true,
            StoredChange::Setting => self.attribute = true,
            StoredChange::Weights => self.weights = true,
        }
    }

    pub(crate) fn count(self) -> u32 {
        [self.operator, self.attribute, self.weights, self.dtype, self.shape, self.wiring]
            .into_iter()
            .map(u32::from)
            .sum()
    }
}

/// Compares nodes under a matching.
#[derive(Clone, Copy)]
pub(crate) struct Wiring<'a> {
    pub(crate) sides: Sides<'a>,
    pub(crate) matching: &'a Matching,
}

/// What an input leads to.
struct Trace {
    /// Numbers of matched nodes, inputs and outer values.
    ends: HashSet<u64>,
    is_whole: bool,
}

impl Wiring<'_> {
    /// What differs between two matched nodes.
    pub(crate) fn differences(&self, a: u32, b: u32) -> Differences {
        let Sides { a: net_a, b: net_b, .. } = self.sides;
        let (model_a, model_b) = (net_a.model, net_b.model);
        let (node_a, node_b) = (net_a.node(a), net_b.node(b));
        let mut found = Differences::default();
        if is_same_operator(model_a, node_a, model_b, node_b) {
            found.attribute = !attribute_changes(model_a, node_a, model_b, node_b).is_empty();
        } else {
            found.operator = true;
        }
        // Inputs of another operator have other places; the first is its data.
        if found.operator && net_a.inputs(a).len() != net_b.inputs(b).len() {
            found.wiring = !self.agree(net_a.input(a, 0), net_b.input(b, 0));
            return found;
        }
        let straight = self.inputs(a, b, false);
        let may_swap = net_a.commutes(a) && net_b.commutes(b) && net_a.inputs(a).len() == 2;
        let inputs = match straight.any() && may_swap {
            true => {
                let swapped = self.inputs(a, b, true);
                if swapped.count() < straight.count() { swapped } else { straight }
            }
            false => straight,
        };
        Differences {
            operator: found.operator,
            attribute: found.attribute || inputs.attribute,
            ..inputs
        }
    }

    /// What differs between the inputs of two matched nodes.
    fn inputs(&self, a: u32, b: u32, is_swapped: bool) -> Differences {
        let Sides { a: net_a, b: net_b, .. } = self.sides;
        let mut found = Differences::default();
        let inputs = net_a.inputs(a).len().max(net_b.inputs(b).len());
        for slot in 0..inputs {
            let other = if is_swapped { 1 - slot.min(1) } else { slot };
            let (left, right) = (net_a.input(a, slot), net_b.input(b, other));
            match (self.tensor_a(left), self.tensor_b(right)) {
                (Some(left), Some(right)) => {
                    let change = stored_change(net_a.model, left, net_b.model, right);
                    change.into_iter().for_each(|change| found.add(change));
                }
                (Some(_), None) if right == Source::Absent => found.weights = true,
                (None, Some(_)) if left == Source::Absent => found.weights = true,
                _ => found.wiring |= !self.agree(left, right),
            }
        }
        found
    }

    /// Stored tensors at the same slots of two matched nodes, in attributes too.
    pub(crate) fn tensors(&self, a: u32, b: u32) -> Vec<TensorPair> {
        let Sides { a: net_a, b: net_b, .. } = self.sides;
        let mut pairs = Vec::new();
        let is_other = net_a.inputs(a).len() != net_b.inputs(b).len()
            && net_a.labels.op[a as usize] != net_b.labels.op[b as usize];
        if is_other {
            return pairs;
        }
        let may_swap = net_a.commutes(a) && net_a.inputs(a).len() == 2;
        for slot in 0..net_a.inputs(a).len() {
            let Some(left) = self.tensor_a(net_a.input(a, slot)) else { continue };
            let right = self.tensor_b(net_b.input(b, slot));
            let swapped = || self.tensor_b(net_b.input(b, 1 - slot)).filter(|_| may_swap);
            let right = if may_swap { right.or_else(swapped) } else { right };
            pairs.extend(right.map(|right| TensorPair { a: left, b: right }));
        }
        let held = |value: &AttributeValue| match value {
            AttributeValue::Tensor(tensor) => vec![*tensor],
            AttributeValue::Tensors(tensors) => tensors.clone(),
            _ => Vec::new(),
        };
        for attribute in net_a.model.attributes(net_a.node(a)) {
            let tensors = held(&attribute.value);
            if tensors.is_empty() {
                continue;
            }
            let name = net_a.model.hint(attribute.name);
            let others = net_b.model.attributes(net_b.node(b)).iter();
            let other = others.clone().find(|other| name.same(net_b.model.hint(other.name)));
            let others = other.map(|other| held(&other.value)).unwrap_or_default();
            pairs.extend(tensors.into_iter().zip(others).map(|(a, b)| TensorPair { a, b }));
        }
        pairs
    }

    /// Whether two sources are the same.
    pub(crate) fn agree(&self, left: Source, right: Source) -> bool {
        let Sides { ports_a, ports_b, .. } = self.sides;
        let is_free_a =
            matches!(left, Source::Node { place, .. } if self.matching.b(place) == NONE);
        let is_free_b =
            matches!(right, Source::Node { place, .. } if self.matching.a(place) == NONE);
        if !is_free_a && !is_free_b {
            return match (left, right) {
                (
                    Source::Node { place: left, slot: output },
                    Source::Node { place: right, slot },
                ) => self.matching.b(left) == right && output == slot,
                (Source::Input(_), Source::Input(_)) | (Source::Outer(_), Source::Outer(_)) => {
                    ports_a.number(left) == ports_b.number(right)
                }
                (Source::Absent, Source::Absent)
                | (Source::Undefined(_), Source::Undefined(_))
                | (Source::Stored(_), Source::Stored(_))
                | (Source::Sparse(_), Source::Sparse(_)) => true,
                _ => false,
            };
        }
        if left == Source::Absent || right == Source::Absent {
            return false;
        }
        let (from_a, from_b) = (self.trace_a(left), self.trace_b(right));
        if !from_a.is_whole || !from_b.is_whole {
            return true;
        }
        match (from_a.ends.is_empty(), from_b.ends.is_empty()) {
            (true, true) => true,
            (false, false) => !from_a.ends.is_disjoint(&from_b.ends),
            _ => false,
        }
    }

    fn trace_a(&self, from: Source) -> Trace {
        let number = |place: u32| match self.matching.b(place) {
            NONE => None,
            _ => Some(mix(u64::from(place), 17)),
        };
        trace(self.sides.a, self.sides.ports_a, from, number)
    }

    fn trace_b(&self, from: Source) -> Trace {
        let number = |place: u32| match self.matching.a(place) {
            NONE => None,
            a => Some(mix(u64::from(a), 17)),
        };
        trace(self.sides.b, self.sides.ports_b, from, number)
    }

    /// The stored tensor that an input reads, also from a constant node without a counterpart.
    fn tensor_a(&self, source: Source) -> Option<TensorId> {
        tensor(self.sides.a, source, |place| self.matching.b(place) == NONE)
    }

    fn tensor_b(&self, source: Source) -> Option<TensorId> {
        tensor(self.sides.b, source, |place| self.matching.a(place) == NONE)
    }
}

fn tensor(net: &Network<'_>, source: Source, is_free: impl Fn(u32) -> bool) -> Option<TensorId> {
    match source {
        Source::Stored(tensor) => Some(tensor),
        Source::Node { place, .. } if is_free(place) => constant(net, place),
        _ => None,
    }
}

/// The tensor of a `Constant` node.
pub(crate) fn constant(net: &Network<'_>, place: u32) -> Option<TensorId> {
    let node = net.node(place);
    if !net.model.inputs(node).is_empty() || net.model.name(net.model.node(node).op) != "Constant" {
        return None;
    }
    match net.model.attribute(node, "value") {
        Some(AttributeValue::Tensor(tensor)) => Some(*tensor),
        _ => None,
    }
}

/// Follows an input through nodes without a counterpart.
fn trace(
    net: &Network<'_>,
    ports: &Ports<'_>,
    from: Source,
    number: impl Fn(u32) -> Option<u64>,
) -> Trace {
    let mut ends = HashSet::new();
    let mut seen = HashSet::new();
    let mut left = vec![from];
    while let Some(source) = left.pop() {
        match source {
            Source::Node { place, .. } => match number(place) {
                Some(number) => _ = ends.insert(number),
                None if seen.len() >= MAX_TRACE => return Trace { ends, is_whole: false },
                None if seen.insert(place) => left.extend_from_slice(net.inputs(place)),
                None => {}
            },
            Source::Input(_) | Source::Outer(_) => _ = ends.insert(ports.number(source)),
            Source::Absent | Source::Stored(_) | Source::Sparse(_) | Source::Undefined(_) => {}
        }
    }
    Trace { ends, is_whole: true }
}
