//! Arithmetic on elements, exact in the data type it is done in.
//!
//! Whole numbers are expressions and wrap around where they are constant. Constant floats are
//! computed in their own precision. A symbolic size that was cast to float stays a whole number, or
//! a fraction where a float of it rounds to the same whole number afterwards; everything else is
//! unknown.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::number::{Fraction, Kind, Precision, float, greatest_common_divisor, holds, whole};
use crate::elem::Elem;

/// Powers of symbolic numbers beyond this are not followed.
const MAX_POWER: u32 = 16;

/// An operation on one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transformed {
    /// Its size without its sign.
    Abs,
    /// The least whole number that is not below.
    Ceil,
    /// The exponential.
    Exp,
    /// The greatest whole number that is not above.
    Floor,
    /// The natural logarithm.
    Log,
    /// The other sign.
    Neg,
    /// One divided by it.
    Reciprocal,
    /// Zero where it is negative.
    Relu,
    /// The nearest whole number; of two, the even one.
    Round,
    /// -1, 0 or 1.
    Sign,
    /// The square root.
    Sqrt,
}

/// An operation on two elements of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The product.
    Mul,
    /// The quotient; of whole numbers, towards zero.
    Div,
    /// The remainder with the divisor's sign.
    Mod,
    /// The remainder with the dividend's sign, as C's `fmod`.
    Fmod,
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// The power.
    Pow,
}

impl Transformed {
    /// The result for an element of a type.
    pub(crate) fn apply(self, dtype: DType, elem: &Elem) -> Elem {
        match (Kind::new(dtype), elem.as_f64()) {
            (Kind::Integer { .. }, _) => {
                elem.as_expr().map_or(Elem::Unknown, |expr| self.of_integer(dtype, expr))
            }
            (Kind::Float(precision), Some(value)) => float(precision, self.of_float(value)),
            (Kind::Float(precision), None) => {
                Fraction::from_elem(elem).map_or(Elem::Unknown, |x| self.of_fraction(precision, &x))
            }
            (Kind::Bool | Kind::Other, _) => Elem::Unknown,
        }
    }

    fn of_integer(self, dtype: DType, expr: &Expr) -> Elem {
        whole(
            dtype,
            match self {
                Self::Abs => expr.max(&-expr),
                Self::Ceil | Self::Floor | Self::Round => expr.clone(),
                Self::Neg => -expr,
                Self::Relu => expr.max(&Expr::from(0)),
                Self::Sign => return sign(expr),
                Self::Exp | Self::Log | Self::Reciprocal | Self::Sqrt => return Elem::Unknown,
            },
        )
    }

    fn of_float(self, value: f64) -> f64 {
        match self {
            Self::Abs => value.abs(),
            Self::Ceil => value.ceil(),
            Self::Exp => value.exp(),
            Self::Floor => value.floor(),
            Self::Log => value.ln(),
            Self::Neg => -value,
            Self::Reciprocal => 1.0 / value,
            Self::Relu if value < 0.0 => 0.0,
            Self::Relu => value,
            Self::Round => value.round_ties_even(),
            Self::Sign if value == 0.0 || value.is_nan() => value,
            Self::Sign => value.signum(),
            Self::Sqrt => value.sqrt(),
        }
    }

    /// Rounding a quotient that is not whole to a float does not take it across a whole number, so
    /// rounding it to a whole number gives the same either way.
    fn of_fraction(self, precision: Precision, x: &Fraction) -> Elem {
        let Fraction { above, below } = x;
        let below_expr = Expr::from(*below);
        let above = match self {
            Self::Abs => above.max(&-above),
            Self::Neg => -above,
            Self::Relu => above.max(&Expr::from(0)),
            Self::Sign => return sign(above),
            Self::Floor => return rounded(precision, above.floor_div(&below_expr)),
            Self::Ceil => return rounded(precision, above.ceil_div(&below_expr)),
            Self::Round if *below == 1 => return rounded(precision, above.clone()),
            // Nothing lies in the middle between two whole numbers when the divisor is odd.
            Self::Round if below % 2 == 1 => {
                let (twice, shifted) = (Expr::from(2) * &below_expr, Expr::from(2) * above);
                return rounded(precision, (shifted + below_expr).floor_div(&twice));
            }
            Self::Round | Self::Exp | Self::Log | Self::Reciprocal | Self::Sqrt => {
                return Elem::Unknown;
            }
        };
        Fraction { above, below: *below }.into_elem(precision)
    }
}

fn rounded(precision: Precision, above: Expr) -> Elem {
    Fraction { above, below: 1 }.into_elem(precision)
}

fn sign(expr: &Expr) -> Elem {
    match expr.compare(&Expr::from(0)) {
        Some(order) => Elem::int(order as i64),
        None => Elem::Unknown,
    }
}

impl Binary {
    /// The result for two elements of a type.
    pub(crate) fn apply(self, dtype: DType, left: &Elem, right: &Elem) -> Elem {
        match Kind::new(dtype) {
            Kind::Integer { bits, signed } => {
                if self.is_zero_anyway(left, right) {
                    return Elem::int(0);
                }
                let (Some(left), Some(right)) = (left.as_expr(), right.as_expr()) else {
                    return Elem::Unknown;
                };
                let result = self.of_integers(left, right);
                // Runtimes raise in floats, where too large a power is no number that wraps.
                let lost = result.as_wide_const().is_some_and(|value| !holds(value, bits, signed));
                if self == Self::Pow && lost { Elem::Unknown } else { whole(dtype, result) }
            }
            Kind::Float(precision) => match (left.as_f64(), right.as_f64()) {
                (Some(left), Some(right)) => float(precision, self.of_floats(left, right)),
                _ => match (Fraction::from_elem(left), Fraction::from_elem(right)) {
                    (Some(left), Some(right)) => self
                        .of_fractions(&left, &right)
                        .map_or(Elem::Unknown, |result| result.into_elem(precision)),
                    _ => Elem::Unknown,
                },
            },
            Kind::Bool | Kind::Other => Elem::Unknown,
        }
    }

    /// Whether a whole number that cannot be determined makes no difference.
    pub(crate) fn may_ignore_unknown(self, dtype: DType) -> bool {
        matches!(self, Self::Mul | Self::Mod | Self::Fmod) && Kind::new(dtype).is_integer()
    }

    fn is_zero_anyway(self, left: &Elem, right: &Elem) -> bool {
        match self {
            Self::Mul => left.as_i64() == Some(0) || right.as_i64() == Some(0),
            Self::Mod | Self::Fmod => right.as_i64() == Some(1),
            _ => false,
        }
    }

    fn of_integers(self, left: &Expr, right: &Expr) -> Expr {
        match self {
            Self::Add => left + right,
            Self::Sub => left - right,
            Self::Mul => left * right,
            Self::Div => left.trunc_div(right),
            Self::Mod => left.modulo(right),
            Self::Fmod => left - left.trunc_div(right) * right,
            Self::Min => left.min(right),
            Self::Max => left.max(right),
            Self::Pow => power(left, right),
        }
    }

    fn of_floats(self, left: f64, right: f64) -> f64 {
        let is_nan = left.is_nan() || right.is_nan();
        match self {
            Self::Add => left + right,
            Self::Sub => left - right,
            Self::Mul => left * right,
            Self::Div => left / right,
            Self::Mod => {
                let rest = left % right;
                if rest == 0.0 {
                    rest.copysign(right)
                } else if (rest < 0.0) == (right < 0.0) {
                    rest
                } else {
                    rest + right
                }
            }
            Self::Fmod => left % right,
            Self::Min | Self::Max if is_nan => f64::NAN,
            Self::Min => left.min(right),
            Self::Max => left.max(right),
            Self::Pow => left.powf(right),
        }
    }

    /// Arithmetic where a size is among the operands. Fractions that floats do not hold exactly are
    /// kept only where the result is whole exactly when they are: there, nothing was rounded.
    fn of_fractions(self, left: &Fraction, right: &Fraction) -> Option<Fraction> {
        let exact = left.is_exact() && right.is_exact();
        let whole_operands = left.below == 1 && right.below == 1;
        let either_whole = left.below == 1 || right.below == 1;
        match self {
            Self::Add | Self::Sub if exact || either_whole => {
                let (a, b) = (&left.above * right.below, &right.above * left.below);
                let above = if self == Self::Add { a + b } else { a - b };
                Some(Fraction { above, below: left.below.checked_mul(right.below)? })
            }
            Self::Mul if exact || keeps_wholeness(left, right) || keeps_wholeness(right, left) => {
                let below = left.below.checked_mul(right.below)?;
                Some(Fraction { above: &left.above * &right.above, below })
            }
            Self::Div => divide(left, right, exact),
            Self::Min | Self::Max => {
                let (a, b) = (&left.above * right.below, &right.above * left.below);
                if whole_operands {
                    let above =
                        if self == Self::Min { Expr::min(&a, &b) } else { Expr::max(&a, &b) };
                    return Some(Fraction { above, below: 1 });
                }
                let left_is_less = (&b - &a).is_at_least(0);
                if !left_is_less && !(a - b).is_at_least(0) {
                    return None;
                }
                let take_left = left_is_less == (self == Self::Min);
                Some(if take_left { left.clone() } else { right.clone() })
            }
            Self::Mod | Self::Fmod | Self::Pow if whole_operands => {
                let above = self.of_integers(&left.above, &right.above);
                Some(Fraction { above, below: 1 })
            }
            _ => None,
        }
    }
}

/// Whether a product with a constant is whole only where the fraction is, powers of two aside:
/// those scale floats without rounding.
fn keeps_wholeness(fraction: &Fraction, by: &Fraction) -> bool {
    let Some(factor) = by.above.as_const() else { return false };
    let common = greatest_common_divisor(i128::from(fraction.below), i128::from(factor));
    by.is_exact() && common.count_ones() == 1
}

fn divide(left: &Fraction, right: &Fraction, exact: bool) -> Option<Fraction> {
    if let Some(by) = right.above.as_const() {
        let below = left.below.checked_mul(by).filter(|below| *below != 0)?;
        return right.is_exact().then(|| Fraction { above: &left.above * right.below, below });
    }
    let (above, by) = (&left.above * right.below, &right.above * left.below);
    let quotient = above.exact_div(&by).filter(|_| exact)?;
    Some(Fraction { above: quotient, below: 1 })
}

fn power(base: &Expr, exponent: &Expr) -> Expr {
    match exponent.as_const().and_then(|exponent| u32::try_from(exponent).ok()) {
        Some(exponent) if exponent <= MAX_POWER || base.is_const() => base.pow(exponent),
        _ => Expr::undefined("the power is not known"),
    }
}

#[cfg(test)]
mod tests {
    use DType::{Float16, Float32, Int8, Int32, Int64, Uint8};
    use calipers_sym::Symbol;

    use super::*;

    fn n() -> Expr {
        Expr::symbol(&Symbol::at_least("n", 1))
    }

    fn size() -> Elem {
        Elem::Int(n())
    }

    fn ratio(numerator: Expr, denominator: i64) -> Elem {
        Elem::Ratio { numerator, denominator }
    }

    fn ints(op: Binary, left: i64, right: i64) -> Elem {
        op.apply(Int64, &Elem::int(left), &Elem::int(right))
    }

    fn floats(op: Binary, left: f64, right: f64) -> Elem {
        op.apply(Float32, &Elem::float(left), &Elem::float(right))
    }

    #[test]
    fn whole_numbers_divide_towards_zero() {
        assert_eq!(ints(Binary::Div, 7, 2), Elem::int(3));
        assert_eq!(ints(Binary::Div, -7, 2), Elem::int(-3));
        assert_eq!(ints(Binary::Div, 7, -2), Elem::int(-3));
        assert_eq!(ints(Binary::Div, 7, 0), Elem::Unknown);
        assert_eq!(
            Binary::Div.apply(Int64, &size(), &Elem::int(2)),
            Elem::Int(n().floor_div(&Expr::from(2)))
        );
    }

    #[test]
    fn remainders_have_the_sign_of_the_divisor_or_the_dividend() {
        assert_eq!(ints(Binary::Mod, -7, 3), Elem::int(2));
        assert_eq!(ints(Binary::Mod, 7, -3), Elem::int(-2));
        assert_eq!(ints(Binary::Fmod, -7, 3), Elem::int(-1));
        assert_eq!(ints(Binary::Fmod, 7, -3), Elem::int(1));
        assert_eq!(ints(Binary::Mod, 7, 0), Elem::Unknown);
        assert_eq!(floats(Binary::Mod, -7.5, 3.0), Elem::Float(1.5));
        assert_eq!(floats(Binary::Fmod, -7.5, 3.0), Elem::Float(-1.5));
        assert_eq!(floats(Binary::Mod, -1.0, f64::INFINITY), Elem::Float(f64::INFINITY));
    }

    #[test]
    fn narrow_numbers_wrap_around() {
        let (a, b) = (Elem::int(100), Elem::int(100));
        assert_eq!(Binary::Add.apply(Int8, &a, &b), Elem::int(-56));
        assert_eq!(Binary::Sub.apply(Uint8, &a, &Elem::int(101)), Elem::int(255));
        assert_eq!(Transformed::Abs.apply(Int8, &Elem::int(-128)), Elem::int(-128));
        assert_eq!(Binary::Pow.apply(Int32, &Elem::int(2), &Elem::int(31)), Elem::Unknown);
        assert_eq!(Binary::Pow.apply(Int32, &Elem::int(2), &Elem::int(30)), Elem::int(1 << 30));
        assert_eq!(Binary::Pow.apply(Int32, &Elem::int(2), &Elem::int(-1)), Elem::Unknown);
    }

    #[test]
    fn nothing_is_made_of_the_unknown_but_what_is_sure() {
        let apply = |op: Binary, dtype| op.apply(dtype, &Elem::Unknown, &Elem::int(0));
        assert_eq!(apply(Binary::Mul, Int64), Elem::int(0));
        assert_eq!(apply(Binary::Mul, Float32), Elem::Unknown);
        assert_eq!(apply(Binary::Add, Int64), Elem::Unknown);
    }

    #[test]
    fn floats_are_rounded_to_their_type() {
        // 0.1 + 0.2 in 32 bits is 0.3 rounded up a little: 0.30000001192092896.
        let (a, b) = (f64::from(0.1_f32), f64::from(0.2_f32));
        assert_eq!(floats(Binary::Add, a, b), Elem::Float(f64::from(0.1_f32 + 0.2_f32)));
        assert_eq!(floats(Binary::Div, 1.0, 3.0), Elem::Float(f64::from(1.0_f32 / 3.0)));
        assert_eq!(floats(Binary::Add, 16_777_216.0, 1.0), Elem::int(16_777_216));
        assert_eq!(Binary::Add.apply(Float16, &Elem::int(2048), &Elem::int(1)), Elem::int(2048));
        assert_eq!(floats(Binary::Max, f64::NAN, 1.0).as_f64().map(f64::is_nan), Some(true));
        assert_eq!(Transformed::Round.apply(Float32, &Elem::Float(2.5)), Elem::int(2));
        assert_eq!(Transformed::Round.apply(Float32, &Elem::Float(-1.5)), Elem::int(-2));
        assert_eq!(Transformed::Sqrt.apply(Float32, &Elem::int(9)), Elem::int(3));
    }

    #[test]
    fn sizes_divided_as_floats_round_as_sizes() {
        let third = Binary::Div.apply(Float32, &size(), &Elem::int(3));
        assert_eq!(third, ratio(n(), 3));
        let three = Expr::from(3);
        assert_eq!(Transformed::Floor.apply(Float32, &third), Elem::Int(n().floor_div(&three)));
        assert_eq!(Transformed::Ceil.apply(Float32, &third), Elem::Int(n().ceil_div(&three)));
        let nearest = (n() * 2 + 3).floor_div(&Expr::from(6));
        assert_eq!(Transformed::Round.apply(Float32, &third), Elem::Int(nearest));
        // Three times a rounded third need not be whole again.
        assert_eq!(Binary::Mul.apply(Float32, &third, &Elem::int(3)), Elem::Unknown);
        assert_eq!(Binary::Mul.apply(Float32, &third, &Elem::int(2)), ratio(n() * 2, 3));
        assert_eq!(Binary::Add.apply(Float32, &third, &Elem::int(1)), ratio(n() + 3, 3));
        assert_eq!(Binary::Add.apply(Float32, &third, &third), Elem::Unknown);
        assert_eq!(Binary::Div.apply(Float16, &size(), &Elem::int(3)), Elem::Unknown);
    }

    #[test]
    fn halves_of_sizes_are_exact() {
        let half = Binary::Mul.apply(Float32, &size(), &Elem::Float(0.5));
        assert_eq!(half, ratio(n(), 2));
        assert_eq!(Binary::Mul.apply(Float32, &half, &Elem::int(2)), size());
        assert_eq!(Binary::Add.apply(Float32, &half, &half), size());
        assert_eq!(Transformed::Round.apply(Float32, &half), Elem::Unknown);
        assert_eq!(
            Binary::Mul.apply(Float32, &size(), &Elem::Float(f64::from(0.1_f32))),
            Elem::Unknown
        );
        assert_eq!(Binary::Div.apply(Float32, &size(), &Elem::Float(-0.5)), Elem::Int(n() * -2));
        assert_eq!(Binary::Div.apply(Float32, &size(), &Elem::int(0)), Elem::Unknown);
        let product = Elem::Int(n() * n());
        assert_eq!(Binary::Div.apply(Float32, &product, &size()), size());
        assert_eq!(Binary::Max.apply(Float32, &half, &Elem::int(0)), half);
        assert_eq!(Binary::Pow.apply(Float32, &size(), &Elem::int(2)), product);
    }
}
