//! Weights that are stored in another form, and recurrent layers.

use calipers_ir::{BlockFormat, DType};

use super::arithmetic::type_number;
use super::lower::OWN;
use super::scope::Scope;
use crate::error::Trace;

/// Gives the call its operator, if it is of this family.
pub(super) fn lower(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    match scope.operation.kind.as_str() {
        "quantize" => affine(scope, "QuantizeLinear", ["input", "scale", "zero_point"]),
        "dequantize" => affine(scope, "DequantizeLinear", ["input", "scale", "zero_point"]),
        "constexpr_affine_dequantize" => {
            affine(scope, "DequantizeLinear", ["quantized_data", "scale", "zero_point"])
        }
        "constexpr_blockwise_shift_scale" => blockwise(scope),
        "constexpr_cast" => {
            let to = scope.text("output_dtype").and_then(|name| type_number(&name));
            let Some(to) = to else { return Ok(()) };
            scope.take(&["source_val"])?.call.is("Cast").int("to", to);
            Ok(())
        }
        "constexpr_lut_to_dense" => lookup(scope),
        "constexpr_sparse_to_dense" => sparse(scope),
        "constexpr_lut_to_sparse" => {
            scope.take(&["indices_mask", "indices_nonzero_data", "lut"])?;
            scope.call.is_of(OWN, "LutToSparse");
            Ok(())
        }
        "constexpr_sparse_blockwise_shift_scale" => {
            scope.take(&["data_mask", "nonzero_data", "scale", "offset"])?;
            scope.call.is_of(OWN, "SparseShiftScale");
            Ok(())
        }
        "lstm" => recurrent(scope, "Lstm", ["initial_h", "initial_c"]),
        "gru" => recurrent(scope, "Gru", ["initial_h", ""]),
        "rnn" => recurrent(scope, "Rnn", ["initial_h", ""]),
        _ => Ok(()),
    }
}

fn affine(
    scope: &mut Scope<'_, '_, '_>,
    op: &'static str,
    arguments: [&str; 3],
) -> Result<(), Trace> {
    let axis = scope.int("axis");
    scope.take(&arguments)?.call.is(op);
    if let Some(axis) = axis {
        scope.call.int("axis", axis);
    }
    Ok(())
}

/// A scale for each block: the axis is the one that blocks divide, or that scales differ along.
fn blockwise(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let (data, scales) = (scope.sizes("data"), scope.sizes("scale"));
    scope.take(&["data", "scale", "offset"])?.call.is("DequantizeLinear");
    let (Some(data), Some(scales)) = (data, scales) else { return Ok(()) };
    if data.len() != scales.len() {
        return Ok(());
    }
    let pairs = || data.iter().zip(&scales).enumerate();
    let divided = pairs().find(|(_, (size, scales))| **scales > 1 && scales < size);
    let along = divided.or_else(|| pairs().find(|(_, (_, scales))| **scales > 1));
    if let Some((axis, (size, scales))) = along {
        let Ok(axis) = i64::try_from(axis) else { return Ok(()) };
        scope.call.int("axis", axis);
        if divided.is_some() {
            scope.call.int("block_size", size / scales.max(&1));
        }
    }
    Ok(())
}

/// The type of numbers that are packed in this many bits.
fn packed_type(bits: u64) -> Option<DType> {
    Some(match bits {
        1 => DType::Block(BlockFormat::Uint1),
        2 => DType::Uint2,
        3 => DType::Block(BlockFormat::Uint3),
        4 => DType::Uint4,
        6 => DType::Block(BlockFormat::Uint6),
        8 => DType::Uint8,
        _ => return None,
    })
}

/// Indices into a table of numbers. The first version of the operator packs them into bytes, and
/// has the shape apart: as many bits as the table needs.
fn lookup(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let table =
        scope.sizes("lut").and_then(|dims| dims.iter().copied().try_fold(1, i64::checked_mul));
    if let (Some(shape), Some(table)) = (scope.ints("shape"), table) {
        let bits = u64::try_from(table).unwrap_or(0).next_power_of_two().trailing_zeros();
        if let Some(dtype) = packed_type(bits.max(1).into()) {
            scope.retype("indices", dtype, &shape);
        }
    }
    scope.take(&["indices", "lut"])?.call.is_of(OWN, "LutToDense");
    Ok(())
}

/// A mask says where the elements that are not zero are. It has a bit for each element.
fn sparse(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    if let Some(shape) = scope.ints("shape") {
        scope.retype("mask", DType::Block(BlockFormat::Uint1), &shape);
    }
    scope.take(&["nonzero_data", "mask"])?.call.is_of(OWN, "SparseToDense");
    Ok(())
}

/// The states come before the weights of both directions.
fn recurrent(
    scope: &mut Scope<'_, '_, '_>,
    op: &'static str,
    states: [&str; 2],
) -> Result<(), Trace> {
    const WEIGHTS: [&str; 8] = [
        "weight_ih",
        "weight_hh",
        "bias",
        "weight_ih_back",
        "weight_hh_back",
        "bias_back",
        "peephole",
        "peephole_back",
    ];
    scope.take_each(&["x"])?;
    scope.take_each(&states)?;
    scope.take(&WEIGHTS)?.call.is_of(OWN, op);
    Ok(())
}
