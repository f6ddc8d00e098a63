//! The model at growing batches, lengths and resolutions on one device.

use calipers_report::{RunEstimate, ScalingRow};

use super::estimate::{Estimate, NoEstimate};
use super::memory_fit::{Fit, MemoryFit};
use super::profile::OperatingPoint;
use super::query::{digits, span};
use crate::devices::Device;

/// Batches up to this are always shown, unless one before does not fit.
const SHOWN: u64 = 64;

/// Batches are shown up to here where they fit.
const MOST: u64 = 1024;

/// Rows along a sequence.
const LENGTHS: usize = 8;

/// The share of the best throughput that is enough, in tenths.
const ENOUGH: f64 = 0.9;

/// One row.
pub(crate) fn row(
    memory_fit: &MemoryFit<'_>,
    at: &OperatingPoint,
    device: &Device,
    size: u64,
    samples: u64,
) -> ScalingRow {
    let profile = memory_fit.profile;
    let time = || profile.kernels(at).and_then(|kernels| profile.time(&kernels, device));
    ScalingRow { size, run: run(&memory_fit.fit(at, device), samples, time).0 }
}

/// One run of `samples` samples, and its estimate. What does not fit is not timed.
pub(crate) fn run(
    fit: &Fit,
    samples: u64,
    time: impl FnOnce() -> Result<Estimate, NoEstimate>,
) -> (RunEstimate, Option<Estimate>) {
    let mut run = RunEstimate { memory_bytes: fit.bytes, fits: fit.fits, ..RunEstimate::default() };
    if fit.fits == Some(false) {
        return (run, None);
    }
    match time() {
        Ok(estimate) => {
            run.latency_ms = Some(span(&estimate.replayed));
            run.throughput = Some(rate(samples, estimate.replayed.expected));
            (run, Some(estimate))
        }
        Err(why) => {
            run.reason = Some(why);
            (run, None)
        }
    }
}

/// So many in a time, a second.
#[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
pub(crate) fn rate(samples: u64, seconds: f64) -> f64 {
    digits(samples as f64 / seconds)
}

/// Batches in powers of two, to [`SHOWN`] or as far as they fit, with the first that does not.
pub(crate) fn batches(
    memory_fit: &MemoryFit<'_>,
    base: &OperatingPoint,
    device: &Device,
) -> Vec<ScalingRow> {
    let mut rows = Vec::new();
    let mut batch = 1;
    while batch <= MOST {
        let at = OperatingPoint { batch, ..base.clone() };
        let row = row(memory_fit, &at, device, batch, batch);
        // Beyond what is shown anyway, only a row that says where it ends.
        let ends = row.run.latency_ms.is_none() || row.run.fits.is_none() && batch >= SHOWN;
        rows.push(row);
        if ends {
            break;
        }
        batch *= 2;
    }
    // What fits at any batch needs no rows that say nothing new.
    if rows.last().is_some_and(|row| row.run.fits == Some(true)) {
        rows.retain(|row| row.size <= SHOWN * 4);
    }
    drop_empty(rows)
}

/// The smallest batch that gives nine tenths of the best throughput.
pub(crate) fn enough(rows: &[ScalingRow]) -> Option<u64> {
    let best = rows.iter().filter_map(|row| row.run.throughput).fold(0.0, f64::max);
    let enough = |row: &&ScalingRow| row.run.throughput.is_some_and(|rate| rate >= best * ENOUGH);
    let last = rows.iter().rev().find(|row| row.run.throughput.is_some())?;
    // Where the last row is the first that is enough, it may go on.
    rows.iter().find(enough).map(|row| row.size).filter(|size| *size < last.size)
}

/// Lengths in powers of two around the one that is assumed, none beyond the model's positions.
pub(crate) fn lengths(
    memory_fit: &MemoryFit<'_>,
    base: &OperatingPoint,
    device: &Device,
    positions: Option<u64>,
) -> Vec<ScalingRow> {
    let profile = memory_fit.profile;
    let Some(context) = profile.context() else { return Vec::new() };
    let most = positions.unwrap_or(u64::MAX).min((context.max(128)).saturating_mul(64));
    let mut rows: Vec<ScalingRow> = Vec::new();
    let mut length = if context >= 4096 { 512 } else { 32 };
    while length <= most && rows.len() < LENGTHS {
        let new = if profile.cached() { 1 } else { length };
        let at = OperatingPoint { dims: profile.lengths(length, new), ..base.clone() };
        // Of a decoder with a cache, what counts is tokens: one of every sequence in a step.
        let row = row(memory_fit, &at, device, length, base.batch);
        let ends = row.run.fits == Some(false);
        rows.push(row);
        if ends {
            break;
        }
        length *= 2;
    }
    drop_empty(rows)
}

/// A table in which nothing is timed is none, unless it says what does not fit.
pub(super) fn drop_empty(rows: Vec<ScalingRow>) -> Vec<ScalingRow> {
    let known = rows.iter().any(|row| row.run.latency_ms.is_some() || row.run.fits == Some(false));
    if known { rows } else { Vec::new() }
}
