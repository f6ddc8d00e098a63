//! Numbers as data types hold them: what fits, what wraps around, what is rounded.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::elem::Elem;

/// Denominators beyond this are not followed: floats would have rounded long before.
const MAX_DENOMINATOR: i64 = 1 << 20;

/// The greatest finite `bfloat16`: a `float32` with the lower half of its bits cut off.
const MAX_BRAIN: f64 = f32::from_bits(0x7f7f_0000) as f64;

/// What arithmetic a data type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whole numbers of this many bits.
    Integer {
        /// Bits of one.
        bits: u32,
        /// Whether there are negative ones.
        signed: bool,
    },
    /// Truth values.
    Bool,
    /// Floats that arithmetic is done in.
    Float(Precision),
    /// Texts, complex numbers, floats of few bits: not followed.
    Other,
}

/// How many digits a float has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// `float64`.
    Double,
    /// `float32`.
    Single,
    /// `float16`.
    Half,
    /// `bfloat16`.
    Brain,
}

impl Kind {
    /// The arithmetic of a data type.
    pub(crate) fn new(dtype: DType) -> Self {
        let integer = |bits, signed| Self::Integer { bits, signed };
        match dtype {
            DType::Bool => Self::Bool,
            DType::Float64 => Self::Float(Precision::Double),
            DType::Float32 => Self::Float(Precision::Single),
            DType::Float16 => Self::Float(Precision::Half),
            DType::Bfloat16 => Self::Float(Precision::Brain),
            DType::Int64 => integer(64, true),
            DType::Int32 => integer(32, true),
            DType::Int16 => integer(16, true),
            DType::Int8 => integer(8, true),
            DType::Int4 => integer(4, true),
            DType::Int2 => integer(2, true),
            DType::Uint64 => integer(64, false),
            DType::Uint32 => integer(32, false),
            DType::Uint16 => integer(16, false),
            DType::Uint8 => integer(8, false),
            DType::Uint4 => integer(4, false),
            DType::Uint2 => integer(2, false),
            _ => Self::Other,
        }
    }

    /// Whether its numbers are whole.
    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Self::Integer { .. })
    }
}

impl Precision {
    /// The nearest number that it can hold; of two, the even one.
    #[expect(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
    pub(crate) fn round(self, value: f64) -> f64 {
        match self {
            Self::Double => value,
            Self::Single => f64::from(value as f32),
            Self::Half => round_to(value, 11, -14, 65_504.0),
            Self::Brain => round_to(value, 8, -126, MAX_BRAIN),
        }
    }

    /// Whether sizes of tensors are held without rounding. They are taken to stay below 2^24.
    fn holds_sizes(self) -> bool {
        matches!(self, Self::Double | Self::Single)
    }
}

/// Rounds to this many binary digits, with exponents from `least`, and infinity beyond `greatest`.
///
/// The `half` crate does not replace it: its conversion from `f64` drops the lower 32 bits first, so
/// a number just above the middle of two halves becomes the lower of them.
fn round_to(value: f64, digits: i32, least: i32, greatest: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = value.abs().log2().floor();
    #[expect(clippy::cast_possible_truncation, reason = "exponents of floats are small")]
    let exponent = (exponent as i32).max(least);
    let step = 2_f64.powi(exponent - (digits - 1));
    let rounded = (value / step).round_ties_even() * step;
    if rounded.abs() > greatest { f64::INFINITY.copysign(value) } else { rounded }
}

/// An expression as an element of a data type: constants wrap around or are rounded, symbolic ones
/// are kept where they can be presumed to fit.
pub(crate) fn whole(dtype: DType, expr: Expr) -> Elem {
    if expr.is_undefined() {
        return Elem::Unknown;
    }
    match (Kind::new(dtype), expr.as_wide_const()) {
        (Kind::Integer { bits, signed }, Some(value)) => wrap(value, bits, signed),
        (Kind::Integer { bits, signed }, None) if may_hold(&expr, bits, signed) => Elem::Int(expr),
        (Kind::Float(precision), Some(value)) => whole_float(precision, value),
        (Kind::Float(precision), None) if precision.holds_sizes() => Elem::Int(expr),
        (Kind::Bool, Some(value)) => Elem::bool(value != 0),
        (Kind::Bool, None) if expr.always_ne(&Expr::from(0)) => Elem::bool(true),
        _ => Elem::Unknown,
    }
}

/// Whether a constant is among the numbers of an integer type.
pub(crate) fn holds(value: i128, bits: u32, signed: bool) -> bool {
    let (least, most) = range(bits, signed);
    (least..=most).contains(&value)
}

/// The least and the greatest number of an integer type.
fn range(bits: u32, signed: bool) -> (i128, i128) {
    let span = 1_i128 << bits.min(64);
    if signed { (-span / 2, span / 2 - 1) } else { (0, span - 1) }
}

/// Keeps the lowest bits, as two's complement does.
fn wrap(value: i128, bits: u32, signed: bool) -> Elem {
    if let Ok(value) = i64::try_from(value)
        && holds(value.into(), bits, signed)
    {
        return Elem::int(value);
    }
    let span = 1_i128 << bits.min(64);
    let low = value.rem_euclid(span);
    let value = if signed && low >= span / 2 { low - span } else { low };
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => Elem::int(value),
        (_, Ok(value)) => Elem::Int(Expr::from(value)),
        _ => Elem::Unknown,
    }
}

/// Whether a symbolic number can be taken to fit. Sizes fit 32 bits, as programs presume that
/// compute with them so; fewer bits need a proof, and so does the sign where there is none.
fn may_hold(expr: &Expr, bits: u32, signed: bool) -> bool {
    let (least, most) = range(bits, signed);
    if bits < 32 {
        return expr.lower_bound().is_some_and(|bound| bound >= least)
            && expr.upper_bound().is_some_and(|bound| bound <= most);
    }
    // With a factor near the limit, hardly any size leaves it standing.
    expr.terms().all(|(factor, _)| (-most / 2..=most / 2).contains(&factor))
        && (signed || expr.is_at_least(0))
}

/// A whole constant as a float. Casting once avoids rounding twice.
#[expect(clippy::cast_precision_loss, reason = "rounding is what is wanted")]
fn whole_float(precision: Precision, value: i128) -> Elem {
    Elem::float(match precision {
        Precision::Single => f64::from(value as f32),
        other => other.round(value as f64),
    })
}

/// A float element, rounded to its precision.
pub(crate) fn float(precision: Precision, value: f64) -> Elem {
    Elem::float(precision.round(value))
}

/// A symbolic number over a whole one, where the float that represents it is either the number
/// itself or the float nearest to a number that is not whole.
#[derive(Clone, Debug)]
pub(super) struct Fraction {
    pub(super) above: Expr,
    pub(super) below: i64,
}

impl Fraction {
    /// An element as a fraction; floats that are not short binary fractions are none.
    pub(super) fn from_elem(elem: &Elem) -> Option<Self> {
        // A product with a size stays within the digits of a float.
        const STEPS: f64 = 1024.0;
        match elem {
            Elem::Int(above) if !above.is_undefined() => {
                Some(Self { above: above.clone(), below: 1 })
            }
            Elem::Ratio { numerator, denominator } if *denominator > 0 => {
                Some(Self { above: numerator.clone(), below: *denominator })
            }
            Elem::Float(value) if (value * STEPS).fract() == 0.0 && value.abs() <= STEPS => {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "checked to be whole and small"
                )]
                let above = Expr::from((value * STEPS) as i64);
                Some(Self { above, below: 1024 }.reduced())
            }
            _ => None,
        }
    }

    /// Whether floats hold it exactly.
    pub(super) fn is_exact(&self) -> bool {
        self.below.count_ones() == 1
    }

    /// The same with nothing in common above and below the line, and a positive number below.
    fn reduced(mut self) -> Self {
        let common = self.above.terms().fold(i128::from(self.below), |common, (factor, _)| {
            greatest_common_divisor(common, factor)
        });
        let Ok(mut common) = i64::try_from(common) else { return self };
        if self.below < 0 {
            common = -common;
        }
        if common != 0
            && common != 1
            && let Some(above) = self.above.exact_div(&Expr::from(common))
        {
            self = Self { above, below: self.below / common };
        }
        self
    }

    /// The element of a float type; unknown where the type would round it, or it is too fine.
    pub(super) fn into_elem(self, precision: Precision) -> Elem {
        let Self { above, below } = self.reduced();
        if above.is_undefined() || below <= 0 || below > MAX_DENOMINATOR {
            return Elem::Unknown;
        }
        match above.as_const() {
            #[expect(clippy::cast_precision_loss, reason = "the nearest float is wanted")]
            Some(above) => float(precision, above as f64 / below as f64),
            None if !precision.holds_sizes() => Elem::Unknown,
            None if below == 1 => Elem::Int(above),
            None => Elem::Ratio { numerator: above, denominator: below },
        }
    }
}

/// The greatest number that divides both; never negative.
pub(super) fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use calipers_sym::Symbol;

    use super::*;

    fn n() -> Expr {
        Expr::symbol(&Symbol::at_least("n", 1))
    }

    #[test]
    fn halves_and_brains_are_rounded() {
        let half = |value| Precision::Half.round(value);
        assert_eq!(half(2049.0), 2048.0);
        assert_eq!(half(2051.0), 2052.0);
        // Halves are 2 apart from 2048 on: the number is above the middle of 2048 and 2050.
        assert_eq!(half(2049.0 + 2_f64.powi(-30)), 2050.0);
        assert_eq!(half(65_519.0), 65_504.0);
        assert_eq!(half(65_520.0), f64::INFINITY);
        assert_eq!(half(2_f64.powi(-24)), 2_f64.powi(-24));
        assert_eq!(half(2_f64.powi(-25)), 0.0);
        assert_eq!(Precision::Brain.round(257.0), 256.0);
        assert_eq!(Precision::Brain.round(f64::from(f32::MAX)), f64::INFINITY);
        assert_eq!(Precision::Single.round(16_777_217.0), 16_777_216.0);
    }

    #[test]
    fn constants_wrap_and_symbols_need_group() {
        assert_eq!(whole(DType::Int8, Expr::from(200)), Elem::int(-56));
        assert_eq!(whole(DType::Uint8, Expr::from(-1)), Elem::int(255));
        assert_eq!(whole(DType::Int32, Expr::from(i64::MAX)), Elem::int(-1));
        assert_eq!(whole(DType::Uint64, Expr::from(-1)), Elem::Int(Expr::from(u64::MAX)));
        assert_eq!(whole(DType::Int32, n()), Elem::Int(n()));
        assert_eq!(whole(DType::Uint8, n()), Elem::Unknown);
        assert_eq!(
            whole(DType::Uint8, n().modulo(&Expr::from(7))),
            Elem::Int(n().modulo(&Expr::from(7)))
        );
        assert_eq!(whole(DType::Uint64, n() - Expr::from(5)), Elem::Unknown);
        assert_eq!(whole(DType::Int64, n() + Expr::from(i64::MAX)), Elem::Unknown);
        assert_eq!(whole(DType::Float32, Expr::from(16_777_217)), Elem::int(16_777_216));
        assert_eq!(whole(DType::Float16, n()), Elem::Unknown);
        assert_eq!(whole(DType::Bool, n()), Elem::bool(true));
    }

    #[test]
    fn fractions_are_reduced() {
        let elem = |above: Expr, below| Fraction { above, below }.into_elem(Precision::Single);
        assert_eq!(
            elem(n() * Expr::from(4), 6),
            Elem::Ratio { numerator: n() * Expr::from(2), denominator: 3 }
        );
        assert_eq!(elem(n() * Expr::from(4), -2), Elem::Int(n() * Expr::from(-2)));
        assert_eq!(elem(Expr::from(3), 2), Elem::Float(1.5));
        let half = Fraction::from_elem(&Elem::Float(0.5)).unwrap();
        assert_eq!((half.above.as_const(), half.below), (Some(1), 2));
        assert!(Fraction::from_elem(&Elem::Float(0.1)).is_none());
        assert!(Fraction::from_elem(&Elem::Float(f64::NAN)).is_none());
    }
}
