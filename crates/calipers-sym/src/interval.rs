//! Interval arithmetic over the integers, with either end open.
//!
//! Every operation returns an interval that contains all results; where an end would leave the
//! 128-bit range it is left open or kept at the range's edge, whichever is true.

use crate::int;

/// All integers from `lo` to `hi`; a missing end is unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) lo: Option<i128>,
    pub(crate) hi: Option<i128>,
}

/// An end of an interval, or the product of two ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Below,
    At(i128),
    Above,
}

impl End {
    fn sign(self) -> i128 {
        match self {
            Self::Below => -1,
            Self::At(value) => value.signum(),
            Self::Above => 1,
        }
    }

    fn mul(self, other: Self) -> Self {
        let product = match (self, other) {
            (Self::At(a), Self::At(b)) => int::mul(a, b),
            _ => None,
        };
        match (product, self.sign() * other.sign()) {
            (Some(product), _) => Self::At(product),
            // Zero times an unbounded end is zero: the end is approached, never reached.
            (None, 0) => Self::At(0),
            (None, sign) if sign < 0 => Self::Below,
            (None, _) => Self::Above,
        }
    }
}

impl Interval {
    pub(crate) fn exactly(value: i128) -> Self {
        Self { lo: Some(value), hi: Some(value) }
    }

    pub(crate) fn at_least(lo: i128) -> Self {
        Self { lo: Some(lo), hi: None }
    }

    pub(crate) fn everything() -> Self {
        Self { lo: None, hi: None }
    }

    /// The value, when there is only one.
    pub(crate) fn single(self) -> Option<i128> {
        self.lo.filter(|_| self.lo == self.hi)
    }

    pub(crate) fn neg(self) -> Self {
        Self { lo: self.hi.map(|hi| -hi), hi: self.lo.map(|lo| -lo) }
    }

    pub(crate) fn add(self, other: Self) -> Self {
        let sum = |a: Option<i128>, b: Option<i128>| int::add(a?, b?);
        Self { lo: sum(self.lo, other.lo), hi: sum(self.hi, other.hi) }
    }

    fn ends(self) -> [End; 2] {
        [self.lo.map_or(End::Below, End::At), self.hi.map_or(End::Above, End::At)]
    }

    pub(crate) fn mul(self, other: Self) -> Self {
        // Sizes are never negative, and their ends multiply end by end.
        if let (Some(a @ 0..), Some(b @ 0..)) = (self.lo, other.lo)
            && let Some(lo) = int::mul(a, b)
            && (self.hi != Some(0) && other.hi != Some(0))
        {
            let hi = self.hi.zip(other.hi).and_then(|(a, b)| int::mul(a, b));
            return Self { lo: Some(lo), hi };
        }
        let mut corners = [End::At(0); 4];
        for (i, a) in self.ends().into_iter().enumerate() {
            for (j, b) in other.ends().into_iter().enumerate() {
                corners[2 * i + j] = a.mul(b);
            }
        }
        corners.sort_unstable();
        Self {
            lo: match corners[0] {
                End::Below => None,
                End::At(value) => Some(value),
                End::Above => Some(i128::MAX),
            },
            hi: match corners[3] {
                End::Below => Some(-i128::MAX),
                End::At(value) => Some(value),
                End::Above => None,
            },
        }
    }

    pub(crate) fn pow(self, exponent: u32) -> Self {
        let mut product = Self::exactly(1);
        for _ in 0..exponent {
            product = product.mul(self);
        }
        if exponent.is_multiple_of(2) && product.lo.is_none_or(|lo| lo < 0) {
            product.lo = Some(0);
        }
        product
    }

    /// The divisor's interval less the zero it may not be, when its sign is known: a divisor that
    /// is at least zero is at least one.
    fn nonzero(self) -> Self {
        match (self.lo, self.hi) {
            // Only zero: the quotient does not exist, so anything may be said of it.
            (Some(0), Some(0)) => Self::everything(),
            (Some(0), _) => Self { lo: Some(1), hi: self.hi },
            (_, Some(0)) => Self { lo: self.lo, hi: Some(-1) },
            _ => self,
        }
    }

    /// Floors of quotients, the divisor presumed not to be zero.
    pub(crate) fn floor_div(self, divisor: Self) -> Self {
        let divisor = divisor.nonzero();
        if divisor.hi.is_some_and(|hi| hi < 0) {
            return self.neg().floor_div(divisor.neg());
        }
        let Some(least) = divisor.lo.filter(|lo| *lo > 0) else {
            // A divisor of unknown sign: the quotient is no further from zero than the dividend.
            let reach = self.lo.zip(self.hi).map(|(lo, hi)| lo.abs().max(hi.abs()));
            return Self { lo: reach.map(|reach| -reach), hi: reach };
        };
        // Dividing by more brings the quotient nearer to zero from above, or to -1 from below.
        let lo = self.lo.map(|lo| match divisor.hi {
            _ if lo < 0 => int::floor_div(lo, least),
            Some(most) => int::floor_div(lo, most),
            None => 0,
        });
        let hi = self.hi.map(|hi| match divisor.hi {
            _ if hi >= 0 => int::floor_div(hi, least),
            Some(most) => int::floor_div(hi, most),
            None => -1,
        });
        Self { lo, hi }
    }

    /// Remainders, the divisor presumed not to be zero.
    pub(crate) fn modulo(self, divisor: Self) -> Self {
        let divisor = divisor.nonzero();
        let mut lo = divisor.lo.map(|lo| if lo < 0 { lo + 1 } else { 0 });
        let mut hi = divisor.hi.map(|hi| if hi > 0 { hi - 1 } else { 0 });
        // A remainder is no further from zero than a dividend of the divisor's sign.
        if self.lo.is_some_and(|lo| lo >= 0) && divisor.lo.is_some_and(|lo| lo > 0) {
            hi = [hi, self.hi].into_iter().flatten().min();
        }
        if self.hi.is_some_and(|hi| hi <= 0) && divisor.hi.is_some_and(|hi| hi < 0) {
            lo = [lo, self.lo].into_iter().flatten().max();
        }
        Self { lo, hi }
    }

    /// Where the least of one value from each interval lies.
    pub(crate) fn least(intervals: impl Iterator<Item = Self>) -> Self {
        let mut least = Self { lo: Some(i128::MAX), hi: None };
        for interval in intervals {
            least.lo = least.lo.zip(interval.lo).map(|(a, b)| a.min(b));
            least.hi = [least.hi, interval.hi].into_iter().flatten().min();
        }
        least
    }

    /// Where the greatest of one value from each interval lies.
    pub(crate) fn greatest(intervals: impl Iterator<Item = Self>) -> Self {
        Self::least(intervals.map(Self::neg)).neg()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(lo: i128, hi: i128) -> Interval {
        Interval { lo: Some(lo), hi: Some(hi) }
    }

    #[test]
    fn products_and_powers() {
        assert_eq!(span(-2, 3).mul(span(-5, 1)), span(-15, 10));
        assert_eq!(Interval::at_least(2).mul(span(-1, 3)), Interval::everything());
        assert_eq!(Interval::at_least(0).mul(Interval::at_least(0)), Interval::at_least(0));
        assert_eq!(span(-3, 2).pow(2), span(0, 9));
        assert_eq!(span(-3, 2).pow(3), span(-27, 18));
        assert_eq!(Interval::everything().pow(2), Interval::at_least(0));
        assert_eq!(span(-3, 2).pow(0), span(1, 1));
    }

    #[test]
    fn products_beyond_the_range_stay_true() {
        let huge = span(i128::MAX, i128::MAX);
        assert_eq!(huge.mul(huge), Interval { lo: Some(i128::MAX), hi: None });
        assert_eq!(huge.mul(huge.neg()), Interval { lo: None, hi: Some(-i128::MAX) });
    }

    #[test]
    fn every_quotient_and_remainder_is_inside() {
        for (a, b) in [(-7, -2), (-3, 4), (0, 9), (5, 6), (-1, 0)] {
            for (c, d) in [(1, 3), (-4, -1), (0, 2), (-2, 0), (-3, 3), (2, 2), (0, 0)] {
                let quotient = span(a, b).floor_div(span(c, d));
                let remainder = span(a, b).modulo(span(c, d));
                for x in a..=b {
                    for y in (c..=d).filter(|y| *y != 0) {
                        let inside = |interval: Interval, value| {
                            interval.lo.is_none_or(|lo| lo <= value)
                                && interval.hi.is_none_or(|hi| value <= hi)
                        };
                        assert!(inside(quotient, int::floor_div(x, y)), "{x} / {y}");
                        assert!(inside(remainder, int::floor_mod(x, y)), "{x} mod {y}");
                    }
                }
            }
        }
    }

    #[test]
    fn quotients_by_an_open_divisor() {
        let positive = Interval::at_least(1);
        assert_eq!(span(3, 9).floor_div(positive), span(0, 9));
        assert_eq!(span(-9, -3).floor_div(positive), span(-9, -1));
        assert_eq!(Interval::everything().modulo(positive), Interval::at_least(0));
    }

    #[test]
    fn least_and_greatest() {
        let both = || [span(1, 5), Interval::at_least(3)].into_iter();
        assert_eq!(Interval::least(both()), span(1, 5));
        assert_eq!(Interval::greatest(both()), Interval::at_least(3));
    }
}
