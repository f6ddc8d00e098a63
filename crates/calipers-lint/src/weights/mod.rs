//! Rules that read every weight. They run only with `--weights`.

pub(super) mod constant_weights;
pub(super) mod dead_filters;
pub(super) mod duplicate_weights;
pub(super) mod sparse_weights;
pub(super) mod subnormal_weights;
pub(super) mod weight_outliers;
pub(super) mod weights_fit_float16;
pub(super) mod weights_not_finite;

use calipers_measure::weights::Seen;
use calipers_report::units;

/// Formats a share in percent.
fn percent(part: u64, whole: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "it is rounded to be read")]
    let percent = part as f64 / whole.max(1) as f64 * 100.0;
    units::percent(percent)
}

/// Formats the name of a tensor for a sentence.
fn named(seen: &Seen) -> String {
    format!("{:?}", seen.name)
}
