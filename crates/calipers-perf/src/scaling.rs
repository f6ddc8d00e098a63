//! The model at growing batches and lengths.

use calipers_report::{RunEstimate, ScalingRow};

use super::estimate::{Estimate, NoEstimate};
use super::memory_fit::{Fit, MemoryFit};
use super::profile::{MOST_KERNELS, OperatingPoint};
use super::query::{digits, span};
use crate::devices::Device;

/// Batches up to this are always shown, unless one before does not fit.
const SHOWN: u64 = 64;

/// Batches are shown up to here where they fit.
const MOST: u64 = 1024;

/// Number of lengths.
const LENGTHS: usize = 8;

/// The share of the best throughput at which a batch is optimal.
const ENOUGH: f64 = 0.9;

/// Returns one row.
pub(crate) fn row(
    memory_fit: &MemoryFit<'_>,
    at: &OperatingPoint,
    device: &Device,
    size: u64,
    samples: u64,
) -> ScalingRow {
    let profile = memory_fit.profile;
    let time = || profile.loads(at).and_then(|loads| profile.time(&loads, device));
    ScalingRow { size, run: run(&memory_fit.fit(at, device), samples, time).0 }
}

/// Returns one run of `samples` samples, and its estimate. A run that does not fit is not timed.
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
            run.latency_ms = Some(span(&estimate.graph));
            run.throughput = Some(rate(samples, estimate.graph.expected));
            (run, Some(estimate))
        }
        Err(why) => {
            run.reason = Some(why);
            (run, None)
        }
    }
}

/// Returns samples per second.
#[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
pub(crate) fn rate(samples: u64, seconds: f64) -> f64 {
    digits(samples as f64 / seconds)
}

/// Returns batches in powers of two, to [`SHOWN`] or as far as they fit, with the first that does
/// not; nothing for a model without a batch dimension.
pub(crate) fn batches(
    memory_fit: &MemoryFit<'_>,
    base: &OperatingPoint,
    device: &Device,
) -> Vec<ScalingRow> {
    let mut rows = Vec::new();
    if !memory_fit.profile.batch.has_dimension {
        return rows;
    }
    let mut batch = 1;
    while batch <= MOST {
        let at = OperatingPoint { batch, ..base.clone() };
        let row = row(memory_fit, &at, device, batch, batch);
        // Beyond the rows that are always shown, stop at the first that does not fit.
        let ends = row.run.latency_ms.is_none() || row.run.fits.is_none() && batch >= SHOWN;
        rows.push(row);
        if ends {
            break;
        }
        batch *= 2;
    }
    // Where every batch fits, larger ones add nothing.
    if rows.last().is_some_and(|row| row.run.fits == Some(true)) {
        rows.retain(|row| row.size <= SHOWN * 4);
    }
    drop_empty(rows)
}

/// Returns the smallest batch with nine tenths of the best throughput.
pub(crate) fn saturation_batch(rows: &[ScalingRow]) -> Option<u64> {
    let best = rows.iter().filter_map(|row| row.run.throughput).fold(0.0, f64::max);
    let enough = |row: &&ScalingRow| row.run.throughput.is_some_and(|rate| rate >= best * ENOUGH);
    let last = rows.iter().rev().find(|row| row.run.throughput.is_some())?;
    // Where only the last row is enough, throughput may grow beyond it.
    rows.iter().find(enough).map(|row| row.size).filter(|size| *size < last.size)
}

/// Returns lengths in powers of two around the assumed one, up to the model's positions.
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
        // A decoder with a KV cache computes one token of every sequence per step.
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

/// Drops a table in which nothing is timed, unless a row does not fit.
pub(super) fn drop_empty(rows: Vec<ScalingRow>) -> Vec<ScalingRow> {
    let known = rows.iter().any(|row| row.run.latency_ms.is_some() || row.run.fits == Some(false));
    if known { rows } else { Vec::new() }
}

/// Returns the saturation batch of each device, evaluating the kernels once per batch.
pub(crate) fn saturation_batches(
    memory_fit: &MemoryFit<'_>,
    base: &OperatingPoint,
    devices: &[Device],
) -> Vec<Option<u64>> {
    let profile = memory_fit.profile;
    let is_large = profile.plan.workload.groups() > MOST_KERNELS;
    if !profile.batch.has_dimension || is_large {
        return vec![None; devices.len()];
    }
    let mut rows: Vec<Vec<ScalingRow>> = vec![Vec::new(); devices.len()];
    let mut batch = 1;
    while batch <= SHOWN * 4 {
        let at = OperatingPoint { batch, ..base.clone() };
        let loads = profile.loads(&at);
        for (rows, device) in rows.iter_mut().zip(devices) {
            if rows.last().is_some_and(|row| row.run.throughput.is_none()) {
                continue;
            }
            let time = || profile.time(loads.as_ref().map_err(Clone::clone)?, device);
            let (run, _) = run(&memory_fit.fit(&at, device), batch, time);
            rows.push(ScalingRow { size: batch, run });
        }
        batch *= 2;
    }
    rows.iter().map(|rows| saturation_batch(rows)).collect()
}
