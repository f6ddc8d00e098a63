//! The report's section on weights.

use calipers_ir::DType;
use calipers_report::{TensorRange, Unknown, UnreadTensor, Weights as Section};

use super::{Seen, Weights};
use crate::not_known;

/// Tensors whose range is given.
const RANGES: usize = 10_000;

/// Tensors that could not be read and are named.
const NAMED: usize = 8;

impl Weights {
    /// The section; what could not be read is unknown.
    pub fn summarize(&self, unknown: &mut Vec<Unknown>) -> Section {
        if let Some((name, reason)) = self.unread.first() {
            let count = self.unread.len();
            let reported = format!(
                "{count} of {} tensors were not read, first {name:?}: {reason}",
                count + self.tensors.len()
            );
            not_known(unknown, "weights.unread", reported);
        }
        let mut section = Section {
            tensors: self.tensors.len() as u64,
            bytes: self.tensors.iter().map(|seen| seen.bytes).sum(),
            unread: self.unread.len() as u64,
            unread_tensors: self.unread.iter().take(NAMED).map(unread).collect(),
            duplicate_bytes: self.duplicate_bytes(),
            ranges: self.learned().take(RANGES).map(range).collect(),
            ..Section::default()
        };
        for seen in self.learned() {
            let stats = &seen.found.stats;
            section.elements += stats.elements;
            section.nan += stats.nan;
            section.infinite += stats.infinite();
            section.subnormal += stats.subnormal;
            section.zeros += stats.zeros;
            section.dead_channels += seen.found.dead_channels;
            if seen.dtype == DType::Float32 {
                section.fits_float16_bytes += if stats.fits_float16 { seen.bytes } else { 0 };
                section.fits_bfloat16_bytes += if stats.fits_bfloat16 { seen.bytes } else { 0 };
            }
        }
        section.sparsity_percent = percent(section.zeros, section.elements);
        section
    }

    /// Tensors that were learned.
    pub fn learned(&self) -> impl Iterator<Item = &Seen> {
        self.tensors.iter().filter(|seen| seen.is_learned())
    }

    /// Bytes that would go if each tensor were stored once.
    pub fn duplicate_bytes(&self) -> u64 {
        let spare = |group: &Vec<usize>| {
            let bytes = group.first().map_or(0, |at| self.tensors[*at].bytes);
            bytes.saturating_mul(group.len() as u64 - 1)
        };
        self.same.iter().map(spare).fold(0, u64::saturating_add)
    }
}

fn unread((name, reason): &(String, String)) -> UnreadTensor {
    UnreadTensor { name: name.clone(), reason: reason.clone() }
}

fn range(seen: &Seen) -> TensorRange {
    let stats = &seen.found.stats;
    TensorRange {
        name: seen.name.clone(),
        dtype: seen.dtype,
        shape: seen.dims.to_vec(),
        min: stats.min,
        max: stats.max,
        mean: finite(stats.mean),
        std: finite(stats.std()),
        max_abs_z_score: finite(stats.max_abs_z_score()),
        sparsity_percent: percent(stats.zeros, stats.elements),
        dead_channels: seen.found.dead_channels,
    }
}

/// A figure that JSON can hold: sums of doubles near the largest there is overflow.
fn finite(figure: f64) -> f64 {
    if figure.is_nan() { f64::MAX } else { figure.clamp(f64::MIN, f64::MAX) }
}

/// A share in percent, to two decimals.
#[expect(clippy::cast_precision_loss, reason = "it is rounded to two decimals")]
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64 * 10_000.0).round() / 100.0 }
}
