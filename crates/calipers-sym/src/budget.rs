//! A bound on the work of a whole analysis.
//!
//! [`limits`](crate::limits) bound one expression. A graph may hold a large one at every node, so an
//! analysis as a whole has a budget too. Small expressions are free: they cost no more than the node
//! that they belong to. Once the budget is spent, a large result is undefined, for the reason
//! [`TOO_MANY_DIMENSIONS`](crate::limits::TOO_MANY_DIMENSIONS), and what does not need it goes on.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::expr::Expr;

/// Expressions of up to this weight are free.
const FREE: u32 = 32;

thread_local! {
    /// Steps that are left to this thread; `None` without a budget.
    static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
    /// Products of large expressions, while there is a budget. Every node of a shape asks for the same
    /// ones.
    static PRODUCTS: RefCell<HashMap<(Expr, Expr), Expr>> = RefCell::default();
}

/// Bounds the work on this thread until it is dropped.
#[derive(Debug)]
#[must_use = "the bound ends when this is dropped"]
pub struct Budget {
    before: Option<u64>,
}

impl Budget {
    /// A budget in steps: one for each term and factor of a large expression, and for each product of
    /// two terms. Inside another budget, that one goes on.
    pub fn new(steps: u64) -> Self {
        let before = LEFT.get();
        if before.is_none() {
            LEFT.set(Some(steps));
        }
        Self { before }
    }

    /// Steps that are left; `None` without a budget.
    pub fn left() -> Option<u64> {
        LEFT.get()
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        if self.before.is_none() {
            LEFT.set(None);
            PRODUCTS.take();
        }
    }
}

/// Products that are remembered.
const REMEMBERED: usize = 256;

/// A product of two large expressions: the one that was worked out before, else a new one.
pub(crate) fn remembered(a: &Expr, b: &Expr, multiply: impl FnOnce() -> Expr) -> Expr {
    if LEFT.get().is_none() {
        return multiply();
    }
    let key = (a.clone(), b.clone());
    if let Some(known) = PRODUCTS.with_borrow(|products| products.get(&key).cloned()) {
        return known;
    }
    let product = multiply();
    PRODUCTS.with_borrow_mut(|products| {
        if products.len() == REMEMBERED {
            products.clear();
        }
        products.insert(key, product.clone());
    });
    product
}

/// Takes steps from the budget; whether there were enough.
#[inline]
pub(crate) fn spend(steps: u32) -> bool {
    steps <= FREE || spend_large(steps.into())
}

fn spend_large(steps: u64) -> bool {
    let Some(left) = LEFT.get() else { return true };
    let after = left.checked_sub(steps);
    LEFT.set(Some(after.unwrap_or(0)));
    after.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Expr, Symbol, limits};

    fn sum(symbols: usize) -> Expr {
        (0..symbols).map(|i| Expr::from(Symbol::new(format!("s{i}")))).sum()
    }

    #[test]
    fn large_expressions_end_with_the_budget_and_small_ones_do_not() {
        let (large, small) = (sum(40), sum(4));
        {
            let _budget = Budget::new(1000);
            // 40 terms of one factor each weigh 80.
            let last = (0..20).map(|i| &large + i).find(Expr::is_undefined);
            assert_eq!(last.unwrap().undefined_reason(), Some(limits::TOO_MANY_DIMENSIONS));
            assert!(!(&small + 1).is_undefined());
            // Nested budgets are one.
            let _inner = Budget::new(1_000_000);
            assert!((&large + 1).is_undefined());
        }
        assert!(!(&large + 1).is_undefined());
        assert_eq!(Budget::left(), None);
    }
}
