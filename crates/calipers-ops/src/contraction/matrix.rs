//! Products of matrices.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome, broadcast};
use crate::elem::Elem;
use crate::fact::{Fact, MAX_ELEMENTS, TensorFact};
use crate::known;

/// `A * B + C` of two matrices, each perhaps transposed:
/// <https://onnx.ai/onnx/operators/onnx__Gemm.html>.
pub(super) fn gemm(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = known::dtype(ctx, &[0, 1, 2]);
    ctx.input(0)?;
    ctx.input(1)?;
    let left = known::ranked(ctx, 0, 2)?;
    let right = known::ranked(ctx, 1, 2)?;
    // Whether a matrix is with its rows first.
    let (rows, shared_left) = if ctx.int_or("transA", 0) == 0 { (0, 1) } else { (1, 0) };
    let (shared_right, columns) = if ctx.int_or("transB", 0) == 0 { (0, 1) } else { (1, 0) };
    let of = |dims: Option<&'_ [Expr]>, axis: usize| dims.map(|dims| dims[axis].clone());
    let (rows, columns) = (of(left, rows), of(right, columns));
    let (one, other) = (of(left, shared_left), of(right, shared_right));
    known::agree(ctx, "the dimension summed over", &[one.as_ref(), other.as_ref()])?;
    if let (Some(rows), Some(columns)) = (&rows, &columns)
        && let Some(bias) = known::optional_dims(ctx, 2)?
    {
        check_bias(ctx, [rows, columns], bias)?;
    }
    let rows = known::or_fresh(ctx, rows, "the rows multiplied");
    let columns = known::or_fresh(ctx, columns, "the columns multiplied by");
    Ok(vec![Fact::tensor(dtype, [rows, columns])])
}

/// What is added must broadcast to the product. Before version 7 the attribute `broadcast` said
/// whether it may, and which of its dimensions meet was left to `axis`.
fn check_bias(ctx: &OpContext<'_>, product: [&Expr; 2], bias: &[Expr]) -> Result<(), Fail> {
    if ctx.version < 7 {
        return Ok(());
    }
    let fits = bias.len() <= 2
        && bias
            .iter()
            .rev()
            .zip(product.iter().rev())
            .all(|(bias, size)| bias.as_const() == Some(1) || !bias.always_ne(size));
    if fits {
        return Ok(());
    }
    let [rows, columns] = product;
    Err(Fail::contradiction(format!(
        "what {} adds does not broadcast to [{rows}, {columns}]",
        ctx.op
    )))
}

/// The product of matrices, batch by batch; a vector is a matrix of one row or column, which the
/// output leaves out: <https://onnx.ai/onnx/operators/onnx__MatMul.html>.
pub(super) fn matmul(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = known::dtype(ctx, &[0, 1]);
    let (Some(left), Some(right)) = (known::dims(ctx, 0)?, known::dims(ctx, 1)?) else {
        let missing = usize::from(known::dims(ctx, 0)?.is_some());
        return Ok(vec![known::unranked(ctx, missing, dtype)]);
    };
    let fact = TensorFact::new(dtype, product(ctx, left, right)?);
    Ok(vec![match whole_product(ctx.tensor(0)?, ctx.tensor(1)?) {
        Some(elements) => fact.with_value(elements).into(),
        None => fact.into(),
    }])
}

/// Elements of the product of two small tensors of integers, without batches. Floats are left
/// out: their sums depend on who adds them in which order.
fn whole_product(left: &TensorFact, right: &TensorFact) -> Option<Vec<Elem>> {
    if left.dtype != DType::Int64 || right.dtype != DType::Int64 {
        return None;
    }
    let (one, other) = (left.value.as_deref()?, right.value.as_deref()?);
    let (rows, shared) = match left.constant_dims()?[..] {
        [shared] => (1, shared),
        [rows, shared] => (rows, shared),
        _ => return None,
    };
    let columns = match right.constant_dims()?[..] {
        [_] => 1,
        [_, columns] => columns,
        _ => return None,
    };
    if rows.checked_mul(columns)?.checked_mul(shared.max(1))? > MAX_ELEMENTS {
        return None;
    }
    let element = |row: usize, column: usize| {
        let sum = (0..shared).try_fold(Expr::from(0), |sum, at| {
            let left = one.get(row * shared + at)?.as_expr()?;
            Some(sum + left * other.get(at * columns + column)?.as_expr()?)
        });
        // What leaves the range of the type wraps around in it.
        let fits =
            |sum: &Expr| !sum.is_undefined() && (!sum.is_const() || sum.as_const().is_some());
        sum.filter(fits).map_or(Elem::Unknown, Elem::Int)
    };
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    Some(places.map(|(row, column)| element(row, column)).collect())
}

/// Shape of the product of two stacks of matrices.
pub(crate) fn product(
    ctx: &OpContext<'_>,
    left: &[Expr],
    right: &[Expr],
) -> Result<Vec<Expr>, Fail> {
    let (Some((shared_left, left)), Some((last, rest))) = (left.split_last(), right.split_last())
    else {
        return Err(Fail::contradiction(format!("{} multiplies a scalar", ctx.op)));
    };
    // A vector on the right has no columns.
    let (shared_right, columns, right) = match rest.split_last() {
        Some((shared, batch)) => (shared, Some(last), batch),
        None => (last, None, rest),
    };
    known::agree(ctx, "the dimension summed over", &[Some(shared_left), Some(shared_right)])?;
    let (rows, left) = match left.split_last() {
        Some((rows, batch)) => (Some(rows), batch),
        None => (None, left),
    };
    let mut dims = broadcast(ctx.op, left, right)?;
    dims.extend(rows.into_iter().chain(columns).cloned());
    Ok(dims)
}
