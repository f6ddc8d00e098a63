//! The expression itself: its representation, constructors and ring operations.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::atom::{Atom, Symbol};
use crate::interval::Interval;
use crate::poly::{self, Poly, View};
use crate::{budget, hash, int, limits};

/// An integer expression over named dimensions, in canonical form.
///
/// A constant is held inline, so arithmetic on constants allocates nothing; a polynomial is
/// shared, so cloning one is cheap. `==`, `Ord` and `Hash` see the canonical form: two
/// expressions that simplify to the same sum of terms are equal.
///
/// An operation that would give a wrong number (a coefficient beyond 127 bits, a division by
/// zero, an expression beyond the [limits](crate::limits)) gives an undefined expression, which
/// absorbs everything it meets and evaluates to an error.
#[derive(Clone, PartialEq, Eq)]
pub struct Expr(pub(crate) Repr);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Repr {
    Const(i128),
    Poly(Arc<Poly>),
    Undefined(Arc<str>),
}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash_value());
    }
}

impl Expr {
    /// Zero.
    pub const ZERO: Self = Self(Repr::Const(0));
    /// One.
    pub const ONE: Self = Self(Repr::Const(1));

    /// An integer.
    #[inline]
    pub const fn constant(value: i64) -> Self {
        // `i128::from` is not callable in a constant; widening loses nothing.
        Self(Repr::Const(value as i128))
    }

    /// A named dimension.
    pub fn symbol(symbol: &Symbol) -> Self {
        poly::from_atom(Atom::Symbol(symbol.clone()))
    }

    /// An expression that has no value, and why.
    pub fn undefined(reason: impl Into<Arc<str>>) -> Self {
        Self(Repr::Undefined(reason.into()))
    }

    /// A wide constant, undefined outside the symmetric 128-bit range.
    #[inline]
    pub(crate) fn wide(value: Option<i128>) -> Self {
        match value {
            Some(value) => Self(Repr::Const(value)),
            None => Self::undefined(limits::OVERFLOW),
        }
    }

    /// The value, when it is a constant that fits 64 bits.
    #[inline]
    pub fn as_const(&self) -> Option<i64> {
        self.as_wide_const().and_then(|value| i64::try_from(value).ok())
    }

    /// The value, when it is a constant.
    #[inline]
    pub fn as_wide_const(&self) -> Option<i128> {
        match self.0 {
            Repr::Const(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it is a constant, of any size.
    #[inline]
    pub fn is_const(&self) -> bool {
        matches!(self.0, Repr::Const(_))
    }

    /// The symbol, when the expression is nothing but that.
    pub fn as_symbol(&self) -> Option<&Symbol> {
        match self.as_atom() {
            Some(Atom::Symbol(symbol)) => Some(symbol),
            _ => None,
        }
    }

    /// The atom, when the expression is nothing but that.
    pub fn as_atom(&self) -> Option<&Atom> {
        match self.view()? {
            View { terms: [term], constant: 0 } if term.coefficient == 1 => term.monomial.as_atom(),
            _ => None,
        }
    }

    /// Whether there is no value.
    #[inline]
    pub fn is_undefined(&self) -> bool {
        matches!(self.0, Repr::Undefined(_))
    }

    /// Why there is no value.
    pub fn undefined_reason(&self) -> Option<&str> {
        match &self.0 {
            Repr::Undefined(reason) => Some(reason),
            _ => None,
        }
    }

    /// The terms, in the order they are printed: each a coefficient and the powers of atoms it
    /// multiplies. The constant comes last, with no atoms; zero has no terms, nor has an
    /// undefined expression.
    ///
    /// ```
    /// let cost = calipers_sym::parse("2*batch*sequence + 3")?;
    /// let terms: Vec<_> = cost.terms().collect();
    /// assert_eq!((terms[0].0, terms[0].1.len()), (2, 2));
    /// assert_eq!((terms[1].0, terms[1].1.len()), (3, 0));
    /// # Ok::<(), calipers_sym::ParseError>(())
    /// ```
    pub fn terms(&self) -> impl Iterator<Item = (i128, &[(Atom, u32)])> {
        let view = self.view().unwrap_or(View { terms: &[], constant: 0 });
        let powers = view.terms.iter().map(|term| (term.coefficient, term.monomial.factors()));
        powers.chain((view.constant != 0).then_some((view.constant, &[][..])))
    }

    /// The highest degree of a term, atoms counted as variables; zero for a constant.
    pub fn degree(&self) -> u32 {
        self.view().and_then(|view| Some(view.terms.first()?.monomial.degree())).unwrap_or(0)
    }

    /// Every symbol that occurs, also inside atoms.
    pub fn symbols(&self) -> BTreeSet<Symbol> {
        let mut symbols = BTreeSet::new();
        self.collect_symbols(&mut symbols);
        symbols
    }

    /// Whether the symbol occurs, also inside atoms.
    pub fn contains_symbol(&self, symbol: &Symbol) -> bool {
        self.contains_symbol_where(&|found| found == symbol)
    }

    pub(crate) fn collect_symbols(&self, into: &mut BTreeSet<Symbol>) {
        for (atom, _) in self.terms().flat_map(|term| term.1) {
            atom.collect_symbols(into);
        }
    }

    pub(crate) fn contains_symbol_where(&self, wanted: &dyn Fn(&Symbol) -> bool) -> bool {
        self.terms().flat_map(|term| term.1).any(|(atom, _)| atom.contains_symbol(wanted))
    }

    /// The terms and the constant, unless undefined.
    pub(crate) fn view(&self) -> Option<View<'_>> {
        match &self.0 {
            Repr::Const(constant) => Some(View { terms: &[], constant: *constant }),
            Repr::Poly(poly) => Some(poly.view()),
            Repr::Undefined(_) => None,
        }
    }

    pub(crate) fn interval(&self) -> Interval {
        match &self.0 {
            Repr::Const(value) => Interval::exactly(*value),
            Repr::Poly(poly) => poly.interval(),
            Repr::Undefined(_) => Interval::everything(),
        }
    }

    /// The hash, which a polynomial has ready.
    pub(crate) fn hash_value(&self) -> u64 {
        match &self.0 {
            Repr::Const(value) => hash::mix_wide(hash::start(5), *value),
            Repr::Poly(poly) => poly.hash_value(),
            Repr::Undefined(reason) => hash::name(reason),
        }
    }

    pub(crate) fn depth(&self) -> u32 {
        if let Repr::Poly(poly) = &self.0 { poly.depth() } else { 0 }
    }

    pub(crate) fn weight(&self) -> u32 {
        if let Repr::Poly(poly) = &self.0 { poly.weight() } else { 1 }
    }

    /// The operand that poisons the result. Of two, the lesser reason, so that order is no matter.
    pub(crate) fn poison(&self, other: &Self) -> Option<Self> {
        match (&self.0, &other.0) {
            (Repr::Undefined(a), Repr::Undefined(b)) => Some(if a <= b { self } else { other }),
            (Repr::Undefined(_), _) => Some(self),
            (_, Repr::Undefined(_)) => Some(other),
            _ => None,
        }
        .cloned()
    }

    #[inline]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        if let (Repr::Const(a), Repr::Const(b)) = (&self.0, &other.0) {
            return Self::wide(int::add(*a, *b));
        }
        match (&self.0, &other.0) {
            (_, Repr::Const(0)) => return self.clone(),
            (Repr::Const(0), _) => return other.clone(),
            _ => {}
        }
        match (self.view(), other.view()) {
            (Some(a), Some(b)) => poly::add(a, b),
            _ => self.poisoned_by(other),
        }
    }

    #[inline]
    pub(crate) fn minus(&self, other: &Self) -> Self {
        if let (Repr::Const(a), Repr::Const(b)) = (&self.0, &other.0) {
            return Self::wide(int::sub(*a, *b));
        }
        self.plus(&other.negated())
    }

    #[inline]
    pub(crate) fn times(&self, other: &Self) -> Self {
        if let (Repr::Const(a), Repr::Const(b)) = (&self.0, &other.0) {
            return Self::wide(int::mul(*a, *b));
        }
        match (&self.0, &other.0) {
            (_, Repr::Const(1)) => return self.clone(),
            (Repr::Const(1), _) => return other.clone(),
            _ => {}
        }
        match (self.view(), other.view()) {
            (Some(a), Some(b)) if a.terms.len() > 4 && b.terms.len() > 4 => {
                budget::remembered(self, other, || poly::mul(a, b))
            }
            (Some(a), Some(b)) => poly::mul(a, b),
            _ => self.poisoned_by(other),
        }
    }

    #[inline]
    pub(crate) fn negated(&self) -> Self {
        match &self.0 {
            Repr::Const(value) => Self(Repr::Const(-value)),
            Repr::Poly(poly) => poly::scale(poly.view(), -1),
            Repr::Undefined(_) => self.clone(),
        }
    }

    fn poisoned_by(&self, other: &Self) -> Self {
        self.poison(other).unwrap_or_else(|| self.clone())
    }

    /// The product of `exponent` copies; `x^0 = 1`, also for `x = 0`.
    #[must_use]
    pub fn pow(&self, exponent: u32) -> Self {
        if let Repr::Const(value) = self.0 {
            return Self::wide(int::pow(value, exponent));
        }
        let (mut power, mut square, mut left) = (Self::ONE, self.clone(), exponent);
        if self.is_undefined() {
            return square;
        }
        // Whatever the exponent, an undefined square ends the work.
        while left > 0 && !power.is_undefined() {
            if left % 2 == 1 {
                power = power.times(&square);
            }
            left /= 2;
            if left > 0 {
                square = square.times(&square);
            }
        }
        power
    }
}

impl PartialOrd for Expr {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A total order of the forms, for sorting; it says nothing of the values. See
/// [`Expr::compare`] for those.
impl Ord for Expr {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }

    // On values, method resolution finds these before the methods of `Expr` that take references.
    // They mean the same, so that no caller gets the greater form for the greater value.
    fn max(self, other: Self) -> Self {
        Self::max(&self, &other)
    }

    fn min(self, other: Self) -> Self {
        Self::min(&self, &other)
    }
}

impl Default for Expr {
    fn default() -> Self {
        Self::ZERO
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr({self})")
    }
}

macro_rules! from_integer {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Expr {
            #[inline]
            fn from(value: $integer) -> Self {
                Self(Repr::Const(i128::from(value)))
            }
        }
    )*};
}

from_integer!(i64, i32, u32, u64);

impl From<&Symbol> for Expr {
    fn from(symbol: &Symbol) -> Self {
        Self::symbol(symbol)
    }
}

impl From<Symbol> for Expr {
    fn from(symbol: Symbol) -> Self {
        poly::from_atom(Atom::Symbol(symbol))
    }
}

impl PartialEq<i64> for Expr {
    fn eq(&self, other: &i64) -> bool {
        matches!(self.0, Repr::Const(value) if value == i128::from(*other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{a, b, c};

    #[test]
    fn constants_are_inline() {
        assert!(size_of::<Expr>() <= 32);
        assert_eq!(Expr::from(6) * 7 - 2 + Expr::ONE, 41);
        assert_eq!(Expr::constant(-3).pow(3).as_const(), Some(-27));
        assert_eq!((2 * Expr::from(i64::MAX)).as_const(), None);
        assert!((2 * Expr::from(i64::MAX)).is_const());
    }

    #[test]
    fn sums_and_products_are_canonical() {
        assert_eq!(a() + b(), b() + a());
        assert_eq!((a() + b()) * (a() - b()), a().pow(2) - b().pow(2));
        assert_eq!(a() * 2 - a() - a(), 0);
        assert_eq!((a() + 1).pow(3), a().pow(3) + 3 * a().pow(2) + 3 * a() + 1);
        assert_eq!(a() * Expr::ZERO, 0);
        assert_eq!(a().pow(0), 1);
        assert_eq!([a(), b(), c()].iter().sum::<Expr>(), c() + b() + a());
        assert_eq!([a(), b(), c()].iter().product::<Expr>(), c() * b() * a());
    }

    #[test]
    fn leaving_the_range_is_undefined_and_absorbs() {
        let huge = Expr::from(i64::MAX).pow(2);
        assert!(huge.is_const());
        let beyond = &huge * &huge;
        assert!(beyond.is_undefined());
        assert!(beyond.undefined_reason().is_some_and(|reason| reason.contains("range")));
        assert!((&beyond * Expr::ZERO).is_undefined());
        assert!((&beyond - &beyond).is_undefined());
        assert!((a() + &beyond).is_undefined());
        assert!((a() * &huge * &huge).is_undefined());
        assert!(Expr::from(2).pow(u32::MAX).is_undefined());
    }

    #[test]
    fn of_two_reasons_one_is_kept_whatever_the_order() {
        let (x, y) = (Expr::undefined("x"), Expr::undefined("y"));
        assert_eq!(&x + &y, &y + &x);
    }

    #[test]
    fn growth_is_limited() {
        let wide: Expr = (0..5000).map(|i| Expr::from(Symbol::new(format!("s{i}")))).sum();
        assert!(wide.undefined_reason().is_some_and(|reason| reason.contains("terms")));
        assert!((a() + b()).pow(100_000).is_undefined());
        assert!(a().pow(256).is_undefined());
        let mut deep = a();
        for i in 1..=80 {
            deep = (deep + b()).floor_div(&(b() + i));
        }
        assert!(deep.is_undefined());
    }

    #[test]
    fn parts_are_readable() {
        let cost = 2 * a() * b().pow(2) + 3 * c() - 7;
        let shown: Vec<_> = cost.terms().map(|(k, powers)| (k, powers.len())).collect();
        assert_eq!(shown, [(2, 2), (3, 1), (-7, 0)]);
        assert_eq!(cost.degree(), 3);
        assert_eq!(cost.symbols().iter().map(Symbol::name).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert!(cost.contains_symbol(&Symbol::new("b")));
        assert!(!cost.contains_symbol(&Symbol::new("d")));
        assert_eq!(a().as_symbol().map(Symbol::name), Some("a"));
        assert_eq!((a() + 1).as_symbol(), None);
    }
}
