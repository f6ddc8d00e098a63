//! The inner loops over floats and wide integers.
//!
//! A block of elements is brought into a small buffer of floats and added up there, in lanes, so
//! that the compiler can use whatever vectors the processor has. The common case is made fast:
//! a block with an infinity or a NaN in it is looked at again, element by element.

use calipers_ir::DType;

use crate::stats::{Stats, count};
use crate::vectors::vectorized;

/// Elements looked at in one go; their floats stay in the nearest cache.
const BLOCK: usize = 2048;

/// Sums that run side by side. Their number is part of the result: it fixes the order of additions.
const LANES: usize = 16;

/// Bits of an infinity, without its sign.
const INFINITY: u32 = 0x7f80_0000;

/// The least normal float.
const NORMAL: u32 = 0x0080_0000;

/// Statistics of a run of little-endian elements of more than a byte; `None` for types that are no
/// numbers here.
pub(crate) fn stats(bytes: &[u8], dtype: DType) -> Option<Stats> {
    use DType::*;
    Some(match dtype {
        Float32 => singles(bytes),
        Float16 => halves(bytes),
        Bfloat16 => bfloats(bytes),
        Float64 => wide(bytes, f64::from_le_bytes),
        Int16 => wide(bytes, |b| f64::from(i16::from_le_bytes(b))),
        Uint16 => wide(bytes, |b| f64::from(u16::from_le_bytes(b))),
        Int32 => wide(bytes, |b| f64::from(i32::from_le_bytes(b))),
        Uint32 => wide(bytes, |b| f64::from(u32::from_le_bytes(b))),
        #[expect(clippy::cast_precision_loss, reason = "figures are rounded to 53 bits")]
        Int64 => wide(bytes, |b| i64::from_le_bytes(b) as f64),
        Uint64 => wide(bytes, |b| count(u64::from_le_bytes(b))),
        _ => return None,
    })
}

fn singles(bytes: &[u8]) -> Stats {
    let mut stats = Stats::default();
    let mut buffer = [0.0; BLOCK];
    for block in bytes.as_chunks::<4>().0.chunks(BLOCK) {
        let floats = &mut buffer[..block.len()];
        for (float, bytes) in floats.iter_mut().zip(block) {
            *float = f32::from_le_bytes(*bytes);
        }
        let mut sums = add_up(floats);
        // Nearly every tensor has an element that does not fit within its first block.
        if stats.fits_float16 && !floats.iter().all(|float| fits_float16(*float)) {
            sums.fits_float16 = false;
        }
        if stats.fits_bfloat16 && !floats.iter().all(|float| fits_bfloat16(*float)) {
            sums.fits_bfloat16 = false;
        }
        stats.merge(&sums);
    }
    stats
}

fn halves(bytes: &[u8]) -> Stats {
    let mut stats = Stats::default();
    let mut buffer = [0.0; BLOCK];
    for block in bytes.as_chunks::<2>().0.chunks(BLOCK) {
        let floats = &mut buffer[..block.len()];
        let subnormal = widen(block, floats);
        let mut sums = add_up(floats);
        sums.subnormal = subnormal;
        stats.merge(&sums);
    }
    stats
}

vectorized! {
    /// Converts float16 to float32, and returns the number of float16 subnormals.
    pub(crate) fn widen(block: &[[u8; 2]], floats: &mut [f32]) -> u64 {
        let mut subnormal = 0_u32;
        for (float, bytes) in floats.iter_mut().zip(block) {
            let half = u32::from(u16::from_le_bytes(*bytes));
            let size = half & 0x7fff;
            let normal = (size << 13).wrapping_add(0x3800_0000);
            // A subnormal half is the fraction of a float just above 2^-14, less that.
            let small = f32::from_bits((size << 13).wrapping_add(0x3880_0000)) - f32::from_bits(0x3880_0000);
            // Masks, since branches would keep the loop from being vectors.
            let special = u32::from(size >= 0x7c00).wrapping_neg() & INFINITY;
            let is_small = u32::from(size < 0x400).wrapping_neg();
            let bits = small.to_bits() & is_small | (normal | special) & !is_small;
            *float = f32::from_bits(bits | (half & 0x8000) << 16);
            subnormal = subnormal.wrapping_add(u32::from(size.wrapping_sub(1) < 0x3ff));
        }
        u64::from(subnormal)
    }
}

fn bfloats(bytes: &[u8]) -> Stats {
    let mut stats = Stats::default();
    let mut buffer = [0.0; BLOCK];
    for block in bytes.as_chunks::<2>().0.chunks(BLOCK) {
        let floats = &mut buffer[..block.len()];
        for (float, bytes) in floats.iter_mut().zip(block) {
            *float = f32::from_bits(u32::from(u16::from_le_bytes(*bytes)) << 16);
        }
        stats.merge(&add_up(floats));
    }
    stats
}

fn wide<const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> f64) -> Stats {
    let mut stats = Stats::default();
    let mut buffer = [0.0; BLOCK];
    for block in bytes.as_chunks::<N>().0.chunks(BLOCK) {
        let floats = &mut buffer[..block.len()];
        for (float, bytes) in floats.iter_mut().zip(block) {
            *float = read(*bytes);
        }
        stats.merge(&one_by_one(floats.iter().copied()));
    }
    stats
}

/// Statistics of a block of floats.
fn add_up(floats: &[f32]) -> Stats {
    let sums = sums(floats);
    if sums.largest >= INFINITY {
        let mut stats = one_by_one(floats.iter().map(|float| f64::from(*float)));
        // What is subnormal as a float is not as a double.
        stats.subnormal = floats.iter().filter(|float| float.is_subnormal()).count() as u64;
        return stats;
    }
    let elements = floats.len() as u64;
    let mean = sums.sum / count(elements.max(1));
    Stats {
        elements,
        zeros: sums.zeros,
        subnormal: sums.small - sums.zeros,
        min: f64::from(sums.min),
        max: f64::from(sums.max),
        mean,
        squares: (sums.squares - sums.sum * mean).max(0.0),
        ..Stats::default()
    }
}

struct Sums {
    sum: f64,
    squares: f64,
    min: f32,
    max: f32,
    /// Bits of the largest, without its sign.
    largest: u32,
    zeros: u64,
    /// Zeros and subnormals.
    small: u64,
}

vectorized! {
    /// Adds up, in lanes.
    fn sums(floats: &[f32]) -> Sums {
        let mut sum = [0.0_f64; LANES];
        let mut squares = [0.0_f64; LANES];
        let mut min = [f32::INFINITY; LANES];
        let mut max = [f32::NEG_INFINITY; LANES];
        let mut largest = [0_u32; LANES];
        let mut zeros = [0_u32; LANES];
        let mut small = [0_u32; LANES];
        let (runs, rest) = floats.as_chunks::<LANES>();
        for run in runs {
            for lane in 0..LANES {
                let float = run[lane];
                let double = f64::from(float);
                let size = float.to_bits() & 0x7fff_ffff;
                sum[lane] += double;
                squares[lane] += double * double;
                min[lane] = if float < min[lane] { float } else { min[lane] };
                max[lane] = if float > max[lane] { float } else { max[lane] };
                largest[lane] = largest[lane].max(size);
                zeros[lane] = zeros[lane].wrapping_add(u32::from(size == 0));
                small[lane] = small[lane].wrapping_add(u32::from(size < NORMAL));
            }
        }
        let mut all = Sums {
            sum: sum.iter().sum(),
            squares: squares.iter().sum(),
            min: min.iter().copied().fold(f32::INFINITY, f32::min),
            max: max.iter().copied().fold(f32::NEG_INFINITY, f32::max),
            largest: largest.iter().copied().max().unwrap_or(0),
            zeros: u64::from(zeros.iter().sum::<u32>()),
            small: u64::from(small.iter().sum::<u32>()),
        };
        for float in rest {
            let double = f64::from(*float);
            let size = float.to_bits() & 0x7fff_ffff;
            all.sum += double;
            all.squares += double * double;
            all.min = all.min.min(*float);
            all.max = all.max.max(*float);
            all.largest = all.largest.max(size);
            all.zeros += u64::from(size == 0);
            all.small += u64::from(size < NORMAL);
        }
        all
    }
}

/// The slow way, for doubles and for blocks with something in them that is not finite.
fn one_by_one(elements: impl Iterator<Item = f64> + Clone) -> Stats {
    let mut stats = Stats::default();
    let (mut sum, mut finite) = (0.0, 0_u64);
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for element in elements.clone() {
        stats.elements += 1;
        if element.is_finite() {
            finite += 1;
            sum += element;
            min = min.min(element);
            max = max.max(element);
            stats.zeros += u64::from(element == 0.0);
            stats.subnormal += u64::from(element.is_subnormal());
        } else if element.is_nan() {
            stats.nan += 1;
        } else if element > 0.0 {
            stats.positive_infinite += 1;
        } else {
            stats.negative_infinite += 1;
        }
    }
    if finite > 0 {
        let mean = sum / count(finite);
        let apart = |element: f64| (element - mean) * (element - mean);
        let squares = elements.filter(|element| element.is_finite()).map(apart).sum();
        (stats.min, stats.max, stats.mean, stats.squares) = (min, max, mean, squares);
    }
    stats
}

/// Whether a float is the same as a half. What is not finite does not speak against it.
fn fits_float16(float: f32) -> bool {
    let size = float.to_bits() & 0x7fff_ffff;
    match size {
        0 | INFINITY.. => true,
        // Normal as a half: the last 13 bits of the fraction are not there.
        0x3880_0000..0x4780_0000 => size & 0x1fff == 0,
        // Subnormal as a half: a multiple of 2^-24.
        0x3380_0000..0x3880_0000 => (float * 16_777_216.0).fract() == 0.0,
        _ => false,
    }
}

fn fits_bfloat16(float: f32) -> bool {
    float.to_bits() & 0xffff == 0 || !float.is_finite()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stats_of(floats: &[f32]) -> Stats {
        let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
        stats(&bytes, DType::Float32).unwrap()
    }

    proptest! {
        #[test]
        fn fast_is_as_slow(bits in proptest::collection::vec(any::<u32>(), 1..200)) {
            // Half of them made ordinary, so that blocks without NaN occur.
            let ordinary = |bits: u32| f32::from_bits(bits & 0x83ff_ffff | 0x3c00_0000);
            for floats in [
                bits.iter().map(|bits| f32::from_bits(*bits)).collect::<Vec<_>>(),
                bits.iter().map(|bits| ordinary(*bits)).collect(),
            ] {
                let fast = stats_of(&floats);
                let slow = one_by_one(floats.iter().map(|float| f64::from(*float)));
                prop_assert_eq!((fast.elements, fast.nan, fast.infinite()), (slow.elements, slow.nan, slow.infinite()));
                prop_assert_eq!((fast.zeros, fast.min, fast.max), (slow.zeros, slow.min, slow.max));
                prop_assert!((fast.mean - slow.mean).abs() <= 1e-9 * slow.max.abs().max(slow.min.abs()));
                prop_assert!((fast.std() - slow.std()).abs() <= 1e-6 * slow.std() + 1e-12);
                prop_assert_eq!(fast.subnormal, floats.iter().filter(|float| float.is_subnormal()).count() as u64);
            }
        }

        #[test]
        fn halves_are_what_they_are_as_floats(half in any::<u16>()) {
            let mut floats = [0.0];
            let subnormal = widen(&[half.to_le_bytes()], &mut floats);
            let size = half & 0x7fff;
            let wanted = half::f16::from_bits(half).to_f32();
            prop_assert!(floats[0] == wanted || wanted.is_nan() && floats[0].is_nan());
            prop_assert_eq!(subnormal == 1, size > 0 && size < 0x400);
            prop_assert!(fits_float16(floats[0]));
        }
    }

    #[test]
    fn what_fits_half_precision() {
        assert!(
            stats_of(&[0.0, -0.0, 1.0, -1.5, 65504.0, 2_f32.powi(-24), 0.333_251_95]).fits_float16
        );
        assert!(!stats_of(&[1.0, 1.000_1]).fits_float16);
        assert!(!stats_of(&[65505.0]).fits_float16);
        assert!(!stats_of(&[65536.0]).fits_float16);
        assert!(!stats_of(&[2_f32.powi(-25)]).fits_float16);
        assert!(!stats_of(&[1.5 * 2_f32.powi(-24)]).fits_float16);
        assert!(stats_of(&[3.0 * 2_f32.powi(-24)]).fits_float16);
        assert!(stats_of(&[65536.0, 1.5, -0.0, f32::INFINITY]).fits_bfloat16);
        assert!(!stats_of(&[1.000_1]).fits_bfloat16);
    }

    #[test]
    fn the_mean_far_from_zero_does_not_hide_the_spread() {
        // A thousand elements of 1000 ± 0.01: the deviation is 0.01 to the precision of floats.
        let floats: Vec<f32> =
            (0..1000).map(|at| if at % 2 == 0 { 1000.01 } else { 999.99 }).collect();
        assert!((stats_of(&floats).std() - 0.01).abs() < 1e-5);
    }

    #[test]
    fn wide_elements() {
        let bytes: Vec<u8> = [-5_i64, 0, 7].iter().flat_map(|n| n.to_le_bytes()).collect();
        let seen = stats(&bytes, DType::Int64).unwrap();
        assert_eq!((seen.min, seen.max, seen.zeros), (-5.0, 7.0, 1));
        let bytes: Vec<u8> = [f64::NAN, 1e-310, 2.0].iter().flat_map(|n| n.to_le_bytes()).collect();
        let seen = stats(&bytes, DType::Float64).unwrap();
        assert_eq!((seen.nan, seen.subnormal, seen.max), (1, 1, 2.0));
        assert_eq!(stats(&bytes, DType::String), None);
    }
}
