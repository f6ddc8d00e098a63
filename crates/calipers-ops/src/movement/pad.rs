//! More or less at the edges: Pad and CenterCropPad.

use calipers_sym::Expr;

use super::given::{axes, data, dimension, list, open};
use super::place::{Source, filled};
use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};

/// What is before and after an axis; `None` where it cannot be determined.
type Edge = (Option<Expr>, Option<Expr>);

/// Pad puts elements around a tensor, or takes some away:
/// <https://onnx.ai/onnx/operators/onnx__Pad.html>.
pub(super) fn pad(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let dims = match &data.shape {
        Ok(dims) => dims.to_vec(),
        Err(reason) => return Ok(vec![Fact::unranked(data.dtype, reason.clone())]),
    };
    let why = "the pads that Pad is given";
    let Some(edges) = edges(ctx, dims.len())? else {
        return Ok(vec![open(ctx, data.dtype, dims.len(), why).into()]);
    };
    padded(ctx, &data, &dims, &edges)
}

/// The same with the pads as a row for each axis, as other frameworks have them.
pub(crate) fn pad_pairs(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let dims = match &data.shape {
        Ok(dims) => dims.to_vec(),
        Err(reason) => return Ok(vec![Fact::unranked(data.dtype, reason.clone())]),
    };
    let Some(Ok(pads)) = list(ctx, "paddings", 1) else {
        let why = "the pads that Pad is given";
        return Ok(vec![open(ctx, data.dtype, dims.len(), why).into()]);
    };
    let (pairs, rest) = pads.as_chunks::<2>();
    if pairs.len() != dims.len() || !rest.is_empty() {
        return Err(Fail::contradiction(format!(
            "Pad has {} pads for {} axes",
            pads.len(),
            dims.len()
        )));
    }
    let edges: Vec<Edge> =
        pairs.iter().map(|[before, after]| (before.clone(), after.clone())).collect();
    padded(ctx, &data, &dims, &edges)
}

fn padded(ctx: &mut OpContext<'_>, data: &TensorFact, dims: &[Expr], edges: &[Edge]) -> Outcome {
    let why = "the pads that Pad is given";
    let mut out = Vec::with_capacity(dims.len());
    for (dim, edge) in dims.iter().zip(edges) {
        out.push(match edge {
            (Some(before), Some(after)) => dimension(ctx, dim + before + after, why)?,
            _ => ctx.fresh(why),
        });
    }
    let fact = TensorFact::new(data.dtype, out);
    Ok(vec![with_padded(ctx, data, fact, edges).into()])
}

fn edges(ctx: &OpContext<'_>, rank: usize) -> Result<Option<Vec<Edge>>, Fail> {
    // The first version has the list under another name.
    let name = if ctx.version < 2 { "paddings" } else { "pads" };
    let pads = match list(ctx, name, 1) {
        None => return Err(Fail::contradiction("Pad lacks its pads")),
        Some(Err(_)) => None,
        Some(Ok(pads)) => Some(pads),
    };
    let axes = match list(ctx, "axes", 3) {
        None => Some((0..rank).collect()),
        Some(Ok(entries)) => axes(ctx, &entries, rank)?,
        Some(Err(_)) => None,
    };
    let Some(axes) = axes else { return Ok(None) };
    let count = axes.len();
    if let Some(pads) = &pads
        && pads.len() != 2 * count
    {
        return Err(Fail::contradiction(format!("Pad has {} pads for {count} axes", pads.len())));
    }
    let mut edges = vec![(Some(Expr::from(0)), Some(Expr::from(0))); rank];
    for (place, axis) in axes.into_iter().enumerate() {
        edges[axis] = match &pads {
            Some(pads) => (pads[place].clone(), pads[place + count].clone()),
            None => (None, None),
        };
    }
    Ok(Some(edges))
}

fn with_padded(
    ctx: &OpContext<'_>,
    data: &TensorFact,
    fact: TensorFact,
    edges: &[Edge],
) -> TensorFact {
    let before: Option<Vec<i64>> =
        edges.iter().map(|(before, _)| before.as_ref()?.as_const()).collect();
    let (Some(before), Some(source)) = (before, Source::new(data)) else { return fact };
    let mode = ctx.text_or("mode", "constant");
    let crops = edges.iter().any(|(before, after)| {
        [before, after].into_iter().any(|pad| pad.as_ref().is_none_or(|pad| !pad.is_at_least(0)))
    });
    if crops && mode != "constant" {
        return fact;
    }
    let outside = match (ctx.optional(2), ctx.attribute("value")) {
        (Some(_), _) => match ctx.value(2) {
            Some([element]) => element.clone(),
            _ => Elem::Unknown,
        },
        (None, Some(Attr::Float(value))) => Elem::float(f64::from(value)),
        (None, _) => Elem::int(0),
    };
    filled(fact, |place| {
        let mut from = Vec::with_capacity(place.len());
        for ((at, before), dim) in place.iter().zip(&before).zip(&source.dims) {
            let at = i64::try_from(*at).ok().and_then(|at| at.checked_sub(*before));
            match (at.and_then(|at| inside(at, *dim, mode)), mode) {
                (Some(at), _) => from.push(at),
                (None, "constant") => return outside.clone(),
                (None, _) => return Elem::Unknown,
            }
        }
        source.at(&from)
    })
}

/// Which element of an axis is at a place that may be outside it.
fn inside(at: i64, dim: usize, mode: &str) -> Option<usize> {
    let length = i64::try_from(dim).ok().filter(|length| *length > 0)?;
    let at = match mode {
        "edge" => at.clamp(0, length - 1),
        "wrap" => at.rem_euclid(length),
        "reflect" if length > 1 => {
            let at = at.rem_euclid(2 * (length - 1));
            if at < length { at } else { 2 * (length - 1) - at }
        }
        _ => at,
    };
    usize::try_from(at).ok().filter(|at| *at < dim)
}

/// CenterCropPad cuts or pads axes to given sizes:
/// <https://onnx.ai/onnx/operators/onnx__CenterCropPad.html>.
pub(super) fn center_crop_pad(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let why = "the sizes that CenterCropPad is given";
    let sizes = match list(ctx, "", 1) {
        None => return Err(Fail::contradiction("CenterCropPad lacks its sizes")),
        Some(Err(_)) => None,
        Some(Ok(sizes)) => Some(sizes),
    };
    let given = ctx.ints("axes");
    let rank = data.rank().or_else(|| match given {
        None => sizes.as_ref().map(Vec::len),
        Some(_) => None,
    });
    let Some(rank) = rank else {
        return Ok(vec![Fact::unranked(data.dtype, "CenterCropPad's input has no known rank")]);
    };
    let axes = match given {
        None => (0..rank).collect(),
        Some(axes) => {
            axes.iter().map(|axis| ctx.axis(*axis, rank)).collect::<Result<Vec<_>, _>>()?
        }
    };
    if let Some(sizes) = &sizes
        && sizes.len() != axes.len()
    {
        return Err(Fail::contradiction(format!(
            "CenterCropPad has {} sizes for {} axes",
            sizes.len(),
            axes.len()
        )));
    }
    let mut dims = match data.dims() {
        Some(dims) => dims.to_vec(),
        None => ctx.fresh_dims(rank, why),
    };
    for (place, axis) in axes.into_iter().enumerate() {
        dims[axis] = match sizes.as_ref().and_then(|sizes| sizes[place].clone()) {
            Some(size) => dimension(ctx, size, why)?,
            None => ctx.fresh(why),
        };
    }
    Ok(vec![Fact::tensor(data.dtype, dims)])
}

#[cfg(test)]
mod tests {
    use super::{inside, pad};
    use crate::context::Attr;
    use crate::movement::testing::{elements, list, outcome, reported, tensor};

    #[test]
    fn pads_add_to_dimensions() {
        let padded = |dims: &str, pads: &str| reported(pad, &[tensor(dims), list(pads)], &[]);
        assert_eq!(padded("a, 5", "1, 0, b, -2"), "float32[a + b + 1, 3]");
        assert_eq!(padded("a, 5", "?, 0, 1, 2"), "float32[fresh1, 7]");
        assert!(padded("a, 5", "0, -3, 0, -3").starts_with("contradiction"));
        assert!(padded("a, 5", "0, 1").starts_with("contradiction"));
        let one_axis = [tensor("a, 5"), list("1, 2"), None, list("-1")];
        assert_eq!(reported(pad, &one_axis, &[]), "float32[a, 8]");
        let first =
            outcome(pad, 1, 1, &[tensor("2, 3")], &[("paddings", Attr::Ints(&[0, 1, 0, 1]))]);
        assert_eq!(first.unwrap()[0].to_string(), "float32[2, 5]");
        let second = outcome(pad, 2, 1, &[tensor("2, 3")], &[("pads", Attr::Ints(&[1, 0, 0, 0]))]);
        assert_eq!(second.unwrap()[0].to_string(), "float32[3, 3]");
    }

    #[test]
    fn pads_are_elements_too() {
        let facts = outcome(pad, 13, 1, &[list("a, 7"), list("2, -1")], &[]).unwrap();
        assert_eq!(elements(&facts[0]), "0, 0, a");
        let given = [list("a, 7"), list("0, 1"), list("?")];
        let facts = outcome(pad, 13, 1, &given, &[]).unwrap();
        assert_eq!(elements(&facts[0]), "a, 7, ?");
    }

    #[test]
    fn modes_find_what_is_outside() {
        let row = |mode| (-3..6).map(|at| inside(at, 3, mode)).collect::<Vec<_>>();
        let all = |places: [usize; 9]| places.map(Some).to_vec();
        assert_eq!(row("edge"), all([0, 0, 0, 0, 1, 2, 2, 2, 2]));
        assert_eq!(row("wrap"), all([0, 1, 2, 0, 1, 2, 0, 1, 2]));
        assert_eq!(row("reflect"), all([1, 2, 1, 0, 1, 2, 1, 0, 1]));
        assert_eq!(inside(-1, 3, "constant"), None);
        assert_eq!(inside(0, 0, "edge"), None);
    }
}
