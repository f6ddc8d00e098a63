//! Which results need no place of their own.
//!
//! - A view has the elements of its first input in their order, so it shares its place,
//!   and the place stays until neither is needed.
//! - The first output of an element-wise operator may overwrite an input of the
//!   same number of bytes: each element is read before its result is written. It does when nothing
//!   reads that input, or a view of it, afterwards, and the input was not borrowed by the caller. An
//!   input that is broadcast has fewer bytes and is never overwritten.
//!
//! Everything else reads inputs after it has begun to write: convolutions, products, reductions,
//! transpositions. Normalizations and softmax, which some runtimes do in place, count among them.

use calipers_infer::walk::{ResolvedKind, ResolvedOps};
use calipers_ir::{Model, NodeId};

/// What a node may do with the place of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reuse {
    Never,
    View,
    Overwrite,
}

pub(super) fn reuse_of(model: &Model, resolved: &ResolvedOps, node: NodeId) -> Reuse {
    // A function of the model may bear any name.
    let ResolvedKind::Operator(operator) = resolved.get(node).kind else { return Reuse::Never };
    if operator.traits.is_view() {
        Reuse::View
    } else if model.outputs(node).len() == 1 && operator.traits.runs_in_place {
        Reuse::Overwrite
    } else {
        Reuse::Never
    }
}
