//! What the operators of OpenVINO compute, in terms of those of ONNX.
//!
//! An operator that needs a constant as an attribute finds it at its inputs; where the constant is
//! out of reach, the shapes that the file states decide, as far as they can.

mod movement;
mod pointwise;
mod products;
mod recurrent;
mod regions;
mod selection;
mod windows;

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{Format, NameId, TooLarge};

use super::graph::Site;

/// Whether a family has the operator.
type Found = Result<bool, TooLarge>;

/// Says what a layer computes. One whose type is of no operator set keeps its name.
pub(super) fn translate(
    site: Site<'_>,
    assembly: &mut Assembly<'_>,
    call: &mut Call,
) -> Result<(), TooLarge> {
    if site.layer.opset().is_none() && !site.layer.version.is_empty() {
        return Ok(());
    }
    let families: [fn(Site<'_>, &mut Assembly<'_>, &mut Call) -> Found; 7] = [
        pointwise::translate,
        products::translate,
        windows::translate,
        movement::translate,
        selection::translate,
        recurrent::translate,
        regions::translate,
    ];
    for family in families {
        if family(site, assembly, call)? {
            break;
        }
    }
    Ok(())
}

/// Puts the inputs into the order of the row: their places in the file, `None` for one that is left
/// out. Those that the row has no place for follow behind, as settings.
fn arrange(call: &mut Call, order: &[Option<usize>], empty: NameId) {
    let given = std::mem::take(&mut call.inputs);
    call.inputs = order
        .iter()
        .map(|place| place.and_then(|it| given.get(it).copied()).unwrap_or(empty))
        .collect();
    while call.inputs.last() == Some(&empty) {
        call.inputs.pop();
    }
}

/// Names an operator that OpenVINO has alone.
fn own(call: &mut Call, op: &'static str) {
    call.is_of(Format::OpenVino.domain(), op);
}

/// Names an operator that several frameworks have.
fn shared(call: &mut Call, op: &'static str) {
    call.is_of("frameworks", op);
}

/// An axis counted from the front.
fn from_front(axis: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let axis = if axis < 0 { axis.checked_add(rank)? } else { axis };
    usize::try_from(axis).ok().filter(|_| axis < rank)
}
