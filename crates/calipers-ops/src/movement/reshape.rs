//! The same elements under other dimensions.

use calipers_sym::Expr;

use super::given::{MAX_RANK, TOO_MANY, axes, data, dimension, list, mask, open};
use crate::context::{Fail, OpContext, Outcome};
use crate::fact::{Fact, TensorFact, product};

/// The same elements row by row: the input's, if they are known.
fn carried(from: &TensorFact, dims: Vec<Expr>) -> Outcome {
    let fact = TensorFact::new(from.dtype, dims);
    Ok(vec![match &from.value {
        Some(elements) => fact.with_value(elements.iter().cloned()).into(),
        None => fact.into(),
    }])
}

/// Reshape gives the elements the dimensions of its target:
/// <https://onnx.ai/onnx/operators/onnx__Reshape.html>.
pub(super) fn reshape(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let target = match list(ctx, "shape", 1) {
        None => return Err(Fail::contradiction("Reshape lacks its target")),
        Some(Err(reason)) => return Ok(vec![Fact::unranked(data.dtype, reason)]),
        Some(Ok(target)) => target,
    };
    let dims = resolve(ctx, &data, &target)?;
    if let (Some(count), Some(wanted)) = (data.constant_count(), constant_count(&dims))
        && count as u128 != wanted
    {
        return Err(Fail::contradiction(format!(
            "Reshape cannot put {count} elements into {wanted}"
        )));
    }
    carried(&data, dims)
}

fn constant_count(dims: &[Expr]) -> Option<u128> {
    dims.iter()
        .try_fold(1_u128, |count, dim| count.checked_mul(u128::try_from(dim.as_const()?).ok()?))
}

/// One entry of a target.
enum Entry {
    /// A size.
    Size(Expr),
    /// A size, or perhaps -1 for some sizes of the inputs.
    Doubtful(Expr),
    /// -1: what is left.
    Rest,
    /// It cannot be determined.
    Open,
}

fn entry(
    ctx: &OpContext<'_>,
    data: &TensorFact,
    place: usize,
    value: Option<&Expr>,
) -> Result<Entry, Fail> {
    let Some(value) = value else { return Ok(Entry::Open) };
    match value.as_const() {
        Some(-1) => Ok(Entry::Rest),
        Some(0) if ctx.int_or("allowzero", 0) == 0 => match data.dims() {
            Some(dims) => match dims.get(place) {
                Some(dim) => Ok(Entry::Size(dim.clone())),
                None => Err(Fail::contradiction(format!(
                    "Reshape keeps dimension {place} of {}",
                    dims.len()
                ))),
            },
            None => Ok(Entry::Open),
        },
        Some(size) if size < 0 => {
            Err(Fail::contradiction(format!("Reshape has {size} in its target")))
        }
        Some(_) => Ok(Entry::Size(value.clone())),
        None if value.is_at_least(0) => Ok(Entry::Size(value.clone())),
        None if value.upper_bound().is_some_and(|most| most < 0) => Ok(Entry::Rest),
        None => Ok(Entry::Doubtful(value.clone())),
    }
}

fn resolve(
    ctx: &mut OpContext<'_>,
    data: &TensorFact,
    target: &[Option<Expr>],
) -> Result<Vec<Expr>, Fail> {
    let mut entries = Vec::with_capacity(target.len());
    for (place, value) in target.iter().enumerate() {
        entries.push(entry(ctx, data, place, value.as_ref())?);
    }
    let is_hole = |entry: &&Entry| !matches!(entry, Entry::Size(_));
    let rests = entries.iter().filter(|entry| matches!(entry, Entry::Rest)).count();
    if rests > 1 {
        return Err(Fail::contradiction("Reshape has -1 twice in its target"));
    }
    if rests == 1 || entries.iter().filter(is_hole).count() > 1 {
        // One -1 is all there can be, so what is in doubt is a size.
        for entry in &mut entries {
            if let Entry::Doubtful(size) = entry {
                *entry = Entry::Size(size.clone());
            }
        }
    }
    // The only size that is not a number is what the others leave of a known number of elements.
    let is_symbolic = |entry: &Entry| matches!(entry, Entry::Size(size) if !size.is_const());
    if data.constant_count().is_some()
        && !entries.iter().any(|entry| is_hole(&entry))
        && entries.iter().filter(|entry| is_symbolic(entry)).count() == 1
    {
        for entry in &mut entries {
            if is_symbolic(entry) {
                *entry = Entry::Open;
            }
        }
    }
    // A single hole is what the rest leaves, whatever is there.
    let rest = if entries.iter().filter(is_hole).count() == 1 {
        let sizes = entries.iter().filter_map(|entry| match entry {
            Entry::Size(size) => Some(size),
            _ => None,
        });
        let others = sizes.fold(Expr::from(1), |product, size| product * size);
        match data.count() {
            Some(count) => divide(&count, &others)?,
            None => None,
        }
    } else {
        None
    };
    let why = "what Reshape's target says";
    let mut dims = Vec::with_capacity(entries.len());
    for entry in entries {
        dims.push(match (entry, &rest) {
            (Entry::Size(size), _) => dimension(ctx, size, why)?,
            (_, Some(rest)) => dimension(ctx, rest.clone(), why)?,
            (Entry::Doubtful(size), None) => size,
            (Entry::Rest | Entry::Open, None) => ctx.fresh(why),
        });
    }
    Ok(dims)
}

/// How many times the other dimensions go into the number of elements.
fn divide(count: &Expr, others: &Expr) -> Result<Option<Expr>, Fail> {
    if let (Some(count), Some(others)) = (count.as_const(), others.as_const()) {
        return match count.checked_rem(others) {
            Some(0) => Ok(Some(Expr::from(count / others))),
            Some(_) => Err(Fail::contradiction(format!(
                "Reshape cannot put {count} elements into rows of {others}"
            ))),
            None => Ok(None),
        };
    }
    // Where the model runs, nothing is left over, so the quotient rounded down is the quotient.
    let quotient = count.exact_div(others).unwrap_or_else(|| count.floor_div(others));
    Ok((!quotient.is_undefined()).then_some(quotient))
}

/// Flatten makes a matrix of what is before and after an axis:
/// <https://onnx.ai/onnx/operators/onnx__Flatten.html>.
pub(super) fn flatten(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let why = "the shape that Flatten is given";
    let Some(dims) = data.dims() else {
        return Ok(vec![open(ctx, data.dtype, 2, why).into()]);
    };
    // The axis may also be the number of dimensions.
    let axis = match ctx.int_or("axis", 1) {
        axis if usize::try_from(axis) == Ok(dims.len()) => dims.len(),
        axis if dims.is_empty() => ctx.axis(axis, 1).map(|_| 0)?,
        axis => ctx.axis(axis, dims.len())?,
    };
    let (rows, columns) = (product(&dims[..axis]), product(&dims[axis..]));
    let dims = vec![dimension(ctx, rows, why)?, dimension(ctx, columns, why)?];
    carried(&data, dims)
}

/// Squeeze drops dimensions of 1: <https://onnx.ai/onnx/operators/onnx__Squeeze.html>.
pub(super) fn squeeze(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let dims = match &data.shape {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::unranked(data.dtype, reason.clone())]),
    };
    let one = Expr::from(1);
    let may_be_one = |dim: &Expr| !dim.always_ne(&one);
    let kept = |drop: &dyn Fn(usize, &Expr) -> bool| -> Vec<Expr> {
        let kept = dims.iter().enumerate().filter(|(axis, dim)| !drop(*axis, dim));
        kept.map(|(_, dim)| dim.clone()).collect()
    };
    let entries = match list(ctx, "axes", 1) {
        Some(Err(reason)) => return Ok(vec![Fact::unranked(data.dtype, reason)]),
        Some(Ok(entries)) if entries.is_empty() && dims.iter().any(may_be_one) => {
            let reason = "an empty list of axes drops nothing in one runtime and every axis of size 1 in another";
            return Ok(vec![Fact::unranked(data.dtype, reason)]);
        }
        Some(Ok(entries)) => entries,
        // Without axes every dimension of 1 goes.
        None => {
            return match dims.iter().find(|dim| may_be_one(dim) && **dim != one) {
                None => carried(&data, kept(&|_, dim| *dim == one)),
                Some(dim) => {
                    let reason = format!("Squeeze drops {dim} where it is 1");
                    Ok(vec![Fact::unranked(data.dtype, reason)])
                }
            };
        }
    };
    if let Some(axes) = axes(ctx, &entries, dims.len())? {
        if let Some(axis) = axes.iter().find(|axis| !may_be_one(&dims[**axis])) {
            let dim = &dims[*axis];
            return Err(Fail::contradiction(format!("Squeeze drops axis {axis}, and it is {dim}")));
        }
        let dropped = mask(&axes, dims.len());
        return carried(&data, kept(&|axis, _| dropped[axis]));
    }
    // Only the number of axes is known, which may say enough.
    let candidates = dims.iter().filter(|dim| may_be_one(dim)).count();
    match dims.len().checked_sub(entries.len()) {
        Some(_) if candidates == entries.len() => carried(&data, kept(&|_, dim| may_be_one(dim))),
        Some(rank) if candidates > entries.len() => {
            Ok(vec![open(ctx, data.dtype, rank, "the axes that Squeeze drops").into()])
        }
        _ => Err(Fail::contradiction(format!(
            "Squeeze drops {} dimensions of 1, and there are {candidates}",
            entries.len()
        ))),
    }
}

/// Unsqueeze puts dimensions of 1 in: <https://onnx.ai/onnx/operators/onnx__Unsqueeze.html>.
pub(super) fn unsqueeze(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let entries = match list(ctx, "axes", 1) {
        None => return Err(Fail::contradiction("Unsqueeze lacks its axes")),
        Some(Err(reason)) => return Ok(vec![Fact::unranked(data.dtype, reason)]),
        Some(Ok(entries)) => entries,
    };
    let dims = match &data.shape {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::unranked(data.dtype, reason.clone())]),
    };
    let rank = dims.len() + entries.len();
    if rank > MAX_RANK {
        return Ok(vec![Fact::unranked(data.dtype, TOO_MANY)]);
    }
    let one = Expr::from(1);
    if let Some(axes) = axes(ctx, &entries, rank)? {
        let mut old = dims.iter();
        let dims = mask(&axes, rank)
            .into_iter()
            .filter_map(|new| if new { Some(one.clone()) } else { old.next().cloned() });
        return carried(&data, dims.collect());
    }
    if dims.iter().all(|dim| *dim == one) {
        return carried(&data, vec![one; rank]);
    }
    Ok(vec![open(ctx, data.dtype, rank, "the axes that Unsqueeze puts in").into()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Attr;
    use crate::movement::testing::{hidden, list, outcome, reported, tensor};

    fn reshaped(from: &str, target: &str) -> String {
        reported(reshape, &[tensor(from), list(target)], &[])
    }

    #[test]
    fn targets_keep_dimensions_and_take_the_rest() {
        assert_eq!(reshaped("2, 3, 4", "0, -1"), "float32[2, 12]");
        assert_eq!(reshaped("b, s, 768", "0, 0, 12, 64"), "float32[b, s, 12, 64]");
        assert_eq!(reshaped("b, s, 768", "b, -1, 12, 64"), "float32[b, s, 12, 64]");
        assert_eq!(reshaped("b, s, 768", "-1, 768"), "float32[b*s, 768]");
        assert_eq!(reshaped("b, s, 6", "-1, 7"), "float32[floor(6*b*s/7), 7]");
        assert_eq!(reshaped("b, s", "-1"), "float32[b*s]");
    }

    #[test]
    fn a_single_hole_is_what_is_left() {
        assert_eq!(reshaped("b, s, 768", "b, s, ?"), "float32[b, s, 768]");
        assert_eq!(reshaped("b, s, 768", "b, ?, ?"), "float32[b, fresh1, fresh2]");
        // The difference may be -1, and is 768 in either case.
        assert_eq!(reshaped("b, s, 768", "b, s, t - u"), "float32[b, s, 768]");
        // So is a size that a caller gives, where the number of elements is known.
        assert_eq!(reshaped("2, 3, 4", "k, 6"), "float32[4, 6]");
        assert_eq!(reshaped("2, 3, 4", "k, m"), "float32[k, m]");
        assert_eq!(reshaped("b, 3", "k, 6"), "float32[k, 6]");
        assert_eq!(reported(reshape, &[tensor("b, 3"), hidden(1)], &[]), "float32[3*b]");
        assert_eq!(reported(reshape, &[tensor("b, 3"), hidden(2)], &[]), "float32[fresh1, fresh2]");
    }

    #[test]
    fn targets_that_cannot_be_met() {
        assert!(reshaped("2, 3", "4, -1").starts_with("contradiction"));
        assert!(reshaped("2, 3", "5").starts_with("contradiction"));
        assert!(reshaped("2, 3", "-1, -1").starts_with("contradiction"));
        assert!(reshaped("2, 3", "1, 1, 0").starts_with("contradiction"));
    }

    #[test]
    fn zeros_may_be_zeros() {
        let zero = [tensor("0, 3, 4"), list("3, 4, 0")];
        assert_eq!(reported(reshape, &zero, &[("allowzero", Attr::Int(1))]), "float32[3, 4, 0]");
        let old = outcome(reshape, 1, 1, &[tensor("2, 3")], &[("shape", Attr::Ints(&[3, -1]))]);
        assert_eq!(old.unwrap()[0].to_string(), "float32[3, 2]");
    }

    #[test]
    fn squeezing_without_axes_asks_for_sizes() {
        let squeezed =
            |dims: &str, axes: Option<Fact>| reported(squeeze, &[tensor(dims), axes], &[]);
        assert_eq!(squeezed("1, 3, 1", None), "float32[3]");
        assert_eq!(squeezed("1, b, 3", None), "float32[…]");
        assert_eq!(squeezed("1, b, 3", list("0")), "float32[b, 3]");
        assert_eq!(squeezed("1, b, 3", list("-2")), "float32[1, 3]");
        assert!(squeezed("1, b, 3", list("2")).starts_with("contradiction"));
        // Only one dimension can be meant.
        assert_eq!(squeezed("1, 2, 3", hidden(1)), "float32[2, 3]");
        assert_eq!(squeezed("1, 1, 3", hidden(1)), "float32[fresh1, fresh2]");
    }

    #[test]
    fn unsqueezing_counts_in_the_output() {
        let put = |dims: &str, axes: &str| reported(unsqueeze, &[tensor(dims), list(axes)], &[]);
        assert_eq!(put("a, b", "0, -1"), "float32[1, a, b, 1]");
        assert_eq!(put("a, b", "-2"), "float32[a, 1, b]");
        assert!(put("a, b", "1, 1").starts_with("contradiction"));
        assert_eq!(reported(unsqueeze, &[tensor(""), hidden(2)], &[]), "float32[1, 1]");
    }

    #[test]
    fn flattening_at_either_end() {
        let at = |axis| reported(flatten, &[tensor("a, b, 3")], axis);
        assert_eq!(at(&[]), "float32[a, 3*b]");
        assert_eq!(at(&[("axis", Attr::Int(0))]), "float32[1, 3*a*b]");
        assert_eq!(at(&[("axis", Attr::Int(3))]), "float32[3*a*b, 1]");
        assert_eq!(at(&[("axis", Attr::Int(-1))]), "float32[a*b, 3]");
    }
}
