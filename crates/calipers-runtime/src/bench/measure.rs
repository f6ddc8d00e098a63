//! The measurement loop: warm-up until latency is stable, then enough runs.

use std::time::Duration;

use super::statistics::median;

/// Runs of a window; the medians of two windows are compared.
const WINDOW: usize = 5;
/// Windows whose medians are this close are stable.
const STABLE: f64 = 0.03;
/// The warm-up ends after this time, stable or not.
const LONGEST_WARMUP: Duration = Duration::from_secs(3);
/// Measured runs at least, of models that take less than a second.
const FEWEST: usize = 20;
/// Measured runs at least, of slow models.
const FEWEST_SLOW: usize = 5;
/// More runs change no percentile.
const MOST: usize = 100_000;

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The time of all measured runs together.
    pub duration: Duration,
    /// The number of measured runs, in place of a time.
    pub runs: Option<usize>,
}

impl Default for Effort {
    fn default() -> Self {
        Self { duration: Duration::from_secs(5), runs: None }
    }
}

/// The latencies of measured runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Milliseconds of each run, in order.
    pub latencies_ms: Vec<f64>,
    /// Runs before the measurement.
    pub warmup_runs: usize,
    /// Whether latency was stable when the measurement began.
    pub is_stable: bool,
}

/// Measures: `run` executes once and returns its time.
///
/// # Errors
///
/// The first error of a run.
pub fn measure<E>(
    effort: &Effort,
    mut run: impl FnMut() -> Result<Duration, E>,
) -> Result<Samples, E> {
    let mut samples = Samples::default();
    let mut warmup: Vec<f64> = Vec::new();
    let mut elapsed = Duration::ZERO;
    loop {
        let time = run()?;
        elapsed += time;
        warmup.push(milliseconds(time));
        samples.is_stable = is_stable(&warmup);
        if samples.is_stable || elapsed >= LONGEST_WARMUP {
            break;
        }
    }
    samples.warmup_runs = warmup.len();
    let fewest = match median(&warmup) < 1000.0 {
        true => FEWEST,
        false => FEWEST_SLOW,
    };
    elapsed = Duration::ZERO;
    loop {
        let time = run()?;
        elapsed += time;
        samples.latencies_ms.push(milliseconds(time));
        let count = samples.latencies_ms.len();
        let is_enough = match effort.runs {
            Some(runs) => count >= runs,
            None => (elapsed >= effort.duration && count >= fewest) || count >= MOST,
        };
        if is_enough {
            return Ok(samples);
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Whether the last window is as fast as the one before it.
fn is_stable(latencies: &[f64]) -> bool {
    let Some(start) = latencies.len().checked_sub(2 * WINDOW) else { return false };
    let (before, last) = latencies[start..].split_at(WINDOW);
    let (before, last) = (median(before), median(last));
    (before - last).abs() <= STABLE * last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warmup_ends_when_latency_is_stable() {
        // Six slow runs, then 10 ms each: windows of 5 and 5 are alike from run 14 on, when the
        // median of the first window (runs 5 to 9) is 10 ms too.
        let mut count = 0;
        let run = || -> Result<Duration, ()> {
            count += 1;
            Ok(Duration::from_millis(if count <= 6 { 40 } else { 10 }))
        };
        let effort = Effort { duration: Duration::from_millis(500), runs: None };
        let samples = measure(&effort, run).unwrap();
        assert!(samples.is_stable);
        assert_eq!(samples.warmup_runs, 14);
        // 500 ms of 10 ms.
        assert_eq!(samples.latencies_ms.len(), 50);
    }

    #[test]
    fn slow_models_have_few_runs() {
        let run = || Ok::<_, ()>(Duration::from_millis(1500));
        let samples = measure(&Effort::default(), run).unwrap();
        assert_eq!((samples.warmup_runs, samples.latencies_ms.len()), (2, 5));
        assert!(!samples.is_stable);
        let effort = Effort { runs: Some(3), ..Effort::default() };
        assert_eq!(measure(&effort, run).unwrap().latencies_ms.len(), 3);
        assert_eq!(measure(&effort, || Err(7)), Err(7));
    }
}
