//! Parts of a tensor: Slice and Split.

use calipers_sym::Expr;

use super::given::{axes, data, dimension, list, open};
use super::place::{Source, filled};
use crate::context::{Fail, OpContext, Outcome};
use crate::fact::{Fact, TensorFact};

/// Bounds beyond this mean the end, whatever the dimension: no dimension is so large.
pub(super) const FAR: i64 = i32::MAX as i64;

/// Where a slice begins in an axis, how far it steps and how many elements it takes.
pub(super) struct Cut {
    /// The first place and the step, when they are numbers.
    pub(super) walk: Option<(i64, i64)>,
    /// How many; `None` when it cannot be determined.
    pub(super) length: Option<Expr>,
}

/// Slice takes a range of each axis: <https://onnx.ai/onnx/operators/onnx__Slice.html>.
pub(super) fn slice(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let dims = match &data.shape {
        Ok(dims) => dims.to_vec(),
        Err(reason) => return Ok(vec![Fact::unranked(data.dtype, reason.clone())]),
    };
    let why = "the bounds that Slice is given";
    let bounds = |name, input| match list(ctx, name, input) {
        Some(Ok(entries)) => Ok(Some(entries)),
        Some(Err(_)) => Ok(None),
        None => Err(Fail::contradiction(format!("Slice lacks its {name}"))),
    };
    let (starts, ends) = (bounds("starts", 1)?, bounds("ends", 2)?);
    let given_axes = list(ctx, "axes", 3);
    let steps = list(ctx, "steps", 4);
    let given = given_axes.as_ref().and_then(|list| list.as_ref().ok()).map(Vec::len);
    let count = [&starts, &ends].into_iter().flatten().map(Vec::len).next().or(given);
    let axes = match (&given_axes, count) {
        (Some(Ok(entries)), _) => axes(ctx, entries, dims.len())?,
        (None, Some(count)) if count <= dims.len() => Some((0..count).collect()),
        (None, Some(count)) => {
            return Err(Fail::contradiction(format!(
                "Slice has {count} bounds, and its input {} dimensions",
                dims.len()
            )));
        }
        _ => None,
    };
    let Some(axes) = axes else {
        return Ok(vec![open(ctx, data.dtype, dims.len(), why).into()]);
    };
    let mut cuts: Vec<Option<Cut>> = dims.iter().map(|_| None).collect();
    let entry = |list: &Option<Vec<Option<Expr>>>, place: usize| list.as_ref()?.get(place)?.clone();
    for (place, axis) in axes.into_iter().enumerate() {
        let step = match &steps {
            None => Some(Expr::from(1)),
            Some(Ok(steps)) => steps.get(place).cloned().flatten(),
            Some(Err(_)) => None,
        };
        let step = step.as_ref().and_then(Expr::as_const);
        if step == Some(0) {
            return Err(Fail::contradiction("Slice steps by 0"));
        }
        let (start, end) = (entry(&starts, place), entry(&ends, place));
        cuts[axis] = Some(cut(&dims[axis], start.as_ref(), end.as_ref(), step));
    }
    let mut taken = Vec::with_capacity(dims.len());
    for (dim, cut) in dims.iter().zip(&cuts) {
        taken.push(match cut {
            None => dim.clone(),
            Some(Cut { length: Some(length), .. }) => dimension(ctx, length.clone(), why)?,
            Some(Cut { length: None, .. }) => ctx.fresh(why),
        });
    }
    let fact = TensorFact::new(data.dtype, taken);
    Ok(vec![with_cut_elements(&data, fact, &cuts).into()])
}

pub(super) fn with_cut_elements(
    data: &TensorFact,
    fact: TensorFact,
    cuts: &[Option<Cut>],
) -> TensorFact {
    let walks: Option<Vec<(i64, i64)>> =
        cuts.iter().map(|cut| cut.as_ref().map_or(Some((0, 1)), |cut| cut.walk)).collect();
    let (Some(walks), Some(source)) = (walks, Source::new(data)) else { return fact };
    filled(fact, |place| {
        let from = walks.iter().zip(place).map(|((start, step), at)| {
            let at = i64::try_from(*at).ok()?;
            usize::try_from(start.checked_add(step.checked_mul(at)?)?).ok()
        });
        let from: Option<Vec<usize>> = from.collect();
        from.map_or(crate::Elem::Unknown, |from| source.at(&from))
    })
}

/// One axis of a slice.
pub(super) fn cut(dim: &Expr, start: Option<&Expr>, end: Option<&Expr>, step: Option<i64>) -> Cut {
    let nothing = Cut { walk: None, length: None };
    let (Some(start), Some(end), Some(step)) = (start, end, step) else { return nothing };
    let far = end.as_const().is_some_and(|end| end >= FAR);
    let zero = Expr::from(0);
    if *dim == zero {
        return Cut { walk: Some((0, 1)), length: Some(zero) };
    }
    let last = dim - Expr::from(1);
    let (first, length) = if step > 0 {
        let (Some(start), Some(end)) = (bound(dim, start), bound(dim, end)) else { return nothing };
        let start = Expr::max(&Expr::min(&start, dim), &zero);
        let end = Expr::max(&Expr::min(&end, dim), &zero);
        let length = (&end - &start).ceil_div(&Expr::from(step));
        (start, length)
    } else {
        let (Some(start), Some(end)) = (bound(dim, start), bound(dim, end)) else { return nothing };
        // Runtimes differ on a start before the first element, and on an end so far off that it
        // may mean the end of the walk.
        // The last element is never before the first; of an empty axis nothing is taken.
        let is_last = start == last;
        if far || !(start.is_at_least(0) || is_last) {
            return nothing;
        }
        let start = Expr::min(&start, &last);
        let end = Expr::max(&Expr::min(&end, &last), &Expr::from(-1));
        let length = (&start - &end).ceil_div(&(Expr::from(0) - Expr::from(step)));
        (start, length)
    };
    let length = Expr::max(&length, &zero);
    Cut { walk: first.as_const().map(|first| (first, step)), length: Some(length) }
}

/// A bound from the front, not yet held inside the dimension; `None` when it is not known from
/// which side it counts.
fn bound(dim: &Expr, value: &Expr) -> Option<Expr> {
    match value.as_const() {
        Some(number) if number >= FAR && dim.as_const().is_none() => Some(dim.clone()),
        Some(number) if number <= -FAR && dim.as_const().is_none() => Some(Expr::from(-1)),
        Some(number) if number < 0 => Some(dim + value),
        Some(_) => Some(value.clone()),
        None if value.is_at_least(0) => Some(value.clone()),
        None if value.upper_bound().is_some_and(|most| most < 0) => Some(dim + value),
        None => None,
    }
}

/// Split cuts an axis into parts: <https://onnx.ai/onnx/operators/onnx__Split.html>.
pub(super) fn split(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let outputs = ctx.outputs;
    let dims = match &data.shape {
        Ok(dims) => dims.to_vec(),
        Err(reason) => return Ok(vec![Fact::unranked(data.dtype, reason.clone()); outputs]),
    };
    let axis = ctx.axis(ctx.int_or("axis", 0), dims.len())?;
    let sizes = sizes(ctx, &dims[axis])?;
    let why = "the sizes that Split is given";
    let mut start = Expr::from(0);
    let mut facts = Vec::with_capacity(outputs);
    for size in sizes {
        let size = match size {
            Some(size) => dimension(ctx, size, why)?,
            None => ctx.fresh(why),
        };
        let mut dims = dims.clone();
        dims[axis] = size.clone();
        let fact = TensorFact::new(data.dtype, dims);
        let fact = with_part(&data, fact, axis, &start);
        start += size;
        facts.push(fact.into());
    }
    Ok(facts)
}

fn with_part(data: &TensorFact, fact: TensorFact, axis: usize, start: &Expr) -> TensorFact {
    let start = start.as_const().and_then(|start| usize::try_from(start).ok());
    let (Some(start), Some(source)) = (start, Source::new(data)) else { return fact };
    filled(fact, |place| {
        let mut from = place.to_vec();
        from[axis] = from[axis].saturating_add(start);
        source.at(&from)
    })
}

/// How long each part is.
fn sizes(ctx: &OpContext<'_>, dim: &Expr) -> Result<Vec<Option<Expr>>, Fail> {
    let outputs = ctx.outputs;
    let mut sizes = match list(ctx, "split", 1) {
        None => return Ok(equal_parts(ctx, dim)?.into_iter().take(outputs).collect()),
        Some(Ok(sizes)) => sizes,
        Some(Err(_)) => vec![None; outputs],
    };
    if sizes.len() < outputs {
        return Err(Fail::contradiction(format!(
            "Split has {outputs} outputs, and {} sizes",
            sizes.len()
        )));
    }
    let known: Expr = sizes.iter().flatten().fold(Expr::from(0), |sum, size| sum + size);
    let mut unknown = sizes.iter_mut().filter(|size| size.is_none());
    match (unknown.next(), unknown.next()) {
        (Some(size), None) => *size = Some(dim - &known),
        (None, _) if known.always_ne(dim) => {
            return Err(Fail::contradiction(format!("Split cuts {dim} into parts of {known}")));
        }
        _ => {}
    }
    sizes.truncate(outputs);
    Ok(sizes)
}

fn equal_parts(ctx: &OpContext<'_>, dim: &Expr) -> Result<Vec<Option<Expr>>, Fail> {
    let outputs = ctx.outputs;
    let parts = match ctx.int("num_outputs") {
        Some(parts) => usize::try_from(parts).unwrap_or(0),
        None => outputs,
    };
    if parts < outputs || parts == 0 {
        return Err(Fail::contradiction(format!("Split has {outputs} outputs of {parts} parts")));
    }
    let count = super::given::size(parts);
    if let Some(part) = dim.exact_div(&count) {
        return Ok(vec![Some(part); outputs]);
    }
    if ctx.version < 18 {
        if dim.as_const().is_some() {
            return Err(Fail::contradiction(format!(
                "Split cannot cut {dim} in {parts} equal parts"
            )));
        }
        return Ok(vec![Some(dim.floor_div(&count)); outputs]);
    }
    let part = dim.ceil_div(&count);
    let last = dim - &part * (&count - Expr::from(1));
    let enough = last.is_at_least(0);
    Ok((0..outputs)
        .map(|place| match place + 1 == parts {
            // Too few elements for the parts: runtimes differ.
            _ if dim.as_const().is_some() && !enough => None,
            true => enough.then(|| last.clone()),
            false => Some(part.clone()),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Attr;
    use crate::movement::testing::{elements, hidden, list, outcome, reported, tensor};

    fn sliced(dims: &str, [start, end, axis, step]: [&str; 4]) -> String {
        let [start, end, axis, step] = [start, end, axis, step].map(list);
        reported(slice, &[tensor(dims), start, end, axis, step], &[])
    }

    #[test]
    fn bounds_are_held_inside() {
        assert_eq!(sliced("10", ["2", "100", "0", "3"]), "float32[3]");
        assert_eq!(sliced("10", ["-3", "-1", "0", "1"]), "float32[2]");
        assert_eq!(sliced("10", ["-1", "-100", "0", "-4"]), "float32[3]");
        assert_eq!(sliced("10", ["5", "2", "0", "1"]), "float32[0]");
    }

    #[test]
    fn symbolic_bounds_give_expressions() {
        assert_eq!(sliced("s", ["1", "9223372036854775807", "0", "1"]), "float32[s - 1]");
        assert_eq!(sliced("s", ["0", "5", "0", "1"]), "float32[min(s, 5)]");
        assert_eq!(sliced("s", ["-1", "9223372036854775807", "0", "1"]), "float32[1]");
        assert_eq!(sliced("p + s", ["p", "p + s", "0", "1"]), "float32[s]");
        assert_eq!(sliced("b, 512", ["0", "s", "-1", "1"]), "float32[b, min(s, 512)]");
        assert_eq!(sliced("s", ["-1", "-9223372036854775807", "0", "-1"]), "float32[s]");
        // An axis that may be empty has a last element or gives nothing; another may be missing.
        assert_eq!(sliced("s - 1", ["-1", "-9223372036854775807", "0", "-1"]), "float32[s - 1]");
        assert_eq!(sliced("s - 1", ["-2", "-9223372036854775807", "0", "-1"]), "float32[fresh1]");
        assert_eq!(sliced("s", ["0", "9223372036854775807", "0", "2"]), "float32[ceil(s/2)]");
        // From which end it counts depends on the sizes.
        assert_eq!(sliced("s", ["p - 4", "9223372036854775807", "0", "1"]), "float32[fresh1]");
    }

    #[test]
    fn only_sliced_axes_are_open() {
        let open = [tensor("a, b, 3"), hidden(1), hidden(1), list("1")];
        assert_eq!(reported(slice, &open, &[]), "float32[a, fresh1, 3]");
        let open = [tensor("a, b"), hidden(1), hidden(1), hidden(1)];
        assert_eq!(reported(slice, &open, &[]), "float32[fresh1, fresh2]");
        assert!(sliced("3", ["0", "1", "0", "0"]).starts_with("contradiction"));
    }

    #[test]
    fn the_first_version_has_attributes() {
        let bounds = &[
            ("starts", Attr::Ints(&[1, 0])),
            ("ends", Attr::Ints(&[3, -1])),
            ("axes", Attr::Ints(&[1, 0])),
        ];
        let facts = outcome(slice, 1, 1, &[tensor("4, 5")], bounds).unwrap();
        assert_eq!(facts[0].to_string(), "float32[3, 2]");
    }

    #[test]
    fn elements_ride_along() {
        let backwards = [list("b, ?, s, 4"), list("-1"), list("-9"), list("0"), list("-2")];
        let facts = outcome(slice, 13, 1, &backwards, &[]).unwrap();
        assert_eq!(elements(&facts[0]), "4, ?");
    }

    #[test]
    fn parts_of_a_split() {
        let parts = |version, outputs, inputs: &[Option<Fact>], attributes| {
            let facts = outcome(split, version, outputs, inputs, attributes).unwrap();
            facts.iter().map(Fact::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(parts(13, 2, &[tensor("6*a")], &[]), "float32[3*a] float32[3*a]");
        assert_eq!(parts(13, 2, &[tensor("7"), list("3, 4")], &[]), "float32[3] float32[4]");
        assert_eq!(parts(13, 2, &[tensor("a"), list("3, ?")], &[]), "float32[3] float32[a - 3]");
        let three = &[("num_outputs", Attr::Int(3))];
        assert_eq!(parts(18, 3, &[tensor("7")], three), "float32[3] float32[3] float32[1]");
        let old = &[("split", Attr::Ints(&[1, 2]))];
        assert_eq!(parts(2, 2, &[tensor("3")], old), "float32[1] float32[2]");
        assert_eq!(parts(13, 2, &[tensor("3"), hidden(2)], &[]), "float32[fresh1] float32[fresh2]");
        assert!(outcome(split, 13, 2, &[tensor("7")], &[]).is_err());
        let facts = outcome(split, 13, 2, &[list("a, 2, ?, b"), list("1, 3")], &[]).unwrap();
        assert_eq!((elements(&facts[0]), elements(&facts[1])), ("a".into(), "2, ?, b".into()));
    }
}
