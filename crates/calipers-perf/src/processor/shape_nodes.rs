//! Nodes that compute shapes in every run.
//!
//! Where every input has a fixed shape they are folded when the session starts. Else ONNX Runtime
//! removes those that compute the same, those of constants, and those that only restore dimensions
//! a `Reshape` may copy.

use calipers_arch::network::Network;
use calipers_infer::declared_inputs;
use calipers_ir::{NodeId, Producer, ValueId};
use calipers_ops::{Class, Elem};
use calipers_sym::Expr;
use hashbrown::{HashMap, HashSet};

/// Whether the model declares an input without a fixed shape.
pub(super) fn is_dynamic(net: &Network<'_>) -> bool {
    let is_free = |dims: &[Expr]| dims.iter().any(|dim| dim.as_const().is_none());
    declared_inputs(net.model)
        .iter()
        .any(|(_, fact)| fact.as_tensor().and_then(|it| it.dims()).is_none_or(is_free))
}

/// Returns the number of nodes that compute shapes in every run.
pub(super) fn count(net: &Network<'_>) -> usize {
    if !is_dynamic(net) {
        return 0;
    }
    let data: HashSet<NodeId> = net.all().map(|unit| unit.node).collect();
    let mut graph = ShapeGraph {
        net,
        same: HashMap::new(),
        constants: HashSet::new(),
        shapes: HashSet::new(),
        distinct: HashMap::new(),
        kept: HashSet::new(),
        merged: HashSet::new(),
    };
    for node in &net.model.main().order {
        graph.add(*node, data.contains(node));
    }
    graph.live()
}

/// One operand of a node: a value, or the elements of a constant.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Operand {
    Value(ValueId),
    Constant(String),
    Absent,
}

struct ShapeGraph<'n, 'a> {
    net: &'n Network<'a>,
    /// The first value that is computed in the same way.
    same: HashMap<ValueId, ValueId>,
    constants: HashSet<ValueId>,
    /// Values that follow from shapes.
    shapes: HashSet<ValueId>,
    distinct: HashMap<(String, Vec<Operand>), NodeId>,
    kept: HashSet<NodeId>,
    /// Nodes that compute what another one does.
    merged: HashSet<NodeId>,
}

impl ShapeGraph<'_, '_> {
    fn add(&mut self, node: NodeId, is_data: bool) {
        let model = self.net.model;
        let (inputs, outputs) = (model.inputs(node), model.outputs(node));
        let is_constant = |value: &ValueId| {
            model.value(*value).initializer.is_some() || self.constants.contains(value)
        };
        if inputs.iter().flatten().all(is_constant) {
            self.constants.extend(outputs.iter().flatten());
            return;
        }
        let is_query = self.is_class(node, Class::ShapeQuery);
        let varying = || inputs.iter().flatten().filter(|value| !is_constant(value));
        if !is_query && (is_data || !varying().all(|value| self.shapes.contains(value))) {
            return;
        }
        self.shapes.extend(outputs.iter().flatten());
        // Casts between types of the same name are removed.
        if self.is_repeated_cast(node)
            && let ([Some(from), ..], [Some(to), ..]) = (inputs, outputs)
        {
            let same = self.first(*from);
            self.same.insert(*to, same);
            self.merged.insert(node);
            return;
        }
        let key = self.key(node);
        match self.distinct.get(&key) {
            Some(other) => {
                self.merged.insert(node);
                for (ours, theirs) in outputs.iter().zip(model.outputs(*other)) {
                    if let (Some(ours), Some(theirs)) = (ours, theirs) {
                        self.same.insert(*ours, *theirs);
                    }
                }
            }
            None => {
                self.distinct.insert(key, node);
                self.kept.insert(node);
            }
        }
    }

    /// Kept nodes whose results something reads that stays.
    fn live(&self) -> usize {
        let model = self.net.model;
        let mut needed: HashSet<ValueId> =
            model.main().outputs.iter().map(|value| self.first(*value)).collect();
        let mut count = 0;
        for node in model.main().order.iter().rev() {
            if self.kept.contains(node) {
                let outputs = model.outputs(*node);
                if !outputs.iter().flatten().any(|value| needed.contains(value)) {
                    continue;
                }
                count += 1;
            } else if self.merged.contains(node) {
                continue;
            }
            let copied = self.copied_shape(*node);
            for value in model.inputs(*node).iter().flatten() {
                if copied != Some(*value) {
                    needed.insert(self.first(*value));
                }
            }
        }
        count
    }

    /// The shape input of a `Reshape` that ONNX Runtime replaces by a constant: every dimension is
    /// a constant or that of the data at the same axis, but for one.
    fn copied_shape(&self, node: NodeId) -> Option<ValueId> {
        let model = self.net.model;
        if model.name(model.node(node).op) != "Reshape" {
            return None;
        }
        let [Some(data), Some(shape), ..] = model.inputs(node) else { return None };
        let joined = self.producer(*shape)?;
        if model.name(model.node(joined).op) != "Concat" {
            return None;
        }
        let mut free = 0;
        for (axis, part) in model.inputs(joined).iter().flatten().enumerate() {
            let is_known =
                model.value(*part).initializer.is_some() || self.constants.contains(part);
            if is_known {
                free += usize::from(self.is_minus_one(*part));
            } else if self.copied_axis(*part, *data) != Some(axis) {
                free += 1;
            }
        }
        (free <= 1).then_some(*shape)
    }

    fn is_minus_one(&self, value: ValueId) -> bool {
        let Some(fact) = self.net.typed.fact(value).as_tensor() else { return false };
        let is_negative = |element: &Elem| integer(element).is_some_and(|value| value < 0);
        fact.value.as_ref().is_some_and(|elements| elements.iter().any(is_negative))
    }

    /// The axis of `data` whose size a value is: `Shape`, `Gather`, `Unsqueeze`.
    fn copied_axis(&self, value: ValueId, data: ValueId) -> Option<usize> {
        let model = self.net.model;
        let unsqueeze = self.producer(value)?;
        let gathered = model.inputs(unsqueeze).first().copied().flatten()?;
        let gather = self.producer(gathered)?;
        let [Some(sizes), Some(index), ..] = model.inputs(gather) else { return None };
        let query = self.producer(*sizes)?;
        let of = model.inputs(query).first().copied().flatten()?;
        if !self.is_class(query, Class::ShapeQuery) || self.first(of) != self.first(data) {
            return None;
        }
        let elements = self.net.typed.fact(*index).as_tensor()?.value.clone()?;
        match &elements[..] {
            [element] => usize::try_from(integer(element)?).ok(),
            _ => None,
        }
    }

    fn producer(&self, value: ValueId) -> Option<NodeId> {
        match self.net.model.value(value).producer {
            Producer::Node { node, .. } => Some(node),
            _ => None,
        }
    }

    fn is_class(&self, node: NodeId, class: Class) -> bool {
        self.net.written_operator(node).is_some_and(|row| row.traits.class == class)
    }

    /// A cast of whole numbers to the type they have.
    fn is_repeated_cast(&self, node: NodeId) -> bool {
        let model = self.net.model;
        let dtype = |value: Option<ValueId>| Some(self.net.typed.fact(value?).as_tensor()?.dtype);
        model.name(model.node(node).op) == "Cast"
            && dtype(model.inputs(node).first().copied().flatten())
                == dtype(model.outputs(node).first().copied().flatten())
    }

    fn first(&self, value: ValueId) -> ValueId {
        self.same.get(&value).copied().unwrap_or(value)
    }

    /// What a node computes: its operator, attributes and operands.
    fn key(&self, node: NodeId) -> (String, Vec<Operand>) {
        let model = self.net.model;
        let mut operator = model.name(model.node(node).op).to_owned();
        for attribute in model.attributes(node) {
            operator += &format!(" {}={:?}", model.name(attribute.name), attribute.value);
        }
        let operands = model.inputs(node).iter().map(|input| match input {
            None => Operand::Absent,
            Some(value) => match self.net.typed.fact(*value).as_tensor() {
                Some(fact)
                    if self.constants.contains(value)
                        || model.value(*value).initializer.is_some() =>
                {
                    match &fact.value {
                        Some(elements) => {
                            Operand::Constant(format!("{:?}{elements:?}", fact.dtype))
                        }
                        None => Operand::Value(*value),
                    }
                }
                _ => Operand::Value(self.first(*value)),
            },
        });
        (operator, operands.collect())
    }
}

fn integer(element: &Elem) -> Option<i64> {
    element.as_expr()?.as_const()
}
