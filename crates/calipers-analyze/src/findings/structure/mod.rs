//! What the network's structure makes likely to go wrong.

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

pub(super) use layers::{Layers, WEIGHTED};

/// A count that people can read, to three digits.
fn count(number: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "it is rounded to be read")]
    let wide = number as f64;
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{:.1} thousand", wide / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} million", wide / 1e6),
        _ => format!("{:.2} billion", wide / 1e9),
    }
}

/// A share in whole percent.
fn percent(part: u64, whole: u64) -> u64 {
    u64::try_from(u128::from(part) * 100 / u128::from(whole.max(1))).unwrap_or(u64::MAX)
}
