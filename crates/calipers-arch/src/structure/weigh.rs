//! Which units carry the network, and which only dress it.

use crate::net::{Net, Unit};

/// Operators that hold most of what a network does. Blocks that contain one count as well.
const HEAVY: &[&str] = &[
    "Attention",
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
];

/// Kinds that are no more than a step of their surroundings, whatever they contain.
const LIGHT_KINDS: &[&str] = &["ResidualAdd", "Rotary", "L2Norm", "UNetSkip"];

/// Blocks that a drawing gives a box of their own.
pub(super) const COMPOSITE: &[&str] = &[
    "Attention",
    "BasicBlock",
    "Bottleneck",
    "CSP",
    "ClassifierHead",
    "ConvNeXtBlock",
    "DenseUnit",
    "DepthwiseSeparable",
    "DetectionHead",
    "Embedding",
    "EmbeddingPool",
    "FeedForward",
    "Fire",
    "Inception",
    "InvertedResidual",
    "LanguageHead",
    "MelSpectrogram",
    "MixtureOfExperts",
    "PatchEmbedding",
    "Recurrent",
    "Residual",
    "SPP",
    "SegmentationHead",
    "ShuffleUnit",
    "SpanHead",
];

/// Those of them that convolve: each stands alone, so two are never one part.
pub(super) const CONVOLUTIONAL: &[&str] = &[
    "BasicBlock",
    "Bottleneck",
    "CSP",
    "ConvNeXtBlock",
    "DenseUnit",
    "Fire",
    "Inception",
    "InvertedResidual",
    "SPP",
    "ShuffleUnit",
];

/// Those of them that end a network.
pub(super) const HEADS: &[&str] = &[
    "ClassifierHead",
    "DetectionHead",
    "EmbeddingPool",
    "LanguageHead",
    "SegmentationHead",
    "SpanHead",
];

/// Whether a unit is more than a step that dresses another: whether it, or something inside it,
/// contracts, looks up, recurs or decides.
pub(crate) fn is_heavy(net: &Net<'_>, unit: &Unit) -> bool {
    !unit.is_any(LIGHT_KINDS) && unit.walk().any(|part| is_heavy_step(net, part))
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
    unit.is_any(HEAVY) || is_foreign(net, unit)
}

/// Classical models and operators that nobody knows are all that their graphs have.
fn is_foreign(net: &Net<'_>, unit: &Unit) -> bool {
    let domain = net.model.name(net.model.node(unit.node).domain);
    unit.op.is_empty() || (domain == "ai.onnx.ml" && !is_plumbing(unit.op))
}

fn is_plumbing(op: &str) -> bool {
    matches!(op, "ArrayFeatureExtractor" | "CastMap" | "FeatureVectorizer" | "ZipMap")
}

/// Whether a unit convolves, so that its result has a resolution.
pub(super) fn is_convolutional(unit: &Unit) -> bool {
    unit.walk().any(|part| part.is_any(&["Conv", "ConvTranspose", "DeformConv"]))
}
