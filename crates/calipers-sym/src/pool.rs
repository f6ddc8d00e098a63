//! Expressions stored once each, and evaluated all together.
//!
//! A graph has many sizes and few different ones: the layers of a network repeat, and their costs
//! have the same factors. A [`Pool`] keeps every expression, and every part of one, once. Binding
//! the symbols then takes one pass over the pool, whatever the number of users of an expression.

use std::collections::HashMap;

use crate::atom::Atom;
use crate::eval::EvalError;
use crate::expr::Expr;
use crate::int;

/// An expression in a [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(u32);

/// Distinct expressions.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// Each node uses nodes before it only.
    nodes: Vec<Node>,
    terms: Vec<Term>,
    factors: Vec<(u32, u32)>,
    symbols: Vec<Box<str>>,
    exprs: HashMap<Expr, u32>,
    atoms: HashMap<Atom, u32>,
}

#[derive(Clone, Debug)]
enum Node {
    Constant(i128),
    Undefined(Box<str>),
    /// The symbol at this place of the list.
    Symbol(usize),
    FloorDiv(u32, u32),
    Modulo(u32, u32),
    Min(Box<[u32]>),
    Max(Box<[u32]>),
    /// A sum of the terms from one place of the list to another.
    Sum(usize, usize),
}

/// A coefficient, and the end of its factors; they start where those of the term before end.
#[derive(Clone, Copy, Debug)]
struct Term {
    coefficient: i128,
    factors: usize,
}

impl Pool {
    /// Stores an expression, unless it is there.
    pub fn intern(&mut self, expr: &Expr) -> ExprId {
        ExprId(self.expr(expr))
    }

    /// The number of distinct expressions, with their parts.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The names of all symbols.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        self.symbols.iter().map(|name| &**name)
    }

    /// Evaluates every expression. `lookup` gives the value of a symbol, and is called once for each.
    pub fn evaluate(&self, mut lookup: impl FnMut(&str) -> Option<i64>) -> Values {
        let mut values = Values { of: Vec::with_capacity(self.nodes.len()), errors: Vec::new() };
        for node in &self.nodes {
            let value = match node {
                Node::Constant(value) => Ok(*value),
                Node::Undefined(reason) => {
                    Err(values.fail(EvalError::Undefined(reason.to_string())))
                }
                Node::Symbol(at) => match lookup(&self.symbols[*at]) {
                    Some(value) => Ok(value.into()),
                    None => Err(values.fail(EvalError::Unbound(self.symbols[*at].to_string()))),
                },
                Node::FloorDiv(dividend, divisor) => {
                    values.divide(*dividend, *divisor, int::floor_div)
                }
                Node::Modulo(dividend, divisor) => {
                    values.divide(*dividend, *divisor, int::floor_mod)
                }
                Node::Min(list) => values.choose(list, i128::min),
                Node::Max(list) => values.choose(list, i128::max),
                Node::Sum(from, to) => self.sum(*from, *to, &mut values),
            };
            values.of.push(value);
        }
        values
    }

    fn sum(&self, from: usize, to: usize, values: &mut Values) -> Result<i128, u32> {
        let mut start = match from {
            0 => 0,
            _ => self.terms[from - 1].factors,
        };
        let mut sum = 0_i128;
        for term in &self.terms[from..to] {
            let mut product = term.coefficient;
            for (atom, exponent) in &self.factors[start..term.factors] {
                let value = values.of[*atom as usize]?;
                let power = if *exponent == 1 { Some(value) } else { int::pow(value, *exponent) };
                let Some(next) = power.and_then(|power| int::mul(product, power)) else {
                    return Err(values.fail(EvalError::Overflow));
                };
                product = next;
            }
            start = term.factors;
            let Some(next) = int::add(sum, product) else {
                return Err(values.fail(EvalError::Overflow));
            };
            sum = next;
        }
        Ok(sum)
    }

    fn expr(&mut self, expr: &Expr) -> u32 {
        if let Some(at) = self.exprs.get(expr) {
            return *at;
        }
        let node = if let Some(value) = expr.as_wide_const() {
            Node::Constant(value)
        } else if let Some(reason) = expr.undefined_reason() {
            Node::Undefined(reason.into())
        } else {
            // Parts first: they may add terms of their own.
            for (atom, _) in expr.terms().flat_map(|term| term.1) {
                self.atom(atom);
            }
            let from = self.terms.len();
            for (coefficient, powers) in expr.terms() {
                for (atom, exponent) in powers {
                    let at = self.atom(atom);
                    self.factors.push((at, *exponent));
                }
                self.terms.push(Term { coefficient, factors: self.factors.len() });
            }
            Node::Sum(from, self.terms.len())
        };
        let at = self.push(node);
        self.exprs.insert(expr.clone(), at);
        at
    }

    fn atom(&mut self, atom: &Atom) -> u32 {
        if let Some(at) = self.atoms.get(atom) {
            return *at;
        }
        let node = match atom {
            Atom::Symbol(symbol) => {
                self.symbols.push(symbol.name().into());
                Node::Symbol(self.symbols.len() - 1)
            }
            Atom::FloorDiv(division) => {
                Node::FloorDiv(self.expr(division.dividend()), self.expr(division.divisor()))
            }
            Atom::Modulo(division) => {
                Node::Modulo(self.expr(division.dividend()), self.expr(division.divisor()))
            }
            Atom::Min(list) => Node::Min(list.iter().map(|expr| self.expr(expr)).collect()),
            Atom::Max(list) => Node::Max(list.iter().map(|expr| self.expr(expr)).collect()),
        };
        let at = self.push(node);
        self.atoms.insert(atom.clone(), at);
        at
    }

    fn push(&mut self, node: Node) -> u32 {
        let at = u32::try_from(self.nodes.len()).expect("a pool holds fewer than 2³² expressions");
        self.nodes.push(node);
        at
    }
}

/// The values of all expressions of a [`Pool`] under one binding.
#[derive(Clone, Debug)]
pub struct Values {
    /// A value, or the place of the error.
    of: Vec<Result<i128, u32>>,
    errors: Vec<EvalError>,
}

impl Values {
    /// The value of an expression.
    ///
    /// # Errors
    /// As [`Expr::evaluate_wide`].
    pub fn get(&self, id: ExprId) -> Result<i128, &EvalError> {
        self.of[id.0 as usize].map_err(|at| &self.errors[at as usize])
    }

    fn fail(&mut self, error: EvalError) -> u32 {
        self.errors.push(error);
        u32::try_from(self.errors.len() - 1).unwrap_or(u32::MAX)
    }

    fn divide(
        &mut self,
        dividend: u32,
        divisor: u32,
        divide: fn(i128, i128) -> i128,
    ) -> Result<i128, u32> {
        let dividend = self.of[dividend as usize]?;
        match self.of[divisor as usize]? {
            0 => Err(self.fail(EvalError::DivisionByZero)),
            divisor => Ok(divide(dividend, divisor)),
        }
    }

    fn choose(&mut self, list: &[u32], choose: fn(i128, i128) -> i128) -> Result<i128, u32> {
        let mut chosen = None;
        for operand in list {
            let next = self.of[*operand as usize]?;
            chosen = Some(chosen.map_or(next, |best| choose(best, next)));
        }
        // An extremum has at least two operands.
        match chosen {
            Some(chosen) => Ok(chosen),
            None => Err(self.fail(EvalError::Undefined("an extremum of nothing".to_owned()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{a, b, c};

    #[test]
    fn equal_expressions_are_one() {
        let mut pool = Pool::default();
        let first = pool.intern(&(a() * b() + 1));
        let stored = pool.len();
        assert_eq!(pool.intern(&(1 + b() * a())), first);
        assert_eq!(pool.len(), stored);
        assert_ne!(pool.intern(&(a() * b())), first);
        assert_eq!(pool.symbols().collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn each_symbol_is_looked_up_once() {
        let mut pool = Pool::default();
        let exprs = [a() * b(), a() + b().floor_div(&a()), a().max(b() * 2), Expr::from(7)];
        let ids = exprs.each_ref().map(|expr| pool.intern(expr));
        let mut asked = Vec::new();
        let values = pool.evaluate(|name| {
            asked.push(name.to_owned());
            Some(if name == "a" { 3 } else { 10 })
        });
        assert_eq!(asked, ["a", "b"]);
        // 3 * 10; 3 + 10 / 3; max(3, 20); 7.
        assert_eq!(ids.map(|id| values.get(id).unwrap()), [30, 6, 20, 7]);
    }

    #[test]
    fn an_error_stays_where_it_is() {
        let mut pool = Pool::default();
        let bound = pool.intern(&a());
        let unbound = pool.intern(&(a() + c()));
        let by_zero = pool.intern(&a().floor_div(&b()));
        let undefined = pool.intern(&Expr::undefined("no reason"));
        let values = pool.evaluate(|name| match name {
            "a" => Some(i64::MAX),
            "b" => Some(0),
            _ => None,
        });
        assert_eq!(values.get(bound), Ok(i64::MAX.into()));
        assert_eq!(values.get(unbound), Err(&EvalError::Unbound("c".into())));
        assert_eq!(values.get(by_zero), Err(&EvalError::DivisionByZero));
        assert_eq!(values.get(undefined), Err(&EvalError::Undefined("no reason".into())));
    }

    /// Expressions of three symbols, nested.
    fn exprs() -> impl Strategy<Value = Expr> {
        let leaf = prop_oneof![Just(a()), Just(b()), Just(c()), (-9_i64..9).prop_map(Expr::from)];
        leaf.prop_recursive(4, 32, 2, |inner| {
            (inner.clone(), inner, 0..6).prop_map(|(x, y, op)| match op {
                0 => x + y,
                1 => x * y,
                2 => x.floor_div(&y),
                3 => x.modulo(&y),
                4 => x.min(y),
                _ => x.max(y),
            })
        })
    }

    proptest! {
        #[test]
        fn a_pool_agrees_with_each_expression_alone(
            exprs in prop::collection::vec(exprs(), 1..8),
            values in prop::array::uniform3(0_i64..40),
        ) {
            let lookup = |name: &str| values.get(["a", "b", "c"].iter().position(|it| *it == name)?).copied();
            let mut pool = Pool::default();
            let ids: Vec<_> = exprs.iter().map(|expr| pool.intern(expr)).collect();
            let found = pool.evaluate(lookup);
            for (id, expr) in ids.iter().zip(&exprs) {
                prop_assert_eq!(found.get(*id).ok(), expr.evaluate_wide(lookup).ok());
            }
        }
    }
}
