//! Making the network out of the graph.

use std::cell::OnceCell;

use calipers_infer::Typed;
use calipers_infer::walk::{ResolvedKind, ResolvedOps, subgraphs};
use calipers_ir::{AttributeValue, GraphId, List, Model, NodeId, Producer, ValueId};
use calipers_ops::Operator;
use hashbrown::HashMap;

use super::lower::lower;
use super::{BlockKind, Network, NetworkOp, Op, OpId, Origin, Val, ValInfo, unit_id};

/// Graphs nested deeper than this are not entered.
const MAX_NESTING: usize = 32;

/// Nodes that are looked at for each node of the model: functions are entered at every call, and a
/// hostile file must not make that grow without end.
const MAX_LOOKS: usize = 8;

/// The standard's `Attention`, by a name that no block has.
pub(super) const DOT_PRODUCT_ATTENTION: &str = "DotProductAttention";

/// An input that may be left out.
pub(super) type Input = Option<Val>;

/// A node on its way into the network.
pub(super) struct Given<'a> {
    pub(super) node: NodeId,
    /// The name of its operator; empty when that is unknown.
    pub(super) name: &'static str,
    pub(super) row: Option<&'static Operator>,
    pub(super) inputs: &'a [Input],
}

impl Given<'_> {
    pub(super) fn input(&self, index: usize) -> Input {
        self.inputs.get(index).copied().flatten()
    }
}

/// A network in the making.
pub(super) struct Builder<'a> {
    model: &'a Model,
    typed: &'a Typed,
    resolved: ResolvedOps,
    units: Vec<NetworkOp>,
    vals: Vec<ValInfo>,
    /// What each value of the model is in the network.
    map: Vec<Input>,
    /// Outputs of the node at hand that a step gave already.
    named: Vec<ValueId>,
    looks_left: usize,
    nesting: usize,
}

impl<'a> Network<'a> {
    /// The network of a model.
    pub fn build(model: &'a Model, typed: &'a Typed) -> Self {
        let mut builder = Builder {
            model,
            typed,
            resolved: ResolvedOps::find(model),
            units: Vec::new(),
            vals: Vec::new(),
            map: vec![None; model.values().len()],
            named: Vec::new(),
            looks_left: model.nodes().len().saturating_mul(MAX_LOOKS).saturating_add(1000),
            nesting: 0,
        };
        let main = model.main();
        let inputs = main.inputs.iter().filter(|value| {
            let value = model.value(**value);
            value.initializer.is_none() && value.sparse_initializer.is_none()
        });
        let inputs = inputs.map(|value| builder.val(*value)).collect();
        builder.graph(model.main_id());
        let outputs: Vec<Val> = main.outputs.iter().map(|value| builder.val(*value)).collect();
        let Builder { units, mut vals, .. } = builder;
        for output in &outputs {
            vals[output.index()].given += 1;
        }
        let mut by_op: HashMap<Op, Vec<OpId>> = HashMap::new();
        for (index, unit) in units.iter().enumerate() {
            by_op.entry(unit.op).or_default().push(unit_id(index));
        }
        Self { model, typed, units, vals, by_op, counts: OnceCell::new(), inputs, outputs }
    }
}

impl<'a> Builder<'a> {
    fn graph(&mut self, id: GraphId) {
        let model = self.model;
        for node in &model.graph(id).order {
            self.node(*node);
        }
    }

    fn node(&mut self, id: NodeId) {
        let Some(left) = self.looks_left.checked_sub(1) else { return };
        self.looks_left = left;
        let model = self.model;
        let mut inputs: Vec<Input> =
            model.inputs(id).iter().map(|value| value.map(|value| self.val(value))).collect();
        self.reorder_weights(id, &mut inputs);
        let row = match self.resolved.get(id).kind {
            ResolvedKind::Operator(row) => Some(row),
            ResolvedKind::Call(function) => {
                return self.enter(id, &inputs, model.function(function).body, 0, 0);
            }
            _ => None,
        };
        let name = row.map_or("", |row| row.name);
        match name {
            "If" => return self.branch(id, &inputs),
            "Loop" => return self.repeat(id, &inputs, 2, 1),
            "Scan" => return self.repeat(id, &inputs, 0, 0),
            _ => {}
        }
        let origin = origin(row, inputs.iter().flatten().map(|val| self.vals[val.index()].origin));
        if origin < Origin::Data {
            for output in model.outputs(id).iter().flatten() {
                self.map[output.index()] = Some(self.add_val(origin, None, Some(*output)));
            }
            return;
        }
        let given = Given { node: id, name, row, inputs: &inputs };
        self.named.clear();
        lower(self, &given);
    }

    /// An operator that represents itself.
    pub(super) fn plain(&mut self, n: &Given<'_>) {
        // The product with the ranges of quantized factors is not arithmetic of the network.
        if n.name == "Mul"
            && let [Some(a), Some(b)] = *n.inputs
        {
            for (data, range) in [(a, b), (b, a)] {
                if self.vals[range.index()].origin == Origin::Range {
                    return self.name_output(n, 0, Some(data));
                }
            }
        }
        self.keep(n);
    }

    /// The node as it is.
    pub(super) fn keep(&mut self, n: &Given<'_>) {
        let op = n.row.map_or(Op::Unknown, |row| row.name.into());
        self.finish(op, n, trimmed(n.inputs));
    }

    /// The first output is the first input; others are its range.
    pub(super) fn through(&mut self, n: &Given<'_>) {
        self.name_output(n, 0, n.input(0));
        for output in self.model.outputs(n.node).iter().skip(1).flatten() {
            self.map[output.index()] = Some(self.add_val(Origin::Range, None, Some(*output)));
        }
    }

    /// An intermediate result that is shaped like the node's own.
    pub(super) fn step(&mut self, op: impl Into<Op>, n: &Given<'_>, inputs: &[Input]) -> Input {
        let like = self.model.outputs(n.node).first().copied().flatten();
        let output = self.add_val(Origin::Data, None, like);
        self.add_unit(op.into(), n, inputs, vec![output]);
        Some(output)
    }

    /// An intermediate result of another shape than the node's.
    pub(super) fn inner(&mut self, op: impl Into<Op>, n: &Given<'_>, inputs: &[Input]) -> Input {
        let output = self.add_val(Origin::Data, None, None);
        self.add_unit(op.into(), n, inputs, vec![output]);
        Some(output)
    }

    /// A result that is one of the node's outputs.
    pub(super) fn step_to(
        &mut self,
        slot: usize,
        op: &'static str,
        n: &Given<'_>,
        inputs: &[Input],
    ) -> Input {
        let like = self.model.outputs(n.node).get(slot).copied().flatten();
        let output = self.add_val(Origin::Data, None, like);
        self.add_unit(op.into(), n, inputs, vec![output]);
        Some(output)
    }

    /// An intermediate result that is shaped like an input.
    pub(super) fn step_like(
        &mut self,
        input: Input,
        op: &'static str,
        n: &Given<'_>,
        inputs: &[Input],
    ) -> Input {
        let like = input.and_then(|input| self.vals[input.index()].like);
        let output = self.add_val(Origin::Data, None, like);
        self.add_unit(op.into(), n, inputs, vec![output]);
        Some(output)
    }

    /// The last step: it gives the outputs of the node that no step gave before.
    pub(super) fn finish(&mut self, op: impl Into<Op>, n: &Given<'_>, inputs: &[Input]) {
        let model = self.model;
        let named: Vec<ValueId> = model.outputs(n.node).iter().copied().flatten().collect();
        let mut outputs = Vec::with_capacity(named.len());
        for value in named {
            if !self.named.contains(&value) {
                let val = self.add_val(Origin::Data, None, Some(value));
                self.map[value.index()] = Some(val);
                outputs.push(val);
            }
        }
        if outputs.is_empty() {
            outputs.push(self.add_val(Origin::Data, None, None));
        }
        self.add_unit(op.into(), n, inputs, outputs);
    }

    /// An operator and others after it, each with one more operand or none.
    pub(super) fn chain(
        &mut self,
        op: &'static str,
        n: &Given<'_>,
        operands: &[Input],
        steps: &[(Op, Input)],
    ) {
        let Some((last, before)) = steps.split_last() else {
            return self.finish(op, n, trimmed(operands));
        };
        let mut result = self.step(op, n, trimmed(operands));
        for (op, operand) in before {
            result = self.step(*op, n, trimmed(&[result, *operand]));
        }
        self.finish(last.0, n, trimmed(&[result, last.1]));
    }

    /// Says what an output of the node is.
    pub(super) fn name_output(&mut self, n: &Given<'_>, slot: usize, val: Input) {
        if let (Some(Some(output)), Some(val)) = (self.model.outputs(n.node).get(slot), val) {
            self.map[output.index()] = Some(val);
            self.named.push(*output);
        }
    }

    /// The activation that a fused operator ends with, as an operator or, of limits, as a block.
    pub(super) fn activation(&self, n: &Given<'_>) -> Option<Op> {
        let Some(AttributeValue::Text(name)) = self.model.attribute(n.node, "activation") else {
            return None;
        };
        let name = std::str::from_utf8(name.setting().held()?).ok()?;
        let activation = calipers_ops::find(calipers_ops::ONNX, name).map(|row| row.name)?;
        let limits = match self.model.attribute(n.node, "activation_params") {
            Some(AttributeValue::Floats(List::Held(limits))) if activation == "Clip" => limits,
            _ => return Some(activation.into()),
        };
        Some(match limits[..] {
            [0.0, 6.0] => BlockKind::Relu6.into(),
            [0.0, high] if high >= f32::MAX => "Relu".into(),
            _ => activation.into(),
        })
    }

    /// A whole number among the attributes.
    pub(super) fn int(&self, n: &Given<'_>, name: &str) -> Option<i64> {
        match self.model.attribute(n.node, name)? {
            AttributeValue::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The branch of more nodes represents both.
    fn branch(&mut self, id: NodeId, inputs: &[Input]) {
        let model = self.model;
        let larger = subgraphs(model, id).max_by_key(|graph| model.graph(*graph).nodes.len());
        match larger {
            Some(graph) => self.enter(id, inputs, graph, inputs.len(), 0),
            None => self.unknown_outputs(id),
        }
    }

    /// One turn of a loop represents all of them.
    fn repeat(&mut self, id: NodeId, inputs: &[Input], skip: usize, drop: usize) {
        match subgraphs(self.model, id).next() {
            Some(body) if skip == 0 => {
                let mut given = inputs.to_vec();
                let graph = self.model.graph(body);
                // What is scanned comes after the states.
                let scanned = match self.model.attribute(id, "num_scan_inputs") {
                    Some(AttributeValue::Int(count)) => usize::try_from(*count).unwrap_or(0),
                    _ => 0,
                };
                let states = graph.inputs.len().saturating_sub(scanned);
                self.carry(&mut given[..states.min(inputs.len())], body, 0, 0);
                self.enter(id, &given, body, 0, drop);
            }
            Some(body) => {
                // The turn's number and whether to go on come before what is carried.
                let mut given = vec![None; skip];
                given.extend(inputs.iter().skip(skip));
                self.carry(&mut given, body, skip, drop);
                self.enter(id, &given, body, 0, drop);
            }
            None => self.unknown_outputs(id),
        }
    }

    /// Marks states of a loop that begin as constants as data: later turns get what an earlier one
    /// gave. A value that the body hands on as it is stays a constant.
    fn carry(&mut self, given: &mut [Input], body: GraphId, skip: usize, drop: usize) {
        let model = self.model;
        let graph = model.graph(body);
        for (index, input) in given.iter_mut().enumerate().skip(skip) {
            let (Some(val), Some(inner)) = (*input, graph.inputs.get(index)) else { continue };
            let Some(mut next) = graph.outputs.get(index - skip + drop).copied() else { continue };
            while let Producer::Node { node, .. } = model.value(next).producer
                && model.name(model.node(node).op) == "Identity"
                && let Some(Some(before)) = model.inputs(node).first()
            {
                next = *before;
            }
            if next != *inner && self.vals[val.index()].origin < Origin::Data {
                *input = Some(self.add_val(Origin::Data, None, Some(*inner)));
            }
        }
    }

    /// Enters a graph, whose inputs are the node's from `skip` on, and whose outputs from `drop` on
    /// are the node's.
    fn enter(&mut self, id: NodeId, inputs: &[Input], body: GraphId, skip: usize, drop: usize) {
        if self.nesting >= MAX_NESTING {
            return self.unknown_outputs(id);
        }
        self.nesting += 1;
        let model = self.model;
        let graph = model.graph(body);
        for (index, value) in graph.inputs.iter().enumerate() {
            let given = inputs.get(skip + index).copied().flatten();
            let val = given.unwrap_or_else(|| self.add_val(Origin::Data, None, Some(*value)));
            self.map[value.index()] = Some(val);
        }
        self.graph(body);
        self.nesting -= 1;
        let outputs = graph.outputs.iter().skip(drop);
        for (output, value) in model.outputs(id).iter().zip(outputs) {
            if let Some(output) = output {
                self.map[output.index()] = Some(self.val(*value));
            }
        }
    }

    fn unknown_outputs(&mut self, id: NodeId) {
        for output in self.model.outputs(id).iter().flatten() {
            self.map[output.index()] = Some(self.add_val(Origin::Data, None, Some(*output)));
        }
    }

    /// Gives the weights of a node the order of dimensions that its operator's row has.
    fn reorder_weights(&mut self, id: NodeId, inputs: &mut [Input]) {
        let model = self.model;
        for (place, axes) in model.layout(id).into_iter().flat_map(|layout| &layout.inputs) {
            let Some(Some(val)) = inputs.get(*place).copied() else { continue };
            let info = &self.vals[val.index()];
            let (origin, like) = (info.origin, info.like);
            let dims = like.and_then(|value| self.typed.fact(value).as_tensor()?.dims());
            if let Some(dims) = dims.filter(|_| origin == Origin::Constant) {
                let dims = axes.apply(dims, calipers_ops::product);
                let reordered = self.add_val(origin, None, like);
                self.vals[reordered.index()].reordered = Some(dims);
                inputs[*place] = Some(reordered);
            }
        }
    }

    /// What a value of the model is in the network.
    fn val(&mut self, value: ValueId) -> Val {
        if let Some(val) = self.map[value.index()] {
            return val;
        }
        let info = self.model.value(value);
        let stored = info.initializer.is_some() || info.sparse_initializer.is_some();
        let origin = if stored { Origin::Constant } else { Origin::Data };
        let val = self.add_val(origin, None, Some(value));
        self.map[value.index()] = Some(val);
        val
    }

    fn add_val(&mut self, origin: Origin, producer: Option<OpId>, like: Option<ValueId>) -> Val {
        let val = Val(u32::try_from(self.vals.len()).unwrap_or(u32::MAX));
        let uses = Vec::new();
        self.vals.push(ValInfo { origin, producer, like, reordered: None, uses, given: 0 });
        val
    }

    fn add_unit(&mut self, op: Op, n: &Given<'_>, inputs: &[Input], outputs: Vec<Val>) {
        let id = unit_id(self.units.len());
        for input in inputs.iter().flatten() {
            let uses = &mut self.vals[input.index()].uses;
            if uses.last() != Some(&id) {
                uses.push(id);
            }
        }
        for output in &outputs {
            self.vals[output.index()].producer = Some(id);
        }
        let inputs = inputs.to_vec();
        let (parts, details, node) = (Vec::new(), None, n.node);
        let operator = if op.id() == n.name { n.row } else { plain_operator(op.id()) };
        self.units.push(NetworkOp {
            op,
            operator,
            inputs,
            outputs,
            node,
            parts,
            details,
            alive: true,
        });
    }
}

/// The operator that a lowered unit is of; `None` for a block.
pub(super) fn plain_operator(op: &str) -> Option<&'static Operator> {
    match op {
        DOT_PRODUCT_ATTENTION => calipers_ops::find(calipers_ops::ONNX, "Attention"),
        op => calipers_ops::find_by_name(op),
    }
}

/// Inputs without those that are left out at the end.
pub(super) fn trimmed(inputs: &[Input]) -> &[Input] {
    let given = inputs.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    &inputs[..given]
}

/// What the result of an operator follows from.
fn origin(row: Option<&Operator>, inputs: impl Iterator<Item = Origin>) -> Origin {
    let most = inputs.max().unwrap_or(Origin::Constant);
    match row.map(|row| &row.traits) {
        Some(traits) if traits.is_random => Origin::Data,
        Some(traits) if traits.reads_shape => most.min(Origin::Shape),
        _ => most,
    }
}
