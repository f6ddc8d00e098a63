//! How one contraction is quantized.

use calipers_ir::{AttributeValue, DType, Model, NodeId, Producer, ValueId};
use calipers_ops::{Bits, Class, Elem, Movement, Pool, WeightFormat};
use calipers_report::{Granularity, Scheme};

use super::stated;
use crate::network::{Network, NetworkOp, Origin, Val};

/// A way to quantize a contraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Not at all.
    Float,
    /// Between `DequantizeLinear` and `QuantizeLinear`.
    Qdq,
    /// By an operator on integers, with stored scales.
    QOperator,
    /// With scales that follow from the data.
    Dynamic,
    /// The weights alone.
    WeightOnly,
}

impl Form {
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Float => "computes in floating point",
            Self::Qdq => "reads weights and activations through DequantizeLinear",
            Self::QOperator => "multiplies integers with stored scales",
            Self::Dynamic => "multiplies integers with scales computed at run time",
            Self::WeightOnly => "has quantized weights and floating-point activations",
        }
    }
}

/// A contraction that was looked at.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The operator as the file writes it.
    pub op: String,
    /// How it is quantized.
    pub form: Form,
    /// Whether one factor is stored.
    pub weighted: bool,
    /// Bits of a weight, or of a factor where none is stored.
    pub bits: Option<i64>,
    /// Whether those bits make a float.
    pub float: bool,
    /// Elements that share a scale.
    pub block: Option<i64>,
    /// What shares a scale.
    pub granularity: Option<Granularity>,
    /// Whether every zero point is zero.
    pub symmetric: Option<bool>,
}

impl Observed {
    /// The scheme, if all contractions were like this one.
    pub(super) fn scheme(&self) -> Scheme {
        let bits = self.bits.unwrap_or(8);
        match self.form {
            _ if self.float => Scheme::Float { bits },
            Form::Float => Scheme::None,
            Form::Qdq => Scheme::Qdq { bits },
            Form::QOperator => Scheme::QOperator { bits },
            Form::Dynamic => Scheme::Dynamic { bits },
            Form::WeightOnly => Scheme::WeightOnly { bits },
        }
    }
}

/// How a contraction is quantized; `None` for other units.
pub fn observe(net: &Network<'_>, unit: &NetworkOp) -> Option<Observed> {
    let contraction = unit.traits()?.contraction?;
    // Attention between values that are given has no weights, and is quantized by no runtime.
    if contraction.weights.is_empty() {
        return None;
    }
    let stored = contraction.weights.iter().find_map(|at| {
        let val = unit.input(*at).filter(|val| net.origin(*val) == Origin::Constant)?;
        // A product with a number or a row is arithmetic.
        net.rank(val).is_none_or(|rank| rank > 1).then_some((*at, val))
    });
    let site = Site { net, node: unit.node };
    let op = net.model.written_op(unit.node).to_owned();
    let mut looked = Observed {
        form: Form::Float,
        weighted: stored.is_some(),
        bits: None,
        float: false,
        block: None,
        granularity: None,
        symmetric: None,
        op,
    };
    let written = net.written_operator(unit.node).and_then(|row| row.traits.contraction);
    match written.map_or(WeightFormat::Float, |written| written.format) {
        WeightFormat::Float => site.between(&mut looked, stored),
        WeightFormat::Float8 => {
            (looked.form, looked.bits, looked.float) = (Form::QOperator, Some(8), true);
        }
        WeightFormat::Integer { scale, zero_point, dynamic } => {
            let weights = written.and_then(|written| written.weights.first().copied());
            let inputs = [weights, scale, zero_point].map(|at| site.input(at?));
            site.on_integers(&mut looked, inputs, dynamic);
        }
        WeightFormat::Packed { bits, float, zero_point } => {
            (looked.bits, looked.float) = (Some(site.bits(bits)), float);
            site.packed(&mut looked, zero_point.and_then(|at| site.input(at)));
        }
    }
    Some(looked)
}

/// Whether an embedding table is stored in 8 bits or less; `None` if it is not a table of weights.
pub fn table_is_narrow(net: &Network<'_>, unit: &NetworkOp, table: Val) -> Option<bool> {
    if net.written_operator(unit.node).is_some_and(|row| row.packing.is_some()) {
        return Some(true);
    }
    if net.rank(table) != Some(2) {
        return None;
    }
    let chain = Chain::back(net, net.value(table)?);
    let dtype = chain.dequantized.map_or(chain.dtype, |(_, dtype)| dtype);
    if dtype.is_narrow_integer() { Some(true) } else { dtype.is_float().then_some(false) }
}

/// The node of a contraction.
struct Site<'n, 'a> {
    net: &'n Network<'a>,
    node: NodeId,
}

impl Site<'_, '_> {
    fn model(&self) -> &Model {
        self.net.model
    }

    fn is_recurrent(&self) -> bool {
        let row = self.net.written_operator(self.node);
        row.is_some_and(|row| row.traits.class == Class::Recurrent)
    }

    fn input(&self, at: usize) -> Option<ValueId> {
        self.model().inputs(self.node).get(at).copied().flatten()
    }

    /// Bits of a packed weight.
    fn bits(&self, bits: Bits) -> i64 {
        i64::from(bits.resolve(|name| int(self.model(), self.node, name)))
    }

    /// Weights that their operator keeps packed.
    fn packed(&self, looked: &mut Observed, zero_point: Option<ValueId>) {
        looked.form = Form::WeightOnly;
        looked.block = int(self.model(), self.node, "block_size").filter(|block| *block > 0);
        looked.granularity = Some(if looked.op == "QMoE" && looked.block.is_none() {
            Granularity::PerChannel
        } else {
            Granularity::PerBlock
        });
        // Without zero points the middle of the range is zero; with them, when all are that middle.
        let middle = match looked.bits {
            Some(4) => Some(0x88),
            Some(8) => Some(0x80),
            _ => None,
        };
        looked.symmetric = match zero_point {
            None => Some(true),
            Some(value) => all_are(self.net, value, middle),
        };
    }

    /// Operators that take integers and give integers, or numbers.
    fn on_integers(
        &self,
        looked: &mut Observed,
        [weights, scale, zero]: [Option<ValueId>; 3],
        dynamic: bool,
    ) {
        let data = self.input(0);
        let comes_quantized = |value| {
            made_by(self.net, value).is_some_and(|(node, op)| {
                op == "DynamicQuantizeLinear"
                    || op == "QuantizeLinear" && !has_stored_scale(self.net, node)
            })
        };
        looked.form = match data {
            _ if dynamic => Form::Dynamic,
            Some(data) if comes_quantized(data) => Form::Dynamic,
            _ => Form::QOperator,
        };
        let dtype = weights.map(|value| Chain::back(self.net, value).dtype);
        looked.bits = dtype.and_then(DType::bits).map(i64::from);
        looked.float = dtype.is_some_and(DType::is_float);
        let scaled = scale.or(zero);
        // Without any of the two there is one zero for all.
        looked.granularity = match scaled {
            Some(value) => by_scale(self.net, value, self.is_recurrent()),
            None => Some(Granularity::PerTensor),
        };
        looked.symmetric = zero.map_or(Some(true), |zero| all_are(self.net, zero, Some(0)));
    }

    /// A float operator, whose factors may come out of `DequantizeLinear`.
    fn between(&self, looked: &mut Observed, stored: Option<(usize, Val)>) {
        let Some((at, weight)) = stored else {
            // Two activations: both must be quantized.
            let both =
                [0, 1].map(|at| self.input(at).and_then(|value| dequantized(self.net, value)));
            if let [Some(form), Some(_)] = both {
                (looked.form, looked.bits) = (form, Some(8));
            }
            return;
        };
        let Some(value) = self.net.value(weight) else { return };
        if stated::observe(self.model(), looked, value, self.input(usize::from(at == 0))) {
            return;
        }
        let chain = Chain::back(self.net, value);
        let Some((node, dtype)) = chain.dequantized else { return };
        let data = self.input(usize::from(at == 0));
        looked.form =
            data.and_then(|value| dequantized(self.net, value)).unwrap_or(Form::WeightOnly);
        looked.bits = dtype.bits().map(i64::from);
        looked.float = dtype.is_float();
        let Some(node) = node else { return };
        let model = self.model();
        let slot = |at: usize| model.inputs(node).get(at).copied().flatten();
        looked.block = int(model, node, "block_size").filter(|block| *block > 0);
        looked.granularity = match looked.block {
            Some(_) => Some(Granularity::PerBlock),
            None => slot(1).and_then(|scale| by_scale(self.net, scale, false)),
        };
        looked.symmetric = slot(2).map_or(Some(true), |zero| all_are(self.net, zero, Some(0)));
    }
}

/// Nodes that a way back goes through at most.
const MAX_STEPS: usize = 32;

/// The way from a stored factor back to what is stored.
struct Chain {
    /// Type of what is stored.
    dtype: DType,
    /// The type before it became numbers, and the node that made them so.
    dequantized: Option<(Option<NodeId>, DType)>,
}

impl Chain {
    fn back(net: &Network<'_>, value: ValueId) -> Self {
        let model = net.model;
        let dtype_of = |value: ValueId| {
            net.typed.fact(value).as_tensor().map_or(DType::Undefined, |tensor| tensor.dtype)
        };
        let (mut value, mut dequantized) = (value, None);
        for _ in 0..MAX_STEPS {
            let Some((node, op)) = made_by(net, value) else { break };
            let slot = |at: usize| model.inputs(node).get(at).copied().flatten();
            let next = match op {
                _ if movement(net, node).is_some_and(Movement::is_layout) => slot(0),
                "DequantizeLinear" => {
                    if let Some(input) = slot(0)
                        && dequantized.is_none()
                    {
                        dequantized = Some((Some(node), dtype_of(input)));
                    }
                    slot(0)
                }
                "QuantizeLinear" => slot(0),
                "Cast" => {
                    // Written out: cast, less the zero point, times the scale.
                    if let Some(input) = slot(0)
                        && dequantized.is_none()
                        && dtype_of(input).is_narrow_integer()
                        && dtype_of(value).is_float()
                    {
                        dequantized = Some((None, dtype_of(input)));
                    }
                    slot(0)
                }
                "Mul" | "Sub" => [slot(0), slot(1)]
                    .into_iter()
                    .flatten()
                    .max_by_key(|value| elements(net, *value).unwrap_or(0)),
                _ => None,
            };
            let Some(next) = next else { break };
            value = next;
        }
        Self { dtype: dtype_of(value), dequantized }
    }
}

/// How data is quantized that comes out of `DequantizeLinear`; `None` when it does not.
fn dequantized(net: &Network<'_>, value: ValueId) -> Option<Form> {
    let mut value = value;
    for _ in 0..MAX_STEPS {
        let (node, op) = made_by(net, value)?;
        let first = net.model.inputs(node).first().copied().flatten()?;
        let traits = net.written_operator(node).map(|row| &row.traits);
        // The maximum of a window, and zeros around it, are quantized as their input is.
        let keeps = traits.is_some_and(|traits| {
            traits.pool() == Some(Pool::Max)
                || traits.movement.is_some_and(|it| it.is_layout() || it == Movement::Pad)
        });
        match op {
            _ if keeps => value = first,
            "Cast" => value = first,
            "DequantizeLinear" => {
                return Some(match made_by(net, first) {
                    Some((_, "DynamicQuantizeLinear")) => Form::Dynamic,
                    Some((node, "QuantizeLinear")) if !has_stored_scale(net, node) => Form::Dynamic,
                    _ => Form::Qdq,
                });
            }
            _ => return None,
        }
    }
    None
}

/// Whether the scale of a `QuantizeLinear` is in the file.
fn has_stored_scale(net: &Network<'_>, node: NodeId) -> bool {
    let Some(scale) = net.model.inputs(node).get(1).copied().flatten() else { return true };
    let mut value = scale;
    for _ in 0..MAX_STEPS {
        let Some((node, op)) = made_by(net, value) else { return true };
        if op == "Constant" {
            return true;
        }
        match net.model.inputs(node).first().copied().flatten() {
            Some(first) if op == "Cast" || movement(net, node).is_some_and(Movement::is_layout) => {
                value = first;
            }
            _ => return false,
        }
    }
    false
}

/// How a node moves its first input, if its operator does nothing else.
fn movement(net: &Network<'_>, node: NodeId) -> Option<Movement> {
    net.written_operator(node)?.traits.movement
}

/// The node that gives a value, unless the file stores it, and its operator.
fn made_by<'n>(net: &'n Network<'_>, value: ValueId) -> Option<(NodeId, &'n str)> {
    let info = net.model.value(value);
    if info.initializer.is_some() {
        return None;
    }
    match info.producer {
        Producer::Node { node, .. } => Some((node, net.model.name(net.model.node(node).op))),
        _ => None,
    }
}

fn elements(net: &Network<'_>, value: ValueId) -> Option<usize> {
    net.typed.fact(value).as_tensor()?.constant_count()
}

/// What shares a scale. Scales of recurrence have an axis for the directions before the others.
fn by_scale(net: &Network<'_>, scale: ValueId, recurrent: bool) -> Option<Granularity> {
    let dims = net.typed.fact(scale).as_tensor()?.dims()?;
    let long = dims.iter().skip(usize::from(recurrent)).filter(|dim| dim.as_const() != Some(1));
    Some(match long.count() {
        0 => Granularity::PerTensor,
        1 => Granularity::PerChannel,
        _ => Granularity::PerBlock,
    })
}

/// Zero points beyond this are not read.
const MAX_READ: u64 = 1 << 22;

/// Whether all elements are this number; `None` when they cannot be read.
fn all_are(net: &Network<'_>, value: ValueId, wanted: Option<i64>) -> Option<bool> {
    let wanted = wanted?;
    if let Some(elements) = net.typed.fact(value).as_tensor().and_then(|t| t.value.as_ref()) {
        return Some(elements.iter().all(|element| match element {
            Elem::Int(number) => number.as_const() == Some(wanted),
            Elem::Float(number) => *number == 0.0 && wanted == 0,
            _ => false,
        }));
    }
    let model = net.model;
    let tensor = model.value(value).initializer.or_else(|| {
        let (node, op) = made_by(net, value)?;
        match model.attribute(node, "value") {
            Some(AttributeValue::Tensor(tensor)) if op == "Constant" => Some(*tensor),
            _ => None,
        }
    })?;
    if model.tensor(tensor).dtype.is_float() {
        let all = model.floats(tensor, MAX_READ).ok()?.iter().all(|n| *n == 0.0 && wanted == 0);
        return Some(all);
    }
    Some(model.integers(tensor, MAX_READ).ok()?.iter().all(|number| *number == wanted))
}

fn int(model: &Model, node: NodeId, name: &str) -> Option<i64> {
    match model.attribute(node, name)? {
        AttributeValue::Int(value) => Some(*value),
        _ => None,
    }
}
