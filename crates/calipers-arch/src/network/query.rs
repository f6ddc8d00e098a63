//! Questions that patterns ask of the network.

use calipers_ir::{AttributeValue, DType, Hint, List, Producer, TensorId, ValueId};
use calipers_ops::{Elem, TensorFact};
use calipers_sym::Expr;

use super::{Network, NetworkOp, Op, OpId, OpSet, Ops, Origin, Val, unit_id};

/// Nodes between a stored number and the constant it is.
const MAX_STORED_DEPTH: usize = 4;

/// Units that a search for an ancestor looks at before it gives up.
const MAX_SEARCH: usize = 4096;

/// Units that a search may look at, however many searches there are.
const MIN_SEARCH: usize = 64;

/// Units that all searches of a pattern look at together.
const ALL_SEARCHES: usize = 2_000_000;

/// Places that a search passes over for each unit that it looks at: those of folded units, and of
/// others next to the way.
const MAX_SPREAD: usize = 8;

impl Network<'_> {
    /// The unit that gives a value.
    pub fn producer(&self, val: Val) -> Option<OpId> {
        self.vals[val.index()].producer
    }

    /// The unit that gives a value, if it is of one of these operators or kinds.
    pub fn made_by(&self, val: Val, ops: impl OpSet) -> Option<OpId> {
        self.producer(val).filter(|unit| self.unit(*unit).is(&ops))
    }

    /// Whether the network has a unit of this operator or kind, outside of other blocks.
    pub fn has(&self, op: impl Into<Op>) -> bool {
        let op = op.into();
        let found = self.by_op.get(&op);
        found.is_some_and(|ids| ids.iter().any(|id| self.is_alive(*id, op)))
    }

    /// Units that read a value, in order.
    pub fn uses(&self, val: Val) -> impl Iterator<Item = OpId> {
        self.vals[val.index()].uses.iter().copied().filter(move |unit| {
            let unit = self.unit(*unit);
            unit.alive && unit.inputs.contains(&Some(val))
        })
    }

    /// The one unit that reads a value, when there is one and the value is not an output.
    pub fn only_use(&self, val: Val) -> Option<OpId> {
        let mut uses = self.uses(val);
        let first = uses.next()?;
        (uses.next().is_none() && !self.is_output(val)).then_some(first)
    }

    /// Whether a value is an output of the network.
    pub fn is_output(&self, val: Val) -> bool {
        self.vals[val.index()].given > 0
    }

    /// What a value follows from.
    pub fn origin(&self, val: Val) -> Origin {
        self.vals[val.index()].origin
    }

    /// Whether a value follows from the data.
    pub fn is_data(&self, val: Val) -> bool {
        self.origin(val) == Origin::Data
    }

    /// The value of the model whose type and shape a value has.
    pub fn value(&self, val: Val) -> Option<ValueId> {
        self.vals[val.index()].like
    }

    /// The tensor that the file stores for a value: an initializer, or the attribute of a `Constant`.
    pub fn stored_tensor(&self, value: ValueId) -> Option<TensorId> {
        let info = self.model.value(value);
        info.initializer.or_else(|| {
            let Producer::Node { node, .. } = info.producer else { return None };
            if self.written_operator(node)?.name != "Constant" {
                return None;
            }
            match self.model.attribute(node, "value")? {
                AttributeValue::Tensor(tensor) => Some(*tensor),
                _ => None,
            }
        })
    }

    /// The name of a value in the model; empty when it has none.
    pub fn name(&self, val: Val) -> &str {
        self.value(val).map_or("", |value| self.model.name(self.model.value(value).name))
    }

    /// The outputs, each with the value of the file that it is. What only changes the type or the
    /// scale of a result is looked through, so that value may have another name and type.
    pub fn given_outputs(&self) -> impl Iterator<Item = (Val, ValueId)> {
        self.outputs.iter().copied().zip(self.model.main().outputs.iter().copied())
    }

    /// The name of an output in the file; of other values, their own.
    pub fn output_name(&self, val: Val) -> &str {
        let given = self.given_outputs().find(|(output, _)| *output == val);
        given.map_or(self.name(val), |(_, value)| self.model.name(self.model.value(value).name))
    }

    /// What the name of a value says, as evidence.
    pub fn hint(&self, val: Val) -> Hint<'_> {
        let name = |value| self.model.hint(self.model.value(value).name);
        self.value(val).map_or(Hint::new(""), name)
    }

    /// What the name of an output in the file says; of other values, their own.
    pub fn output_hint(&self, val: Val) -> Hint<'_> {
        let given = self.given_outputs().find(|(output, _)| *output == val);
        given.map_or(self.hint(val), |(_, value)| self.model.hint(self.model.value(value).name))
    }

    fn tensor(&self, val: Val) -> Option<&TensorFact> {
        self.typed.fact(self.value(val)?).as_tensor()
    }

    /// Type of the elements.
    pub fn dtype(&self, val: Val) -> Option<DType> {
        let value = self.value(val)?;
        // Codes of a quantized file represent real numbers.
        if self.model.affine(value).is_some() {
            return Some(DType::Float32);
        }
        Some(self.tensor(val)?.dtype)
    }

    /// The dimensions, when their number is known.
    pub fn shape(&self, val: Val) -> Option<&[Expr]> {
        match &self.vals[val.index()].reordered {
            Some(dims) => Some(dims),
            None => self.tensor(val)?.dims(),
        }
    }

    /// Number of dimensions.
    pub fn rank(&self, val: Val) -> Option<usize> {
        self.shape(val).map(<[Expr]>::len)
    }

    /// A dimension that is a number; negative places count from the end.
    pub fn dim(&self, val: Val, at: isize) -> Option<i64> {
        let shape = self.shape(val)?;
        let at = if at < 0 { shape.len().checked_add_signed(at)? } else { at.unsigned_abs() };
        shape.get(at)?.as_const()
    }

    /// Number of elements, when every dimension is a number.
    pub fn elements(&self, val: Val) -> Option<usize> {
        self.tensor(val)?.constant_count()
    }

    /// Number of elements for each one of the batch: the product of all dimensions but the first.
    pub fn elements_next_to(&self, val: Val) -> Option<i64> {
        let rest = self.shape(val)?.iter().skip(1);
        rest.map(Expr::as_const).try_fold(1_i64, |product, dim| product.checked_mul(dim?))
    }

    /// Whether two values have the same shape.
    pub fn same_shape(&self, a: Val, b: Val) -> bool {
        self.shape(a).is_some_and(|shape| Some(shape) == self.shape(b))
    }

    /// Whether two values have the same rank and no fixed dimension in which they differ.
    pub fn may_have_same_shape(&self, a: Val, b: Val) -> bool {
        let (Some(a), Some(b)) = (self.shape(a), self.shape(b)) else { return false };
        let fits = |(a, b): (&Expr, &Expr)| match (a.as_const(), b.as_const()) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        a.len() == b.len() && a.iter().zip(b).all(fits)
    }

    /// The elements of a small constant, as numbers.
    pub fn numbers(&self, val: Val) -> Option<Vec<f64>> {
        let elements = self.tensor(val)?.value.as_ref()?;
        elements.iter().map(number).collect()
    }

    /// The number, of a constant that is one, stored in few bits too.
    pub fn scalar(&self, val: Val) -> Option<f64> {
        self.stored_scalar(self.value(val)?, 0)
    }

    /// The number that a constant operand of a unit is. Operators on whole numbers take its scale
    /// and zero point behind it.
    pub fn operand_scalar(&self, unit: &NetworkOp, val: Val) -> Option<f64> {
        let number = self.scalar(val)?;
        if !self.dtype(val).is_some_and(DType::is_narrow_integer) {
            return Some(number);
        }
        let inputs = self.model.inputs(unit.node);
        let place = inputs.iter().position(|input| *input == self.value(val))?;
        let of = |slot: usize| self.stored_scalar(inputs.get(slot).copied().flatten()?, 0);
        Some((number - of(place + 2).unwrap_or(0.0)) * of(place + 1)?)
    }

    fn stored_scalar(&self, value: ValueId, depth: usize) -> Option<f64> {
        let tensor = self.typed.fact(value).as_tensor()?;
        match tensor.value.as_deref() {
            Some([element]) => return number(element),
            Some(_) => return None,
            None => {}
        }
        // Inference computes no dequantization.
        let Producer::Node { node, .. } = self.model.value(value).producer else { return None };
        if depth >= MAX_STORED_DEPTH || tensor.constant_count() != Some(1) {
            return None;
        }
        let inputs = self.model.inputs(node);
        let of = |slot: usize| self.stored_scalar(inputs.get(slot).copied().flatten()?, depth + 1);
        match self.model.name(self.model.node(node).op) {
            "Cast" | "Identity" => of(0),
            "DequantizeLinear" => {
                let zero = if inputs.len() > 2 { of(2)? } else { 0.0 };
                Some((of(0)? - zero) * of(1)?)
            }
            "QuantizeLinear" => {
                let zero = if inputs.len() > 2 { of(2)? } else { 0.0 };
                Some((of(0)? / of(1)?).round() + zero)
            }
            _ => None,
        }
    }

    /// Whether a value is a constant near this number. Half precision keeps three digits.
    pub fn is_number(&self, val: Val, wanted: f64) -> bool {
        self.scalar(val).is_some_and(|number| (number - wanted).abs() <= 2e-3 * wanted.abs())
    }

    /// The operand that follows from the data and the one that does not, of a unit that has one of
    /// each.
    pub fn data_and_constant(&self, unit: &NetworkOp) -> Option<(Val, Val)> {
        match unit.inputs[..] {
            [Some(a), Some(b)] => match (self.is_data(a), self.is_data(b)) {
                (true, false) => Some((a, b)),
                (false, true) => Some((b, a)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The two operands, when both follow from the data.
    pub fn data_pair(&self, unit: &NetworkOp) -> Option<(Val, Val)> {
        match unit.inputs[..] {
            [Some(a), Some(b)] if self.is_data(a) && self.is_data(b) => Some((a, b)),
            _ => None,
        }
    }

    /// The unit that gives a value, if it changes how data is arranged and nothing else.
    pub fn layout_before(&self, val: Val) -> Option<OpId> {
        self.producer(val).filter(|unit| self.unit(*unit).is_layout())
    }

    /// Back through units that only change how data is arranged.
    pub fn back_through_layout(&self, val: Val) -> Val {
        let mut val = val;
        while let Some(unit) = self.layout_before(val)
            && let Some(input) = self.unit(unit).input(0)
        {
            val = input;
        }
        val
    }

    /// On through units that only change how data is arranged, as long as nothing else reads what
    /// is between.
    pub fn on_through_layout(&self, val: Val) -> Val {
        let mut val = val;
        while let Some(unit) = self.only_use(val).filter(|unit| self.unit(*unit).is_layout()) {
            val = self.unit(unit).output();
        }
        val
    }

    /// Back through units of these operators, along their first input, to what they are given.
    pub fn back_through(&self, val: Val, ops: impl OpSet) -> Val {
        let mut val = val;
        while let Some(unit) = self.made_by(val, &ops)
            && let Some(input) = self.unit(unit).input(0)
        {
            val = input;
        }
        val
    }

    /// Back through views, at most `limit` of them, which are added to `units`.
    pub fn behind_views(&self, val: Val, units: &mut Vec<OpId>, limit: usize) -> Val {
        let mut val = val;
        for _ in 0..limit {
            let Some(unit) = self.layout_before(val) else { break };
            let Some(input) = self.unit(unit).input(0) else { break };
            units.push(unit);
            val = input;
        }
        val
    }

    /// On through units of these operators, as long as nothing else reads what is between.
    pub fn on_through(&self, val: Val, ops: impl OpSet) -> Val {
        let mut val = val;
        while let Some(unit) = self.only_use(val).filter(|unit| self.unit(*unit).is(&ops)) {
            val = self.unit(unit).output();
        }
        val
    }

    /// How many units a search from each unit of these operators may look at, so that all of them
    /// together take time in proportion to the network.
    pub fn search_limit(&self, ops: &Ops) -> usize {
        let searches = ops.iter().filter_map(|op| self.by_op.get(&op)).map(Vec::len).sum::<usize>();
        (ALL_SEARCHES / searches.max(1)).clamp(MIN_SEARCH, MAX_SEARCH)
    }

    /// The units on the ways from `ancestor` to `val`, in order, by units that pass on what is asked
    /// about; `None` when there is no way, or none was found within the search limit.
    pub fn way_of(
        &self,
        ancestor: Val,
        val: Val,
        limit: usize,
        passes: impl Fn(&NetworkOp) -> bool,
    ) -> Option<Vec<OpId>> {
        if ancestor == val {
            return Some(Vec::new());
        }
        // Units are in order: nothing before the unit that gives the ancestor lies on the way.
        let first = self.producer(ancestor).map_or(0, |unit| unit.index() + 1);
        let last = self.producer(val)?.index();
        let span = last.checked_sub(first)? + 1;
        if span > limit.saturating_mul(MAX_SPREAD) {
            return None;
        }
        let unit = |at: usize| &self.units[first + at];
        let place = |val: Val| self.producer(val)?.index().checked_sub(first);
        let mut leads = vec![false; span];
        leads[span - 1] = true;
        let mut left = limit;
        for at in (0..span).rev() {
            if leads[at] && !passes(unit(at)) {
                leads[at] = false;
            }
            if !leads[at] {
                continue;
            }
            left = left.checked_sub(1)?;
            for before in unit(at).inputs.iter().flatten().filter_map(|input| place(*input)) {
                leads[before] = true;
            }
        }
        // Of those, the ones that the ancestor reaches.
        let mut reached = vec![false; span];
        let mut way = Vec::new();
        for at in (0..span).filter(|at| leads[*at]) {
            let mut inputs = unit(at).inputs.iter().flatten();
            let from = |val: &Val| *val == ancestor || place(*val).is_some_and(|at| reached[at]);
            if inputs.any(from) {
                reached[at] = true;
                way.push(unit_id(first + at));
            }
        }
        reached[span - 1].then_some(way)
    }

    /// Whether two values may have the same shape: nothing that is known speaks against it.
    pub fn may_match(&self, a: Val, b: Val) -> bool {
        let (Some(a), Some(b)) = (self.shape(a), self.shape(b)) else { return true };
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| match (a.as_const(), b.as_const()) {
                (Some(a), Some(b)) => a == b,
                // One row is spread over many.
                (Some(1), None) | (None, Some(1)) => false,
                _ => true,
            })
    }

    /// The inputs that follow from the data.
    pub fn data_inputs(&self, unit: &NetworkOp) -> impl Iterator<Item = Val> {
        unit.inputs.iter().flatten().copied().filter(|input| self.is_data(*input))
    }

    /// A whole number among the attributes.
    pub fn int(&self, unit: &NetworkOp, name: &str) -> Option<i64> {
        match self.model.attribute(unit.node, name)? {
            AttributeValue::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// Whole numbers among the attributes.
    pub fn ints(&self, unit: &NetworkOp, name: &str) -> Option<&[i64]> {
        match self.model.attribute(unit.node, name)? {
            AttributeValue::Ints(List::Held(values)) => Some(values),
            _ => None,
        }
    }

    /// A number among the attributes.
    pub fn float(&self, unit: &NetworkOp, name: &str) -> Option<f64> {
        match self.model.attribute(unit.node, name)? {
            AttributeValue::Float(value) => Some(f64::from(*value)),
            _ => None,
        }
    }

    /// A setting among the attributes, in the spelling of [`calipers_ops::setting`].
    pub fn setting(&self, unit: &NetworkOp, name: &str) -> Option<&'static str> {
        self.text(unit, name).map(|text| calipers_ops::setting(text.as_bytes()))
    }

    /// The equation of an `Einsum`, to be parsed.
    pub(crate) fn equation(&self, unit: &NetworkOp) -> Option<&str> {
        self.text(unit, "equation")
    }

    fn text(&self, unit: &NetworkOp, name: &str) -> Option<&str> {
        match self.model.attribute(unit.node, name)? {
            AttributeValue::Text(text) => std::str::from_utf8(text.setting().held()?).ok(),
            _ => None,
        }
    }
}

fn number(element: &Elem) -> Option<f64> {
    match element {
        #[expect(clippy::cast_precision_loss, reason = "it is compared with a tolerance")]
        Elem::Int(expr) => expr.as_const().map(|value| value as f64),
        Elem::Float(value) => Some(*value),
        _ => None,
    }
}
