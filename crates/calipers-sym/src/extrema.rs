//! The least and the greatest of several expressions.
//!
//! Nested extrema of one kind are flattened, constants merged, and an operand that can never be
//! the answer is dropped: `max(s, 1) = s` when `s` is at least one, `min(s, s + 1) = s`.

use crate::atom::Atom;
use crate::expr::Expr;
use crate::{limits, poly};

/// The most operands that are compared with each other by every argument there is, and by
/// intervals alone; beyond it only equal ones merge.
const MAX_COMPARED: usize = 8;
const MAX_COMPARED_BRIEFLY: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Least,
    Greatest,
}

impl Expr {
    /// The lesser of two, `Expr::min(&a, &b)`; on values, `a.min(b)`.
    #[must_use]
    pub fn min(&self, other: &Self) -> Self {
        if let (Some(a), Some(b)) = (self.as_wide_const(), other.as_wide_const()) {
            return if a <= b { self.clone() } else { other.clone() };
        }
        extremum(Kind::Least, [self.clone(), other.clone()])
    }

    /// The greater of two, `Expr::max(&a, &b)`; on values, `a.max(b)`.
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        if let (Some(a), Some(b)) = (self.as_wide_const(), other.as_wide_const()) {
            return if a >= b { self.clone() } else { other.clone() };
        }
        extremum(Kind::Greatest, [self.clone(), other.clone()])
    }

    /// The least of several; undefined for none.
    pub fn min_of(operands: impl IntoIterator<Item = Self>) -> Self {
        extremum(Kind::Least, operands)
    }

    /// The greatest of several; undefined for none.
    pub fn max_of(operands: impl IntoIterator<Item = Self>) -> Self {
        extremum(Kind::Greatest, operands)
    }
}

fn extremum(kind: Kind, operands: impl IntoIterator<Item = Expr>) -> Expr {
    let mut flat = Vec::new();
    for operand in operands {
        match (operand.as_atom(), kind) {
            (Some(Atom::Min(inner)), Kind::Least) | (Some(Atom::Max(inner)), Kind::Greatest) => {
                flat.extend_from_slice(inner);
            }
            _ => flat.push(operand),
        }
    }
    flat.sort_unstable();
    flat.dedup();
    if flat.len() > limits::MAX_TERMS {
        return Expr::undefined(limits::TOO_MANY_TERMS);
    }
    // Constants sort first and undefined expressions last.
    if let Some(last) = flat.last().filter(|last| last.is_undefined()) {
        return flat.iter().find(|operand| operand.is_undefined()).unwrap_or(last).clone();
    }
    let constants = flat.iter().take_while(|operand| operand.is_const()).count();
    if constants > 1 {
        let keep = if kind == Kind::Least { 0 } else { constants - 1 };
        let kept = flat[keep].clone();
        flat.splice(..constants, [kept]);
    }
    if flat.len() <= MAX_COMPARED_BRIEFLY {
        drop_dispensable(kind, &mut flat, |difference| {
            difference.interval().lo.is_some_and(|bound| bound >= 0)
        });
    }
    if flat.len() <= MAX_COMPARED {
        drop_dispensable(kind, &mut flat, |difference| difference.is_at_least(0));
    }
    match flat.len() {
        0 => Expr::undefined("an extremum of nothing"),
        1 => flat.swap_remove(0),
        _ => poly::from_atom(match kind {
            Kind::Least => Atom::Min(flat.into()),
            Kind::Greatest => Atom::Max(flat.into()),
        }),
    }
}

/// Drops each operand that another one always beats or equals, according to `never_negative`.
fn drop_dispensable(kind: Kind, operands: &mut Vec<Expr>, never_negative: impl Fn(&Expr) -> bool) {
    let beats = |winner: &Expr, loser: &Expr| match kind {
        Kind::Least => never_negative(&(loser - winner)),
        Kind::Greatest => never_negative(&(winner - loser)),
    };
    let mut i = 0;
    while i < operands.len() {
        let dispensable = (0..operands.len()).any(|j| j != i && beats(&operands[j], &operands[i]));
        if dispensable {
            operands.remove(i);
        } else {
            i += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atom::Symbol;
    use crate::testing::{a, b, c, k};

    #[test]
    fn bounds_resolve_extrema() {
        let s = Expr::from(Symbol::at_least("s", 1));
        assert_eq!(s.clone().max(k(1)), s);
        assert_eq!(s.clone().min(k(1)), 1);
        assert_eq!(s.clone().min(&s + 1), s);
        assert_eq!(s.clone().max(&s + 1), &s + 1);
        assert_eq!((&s * a()).max(a()), &s * a());
        assert_eq!(a().max(k(-5)), a());
        assert_eq!(a().min(a().floor_div(&k(2))), a().floor_div(&k(2)));
    }

    #[test]
    fn nests_flatten_and_constants_merge() {
        assert_eq!(a().max(b()).max(c()), c().max(a()).max(b().max(a())));
        assert_eq!(a().max(k(3)).max(k(5)).to_string(), "max(a, 5)");
        assert_eq!(a().min(k(3)).min(k(5)).to_string(), "min(a, 3)");
        assert_eq!(a().max(a()), a());
        assert_eq!(k(3).max(k(-4)), 3);
        assert_eq!(a().min(b().max(c())).to_string(), "min(a, max(b, c))");
    }

    #[test]
    fn many_operands_are_compared_briefly() {
        let all = || (0..20).map(|i| Expr::from(Symbol::new(format!("s{i}"))));
        let greatest = Expr::max_of(all().chain([k(-1), k(-2)]));
        assert_eq!(greatest, Expr::max_of(all()));
        assert_eq!(Expr::min_of(all().chain((0..20).map(k))).to_string(), "0");
    }

    #[test]
    fn undefined_absorbs() {
        assert_eq!(a().max(Expr::undefined("why")).undefined_reason(), Some("why"));
        assert_eq!(k(1).min(Expr::undefined("why")).undefined_reason(), Some("why"));
        assert!(Expr::min_of([]).is_undefined());
    }
}
