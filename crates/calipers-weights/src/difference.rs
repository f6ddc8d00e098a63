//! How far two runs of elements are apart.

use crate::stats::count;
use crate::vectors::vectorized;

/// Sums that run side by side. Their number is part of the result: it fixes the order of
/// additions. Eight sums of four doubles fit the registers of AVX2.
const LANES: usize = 4;

/// The difference of some elements of two tensors. Those of several pieces merge to that of the
/// whole.
///
/// Elements that are not finite on either side are counted, and left out of every other figure but
/// `elements` and `different`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// Elements compared.
    pub elements: u64,
    /// Elements that differ; NaN is the same as NaN, and -0 the same as 0.
    pub different: u64,
    /// Elements of opposite signs.
    pub sign_flips: u64,
    /// Elements that are infinite or NaN on either side.
    pub not_finite: u64,
    /// The largest absolute difference.
    pub max_abs: f64,
    /// Sum of absolute differences.
    pub sum_abs: f64,
    /// Sum of squares of the first.
    pub squares_a: f64,
    /// Sum of squares of the second.
    pub squares_b: f64,
    /// Sum of squared differences.
    pub squares: f64,
    /// Sum of products.
    pub dot: f64,
}

impl Difference {
    /// Adds the elements of another piece.
    pub fn merge(&mut self, other: &Self) {
        self.elements += other.elements;
        self.different += other.different;
        self.sign_flips += other.sign_flips;
        self.not_finite += other.not_finite;
        self.max_abs = self.max_abs.max(other.max_abs);
        self.sum_abs += other.sum_abs;
        self.squares_a += other.squares_a;
        self.squares_b += other.squares_b;
        self.squares += other.squares;
        self.dot += other.dot;
    }

    /// Whether every element is the same.
    pub fn is_none(&self) -> bool {
        self.different == 0
    }

    /// The largest absolute difference; `None` without elements or beyond the range of doubles.
    pub fn largest(&self) -> Option<f64> {
        (self.elements > self.not_finite && self.max_abs.is_finite()).then_some(self.max_abs)
    }

    /// The mean absolute difference; `None` without elements or beyond the range of doubles.
    pub fn mean_abs(&self) -> Option<f64> {
        ratio(self.sum_abs, count(self.elements - self.not_finite))
    }

    /// The norm of the difference over that of the first; `None` where the first is all zeros.
    pub fn relative_norm(&self) -> Option<f64> {
        ratio(self.squares.sqrt(), self.squares_a.sqrt())
    }

    /// The cosine of the angle between the two; `None` where one is all zeros.
    pub fn cosine(&self) -> Option<f64> {
        let cosine = ratio(self.dot, self.squares_a.sqrt() * self.squares_b.sqrt())?;
        Some(cosine.clamp(-1.0, 1.0))
    }

    /// Signal to noise in dB, with the first as the signal; `None` where the two are the same or
    /// the first is all zeros.
    pub fn snr_db(&self) -> Option<f64> {
        let decibels = 10.0 * ratio(self.squares_a, self.squares)?.log10();
        decibels.is_finite().then_some(decibels)
    }
}

/// A quotient that is a finite number.
fn ratio(part: f64, whole: f64) -> Option<f64> {
    let ratio = part / whole;
    (whole > 0.0 && ratio.is_finite()).then_some(ratio)
}

/// The difference of two blocks of float32.
pub(crate) fn singles(a: &[f32], b: &[f32]) -> Difference {
    let sums = sums(a, b);
    if sums.is_finite() {
        return sums.difference(a.len().min(b.len()));
    }
    one_by_one(a.iter().zip(b).map(|(a, b)| (f64::from(*a), f64::from(*b))))
}

/// The difference of two blocks of float64.
pub(crate) fn doubles(a: &[f64], b: &[f64]) -> Difference {
    one_by_one(a.iter().copied().zip(b.iter().copied()))
}

/// The difference of a block and itself.
pub(crate) fn same(a: &[f32]) -> Difference {
    let mut squares = [0.0_f64; 4 * LANES];
    let (runs, rest) = a.as_chunks::<{ 4 * LANES }>();
    for run in runs {
        for (sum, single) in squares.iter_mut().zip(run) {
            *sum += f64::from(*single) * f64::from(*single);
        }
    }
    let rest: f64 = rest.iter().map(|single| f64::from(*single) * f64::from(*single)).sum();
    let squares = squares.iter().sum::<f64>() + rest;
    if !squares.is_finite() {
        return one_by_one(a.iter().map(|a| (f64::from(*a), f64::from(*a))));
    }
    Difference {
        elements: a.len() as u64,
        squares_a: squares,
        squares_b: squares,
        dot: squares,
        ..Difference::default()
    }
}

/// The sums of a block. The counts are doubles too, so that all lanes have one width.
struct Sums {
    squares_a: f64,
    squares_b: f64,
    squares: f64,
    dot: f64,
    sum_abs: f64,
    max_abs: f64,
    different: f64,
    sign_flips: f64,
}

impl Sums {
    /// Whether every element is finite: squares of float32 do not overflow a double.
    fn is_finite(&self) -> bool {
        (self.squares_a + self.squares_b).is_finite()
    }

    #[expect(clippy::cast_possible_truncation, reason = "counts of a block")]
    #[expect(clippy::cast_sign_loss, reason = "counts of a block")]
    fn difference(&self, elements: usize) -> Difference {
        Difference {
            elements: elements as u64,
            different: self.different as u64,
            sign_flips: self.sign_flips as u64,
            not_finite: 0,
            max_abs: self.max_abs,
            sum_abs: self.sum_abs,
            squares_a: self.squares_a,
            squares_b: self.squares_b,
            squares: self.squares,
            dot: self.dot,
        }
    }
}

vectorized! {
    /// Adds up, in lanes.
    fn sums(a: &[f32], b: &[f32]) -> Sums {
        let mut squares_a = [0.0_f64; LANES];
        let mut squares_b = [0.0_f64; LANES];
        let mut squares = [0.0_f64; LANES];
        let mut dot = [0.0_f64; LANES];
        let mut sum_abs = [0.0_f64; LANES];
        let mut max_abs = [0.0_f64; LANES];
        let mut different = [0.0_f64; LANES];
        let mut sign_flips = [0.0_f64; LANES];
        let mut add = |lane: usize, a: f32, b: f32| {
            let (a, b) = (f64::from(a), f64::from(b));
            let (difference, product) = (a - b, a * b);
            let size = difference.abs();
            squares_a[lane] += a * a;
            squares_b[lane] += b * b;
            squares[lane] += difference * difference;
            dot[lane] += product;
            sum_abs[lane] += size;
            max_abs[lane] = if size > max_abs[lane] { size } else { max_abs[lane] };
            different[lane] += if size > 0.0 { 1.0 } else { 0.0 };
            sign_flips[lane] += if product < 0.0 { 1.0 } else { 0.0 };
        };
        let ((runs_a, rest_a), (runs_b, rest_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
        for (run_a, run_b) in runs_a.iter().zip(runs_b) {
            for lane in 0..LANES {
                add(lane, run_a[lane], run_b[lane]);
            }
        }
        for (lane, (a, b)) in rest_a.iter().zip(rest_b).enumerate() {
            add(lane % LANES, *a, *b);
        }
        let total = |lanes: [f64; LANES]| lanes.iter().sum();
        Sums {
            squares_a: total(squares_a),
            squares_b: total(squares_b),
            squares: total(squares),
            dot: total(dot),
            sum_abs: total(sum_abs),
            max_abs: max_abs.iter().copied().fold(0.0, f64::max),
            different: total(different),
            sign_flips: total(sign_flips),
        }
    }
}

/// The slow way, for doubles and for blocks with something in them that is not finite.
fn one_by_one(pairs: impl Iterator<Item = (f64, f64)>) -> Difference {
    let mut sums = Difference::default();
    for (a, b) in pairs {
        sums.elements += 1;
        if !a.is_finite() || !b.is_finite() {
            sums.not_finite += 1;
            sums.different += u64::from(a != b && !(a.is_nan() && b.is_nan()));
            continue;
        }
        // Two doubles near the largest one are apart by more than a double holds.
        let size = (a - b).abs().min(f64::MAX);
        sums.different += u64::from(a != b);
        sums.sign_flips += u64::from(a < 0.0 && b > 0.0 || a > 0.0 && b < 0.0);
        sums.max_abs = sums.max_abs.max(size);
        sums.sum_abs += size;
        sums.squares_a += a * a;
        sums.squares_b += b * b;
        sums.squares += size * size;
        sums.dot += a * b;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_few_elements() {
        // a = (3, 4, 0), b = (3, -4, 1): a - b = (0, 8, -1).
        let seen = singles(&[3.0, 4.0, 0.0], &[3.0, -4.0, 1.0]);
        assert_eq!((seen.elements, seen.different, seen.sign_flips), (3, 2, 1));
        assert_eq!((seen.max_abs, seen.sum_abs), (8.0, 9.0));
        assert_eq!(seen.mean_abs(), Some(3.0));
        // Norms: sqrt(65) over 5; the dot product is 9 - 16.
        assert!((seen.relative_norm().unwrap() - 65_f64.sqrt() / 5.0).abs() < 1e-15);
        assert!((seen.cosine().unwrap() + 7.0 / (5.0 * 26_f64.sqrt())).abs() < 1e-15);
        assert!((seen.snr_db().unwrap() - 10.0 * (25_f64 / 65.0).log10()).abs() < 1e-12);
    }

    #[test]
    fn figures_that_do_not_exist() {
        let zeros = singles(&[0.0, -0.0], &[-0.0, 0.0]);
        assert!(zeros.is_none());
        assert_eq!((zeros.relative_norm(), zeros.cosine(), zeros.snr_db()), (None, None, None));
        assert_eq!(Difference::default().mean_abs(), None);
        let same = singles(&[2.0], &[2.0]);
        assert_eq!(
            (same.relative_norm(), same.cosine(), same.snr_db()),
            (Some(0.0), Some(1.0), None)
        );
        let huge = doubles(&[f64::MAX], &[f64::MIN]);
        assert_eq!((huge.max_abs, huge.relative_norm(), huge.cosine()), (f64::MAX, None, None));
    }

    #[test]
    fn what_is_not_finite_is_counted() {
        let a = [f32::NAN, f32::NAN, f32::INFINITY, f32::INFINITY, 1.0];
        let b = [f32::NAN, 1.0, f32::INFINITY, f32::NEG_INFINITY, 3.0];
        let seen = singles(&a, &b);
        assert_eq!((seen.elements, seen.not_finite, seen.different), (5, 4, 3));
        assert_eq!((seen.mean_abs(), seen.relative_norm()), (Some(2.0), Some(2.0)));
        assert_eq!(same(&a).not_finite, 4);
        assert_eq!((same(&a).different, same(&a).squares_a), (0, 1.0));
    }

    #[test]
    fn the_smallest_difference_counts() {
        let tiny = f32::from_bits(1);
        let seen = singles(&[tiny, tiny], &[0.0, -tiny]);
        assert_eq!((seen.different, seen.sign_flips), (2, 1));
    }
}
