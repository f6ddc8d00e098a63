//! What reading every weight shows. These rules speak only when that was asked for.

pub(super) mod constant_weights;
pub(super) mod dead_filters;
pub(super) mod duplicate_weights;
pub(super) mod sparse_weights;
pub(super) mod subnormal_weights;
pub(super) mod weight_outliers;
pub(super) mod weights_fit_float16;
pub(super) mod weights_not_finite;

use crate::weights::Seen;

/// A share in percent, with a decimal where it is small.
fn percent(part: u64, whole: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "it is rounded to be read")]
    let percent = part as f64 / whole.max(1) as f64 * 100.0;
    if percent >= 10.0 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// A size in bytes that people can read: decimal units, as the rest of the report has them.
fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "it is rounded to be read")]
    let bytes_f = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes_f / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes_f / 1e6),
        _ => format!("{:.2} GB", bytes_f / 1e9),
    }
}

/// The name of a tensor as it stands in a sentence.
fn named(seen: &Seen) -> String {
    format!("{:?}", seen.name)
}
