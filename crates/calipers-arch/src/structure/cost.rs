//! Which units carry the network, and which only dress it.

use calipers_ops::{Class, ImageOp, Traits};

use crate::network::{BlockKind, BlockProperties as _, Network, NetworkOp, Op};

/// Operators that hold most of what a network does. Blocks that contain one count as well.
fn is_heavy_operator(traits: &Traits) -> bool {
    traits.is_contraction()
        || traits.is_classical_model()
        || match traits.class {
            Class::Image(image) => matches!(image, ImageOp::Regions | ImageOp::Suppress),
            Class::Signal => true,
            // Those that only pack features into another container dress what follows.
            Class::Features => traits.movement.is_none(),
            _ => false,
        }
}

/// Whether a unit is more than a step that dresses another: whether it, or something inside it,
/// contracts, looks up, recurs or decides.
pub(crate) fn is_heavy(net: &Network<'_>, unit: &NetworkOp) -> bool {
    !unit.block().is_some_and(BlockKind::is_light)
        && unit.walk().any(|part| is_heavy_step(net, part))
}

/// How many heavy steps there are inside.
pub(crate) fn weight(net: &Network<'_>, unit: &NetworkOp) -> usize {
    unit.walk().filter(|part| is_heavy_step(net, part)).count()
}

fn is_heavy_step(net: &Network<'_>, unit: &NetworkOp) -> bool {
    if !unit.parts.is_empty() {
        return false;
    }
    // A table that data looks things up in.
    if unit.is("Gather") {
        return unit.input(0).is_some_and(|table| !net.is_data(table));
    }
    // Operators that nobody knows are all that their graphs have.
    unit.op == Op::Unknown || unit.is(BlockKind::Attention) || unit.has_trait(is_heavy_operator)
}

/// Whether a unit convolves, so that its result has a resolution.
pub(super) fn is_convolutional(unit: &NetworkOp) -> bool {
    unit.walk().any(|part| part.has_trait(|traits| traits.convolves))
}
