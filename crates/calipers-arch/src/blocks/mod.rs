//! Blocks that people know by name, found in the network by their structure.
//!
//! Each pattern is a file: what it matches, in which exporters' forms, what it extracts. To add
//! one, write its file and add its line to [`PATTERNS`]. They run in the order of the table, and what
//! an earlier one folded is a unit to a later one: norms and activations first, then what is made of
//! them.

mod attention;
mod batch_norm;
mod conv;
mod conv_norm_act;
mod convnext;
mod convolution;
mod csp;
mod dense_layer;
mod depthwise_separable;
mod detection_head;
mod embedding;
mod experts;
mod feed_forward;
mod fire;
mod gelu;
mod group_norm;
mod hard;
mod inception;
mod instance_norm;
mod inverted_residual;
mod l2_norm;
mod layer_norm;
mod linear;
mod mish;
mod moments;
mod patch_embedding;
mod plain_activations;
mod pool_head;
mod pyramid;
mod raw_head;
mod recurrent;
mod recurrent_cell;
mod residual;
mod resnet;
mod rms_norm;
mod rotary;
mod shuffle_block;
mod silu;
mod skips;
mod spp;
mod squeeze_excite;
#[cfg(test)]
pub mod testing;
mod unary;

use calipers_report::BlockCount;
use hashbrown::HashMap;
pub use skips::skips;

use crate::network::{BlockKind, Found, Network, OpId, Ops};

/// A kind of block and how it is found.
pub struct Pattern {
    /// The kind that it produces.
    pub kind: BlockKind,
    /// What the block is, in a sentence.
    pub description: &'static str,
    /// Operators and kinds that such a block ends with, or that give it away anywhere inside.
    pub anchors: Ops,
    /// Looks at a unit of those, and finds the block that it belongs to.
    pub matcher: fn(&Network<'_>, OpId) -> Option<Found>,
}

/// Every pattern, in the order they run.
pub const PATTERNS: &[Pattern] = &[
    // Contractions with their weights.
    linear::LINEAR,
    convolution::CONVOLUTION,
    // Norms. What is between reshapes goes before what is alone.
    group_norm::GROUP_NORM,
    instance_norm::INSTANCE_NORM,
    layer_norm::LAYER_NORM,
    rms_norm::RMS_NORM,
    l2_norm::L2_NORM,
    batch_norm::BATCH_NORM,
    l2_norm::LRN,
    // Activations. What holds another goes before it.
    gelu::GELU,
    silu::SILU,
    mish::MISH,
    hard::HARD_SWISH,
    hard::HARD_SIGMOID,
    hard::RELU6,
    hard::RELU,
    hard::LEAKY_RELU,
    plain_activations::PRELU,
    plain_activations::ELU,
    plain_activations::SELU,
    plain_activations::CELU,
    // Attention, embeddings, feed-forward, recurrence. The gates of a cell go before what a gate alone
    // may be.
    recurrent_cell::RECURRENT_CELL,
    rotary::ROTARY,
    attention::ATTENTION,
    embedding::EMBEDDING,
    patch_embedding::PATCH_EMBEDDING,
    feed_forward::FEED_FORWARD,
    experts::EXPERTS,
    recurrent::RECURRENT,
    // Residual additions, and skips of other kinds.
    residual::ADDITION,
    skips::CONCATENATION,
    skips::GATE,
    skips::SUBTRACTION,
    // Blocks of convolutional networks.
    squeeze_excite::SQUEEZE_EXCITE,
    convnext::CONVNEXT,
    conv_norm_act::CONV_NORM_ACT,
    inverted_residual::INVERTED_RESIDUAL,
    depthwise_separable::DEPTHWISE_SEPARABLE,
    resnet::BOTTLENECK,
    resnet::BASIC,
    dense_layer::DENSE_UNIT,
    shuffle_block::SHUFFLE_UNIT,
    fire::FIRE,
    spp::SPP,
    csp::CSP,
    inception::INCEPTION,
    pyramid::UNET_SKIP,
    pyramid::FEATURE_PYRAMID,
    // Heads, and what comes before and after the network.
    detection_head::DETECTION_HEAD,
    raw_head::RAW_HEAD,
    pool_head::CLASSIFIER_HEAD,
    // What is left of paths with shortcuts.
    residual::BLOCK,
];

/// Folds every block of the table.
pub fn recognize(net: &mut Network<'_>) {
    for pattern in PATTERNS {
        let mut anchors: Vec<OpId> = pattern.anchors.iter().flat_map(|op| net.of_op(op)).collect();
        anchors.sort_unstable();
        for anchor in anchors {
            // Another block of this kind may have taken it.
            if net.unit(anchor).is(pattern.anchors)
                && let Some(found) = (pattern.matcher)(net, anchor)
            {
                net.fold(pattern.kind, found);
            }
        }
    }
}

/// Nodes that are named for each kind of block.
const NAMED: usize = 5;

/// How often each kind was found, inside other blocks too, the commonest first.
pub fn counts(net: &Network<'_>) -> Vec<BlockCount> {
    let mut nodes: HashMap<BlockKind, Vec<String>> = HashMap::new();
    for unit in net.all() {
        let Some(kind) = unit.block() else { continue };
        let named = nodes.entry(kind).or_default();
        if named.len() < NAMED {
            named.push(net.model.node_label(unit.node));
        }
    }
    // Several patterns may find the same kind: the first of them has the row.
    let count = |pattern: &Pattern| {
        let Pattern { kind, description, .. } = pattern;
        let nodes = nodes.remove(kind)?;
        let count = u64::try_from(net.count(*kind)).unwrap_or(0);
        let (kind, what) = (*kind, (*description).to_owned());
        Some(BlockCount { kind, what, count, nodes })
    };
    let mut counts: Vec<BlockCount> = PATTERNS.iter().filter_map(count).collect();
    counts.sort_by_key(|row| std::cmp::Reverse(row.count));
    counts
}

#[cfg(test)]
mod tests {
    use hashbrown::HashSet;

    use super::PATTERNS;
    use crate::network::BlockKind;

    #[test]
    fn every_pattern_has_a_description_and_anchors() {
        for pattern in PATTERNS {
            let description = pattern.description;
            assert!(description.len() > 1 && description.ends_with('.'), "{:?}", pattern.kind);
            assert!(pattern.anchors.iter().next().is_some(), "{:?}", pattern.kind);
        }
    }

    #[test]
    fn every_kind_is_produced() {
        let produced: HashSet<BlockKind> = PATTERNS.iter().map(|pattern| pattern.kind).collect();
        for kind in BlockKind::ALL {
            assert!(produced.contains(kind), "no pattern produces {kind:?}");
        }
    }

    /// A misspelled anchor never matches.
    #[test]
    fn every_anchor_can_occur() {
        for pattern in PATTERNS {
            for name in pattern.anchors.operators {
                let mut rows = calipers_ops::all_rows();
                // The standard `Attention` is lowered to this name.
                let is_known = *name == "DotProductAttention" || rows.any(|row| row.name == *name);
                assert!(is_known, "{name} of {:?}", pattern.kind);
            }
        }
    }
}
