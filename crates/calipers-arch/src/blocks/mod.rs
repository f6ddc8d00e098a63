//! Blocks that people know by name, found in the network by their structure.
//!
//! Each recogniser is a file: what it matches, in which exporters' forms, what it extracts. To add
//! one, write its file and add its line to [`TABLE`]. They run in the order of the table, and what
//! an earlier one folded is a unit to a later one: norms and activations first, then what is made of
//! them.

mod attention;
mod batch_norm;
mod conv;
mod conv_norm_act;
mod convnext;
mod convolution;
mod csp;
mod curve;
mod dense_unit;
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
mod plain_curves;
mod pool_head;
mod pyramid;
mod raw_head;
mod recurrent;
mod residual;
mod resnet;
mod rms_norm;
mod rotary;
mod shuffle_unit;
mod silu;
mod skips;
mod spp;
mod squeeze_excite;
#[cfg(test)]
pub mod testing;

use calipers_report::BlockCount;
use hashbrown::{HashMap, HashSet};
pub use skips::skips;

use crate::net::{Found, Net, UnitId};

/// A kind of block and how it is found.
pub struct Recogniser {
    /// Its name in the report.
    pub kind: &'static str,
    /// What it is, in a sentence.
    pub what: &'static str,
    /// Operators or kinds that such a block ends with, or that tell it wherever they stand in it.
    pub ends: &'static [&'static str],
    /// Looks at a unit of those, and finds the block that it belongs to.
    pub find: fn(&Net<'_>, UnitId) -> Option<Found>,
}

/// Every recogniser, in the order they run.
pub const TABLE: &[Recogniser] = &[
    // Contractions with their weights.
    linear::LINEAR,
    convolution::CONVOLUTION,
    // Norms. What stands between reshapes goes before what stands alone.
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
    plain_curves::PRELU,
    plain_curves::ELU,
    plain_curves::SELU,
    plain_curves::CELU,
    // Attention, embeddings, feed-forward, recurrence.
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
    dense_unit::DENSE_UNIT,
    shuffle_unit::SHUFFLE_UNIT,
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
pub fn recognise(net: &mut Net<'_>) {
    for row in TABLE {
        let mut ends: Vec<UnitId> = row.ends.iter().flat_map(|op| net.of_op(op)).collect();
        ends.sort_unstable();
        for end in ends {
            // Another block of this kind may have taken it.
            if net.unit(end).is_any(row.ends)
                && let Some(found) = (row.find)(net, end)
            {
                net.fold(row.kind, found);
            }
        }
    }
}

/// Nodes that are named for each kind of block.
const NAMED: usize = 5;

/// How often each kind was found, inside other blocks too, the commonest first.
pub fn counts(net: &Net<'_>) -> Vec<BlockCount> {
    let mut nodes: HashMap<&str, Vec<String>> = HashMap::new();
    let kinds: HashSet<&str> = TABLE.iter().map(|row| row.kind).collect();
    for unit in net.all().filter(|unit| kinds.contains(unit.op)) {
        let named = nodes.entry(unit.op).or_default();
        if named.len() < NAMED {
            named.push(net.model.node_label(unit.node));
        }
    }
    let count = |row: &Recogniser| {
        let count = u64::try_from(net.count(row.kind)).unwrap_or(0);
        let nodes = nodes.remove(row.kind).unwrap_or_default();
        BlockCount { kind: row.kind.to_owned(), what: row.what.to_owned(), count, nodes }
    };
    let mut counts: Vec<BlockCount> = TABLE.iter().map(count).filter(|row| row.count > 0).collect();
    counts.sort_by_key(|row| std::cmp::Reverse(row.count));
    counts
}

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn every_kind_is_told_and_has_an_end() {
        for row in TABLE {
            assert!(!row.what.is_empty() && row.what.ends_with('.'), "{}", row.kind);
            assert!(!row.ends.is_empty(), "{}", row.kind);
        }
    }
}
