//! Products of matrices.

use calipers_sym::Expr;

use crate::call::{Call, Fail, Outcome, broadcast};
use crate::fact::Fact;
use crate::known;

/// `A * B + C` of two matrices, each perhaps transposed:
/// <https://onnx.ai/onnx/operators/onnx__Gemm.html>.
pub(super) fn gemm(call: &mut Call<'_>) -> Outcome {
    let dtype = known::dtype(call, &[0, 1, 2]);
    call.input(0)?;
    call.input(1)?;
    let left = known::ranked(call, 0, 2)?;
    let right = known::ranked(call, 1, 2)?;
    // Whether a matrix stands with its rows first.
    let (rows, shared_left) = if call.int_or("transA", 0) == 0 { (0, 1) } else { (1, 0) };
    let (shared_right, columns) = if call.int_or("transB", 0) == 0 { (0, 1) } else { (1, 0) };
    let of = |dims: Option<&'_ [Expr]>, axis: usize| dims.map(|dims| dims[axis].clone());
    let (rows, columns) = (of(left, rows), of(right, columns));
    let (one, other) = (of(left, shared_left), of(right, shared_right));
    known::agree(call, "the dimension summed over", &[one.as_ref(), other.as_ref()])?;
    if let (Some(rows), Some(columns)) = (&rows, &columns)
        && let Some(bias) = known::optional_dims(call, 2)?
    {
        check_bias(call, [rows, columns], bias)?;
    }
    let rows = known::or_fresh(call, rows, "the rows multiplied");
    let columns = known::or_fresh(call, columns, "the columns multiplied by");
    Ok(vec![Fact::tensor(dtype, [rows, columns])])
}

/// What is added must broadcast to the product. Before version 7 the attribute `broadcast` said
/// whether it may, and which of its dimensions meet was left to `axis`.
fn check_bias(call: &Call<'_>, product: [&Expr; 2], bias: &[Expr]) -> Result<(), Fail> {
    if call.version < 7 {
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
        call.op
    )))
}

/// The product of matrices, batch by batch; a vector is a matrix of one row or column, which the
/// output leaves out: <https://onnx.ai/onnx/operators/onnx__MatMul.html>.
pub(super) fn matmul(call: &mut Call<'_>) -> Outcome {
    let dtype = known::dtype(call, &[0, 1]);
    let (Some(left), Some(right)) = (known::dims(call, 0)?, known::dims(call, 1)?) else {
        let missing = usize::from(known::dims(call, 0)?.is_some());
        return Ok(vec![known::unranked(call, missing, dtype)]);
    };
    product(call, left, right).map(|dims| vec![Fact::tensor(dtype, dims)])
}

/// Shape of the product of two stacks of matrices.
pub(crate) fn product(call: &Call<'_>, left: &[Expr], right: &[Expr]) -> Result<Vec<Expr>, Fail> {
    let (Some((shared_left, left)), Some((last, rest))) = (left.split_last(), right.split_last())
    else {
        return Err(Fail::contradiction(format!("{} multiplies a scalar", call.op)));
    };
    // A vector on the right has no columns.
    let (shared_right, columns, right) = match rest.split_last() {
        Some((shared, batch)) => (shared, Some(last), batch),
        None => (last, None, rest),
    };
    known::agree(call, "the dimension summed over", &[Some(shared_left), Some(shared_right)])?;
    let (rows, left) = match left.split_last() {
        Some((rows, batch)) => (Some(rows), batch),
        None => (None, left),
    };
    let mut dims = broadcast(call.op, left, right)?;
    dims.extend(rows.into_iter().chain(columns).cloned());
    Ok(dims)
}
