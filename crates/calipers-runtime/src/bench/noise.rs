//! Noise: what else the machine did during a measurement.

use std::time::Instant;

use calipers_report::{LatencyStatistics, Noise};

use super::statistics::median;

/// A larger spread is noise.
const MOST_SPREAD_PERCENT: f64 = 20.0;
/// A run slower than this many medians was interrupted.
const INTERRUPTED: f64 = 1.5;
/// More interrupted runs than these are noise.
const MOST_INTERRUPTED_PERCENT: f64 = 5.0;
/// A drift of the median from the first to the second half above this is noise.
const MOST_DRIFT_PERCENT: f64 = 5.0;
/// Other processes that use more cores than this are noise.
const MOST_OTHER_CORES: f64 = 0.3;
/// Runs below which percentiles are not judged.
const FEWEST: usize = 10;

/// Processor time of the machine and of this process, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    busy: u64,
    own: u64,
}

/// Watches what other processes do.
#[derive(Debug)]
pub struct Watch {
    start: Instant,
    ticks: Option<Ticks>,
}

/// Ticks per second of Linux's counters; the kernel's interface fixes it.
const TICKS_PER_SECOND: f64 = 100.0;

impl Watch {
    /// Begins to watch.
    pub fn start() -> Self {
        Self { start: Instant::now(), ticks: ticks() }
    }

    /// The cores that other processes used since the start; `None` where the system does not report
    /// it, or the time was too short.
    pub fn other_cores(&self) -> Option<f64> {
        let (before, after) = (self.ticks?, ticks()?);
        let seconds = self.start.elapsed().as_secs_f64();
        let busy = after.busy.checked_sub(before.busy)?;
        let own = after.own.checked_sub(before.own)?;
        #[expect(clippy::cast_precision_loss, reason = "ticks are few")]
        let others = busy.saturating_sub(own) as f64 / TICKS_PER_SECOND;
        (seconds >= 0.5).then_some(others / seconds)
    }
}

fn ticks() -> Option<Ticks> {
    let machine = std::fs::read_to_string("/proc/stat").ok()?;
    let own = std::fs::read_to_string("/proc/self/stat").ok()?;
    Some(Ticks { busy: machine_ticks(&machine)?, own: own_ticks(&own)? })
}

/// Busy ticks of all cores, from `/proc/stat`: user, nice, system, irq, softirq and steal.
fn machine_ticks(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let fields: Vec<u64> = line.split_whitespace().map_while(|field| field.parse().ok()).collect();
    let busy = [0, 1, 2, 5, 6, 7].into_iter().filter_map(|place| fields.get(place));
    (fields.len() >= 4).then(|| busy.sum())
}

/// Ticks of this process, from `/proc/self/stat`. The name may hold spaces and parentheses.
fn own_ticks(text: &str) -> Option<u64> {
    let after = &text[text.rfind(')')? + 1..];
    // The state is field 3; user and system time are fields 14 and 15.
    let mut fields = after.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

/// Judges a measurement.
pub(super) fn noise(
    latencies_ms: &[f64],
    statistics: &LatencyStatistics,
    is_stable: bool,
    other_cores: Option<f64>,
) -> Noise {
    let runs = latencies_ms.len();
    let slow = latencies_ms.iter().filter(|ms| **ms > INTERRUPTED * statistics.median).count();
    #[expect(clippy::cast_precision_loss, reason = "runs are few")]
    let interrupted_percent = 100.0 * slow as f64 / runs.max(1) as f64;
    let mut reasons = Vec::new();
    if !is_stable {
        reasons.push("Latency was not stable at the end of the warm-up.".to_owned());
    }
    if runs >= FEWEST {
        if statistics.spread_percent > MOST_SPREAD_PERCENT {
            let spread = statistics.spread_percent;
            reasons.push(format!(
                "The 10th and 90th percentiles are {spread:.0}% of the median apart."
            ));
        }
        if interrupted_percent > MOST_INTERRUPTED_PERCENT {
            reasons.push(format!(
                "{interrupted_percent:.0}% of the runs took more than {INTERRUPTED} times the median."
            ));
        }
        let (first, second) = latencies_ms.split_at(runs / 2);
        let drift = 100.0 * (median(second) / median(first) - 1.0);
        if drift.abs() > MOST_DRIFT_PERCENT {
            let how = if drift > 0.0 { "slower" } else { "faster" };
            reasons.push(format!(
                "The second half of the runs was {:.0}% {how} than the first.",
                drift.abs()
            ));
        }
    }
    if let Some(cores) = other_cores.filter(|cores| *cores > MOST_OTHER_CORES) {
        reasons.push(format!("Other processes used {cores:.1} cores during the measurement."));
    }
    Noise {
        is_noisy: !reasons.is_empty(),
        reasons,
        other_load_cores: other_cores,
        interrupted_percent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::statistics::statistics;

    #[test]
    fn counters_of_linux_are_read() {
        let machine = "cpu  10 1 5 1000 7 2 3 4 0 0\ncpu0 1 1 1 1\n";
        // user 10, nice 1, system 5, irq 2, softirq 3, steal 4.
        assert_eq!(machine_ticks(machine), Some(25));
        let own = "42 (a ) (b) R 1 1 1 0 -1 4194304 1 2 3 4 70 30 0 0 20 0 1 0 5";
        assert_eq!(own_ticks(own), Some(100));
        assert_eq!((machine_ticks("cpu "), own_ticks("42 (a")), (None, None));
    }

    #[test]
    fn noise_is_stated_with_its_reasons() {
        let judge = |runs: &[f64], cores| noise(runs, &statistics(runs), true, cores);
        let quiet = [10.0, 10.1, 10.0, 10.1, 10.0, 10.1, 10.0, 10.1, 10.0, 10.1, 10.0, 10.1];
        assert_eq!(
            judge(&quiet, Some(0.1)),
            Noise { other_load_cores: Some(0.1), ..Noise::default() }
        );
        let loaded = judge(&quiet, Some(1.0));
        assert!(loaded.is_noisy && loaded.reasons[0].contains("1.0 cores"));
        let mut interrupted = quiet;
        interrupted[3] = 30.0;
        let found = judge(&interrupted, None);
        // One of twelve.
        assert!((found.interrupted_percent - 100.0 / 12.0).abs() < 1e-9);
        assert!(found.is_noisy, "{found:?}");
        let mut slower = [10.0; 12];
        slower[6..].fill(11.0);
        assert!(judge(&slower, None).reasons[0].contains("10% slower"));
    }
}
