//! Quotients and remainders.
//!
//! The rules. Each preserves the value if the divisor is not zero:
//!
//! | rule | example |
//! |---|---|
//! | exact division | `12*B*S / (4*B) = 3*S` |
//! | common factors cancel | `6*a*c / (4*b*c) = 3*a / (2*b)` |
//! | whole multiples of the divisor leave | `(6*L + 5) / 3 = 2*L + 1` |
//! | a quotient of a quotient | `(L / 2) / 3 = L / 6` |
//! | a negative dividend is rounded up | `-L / 8 = -((L + 7) / 8)` |
//! | bounds decide | `(L mod 4) / 4 = 0` |
//! | the dividend of a remainder is reduced | `(9*L + 5) mod 4 = (L + 1) mod 4` |
//! | a remainder of a remainder | `(L mod 12) mod 4 = L mod 4` |
//!
//! The arithmetic of shapes presumes divisors that are not zero. So exact division by a symbolic
//! divisor is carried out, `B*S / B = S`, although `B` might be zero; and a divisor that is at
//! least zero is taken to be at least one.

use std::collections::BTreeMap;

use crate::atom::Atom;
use crate::expr::{Expr, Repr};
use crate::limits::{DIVISION_BY_ZERO, MAX_PRODUCTS, OVERFLOW};
use crate::poly::{self, Monomial, Term, View};
use crate::{int, limits};

impl Expr {
    /// The quotient rounded towards minus infinity.
    ///
    /// ```
    /// # use calipers_sym::parse;
    /// let tokens = parse("12*B*S")?;
    /// assert_eq!(tokens.floor_div(&parse("4*B")?), parse("3*S")?);
    /// assert_eq!(parse("6*L + 5")?.floor_div(&3.into()), parse("2*L + 1")?);
    /// # Ok::<(), calipers_sym::ParseError>(())
    /// ```
    #[must_use]
    pub fn floor_div(&self, divisor: &Self) -> Self {
        match (&self.0, &divisor.0) {
            (Repr::Undefined(_), _) | (_, Repr::Undefined(_)) => poisoned(self, divisor),
            (_, Repr::Const(0)) => Self::undefined(DIVISION_BY_ZERO),
            (Repr::Const(a), Repr::Const(b)) => Self(Repr::Const(int::floor_div(*a, *b))),
            (Repr::Const(0), _) => Self::ZERO,
            (Repr::Poly(a), Repr::Const(b)) => floor_div_constant(a.view(), *b),
            (_, Repr::Poly(_)) => floor_div_symbolic(self, divisor),
        }
    }

    /// The quotient rounded towards plus infinity.
    #[must_use]
    pub fn ceil_div(&self, divisor: &Self) -> Self {
        match divisor.0 {
            Repr::Const(by) if by > 0 => (self + Self(Repr::Const(by - 1))).floor_div(divisor),
            _ => -(-self).floor_div(divisor),
        }
    }

    /// The quotient rounded towards zero, as C divides.
    ///
    /// Where the signs are not known this is `max(floor(a/b), min(ceil(a/b), 0))`, which is the
    /// same number whatever they turn out to be.
    #[must_use]
    pub fn trunc_div(&self, divisor: &Self) -> Self {
        if let Some(quotient) = self.exact_div(divisor) {
            return quotient;
        }
        let (floor, ceil) = (self.floor_div(divisor), self.ceil_div(divisor));
        // The quotient's sign is what matters, and either rounding shows it.
        if floor.is_at_least(0) {
            return floor;
        }
        if ceil.upper_bound().is_some_and(|most| most <= 0) {
            return ceil;
        }
        floor.max(ceil.min(Self::ZERO))
    }

    /// The remainder of [`Expr::floor_div`]; it has the divisor's sign, as in Python.
    #[must_use]
    pub fn modulo(&self, divisor: &Self) -> Self {
        match (&self.0, &divisor.0) {
            (Repr::Undefined(_), _) | (_, Repr::Undefined(_)) => poisoned(self, divisor),
            (_, Repr::Const(0)) => Self::undefined(DIVISION_BY_ZERO),
            (Repr::Const(a), Repr::Const(b)) => Self(Repr::Const(int::floor_mod(*a, *b))),
            (Repr::Const(0), _) => Self::ZERO,
            (Repr::Poly(a), Repr::Const(b)) => modulo_constant(a.view(), *b),
            (_, Repr::Poly(_)) => modulo_symbolic(self, divisor),
        }
    }

    /// The quotient when the division leaves no remainder, as polynomials with atoms for
    /// variables. Division by the zero polynomial has no quotient; a divisor that may take the
    /// value zero is presumed not to.
    ///
    /// ```
    /// # use calipers_sym::parse;
    /// let (all, part) = (parse("a^2 + 3*a*b + 2*b^2")?, parse("a + b")?);
    /// assert_eq!(all.exact_div(&part), Some(parse("a + 2*b")?));
    /// assert_eq!(part.exact_div(&all), None);
    /// # Ok::<(), calipers_sym::ParseError>(())
    /// ```
    pub fn exact_div(&self, divisor: &Self) -> Option<Self> {
        if let (Repr::Const(a), Repr::Const(b)) = (&self.0, &divisor.0) {
            return (*b != 0 && a % b == 0).then(|| Self(Repr::Const(a / b)));
        }
        let (dividend, by) = (self.view()?, divisor.view()?);
        let by = by.owned_terms();
        let (leading, rest) = by.split_first()?;
        let mut left: BTreeMap<Monomial, i128> =
            dividend.owned_terms().into_iter().map(|t| (t.monomial, t.coefficient)).collect();
        let mut quotient = Vec::new();
        while let Some((monomial, coefficient)) = left.pop_first() {
            // The leading term of a product is the product of the leading terms, so one leading
            // term that does not divide settles it.
            if coefficient % leading.coefficient != 0 || quotient.len() * by.len() > MAX_PRODUCTS {
                return None;
            }
            let monomial = monomial.div(&leading.monomial)?;
            let coefficient = coefficient / leading.coefficient;
            for term in rest {
                let product = int::mul(coefficient, term.coefficient)?;
                let at = monomial.mul(&term.monomial)?;
                let changed = int::sub(left.get(&at).copied().unwrap_or(0), product)?;
                if changed == 0 {
                    left.remove(&at);
                } else {
                    left.insert(at, changed);
                }
            }
            quotient.push(Term { monomial, coefficient });
        }
        Some(poly::gather(quotient)).filter(|quotient| !quotient.is_undefined())
    }

    /// Every coefficient and the constant divided by a number that divides them.
    fn over(&self, by: i128) -> Self {
        self.exact_div(&Self(Repr::Const(by))).unwrap_or_else(|| Self::undefined(OVERFLOW))
    }
}

fn poisoned(a: &Expr, b: &Expr) -> Expr {
    a.poison(b).unwrap_or_else(|| Expr::undefined(limits::OVERFLOW))
}

/// Splits `p` into `quotient * by + rest`, where `divide` returns both parts of each coefficient.
fn split(p: View<'_>, by: i128, divide: impl Fn(i128) -> (i128, i128)) -> (Expr, Expr) {
    let (mut quotient, mut rest) = (Vec::new(), Vec::new());
    for term in p.terms {
        let (whole, left) = divide(term.coefficient);
        for (part, coefficient) in [(&mut quotient, whole), (&mut rest, left)] {
            if coefficient != 0 {
                part.push(Term { monomial: term.monomial.clone(), coefficient });
            }
        }
    }
    let (whole, left) = (int::floor_div(p.constant, by), int::floor_mod(p.constant, by));
    (poly::build(quotient, whole), poly::build(rest, left))
}

/// The greatest common divisor of `by` and the coefficients, the constant left aside.
fn common(p: View<'_>, by: i128) -> i128 {
    p.terms.iter().fold(by, |sum, term| int::gcd(sum, term.coefficient))
}

fn floor_div_constant(p: View<'_>, by: i128) -> Expr {
    if by < 0 {
        return poly::scale(p, -1).floor_div(&Expr(Repr::Const(-by)));
    }
    if by == 1 {
        return poly::scale(p, 1);
    }
    let (quotient, rest) = split(p, by, |coefficient| (coefficient / by, coefficient % by));
    let Repr::Poly(left) = &rest.0 else {
        // What is left of the constant is less than the divisor.
        return quotient;
    };
    let left = left.view();
    if left.leads_negative() {
        let rounded_up = -&rest + Expr(Repr::Const(by - 1));
        return quotient - rounded_up.floor_div(&Expr(Repr::Const(by)));
    }
    let common = common(left, by);
    if common > 1 {
        let constant = Expr(Repr::Const(left.constant));
        let reduced = (&rest - &constant).over(common);
        let constant = Expr(Repr::Const(int::floor_div(left.constant, common)));
        return quotient + (reduced + constant).floor_div(&Expr(Repr::Const(by / common)));
    }
    if let Some((dividend, divisor)) = unnest(&rest, left, by) {
        return quotient + dividend.floor_div(&divisor);
    }
    let divisor = Expr(Repr::Const(by));
    match rest.interval().floor_div(divisor.interval()).single() {
        Some(only) => quotient + Expr(Repr::Const(only)),
        None => quotient + poly::from_atom(Atom::floor_div(rest, divisor)),
    }
}

/// `(floor(x/a) + y) / by` as `(x + a*y) / (a*by)`, for positive constants `a` and `by`; and for
/// a symbolic `a` when there is no `y`.
fn unnest(rest: &Expr, view: View<'_>, by: i128) -> Option<(Expr, Expr)> {
    view.terms.iter().filter(|term| term.coefficient == 1).find_map(|term| {
        let Some(Atom::FloorDiv(inner)) = term.monomial.as_atom() else { return None };
        let others = rest - poly::from_monomial(1, term.monomial.clone());
        let inner_by = inner.divisor();
        if inner_by.as_wide_const().is_none_or(|by| by <= 0) && others != 0 {
            return None;
        }
        let (dividend, divisor) =
            (inner.dividend() + inner_by * others, inner_by * Expr(Repr::Const(by)));
        (!dividend.is_undefined() && !divisor.is_undefined()).then_some((dividend, divisor))
    })
}

/// A dividend and a symbolic divisor with what they have in common taken out of both, and that
/// common factor. The divisor leads with a positive coefficient; the factor carries the sign.
fn cancel(dividend: &Expr, divisor: &Expr) -> Option<(Expr, Expr, Expr)> {
    let (p, d) = (dividend.view()?, divisor.view()?);
    let content = int::gcd(p.content(), d.content());
    let sign = if d.leads_negative() { -1 } else { 1 };
    let monomial = p.common_monomial().gcd(&d.common_monomial());
    let factor = poly::from_monomial(content * sign, monomial);
    Some((dividend.exact_div(&factor)?, divisor.exact_div(&factor)?, factor))
}

/// The multiples of a divisor of one term that are in the dividend, and what is left.
fn split_symbolic(dividend: &Expr, divisor: &Expr) -> Option<(Expr, Expr)> {
    let View { terms: [by], constant: 0 } = divisor.view()? else { return None };
    let mut quotient = Vec::new();
    for term in dividend.view()?.terms {
        let whole = term.coefficient / by.coefficient;
        if whole != 0
            && let Some(monomial) = term.monomial.div(&by.monomial)
        {
            quotient.push(Term { monomial, coefficient: whole });
        }
    }
    let quotient = poly::gather(quotient);
    let rest = dividend - &quotient * divisor;
    (quotient != 0 && !rest.is_undefined()).then_some((quotient, rest))
}

/// Whether `0 <= dividend < divisor`, so that the quotient is zero.
fn is_small(dividend: &Expr, divisor: &Expr) -> bool {
    dividend.is_at_least(0) && (divisor - dividend).is_at_least(1)
}

fn floor_div_symbolic(dividend: &Expr, divisor: &Expr) -> Expr {
    let Some((dividend, divisor, _)) = cancel(dividend, divisor) else {
        return Expr::undefined(OVERFLOW);
    };
    if divisor.is_const() {
        return dividend.floor_div(&divisor);
    }
    if let Some(quotient) = dividend.exact_div(&divisor) {
        return quotient;
    }
    if let Some((quotient, rest)) = split_symbolic(&dividend, &divisor) {
        return quotient + rest.floor_div(&divisor);
    }
    // Rounding down twice is rounding down once when the second divisor is positive.
    if let Some(Atom::FloorDiv(inner)) = dividend.as_atom()
        && divisor.is_at_least(0)
    {
        let product = inner.divisor() * &divisor;
        if !product.is_undefined() {
            return inner.dividend().floor_div(&product);
        }
    }
    if is_small(&dividend, &divisor) {
        return Expr::ZERO;
    }
    match dividend.interval().floor_div(divisor.interval()).single() {
        Some(only) => Expr(Repr::Const(only)),
        None => poly::from_atom(Atom::floor_div(dividend, divisor)),
    }
}

fn modulo_constant(p: View<'_>, by: i128) -> Expr {
    if by < 0 {
        return -poly::scale(p, -1).modulo(&Expr(Repr::Const(-by)));
    }
    if by == 1 {
        return Expr::ZERO;
    }
    // The coefficient nearest to zero: `7*L mod 8` is `-L mod 8`.
    let (_, rest) = split(p, by, |coefficient| {
        let left = int::floor_mod(coefficient, by);
        (0, if left > by / 2 { left - by } else { left })
    });
    let Repr::Poly(left) = &rest.0 else { return rest };
    let left = left.view();
    let common = common(left, by);
    if common > 1 {
        let constant = Expr(Repr::Const(left.constant));
        let reduced = (&rest - &constant).over(common);
        let whole = Expr(Repr::Const(int::floor_div(left.constant, common)));
        let inner = (reduced + whole).modulo(&Expr(Repr::Const(by / common)));
        return inner * Expr(Repr::Const(common))
            + Expr(Repr::Const(int::floor_mod(left.constant, common)));
    }
    if let Some(plain) = unwrap_remainder(&rest, left, by) {
        return plain.modulo(&Expr(Repr::Const(by)));
    }
    let divisor = Expr(Repr::Const(by));
    match rest.interval().floor_div(divisor.interval()).single() {
        Some(only) => rest - divisor * Expr(Repr::Const(only)),
        None => poly::from_atom(Atom::modulo(rest, divisor)),
    }
}

/// A dividend in which one remainder `x mod a` gives way to `x`, when they differ by a multiple of
/// `by`.
fn unwrap_remainder(rest: &Expr, view: View<'_>, by: i128) -> Option<Expr> {
    view.terms.iter().find_map(|term| {
        let Some(Atom::Modulo(inner)) = term.monomial.as_atom() else { return None };
        let step = int::mul(inner.divisor().as_wide_const()?, term.coefficient)?;
        if step % by != 0 {
            return None;
        }
        let coefficient = Expr(Repr::Const(term.coefficient));
        let difference = inner.dividend() - poly::from_monomial(1, term.monomial.clone());
        Some(rest + coefficient * difference).filter(|plain| !plain.is_undefined())
    })
}

fn modulo_symbolic(dividend: &Expr, divisor: &Expr) -> Expr {
    let Some((dividend, divisor, factor)) = cancel(dividend, divisor) else {
        return Expr::undefined(OVERFLOW);
    };
    // `f*a mod f*b = f * (a mod b)` whatever the sign of `f`.
    if divisor.is_const() {
        return factor * dividend.modulo(&divisor);
    }
    if dividend.exact_div(&divisor).is_some() {
        return Expr::ZERO;
    }
    if let Some((_, rest)) = split_symbolic(&dividend, &divisor) {
        return factor * rest.modulo(&divisor);
    }
    if is_small(&dividend, &divisor) {
        return factor * dividend;
    }
    match dividend.interval().modulo(divisor.interval()).single() {
        Some(only) => factor * Expr(Repr::Const(only)),
        None => factor * poly::from_atom(Atom::modulo(dividend, divisor)),
    }
}

#[cfg(test)]
#[path = "divide_tests.rs"]
mod tests;
