//! Sums of coefficients times monomials, in canonical form.
//!
//! A canonical polynomial has its terms sorted (higher degree first, then by name), no two alike,
//! no coefficient zero, and the constant kept apart. At least one term is not constant, since a
//! constant needs no polynomial. Two polynomials are equal exactly when these parts are.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use crate::atom::Atom;
use crate::expr::{Expr, Repr};
use crate::interval::Interval;
use crate::limits::{self, MAX_DEGREE, MAX_DEPTH, MAX_PRODUCTS, MAX_TERMS, MAX_WEIGHT};
use crate::{budget, hash, int};

/// A product of powers of atoms, sorted by atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Monomial {
    degree: u32,
    factors: Arc<[(Atom, u32)]>,
}

impl Monomial {
    /// The empty product.
    pub(crate) fn one() -> Self {
        Self { degree: 0, factors: Arc::default() }
    }

    /// A single atom.
    pub(crate) fn from_atom(atom: Atom) -> Self {
        Self { degree: 1, factors: Arc::from([(atom, 1)]) }
    }

    fn from_factors(factors: Vec<(Atom, u32)>) -> Self {
        let degree = factors.iter().map(|factor| factor.1).sum();
        Self { degree, factors: factors.into() }
    }

    pub(crate) fn factors(&self) -> &[(Atom, u32)] {
        &self.factors
    }

    pub(crate) fn degree(&self) -> u32 {
        self.degree
    }

    pub(crate) fn is_one(&self) -> bool {
        self.degree == 0
    }

    /// The atom, when the monomial is nothing but that.
    pub(crate) fn as_atom(&self) -> Option<&Atom> {
        match &*self.factors {
            [(atom, 1)] => Some(atom),
            _ => None,
        }
    }

    /// The product, unless its degree is beyond the limit.
    pub(crate) fn mul(&self, other: &Self) -> Option<Self> {
        if self.is_one() {
            return Some(other.clone());
        }
        if other.is_one() {
            return Some(self.clone());
        }
        if self.degree.checked_add(other.degree)? > MAX_DEGREE {
            return None;
        }
        let mut factors = Vec::with_capacity(self.factors.len() + other.factors.len());
        let (mut left, mut right) = (self.factors.iter(), other.factors.iter());
        let (mut a, mut b) = (left.next(), right.next());
        loop {
            let order = match (a, b) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            if let (Some(a), Some(b), Ordering::Equal) = (a, b, order) {
                factors.push((a.0.clone(), a.1 + b.1));
            } else {
                factors.extend(if order.is_lt() { a.cloned() } else { b.cloned() });
            }
            if order.is_le() {
                a = left.next();
            }
            if order.is_ge() {
                b = right.next();
            }
        }
        Some(Self::from_factors(factors))
    }

    /// The quotient, when `other` divides this monomial.
    pub(crate) fn div(&self, other: &Self) -> Option<Self> {
        if other.is_one() {
            return Some(self.clone());
        }
        if other.degree > self.degree {
            return None;
        }
        let mut factors = Vec::with_capacity(self.factors.len());
        let mut divisors = other.factors.iter().peekable();
        for (atom, exponent) in self.factors.iter() {
            let taken = divisors.next_if(|divisor| divisor.0 == *atom).map_or(0, |d| d.1);
            match exponent.checked_sub(taken)? {
                0 => {}
                left => factors.push((atom.clone(), left)),
            }
        }
        divisors.peek().is_none().then(|| Self::from_factors(factors))
    }

    /// The greatest monomial that divides both.
    pub(crate) fn gcd(&self, other: &Self) -> Self {
        let mut factors = Vec::new();
        for (atom, exponent) in self.factors.iter() {
            if let Ok(at) = other.factors.binary_search_by(|factor| factor.0.cmp(atom)) {
                factors.push((atom.clone(), *exponent.min(&other.factors[at].1)));
            }
        }
        Self::from_factors(factors)
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Monomial {
    /// Graded lexicographic order, the leading monomial first. Multiplying both sides by a
    /// monomial keeps the order, which polynomial division relies on.
    fn cmp(&self, other: &Self) -> Ordering {
        other.degree.cmp(&self.degree).then_with(|| {
            let pairs = self.factors.iter().zip(other.factors.iter());
            let mut orders = pairs.map(|(a, b)| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })
    }
}

/// A coefficient times a monomial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Term {
    pub(crate) monomial: Monomial,
    pub(crate) coefficient: i128,
}

/// A polynomial that is not constant, with what is known of it.
#[derive(Debug)]
pub(crate) struct Poly {
    terms: Vec<Term>,
    constant: i128,
    /// Found when it is first asked for: most polynomials are added up and never compared.
    interval: OnceLock<Interval>,
    depth: u32,
    weight: u32,
    hash: u64,
}

impl Poly {
    pub(crate) fn view(&self) -> View<'_> {
        View { terms: &self.terms, constant: self.constant }
    }

    pub(crate) fn interval(&self) -> Interval {
        *self.interval.get_or_init(|| {
            let term = |term: &Term| {
                let factors = term.monomial.factors().iter();
                factors.fold(Interval::exactly(term.coefficient), |product, (atom, exponent)| {
                    product.mul(atom.interval().pow(*exponent))
                })
            };
            let terms = self.terms.iter().map(term);
            terms.fold(Interval::exactly(self.constant), Interval::add)
        })
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    pub(crate) fn weight(&self) -> u32 {
        self.weight
    }

    pub(crate) fn hash_value(&self) -> u64 {
        self.hash
    }
}

// What is known of a polynomial follows from its terms, so it takes no part in comparisons.
impl PartialEq for Poly {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.constant == other.constant && self.terms == other.terms
    }
}

impl Eq for Poly {}

impl PartialOrd for Poly {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Poly {
    fn cmp(&self, other: &Self) -> Ordering {
        if std::ptr::eq(self, other) {
            return Ordering::Equal;
        }
        self.terms.cmp(&other.terms).then(self.constant.cmp(&other.constant))
    }
}

/// A polynomial or a constant, seen as terms and a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) terms: &'a [Term],
    pub(crate) constant: i128,
}

impl View<'_> {
    /// The sign of the leading term: the first coefficient, or the constant.
    pub(crate) fn leads_negative(&self) -> bool {
        self.terms.first().map_or(self.constant, |term| term.coefficient) < 0
    }

    /// The greatest common divisor of the coefficients and the constant.
    pub(crate) fn content(&self) -> i128 {
        self.terms.iter().fold(self.constant, |sum, term| int::gcd(sum, term.coefficient)).abs()
    }

    /// The greatest monomial that divides every term.
    pub(crate) fn common_monomial(&self) -> Monomial {
        let mut terms = self.terms.iter();
        match terms.next() {
            Some(first) if self.constant == 0 => {
                terms.fold(first.monomial.clone(), |common, term| common.gcd(&term.monomial))
            }
            _ => Monomial::one(),
        }
    }

    /// All terms, the constant as the last when it is not zero.
    pub(crate) fn owned_terms(&self) -> Vec<Term> {
        let mut terms = self.terms.to_vec();
        if self.constant != 0 {
            terms.push(Term { monomial: Monomial::one(), coefficient: self.constant });
        }
        terms
    }
}

/// An expression from terms that are sorted, distinct, not constant and not zero.
pub(crate) fn build(terms: Vec<Term>, constant: i128) -> Expr {
    if terms.is_empty() {
        return Expr(Repr::Const(constant));
    }
    if terms.len() > MAX_TERMS {
        return Expr::undefined(limits::TOO_MANY_TERMS);
    }
    let (mut depth, mut weight) = (0, 0_u32);
    let mut hash = hash::mix_wide(hash::start(6), constant);
    for term in &terms {
        hash = hash::mix_wide(hash, term.coefficient);
        for (atom, exponent) in term.monomial.factors() {
            depth = depth.max(atom.depth());
            weight = weight.saturating_add(atom.weight());
            hash = hash::mix(hash::mix(hash, atom.hash_value()), (*exponent).into());
        }
        weight = weight.saturating_add(1);
    }
    if depth > MAX_DEPTH {
        return Expr::undefined(limits::TOO_DEEP);
    }
    if weight > MAX_WEIGHT {
        return Expr::undefined(limits::TOO_LARGE);
    }
    if !budget::spend(weight) {
        return Expr::undefined(limits::TOO_MANY_DIMENSIONS);
    }
    let interval = OnceLock::new();
    Expr(Repr::Poly(Arc::new(Poly { terms, constant, interval, depth, weight, hash })))
}

/// An expression from terms in any order, which may be alike, constant or zero.
pub(crate) fn gather(mut terms: Vec<Term>) -> Expr {
    terms.sort_unstable_by(|a, b| a.monomial.cmp(&b.monomial));
    let mut merged: Vec<Term> = Vec::with_capacity(terms.len());
    for term in terms {
        match merged.last_mut() {
            Some(last) if last.monomial == term.monomial => {
                match int::add(last.coefficient, term.coefficient) {
                    Some(sum) => last.coefficient = sum,
                    None => return Expr::undefined(limits::OVERFLOW),
                }
            }
            _ => merged.push(term),
        }
    }
    merged.retain(|term| term.coefficient != 0);
    let constant = match merged.last() {
        Some(last) if last.monomial.is_one() => merged.pop().map_or(0, |last| last.coefficient),
        _ => 0,
    };
    build(merged, constant)
}

/// One atom as an expression.
pub(crate) fn from_atom(atom: Atom) -> Expr {
    build(vec![Term { monomial: Monomial::from_atom(atom), coefficient: 1 }], 0)
}

/// A coefficient times a monomial as an expression.
pub(crate) fn from_monomial(coefficient: i128, monomial: Monomial) -> Expr {
    gather(vec![Term { monomial, coefficient }])
}

/// The sum, by merging two sorted lists.
pub(crate) fn add(a: View<'_>, b: View<'_>) -> Expr {
    let Some(constant) = int::add(a.constant, b.constant) else {
        return Expr::undefined(limits::OVERFLOW);
    };
    let mut terms = Vec::with_capacity(a.terms.len() + b.terms.len());
    let (mut left, mut right) = (a.terms, b.terms);
    while let ([x, left_rest @ ..], [y, right_rest @ ..]) = (left, right) {
        match x.monomial.cmp(&y.monomial) {
            Ordering::Less => {
                terms.push(x.clone());
                left = left_rest;
            }
            Ordering::Greater => {
                terms.push(y.clone());
                right = right_rest;
            }
            Ordering::Equal => {
                match int::add(x.coefficient, y.coefficient) {
                    Some(0) => {}
                    Some(coefficient) => {
                        terms.push(Term { monomial: x.monomial.clone(), coefficient });
                    }
                    None => return Expr::undefined(limits::OVERFLOW),
                }
                (left, right) = (left_rest, right_rest);
            }
        }
    }
    terms.extend_from_slice(left);
    terms.extend_from_slice(right);
    build(terms, constant)
}

/// The polynomial times a constant.
pub(crate) fn scale(a: View<'_>, by: i128) -> Expr {
    if by == 0 {
        return Expr(Repr::Const(0));
    }
    let terms = a.terms.iter().map(|term| {
        let coefficient = int::mul(term.coefficient, by)?;
        Some(Term { monomial: term.monomial.clone(), coefficient })
    });
    match (terms.collect::<Option<Vec<_>>>(), int::mul(a.constant, by)) {
        (Some(terms), Some(constant)) => build(terms, constant),
        _ => Expr::undefined(limits::OVERFLOW),
    }
}

/// The polynomial times one term. It keeps the order of the terms, so nothing is sorted.
fn mul_term(a: View<'_>, by: &Term) -> Expr {
    let mut terms = Vec::with_capacity(a.terms.len() + 1);
    for term in a.terms {
        let Some(monomial) = term.monomial.mul(&by.monomial) else {
            return Expr::undefined(limits::DEGREE);
        };
        let Some(coefficient) = int::mul(term.coefficient, by.coefficient) else {
            return Expr::undefined(limits::OVERFLOW);
        };
        terms.push(Term { monomial, coefficient });
    }
    if a.constant != 0 {
        let Some(coefficient) = int::mul(a.constant, by.coefficient) else {
            return Expr::undefined(limits::OVERFLOW);
        };
        terms.push(Term { monomial: by.monomial.clone(), coefficient });
    }
    build(terms, 0)
}

/// The product, term by term.
pub(crate) fn mul(a: View<'_>, b: View<'_>) -> Expr {
    if a.terms.is_empty() {
        return scale(b, a.constant);
    }
    if b.terms.is_empty() {
        return scale(a, b.constant);
    }
    match (a, b) {
        (View { terms: [term], constant: 0 }, many)
        | (many, View { terms: [term], constant: 0 }) => {
            return mul_term(many, term);
        }
        _ => {}
    }
    let (a, b) = (a.owned_terms(), b.owned_terms());
    let products = a.len() * b.len();
    if products > MAX_PRODUCTS {
        return Expr::undefined(limits::TOO_MANY_TERMS);
    }
    if !budget::spend(u32::try_from(products).unwrap_or(u32::MAX)) {
        return Expr::undefined(limits::TOO_MANY_DIMENSIONS);
    }
    let mut terms = Vec::with_capacity(products);
    for x in &a {
        for y in &b {
            let Some(monomial) = x.monomial.mul(&y.monomial) else {
                return Expr::undefined(limits::DEGREE);
            };
            let Some(coefficient) = int::mul(x.coefficient, y.coefficient) else {
                return Expr::undefined(limits::OVERFLOW);
            };
            terms.push(Term { monomial, coefficient });
        }
    }
    gather(terms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atom::Symbol;

    fn atom(name: &str) -> Atom {
        Atom::Symbol(Symbol::new(name))
    }

    fn monomial(names: &str) -> Monomial {
        let atoms = names.chars().map(|name| Monomial::from_atom(atom(&name.to_string())));
        atoms.fold(Monomial::one(), |product, atom| product.mul(&atom).unwrap())
    }

    #[test]
    fn monomials_multiply_and_divide() {
        assert_eq!(monomial("ab").mul(&monomial("bc")), Some(monomial("abbc")));
        assert_eq!(monomial("abbc").div(&monomial("bc")), Some(monomial("ab")));
        assert_eq!(monomial("ab").div(&monomial("c")), None);
        assert_eq!(monomial("ab").div(&monomial("bb")), None);
        assert_eq!(monomial("aab").gcd(&monomial("abbc")), monomial("ab"));
        assert!(monomial("ab").gcd(&monomial("c")).is_one());
    }

    #[test]
    fn the_leading_monomial_comes_first() {
        let mut all = ["", "c", "b", "bc", "bb", "ac", "ab", "aa", "a", "bbb"].map(monomial);
        all.sort();
        let sorted = ["bbb", "aa", "ab", "ac", "bb", "bc", "a", "b", "c", ""].map(monomial);
        assert_eq!(all, sorted);
    }

    #[test]
    fn the_degree_is_limited() {
        let mut power = monomial("a");
        while let Some(square) = power.mul(&power) {
            power = square;
        }
        assert!(power.degree() <= MAX_DEGREE);
    }
}
