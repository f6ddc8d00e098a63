//! Where the greatest or least element is.

use std::cmp::Ordering;

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::{Fact, MAX_ELEMENTS, TensorFact};

/// The index of the greatest or least element along an axis.
///
/// <https://onnx.ai/onnx/operators/onnx__ArgMax.html>, `onnx__ArgMin`.
pub(super) fn arg_extremum(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = match ctx.shape(0)? {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::unranked(DType::Int64, reason)]),
    };
    let axis = ctx.axis(ctx.int_or("axis", 0), dims.len())?;
    let mut left = dims.to_vec();
    if ctx.int_or("keepdims", 1) != 0 {
        left[axis] = Expr::from(1);
    } else {
        left.remove(axis);
    }
    let fact = TensorFact::new(DType::Int64, left);
    let data = ctx.tensor(0)?;
    let Some((elements, sizes)) = data.value.as_deref().zip(data.constant_dims()) else {
        return Ok(vec![fact.into()]);
    };
    let wanted = if ctx.op == "ArgMin" { Ordering::Less } else { Ordering::Greater };
    let last = ctx.int_or("select_last_index", 0) != 0;
    let (length, mut inner) = (sizes[axis], sizes[axis + 1..].iter().copied());
    let stride = inner.try_fold(1, usize::checked_mul).unwrap_or(0);
    let count = fact.constant_count().filter(|count| *count <= MAX_ELEMENTS && stride > 0);
    let count = count.unwrap_or(0);
    let indices = (0..count).map(|place| {
        let start = place / stride * stride * length + place % stride;
        extremum((0..length).map(|step| elements.get(start + step * stride)), wanted, last)
            .and_then(|index| i64::try_from(index).ok())
            .map_or(Elem::Unknown, Elem::int)
    });
    Ok(vec![fact.with_value(indices).into()])
}

/// The index of the element that is `wanted` of all others; `None` when that cannot be determined.
fn extremum<'e>(
    elements: impl Iterator<Item = Option<&'e Elem>>,
    wanted: Ordering,
    last: bool,
) -> Option<usize> {
    let mut best: Option<(usize, &Elem)> = None;
    for (index, element) in elements.enumerate() {
        let element = element?;
        let better = match best {
            None => true,
            Some((_, best)) => match compare(element, best)? {
                Ordering::Equal => last,
                other => other == wanted,
            },
        };
        if better {
            best = Some((index, element));
        }
    }
    // An element that is not comparable with itself is never an extremum.
    best.filter(|(_, element)| compare(element, element).is_some()).map(|(index, _)| index)
}

fn compare(one: &Elem, other: &Elem) -> Option<Ordering> {
    match (one.as_expr(), other.as_expr()) {
        (Some(one), Some(other)) => one.compare(other),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Try, shape, tensor, values};
    use super::*;

    #[test]
    fn the_first_or_last_of_equals() {
        let data = tensor(DType::Int64, &[2, 3], &[7, 2, 7, 1, 5, 5]);
        let first = Try::new("ArgMax", 13).input(data.clone()).int("axis", 1).one(arg_extremum);
        assert_eq!((shape(&first).as_str(), values(&first).as_str()), ("2 1", "0 1"));
        let last = Try::new("ArgMax", 13)
            .input(data.clone())
            .int("axis", -1)
            .int("keepdims", 0)
            .int("select_last_index", 1)
            .one(arg_extremum);
        assert_eq!((shape(&last).as_str(), values(&last).as_str()), ("2", "2 2"));
        let least = Try::new("ArgMin", 13).input(data).one(arg_extremum);
        assert_eq!((shape(&least).as_str(), values(&least).as_str()), ("1 3", "1 0 1"));
    }
}
