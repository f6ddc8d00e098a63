//! Comparisons and logic on elements: truth values where they hold for every size.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::number::{Fraction, Kind, whole};
use crate::elem::Elem;

/// A question about two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Whether they are equal.
    Equal,
    /// Whether the first is less.
    Less,
    /// Whether the first is less, or they are equal.
    LessOrEqual,
    /// Whether the first is greater.
    Greater,
    /// Whether the first is greater, or they are equal.
    GreaterOrEqual,
}

impl Relation {
    /// The answer as a truth value; unknown where it depends on a size.
    pub(crate) fn apply(self, left: &Elem, right: &Elem) -> Elem {
        let holds = match (left, right) {
            (Elem::Int(left), Elem::Int(right)) => self.of_exprs(left, right),
            _ => match (left.as_f64(), right.as_f64()) {
                (Some(left), Some(right)) => Some(self.of_floats(left, right)),
                _ => match (Fraction::from_elem(left), Fraction::from_elem(right)) {
                    (Some(left), Some(right)) => {
                        self.of_exprs(&(&left.above * right.below), &(&right.above * left.below))
                    }
                    _ => None,
                },
            },
        };
        holds.map_or(Elem::Unknown, Elem::bool)
    }

    fn of_exprs(self, left: &Expr, right: &Expr) -> Option<bool> {
        if left.is_undefined() || right.is_undefined() {
            return None;
        }
        match self {
            Self::Equal if left.always_eq(right) => Some(true),
            Self::Equal => left.always_ne(right).then_some(false),
            Self::Less => less(left, right),
            Self::Greater => less(right, left),
            Self::LessOrEqual => less(right, left).map(|less| !less),
            Self::GreaterOrEqual => less(left, right).map(|less| !less),
        }
    }

    fn of_floats(self, left: f64, right: f64) -> bool {
        match self {
            #[expect(clippy::float_cmp, reason = "the operator compares exactly")]
            Self::Equal => left == right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }
}

fn less(left: &Expr, right: &Expr) -> Option<bool> {
    if (right - left).is_at_least(1) {
        return Some(true);
    }
    (left - right).is_at_least(0).then_some(false)
}

/// An operation on two truth values, or on the bits of two whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logic {
    /// Both.
    And,
    /// Either.
    Or,
    /// One of them.
    Xor,
}

impl Logic {
    /// The truth value for two.
    pub(crate) fn apply(self, left: &Elem, right: &Elem) -> Elem {
        let answer = match (self, left.as_bool(), right.as_bool()) {
            (Self::And, Some(false), _) | (Self::And, _, Some(false)) => Some(false),
            (Self::Or, Some(true), _) | (Self::Or, _, Some(true)) => Some(true),
            (Self::And, Some(left), Some(right)) => Some(left && right),
            (Self::Or, Some(left), Some(right)) => Some(left || right),
            (Self::Xor, Some(left), Some(right)) => Some(left != right),
            _ => None,
        };
        answer.map_or(Elem::Unknown, Elem::bool)
    }

    /// The whole number whose bits are those of two, taken one by one.
    pub(crate) fn bitwise(self, dtype: DType, left: &Elem, right: &Elem) -> Elem {
        if self == Self::And && (left.as_i64() == Some(0) || right.as_i64() == Some(0)) {
            return Elem::int(0);
        }
        let wide = |elem: &Elem| elem.as_expr()?.as_wide_const();
        let (Some(left), Some(right)) = (wide(left), wide(right)) else { return Elem::Unknown };
        let bits = match self {
            Self::And => left & right,
            Self::Or => left | right,
            Self::Xor => left ^ right,
        };
        wide_integer(dtype, bits)
    }
}

/// All bits of a whole number turned over.
pub(super) fn bitwise_not(dtype: DType, elem: &Elem) -> Elem {
    match (Kind::new(dtype), elem.as_expr()) {
        (Kind::Integer { signed: true, .. }, Some(expr)) => whole(dtype, -expr - 1),
        (Kind::Integer { .. }, Some(expr)) if expr.is_const() => whole(dtype, -expr - 1),
        _ => Elem::Unknown,
    }
}

/// Bits moved up or down by this many places. Where `defined`, moving them out of the number is, too.
pub(super) fn shift(dtype: DType, up: bool, defined: bool, elem: &Elem, places: &Elem) -> Elem {
    let Kind::Integer { bits, .. } = Kind::new(dtype) else { return Elem::Unknown };
    let (Some(expr), Some(places)) = (elem.as_expr(), places.as_i64()) else {
        return Elem::Unknown;
    };
    match u32::try_from(places) {
        Ok(places) if places < bits => {
            let factor = Expr::from(2).pow(places);
            whole(dtype, if up { expr * factor } else { expr.floor_div(&factor) })
        }
        _ if !defined => Elem::Unknown,
        _ if up || expr.is_at_least(0) => Elem::int(0),
        _ if (-expr).is_at_least(1) => Elem::int(-1),
        _ => Elem::Unknown,
    }
}

fn wide_integer(dtype: DType, value: i128) -> Elem {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => whole(dtype, Expr::from(value)),
        (_, Ok(value)) => whole(dtype, Expr::from(value)),
        _ => Elem::Unknown,
    }
}

/// One of two elements by a truth value; unknown when that is not known and they differ.
pub(crate) fn choose(condition: &Elem, yes: &Elem, no: &Elem) -> Elem {
    match condition.as_bool() {
        Some(true) => yes.clone(),
        Some(false) => no.clone(),
        None if yes == no => yes.clone(),
        None => Elem::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use calipers_sym::Symbol;

    use super::*;

    fn n() -> Expr {
        Expr::symbol(&Symbol::at_least("n", 1))
    }

    #[test]
    fn sizes_compare_where_it_is_sure() {
        let ask = |relation: Relation, right| relation.apply(&Elem::Int(n()), &right);
        assert_eq!(ask(Relation::Equal, Elem::int(-1)), Elem::bool(false));
        assert_eq!(ask(Relation::Equal, Elem::Int(n())), Elem::bool(true));
        assert_eq!(ask(Relation::Equal, Elem::int(1)), Elem::Unknown);
        assert_eq!(ask(Relation::Less, Elem::int(1)), Elem::bool(false));
        assert_eq!(ask(Relation::LessOrEqual, Elem::int(1)), Elem::Unknown);
        assert_eq!(ask(Relation::Greater, Elem::int(0)), Elem::bool(true));
        assert_eq!(ask(Relation::GreaterOrEqual, Elem::int(1)), Elem::bool(true));
        assert_eq!(ask(Relation::Greater, Elem::Float(0.5)), Elem::bool(true));
        let third = Elem::Ratio { numerator: n(), denominator: 3 };
        assert_eq!(Relation::Greater.apply(&third, &Elem::int(0)), Elem::bool(true));
    }

    #[test]
    fn what_is_no_number_compares_with_nothing() {
        let nan = Elem::Float(f64::NAN);
        assert_eq!(Relation::Equal.apply(&nan, &nan), Elem::bool(false));
        assert_eq!(Relation::LessOrEqual.apply(&nan, &Elem::int(1)), Elem::bool(false));
    }

    #[test]
    fn one_side_may_decide() {
        assert_eq!(Logic::And.apply(&Elem::Unknown, &Elem::bool(false)), Elem::bool(false));
        assert_eq!(Logic::Or.apply(&Elem::bool(true), &Elem::Unknown), Elem::bool(true));
        assert_eq!(Logic::Xor.apply(&Elem::bool(true), &Elem::Unknown), Elem::Unknown);
        let n = Elem::Int(n());
        assert_eq!(choose(&Elem::Unknown, &n, &n), n);
        assert_eq!(choose(&Elem::Unknown, &n, &Elem::int(1)), Elem::Unknown);
    }

    #[test]
    fn bits_move_within_their_type() {
        let by = |dtype, up, value: i64, places: i64| {
            shift(dtype, up, true, &Elem::int(value), &Elem::int(places))
        };
        assert_eq!(by(DType::Uint8, true, 129, 1), Elem::int(2));
        assert_eq!(by(DType::Int8, true, 64, 1), Elem::int(-128));
        assert_eq!(by(DType::Int8, false, -3, 1), Elem::int(-2));
        assert_eq!(by(DType::Int8, false, -3, 8), Elem::int(-1));
        assert_eq!(by(DType::Int8, true, -3, -1), Elem::int(0));
        assert_eq!(bitwise_not(DType::Uint8, &Elem::int(1)), Elem::int(254));
        assert_eq!(bitwise_not(DType::Int64, &Elem::int(1)), Elem::int(-2));
        assert_eq!(Logic::Xor.bitwise(DType::Int8, &Elem::int(-1), &Elem::int(1)), Elem::int(-2));
    }
}
