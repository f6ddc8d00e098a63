//! Attention of sequences, with and without projections.

use calipers_sym::Expr;

use super::stored;
use crate::context::{Fail, OpContext, Outcome};
use crate::contrib::inputs::first_dtype;
use crate::cost::{self, Work};
use crate::fact::{Fact, product};

/// All dimensions but the last: how many vectors there are.
fn vectors(dims: &[Expr]) -> Expr {
    product(dims.get(..dims.len().saturating_sub(1)).unwrap_or_default())
}

/// The last two dimensions, and all before.
fn split<'a>(ctx: &OpContext<'a>, input: usize) -> Result<(&'a [Expr], [&'a Expr; 2]), Fail> {
    match ctx.dims(input)? {
        [before @ .., length, width] => Ok((before, [length, width])),
        _ => Err(Fail::contradiction(format!("{} has no sequence", ctx.op))),
    }
}

/// `Attention`, `AdditiveAttention`: as many vectors as queries, as wide as the values; perhaps the
/// scores too.
pub(super) fn scored(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = first_dtype(ctx, &[0, 1]);
    let (before, [queries, _]) = split(ctx, 0)?;
    let (_, [keys, width]) = split(ctx, 1)?;
    let of = |last: &Expr| before.iter().chain([queries, last]).cloned().collect::<Vec<_>>();
    let mut outputs = vec![Fact::tensor(dtype, of(width))];
    if ctx.int_or("scores", 0) != 0 {
        outputs.push(Fact::tensor(dtype, of(keys)));
    }
    Ok(outputs)
}

/// Scores by products: one for each element of a query, and for each of a value.
pub(super) fn dot_cost(ctx: &OpContext<'_>, _: &[Fact]) -> Result<Work, Fail> {
    let query = ctx.dims(0)?;
    let (_, [keys, width]) = split(ctx, 1)?;
    let scores = vectors(query) * keys;
    let depth = query.last().cloned().unwrap_or(Expr::ZERO);
    Ok(Work { macs: &scores * (depth + width), other_flops: scores * 6 })
}

/// Scores by sums: a sum, an activation and a scale for each element, and a sum over them.
pub(super) fn additive_cost(ctx: &OpContext<'_>, _: &[Fact]) -> Result<Work, Fail> {
    let query = ctx.dims(0)?;
    let (_, [keys, width]) = split(ctx, 1)?;
    let scores = vectors(query) * keys;
    let depth = query.last().cloned().unwrap_or(Expr::ZERO);
    let other_flops = &scores * depth * 4 + &scores * 5;
    Ok(Work { macs: scores * width, other_flops })
}

/// The kernel of a projection: `[width, heads, size]`.
fn projection<'a>(ctx: &OpContext<'a>, input: usize) -> Result<[&'a Expr; 3], Fail> {
    let dims = ctx.dims_of_rank(input, 3)?;
    Ok([&dims[0], &dims[1], &dims[2]])
}

/// `MultiHeadAttention`: as many vectors as queries, projected at last.
pub(super) fn projected(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = first_dtype(ctx, &[0, 1]);
    let query = ctx.dims(0)?;
    let [width, heads, _] = projection(ctx, 3)?;
    if let Some(given) = query.last()
        && given.always_ne(width)
    {
        return Err(Fail::contradiction(format!(
            "{} projects {width} features, and has {given}",
            ctx.op
        )));
    }
    let Some(last) = ctx.dims(6)?.last() else {
        return Err(Fail::contradiction(format!("{} projects to nothing", ctx.op)));
    };
    let (before, [queries, _]) = split(ctx, 0)?;
    let dims = before.iter().chain([queries, last]).cloned();
    let mut outputs = vec![Fact::tensor(dtype, dims)];
    if ctx.outputs > 1
        && let [batch] = before
    {
        let (_, [keys, _]) = split(ctx, 1)?;
        outputs.push(Fact::tensor(dtype, [batch, heads, queries, keys].map(Clone::clone)));
    }
    Ok(outputs)
}

/// Four projections, and every query with every key.
pub(super) fn projected_cost(ctx: &OpContext<'_>, _: &[Fact]) -> Result<Work, Fail> {
    let queries = vectors(ctx.dims(0)?);
    let value = ctx.dims(1)?;
    let values = vectors(value);
    let keys = if ctx.has(2) { vectors(ctx.dims(2)?) } else { values.clone() };
    let (_, [length, _]) = split(ctx, 1)?;
    let [_, heads, depth] = projection(ctx, 3)?;
    let [_, _, width] = projection(ctx, 5)?;
    let scores = &queries * heads * length;
    let projections = &queries * (stored(ctx, 3)? + stored(ctx, 6)?)
        + keys * stored(ctx, 4)?
        + values * stored(ctx, 5)?;
    let masks = cost::given(ctx, &[11]);
    let macs = projections + &scores * (depth + width);
    Ok(Work { macs, other_flops: scores * (6 + masks) })
}
