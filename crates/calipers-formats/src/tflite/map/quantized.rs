//! Operators between numbers and their codes.

use std::sync::Arc;

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{DType, Data, NameId};

use super::super::operand::{Op, Operand, Quantization};
use super::super::tensor::onnx_number;
use super::{FRAMEWORKS, Mapped};
use crate::error::Trace;

/// Maps an operator that changes how numbers are stored.
pub(super) fn map(op: &Op<'_, '_>, call: &mut Call, assembly: &mut Assembly<'_>) -> Mapped {
    match op.name {
        "FAKE_QUANT" => {
            call.is_of(FRAMEWORKS, "FakeQuantize");
            call.float("min", op.f32(0, 0.0)?).float("max", op.f32(1, 0.0)?);
            call.int("bits", op.int(2, 0)?).int("narrow_range", i64::from(op.flag(3)?));
            Ok(())
        }
        "QUANTIZE" => linear(op, call, assembly, op.output(0), "QuantizeLinear"),
        // Weights in half precision are brought to single precision by the same operator.
        "DEQUANTIZE" if op.input(0).is_some_and(|it| it.quantization.is_some()) => {
            linear(op, call, assembly, op.input(0), "DequantizeLinear")
        }
        _ => {
            let to = op.output(0).and_then(|output| onnx_number(output.dtype));
            if let Some(to) = to.filter(|to| *to != 0) {
                call.is("Cast").int("to", to);
            }
            Ok(())
        }
    }
}

/// The parameters are those of a tensor, which the row takes as inputs.
fn linear(
    op: &Op<'_, '_>,
    call: &mut Call,
    assembly: &mut Assembly<'_>,
    coded: Option<&Operand<'_>>,
    name: &'static str,
) -> Mapped {
    let parameters = coded.and_then(|it| Some((it.dtype, it.quantization.as_ref()?)));
    let Some((dtype, quantization)) = parameters else { return Ok(()) };
    let data = op.input(0).map_or(assembly.none(), |input| input.name);
    let (scale, zero) = constants(assembly, dtype, quantization)?;
    call.inputs = vec![data, scale, zero];
    call.is(name);
    if quantization.scales > 1 {
        call.int("axis", i64::from(quantization.axis));
    }
    Ok(())
}

fn constants(
    assembly: &mut Assembly<'_>,
    dtype: DType,
    quantization: &Quantization<'_>,
) -> Result<(NameId, NameId), Trace> {
    let scales = quantization.scales()?;
    let scale = match scales.as_slice() {
        [only] => assembly.float("scale", *only)?,
        all => assembly.floats("scales", all)?,
    };
    let zeros = quantization.zero_points()?;
    let bytes = |zero: i64| -> Vec<u8> {
        let width = dtype.bytes(1).and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(1);
        zero.to_le_bytes().into_iter().take(width).collect()
    };
    // Zero points of four bits share bytes; those of eight bits and more are what files have.
    if dtype.bits().is_none_or(|bits| bits < 8)
        || !matches!(zeros.len(), 1) && zeros.len() != scales.len()
    {
        return Ok((scale, assembly.none()));
    }
    let count = i64::try_from(zeros.len()).unwrap_or(i64::MAX);
    let dims: &[i64] = if zeros.len() == 1 { &[] } else { &[count] };
    let name = assembly.new_name("zero point");
    let stored: Arc<[u8]> = zeros.into_iter().flat_map(bytes).collect();
    assembly.add_stored(name, dtype, dims, Data::Inline(stored))?;
    Ok((scale, name))
}
