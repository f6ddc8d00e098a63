//! What is known of a call's inputs, part by part, so that a rule gives every dimension it can.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Attr, Fail, OpContext};
use crate::fact::Fact;

/// Dimensions of an input that must be given; `None` when not even their number is known.
pub(crate) fn dims<'a>(ctx: &OpContext<'a>, index: usize) -> Result<Option<&'a [Expr]>, Fail> {
    match ctx.dims(index) {
        Ok(dims) => Ok(Some(dims)),
        Err(Fail::Unknown(_)) => Ok(None),
        Err(fail) => Err(fail),
    }
}

/// Dimensions of an input that may be left out; `None` also when it is.
pub(crate) fn optional_dims<'a>(
    ctx: &OpContext<'a>,
    index: usize,
) -> Result<Option<&'a [Expr]>, Fail> {
    if ctx.has(index) { dims(ctx, index) } else { Ok(None) }
}

/// Dimensions of an input that may be left out and otherwise must have this many.
pub(crate) fn ranked<'a>(
    ctx: &OpContext<'a>,
    index: usize,
    rank: usize,
) -> Result<Option<&'a [Expr]>, Fail> {
    match optional_dims(ctx, index)? {
        Some(_) => ctx.dims_of_rank(index, rank).map(Some),
        None => Ok(None),
    }
}

/// The element type that several inputs share: that of the first input whose type is known.
pub(crate) fn dtype(ctx: &OpContext<'_>, inputs: &[usize]) -> DType {
    let known = inputs.iter().map(|index| ctx.dtype(*index));
    known.into_iter().find(|dtype| *dtype != DType::Undefined).unwrap_or(DType::Undefined)
}

/// A fact with a type alone, for the reason that an input's dimensions are not known.
pub(crate) fn unranked(ctx: &OpContext<'_>, index: usize, dtype: DType) -> Fact {
    match ctx.dims(index) {
        Err(Fail::Unknown(reason) | Fail::Contradiction(reason)) => Fact::unranked(dtype, reason),
        Ok(_) => Fact::unranked(dtype, "its number of dimensions is not known"),
    }
}

/// The dimension, or a new one where it is not known or beyond what a dimension can be.
pub(crate) fn or_fresh(ctx: &mut OpContext<'_>, known: Option<Expr>, why: &str) -> Expr {
    match known {
        Some(dim) if dim.as_const().is_some() => dim,
        Some(dim) if !dim.is_undefined() && !dim.is_const() => dim,
        _ => ctx.fresh(why),
    }
}

/// One size that several inputs must share, as far as it is known: a number before an expression.
pub(crate) fn agree(
    ctx: &OpContext<'_>,
    what: &str,
    sizes: &[Option<&Expr>],
) -> Result<Option<Expr>, Fail> {
    let mut best: Option<&Expr> = None;
    for size in sizes.iter().flatten() {
        match best {
            Some(known) if known.always_ne(size) => {
                return Err(Fail::contradiction(format!(
                    "{} has {known} and {size} for {what}",
                    ctx.op
                )));
            }
            Some(known) if known.as_const().is_some() || size.as_const().is_none() => {}
            _ => best = Some(size),
        }
    }
    Ok(best.cloned())
}

/// A list of integers, `None` where it is left out or empty.
pub(crate) fn list<'a>(ctx: &OpContext<'a>, name: &str) -> Result<Option<&'a [i64]>, Fail> {
    match ctx.attribute(name) {
        None => Ok(None),
        Some(Attr::Ints(values)) => Ok((!values.is_empty()).then_some(values)),
        Some(_) => Err(Fail::unknown(format!("{} has {name} that cannot be read", ctx.op))),
    }
}

/// A list of this many integers, or that many of `default`.
pub(crate) fn list_of(
    ctx: &OpContext<'_>,
    name: &str,
    count: usize,
    default: i64,
) -> Result<Vec<i64>, Fail> {
    match list(ctx, name)? {
        None => Ok(vec![default; count]),
        Some(values) if values.len() == count => Ok(values.to_vec()),
        Some(values) => Err(Fail::contradiction(format!(
            "{} has {} numbers for {name}, where {count} are needed",
            ctx.op,
            values.len()
        ))),
    }
}

/// The product of two dimensions, or a new one where it is beyond counting.
pub(crate) fn times(ctx: &mut OpContext<'_>, one: &Expr, other: &Expr) -> Expr {
    or_fresh(ctx, Some(one * other), "a product too large")
}
