//! Putting values or expressions in the place of symbols.

use std::collections::BTreeMap;
use std::fmt;

use crate::atom::{Atom, Symbol};
use crate::expr::{Expr, Repr};
use crate::{int, poly};

/// Why an expression has no value under a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvalError {
    /// The symbol of this name has no value.
    Unbound(String),
    /// A number left the 128-bit range, or the result the 64-bit range.
    Overflow,
    /// A divisor is zero.
    DivisionByZero,
    /// The expression is undefined, for this reason.
    Undefined(String),
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unbound(name) => write!(f, "the dimension `{name}` has no value"),
            Self::Overflow => f.write_str("the value does not fit 64 bits"),
            Self::DivisionByZero => f.write_str("division by zero"),
            Self::Undefined(reason) => write!(f, "the expression is undefined: {reason}"),
        }
    }
}

impl std::error::Error for EvalError {}

type Lookup<'a> = &'a mut dyn FnMut(&str) -> Option<i64>;

impl Expr {
    /// Returns the value of the expression, with the value of each symbol from `lookup`.
    ///
    /// The values must respect the symbols' lower bounds: simplification relied on them. A
    /// divisor that canceled is no longer seen, so `batch*s / batch` has a value at `batch = 0`.
    ///
    /// # Errors
    /// When a symbol has no value, a number leaves its range, a divisor is zero, or the
    /// expression is undefined.
    pub fn evaluate(&self, mut lookup: impl FnMut(&str) -> Option<i64>) -> Result<i64, EvalError> {
        i64::try_from(value(self, &mut lookup)?).map_err(|_| EvalError::Overflow)
    }

    /// As [`Expr::evaluate`], with a 128-bit result.
    ///
    /// # Errors
    /// As [`Expr::evaluate`].
    pub fn evaluate_wide(
        &self,
        mut lookup: impl FnMut(&str) -> Option<i64>,
    ) -> Result<i128, EvalError> {
        value(self, &mut lookup)
    }

    /// Every symbol in the map replaced by its expression, all at once, and the result brought to
    /// canonical form again.
    ///
    /// The expressions must respect the lower bounds of the symbols they replace.
    #[must_use]
    pub fn substitute(&self, replacements: &BTreeMap<Symbol, Self>) -> Self {
        if !self.contains_symbol_where(&|symbol| replacements.contains_key(symbol)) {
            return self.clone();
        }
        let mut sum = Self::ZERO;
        for (coefficient, powers) in self.terms() {
            let mut product = Self(Repr::Const(coefficient));
            for (atom, exponent) in powers {
                product *= substitute_atom(atom, replacements).pow(*exponent);
            }
            sum += product;
        }
        sum
    }
}

fn substitute_atom(atom: &Atom, replacements: &BTreeMap<Symbol, Expr>) -> Expr {
    let within = |operand: &Expr| operand.substitute(replacements);
    match atom {
        Atom::Symbol(symbol) => match replacements.get(symbol) {
            Some(replacement) => replacement.clone(),
            None => poly::from_atom(atom.clone()),
        },
        Atom::FloorDiv(division) => {
            within(division.dividend()).floor_div(&within(division.divisor()))
        }
        Atom::Modulo(division) => within(division.dividend()).modulo(&within(division.divisor())),
        Atom::Min(list) => Expr::min_of(list.iter().map(within)),
        Atom::Max(list) => Expr::max_of(list.iter().map(within)),
    }
}

fn value(expr: &Expr, lookup: Lookup<'_>) -> Result<i128, EvalError> {
    if let Some(reason) = expr.undefined_reason() {
        return Err(EvalError::Undefined(reason.to_owned()));
    }
    let mut sum = 0;
    for (coefficient, powers) in expr.terms() {
        let mut product = coefficient;
        for (atom, exponent) in powers {
            let power = int::pow(atom_value(atom, lookup)?, *exponent);
            product =
                power.and_then(|power| int::mul(product, power)).ok_or(EvalError::Overflow)?;
        }
        sum = int::add(sum, product).ok_or(EvalError::Overflow)?;
    }
    Ok(sum)
}

fn atom_value(atom: &Atom, lookup: Lookup<'_>) -> Result<i128, EvalError> {
    match atom {
        Atom::Symbol(symbol) => match lookup(symbol.name()) {
            Some(value) => Ok(value.into()),
            None => Err(EvalError::Unbound(symbol.name().to_owned())),
        },
        Atom::FloorDiv(division) | Atom::Modulo(division) => {
            let dividend = value(division.dividend(), lookup)?;
            match (value(division.divisor(), lookup)?, atom) {
                (0, _) => Err(EvalError::DivisionByZero),
                (divisor, Atom::FloorDiv(_)) => Ok(int::floor_div(dividend, divisor)),
                (divisor, _) => Ok(int::floor_mod(dividend, divisor)),
            }
        }
        Atom::Min(list) | Atom::Max(list) => {
            let mut chosen = None;
            for operand in list.iter() {
                let next = value(operand, lookup)?;
                chosen = Some(match (chosen, atom) {
                    (None, _) => next,
                    (Some(best), Atom::Min(_)) => next.min(best),
                    (Some(best), _) => next.max(best),
                });
            }
            // An extremum has at least two operands.
            chosen.ok_or_else(|| EvalError::Undefined("an extremum of nothing".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{a, b, c};

    fn bind(name: &str) -> Option<i64> {
        match name {
            "a" => Some(7),
            "b" => Some(2),
            _ => None,
        }
    }

    #[test]
    fn values() {
        assert_eq!((3 * a() * b() + 1).evaluate(bind), Ok(43));
        assert_eq!(a().floor_div(&b()).evaluate(bind), Ok(3));
        assert_eq!((-a()).modulo(&Expr::from(4)).evaluate(bind), Ok(1));
        assert_eq!(a().min(b()).evaluate(bind), Ok(2));
        assert_eq!(a().max(b()).evaluate(bind), Ok(7));
    }

    #[test]
    fn errors_name_their_cause() {
        assert_eq!((a() + c()).evaluate(bind), Err(EvalError::Unbound("c".into())));
        assert_eq!(a().pow(40).evaluate(bind), Err(EvalError::Overflow));
        assert_eq!(a().pow(30).evaluate(bind), Err(EvalError::Overflow));
        assert_eq!(a().pow(30).evaluate_wide(bind), Ok(7_i128.pow(30)));
        let by_zero = a().floor_div(&(b() - c()));
        assert_eq!(by_zero.evaluate(|_| Some(1)), Err(EvalError::DivisionByZero));
        let undefined = Expr::undefined("no reason");
        assert_eq!(undefined.evaluate(bind), Err(EvalError::Undefined("no reason".into())));
    }

    #[test]
    fn substitution_is_simultaneous_and_simplifies() {
        let swap = BTreeMap::from([(Symbol::new("a"), b()), (Symbol::new("b"), a())]);
        assert_eq!((a() - 2 * b()).substitute(&swap), b() - 2 * a());
        let tokens = BTreeMap::from([(Symbol::new("a"), 8 * c())]);
        assert_eq!((a() + 7).floor_div(&Expr::from(8)).substitute(&tokens), c());
        let bound = BTreeMap::from([(Symbol::new("a"), Expr::from(0))]);
        assert!(b().floor_div(&a()).substitute(&bound).is_undefined());
        assert_eq!(a().max(b()).substitute(&bound), b());
    }
}
