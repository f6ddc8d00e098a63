//! Elements written by index.

use super::given::data;
use super::place::{Source, index, offset, places};
use crate::context::{OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::TensorFact;

/// The shape of what is written to; its elements after the writing are found by `write`, which
/// gives nothing when it cannot be determined which elements change.
fn written(
    ctx: &OpContext<'_>,
    write: impl FnOnce(&Source<'_>, &TensorFact, &TensorFact, &mut Vec<Elem>) -> Option<()>,
) -> Outcome {
    let (base, indices, updates) = (data(ctx, 0)?, data(ctx, 1)?, data(ctx, 2)?);
    let dtype =
        if base.dtype == calipers_ir::DType::Undefined { updates.dtype } else { base.dtype };
    let fact = TensorFact { dtype, shape: base.shape.clone(), value: None };
    // Nothing is written, or it is not known what is there.
    if indices.constant_count() == Some(0) {
        return Ok(vec![TensorFact { value: base.value, ..fact }.into()]);
    }
    let known = Source::new(&base).zip(base.value.as_deref()).and_then(|(source, elements)| {
        let mut elements = elements.to_vec();
        write(&source, &indices, &updates, &mut elements)?;
        Some(elements)
    });
    Ok(vec![match known {
        Some(elements) => fact.with_value(elements).into(),
        None => fact.into(),
    }])
}

/// ScatterElements, and Scatter as it was called, write one element for each index:
/// <https://onnx.ai/onnx/operators/onnx__ScatterElements.html>.
pub(super) fn scatter_elements(ctx: &mut OpContext<'_>) -> Outcome {
    let axis = match data(ctx, 0)?.rank() {
        Some(rank) => ctx.axis(ctx.int_or("axis", 0), rank)?,
        None => 0,
    };
    let plain = ctx.text_or("reduction", "none") == "none";
    written(ctx, |base, indices, updates, elements| {
        let at = Source::new(indices)?;
        let new = Source::new(updates);
        let mut sure = at.dims.len() == base.dims.len();
        places(&at.dims, |place| {
            let row = at.at(place).as_i64().zip(base.dims.get(axis));
            let row = row.and_then(|(row, dim)| index(row, *dim));
            let to = row.filter(|_| sure).and_then(|row| {
                let mut to = place.to_vec();
                to[axis] = row;
                offset(&base.dims, &to)
            });
            match to {
                Some(to) => {
                    let element = new.as_ref().filter(|_| plain).map(|new| new.at(place));
                    elements[to] = element.unwrap_or(Elem::Unknown);
                }
                None => sure = false,
            }
        });
        sure.then_some(())
    })
}

/// ScatterND writes slices by tuples of indices:
/// <https://onnx.ai/onnx/operators/onnx__ScatterND.html>.
pub(super) fn scatter_nd(ctx: &mut OpContext<'_>) -> Outcome {
    let plain = ctx.text_or("reduction", "none") == "none";
    written(ctx, |base, indices, updates, elements| {
        let at = Source::new(indices)?;
        let new = Source::new(updates);
        let (tuple, outer) = at.dims.split_last()?;
        let inner = base.dims.get(*tuple..)?;
        // An update for each tuple and each element of the slices it names.
        let each: Vec<usize> = outer.iter().chain(inner).copied().collect();
        let count = each.iter().try_fold(1_usize, |count, dim| count.checked_mul(*dim))?;
        if count > crate::MAX_ELEMENTS {
            return None;
        }
        let mut sure = true;
        places(&each, |place| {
            let (chosen, inner) = place.split_at(outer.len());
            let mut to = Vec::with_capacity(base.dims.len());
            for axis in 0..*tuple {
                let row = at.at(&[chosen, &[axis]].concat()).as_i64();
                to.extend(row.and_then(|row| index(row, base.dims[axis])));
            }
            to.extend_from_slice(inner);
            match offset(&base.dims, &to) {
                Some(to) => {
                    let element = new.as_ref().filter(|_| plain).map(|new| new.at(place));
                    elements[to] = element.unwrap_or(Elem::Unknown);
                }
                None => sure = false,
            }
        });
        sure.then_some(())
    })
}

/// TensorScatter writes into a cache of fixed size:
/// <https://onnx.ai/onnx/operators/onnx__TensorScatter.html>.
pub(super) fn tensor_scatter(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![TensorFact { value: None, ..data(ctx, 0)? }.into()])
}
