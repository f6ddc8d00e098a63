//! Properties of each node and value, and their sums by group.

use std::sync::Arc;

use calipers_infer::walk::{ResolvedKind, ResolvedOps, subgraphs};
use calipers_ir::scope;
use calipers_ir::{DType, NodeId, ValueId};
use calipers_measure::layers::Book;
use calipers_measure::shapes;
use calipers_ops::attributes::{self, cut};
use calipers_ops::{Class, Fact, TensorFact, canonical_domain};
use calipers_report::{
    GraphView, GroupItem, LayerCost, OperatorGroup, ValueShape, ViewNode, ViewValue, Work,
};
use calipers_sym::Expr;
use hashbrown::HashMap;

use super::Seen;
use super::tree::Tree;

/// The number of what has none.
const ABSENT: u32 = u32::MAX;

/// Operands that are reported of a node.
const MOST_OPERANDS: usize = 256;

/// Nodes and values with their numbers.
pub(super) struct Contents<'a> {
    seen: &'a Seen<'a>,
    tree: &'a Tree<'a>,
    resolved: &'a ResolvedOps,
    /// Nodes in their order, and the number of each.
    order: Vec<NodeId>,
    numbers: Vec<u32>,
    values: Vec<ValueId>,
    value_numbers: Vec<u32>,
    /// Texts that many nodes share.
    texts: HashMap<String, Arc<str>>,
}

impl<'a> Contents<'a> {
    pub(super) fn new(seen: &'a Seen<'a>, tree: &'a Tree<'a>, resolved: &'a ResolvedOps) -> Self {
        let graphs = seen.model.graphs().filter(|(id, _)| tree.of_graph.contains_key(id));
        let order: Vec<NodeId> =
            graphs.flat_map(|(_, graph)| graph.order.iter().copied()).collect();
        let mut numbers = vec![ABSENT; seen.model.nodes().len()];
        for (number, node) in (0..).zip(&order) {
            numbers[node.index()] = number;
        }
        Self {
            seen,
            tree,
            resolved,
            order,
            numbers,
            values: Vec::new(),
            value_numbers: vec![ABSENT; seen.model.values().len()],
            texts: HashMap::new(),
        }
    }

    /// The number of a node.
    pub(super) fn number(&self, node: NodeId) -> usize {
        match self.numbers[node.index()] {
            ABSENT => 0,
            number => number as usize,
        }
    }

    /// The number of a value.
    pub(super) fn value(&mut self, value: ValueId) -> usize {
        let number = &mut self.value_numbers[value.index()];
        if *number == ABSENT {
            *number = u32::try_from(self.values.len()).unwrap_or(ABSENT);
            self.values.push(value);
        }
        *number as usize
    }

    /// A text that is held once.
    fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = cut(text).into();
        self.texts.insert(text.to_owned(), Arc::clone(&shared));
        shared
    }

    /// All nodes, in their order.
    pub(super) fn nodes(&mut self) -> Vec<ViewNode> {
        let order = std::mem::take(&mut self.order);
        let book = Book::new(self.seen.model, self.seen.typed, self.seen.sizes);
        let timeline = &self.seen.memory.timeline;
        let nodes = order.iter().enumerate().map(|(place, node)| {
            let mut reported = self.node(*node, &book);
            reported.alive_bytes = timeline.get(place).copied();
            reported
        });
        let nodes = nodes.collect();
        self.order = order;
        nodes
    }

    /// The nodes, in their order.
    pub(super) fn into_order(self) -> Vec<NodeId> {
        self.order
    }

    fn node(&mut self, id: NodeId, book: &Book<'_>) -> ViewNode {
        let (model, typed) = (self.seen.model, self.seen.typed);
        let node = model.node(id);
        let (cost, reason) = match typed.cost(id) {
            Some(Ok(total_cost)) => (book.cost(total_cost), None),
            Some(Err(reason)) => (LayerCost::default(), Some(reason.to_string())),
            None => (LayerCost::default(), Some("the node was not analyzed".to_owned())),
        };
        let is_main = node.graph == model.main_id();
        let mut operands = |values: &[Option<ValueId>]| -> Vec<Option<usize>> {
            let reported = values.iter().take(MOST_OPERANDS);
            reported.map(|value| value.map(|value| self.value(value))).collect()
        };
        let (inputs, outputs) = (operands(model.inputs(id)), operands(model.outputs(id)));
        let mut groups: Vec<usize> = subgraphs(model, id)
            .filter_map(|graph| self.tree.of_graph.get(&graph).copied())
            .collect();
        let mut class = self.class(id);
        if let ResolvedKind::Call(function) = self.resolved.get(id).kind {
            groups.extend(self.tree.of_graph.get(&model.function(function).body));
            class = OperatorGroup::ControlFlow;
        }
        let attributes = attributes::texts(model, id);
        let defaults = attributes::defaults_of(model, id);
        let is_set = |name: &str| attributes.iter().any(|(set, _)| set == name);
        let defaults = defaults.iter().filter(|(name, _)| !is_set(name));
        let defaults = defaults.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        ViewNode {
            name: cut(&model.node_label(id)),
            op: self.shared(model.written_op(id)),
            class,
            domain: self.shared(canonical_domain(model.written_domain(id))),
            scope: self.shared(&scope::path(&scope::steps(model, id))),
            group: self.tree.home[id.index()].unwrap_or(0),
            drawn: self.tree.is_drawn(id),
            auxiliary: self.tree.is_auxiliary(id),
            groups,
            inputs,
            outputs,
            defaults: defaults.collect(),
            attributes,
            parameters: if is_main { self.seen.owners.elements(id) } else { None },
            cost,
            reason,
            alive_bytes: None,
        }
    }

    /// The class of a node's operator.
    fn class(&self, id: NodeId) -> OperatorGroup {
        let node = self.seen.model.node(id);
        let (domain, op) = (self.seen.model.name(node.domain), self.seen.model.name(node.op));
        calipers_ops::find(domain, op)
            .map_or(OperatorGroup::Other, |operator| operator_group(operator.traits.class))
    }

    /// All values that were asked for, in the order of their numbers.
    pub(super) fn values(&self) -> Vec<ViewValue> {
        let (model, typed) = (self.seen.model, self.seen.typed);
        // Values of one shape have one list of dimensions.
        let mut known: HashMap<(DType, *const [Expr]), Arc<ValueShape>> = HashMap::new();
        let mut shape = |fact: &Fact| match fact {
            Fact::Tensor(TensorFact { dtype, shape: Ok(dims), .. }) => Arc::clone(
                known
                    .entry((*dtype, Arc::as_ptr(dims)))
                    .or_insert_with(|| Arc::new(shapes::shape(fact))),
            ),
            _ => Arc::new(shapes::shape(fact)),
        };
        let reported = |id: &ValueId| {
            let value = model.value(*id);
            ViewValue {
                name: cut(model.name(value.name)),
                value: shape(typed.fact(*id)),
                stored: value.initializer.is_some() || value.sparse_initializer.is_some(),
            }
        };
        self.values.iter().map(reported).collect()
    }
}

/// The class that the view shows an operator in.
fn operator_group(class: Class) -> OperatorGroup {
    match class {
        Class::Contraction => OperatorGroup::Contraction,
        Class::Attention => OperatorGroup::Attention,
        Class::Recurrent => OperatorGroup::Recurrent,
        Class::Activation(_) | Class::Softmax => OperatorGroup::Activation,
        Class::Normalization(_) => OperatorGroup::Normalization,
        Class::Pooling(_) | Class::Reduction => OperatorGroup::Pooling,
        Class::Elementwise | Class::Rotary => OperatorGroup::Elementwise,
        Class::Movement | Class::View | Class::ShapeQuery | Class::Generator => {
            OperatorGroup::Movement
        }
        Class::Quantization => OperatorGroup::Quantization,
        Class::ControlFlow | Class::Search => OperatorGroup::ControlFlow,
        Class::Features
        | Class::Image(_)
        | Class::LinearAlgebra
        | Class::LinearModel
        | Class::Loss
        | Class::Training
        | Class::Sequence
        | Class::Signal
        | Class::SupportVectors
        | Class::Text
        | Class::Trees => OperatorGroup::Other,
    }
}

/// Adds up figures in each group.
pub(super) fn add_up(view: &mut GraphView) {
    for node in &view.nodes {
        let group = &mut view.groups[node.group];
        group.nodes += 1;
        group.unknown += u64::from(node.reason.is_some());
        add_work(&mut group.work, &node.cost.work);
        add(&mut group.parameters, node.parameters);
        group.alive_bytes = group.alive_bytes.max(node.alive_bytes);
    }
    // Parents are before their children.
    for number in (0..view.groups.len()).rev() {
        let inner: Vec<usize> = view.groups[number]
            .items
            .iter()
            .filter_map(|item| match item {
                GroupItem::GraphGroup(inner) => Some(*inner),
                _ => None,
            })
            .collect();
        for inner in inner {
            // It is behind.
            let (before, behind) = view.groups.split_at_mut(inner);
            let (Some(group), Some(part)) = (before.get_mut(number), behind.first()) else {
                continue;
            };
            group.nodes += part.nodes;
            group.unknown += part.unknown;
            add_work(&mut group.work, &part.work);
            add(&mut group.parameters, part.parameters);
            group.alive_bytes = group.alive_bytes.max(part.alive_bytes);
        }
    }
}

fn add_work(sum: &mut Work, more: &Work) {
    add(&mut sum.macs, more.macs);
    add(&mut sum.other_flops, more.other_flops);
    add(&mut sum.bytes_moved, more.bytes_moved);
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}
