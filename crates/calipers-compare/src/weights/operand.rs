//! What an input of a node reads: a stored tensor, perhaps quantized and rearranged.

use calipers_ir::{
    AttributeValue, DType, List, Model, NodeId, Producer, Tensor, TensorId, ValueId,
};
use calipers_ops::{Class, InputRole, Lowering, Movement, Operator, WeightFormat};
use hashbrown::HashSet;

use super::form::{
    Affine, Form, PackedParts, affine, channel_axis, integer, is_packed_table, packed_bits,
    packed_product, packed_table,
};

/// Nodes between a stored tensor and the node that reads it. Quantizers insert one to three.
const MAX_CHAIN: usize = 8;

/// A stored tensor as a node reads it.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) tensor: TensorId,
    /// Type of the stored elements; not the tensor's own where bytes hold several.
    pub(super) dtype: DType,
    pub(super) form: Option<Form>,
    /// Length and step between neighbors of each axis, as the node reads it.
    pub(super) axes: Vec<(u64, u64)>,
    /// Whether it was reshaped, so that only the order of elements is known.
    pub(super) is_flat: bool,
    /// What is done to the stored elements.
    pub(super) through: Vec<String>,
}

impl Operand {
    pub(super) fn stored(model: &Model, tensor: TensorId) -> Result<Self, String> {
        let described = model.tensor(tensor);
        Ok(Self {
            tensor,
            dtype: described.dtype,
            form: None,
            axes: axes_in_order(&dims_of(described)?),
            is_flat: false,
            through: Vec::new(),
        })
    }

    pub(super) fn lengths(&self) -> Vec<u64> {
        self.axes.iter().map(|(length, _)| *length).collect()
    }

    pub(super) fn elements(&self) -> u64 {
        self.axes.iter().map(|(length, _)| *length).fold(1, u64::saturating_mul)
    }

    /// Whether its axes are in the order in which elements are stored.
    pub(super) fn is_in_order(&self) -> bool {
        self.axes == axes_in_order(&self.lengths())
    }
}

/// The dimensions of a stored tensor.
pub(super) fn dims_of(tensor: &Tensor) -> Result<Vec<u64>, String> {
    tensor.elements().map_err(|error| error.to_string())?;
    Ok(tensor.dims.iter().map(|dim| dim.unsigned_abs()).collect())
}

/// The axes of a tensor whose last one changes fastest.
pub(super) fn axes_in_order(dims: &[u64]) -> Vec<(u64, u64)> {
    let mut step = 1_u64;
    let mut axes: Vec<(u64, u64)> = dims
        .iter()
        .rev()
        .map(|dim| {
            let axis = (*dim, step);
            step = step.saturating_mul(*dim);
            axis
        })
        .collect();
    axes.reverse();
    axes
}

/// Where an input leads.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// To a stored tensor.
    Stored(Box<Operand>),
    /// To a stored tensor that cannot be compared, with the reason.
    Refused(TensorId, String),
    /// To something else.
    Other,
}

impl Origin {
    fn new(tensor: TensorId, operand: Result<Operand, String>) -> Self {
        match operand {
            Ok(operand) => Self::Stored(Box::new(operand)),
            Err(reason) => Self::Refused(tensor, reason),
        }
    }
}

/// Follows inputs of one model's nodes.
pub(super) struct Tracer<'a> {
    pub(super) model: &'a Model,
    /// Nodes without a counterpart, which are passed.
    pub(super) free: HashSet<NodeId>,
}

impl<'a> Tracer<'a> {
    pub(super) fn row(&self, node: NodeId) -> Option<&'static Operator> {
        let node = self.model.node(node);
        calipers_ops::find(self.model.name(node.domain), self.model.name(node.op))
    }

    pub(super) fn input(&self, node: NodeId, slot: usize) -> Option<ValueId> {
        self.model.inputs(node).get(slot).copied().flatten()
    }

    /// The stored tensor that an input reads without anything between.
    pub(super) fn tensor(&self, node: NodeId, slot: usize) -> Option<TensorId> {
        stored_tensor(self.model, self.input(node, slot)?)
    }

    /// What a node reads at an input, as numbers.
    pub(super) fn origin(&self, node: NodeId, slot: usize) -> Origin {
        let Some(value) = self.input(node, slot) else { return Origin::Other };
        match (self.row(node), self.tensor(node, slot)) {
            (Some(row), Some(tensor)) => match self.quantized(node, row, slot, tensor) {
                Some(operand) => Origin::new(tensor, operand),
                None => match self.looked_up(node, row, slot, tensor) {
                    Some(operand) => Origin::new(tensor, operand),
                    None => Origin::new(tensor, Operand::stored(self.model, tensor)),
                },
            },
            _ => self.trace(value, MAX_CHAIN),
        }
    }

    /// The weights of an operator that takes them quantized; `None` for other inputs.
    fn quantized(
        &self,
        node: NodeId,
        row: &Operator,
        slot: usize,
        tensor: TensorId,
    ) -> Option<Result<Operand, String>> {
        if is_packed_table(row) {
            let parts = (slot == 0).then(|| self.packed_parts(node, row, slot, tensor))?;
            return Some(parts.and_then(|parts| packed_table(self.model, node, &parts)));
        }
        let contraction = row.traits.contraction?;
        if let Some(operand) = self.integer_bias(node, row, slot, tensor) {
            return Some(operand);
        }
        contraction.weights.contains(&slot).then_some(())?;
        match contraction.format {
            WeightFormat::Float => None,
            WeightFormat::Float8 => Some(Err("its layout is not known".to_owned())),
            WeightFormat::Packed { .. } if packed_bits(row).is_none() => {
                Some(Err("its packed layout is not known".to_owned()))
            }
            WeightFormat::Packed { .. } => {
                let parts = self.packed_parts(node, row, slot, tensor);
                Some(parts.and_then(|parts| packed_product(self.model, node, row, &parts)))
            }
            WeightFormat::Integer { scale, zero_point, .. } => {
                Some(self.integers(node, row, tensor, scale, zero_point))
            }
        }
    }

    fn integers(
        &self,
        node: NodeId,
        row: &Operator,
        tensor: TensorId,
        scale: Option<usize>,
        zero_point: Option<usize>,
    ) -> Result<Operand, String> {
        let scale = match scale {
            Some(scale) => self.tensor(node, scale),
            None => self.scale_behind(node),
        };
        let scale = scale.ok_or("its scale is not stored")?;
        let zero_point = match zero_point {
            Some(slot) => self.optional(node, slot, "zero point")?,
            None => None,
        };
        let plain = row.traits.lowering.contraction().unwrap_or(row.name);
        let axis = channel_axis(plain, is_transposed(self.model, node), self.model.tensor(tensor));
        let form = Affine { tensor, scale, times: None, zero_point, axis, block: 0 };
        affine(self.model, &form)
    }

    /// The bias of an operator on integers: its scale is the product of those of data and weights.
    fn integer_bias(
        &self,
        node: NodeId,
        row: &Operator,
        slot: usize,
        tensor: TensorId,
    ) -> Option<Result<Operand, String>> {
        let (Lowering::As(_, inputs), [data, weights]) =
            (row.traits.lowering, row.traits.quantized_inputs)
        else {
            return None;
        };
        let is_bias = inputs.get(2) == Some(&slot)
            && row.role(slot) == InputRole::Weight
            && self.model.tensor(tensor).dtype == DType::Int32;
        is_bias.then_some(())?;
        let (scale, times) = (self.tensor(node, data.scale), self.tensor(node, weights.scale));
        let Some((scale, times)) = scale.zip(times) else {
            return Some(Err("its scale is not stored".to_owned()));
        };
        let form =
            Affine { tensor, scale, times: Some(times), zero_point: None, axis: 0, block: 0 };
        Some(affine(self.model, &form))
    }

    /// An optional input that must be stored where it is there.
    fn optional(&self, node: NodeId, slot: usize, what: &str) -> Result<Option<TensorId>, String> {
        match (self.input(node, slot), self.tensor(node, slot)) {
            (Some(_), None) => Err(format!("its {what} is not stored")),
            (_, tensor) => Ok(tensor),
        }
    }

    /// The scale and zero point of packed weights: the inputs of that role behind them.
    fn packed_parts(
        &self,
        node: NodeId,
        row: &Operator,
        slot: usize,
        tensor: TensorId,
    ) -> Result<PackedParts, String> {
        let is_scale = |at: &usize| row.role(*at) == InputRole::Scale;
        let mut scales = (slot + 1..self.model.inputs(node).len()).filter(is_scale);
        let scale = scales.next().and_then(|at| self.tensor(node, at));
        let scale = scale.ok_or("its scale is not stored")?;
        let zero_point = match scales.next() {
            Some(at) => self.optional(node, at, "zero point")?,
            None => None,
        };
        // An input behind the zero points permutes the rows.
        let is_reordered = packed_bits(row).is_some()
            && (slot + 1..self.model.inputs(node).len())
                .any(|at| row.role(at) == InputRole::Data && self.input(node, at).is_some());
        if is_reordered {
            return Err("its rows are reordered".to_owned());
        }
        Ok(PackedParts { tensor, scale, zero_point })
    }

    /// The stored scale that multiplies a node's integer result, behind conversions.
    fn scale_behind(&self, node: NodeId) -> Option<TensorId> {
        let mut output = self.model.outputs(node).first().copied().flatten()?;
        for _ in 0..MAX_CHAIN {
            let [consumer] = self.model.consumers(output) else { return None };
            let row = self.row(consumer.node)?;
            if row.role(0) == InputRole::Multiplied && self.model.inputs(consumer.node).len() == 2 {
                let other =
                    self.input(consumer.node, 1 - usize::try_from(consumer.slot).ok()?.min(1))?;
                return self.stored_factor(other);
            }
            if row.traits.movement != Some(Movement::Convert) {
                return None;
            }
            output = self.model.outputs(consumer.node).first().copied().flatten()?;
        }
        None
    }

    /// A stored value, or the stored one of two factors.
    fn stored_factor(&self, value: ValueId) -> Option<TensorId> {
        if let Some(tensor) = stored_tensor(self.model, value) {
            return Some(tensor);
        }
        let Producer::Node { node, .. } = self.model.value(value).producer else { return None };
        let row = self.row(node)?;
        let is_product = row.role(0) == InputRole::Multiplied && self.model.inputs(node).len() == 2;
        is_product.then_some(())?;
        match (self.tensor(node, 0), self.tensor(node, 1)) {
            (Some(tensor), None) | (None, Some(tensor)) => Some(tensor),
            _ => None,
        }
    }

    /// A table of integers, whose reader has the scale of the rows; `None` for others.
    fn looked_up(
        &self,
        node: NodeId,
        row: &Operator,
        slot: usize,
        tensor: TensorId,
    ) -> Option<Result<Operand, String>> {
        let is_table = row.role(slot) == InputRole::Table
            && row.traits.movement == Some(Movement::Gather)
            && self.model.tensor(tensor).dtype.is_narrow_integer();
        is_table.then_some(())?;
        let output = self.model.outputs(node).first().copied().flatten()?;
        let reader = self.model.consumers(output).first()?;
        let inputs = self.row(reader.node)?.traits.quantized_inputs;
        let input = inputs.iter().find(|input| input.data as u64 == u64::from(reader.slot))?;
        let scale = self.tensor(reader.node, input.scale)?;
        let zero_point = self.tensor(reader.node, input.zero_point);
        // The axes of the rows are not those of the table.
        let is_single = |id: TensorId| self.model.tensor(id).elements() == Ok(1);
        if !is_single(scale) || !zero_point.is_none_or(is_single) {
            return Some(Err("its scales belong to axes of the looked up rows".to_owned()));
        }
        let form = Affine { tensor, scale, times: None, zero_point, axis: 0, block: 0 };
        Some(affine(self.model, &form))
    }

    /// Follows a value through nodes without a counterpart to a stored tensor.
    fn trace(&self, value: ValueId, left: usize) -> Origin {
        if let Some(tensor) = stored_tensor(self.model, value) {
            return Origin::new(tensor, Operand::stored(self.model, tensor));
        }
        match self.model.value(value).producer {
            Producer::Node { node, slot: 0 } if left > 0 && self.free.contains(&node) => {
                self.passed(node, left - 1)
            }
            _ => Origin::Other,
        }
    }

    fn passed(&self, node: NodeId, left: usize) -> Origin {
        let Some(row) = self.row(node) else { return Origin::Other };
        if is_dequantizer(row) {
            return self.dequantized(node, row);
        }
        let Some(input) = self.input(node, 0) else { return Origin::Other };
        let change: fn(&Model, NodeId, &mut Operand) -> Result<(), String> =
            match (row.traits.movement, row.traits.class) {
                (Some(Movement::Transpose), _) => transpose,
                (Some(Movement::View), _) => reshape,
                (Some(Movement::Convert), class) if class != Class::Quantization => {
                    |_, _, _| Ok(())
                }
                _ => return Origin::Other,
            };
        match self.trace(input, left) {
            Origin::Stored(mut operand) => match change(self.model, node, &mut operand) {
                Ok(()) => Origin::Stored(operand),
                Err(reason) => Origin::Refused(operand.tensor, reason),
            },
            other => other,
        }
    }

    /// The output of a node that dequantizes a stored tensor.
    pub(super) fn dequantized(&self, node: NodeId, row: &Operator) -> Origin {
        let Some(input) = row.traits.quantized_inputs.first() else { return Origin::Other };
        let Some(tensor) = self.tensor(node, input.data) else { return Origin::Other };
        let operand = || {
            let scale = self.tensor(node, input.scale).ok_or("its scale is not stored")?;
            let zero_point = self.optional(node, input.zero_point, "zero point")?;
            let block = integer(self.model, node, "block_size").unwrap_or(0);
            let block = u64::try_from(block).map_err(|_| "its block size is negative")?;
            let axis = integer(self.model, node, "axis").unwrap_or(1);
            let form = Affine { tensor, scale, times: None, zero_point, axis, block };
            affine(self.model, &form)
        };
        Origin::new(tensor, operand())
    }
}

/// Whether a row turns integers into numbers with a scale and a zero point.
pub(super) fn is_dequantizer(row: &Operator) -> bool {
    row.role(0) == InputRole::Dequantized && !row.traits.quantized_inputs.is_empty()
}

/// The tensor that fills a value: an initializer, or that of a `Constant` node.
pub(super) fn stored_tensor(model: &Model, value: ValueId) -> Option<TensorId> {
    let value = model.value(value);
    if let Some(tensor) = value.initializer {
        return Some(tensor);
    }
    let Producer::Node { node, .. } = value.producer else { return None };
    let is_constant =
        model.inputs(node).is_empty() && model.name(model.node(node).op) == "Constant";
    match model.attribute(node, "value") {
        Some(AttributeValue::Tensor(tensor)) if is_constant => Some(*tensor),
        _ => None,
    }
}

/// Whether a product reads its second factor transposed.
pub(super) fn is_transposed(model: &Model, node: NodeId) -> bool {
    integer(model, node, "transB").is_some_and(|flag| flag != 0)
}

fn transpose(model: &Model, node: NodeId, operand: &mut Operand) -> Result<(), String> {
    if operand.is_flat {
        return Err("it is reshaped, then transposed".to_owned());
    }
    let rank = operand.axes.len();
    let order: Vec<usize> = match model.attribute(node, "perm") {
        Some(AttributeValue::Ints(List::Held(order))) => {
            order.iter().filter_map(|axis| usize::try_from(*axis).ok()).collect()
        }
        Some(_) => Vec::new(),
        None => (0..rank).rev().collect(),
    };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..rank) {
        return Err("its transposition does not fit its shape".to_owned());
    }
    operand.axes = order.iter().filter_map(|axis| operand.axes.get(*axis).copied()).collect();
    operand.through.push("transposed".to_owned());
    Ok(())
}

fn reshape(_: &Model, _: NodeId, operand: &mut Operand) -> Result<(), String> {
    if !operand.is_in_order() {
        return Err("it is transposed, then reshaped".to_owned());
    }
    operand.is_flat = true;
    Ok(())
}
