//! Which units carry the network, and which only dress it.

use crate::net::{BlockKind, BlockProperties as _, Net, Op, Ops, Unit};

/// Operators that hold most of what a network does. Blocks that contain one count as well.
const HEAVY: Ops = Ops {
    blocks: &[BlockKind::Attention],
    operators: &[
        "Conv",
        "ConvTranspose",
        "DFT",
        "DeformConv",
        "Einsum",
        "GRU",
        "Gemm",
        "LSTM",
        "MatMul",
        "MaxRoiPool",
        "NonMaxSuppression",
        "RNN",
        "RoiAlign",
        "STFT",
        "TfIdfVectorizer",
    ],
};

/// Whether a unit is more than a step that dresses another: whether it, or something inside it,
/// contracts, looks up, recurs or decides.
pub(crate) fn is_heavy(net: &Net<'_>, unit: &Unit) -> bool {
    !unit.block().is_some_and(BlockKind::is_light)
        && unit.walk().any(|part| is_heavy_step(net, part))
}

/// How many heavy steps there are inside.
pub(crate) fn weight(net: &Net<'_>, unit: &Unit) -> usize {
    unit.walk().filter(|part| is_heavy_step(net, part)).count()
}

fn is_heavy_step(net: &Net<'_>, unit: &Unit) -> bool {
    if !unit.parts.is_empty() {
        return false;
    }
    // A table that data looks things up in.
    if unit.is("Gather") {
        return unit.input(0).is_some_and(|table| !net.is_data(table));
    }
    unit.is(HEAVY) || is_foreign(net, unit)
}

/// Classical models and operators that nobody knows are all that their graphs have.
fn is_foreign(net: &Net<'_>, unit: &Unit) -> bool {
    let domain = net.model.name(net.model.node(unit.node).domain);
    unit.op == Op::Unknown || (domain == "ai.onnx.ml" && !is_plumbing(unit.op.id()))
}

fn is_plumbing(op: &str) -> bool {
    matches!(op, "ArrayFeatureExtractor" | "CastMap" | "FeatureVectorizer" | "ZipMap")
}

/// Whether a unit convolves, so that its result has a resolution.
pub(super) fn is_convolutional(unit: &Unit) -> bool {
    unit.walk().any(|part| part.is(["Conv", "ConvTranspose", "DeformConv"]))
}
