//! Structural properties of the network that cause problems.

pub(super) mod attention_quadratic;
pub(super) mod deep_without_shortcut;
pub(super) mod dense_layer_dominates;
pub(super) mod embedding_dominates;
pub(super) mod embedding_untied;
pub(super) mod extreme_bottleneck;
mod layers;
pub(super) mod linear_layers_in_a_row;
pub(super) mod no_normalization;
pub(super) mod one_node_dominates;

use calipers_report::units;
pub(super) use layers::Layers;

/// Formats a count: `9,408`, `102.8 million`.
fn count(number: u64) -> String {
    units::spoken(number)
}

/// Returns a share in whole percent.
fn percent(part: u64, whole: u64) -> u64 {
    u64::try_from(u128::from(part) * 100 / u128::from(whole.max(1))).unwrap_or(u64::MAX)
}
