//! The operators `+`, `-` and `*` on expressions, references to them and integers.

use std::borrow::Borrow;
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::expr::{Expr, Repr};
use crate::poly;

macro_rules! operator {
    ($operator:ident, $method:ident, $assign:ident, $assign_method:ident, $by:ident) => {
        operator!(@ $operator, $method, $by, [Expr, Expr], [Expr, &Expr], [&Expr, Expr], [&Expr, &Expr]);

        impl $operator<i64> for Expr {
            type Output = Expr;
            #[inline]
            fn $method(self, other: i64) -> Expr {
                self.$by(&Expr::from(other))
            }
        }

        impl $operator<i64> for &Expr {
            type Output = Expr;
            #[inline]
            fn $method(self, other: i64) -> Expr {
                self.$by(&Expr::from(other))
            }
        }

        impl $operator<Expr> for i64 {
            type Output = Expr;
            #[inline]
            fn $method(self, other: Expr) -> Expr {
                Expr::from(self).$by(&other)
            }
        }

        impl $operator<&Expr> for i64 {
            type Output = Expr;
            #[inline]
            fn $method(self, other: &Expr) -> Expr {
                Expr::from(self).$by(other)
            }
        }

        impl $assign<Expr> for Expr {
            #[inline]
            fn $assign_method(&mut self, other: Expr) {
                *self = self.$by(&other);
            }
        }

        impl $assign<&Expr> for Expr {
            #[inline]
            fn $assign_method(&mut self, other: &Expr) {
                *self = self.$by(other);
            }
        }

        impl $assign<i64> for Expr {
            #[inline]
            fn $assign_method(&mut self, other: i64) {
                *self = self.$by(&Expr::from(other));
            }
        }
    };
    (@ $operator:ident, $method:ident, $by:ident, $([$left:ty, $right:ty]),*) => {$(
        impl $operator<$right> for $left {
            type Output = Expr;
            #[inline]
            #[allow(clippy::needless_borrow, reason = "one body serves values and references")]
            fn $method(self, other: $right) -> Expr {
                (&self).$by(&other)
            }
        }
    )*};
}

operator!(Add, add, AddAssign, add_assign, plus);
operator!(Sub, sub, SubAssign, sub_assign, minus);
operator!(Mul, mul, MulAssign, mul_assign, times);

impl Neg for Expr {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self.negated()
    }
}

impl Neg for &Expr {
    type Output = Expr;
    #[inline]
    fn neg(self) -> Expr {
        self.negated()
    }
}

/// Adds constants as they come and gathers all other terms at the end, so that a long sum is not
/// copied once for each of its terms.
fn sum_all<E: Borrow<Expr>>(iter: impl Iterator<Item = E>) -> Expr {
    let (mut constant, mut terms, mut poison) = (Expr::ZERO, Vec::new(), Expr::ZERO);
    for next in iter {
        match &next.borrow().0 {
            Repr::Const(_) => constant += next.borrow(),
            Repr::Poly(poly) => terms.extend(poly.view().owned_terms()),
            Repr::Undefined(_) => poison += next.borrow(),
        }
    }
    match (terms.is_empty(), poison.is_undefined()) {
        (_, true) => poison,
        (true, _) => constant,
        (false, _) => poly::gather(terms) + constant,
    }
}

impl Sum for Expr {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        sum_all(iter)
    }
}

impl<'a> Sum<&'a Self> for Expr {
    fn sum<I: Iterator<Item = &'a Self>>(iter: I) -> Self {
        sum_all(iter)
    }
}

impl Product for Expr {
    fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ONE, |product, next| product.times(&next))
    }
}

impl<'a> Product<&'a Self> for Expr {
    fn product<I: Iterator<Item = &'a Self>>(iter: I) -> Self {
        iter.fold(Self::ONE, |product, next| product.times(next))
    }
}

#[cfg(test)]
mod tests {
    use crate::expr::Expr;
    use crate::testing::{a, b, c, k};

    #[test]
    fn operators_take_values_references_and_integers() {
        let (x, y) = (a(), b());
        assert_eq!(&x + &y, x.clone() + y.clone());
        assert_eq!(&x - y.clone(), x.clone() - &y);
        assert_eq!(2 * &x, &x * 2);
        assert_eq!(1 - &x, -(x.clone() - 1));
        let mut sum = k(1);
        sum += &x;
        sum *= 3;
        sum -= y;
        assert_eq!(sum, 3 * x + 3 - b());
    }

    #[test]
    fn sums_and_products_of_many() {
        assert_eq!([a(), k(2), b(), c(), k(3)].iter().sum::<Expr>(), c() + b() + a() + 5);
        assert_eq!([a(), b(), c()].iter().product::<Expr>(), c() * b() * a());
        assert_eq!([a(), -a()].into_iter().sum::<Expr>(), 0);
        let why = || Expr::undefined("why");
        assert_eq!([a(), why()].into_iter().sum::<Expr>(), why());
        assert_eq!([why(), k(0)].into_iter().product::<Expr>(), why());
    }
}
