//! Unique: what is there, once.

use std::cmp::Ordering;

use calipers_ir::DType;
use calipers_sym::Expr;

use super::given::{data, element, open, size};
use super::place::{Source, filled, places};
use crate::context::{OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};

/// More slices than this are not compared with each other.
const MAX_SLICES: usize = 2048;

/// Slices of a tensor without repetition.
struct Distinct {
    /// Where each is first.
    first: Vec<usize>,
    /// Which of them each slice is.
    inverse: Vec<usize>,
    /// How often each is there.
    counts: Vec<usize>,
}

/// Unique gives each element or slice once, with places and counts:
/// <https://onnx.ai/onnx/operators/onnx__Unique.html>.
pub(super) fn unique(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let why = "how many different ones there are";
    let axis = match (ctx.int("axis"), data.rank()) {
        (Some(axis), Some(rank)) => Some(ctx.axis(axis, rank)?),
        _ => None,
    };
    if ctx.int("axis").is_some() && axis.is_none() {
        let all = Fact::unranked(data.dtype, "Unique's input has no known rank");
        let rest = (0..3).map(|_| open(ctx, DType::Int64, 1, why).into());
        return Ok(std::iter::once(all).chain(rest.collect::<Vec<Fact>>()).collect());
    }
    let total = match (axis, data.dims()) {
        (Some(axis), Some(dims)) => dims[axis].clone(),
        (None, Some(dims)) => super::given::dimension(ctx, crate::product(dims), why)?,
        (_, None) => ctx.fresh(why),
    };
    let distinct = distinct(&data, axis, ctx.int_or("sorted", 1) != 0);
    let count = match (&distinct, total.as_const()) {
        (Some(distinct), _) => size(distinct.first.len()),
        // Of one there is one, of none there is none.
        (None, Some(0 | 1)) => total.clone(),
        _ => ctx.fresh(why),
    };
    let dims = match (axis, data.dims()) {
        (Some(axis), Some(dims)) => {
            let mut dims = dims.to_vec();
            dims[axis] = count.clone();
            dims
        }
        _ => vec![count.clone()],
    };
    let chosen = TensorFact::new(data.dtype, dims);
    let chosen = match (&distinct, Source::new(&data), axis) {
        (Some(distinct), Some(source), Some(axis)) => filled(chosen, |place| {
            let mut from = place.to_vec();
            from[axis] = distinct.first[place[axis]];
            source.at(&from)
        }),
        (Some(distinct), _, None) => {
            let value = data.value.as_deref().unwrap_or_default();
            let at = |at: &usize| value.get(*at).cloned().unwrap_or(Elem::Unknown);
            chosen.with_value(distinct.first.iter().map(at))
        }
        _ => chosen,
    };
    let list = |length: Expr, numbers: Option<&Vec<usize>>| -> Fact {
        let fact = TensorFact::new(DType::Int64, [length]);
        match numbers {
            Some(numbers) => fact.with_value(numbers.iter().map(|n| element(size(*n)))).into(),
            None => fact.into(),
        }
    };
    let distinct = distinct.as_ref();
    Ok(vec![
        chosen.into(),
        list(count.clone(), distinct.map(|distinct| &distinct.first)),
        list(total, distinct.map(|distinct| &distinct.inverse)),
        list(count, distinct.map(|distinct| &distinct.counts)),
    ])
}

fn distinct(data: &TensorFact, axis: Option<usize>, sorted: bool) -> Option<Distinct> {
    let slices = slices(data, axis)?;
    let compare = |one: &[f64], other: &[f64]| {
        let pairs = one.iter().zip(other);
        pairs
            .map(|(one, other)| one.total_cmp(other))
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    // Equal slices are together, the first of them first.
    let mut order: Vec<usize> = (0..slices.len()).collect();
    order.sort_by(|one, other| compare(&slices[*one], &slices[*other]).then(one.cmp(other)));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in order {
        match groups.last_mut() {
            Some(group) if compare(&slices[group[0]], &slices[at]).is_eq() => group.push(at),
            _ => groups.push(vec![at]),
        }
    }
    if !sorted {
        groups.sort_by_key(|group| group[0]);
    }
    let mut inverse = vec![0; slices.len()];
    for (place, group) in groups.iter().enumerate() {
        for at in group {
            inverse[*at] = place;
        }
    }
    let first = groups.iter().map(|group| group[0]).collect();
    Some(Distinct { first, inverse, counts: groups.iter().map(Vec::len).collect() })
}

/// The slices along an axis, or every element, as numbers that compare exactly.
fn slices(data: &TensorFact, axis: Option<usize>) -> Option<Vec<Vec<f64>>> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let source = Source::new(data)?;
    let count = match axis {
        Some(axis) => source.dims[axis],
        None => data.constant_count()?,
    };
    if count > MAX_SLICES {
        return None;
    }
    let mut slices = vec![Vec::new(); count];
    let (mut sure, mut next) = (true, 0);
    places(&source.dims, |place| {
        let slice = axis.map_or(next, |axis| place[axis]);
        next += 1;
        match source.at(place).as_f64() {
            // Adding zero makes negative zero the same as zero.
            Some(number) if number.abs() <= EXACT => slices[slice].push(number + 0.0),
            _ => sure = false,
        }
    });
    sure.then_some(slices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Attr;
    use crate::movement::testing::{elements, list, outcome, tensor};

    #[test]
    fn each_once_with_places_and_counts() {
        let numbers = [list("2, 1, 1, 3, 4, 3")];
        let shown = |facts: Vec<Fact>| facts.iter().map(elements).collect::<Vec<_>>();
        let sorted = outcome(unique, 11, 4, &numbers, &[]).unwrap();
        assert_eq!(shown(sorted), ["1, 2, 3, 4", "1, 0, 3, 4", "1, 0, 0, 2, 3, 2", "2, 1, 2, 1"]);
        let as_found = outcome(unique, 11, 4, &numbers, &[("sorted", Attr::Int(0))]).unwrap();
        assert_eq!(shown(as_found), ["2, 1, 3, 4", "0, 1, 3, 4", "0, 1, 1, 2, 3, 2", "1, 2, 2, 1"]);
    }

    #[test]
    fn one_count_for_all() {
        let facts = outcome(unique, 11, 4, &[tensor("a, b")], &[]).unwrap();
        let shown: Vec<_> = facts.iter().map(Fact::to_string).collect();
        assert_eq!(shown, ["float32[fresh1]", "int64[fresh1]", "int64[a*b]", "int64[fresh1]"]);
    }
}
