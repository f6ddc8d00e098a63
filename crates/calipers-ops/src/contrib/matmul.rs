//! Products of matrices: fused, transposed, with weights packed into few bits.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::inputs::{dim, like, only, positive, shaped};
use crate::context::{Fail, OpContext, Outcome};
use crate::contraction::product;
use crate::fact::Fact;

/// The product of two inputs.
pub(crate) fn product_of(
    ctx: &OpContext<'_>,
    left: usize,
    right: usize,
) -> Result<Vec<Expr>, Fail> {
    product(ctx, ctx.dims(left)?, ctx.dims(right)?)
}

/// An operand of `FusedMatMul` as it is multiplied: the first dimension moved behind the batch,
/// then the last two swapped.
fn transposed(dims: &[Expr], batch: bool, matrix: bool) -> Vec<Expr> {
    let mut dims = dims.to_vec();
    let rank = dims.len();
    if batch && rank > 2 {
        dims[..rank - 1].rotate_left(1);
    }
    if matrix && rank > 1 {
        dims.swap(rank - 2, rank - 1);
    }
    dims
}

/// `FusedMatMul`, `FusedMatMulActivation`, `TransposeMatMul`, `SparseToDenseMatMul`: a product of
/// operands that are transposed on the way.
pub(crate) fn fused_matmul(ctx: &mut OpContext<'_>) -> Outcome {
    let flag = |name| ctx.int_or(name, 0) != 0;
    let dims = |ctx: &OpContext<'_>| {
        let left = transposed(ctx.dims(0)?, flag("transBatchA"), flag("transA"));
        let right = transposed(ctx.dims(1)?, flag("transBatchB"), flag("transB"));
        product(ctx, &left, &right)
    };
    only(ctx.dtype(1), dims(ctx))
}

/// Dimensions of `Gemm` of two inputs: <https://onnx.ai/onnx/operators/onnx__Gemm.html>.
pub(crate) fn gemm_dims(
    ctx: &mut OpContext<'_>,
    left: usize,
    right: usize,
) -> Result<Vec<Expr>, Fail> {
    let mut side = |index: usize, name: &str, column: usize| {
        let flip = usize::from(ctx.int_or(name, 0) != 0);
        match ctx.dims_of_rank(index, 2) {
            Ok(dims) => Ok((Some(&dims[1 - (column ^ flip)]), dims[column ^ flip].clone())),
            Err(Fail::Unknown(_)) => Ok((None, ctx.fresh("an operand of the product"))),
            Err(contradiction) => Err(contradiction),
        }
    };
    let (inner_left, rows) = side(left, "transA", 0)?;
    let (inner_right, columns) = side(right, "transB", 1)?;
    if let (Some(left), Some(right)) = (inner_left, inner_right)
        && left.always_ne(right)
    {
        return Err(Fail::contradiction(format!("{} sums over {left} and {right}", ctx.op)));
    }
    Ok(vec![rows, columns])
}

/// `FusedGemm`.
pub(crate) fn fused_gemm(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = gemm_dims(ctx, 0, 1);
    only(ctx.dtype(0), dims)
}

/// `GemmFloat8`: its type is an attribute.
pub(crate) fn gemm_float8(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = gemm_dims(ctx, 0, 1);
    only(ctx.dtype_attribute("dtype").unwrap_or(DType::Float32), dims)
}

/// `GemmFastGelu`: a product with a bias and a activation.
pub(crate) fn matmul(ctx: &mut OpContext<'_>) -> Outcome {
    only(ctx.dtype(0), product_of(ctx, 0, 1))
}

/// The dimensions of an input, with another last one.
pub(crate) fn with_last(ctx: &OpContext<'_>, index: usize, last: Expr) -> Result<Vec<Expr>, Fail> {
    let mut dims = ctx.dims(index)?.to_vec();
    match dims.last_mut() {
        Some(place) => *place = last,
        None => return Err(Fail::contradiction(format!("{} cannot multiply a scalar", ctx.op))),
    }
    Ok(dims)
}

/// The input's last dimension must be what the weights sum over.
fn sums_over(ctx: &OpContext<'_>, columns: i64) -> Result<(), Fail> {
    match ctx.dims(0).ok().and_then(<[Expr]>::last).and_then(Expr::as_const) {
        Some(given) if given != columns => Err(Fail::contradiction(format!(
            "{} sums over {columns}, and its input has {given}",
            ctx.op
        ))),
        _ => Ok(()),
    }
}

/// `MatMulNBits`: <https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md>.
/// The weights are packed; their size is in the attributes.
pub(crate) fn matmul_nbits(ctx: &mut OpContext<'_>) -> Outcome {
    sums_over(ctx, positive(ctx, "K")?)?;
    let rows = positive(ctx, "N")?;
    only(ctx.dtype(0), with_last(ctx, 0, rows.into()))
}

/// `MatMulBnb4`: as `MatMulNBits`, and the weights may be the other way round.
pub(crate) fn matmul_bnb4(ctx: &mut OpContext<'_>) -> Outcome {
    let (rows, columns) = (positive(ctx, "N")?, positive(ctx, "K")?);
    let (output, inner) =
        if ctx.int_or("transB", 1) != 0 { (rows, columns) } else { (columns, rows) };
    sums_over(ctx, inner)?;
    only(ctx.dtype(0), with_last(ctx, 0, output.into()))
}

/// `MatMulFpQ4`: the size of the packed weights is an input.
pub(crate) fn matmul_fpq4(ctx: &mut OpContext<'_>) -> Outcome {
    let columns = match ctx.exprs(2).as_deref() {
        Some([_, Some(columns)]) => (*columns).clone(),
        _ => ctx.fresh("the size of the packed weights"),
    };
    only(ctx.dtype(0), with_last(ctx, 0, columns))
}

/// `MatMulBlockQuantizedFp4Weight`, `MatMulBlockQuantizedFp8Weight`: a row of weights for each
/// feature of the output.
pub(crate) fn matmul_rows(ctx: &mut OpContext<'_>) -> Outcome {
    let rows = dim(ctx, 1, 0).unwrap_or_else(|| ctx.fresh("the rows of the weights"));
    only(ctx.dtype(0), with_last(ctx, 0, rows))
}

/// `MatMulNBitsMlp`: two packed products, one gating the other; perhaps the sum with a skip.
pub(crate) fn matmul_nbits_mlp(ctx: &mut OpContext<'_>) -> Outcome {
    let rows = positive(ctx, "N")?;
    let dtype = ctx.dtype(0);
    Ok(vec![shaped(dtype, with_last(ctx, 0, rows.into()))?, like(ctx, 0, dtype)?])
}

/// `MatMulNBitsQkv`: three packed products of one input; perhaps the sum with a skip.
pub(crate) fn matmul_nbits_qkv(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let rows = [positive(ctx, "Nq")?, positive(ctx, "Nkv")?, positive(ctx, "Nkv")?];
    let mut outputs = rows
        .into_iter()
        .map(|rows| shaped(dtype, with_last(ctx, 0, rows.into())))
        .collect::<Result<Vec<Fact>, Fail>>()?;
    outputs.push(like(ctx, 0, dtype)?);
    Ok(outputs)
}

/// `CDist`: a distance between each two rows.
pub(crate) fn cdist(ctx: &mut OpContext<'_>) -> Outcome {
    let mut rows = |index| match ctx.dims_of_rank(index, 2) {
        Ok(dims) => Ok(dims[0].clone()),
        Err(Fail::Unknown(_)) => Ok(ctx.fresh("the number of rows")),
        Err(contradiction) => Err(contradiction),
    };
    let dims = vec![rows(0)?, rows(1)?];
    only(ctx.dtype(0), Ok(dims))
}
