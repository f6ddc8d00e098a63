//! Elements chosen by what they are: NonZero, Compress, TopK, OneHot.

use std::cmp::Ordering;

use calipers_ir::DType;
use calipers_sym::Expr;

use super::given::{MAX_RANK, TOO_MANY, data, dimension, is_true, open, size};
use super::place::{Source, filled, index, places};
use crate::context::{Fail, OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};

/// A place as an element.
fn position(at: usize) -> Elem {
    super::given::element(size(at))
}

/// NonZero gives the places of elements that are not zero:
/// <https://onnx.ai/onnx/operators/onnx__NonZero.html>.
pub(super) fn non_zero(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let why = "how many elements are not zero";
    let Some(rank) = data.rank() else {
        return Ok(vec![open(ctx, DType::Int64, 2, why).into()]);
    };
    // Of a single number the standard gives no rows, and runtimes one.
    let rows = if rank == 0 { ctx.fresh("how a single number is taken") } else { size(rank) };
    let empty = data.constant_count() == Some(0);
    let truths: Option<Vec<bool>> =
        data.value.as_ref().and_then(|value| value.iter().map(is_true).collect());
    let (Some(dims), Some(truths)) = (data.constant_dims(), truths) else {
        let count = if empty { Expr::from(0) } else { ctx.fresh(why) };
        return Ok(vec![Fact::tensor(DType::Int64, [rows, count])]);
    };
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut truths = truths.into_iter();
    places(&dims, |place| {
        if truths.next() == Some(true) {
            found.push(place.to_vec());
        }
    });
    let fact = TensorFact::new(DType::Int64, [rows, size(found.len())]);
    Ok(vec![filled(fact, |place| position(found[place[1]][place[0]])).into()])
}

/// Compress keeps slices where a condition is true:
/// <https://onnx.ai/onnx/operators/onnx__Compress.html>.
pub(super) fn compress(ctx: &mut OpContext<'_>) -> Outcome {
    let (data, condition) = (data(ctx, 0)?, data(ctx, 1)?);
    let why = "how many conditions are true";
    let truths: Option<Vec<bool>> =
        condition.value.as_ref().and_then(|value| value.iter().map(is_true).collect());
    let kept: Option<Vec<usize>> = truths.map(|truths| {
        truths.iter().enumerate().filter(|(_, kept)| **kept).map(|(at, _)| at).collect()
    });
    let none = condition.constant_count() == Some(0);
    let kept = if none { Some(Vec::new()) } else { kept };
    let count = match &kept {
        Some(kept) => size(kept.len()),
        None => ctx.fresh(why),
    };
    let Some(axis) = ctx.int("axis") else {
        let fact = TensorFact::new(data.dtype, [count]);
        let (Some(kept), Some(value)) = (kept, &data.value) else { return Ok(vec![fact.into()]) };
        let elements = kept.iter().map(|at| value.get(*at).cloned().unwrap_or(Elem::Unknown));
        return Ok(vec![fact.with_value(elements).into()]);
    };
    let mut dims = match &data.shape {
        Ok(dims) => dims.to_vec(),
        Err(reason) => return Ok(vec![Fact::unranked(data.dtype, reason.clone())]),
    };
    let axis = ctx.axis(axis, dims.len())?;
    dims[axis] = count;
    let fact = TensorFact::new(data.dtype, dims);
    let (Some(kept), Some(source)) = (kept, Source::new(&data)) else {
        return Ok(vec![fact.into()]);
    };
    let fact = filled(fact, |place| {
        let mut from = place.to_vec();
        from[axis] = kept[place[axis]];
        source.at(&from)
    });
    Ok(vec![fact.into()])
}

/// TopK gives the largest or smallest elements along an axis and where they were:
/// <https://onnx.ai/onnx/operators/onnx__TopK.html>.
pub(super) fn top_k(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let dims = match &data.shape {
        Ok(dims) => dims.to_vec(),
        Err(reason) => {
            let reason = reason.clone();
            let values = Fact::unranked(data.dtype, reason.clone());
            return Ok(vec![values, Fact::unranked(DType::Int64, reason)]);
        }
    };
    let axis = ctx.axis(ctx.int_or("axis", -1), dims.len())?;
    let count = match (ctx.has(1), ctx.exprs(1).as_deref()) {
        (true, Some([Some(count)])) => Some((*count).clone()),
        (true, _) => None,
        (false, _) => ctx.int("k").map(Expr::from),
    };
    let why = "how many TopK is asked for";
    let count = match count {
        Some(count) => dimension(ctx, count, why)?,
        None => ctx.fresh(why),
    };
    if let (Some(count), Some(dim)) = (count.as_const(), dims[axis].as_const())
        && count > dim
    {
        return Err(Fail::contradiction(format!("TopK takes {count} of {dim}")));
    }
    let mut out = dims;
    out[axis] = count;
    let values = TensorFact::new(data.dtype, out.clone());
    let indices = TensorFact::new(DType::Int64, out);
    let sorted = ctx.int_or("sorted", 1) != 0;
    let Some(source) = Source::new(&data).filter(|_| sorted) else {
        return Ok(vec![values.into(), indices.into()]);
    };
    let order = ranked(&source, axis, ctx.int_or("largest", 1) != 0);
    let rank_of = |place: &[usize]| order[source.offset(place)?];
    let indices = filled(indices, |place| rank_of(place).map_or(Elem::Unknown, position));
    let values = filled(values, |place| {
        let Some(row) = rank_of(place) else { return Elem::Unknown };
        let mut from = place.to_vec();
        from[axis] = row;
        source.at(&from)
    });
    Ok(vec![values.into(), indices.into()])
}

/// Whole numbers beyond this are not distinguished as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// For each place of a tensor, which place along the axis has the element of that rank: the first
/// has the largest or smallest, and equal ones go as they are. `None` in rows that are not known.
fn ranked(source: &Source<'_>, axis: usize, largest: bool) -> Vec<Option<usize>> {
    let mut order = vec![None; source.dims.iter().product()];
    let mut firsts = source.dims.clone();
    firsts[axis] = firsts[axis].min(1);
    places(&firsts, |first| {
        let mut place = first.to_vec();
        let mut row = Vec::with_capacity(source.dims[axis]);
        for at in 0..source.dims[axis] {
            place[axis] = at;
            match source.at(&place).as_f64().filter(|number| number.abs() <= EXACT) {
                Some(number) => row.push((number, at)),
                None => return,
            }
        }
        row.sort_by(|one, other| {
            let order = one.0.partial_cmp(&other.0).unwrap_or(Ordering::Equal);
            (if largest { order.reverse() } else { order }).then(one.1.cmp(&other.1))
        });
        for (rank, (_, at)) in row.into_iter().enumerate() {
            place[axis] = rank;
            if let Some(offset) = source.offset(&place) {
                order[offset] = Some(at);
            }
        }
    });
    order
}

/// OneHot puts a new axis in, with one value at the index and another elsewhere:
/// <https://onnx.ai/onnx/operators/onnx__OneHot.html>.
pub(super) fn one_hot(ctx: &mut OpContext<'_>) -> Outcome {
    let (indices, values) = (data(ctx, 0)?, data(ctx, 2)?);
    let dims = match &indices.shape {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::unranked(values.dtype, reason.clone())]),
    };
    if dims.len() >= MAX_RANK {
        return Ok(vec![Fact::unranked(values.dtype, TOO_MANY)]);
    }
    let why = "the depth that OneHot is given";
    let depth = match ctx.exprs(1).as_deref() {
        Some([Some(depth)]) => dimension(ctx, (*depth).clone(), why)?,
        _ => ctx.fresh(why),
    };
    let axis = ctx.axis(ctx.int_or("axis", -1), dims.len() + 1)?;
    let mut out = dims.to_vec();
    out.insert(axis, depth);
    let fact = TensorFact::new(values.dtype, out);
    let (Some(source), Some([off, on])) = (Source::new(&indices), values.value.as_deref()) else {
        return Ok(vec![fact.into()]);
    };
    let depth = fact.constant_dims().map_or(0, |dims| dims[axis]);
    let fact = filled(fact, |place| {
        let mut from = place.to_vec();
        from.remove(axis);
        match source.at(&from).as_i64() {
            Some(hot) if index(hot, depth) == Some(place[axis]) => on.clone(),
            Some(_) => off.clone(),
            None => Elem::Unknown,
        }
    });
    Ok(vec![fact.into()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Attr;
    use crate::movement::testing::{elements, list, outcome, reported, tensor};

    #[test]
    fn places_of_what_is_not_zero() {
        let facts = outcome(non_zero, 13, 1, &[list("0, 5, s, 0")], &[]).unwrap();
        assert_eq!(facts[0].to_string(), "int64[1, 2]");
        assert_eq!(elements(&facts[0]), "1, 2");
        assert_eq!(reported(non_zero, &[tensor("a, b")], &[]), "int64[2, fresh1]");
        assert_eq!(reported(non_zero, &[list("0, ?")], &[]), "int64[1, fresh1]");
    }

    #[test]
    fn the_largest_come_first_and_equal_ones_as_they_are() {
        let facts = outcome(top_k, 11, 2, &[list("3, 9, 3, 9"), list("3")], &[]).unwrap();
        assert_eq!(
            (elements(&facts[0]), elements(&facts[1])),
            ("9, 9, 3".into(), "1, 3, 0".into())
        );
        assert_eq!(reported(top_k, &[tensor("b, 10"), list("k")], &[]), "float32[b, k]");
        let old = outcome(top_k, 1, 2, &[tensor("b, 10")], &[("k", Attr::Int(4))]).unwrap();
        assert_eq!(old[1].to_string(), "int64[b, 4]");
        assert!(reported(top_k, &[tensor("3"), list("4")], &[]).starts_with("contradiction"));
    }

    #[test]
    fn hot_ones_count_from_the_end_too() {
        let facts =
            outcome(one_hot, 11, 1, &[list("1, -1"), list("3"), list("0, 7")], &[]).unwrap();
        assert_eq!(elements(&facts[0]), "0, 7, 0, 0, 0, 7");
    }
}
