//! Saying as much as is known: the type where the shape is open, the rank where dimensions are.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::fact::{Fact, Reason, TensorFact};

/// A tensor of this type with these dimensions, or with the reason why they are not known.
pub(crate) fn shaped(dtype: DType, dims: Result<Vec<Expr>, Fail>) -> Result<Fact, Fail> {
    match dims {
        Ok(dims) => match dims.iter().find(|dim| is_negative(dim)) {
            Some(dim) => Err(Fail::contradiction(format!("it would give a dimension of {dim}"))),
            None => Ok(Fact::tensor(dtype, dims)),
        },
        Err(Fail::Unknown(reason)) => Ok(Fact::unranked(dtype, reason)),
        Err(contradiction) => Err(contradiction),
    }
}

fn is_negative(dim: &Expr) -> bool {
    dim.as_const().is_some_and(|size| size < 0)
}

/// The only output: [`shaped`].
pub(crate) fn only(dtype: DType, dims: Result<Vec<Expr>, Fail>) -> Outcome {
    Ok(vec![shaped(dtype, dims)?])
}

/// A tensor shaped as an input, of this type.
pub(crate) fn like(ctx: &OpContext<'_>, index: usize, dtype: DType) -> Result<Fact, Fail> {
    match ctx.tensor(index) {
        Ok(tensor) => Ok(TensorFact { dtype, shape: tensor.shape.clone(), value: None }.into()),
        Err(Fail::Unknown(reason)) => Ok(Fact::unranked(dtype, reason)),
        Err(contradiction) => Err(contradiction),
    }
}

/// The type of the first of these inputs whose type is known.
pub(crate) fn first_dtype(ctx: &OpContext<'_>, inputs: &[usize]) -> DType {
    let types = inputs.iter().map(|index| ctx.dtype(*index));
    types.into_iter().find(|dtype| *dtype != DType::Undefined).unwrap_or(DType::Undefined)
}

/// Dimensions of an input that must be given and have this many; new ones where they are not known.
pub(crate) fn ranked(
    ctx: &mut OpContext<'_>,
    index: usize,
    rank: usize,
    why: &str,
) -> Result<Vec<Expr>, Fail> {
    match ctx.dims_of_rank(index, rank) {
        Ok(dims) => Ok(dims.to_vec()),
        Err(Fail::Unknown(_)) => Ok(ctx.fresh_dims(rank, why)),
        Err(contradiction) => Err(contradiction),
    }
}

/// Dimensions of an input that may be left out or not be known, and must have one of these ranks.
pub(crate) fn optional_dims<'a>(
    ctx: &OpContext<'a>,
    index: usize,
    ranks: &[usize],
) -> Result<Option<&'a [Expr]>, Fail> {
    let Some(dims) = ctx.optional_tensor(index).and_then(TensorFact::dims) else {
        return Ok(None);
    };
    if ranks.contains(&dims.len()) {
        return Ok(Some(dims));
    }
    Err(Fail::contradiction(format!(
        "input {index} of {} has {} dimensions, which is none of {ranks:?}",
        ctx.op,
        dims.len()
    )))
}

/// One dimension of an input, when it is known.
pub(crate) fn dim(ctx: &OpContext<'_>, index: usize, axis: usize) -> Option<Expr> {
    ctx.optional_tensor(index)?.dims()?.get(axis).cloned()
}

/// The only element of an input, when it can be a size, perhaps symbolic.
pub(crate) fn length(ctx: &OpContext<'_>, index: usize) -> Option<Expr> {
    match ctx.value(index)? {
        [element] => element.as_expr().filter(|size| !is_negative(size)).cloned(),
        _ => None,
    }
}

/// An attribute that must be a number above zero.
pub(crate) fn positive(ctx: &OpContext<'_>, name: &str) -> Result<i64, Fail> {
    match ctx.int(name) {
        Some(value) if value > 0 => Ok(value),
        Some(value) => Err(Fail::contradiction(format!("{} has {name:?} of {value}", ctx.op))),
        None => Err(Fail::contradiction(format!("{} lacks the attribute {name:?}", ctx.op))),
    }
}

/// A list of integers with one for each of this many axes; all `default` when it is left out.
pub(crate) fn list(
    ctx: &OpContext<'_>,
    name: &str,
    count: usize,
    default: i64,
) -> Result<Vec<i64>, Fail> {
    match ctx.attribute(name) {
        None => Ok(vec![default; count]),
        Some(Attr::Ints([])) => Ok(vec![default; count]),
        Some(Attr::Ints(values)) if values.len() == count => Ok(values.to_vec()),
        Some(_) => Err(Fail::contradiction(format!(
            "{} has {name:?} for another number of axes than {count}",
            ctx.op
        ))),
    }
}

/// The quotient, whole where the model can run at all.
pub(crate) fn share(of: &Expr, parts: i64) -> Expr {
    let parts = Expr::from(parts);
    of.exact_div(&parts).unwrap_or_else(|| of.floor_div(&parts))
}

/// Something not known, in the words of [`Fail`].
pub(crate) fn unknown<T>(reason: impl Into<Reason>) -> Result<T, Fail> {
    Err(Fail::unknown(reason))
}
