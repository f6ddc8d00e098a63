//! What becomes of each value: a pass forward for where values come from, and one backward for
//! where they go.
//!
//! A stored tensor is often not where it is used: exporters cast, transpose, dequantize and expand
//! it first. So uses travel backward through every operator that only moves its input.

use calipers_infer::walk::{self, ResolvedKind, ResolvedOps, Special, Step};
use calipers_ir::{Model, NodeId, ValueId};
use calipers_ops::{Class, InputRole, Movement, Operator};

use super::operands::{Operands, Others};
use super::parts::{self, Part};

/// A set of things that become of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Uses(u32);

impl Uses {
    pub(super) const WEIGHT: Self = Self(1);
    pub(super) const STATISTIC: Self = Self(1 << 1);
    pub(super) const SCALE: Self = Self(1 << 2);
    pub(super) const TABLE: Self = Self(1 << 3);
    pub(super) const ADDED: Self = Self(1 << 4);
    pub(super) const SUBTRACTED: Self = Self(1 << 5);
    pub(super) const MULTIPLIED: Self = Self(1 << 6);
    pub(super) const DIVIDED: Self = Self(1 << 7);
    pub(super) const JOINED: Self = Self(1 << 8);
    pub(super) const TRANSFORMED: Self = Self(1 << 9);
    pub(super) const SINE: Self = Self(1 << 10);
    pub(super) const COSINE: Self = Self(1 << 11);
    pub(super) const SETTING: Self = Self(1 << 12);
    pub(super) const DEQUANTIZED: Self = Self(1 << 13);
    pub(super) const FOREIGN: Self = Self(1 << 14);
    /// Arithmetic with a value that some weighted layer came before.
    pub(super) const AFTER_WEIGHTS: Self = Self(1 << 15);
    /// Some weighted layer comes after it.
    pub(super) const BEFORE_WEIGHTS: Self = Self(1 << 16);
    /// The model gives it out.
    pub(super) const OUTPUT: Self = Self(1 << 17);
    /// The gain of a normalization, or the slope of an activation, that is written out.
    pub(super) const GAIN: Self = Self(1 << 18);
    /// The shift of a normalization that is written out.
    pub(super) const SHIFT: Self = Self(1 << 19);
    /// The bias of a layer: one for its only output, or one that is quantized as the model runs.
    pub(super) const BIAS: Self = Self(1 << 20);
    /// Added to the scores of an attention.
    pub(super) const SCORES: Self = Self(1 << 21);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn only(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The use that a slot makes of what is in it.
fn of_slot(slot: InputRole) -> Uses {
    match slot {
        InputRole::Weight => Uses::WEIGHT,
        InputRole::Statistic => Uses::STATISTIC,
        InputRole::Scale => Uses::SCALE,
        InputRole::Table => Uses::TABLE,
        InputRole::Added => Uses::ADDED,
        InputRole::Subtracted => Uses::SUBTRACTED,
        InputRole::Multiplied => Uses::MULTIPLIED,
        InputRole::Divided => Uses::DIVIDED,
        InputRole::Joined => Uses::JOINED,
        InputRole::Transformed => Uses::TRANSFORMED,
        InputRole::Sine => Uses::SINE,
        InputRole::Cosine => Uses::COSINE,
        InputRole::Dequantized => Uses::DEQUANTIZED,
        InputRole::Data | InputRole::Setting => Uses::SETTING,
        InputRole::Moved => Uses::default(),
    }
}

/// Slots whose contents take part in the output's values.
fn carries_values(slot: InputRole) -> bool {
    !matches!(slot, InputRole::Setting | InputRole::Scale)
}

/// What is known of every value.
pub(super) struct UseTable {
    /// What becomes of it.
    pub uses: Vec<Uses>,
    /// The first node that computes with it. A node that only reads its shape counts where no other
    /// node uses it.
    pub user: Vec<Option<NodeId>>,
}

/// Where a value comes from.
#[derive(Clone, Copy, Default)]
pub(super) struct Origin {
    /// From stored tensors alone.
    pub(super) fixed: bool,
    /// It is a scale that is found while the model runs.
    pub(super) scale: bool,
    /// A weighted layer is somewhere before it.
    pub(super) after_weights: bool,
    /// What it is in a layer that is written out.
    pub(super) part: Part,
}

/// Finds the uses of every value.
pub(super) fn find(model: &Model, resolved: &ResolvedOps) -> UseTable {
    let steps = walk::steps(model, resolved);
    let mut pass = Pass {
        model,
        resolved,
        origins: origins_of_graph_values(model),
        table: UseTable {
            uses: vec![Uses::default(); model.values().len()],
            user: vec![None; model.values().len()],
        },
    };
    for step in steps.iter().flatten() {
        pass.forward(*step);
    }
    for output in &model.main().outputs {
        pass.table.uses[output.index()].add(Uses::OUTPUT);
    }
    for (_, function) in model.functions() {
        for output in &model.graph(function.body).outputs {
            pass.table.uses[output.index()].add(Uses::BEFORE_WEIGHTS);
        }
    }
    // Within a graph from its end; but a function before its callers, who ask what becomes of
    // their arguments.
    for step in steps.iter().flat_map(|steps| steps.iter().rev()) {
        pass.backward(*step);
    }
    pass.table
}

fn origins_of_graph_values(model: &Model) -> Vec<Origin> {
    let mut origins = vec![Origin::default(); model.values().len()];
    for (id, value) in model.values() {
        origins[id.index()].fixed =
            value.initializer.is_some() || value.sparse_initializer.is_some();
    }
    // Who calls a function, and with what, is open: biases in it must not look like preparation
    // of an input.
    for (_, function) in model.functions() {
        for input in &model.graph(function.body).inputs {
            origins[input.index()].after_weights = true;
        }
    }
    origins
}

struct Pass<'a> {
    model: &'a Model,
    resolved: &'a ResolvedOps,
    origins: Vec<Origin>,
    table: UseTable,
}

impl Pass<'_> {
    fn origin(&self, value: Option<ValueId>) -> Origin {
        value.map_or(Origin { fixed: true, ..Origin::default() }, |v| self.origins[v.index()])
    }

    fn forward(&mut self, step: Step) {
        match step {
            Step::Enter(node) => {
                for (outer, inner) in self.flows_in(node) {
                    self.origins[inner.index()] = self.origins[outer.index()];
                }
            }
            Step::Node(node) => {
                let origin = self.origin_of_outputs(node);
                for output in self.model.outputs(node).iter().flatten() {
                    self.origins[output.index()] = origin;
                }
                if self.resolved.get(node).special == Special::DynamicQuantizeLinear
                    && let Some(Some(scale)) = self.model.outputs(node).get(1)
                {
                    self.origins[scale.index()].scale = true;
                }
                let part = self.part_of_outputs(node);
                for output in self.model.outputs(node).iter().flatten() {
                    self.origins[output.index()].part = part;
                }
                for (inner, outer) in self.flows_out(node) {
                    self.origins[outer.index()].after_weights |=
                        self.origins[inner.index()].after_weights;
                }
            }
        }
    }

    fn origin_of_outputs(&self, node: NodeId) -> Origin {
        let inputs = self.model.inputs(node);
        let after_weights = self.is_weighted(node)
            || inputs.iter().flatten().any(|value| self.origins[value.index()].after_weights);
        let resolved = self.resolved.get(node);
        let origin = match resolved.kind {
            _ if resolved.special == Special::Constant => {
                Origin { fixed: true, after_weights, ..Origin::default() }
            }
            _ if resolved.special == Special::ConstantOfShape => {
                let fixed = self.origin(inputs.first().copied().flatten()).fixed;
                Origin { fixed, after_weights, ..Origin::default() }
            }
            ResolvedKind::Operator(operator) => {
                let mut carried = (0..)
                    .zip(inputs)
                    .filter(|(slot, value)| value.is_some() && carries_values(operator.role(*slot)))
                    .map(|(_, value)| self.origin(*value))
                    .peekable();
                let any = carried.peek().is_some();
                let (fixed, scale) = carried.fold((any, false), |(fixed, scale), origin| {
                    (fixed && origin.fixed, scale || origin.scale)
                });
                // Only multiplication makes a scale of a scale.
                let scale = scale && resolved.special == Special::Mul;
                Origin { fixed, scale, after_weights, ..Origin::default() }
            }
            ResolvedKind::Plain => Origin { after_weights, ..Origin::default() },
            ResolvedKind::Call(function) => {
                let body = self.model.graph(self.model.function(function).body);
                let weighted =
                    body.outputs.iter().any(|value| self.origins[value.index()].after_weights);
                Origin { after_weights: after_weights || weighted, ..Origin::default() }
            }
            ResolvedKind::Foreign => Origin { after_weights, ..Origin::default() },
        };
        // What is before a constant does not matter.
        Origin { after_weights: origin.after_weights && !origin.fixed, ..origin }
    }

    /// What the output of a node is in a layer that is written out.
    fn part_of_outputs(&self, node: NodeId) -> Part {
        let ResolvedKind::Operator(operator) = self.resolved.get(node).kind else {
            return Part::default();
        };
        let inputs = self.model.inputs(node).iter().flatten().map(|value| {
            let origin = self.origins[value.index()];
            parts::Input { value: *value, fixed: origin.fixed, part: origin.part }
        });
        parts::part_of_output(self.model, operator, &inputs.collect::<Vec<_>>())
    }

    /// Whether a node applies stored weights to something.
    fn is_weighted(&self, node: NodeId) -> bool {
        let ResolvedKind::Operator(operator) = self.resolved.get(node).kind else { return false };
        let learned = |slot| {
            matches!(
                operator.role(slot),
                InputRole::Weight | InputRole::Table | InputRole::Statistic
            )
        };
        let mut inputs = (0..).zip(self.model.inputs(node));
        !operator.attributes.is_empty()
            || inputs
                .any(|(slot, value)| value.is_some() && learned(slot) && self.origin(*value).fixed)
    }

    fn backward(&mut self, step: Step) {
        match step {
            Step::Enter(node) => {
                for (outer, inner) in self.flows_in(node) {
                    self.pass_back(inner, outer);
                }
            }
            Step::Node(node) => {
                for (inner, outer) in self.flows_out(node) {
                    self.pass_back(outer, inner);
                }
                match self.resolved.get(node).kind {
                    ResolvedKind::Operator(operator) => self.use_inputs(node, operator),
                    ResolvedKind::Plain => self.mark_inputs(node, Uses::SETTING),
                    ResolvedKind::Foreign => self.mark_inputs(node, Uses::FOREIGN),
                    ResolvedKind::Call(function) => {
                        let body = self.model.graph(self.model.function(function).body);
                        let outer = self.model.inputs(node);
                        for (outer, inner) in outer.iter().zip(&body.inputs) {
                            if let Some(outer) = outer {
                                self.pass_back(*inner, *outer);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Gives one value the uses of another.
    fn pass_back(&mut self, from: ValueId, to: ValueId) {
        let uses = self.table.uses[from.index()];
        self.table.uses[to.index()].add(uses);
        if let Some(user) = self.table.user[from.index()] {
            self.set_user(to, user);
        }
    }

    /// Sets the user of a value. Steps run backward, so the last to write is the first to run.
    fn set_user(&mut self, value: ValueId, user: NodeId) {
        let before = self.table.user[value.index()];
        if before.is_none() || !self.is_shape_query(user) {
            self.table.user[value.index()] = Some(user);
        }
    }

    /// Whether a node reads the shape of its input and nothing else of it.
    fn is_shape_query(&self, node: NodeId) -> bool {
        match self.resolved.get(node).kind {
            ResolvedKind::Operator(operator) => operator.traits.class == Class::ShapeQuery,
            _ => false,
        }
    }

    fn mark(&mut self, value: ValueId, uses: Uses, user: NodeId) {
        self.table.uses[value.index()].add(uses);
        self.set_user(value, user);
    }

    fn mark_inputs(&mut self, node: NodeId, uses: Uses) {
        let ahead = self.uses_of_outputs(node).only(Uses::BEFORE_WEIGHTS);
        let uses = uses.with(ahead);
        for value in self.model.inputs(node).iter().flatten() {
            self.mark(*value, uses, node);
        }
    }

    fn use_inputs(&mut self, node: NodeId, operator: &Operator) {
        let downstream = self.uses_of_outputs(node);
        let ahead = if downstream.has(Uses::BEFORE_WEIGHTS) || self.is_weighted(node) {
            Uses::BEFORE_WEIGHTS
        } else {
            Uses::default()
        };
        let inputs = self.model.inputs(node);
        let operands = Operands::new(&self.origins, inputs);
        for (index, value) in inputs.iter().enumerate() {
            let Some(value) = *value else { continue };
            let others = operands.without(value);
            let slot = operator.role(index);
            let mut uses = of_slot(slot).with(ahead);
            if others.after_weights {
                uses.add(Uses::AFTER_WEIGHTS);
            }
            let fixed = self.origins[value.index()].fixed;
            if fixed {
                uses.add(parts::uses_in(slot, others.part));
                uses.add(self.uses_in_sum(node, slot, value, &operands));
            }
            let is_base = index == 0
                && fixed
                && !others.fixed
                && matches!(operator.traits.movement, Some(Movement::Scatter { .. }));
            let fate = match fate(slot, downstream, &others, fixed) {
                // What is overwritten as the model runs was not learned: zeros, an empty cache.
                Fate::Used if is_base => Fate::Becomes(Uses::SETTING),
                fate => fate,
            };
            match fate {
                Fate::Used => self.mark(value, uses, node),
                Fate::Becomes(special) => self.mark(value, special, node),
                Fate::HandedOn => {
                    let uses = uses.without(Uses::JOINED).with(downstream);
                    self.table.uses[value.index()].add(uses);
                    if let Some(user) = self.user_of_outputs(node) {
                        self.set_user(value, user);
                    }
                }
            }
        }
    }

    /// What a sum shows of a stored operand.
    fn uses_in_sum(
        &self,
        node: NodeId,
        slot: InputRole,
        value: ValueId,
        operands: &Operands,
    ) -> Uses {
        let mut uses = Uses::default();
        if slot == InputRole::Added {
            if operands.has_single_output_without(self.model, value) {
                uses.add(Uses::BIAS);
            }
            if parts::becomes_probability(self.model, node) {
                uses.add(Uses::SCORES);
            }
        }
        uses
    }

    fn uses_of_outputs(&self, node: NodeId) -> Uses {
        let outputs = self.model.outputs(node).iter().flatten();
        outputs.fold(Uses::default(), |sum, value| sum.with(self.table.uses[value.index()]))
    }

    fn user_of_outputs(&self, node: NodeId) -> Option<NodeId> {
        self.model.outputs(node).iter().flatten().find_map(|value| self.table.user[value.index()])
    }

    /// Values that a node hands to its subgraphs' inputs.
    fn flows_in(&self, node: NodeId) -> Vec<(ValueId, ValueId)> {
        let inputs = self.model.inputs(node);
        let mut flows = Vec::new();
        if self.resolved.get(node).special != Special::If {
            for body in walk::subgraphs(self.model, node) {
                let pairs = inputs.iter().zip(&self.model.graph(body).inputs);
                flows.extend(pairs.filter_map(|(outer, inner)| Some(((*outer)?, *inner))));
            }
        }
        flows
    }

    /// Values that a node takes from its subgraphs' outputs.
    fn flows_out(&self, node: NodeId) -> Vec<(ValueId, ValueId)> {
        let mut flows = Vec::new();
        let outputs = self.model.outputs(node);
        // The first output of a Loop's body is only its condition.
        let skipped = usize::from(self.resolved.get(node).special == Special::Loop);
        for body in walk::subgraphs(self.model, node) {
            let inner = self.model.graph(body).outputs.iter().skip(skipped);
            flows.extend(inner.zip(outputs).filter_map(|(i, o)| Some((*i, (*o)?))));
        }
        flows
    }
}

/// What a node does with one of its inputs.
enum Fate {
    /// What its slot says.
    Used,
    /// Something else, which the values around it show.
    Becomes(Uses),
    /// It goes on to the output, and its uses are those of the output.
    HandedOn,
}

fn fate(slot: InputRole, downstream: Uses, others: &Others, fixed: bool) -> Fate {
    match slot {
        InputRole::Moved | InputRole::Dequantized => Fate::HandedOn,
        InputRole::Transformed if fixed => Fate::HandedOn,
        // An activation that meets others goes on with them, and arithmetic among stored tensors
        // is still a stored tensor.
        InputRole::Joined
        | InputRole::Added
        | InputRole::Subtracted
        | InputRole::Multiplied
        | InputRole::Divided
            if !fixed || others.fixed =>
        {
            Fate::HandedOn
        }
        InputRole::Multiplied if others.scale => Fate::Becomes(Uses::SCALE),
        // Quantized with a scale that is found as the model runs: the bias of an integer product.
        InputRole::Divided if fixed && others.scale => Fate::Becomes(Uses::BIAS),
        // A product that only ever is an angle: frequencies of a position code.
        InputRole::Weight | InputRole::Multiplied if is_angle(downstream) => {
            Fate::Becomes(Uses::SETTING)
        }
        _ => Fate::Used,
    }
}

/// Whether a value is only ever an angle, as in a rotation: a sine alone may be an activation.
fn is_angle(uses: Uses) -> bool {
    uses.without(Uses::BEFORE_WEIGHTS) == Uses::SINE.with(Uses::COSINE)
}
