//! What a monomial is made of: symbols, and the operations that no polynomial can express.
//!
//! An [`Atom`] is only ever built by the constructors of [`Expr`], so that it is in canonical
//! form: `L / 8` becomes an atom, `(8*L + 3) / 8` does not.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::expr::Expr;
use crate::hash;
use crate::interval::Interval;

/// A named dimension with a known lower bound.
///
/// Two symbols are the same when their names are: the bound takes no part in equality, order or
/// hash. Where one name comes with several bounds all are taken to be true. Every simplification
/// that used a bound holds only for values that respect it.
#[derive(Clone)]
pub struct Symbol {
    name: Arc<str>,
    lower: i64,
    /// That of the name.
    hash: u64,
}

impl Symbol {
    /// A dimension that is at least zero.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self::at_least(name, 0)
    }

    /// A dimension that is at least `lower`.
    pub fn at_least(name: impl Into<Arc<str>>, lower: i64) -> Self {
        let name = name.into();
        Self { lower, hash: hash::name(&name), name }
    }

    /// The name, exactly as given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The least value the dimension may take.
    pub fn lower(&self) -> i64 {
        self.lower
    }
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && (Arc::ptr_eq(&self.name, &other.name) || self.name == other.name)
    }
}

impl Eq for Symbol {}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Symbol {
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.name, &other.name) {
            return Ordering::Equal;
        }
        self.name.cmp(&other.name)
    }
}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Symbol({:?} >= {})", self.name, self.lower)
    }
}

/// A dividend and a divisor, in canonical form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Division {
    dividend: Expr,
    divisor: Expr,
}

impl Division {
    /// What is divided.
    pub fn dividend(&self) -> &Expr {
        &self.dividend
    }

    /// What it is divided by.
    pub fn divisor(&self) -> &Expr {
        &self.divisor
    }
}

/// A factor of a monomial.
///
/// Rounding up has no atom of its own: `ceil(a/k)` is kept as `floor((a + k - 1)/k)` for a
/// constant `k`, and as `-floor(-a/d)` for a symbolic `d`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// A named dimension.
    Symbol(Symbol),
    /// A quotient rounded towards minus infinity.
    FloorDiv(Arc<Division>),
    /// The remainder of that quotient; it has the divisor's sign.
    Modulo(Arc<Division>),
    /// The least of two or more expressions, sorted, none known to be dispensable.
    Min(Arc<[Expr]>),
    /// The greatest of two or more expressions, sorted, none known to be dispensable.
    Max(Arc<[Expr]>),
}

impl Hash for Atom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash_value());
    }
}

impl Atom {
    pub(crate) fn floor_div(dividend: Expr, divisor: Expr) -> Self {
        Self::FloorDiv(Arc::new(Division { dividend, divisor }))
    }

    pub(crate) fn modulo(dividend: Expr, divisor: Expr) -> Self {
        Self::Modulo(Arc::new(Division { dividend, divisor }))
    }

    /// The expressions inside; a symbol has none.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        let (pair, list): (Option<&Division>, &[Expr]) = match self {
            Self::Symbol(_) => (None, &[]),
            Self::FloorDiv(division) | Self::Modulo(division) => (Some(division), &[]),
            Self::Min(list) | Self::Max(list) => (None, list),
        };
        pair.into_iter().flat_map(|pair| [&pair.dividend, &pair.divisor]).chain(list)
    }

    /// The hash, from those of its parts.
    pub(crate) fn hash_value(&self) -> u64 {
        let kind = match self {
            Self::Symbol(symbol) => return symbol.hash,
            Self::FloorDiv(_) => 1,
            Self::Modulo(_) => 2,
            Self::Min(_) => 3,
            Self::Max(_) => 4,
        };
        let operands = self.operands().map(Expr::hash_value);
        operands.fold(hash::start(kind), hash::mix)
    }

    /// How deeply atoms are nested below this one; a symbol is at depth zero.
    pub(crate) fn depth(&self) -> u32 {
        match self {
            Self::Symbol(_) => 0,
            _ => 1 + self.operands().map(Expr::depth).max().unwrap_or(0),
        }
    }

    /// The number of terms and factors written when nothing is shared.
    pub(crate) fn weight(&self) -> u32 {
        self.operands().fold(1, |sum: u32, operand| sum.saturating_add(operand.weight()))
    }

    /// Where the value lies, for all admissible values of the symbols.
    pub(crate) fn interval(&self) -> Interval {
        match self {
            Self::Symbol(symbol) => Interval::at_least(symbol.lower.into()),
            Self::FloorDiv(division) => {
                division.dividend.interval().floor_div(division.divisor.interval())
            }
            Self::Modulo(division) => {
                division.dividend.interval().modulo(division.divisor.interval())
            }
            Self::Min(list) => Interval::least(list.iter().map(Expr::interval)),
            Self::Max(list) => Interval::greatest(list.iter().map(Expr::interval)),
        }
    }

    pub(crate) fn collect_symbols(&self, into: &mut BTreeSet<Symbol>) {
        match self {
            Self::Symbol(symbol) => {
                into.insert(symbol.clone());
            }
            _ => self.operands().for_each(|operand| operand.collect_symbols(into)),
        }
    }

    pub(crate) fn contains_symbol(&self, wanted: &dyn Fn(&Symbol) -> bool) -> bool {
        match self {
            Self::Symbol(symbol) => wanted(symbol),
            _ => self.operands().any(|operand| operand.contains_symbol_where(wanted)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_its_name() {
        let (free, positive) = (Symbol::new("batch"), Symbol::at_least("batch", 1));
        assert_eq!(free, positive);
        assert_eq!(free.cmp(&positive), Ordering::Equal);
        assert_eq!((free.lower(), positive.lower()), (0, 1));
        assert!(Symbol::new("a") < Symbol::new("b"));
        assert!(BTreeSet::from([positive]).contains(&free));
    }

    #[test]
    fn operands_are_reached() {
        let length = Expr::symbol(&Symbol::new("L"));
        let atom = Atom::floor_div(length.clone(), Expr::from(8));
        assert_eq!(atom.operands().collect::<Vec<_>>(), [&length, &Expr::from(8)]);
        assert_eq!((atom.depth(), atom.weight()), (1, 4));
    }
}
