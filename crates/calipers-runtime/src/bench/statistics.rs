//! Statistics over the latency of runs.

use calipers_report::LatencyStatistics;

/// Returns the statistics of latencies in milliseconds; zeros where there are none.
pub fn statistics(latencies_ms: &[f64]) -> LatencyStatistics {
    let mut sorted = latencies_ms.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |percent| percentile(&sorted, percent);
    let median = at(50.0);
    let spread = at(90.0) - at(10.0);
    LatencyStatistics {
        median,
        p90: at(90.0),
        p99: at(99.0),
        min: at(0.0),
        max: at(100.0),
        spread_percent: if median > 0.0 { 100.0 * spread / median } else { 0.0 },
    }
}

/// The median; 0 where there are no values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    percentile(&sorted, 50.0)
}

/// A percentile of sorted values, interpolated between the two nearest; 0 where there are none.
pub fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    #[expect(clippy::cast_precision_loss, reason = "runs are few")]
    let place = (percent / 100.0 * last as f64).clamp(0.0, last as f64);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is an index")]
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_interpolated() {
        let sorted = [1.0, 2.0, 3.0, 4.0, 5.0];
        // Place 0.9 x 4 = 3.6: 4 + 0.6 x (5 - 4).
        assert!((percentile(&sorted, 90.0) - 4.6).abs() < 1e-12);
        // Place 0.99 x 4 = 3.96.
        assert!((percentile(&sorted, 99.0) - 4.96).abs() < 1e-12);
        assert_eq!([0.0, 50.0, 100.0].map(|p| percentile(&sorted, p)), [1.0, 3.0, 5.0]);
        assert_eq!(percentile(&[7.0], 99.0), 7.0);
        assert_eq!(percentile(&[], 50.0), 0.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn the_spread_is_relative_to_the_median() {
        let found = statistics(&[14.0, 10.0, 11.0, 12.0, 13.0]);
        assert_eq!((found.median, found.min, found.max), (12.0, 10.0, 14.0));
        // The 10th percentile is 10.4, the 90th 13.6: 3.2 of 12.
        assert!((found.spread_percent - 100.0 * 3.2 / 12.0).abs() < 1e-9);
        assert_eq!(statistics(&[]), LatencyStatistics::default());
    }
}
