//! Elements looked up by index.

use calipers_sym::Expr;

use super::given::{MAX_RANK, TOO_MANY, data};
use super::place::{Source, filled, index};
use crate::context::{Fail, OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};

/// Refuses indices that are outside a dimension.
fn check(ctx: &OpContext<'_>, indices: &TensorFact, dim: &Expr) -> Result<(), Fail> {
    let (Some(dim), Some(indices)) = (dim.as_const(), &indices.value) else { return Ok(()) };
    match indices
        .iter()
        .filter_map(Elem::as_i64)
        .find(|at| *at >= dim || at.saturating_add(dim) < 0)
    {
        Some(at) => Err(Fail::contradiction(format!("{} looks up {at} of {dim}", ctx.op))),
        None => Ok(()),
    }
}

/// Gather looks up slices along an axis: <https://onnx.ai/onnx/operators/onnx__Gather.html>.
pub(super) fn gather(ctx: &mut OpContext<'_>) -> Outcome {
    let (table, indices) = (data(ctx, 0)?, data(ctx, 1)?);
    let (dims, places) = match (&table.shape, &indices.shape) {
        (Ok(dims), Ok(places)) => (dims, places),
        (Err(reason), _) | (_, Err(reason)) => {
            return Ok(vec![Fact::unranked(table.dtype, reason.clone())]);
        }
    };
    let axis = ctx.axis(ctx.int_or("axis", 0), dims.len())?;
    check(ctx, &indices, &dims[axis])?;
    if dims.len() + places.len() > MAX_RANK {
        return Ok(vec![Fact::unranked(table.dtype, TOO_MANY)]);
    }
    let out = dims[..axis].iter().chain(places.iter()).chain(&dims[axis + 1..]).cloned();
    let fact = TensorFact::new(table.dtype, out);
    let (Some(source), Some(at)) = (Source::new(&table), Source::new(&indices)) else {
        return Ok(vec![fact.into()]);
    };
    let width = places.len();
    let fact = filled(fact, |place| {
        let looked_up = at.at(&place[axis..axis + width]).as_i64();
        let Some(row) = looked_up.and_then(|row| index(row, source.dims[axis])) else {
            return Elem::Unknown;
        };
        let mut from = place[..axis].to_vec();
        from.push(row);
        from.extend_from_slice(&place[axis + width..]);
        source.at(&from)
    });
    Ok(vec![fact.into()])
}

/// GatherElements looks up one element for each index:
/// <https://onnx.ai/onnx/operators/onnx__GatherElements.html>.
pub(super) fn gather_elements(ctx: &mut OpContext<'_>) -> Outcome {
    let (table, indices) = (data(ctx, 0)?, data(ctx, 1)?);
    let places = match &indices.shape {
        Ok(places) => places,
        Err(reason) => {
            let fact = match table.rank() {
                Some(rank) => {
                    super::given::open(ctx, table.dtype, rank, "the indices' shape").into()
                }
                None => Fact::unranked(table.dtype, reason.clone()),
            };
            return Ok(vec![fact]);
        }
    };
    let axis = ctx.axis(ctx.int_or("axis", 0), places.len())?;
    if let Some(dims) = table.dims() {
        if dims.len() != places.len() {
            return Err(Fail::contradiction(format!(
                "GatherElements has indices of {} dimensions for {}",
                places.len(),
                dims.len()
            )));
        }
        check(ctx, &indices, &dims[axis])?;
    }
    let fact = TensorFact::new(table.dtype, places.iter().cloned());
    let (Some(source), Some(at)) = (Source::new(&table), Source::new(&indices)) else {
        return Ok(vec![fact.into()]);
    };
    let fact = filled(fact, |place| {
        let looked_up = at.at(place).as_i64();
        let Some(row) = looked_up.and_then(|row| index(row, source.dims[axis])) else {
            return Elem::Unknown;
        };
        let mut from = place.to_vec();
        from[axis] = row;
        source.at(&from)
    });
    Ok(vec![fact.into()])
}

/// GatherND looks up slices by tuples of indices:
/// <https://onnx.ai/onnx/operators/onnx__GatherND.html>.
pub(super) fn gather_nd(ctx: &mut OpContext<'_>) -> Outcome {
    let (table, indices) = (data(ctx, 0)?, data(ctx, 1)?);
    let (dims, places) = match (&table.shape, &indices.shape) {
        (Ok(dims), Ok(places)) => (dims, places),
        (Err(reason), _) | (_, Err(reason)) => {
            return Ok(vec![Fact::unranked(table.dtype, reason.clone())]);
        }
    };
    let Some((tuple, outer)) = places.split_last() else {
        return Err(Fail::contradiction("GatherND has a single number for its indices"));
    };
    let Some(tuple) = tuple.as_const() else {
        let reason = format!("GatherND's tuples have {tuple} indices");
        return Ok(vec![Fact::unranked(table.dtype, reason)]);
    };
    let batch = ctx.int_or("batch_dims", 0);
    let used = usize::try_from(batch).ok().zip(usize::try_from(tuple).ok());
    let used = used.and_then(|(batch, tuple)| Some((batch, batch.checked_add(tuple)?)));
    let Some((batch, used)) =
        used.filter(|(batch, used)| *batch <= outer.len() && *used <= dims.len())
    else {
        return Err(Fail::contradiction(format!(
            "GatherND has tuples of {tuple} after {batch} batch dimensions, and its input {}",
            dims.len()
        )));
    };
    if outer.len() + dims.len() > MAX_RANK {
        return Ok(vec![Fact::unranked(table.dtype, TOO_MANY)]);
    }
    let fact = TensorFact::new(table.dtype, outer.iter().chain(&dims[used..]).cloned());
    let (Some(source), Some(at)) = (Source::new(&table), Source::new(&indices)) else {
        return Ok(vec![fact.into()]);
    };
    let fact = filled(fact, |place| {
        let (chosen, inner) = place.split_at(outer.len());
        let mut from = chosen[..batch].to_vec();
        let mut tuple = chosen.to_vec();
        tuple.push(0);
        for axis in batch..used {
            tuple[outer.len()] = axis - batch;
            match at.at(&tuple).as_i64().and_then(|row| index(row, source.dims[axis])) {
                Some(row) => from.push(row),
                None => return Elem::Unknown,
            }
        }
        from.extend_from_slice(inner);
        source.at(&from)
    });
    Ok(vec![fact.into()])
}
