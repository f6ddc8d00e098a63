//! One element of a tensor whose contents matter for shapes.

use calipers_sym::Expr;

/// An element: a number, an expression in dimensions, or something that cannot be determined.
#[derive(Clone, Debug, PartialEq)]
pub enum Elem {
    /// A whole number, perhaps symbolic; also what truth values and whole floats are.
    Int(Expr),
    /// A symbolic number over a whole one, as when a size is cast to float and divided.
    Ratio {
        /// Above the line.
        numerator: Expr,
        /// Below it; at least 2.
        denominator: i64,
    },
    /// A number with a fraction, or beyond whole numbers.
    Float(f64),
    /// It cannot be determined.
    Unknown,
}

impl Elem {
    /// A whole number.
    pub fn int(value: i64) -> Self {
        Self::Int(Expr::from(value))
    }

    /// A truth value.
    pub fn bool(value: bool) -> Self {
        Self::int(i64::from(value))
    }

    /// A float; whole ones that fit are whole numbers.
    pub fn float(value: f64) -> Self {
        // Beyond 2^53 a float is no longer every whole number.
        const WHOLE: f64 = 9_007_199_254_740_992.0;
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
        if value.fract() == 0.0
            && value.abs() <= WHOLE
            && !(value == 0.0 && value.is_sign_negative())
        {
            Self::int(value as i64)
        } else {
            Self::Float(value)
        }
    }

    /// The expression, if it is whole.
    pub fn as_expr(&self) -> Option<&Expr> {
        match self {
            Self::Int(expr) if !expr.is_undefined() => Some(expr),
            _ => None,
        }
    }

    /// The number, if it is whole and constant.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_expr().and_then(Expr::as_const)
    }

    /// The number, if it is constant.
    #[expect(clippy::cast_precision_loss, reason = "floats of models have no more precision")]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(expr) => expr.as_const().map(|value| value as f64),
            Self::Float(value) => Some(*value),
            Self::Ratio { numerator, denominator } => {
                Some(numerator.as_const()? as f64 / *denominator as f64)
            }
            Self::Unknown => None,
        }
    }

    /// Whether it is a truth value that is known.
    pub fn as_bool(&self) -> Option<bool> {
        self.as_f64().map(|value| value != 0.0)
    }
}
