//! Between numbers and the integers that represent them.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{OpContext, Outcome};
use crate::contrib::inputs::{first_dtype, like, only};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};

/// <https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html>: the type is the zero point's, or an
/// attribute, or unsigned bytes. One scale, one along an axis or one for a block: the shape stays.
pub(super) fn quantize_linear(ctx: &mut OpContext<'_>) -> Outcome {
    let asked = ctx.dtype_attribute("output_dtype").filter(|dtype| *dtype != DType::Undefined);
    let dtype = match (ctx.dtype(2), asked) {
        (DType::Undefined, Some(asked)) => asked,
        (DType::Undefined, None) if !ctx.has(2) => DType::Uint8,
        (zero_point, _) => zero_point,
    };
    with_elements(ctx, dtype, quantized)
}

/// <https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html>: the type is an attribute, or the
/// scale's.
pub(crate) fn dequantize_linear(ctx: &mut OpContext<'_>) -> Outcome {
    let asked = ctx.dtype_attribute("output_dtype").filter(|dtype| *dtype != DType::Undefined);
    with_elements(ctx, asked.unwrap_or_else(|| ctx.dtype(1)), dequantized)
}

/// What becomes of an element under a scale and a zero point.
type Change = fn(&Elem, f32, i64, DType) -> Option<Elem>;

/// The first input with each element changed, where one scale holds for all of them.
fn with_elements(ctx: &OpContext<'_>, dtype: DType, change: Change) -> Outcome {
    let fact = like(ctx, 0, dtype)?;
    let zero_point = if ctx.has(2) { ctx.integer(2) } else { Some(0) };
    let (Fact::Tensor(tensor), Some(elements), Some(scale), Some(zero_point)) =
        (&fact, ctx.value(0), scale(ctx), zero_point)
    else {
        return Ok(vec![fact]);
    };
    let changed = elements
        .iter()
        .map(|element| change(element, scale, zero_point, dtype).unwrap_or(Elem::Unknown));
    Ok(vec![tensor.clone().with_value(changed).into()])
}

/// The scale, when it is one number of single precision.
#[expect(clippy::cast_possible_truncation, reason = "the number is of single precision")]
fn scale(ctx: &OpContext<'_>) -> Option<f32> {
    match (ctx.dtype(1), ctx.value(1)?) {
        (DType::Float32, [scale]) => scale.as_f64().map(|scale| scale as f32),
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "as the standard computes, in range")]
fn quantized(element: &Elem, scale: f32, zero_point: i64, dtype: DType) -> Option<Elem> {
    let (low, high) = match dtype {
        DType::Uint8 => (0, 255),
        DType::Int8 => (-128, 127),
        DType::Uint16 => (0, 65_535),
        DType::Int16 => (-32_768, 32_767),
        _ => return None,
    };
    let rounded = (element.as_f64()? as f32 / scale).round_ties_even();
    // Beyond this every value is cut off at an end of the range.
    let whole = Elem::float(f64::from(rounded.clamp(-1e9, 1e9))).as_i64()?;
    Some(Elem::int(whole.checked_add(zero_point)?.clamp(low, high)))
}

#[expect(clippy::cast_precision_loss, reason = "as the standard computes, in single precision")]
fn dequantized(element: &Elem, scale: f32, zero_point: i64, dtype: DType) -> Option<Elem> {
    let difference = element.as_i64()?.checked_sub(zero_point)?;
    (dtype == DType::Float32).then(|| Elem::float(f64::from(difference as f32 * scale)))
}

/// <https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html>: bytes, and the scale and zero
/// point that were found.
pub(super) fn dynamic_quantize_linear(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![
        like(ctx, 0, DType::Uint8)?,
        Fact::tensor(DType::Float32, []),
        Fact::tensor(DType::Uint8, []),
    ])
}

/// `QuantizeWithOrder`: bytes in another order of memory.
pub(super) fn quantize_with_order(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![like(ctx, 0, DType::Int8)?])
}

/// `DequantizeWithOrder`: the inverse; the type is an attribute.
pub(super) fn dequantize_with_order(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype_attribute("to").unwrap_or(DType::Undefined);
    Ok(vec![like(ctx, 0, dtype)?])
}

/// `QuantizeBFP`: blocks that share an exponent, and the shape and strides of what they hold.
pub(super) fn quantize_bfp(ctx: &mut OpContext<'_>) -> Outcome {
    let bytes = ctx.fresh("how many bytes the blocks take");
    let data = Fact::tensor(DType::Uint8, [bytes]);
    let Ok(dims) = ctx.dims(0) else {
        let lists = Fact::tensor(DType::Int64, [ctx.fresh("the number of dimensions")]);
        return Ok(vec![data, lists.clone(), lists]);
    };
    let rank = Expr::from(i64::try_from(dims.len()).unwrap_or(i64::MAX));
    let list = TensorFact::new(DType::Int64, [rank]);
    let shape = list.clone().with_value(dims.iter().cloned().map(Elem::Int));
    Ok(vec![data, shape.into(), list.into()])
}

/// `DequantizeBFP`: the shape is an input, the type an attribute.
pub(crate) fn dequantize_bfp(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype_attribute("dtype").unwrap_or(DType::Float32);
    let dims = match ctx.exprs(1) {
        Some(dims) => Ok(dims
            .into_iter()
            .map(|dim| dim.cloned().unwrap_or_else(|| ctx.fresh("the shape that is asked for")))
            .collect()),
        None => crate::contrib::inputs::unknown("the shape that is asked for is not known"),
    };
    only(dtype, dims)
}

/// The type of what a quantized operator gives: its zero point's.
pub(super) fn result_dtype(ctx: &OpContext<'_>, zero_point: usize, otherwise: usize) -> DType {
    if ctx.has(zero_point) { ctx.dtype(zero_point) } else { first_dtype(ctx, &[otherwise]) }
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{ask, elements, int, reported};
    use crate::elem::Elem;

    #[test]
    fn the_type_is_the_zero_points_or_an_attribute() {
        let one = |inputs: &[&str], attributes: &[(&str, crate::Attr<'static>)]| {
            reported("", "QuantizeLinear", inputs, attributes, 1).remove(0)
        };
        let x = "float32[B, 8]";
        assert_eq!(one(&[x, "float32[]"], &[]), "uint8[B, 8]");
        assert_eq!(one(&[x, "float32[8]", "int8[8]"], &[]), "int8[B, 8]");
        assert_eq!(one(&[x, "float32[]"], &[("output_dtype", int(22))]), "int4[B, 8]");
        assert_eq!(one(&["float32[…]", "float32[]"], &[]), "uint8[…]");
    }

    #[test]
    fn numbers_have_the_type_of_the_scale_or_an_attribute() {
        let x = "int8[B, 8]";
        let one = |scale: &str, attributes: &[(&str, crate::Attr<'static>)]| {
            reported("", "DequantizeLinear", &[x, scale], attributes, 1).remove(0)
        };
        assert_eq!(one("float16[8]", &[]), "float16[B, 8]");
        assert_eq!(one("float8e8m0[8]", &[("output_dtype", int(1))]), "float32[B, 8]");
    }

    #[test]
    fn elements_there_and_back() {
        // 7 / 2 = 3.5 rounds to 4, plus 3; -9 / 2 = -4.5 rounds to -4, plus 3, cut off at 0.
        let inputs = ["float32[2]={7, -9}", "float32[]={2}", "uint8[]={3}"];
        let facts = ask("", "QuantizeLinear", 13, &inputs, &[], 1).unwrap();
        assert_eq!(elements(&facts[0]).unwrap()[..], [Elem::int(7), Elem::int(0)]);
        let inputs = ["uint8[2]={7, 0}", "float32[]={2}", "uint8[]={3}"];
        let facts = ask("", "DequantizeLinear", 13, &inputs, &[], 1).unwrap();
        assert_eq!(elements(&facts[0]).unwrap()[..], [Elem::int(8), Elem::int(-6)]);
    }

    #[test]
    fn shapes_of_blocks_are_values() {
        let facts = ask("com.microsoft", "QuantizeBFP", 1, &["float32[2, 3]"], &[], 3).unwrap();
        assert_eq!(elements(&facts[1]).unwrap()[..], [Elem::int(2), Elem::int(3)]);
    }
}
