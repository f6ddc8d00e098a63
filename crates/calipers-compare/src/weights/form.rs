//! How operators store quantized weights: which tensors hold the scales, and how they apply.

use calipers_ir::{AttributeValue, DType, Model, NodeId, Tensor, TensorId};
use calipers_ops::{Bits, InputRole, Movement, Operator, Packing, WeightFormat};

use super::operand::{Operand, axes_in_order, dims_of};

/// A quantized tensor's parameters, in the terms of [`calipers_weights::Quantization`].
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) axis: u64,
    pub(super) inner: u64,
    pub(super) block: u64,
    pub(super) scale: Stored,
    pub(super) zero_point: Option<Stored>,
    pub(super) implied_zero_point: f32,
}

/// A tensor of parameters, with the steps to the parameter of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) tensor: TensorId,
    /// A second tensor to multiply it with, element by element or all by one.
    pub(super) times: Option<TensorId>,
    /// Type of its elements, where that is not the tensor's own: packed bits.
    pub(super) dtype: DType,
    pub(super) outer: u64,
    pub(super) axis: u64,
    pub(super) inner: u64,
}

impl Form {
    pub(super) fn description(&self) -> String {
        if self.scale.axis == 0 {
            return "dequantized per tensor".to_owned();
        }
        match (self.scale.outer, self.block) {
            (0, 1) => "dequantized per channel".to_owned(),
            (_, block) => format!("dequantized in blocks of {block}"),
        }
    }
}

/// A quantized tensor with its scale and zero point, as inputs of a node.
pub(super) struct Affine {
    pub(super) tensor: TensorId,
    pub(super) scale: TensorId,
    pub(super) times: Option<TensorId>,
    pub(super) zero_point: Option<TensorId>,
    /// The axis of channels or blocks; negative from the end.
    pub(super) axis: i64,
    /// Elements of a block; 0 for none.
    pub(super) block: u64,
}

/// An integer attribute.
pub(super) fn integer(model: &Model, node: NodeId, name: &str) -> Option<i64> {
    match model.attribute(node, name) {
        Some(AttributeValue::Int(value)) => Some(*value),
        _ => None,
    }
}

fn size(model: &Model, node: NodeId, name: &str) -> Result<u64, String> {
    let value = integer(model, node, name).and_then(|value| u64::try_from(value).ok());
    value.filter(|value| *value > 0).ok_or_else(|| format!("attribute `{name}` is missing"))
}

/// A tensor that is quantized per tensor, per channel or in blocks along an axis.
pub(super) fn affine(model: &Model, form: &Affine) -> Result<Operand, String> {
    let tensor = model.tensor(form.tensor);
    let dims = dims_of(tensor)?;
    let elements: u64 = tensor.elements().map_err(|error| error.to_string())?;
    let rank = i64::try_from(dims.len()).unwrap_or(i64::MAX);
    let axis = if form.axis < 0 { form.axis.saturating_add(rank) } else { form.axis };
    let length = usize::try_from(axis).ok().and_then(|axis| dims.get(axis).copied());
    let inner: u64 = match usize::try_from(axis) {
        Ok(axis) if axis < dims.len() => product(&dims[axis + 1..]),
        _ => 1,
    };
    let mut found = Form {
        axis: 1,
        inner: elements.max(1),
        block: 1,
        scale: parameter(model, form.scale),
        zero_point: form.zero_point.map(|id| parameter(model, id)),
        implied_zero_point: 0.0,
    };
    found.scale.times = form.times;
    let per_tensor = |id: TensorId| model.tensor(id).elements() == Ok(1);
    let all = [Some(form.scale), form.times, form.zero_point];
    if !all.into_iter().flatten().all(per_tensor) {
        let length = length.ok_or_else(|| format!("axis {} of {dims:?} is missing", form.axis))?;
        (found.axis, found.inner) = (length, inner);
        let blocks = if form.block > 0 { length.div_ceil(form.block) } else { length };
        found.block = form.block.max(1);
        let outer = product(&dims[..usize::try_from(axis).unwrap_or(0)]);
        for part in [Some(&mut found.scale), found.zero_point.as_mut()].into_iter().flatten() {
            let held = [Some(part.tensor), part.times].into_iter().flatten();
            let held = held.map(|id| model.tensor(id).elements().unwrap_or(0)).max().unwrap_or(0);
            if form.block > 0 && held == product(&[outer, blocks, inner]) {
                (part.outer, part.axis, part.inner) = (product(&[blocks, inner]), inner, 1);
            } else if form.block == 0 && held == length {
                part.axis = 1;
            } else if held != 1 {
                let dims = &tensor.dims;
                return Err(format!("{held} scales or zero points do not fit the shape {dims:?}"));
            }
        }
    }
    Ok(Operand {
        tensor: form.tensor,
        dtype: tensor.dtype,
        axes: axes_in_order(&dims),
        is_flat: false,
        through: vec![found.description()],
        form: Some(found),
    })
}

fn parameter(model: &Model, tensor: TensorId) -> Stored {
    let dtype = model.tensor(tensor).dtype;
    Stored { tensor, times: None, dtype, outer: 0, axis: 0, inner: 0 }
}

/// The product of lengths; what does not fit 64 bits reaches past every tensor.
fn product(lengths: &[u64]) -> u64 {
    lengths.iter().copied().fold(1, u64::saturating_mul)
}

/// The unsigned integer of that many bits.
fn packed_dtype(bits: u32) -> Result<DType, String> {
    match bits {
        2 => Ok(DType::Uint2),
        4 => Ok(DType::Uint4),
        8 => Ok(DType::Uint8),
        _ => Err(format!("weights of {bits} bits are not unpacked")),
    }
}

/// The stored tensors that a packed operator's weights consist of.
pub(super) struct PackedParts {
    pub(super) tensor: TensorId,
    pub(super) scale: TensorId,
    pub(super) zero_point: Option<TensorId>,
}

/// Whether a row holds weights as integers of few bits with scales per block: a packed format
/// without zero points holds codes of a table.
pub(super) fn packed_bits(row: &Operator) -> Option<Bits> {
    match (row.traits.contraction?.format, row.packing?) {
        (
            WeightFormat::Packed { bits, float: false, zero_point: Some(_) },
            Packing::Product { .. },
        ) => Some(bits),
        _ => None,
    }
}

/// The weights of `MatMulNBits`: rows of blocks, of an output channel each. As the matrix product
/// reads them, inputs are rows and outputs are columns.
pub(super) fn packed_product(
    model: &Model,
    node: NodeId,
    row: &Operator,
    parts: &PackedParts,
) -> Result<Operand, String> {
    let (Some(bits), Some(Packing::Product { rows, columns, .. })) =
        (packed_bits(row), row.packing)
    else {
        return Err("its packed layout is not known".to_owned());
    };
    let bits = bits.resolve(|name| integer(model, node, name));
    let dtype = packed_dtype(bits)?;
    let (rows, columns) = (size(model, node, rows)?, size(model, node, columns)?);
    let block = size(model, node, "block_size")?;
    let blocks = columns.div_ceil(block);
    let too_large = || "its attributes describe more elements than 64 bits count".to_owned();
    let padded = blocks.checked_mul(block).ok_or_else(too_large)?;
    let whole = padded.checked_mul(rows).and_then(|all| dtype.bytes(all)).ok_or_else(too_large)?;
    let tensor = model.tensor(parts.tensor);
    if tensor.bytes() != Some(whole) {
        return Err(format!("its attributes need {whole} bytes, but it has other dimensions"));
    }
    let scale = Stored { outer: blocks, axis: 1, ..parameter(model, parts.scale) };
    let zero_point = parts.zero_point.map(|id| {
        let stored = parameter(model, id);
        let own = model.tensor(id).dtype;
        // Packed like the weights, each row in whole bytes; floats are one per block.
        let is_packed = own == DType::Uint8;
        let per_row = blocks.div_ceil(8 / u64::from(bits)).saturating_mul(8 / u64::from(bits));
        let outer = if is_packed { per_row } else { blocks };
        Stored { dtype: if is_packed { dtype } else { own }, outer, axis: 1, ..stored }
    });
    let form =
        Form { axis: padded, inner: 1, block, scale, zero_point, implied_zero_point: middle(bits) };
    Ok(Operand {
        tensor: parts.tensor,
        dtype,
        axes: vec![(columns, 1), (rows, padded)],
        is_flat: false,
        through: vec![format!("unpacked {bits}-bit"), form.description(), "transposed".to_owned()],
        form: Some(form),
    })
}

/// The zero point of unsigned weights where none is stored.
#[expect(clippy::cast_precision_loss, reason = "at most 128")]
fn middle(bits: u32) -> f32 {
    (1_u32 << bits.saturating_sub(1).min(7)) as f32
}

/// Whether a row looks up rows of a table that is quantized in blocks.
pub(super) fn is_packed_table(row: &Operator) -> bool {
    row.traits.movement == Some(Movement::Gather)
        && row.role(0) == InputRole::Table
        && matches!(row.packing, Some(Packing::Bits { .. }))
}

/// The table of `GatherBlockQuantized`.
pub(super) fn packed_table(
    model: &Model,
    node: NodeId,
    parts: &PackedParts,
) -> Result<Operand, String> {
    let tensor = model.tensor(parts.tensor);
    let mut dims = dims_of(tensor)?;
    let bits = integer(model, node, "bits").and_then(|bits| u32::try_from(bits).ok()).unwrap_or(4);
    let is_packed = tensor.dtype == DType::Uint8;
    let dtype = if is_packed { packed_dtype(bits)? } else { tensor.dtype };
    let per_byte = if is_packed { 8 / u64::from(bits) } else { 1 };
    if let Some(last) = dims.last_mut() {
        *last = last.saturating_mul(per_byte);
    }
    let axis = integer(model, node, "quantize_axis").unwrap_or(1);
    let rank = i64::try_from(dims.len()).unwrap_or(i64::MAX);
    let axis = usize::try_from(if axis < 0 { axis.saturating_add(rank) } else { axis });
    let axis =
        axis.ok().filter(|axis| *axis < dims.len()).ok_or("its quantized axis is missing")?;
    let block = integer(model, node, "block_size").and_then(|block| u64::try_from(block).ok());
    let block = block.filter(|block| *block > 0).unwrap_or(128);
    let blocks = dims[axis].div_ceil(block);
    let inner = product(&dims[axis + 1..]);
    let scale = Stored {
        outer: product(&[blocks, inner]),
        axis: inner,
        inner: 1,
        ..parameter(model, parts.scale)
    };
    let zero_point = match parts.zero_point {
        None => None,
        Some(id) => {
            // Packed like the table, each row in whole bytes.
            let last = if inner > 1 { inner } else { blocks };
            if inner > 1 && !last.is_multiple_of(per_byte) {
                return Err("its zero points are padded within an axis".to_owned());
            }
            let outer = if inner > 1 {
                product(&[blocks, inner])
            } else {
                last.div_ceil(per_byte).saturating_mul(per_byte)
            };
            Some(Stored { dtype, outer, axis: inner, inner: 1, ..parameter(model, id) })
        }
    };
    let implied_zero_point = if is_packed { middle(bits) } else { 0.0 };
    let form = Form { axis: dims[axis], inner, block, scale, zero_point, implied_zero_point };
    let mut through = vec![form.description()];
    if is_packed {
        through.insert(0, format!("unpacked {bits}-bit"));
    }
    Ok(Operand {
        tensor: parts.tensor,
        dtype,
        axes: axes_in_order(&dims),
        is_flat: false,
        through,
        form: Some(form),
    })
}

/// The axis of output channels of a plain operator's weights.
pub(super) fn channel_axis(plain: &str, is_transposed: bool, tensor: &Tensor) -> i64 {
    match plain {
        "Conv" => 0,
        "ConvTranspose" => 1,
        _ if is_transposed && tensor.dims.len() == 2 => 0,
        _ => -1,
    }
}
