//! What holds for all admissible values of the symbols.
//!
//! Three arguments are tried, each sound on its own: interval arithmetic term by term; writing
//! each atom as its least value plus something that is not negative, after which a polynomial
//! without negative coefficients is at least its constant (`x*y - x >= 0` for `y >= 1`); and
//! putting something simpler in an atom's place (`floor(L/2) <= L/2`, `min(L, 5) <= L`).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::atom::Atom;
use crate::expr::{Expr, Repr};
use crate::int;
use crate::poly::{self, Monomial, View};

/// Polynomials beyond these sizes are judged by intervals alone.
const MAX_SHIFTED_TERMS: usize = 32;
const MAX_SHIFTED_DEGREE: u32 = 6;
const MAX_EXPANSION: usize = 256;
/// How many atoms are given up one after another, how many are tried at each step, and how many
/// operands an extremum may have for that.
const MAX_REPLACED: u32 = 2;
const MAX_CANDIDATES: usize = 4;
const MAX_OPERANDS: usize = 4;

impl Expr {
    /// A number the value is never below, when one is found.
    pub fn lower_bound(&self) -> Option<i128> {
        lower(self, MAX_REPLACED)
    }

    /// A number the value is never above, when one is found.
    pub fn upper_bound(&self) -> Option<i128> {
        match &self.0 {
            Repr::Const(value) => Some(*value),
            _ => lower(&-self, MAX_REPLACED).map(|bound| -bound),
        }
    }

    /// Whether the value is known never to be below `least`.
    pub fn is_at_least(&self, least: i64) -> bool {
        let least = i128::from(least);
        // The interval is at hand; the other arguments cost work.
        self.interval().lo.is_some_and(|bound| bound >= least)
            || self.lower_bound().is_some_and(|bound| bound >= least)
    }

    /// Returns how two expressions compare, if the result is equal for all admissible values.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if let (Repr::Const(a), Repr::Const(b)) = (&self.0, &other.0) {
            return Some(a.cmp(b));
        }
        let difference = self - other;
        if let Some(value) = difference.as_wide_const() {
            return Some(value.cmp(&0));
        }
        let (lo, hi) = (difference.lower_bound(), difference.upper_bound());
        match (lo, hi) {
            (Some(lo), _) if lo > 0 => Some(Ordering::Greater),
            (_, Some(hi)) if hi < 0 => Some(Ordering::Less),
            (Some(0), Some(0)) => Some(Ordering::Equal),
            _ => None,
        }
    }

    /// Whether two expressions are known to be equal for all admissible values.
    pub fn always_eq(&self, other: &Self) -> bool {
        self.compare(other) == Some(Ordering::Equal)
    }

    /// Whether two expressions are known to differ for all admissible values: by order, or because
    /// a common divisor of the terms does not divide the constant, as in `2*a` and `2*b + 1`.
    pub fn always_ne(&self, other: &Self) -> bool {
        if self.compare(other).is_some_and(Ordering::is_ne) {
            return true;
        }
        (self - other).view().is_some_and(|difference| {
            let common = View { constant: 0, ..difference }.content();
            common > 1 && difference.constant % common != 0
        })
    }
}

/// The best lower bound of the three arguments, `fuel` atoms given up at most.
fn lower(expr: &Expr, fuel: u32) -> Option<i128> {
    let Repr::Poly(poly) = &expr.0 else { return expr.as_wide_const() };
    let mut best = poly.interval().lo;
    let view = poly.view();
    if view.terms.len() > MAX_SHIFTED_TERMS {
        return best;
    }
    // `None` is less than any bound.
    best = best.max(shifted_lower(view));
    if fuel == 0 {
        return best;
    }
    let candidates = view.terms.iter().filter_map(|term| match term.monomial.as_atom() {
        None | Some(Atom::Symbol(_)) => None,
        Some(atom) => Some((atom, term)),
    });
    for (atom, term) in candidates.take(MAX_CANDIDATES) {
        let others = expr - poly::from_monomial(term.coefficient, term.monomial.clone());
        best = best.max(lower_without(atom, term.coefficient, &others, fuel - 1));
    }
    best
}

/// A lower bound of `coefficient * atom + others` in which the atom has given way.
fn lower_without(atom: &Atom, coefficient: i128, others: &Expr, fuel: u32) -> Option<i128> {
    let times = Expr(Repr::Const(coefficient));
    let with = |operand: &Expr| lower(&(others + &times * operand), fuel);
    match atom {
        Atom::Symbol(_) => None,
        Atom::FloorDiv(division) => {
            // (n - k + 1)/k <= floor(n/k) <= n/k, and k times the whole is an integer bound.
            let by = division.divisor().as_wide_const().filter(|by| *by > 0)?;
            let slack = if coefficient > 0 { by - 1 } else { 0 };
            let numerator = division.dividend() - Expr(Repr::Const(slack));
            let scaled = others * Expr(Repr::Const(by)) + times * numerator;
            lower(&scaled, fuel).map(|bound| int::ceil_div(bound, by))
        }
        Atom::Modulo(division) => {
            // A remainder by a positive divisor is no more than a dividend that is not negative.
            let usable = coefficient < 0
                && division.dividend().interval().lo.is_some_and(|lo| lo >= 0)
                && division.divisor().interval().lo.is_some_and(|lo| lo >= 0);
            if usable { with(division.dividend()) } else { None }
        }
        Atom::Min(list) | Atom::Max(list) => {
            let bounds = list.iter().take(MAX_OPERANDS).map(with);
            // The extremum is beyond every operand on one side, so any operand bounds it there;
            // and it is one of the operands, so the worst of them bounds it on the other.
            if matches!(atom, Atom::Min(_)) == (coefficient < 0) {
                bounds.max().flatten()
            } else if list.len() <= MAX_OPERANDS {
                bounds.min().flatten()
            } else {
                None
            }
        }
    }
}

/// A lower bound by writing each atom as its least value plus a rest that is not negative.
fn shifted_lower(view: View<'_>) -> Option<i128> {
    if view.terms.first()?.monomial.degree() > MAX_SHIFTED_DEGREE {
        return None;
    }
    let mut sum: BTreeMap<Monomial, i128> = BTreeMap::new();
    // One symbol may carry different bounds in different terms. All are true, but the rest is the
    // same in all terms only if the least value is.
    let mut leasts: BTreeMap<&Atom, i128> = BTreeMap::new();
    for term in view.terms {
        let mut expansion = vec![(Monomial::one(), term.coefficient)];
        for (atom, exponent) in term.monomial.factors() {
            let least = match leasts.get(atom) {
                Some(least) => *least,
                None => *leasts.entry(atom).or_insert(atom.interval().lo?),
            };
            let rest = Monomial::from_atom(atom.clone());
            for _ in 0..*exponent {
                let mut next = Vec::with_capacity(2 * expansion.len());
                for (monomial, coefficient) in expansion {
                    next.push((monomial.mul(&rest)?, coefficient));
                    if least != 0 {
                        next.push((monomial, int::mul(coefficient, least)?));
                    }
                }
                expansion = next;
            }
        }
        for (monomial, coefficient) in expansion {
            let slot = sum.entry(monomial).or_insert(0);
            *slot = int::add(*slot, coefficient)?;
        }
        if sum.len() > MAX_EXPANSION {
            return None;
        }
    }
    let mut bound = view.constant;
    for (monomial, coefficient) in sum {
        if monomial.is_one() {
            bound = int::add(bound, coefficient)?;
        } else if coefficient < 0 {
            bound = int::add(bound, int::mul(coefficient, greatest_rest(&monomial, &leasts)?)?)?;
        }
    }
    Some(bound)
}

/// The greatest value of a monomial in the rests of its atoms, when all are bounded.
fn greatest_rest(monomial: &Monomial, leasts: &BTreeMap<&Atom, i128>) -> Option<i128> {
    monomial.factors().iter().try_fold(1, |product, (atom, exponent)| {
        let rest = int::sub(atom.interval().hi?, *leasts.get(atom)?)?;
        int::mul(product, int::pow(rest, *exponent)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atom::Symbol;
    use crate::testing::{a, b, e, k};

    fn bounds(expr: &Expr) -> (Option<i128>, Option<i128>) {
        (expr.lower_bound(), expr.upper_bound())
    }

    #[test]
    fn intervals() {
        assert_eq!(bounds(&(2 * a() + 3)), (Some(3), None));
        assert_eq!(bounds(&(5 - a())), (None, Some(5)));
        assert_eq!(bounds(&e("L mod 8")), (Some(0), Some(7)));
        assert_eq!(bounds(&e("min(L, 9)")), (Some(0), Some(9)));
        assert_eq!(bounds(&e("floor((L mod 8)/3)")), (Some(0), Some(2)));
        assert_eq!(bounds(&k(4)), (Some(4), Some(4)));
        assert_eq!(bounds(&(a() - b())), (None, None));
        assert_eq!(bounds(&Expr::undefined("why")), (None, None));
    }

    #[test]
    fn products_of_positive_dimensions() {
        let x = Expr::from(Symbol::at_least("x", 1));
        assert_eq!((&x * a() - a()).lower_bound(), Some(0));
        assert_eq!((&x * &x - 2 * &x + 1).lower_bound(), Some(0));
        assert_eq!((x.pow(2) * a()).compare(&(&x * a() - 1)), Some(Ordering::Greater));
    }

    #[test]
    fn different_bounds_of_one_symbol_are_all_true() {
        let (loose, tight) = (Expr::from(Symbol::at_least("x", -9)), Expr::from(Symbol::new("x")));
        let factor = e("max(a, 1)");
        for difference in [&factor * &tight - &loose - 4, &factor * &loose - &tight - 4] {
            assert!(difference.lower_bound().is_none_or(|bound| bound <= -4));
        }
    }

    #[test]
    fn atoms_give_way() {
        assert_eq!(e("L - floor(L/2)").lower_bound(), Some(0));
        assert_eq!(e("2*floor(L/2) - L").lower_bound(), Some(-1));
        assert_eq!(e("8*ceil(L/8) - L").lower_bound(), Some(0));
        assert_eq!(e("8*ceil(L/8) - L").upper_bound(), Some(7));
        assert_eq!(e("L - min(L, 5)").lower_bound(), Some(0));
        assert_eq!(e("max(L, S) - L").lower_bound(), Some(0));
        assert_eq!(e("L - (L mod 8)").lower_bound(), Some(0));
        assert_eq!(e("L + S - max(L, S)").lower_bound(), Some(0));
    }

    #[test]
    fn comparisons() {
        assert_eq!(a().compare(&(a() + 1)), Some(Ordering::Less));
        assert_eq!(a().compare(&a()), Some(Ordering::Equal));
        assert_eq!(a().compare(&b()), None);
        assert_eq!(a().compare(&Expr::undefined("why")), None);
        assert_eq!(k(3).compare(&k(2)), Some(Ordering::Greater));
        assert!((a() + b()).always_eq(&(b() + a())));
        assert!(!a().always_eq(&b()));
        assert!((2 * a()).always_ne(&(2 * b() + 1)));
        assert!(!(2 * a()).always_ne(&(2 * b() + 2)));
        assert!(a().is_at_least(0));
        assert!(!a().is_at_least(1));
    }
}
