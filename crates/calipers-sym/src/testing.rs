//! Short names for expressions, so that tests read as mathematics.

use crate::atom::Symbol;
use crate::expr::Expr;

pub(crate) fn a() -> Expr {
    Expr::from(Symbol::new("a"))
}

pub(crate) fn b() -> Expr {
    Expr::from(Symbol::new("b"))
}

pub(crate) fn c() -> Expr {
    Expr::from(Symbol::new("c"))
}

/// A constant.
pub(crate) fn k(value: i64) -> Expr {
    Expr::from(value)
}

/// An expression as it is written.
pub(crate) fn e(text: &str) -> Expr {
    crate::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}
