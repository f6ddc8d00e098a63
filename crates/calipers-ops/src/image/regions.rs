//! Regions of images: pooling them, and choosing among them.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::sampling::{number, same};
use crate::context::{Fail, OpContext, Outcome};
use crate::fact::Fact;

/// A patch of fixed size for each region: <https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html>.
pub(super) fn max_roi_pool(ctx: &mut OpContext<'_>) -> Outcome {
    let size = match ctx.ints("pooled_shape") {
        Some([height, width]) => [Expr::from(*height), Expr::from(*width)],
        Some(_) => {
            return Err(Fail::contradiction("MaxRoiPool expects a pooled_shape of two sizes"));
        }
        None => ["height", "width"].map(|what| ctx.fresh(&format!("the pooled {what}"))),
    };
    patches(ctx, size)
}

/// The same with interpolation: <https://onnx.ai/onnx/operators/onnx__RoiAlign.html>.
pub(super) fn roi_align(ctx: &mut OpContext<'_>) -> Outcome {
    let size = ["output_height", "output_width"].map(|name| Expr::from(ctx.int_or(name, 1)));
    patches(ctx, size)
}

fn patches(ctx: &mut OpContext<'_>, [height, width]: [Expr; 2]) -> Outcome {
    let dtype = ctx.dtype(0);
    let first = |ctx: &OpContext<'_>, index: usize| -> Result<Option<Expr>, Fail> {
        Ok(ctx.shape(index)?.ok().and_then(|dims| dims.first().cloned()))
    };
    let channels = match ctx.shape(0)? {
        Ok([_, channels, ..]) => channels.clone(),
        Ok(_) => return Err(Fail::contradiction(format!("{} has no channels", ctx.op))),
        Err(_) => ctx.fresh("the channels of the image"),
    };
    let listed = if ctx.has(2) { first(ctx, 2)? } else { None };
    let count = match (first(ctx, 1)?, listed) {
        (Some(one), Some(other)) => same(&one, &other),
        (Some(count), None) | (None, Some(count)) => count,
        (None, None) => ctx.fresh("the number of regions"),
    };
    Ok(vec![Fact::tensor(dtype, [count, channels, height, width])])
}

/// A row of batch, class and box for every box that is chosen.
///
/// <https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html>
pub(super) fn non_max_suppression(ctx: &mut OpContext<'_>) -> Outcome {
    let count = match certain(ctx) {
        Some(count) => count,
        None => ctx.fresh("the boxes that are chosen"),
    };
    Ok(vec![Fact::tensor(DType::Int64, [count, Expr::from(3)])])
}

/// How many boxes are chosen, where scores and places cannot change it.
fn certain(ctx: &OpContext<'_>) -> Option<Expr> {
    let most = if ctx.has(2) { ctx.value(2)?.first()?.as_expr()?.clone() } else { Expr::from(0) };
    if most.as_const() == Some(0) {
        return Some(most);
    }
    if ctx.has(4) || !most.is_at_least(1) {
        return None;
    }
    let [batches, boxes, _] = ctx.dims(0).ok()? else { return None };
    let [_, classes, _] = ctx.dims(1).ok()? else { return None };
    // The best box is always chosen; others only if none can overlap too much.
    let threshold = if ctx.has(3) { number(ctx, 3)? } else { 0.0 };
    let alone = boxes.as_const() == Some(1) || most.as_const() == Some(1);
    (alone || threshold >= 1.0).then(|| batches * classes * boxes.min(&most))
}

#[cfg(test)]
mod tests {
    use super::super::super::reduction::testing::{Try, dims, ints, shape};
    use super::*;

    #[test]
    fn a_patch_for_each_region() {
        let ctx = Try::new("RoiAlign", 16)
            .input(dims("n 8 h w"))
            .input(dims("r 4"))
            .input(ints(&[0, 0, 1]))
            .int("output_height", 7);
        assert_eq!(shape(&ctx.one(roi_align)), "3 8 7 1");
        let ctx = Try::new("MaxRoiPool", 1)
            .input(dims("n 8 h w"))
            .input(dims("r 5"))
            .ints("pooled_shape", &[2, 3]);
        assert_eq!(shape(&ctx.one(max_roi_pool)), "r 8 2 3");
    }

    #[test]
    fn boxes_are_chosen_by_the_data() {
        let ctx = || Try::new("NonMaxSuppression", 11).input(dims("1 6 4")).input(dims("1 2 6"));
        assert_eq!(shape(&ctx().one(non_max_suppression)), "0 3");
        assert_eq!(shape(&ctx().input(ints(&[3])).one(non_max_suppression)), "f1 3");
        // One box for each of two classes.
        assert_eq!(shape(&ctx().input(ints(&[1])).one(non_max_suppression)), "2 3");
    }
}
