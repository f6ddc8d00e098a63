//! Pooling over windows.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome};
use crate::cost;
use crate::fact::Fact;
use crate::known;
use crate::row::Operator;
use crate::traits::{Class, Pool, family};
use crate::window::Window;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Pooling(Pool::Max),
    [
        Operator::onnx("AveragePool", &[])
            .pools(Pool::Average)
            .has_integer_kernel()
            .since(&[1, 7, 10, 11, 19, 22])
            .infer(pool)
            .costs(cost::window::pool::<1>),
        Operator::onnx("GlobalAveragePool", &[])
            .pools(Pool::GlobalAverage)
            .has_integer_kernel()
            .since(&[1, 22])
            .infer(global)
            .costs(cost::per_input::<1>),
        Operator::onnx("GlobalLpPool", &[])
            .pools(Pool::GlobalLp)
            .since(&[1, 2, 22])
            .infer(global)
            .costs(cost::per_input::<2>),
        Operator::onnx("GlobalMaxPool", &[])
            .pools(Pool::GlobalMax)
            .since(&[1, 22])
            .infer(global)
            .costs(cost::per_input::<1>),
        Operator::onnx("LpPool", &[])
            .pools(Pool::Lp)
            .since(&[1, 2, 11, 18, 22])
            .infer(pool)
            .costs(cost::window::pool::<2>),
        Operator::onnx("MaxPool", &[])
            .pools(Pool::Max)
            .has_integer_kernel()
            .since(&[1, 8, 10, 11, 12, 22])
            .infer(pool)
            .costs(cost::window::pool::<1>),
        Operator::onnx("MaxUnpool", &[])
            .raises_resolution()
            .class(Class::Movement)
            .since(&[9, 11, 22])
            .infer(unpool)
            .costs(cost::free),
    ],
);

/// Places of a window for each channel: <https://onnx.ai/onnx/operators/onnx__MaxPool.html>,
/// `onnx__AveragePool`, `onnx__LpPool`. `MaxPool` also gives where each maximum was.
fn pool(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let kernel = kernel(ctx)?;
    let window = Window::read(ctx, &kernel)?;
    let ceil = ctx.int_or("ceil_mode", 0) != 0;
    let dims = match known::ranked(ctx, 0, kernel.len() + 2)? {
        Some(input) => {
            let mut dims = input[..2].to_vec();
            for (axis, size) in input[2..].iter().enumerate() {
                let places = window.pooled(ctx, axis, size, ceil)?;
                dims.push(known::or_fresh(ctx, places, "where the last windows fall"));
            }
            dims
        }
        None => ctx.fresh_dims(kernel.len() + 2, "the shape of what is pooled"),
    };
    let indices = Fact::tensor(DType::Int64, dims.clone());
    Ok(vec![Fact::tensor(dtype, dims), indices])
}

/// One element for each channel: <https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html>,
/// `onnx__GlobalMaxPool`, `onnx__GlobalLpPool`.
fn global(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let Some(dims) = known::dims(ctx, 0)? else {
        return Ok(vec![known::unranked(ctx, 0, dtype)]);
    };
    if dims.len() < 2 {
        let rank = dims.len();
        return Err(Fail::contradiction(format!("{} has an input of rank {rank}", ctx.op)));
    }
    let ones = std::iter::repeat_n(Expr::from(1), dims.len() - 2);
    Ok(vec![Fact::tensor(dtype, dims[..2].iter().cloned().chain(ones))])
}

/// Maxima put back where they were, in a shape that is given or the smallest that pools to the
/// input: <https://onnx.ai/onnx/operators/onnx__MaxUnpool.html>.
fn unpool(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let kernel = kernel(ctx)?;
    let window = Window::read(ctx, &kernel)?;
    let rank = kernel.len() + 2;
    let input = known::ranked(ctx, 0, rank)?.or(known::ranked(ctx, 1, rank)?);
    let given = ctx.exprs(2);
    if let Some(given) = &given
        && given.len() != rank
    {
        return Err(Fail::contradiction(format!(
            "{} has an output_shape of {} dimensions, and its input {rank}",
            ctx.op,
            given.len()
        )));
    }
    let mut dims = Vec::with_capacity(rank);
    for axis in 0..rank {
        let size = input.map(|dims| dims[axis].clone());
        let dim = match (&given, axis.checked_sub(2)) {
            (Some(given), _) => given[axis].cloned(),
            (None, None) => size,
            (None, Some(_)) if ctx.has(2) => None,
            (None, Some(axis)) => size.and_then(|size| {
                let window = window.axis(axis);
                let padding = &window.before + &window.after;
                Some((size - 1) * &window.stride + window.extent.as_ref()? - padding)
            }),
        };
        if dim.as_ref().and_then(Expr::as_const).is_some_and(|size| size < 0) {
            return Err(Fail::contradiction(format!("{} makes a negative dimension", ctx.op)));
        }
        dims.push(known::or_fresh(ctx, dim, "the output_shape given"));
    }
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// The kernel's sizes, which these operators must give.
fn kernel(ctx: &OpContext<'_>) -> Result<Vec<Option<Expr>>, Fail> {
    let sizes = known::list(ctx, "kernel_shape")?
        .ok_or_else(|| Fail::contradiction(format!("{} lacks kernel_shape", ctx.op)))?;
    match sizes.iter().find(|size| **size < 1) {
        Some(size) => Err(Fail::contradiction(format!("{} has a kernel of {size}", ctx.op))),
        None => Ok(sizes.iter().map(|size| Some(Expr::from(*size))).collect()),
    }
}
