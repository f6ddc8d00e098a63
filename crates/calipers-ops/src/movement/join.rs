//! Tensors side by side or again and again: Concat, Expand, Tile.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::given::{Entries, data, dimension, list, open};
use super::place::{Source, filled, small};
use crate::context::{Fail, OpContext, Outcome, broadcast};
use crate::elem::Elem;
use crate::fact::{Fact, Reason, TensorFact};

/// Concat puts tensors one after another along an axis:
/// <https://onnx.ai/onnx/operators/onnx__Concat.html>.
pub(super) fn concat(ctx: &mut OpContext<'_>) -> Outcome {
    let parts: Vec<TensorFact> = (0..ctx.input_count())
        .filter(|input| ctx.has(*input))
        .map(|input| data(ctx, input))
        .collect::<Result<_, _>>()?;
    let dtypes = parts.iter().map(|part| part.dtype);
    let dtype = dtypes.into_iter().find(|dtype| *dtype != DType::Undefined);
    let dtype = dtype.unwrap_or(DType::Undefined);
    let ranked: Vec<&[Expr]> = parts.iter().filter_map(TensorFact::dims).collect();
    let Some(first) = ranked.first() else {
        let reason: Reason = match parts.first() {
            Some(TensorFact { shape: Err(reason), .. }) => reason.clone(),
            _ => return Err(Fail::contradiction("Concat has no inputs")),
        };
        return Ok(vec![Fact::unranked(dtype, reason)]);
    };
    // In the first version the axis may be left out.
    let axis = ctx.axis(ctx.int_or("axis", 1), first.len())?;
    if let Some(other) = ranked.iter().find(|dims| dims.len() != first.len()) {
        return Err(Fail::contradiction(format!(
            "Concat joins tensors of {} and {} dimensions",
            first.len(),
            other.len()
        )));
    }
    let why = "the inputs of Concat";
    let mut dims = Vec::with_capacity(first.len());
    for place in 0..first.len() {
        dims.push(if place != axis {
            same(ranked.iter().map(|dims| &dims[place]))?
        } else if ranked.len() == parts.len() {
            let sum = ranked.iter().fold(Expr::from(0), |sum, dims| sum + &dims[place]);
            dimension(ctx, sum, why)?
        } else {
            ctx.fresh(why)
        });
    }
    let fact = TensorFact::new(dtype, dims);
    Ok(vec![with_joined(&parts, fact, axis).into()])
}

/// A dimension that all parts share: the one that is most known.
fn same<'a>(sizes: impl Iterator<Item = &'a Expr>) -> Result<Expr, Fail> {
    let mut shared: Option<&Expr> = None;
    for size in sizes {
        match shared {
            Some(one) if one.always_ne(size) => {
                return Err(Fail::contradiction(format!(
                    "Concat joins tensors whose other dimensions are {one} and {size}"
                )));
            }
            Some(one) if one.as_const().is_some() || size.as_const().is_none() => {}
            _ => shared = Some(size),
        }
    }
    shared.cloned().ok_or_else(|| Fail::contradiction("Concat has no inputs"))
}

fn with_joined(parts: &[TensorFact], fact: TensorFact, axis: usize) -> TensorFact {
    if parts.iter().all(|part| part.value.is_none()) {
        return fact;
    }
    let lengths: Option<Vec<usize>> = parts
        .iter()
        .map(|part| usize::try_from(part.dims()?.get(axis)?.as_const()?).ok())
        .collect();
    let Some(lengths) = lengths else { return fact };
    let sources: Vec<Option<Source<'_>>> = parts.iter().map(Source::new).collect();
    // Which part each place of the axis comes from, and where it lies there.
    let total: usize = match fact.dims().and_then(small) {
        Some(dims) => dims[axis],
        None => return fact,
    };
    let mut origins = Vec::with_capacity(total);
    for (part, length) in lengths.iter().enumerate() {
        origins.extend((0..*length).take(total).map(|at| (part, at)));
    }
    filled(fact, |place| {
        let Some((part, at)) = origins.get(place[axis]) else { return Elem::Unknown };
        let Some(source) = &sources[*part] else { return Elem::Unknown };
        let mut from = place.to_vec();
        from[axis] = *at;
        source.at(&from)
    })
}

/// Expand broadcasts a tensor and a shape with each other:
/// <https://onnx.ai/onnx/operators/onnx__Expand.html>.
pub(crate) fn expand(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let target = match list(ctx, "shape", 1) {
        None => return Err(Fail::contradiction("Expand lacks its shape")),
        Some(Err(reason)) => return Ok(vec![Fact::unranked(data.dtype, reason)]),
        Some(Ok(target)) => target,
    };
    let dims = match &data.shape {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::unranked(data.dtype, reason.clone())]),
    };
    let rank = dims.len().max(target.len());
    let mut out = Vec::with_capacity(rank);
    for place in 0..rank {
        let old = (place + dims.len()).checked_sub(rank).map(|at| &dims[at]);
        let new = (place + target.len()).checked_sub(rank).map(|at| target[at].as_ref());
        out.push(expanded(ctx, old, new)?);
    }
    let fact = TensorFact::new(data.dtype, out);
    let Some(source) = Source::new(&data) else { return Ok(vec![fact.into()]) };
    let fact = filled(fact, |place| {
        let skipped = place.len().saturating_sub(source.dims.len());
        let from: Vec<usize> = place[skipped..]
            .iter()
            .zip(&source.dims)
            .map(|(at, dim)| if *dim == 1 { 0 } else { *at })
            .collect();
        source.at(&from)
    });
    Ok(vec![fact.into()])
}

/// One dimension of an expansion; what is left out in front is 1.
fn expanded(
    ctx: &mut OpContext<'_>,
    old: Option<&Expr>,
    new: Option<Option<&Expr>>,
) -> Result<Expr, Fail> {
    let one = Expr::from(1);
    let old = old.unwrap_or(&one);
    match new {
        None => Ok(old.clone()),
        Some(Some(new)) if new.as_const().is_none_or(|new| new >= 0) => {
            let dims = broadcast("Expand", std::slice::from_ref(old), std::slice::from_ref(new))?;
            Ok(dims.into_iter().next().unwrap_or(one))
        }
        // A dimension that is not 1 can only stay.
        _ if old.always_ne(&one) => Ok(old.clone()),
        _ => Ok(ctx.fresh("the shape that Expand is given")),
    }
}

/// Tile repeats a tensor along its axes: <https://onnx.ai/onnx/operators/onnx__Tile.html>.
pub(super) fn tile(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let why = "the repeats that Tile is given";
    // The first version repeats along one axis.
    let repeats = if ctx.version < 6 { one_axis(ctx, &data) } else { listed(ctx, &data) };
    let (dims, repeats) = match (&data.shape, repeats?) {
        (Ok(dims), Some(repeats)) => (dims, repeats),
        (Ok(dims), None) => return Ok(vec![open(ctx, data.dtype, dims.len(), why).into()]),
        (Err(_), Some(repeats)) => {
            return Ok(vec![open(ctx, data.dtype, repeats.len(), why).into()]);
        }
        (Err(reason), None) => return Ok(vec![Fact::unranked(data.dtype, reason.clone())]),
    };
    let mut out = Vec::with_capacity(dims.len());
    for (dim, repeat) in dims.iter().zip(&repeats) {
        out.push(match repeat {
            Some(repeat) => dimension(ctx, dim * repeat, why)?,
            None if *dim == Expr::from(0) => dim.clone(),
            None => ctx.fresh(why),
        });
    }
    let fact = TensorFact::new(data.dtype, out);
    let Some(source) = Source::new(&data) else { return Ok(vec![fact.into()]) };
    let fact = filled(fact, |place| {
        let from: Vec<usize> = place
            .iter()
            .zip(&source.dims)
            .map(|(at, dim)| at.checked_rem(*dim).unwrap_or(0))
            .collect();
        source.at(&from)
    });
    Ok(vec![fact.into()])
}

fn listed(ctx: &OpContext<'_>, data: &TensorFact) -> Result<Option<Entries>, Fail> {
    match list(ctx, "repeats", 1) {
        None => Err(Fail::contradiction("Tile lacks its repeats")),
        Some(Err(_)) => Ok(None),
        Some(Ok(repeats)) => match data.rank() {
            Some(rank) if rank != repeats.len() => Err(Fail::contradiction(format!(
                "Tile has {} repeats, and its input {rank} dimensions",
                repeats.len()
            ))),
            _ => Ok(Some(repeats)),
        },
    }
}

fn one_axis(ctx: &OpContext<'_>, data: &TensorFact) -> Result<Option<Entries>, Fail> {
    let (Some(rank), Some(axis)) = (data.rank(), ctx.integer(2)) else { return Ok(None) };
    let mut repeats = vec![Some(Expr::from(1)); rank];
    repeats[ctx.axis(axis, rank)?] = match ctx.exprs(1).as_deref() {
        Some([repeat]) => repeat.cloned(),
        _ => None,
    };
    Ok(Some(repeats))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Attr;
    use crate::movement::testing::{elements, hidden, list, outcome, reported, tensor};

    const LAST: &[(&str, Attr<'static>)] = &[("axis", Attr::Int(-1))];

    #[test]
    fn joined_dimensions_add_up() {
        let joined = |parts: &[&str]| {
            let parts: Vec<_> = parts.iter().map(|dims| tensor(dims)).collect();
            reported(concat, &parts, LAST)
        };
        assert_eq!(joined(&["b, p", "b, s"]), "float32[b, p + s]");
        assert_eq!(joined(&["b, 1", "4, 2"]), "float32[4, 3]");
        assert!(joined(&["3, 1", "4, 2"]).starts_with("contradiction"));
        let hidden = [tensor("b, 1"), Some(Fact::unknown("no rule"))];
        assert_eq!(reported(concat, &hidden, LAST), "float32[b, fresh1]");
    }

    #[test]
    fn joined_elements_keep_what_is_not_known() {
        let facts = outcome(concat, 13, 1, &[list("b"), hidden(1), list("12, 64")], LAST).unwrap();
        assert_eq!(elements(&facts[0]), "b, ?, 12, 64");
    }

    #[test]
    fn expanding_goes_both_ways() {
        let expanded = |dims: &str, target| reported(expand, &[tensor(dims), target], &[]);
        assert_eq!(expanded("3, 1", list("2, 1, 6")), "float32[2, 3, 6]");
        assert_eq!(expanded("b, 1, s", list("1, 4, 1")), "float32[b, 4, s]");
        assert_eq!(expanded("3, 1, s", list("?, ?, s")), "float32[3, fresh1, s]");
        assert_eq!(expanded("2, 3, 1", hidden(1)), "float32[2, 3, fresh1]");
        assert!(expanded("3", list("4")).starts_with("contradiction"));
    }

    #[test]
    fn tiles_repeat_elements() {
        assert_eq!(reported(tile, &[tensor("a, 2"), list("3, b")], &[]), "float32[3*a, 2*b]");
        let facts = outcome(tile, 13, 1, &[list("a, 2"), list("2")], &[]).unwrap();
        assert_eq!(elements(&facts[0]), "a, 2, a, 2");
        let old = [tensor("2, 3"), list("4"), list("1")];
        let facts = outcome(tile, 1, 1, &old, &[]).unwrap();
        assert_eq!(facts[0].to_string(), "float32[2, 12]");
    }
}
