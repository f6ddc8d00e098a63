//! Shapes that operators of ONNX take as inputs.

use calipers_ir::{NameId, TooLarge};

use super::Op;

/// The shape that a view is given, from what the file states of its output: sizes as numbers, one
/// that is open left to be found, others copied from the input. `None` where that does not do.
pub(super) fn view(op: &mut Op<'_, '_, '_>, input: &str) -> Result<Option<NameId>, TooLarge> {
    let Some(meta) = op.output(0).and_then(|output| op.values.meta(output)) else {
        return Ok(None);
    };
    let from = op.tensor_name(input).and_then(|input| op.values.meta(input));
    let mut open = 0;
    let mut shape = Vec::with_capacity(meta.sizes.len());
    for (axis, size) in meta.sizes.iter().enumerate() {
        let text = |size: &crate::pytorch::export::schema::Size| {
            size.as_expr.as_ref().map(|expression| expression.expr_str.clone())
        };
        let before = from.and_then(|from| from.sizes.get(axis));
        match size.as_int {
            // A dimension of no elements is what a zero does not say.
            Some(0) => return Ok(None),
            Some(number) => shape.push(number),
            None if before.is_some_and(|before| text(before) == text(size)) => shape.push(0),
            None => {
                open += 1;
                shape.push(-1);
            }
        }
    }
    match open {
        0 | 1 => op.integers("shape", &shape).map(Some),
        _ => Ok(None),
    }
}
