use super::*;
use crate::atom::Symbol;
use crate::testing::{a, b, c, e, k};

fn div(dividend: &str, divisor: &str) -> String {
    e(dividend).floor_div(&e(divisor)).to_string()
}

fn modulo(dividend: &str, divisor: &str) -> String {
    e(dividend).modulo(&e(divisor)).to_string()
}

#[test]
fn exact_quotients() {
    assert_eq!(div("B*S*768", "768"), "B*S");
    assert_eq!(div("12*B*S", "4*B"), "3*S");
    assert_eq!(div("a^2 + 3*a*b + 2*b^2", "a + b"), "a + 2*b");
    assert_eq!(div("a^2 - b^2", "b - a"), "-a - b");
    assert_eq!(div("8*floor(L/8)*B", "floor(L/8)"), "8*B");
    assert_eq!(div("0", "B"), "0");
}

#[test]
fn whole_multiples_leave() {
    assert_eq!(div("6*L + 5", "3"), "2*L + 1");
    assert_eq!(div("7*L", "3"), "2*L + floor(L/3)");
    assert_eq!(div("L - 1", "2"), "ceil(L/2) - 1");
    assert_eq!(div("B*S + S + 5", "S"), "B + floor(5/S) + 1");
    assert_eq!(div("a", "a + b"), "floor(a/(a + b))");
}

#[test]
fn common_factors_cancel() {
    assert_eq!(div("2*L + 4", "8"), "floor((L + 2)/4)");
    assert_eq!(div("2*L + 5", "8"), "floor((L + 2)/4)");
    assert_eq!(div("6*a*c", "4*b*c"), "floor(3*a/(2*b))");
    assert_eq!(div("a*c", "2*c"), "floor(a/2)");
}

#[test]
fn signs_are_normal() {
    assert_eq!(div("-L", "8"), "-ceil(L/8)");
    assert_eq!(div("L", "-8"), "-ceil(L/8)");
    assert_eq!(div("a", "-b"), "-ceil(a/b)");
    assert_eq!(e("a").ceil_div(&e("b")).to_string(), "ceil(a/b)");
    assert_eq!(e("-a").ceil_div(&e("b")).to_string(), "-floor(a/b)");
    assert_eq!(e("L").ceil_div(&k(8)), e("floor((L + 7)/8)"));
    assert_eq!(e("L").ceil_div(&k(-8)), -e("L").floor_div(&k(8)));
}

#[test]
fn nested_quotients() {
    assert_eq!(div("floor(L/2)", "3"), "floor(L/6)");
    assert_eq!(div("floor(L/2) + 1", "3"), "floor((L + 2)/6)");
    assert_eq!(div("floor((W + 1)/2) + 1", "2"), "ceil(W/4)");
    assert_eq!(div("floor(L/B)", "3"), "floor(L/(3*B))");
    assert_eq!(div("floor(L/3)", "B"), "floor(L/(3*B))");
    assert_eq!(div("floor(L/2) + S", "3"), "floor((L + 2*S)/6)");
}

#[test]
fn rounding_up_to_a_multiple_stays_readable() {
    let rounded = (e("L") + 7).floor_div(&k(8)) * 8;
    assert_eq!(rounded.to_string(), "8*ceil(L/8)");
    assert_eq!(e(&rounded.to_string()), rounded);
    assert_eq!(rounded.floor_div(&k(8)), e("L").ceil_div(&k(8)));
    assert_eq!(rounded.modulo(&k(8)), 0);
}

#[test]
fn convolution_windows() {
    // floor((W + 2p - k)/s) + 1
    let window =
        |pad: i64, kernel: i64, stride: i64| (e("W") + 2 * pad - kernel).floor_div(&k(stride)) + 1;
    assert_eq!(window(1, 3, 1).to_string(), "W");
    assert_eq!(window(3, 7, 2).to_string(), "ceil(W/2)");
    assert_eq!(window(0, 2, 2).to_string(), "floor(W/2)");
    assert_eq!(window(0, 3, 2).to_string(), "ceil(W/2) - 1");
    assert_eq!(window(0, 4, 4).to_string(), "floor(W/4)");
}

#[test]
fn bounds_decide() {
    assert_eq!(div("L mod 4", "4"), "0");
    assert_eq!(div("(L mod 4) + 8", "4"), "2");
    assert_eq!(div("min(L, 7)", "8"), "0");
    assert_eq!(div("a", "a + 1"), "0");
    assert_eq!(modulo("a", "a + 1"), "a");
    assert_eq!(modulo("L mod 4", "8"), "L mod 4");
}

#[test]
fn remainders() {
    assert_eq!(modulo("9*L + 5", "4"), "(L + 1) mod 4");
    assert_eq!(modulo("7*L", "8"), "(-L) mod 8");
    assert_eq!(modulo("8*L + 3", "8"), "3");
    assert_eq!(modulo("2*L + 5", "8"), "2*((L + 2) mod 4) + 1");
    assert_eq!(modulo("L mod 12", "4"), "L mod 4");
    assert_eq!(modulo("3*(L mod 4) + 1", "12"), "3*(L mod 4) + 1");
    assert_eq!(modulo("L", "-4"), "-((-L) mod 4)");
    assert_eq!(modulo("B*S + 3", "S"), "3 mod S");
    assert_eq!(modulo("B*S", "S"), "0");
    assert_eq!(modulo("6*a", "4*b"), "2*((3*a) mod (2*b))");
}

#[test]
fn truncation() {
    let signed = Expr::from(Symbol::at_least("z", -100));
    assert_eq!(a().trunc_div(&k(3)), a().floor_div(&k(3)));
    assert_eq!((-a()).trunc_div(&k(3)), -a().floor_div(&k(3)));
    assert_eq!(a().trunc_div(&k(-3)), -a().floor_div(&k(3)));
    assert_eq!((-a()).trunc_div(&k(-3)), a().floor_div(&k(3)));
    assert_eq!(a().trunc_div(&b()), a().floor_div(&b()));
    assert_eq!(k(-7).trunc_div(&k(2)), -3);
    let toward_zero = signed.trunc_div(&k(3));
    for z in -10..10 {
        assert_eq!(toward_zero.evaluate(|_| Some(z)), Ok(z / 3));
    }
}

#[test]
fn zero_divides_nothing() {
    for quotient in
        [a().floor_div(&k(0)), a().ceil_div(&(b() - b())), a().trunc_div(&k(0)), k(0).modulo(&k(0))]
    {
        assert_eq!(quotient.undefined_reason(), Some(DIVISION_BY_ZERO));
    }
    assert_eq!(a().exact_div(&k(0)), None);
    assert!(Expr::undefined("why").floor_div(&k(0)).undefined_reason() == Some("why"));
}

#[test]
fn exact_division_of_polynomials() {
    let product = (a() + b() - 1) * (a() * c() + 2);
    assert_eq!(product.exact_div(&(a() + b() - 1)), Some(a() * c() + 2));
    assert_eq!((product + 1).exact_div(&(a() + b() - 1)), None);
    assert_eq!((6 * a()).exact_div(&k(4)), None);
    assert_eq!(k(0).exact_div(&a()), Some(k(0)));
    assert_eq!(k(3).exact_div(&a()), None);
    assert_eq!(k(12).exact_div(&k(-4)), Some(k(-3)));
}

#[test]
fn extreme_numbers_do_not_wrap() {
    let most = Expr(Repr::Const(i128::MAX));
    assert_eq!((a() * &most).floor_div(&most), a());
    assert!(!(a() + &most).floor_div(&most).is_undefined());
    assert!(!(a() + &most).modulo(&most).is_undefined());
    assert!(!(a() * &most).floor_div(&k(2)).is_undefined());
    assert!(!(a() * &most + 1).floor_div(&(b() * &most + 2)).is_undefined());
}
