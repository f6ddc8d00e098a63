//! Shapes as values, and values as they are.

use calipers_ir::DType;

use super::given::{data, element, open, size};
use crate::context::{OpContext, Outcome};
use crate::fact::{TensorFact, product};

/// Identity gives what it is given, of any kind:
/// <https://onnx.ai/onnx/operators/onnx__Identity.html>.
pub(super) fn identity(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![ctx.input(0)?.clone()])
}

/// Shape gives dimensions as a list, from `start` to `end`:
/// <https://onnx.ai/onnx/operators/onnx__Shape.html>.
pub(super) fn shape(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let Some(dims) = data.dims() else {
        return Ok(vec![open(ctx, DType::Int64, 1, "how many dimensions the input has").into()]);
    };
    let rank = i64::try_from(dims.len()).unwrap_or(i64::MAX);
    let clamp = |bound: i64| {
        let from_front = if bound < 0 { bound.saturating_add(rank) } else { bound };
        usize::try_from(from_front.clamp(0, rank)).unwrap_or(0)
    };
    let (start, end) = (clamp(ctx.int_or("start", 0)), clamp(ctx.int_or("end", rank)));
    let taken = dims.get(start..end).unwrap_or_default();
    let elements = taken.iter().map(|dim| element(dim.clone()));
    Ok(vec![TensorFact::new(DType::Int64, [size(taken.len())]).with_value(elements).into()])
}

/// Size gives the number of elements: <https://onnx.ai/onnx/operators/onnx__Size.html>.
pub(super) fn count(ctx: &mut OpContext<'_>) -> Outcome {
    let fact = TensorFact::new(DType::Int64, []);
    Ok(vec![match data(ctx, 0)?.dims() {
        Some(dims) => fact.with_value([element(product(dims))]).into(),
        None => fact.into(),
    }])
}
