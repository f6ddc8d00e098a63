//! Sums and products along an axis, with every step on the way.

use super::arithmetic::Binary;
use super::operands::{one, operand};
use super::values::MAX_SYMBOLIC;
use crate::context::{OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::TensorFact;

/// `CumSum` and `CumProd`: <https://onnx.ai/onnx/operators/onnx__CumSum.html>. Type and shape of the
/// input.
pub(super) fn cumulative(ctx: &mut OpContext<'_>) -> Outcome {
    let input = operand(ctx, 0)?;
    let output = TensorFact { value: None, ..(*input).clone() };
    let axis = match (ctx.integer(1), input.rank()) {
        (Some(axis), Some(rank)) => ctx.axis(axis, rank)?,
        _ => return one(output),
    };
    let op = if ctx.op == "CumProd" { Binary::Mul } else { Binary::Add };
    let steps = Steps {
        op,
        exclusive: ctx.int_or("exclusive", 0) != 0,
        reverse: ctx.int_or("reverse", 0) != 0,
    };
    let output = match (&input.value, input.constant_dims()) {
        // Of a tensor that has elements, no dimension is larger than their number.
        (Some(value), Some(dims))
            if !value.is_empty() && input.constant_count() == Some(value.len()) =>
        {
            output.with_value(steps.along(axis, &input, &dims, value))
        }
        _ => output,
    };
    one(output)
}

struct Steps {
    op: Binary,
    exclusive: bool,
    reverse: bool,
}

impl Steps {
    /// The elements of the output. `value` holds as many as `dims` say.
    fn along(&self, axis: usize, input: &TensorFact, dims: &[usize], value: &[Elem]) -> Vec<Elem> {
        let mut elements = vec![Elem::Unknown; value.len()];
        let (length, inner) = (dims[axis], dims[axis + 1..].iter().product::<usize>());
        let neutral = Elem::int(i64::from(self.op == Binary::Mul));
        if value.len() > MAX_SYMBOLIC && value.iter().any(|elem| elem.as_f64().is_none()) {
            return elements;
        }
        for block in (0..value.len()).step_by(length * inner) {
            for lane in 0..inner {
                let mut all = neutral.clone();
                for step in 0..length {
                    let step = if self.reverse { length - 1 - step } else { step };
                    let at = block + step * inner + lane;
                    let next = self.op.apply(input.dtype, &all, &value[at]);
                    elements[at] = if self.exclusive { all } else { next.clone() };
                    all = next;
                }
            }
        }
        elements
    }
}
