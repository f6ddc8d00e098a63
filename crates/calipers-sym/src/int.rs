//! Checked integers in the symmetric range `-(2^127 - 1) ..= 2^127 - 1`.
//!
//! Leaving out `i128::MIN` makes negation and absolute value total, so only sums and products
//! need a check.

/// Keeps a value inside the symmetric range.
#[inline]
pub(crate) fn in_range(value: i128) -> Option<i128> {
    (value != i128::MIN).then_some(value)
}

/// `a + b`, or nothing when it leaves the range.
#[inline]
pub(crate) fn add(a: i128, b: i128) -> Option<i128> {
    in_range(a.checked_add(b)?)
}

/// `a - b`, or nothing when it leaves the range.
#[inline]
pub(crate) fn sub(a: i128, b: i128) -> Option<i128> {
    in_range(a.checked_sub(b)?)
}

/// `a * b`, or nothing when it leaves the range.
#[inline]
pub(crate) fn mul(a: i128, b: i128) -> Option<i128> {
    // Dimensions nearly always fit 64 bits, where the product cannot overflow 128.
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) => Some(i128::from(a) * i128::from(b)),
        _ => in_range(a.checked_mul(b)?),
    }
}

/// `a` to the power `exponent`, or nothing when it leaves the range.
pub(crate) fn pow(a: i128, exponent: u32) -> Option<i128> {
    in_range(a.checked_pow(exponent)?)
}

/// The quotient rounded towards minus infinity. The divisor is not zero.
#[inline]
pub(crate) fn floor_div(a: i128, b: i128) -> i128 {
    // A 64-bit division is several times cheaper than a 128-bit one.
    if let (Ok(small_a), Ok(small_b)) = (i64::try_from(a), i64::try_from(b))
        && small_b > 0
    {
        return i128::from(small_a.div_euclid(small_b));
    }
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// The quotient rounded towards plus infinity. The divisor is not zero.
#[inline]
pub(crate) fn ceil_div(a: i128, b: i128) -> i128 {
    -floor_div(-a, b)
}

/// The remainder that goes with [`floor_div`]; it has the divisor's sign.
#[inline]
pub(crate) fn floor_mod(a: i128, b: i128) -> i128 {
    if let (Ok(small_a), Ok(small_b)) = (i64::try_from(a), i64::try_from(b))
        && small_b > 0
    {
        return i128::from(small_a.rem_euclid(small_b));
    }
    let remainder = a % b;
    if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder }
}

/// The greatest common divisor, never negative; `gcd(0, 0) = 0`.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_round_down_whatever_the_signs() {
        for (a, b, quotient, remainder) in
            [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (6, -3, -2, 0)]
        {
            assert_eq!((floor_div(a, b), floor_mod(a, b)), (quotient, remainder), "{a} / {b}");
        }
        assert_eq!(ceil_div(7, 2), 4);
        assert_eq!(ceil_div(-7, 2), -3);
        assert_eq!(floor_div(-i128::MAX, 2), -(i128::MAX / 2) - 1);
    }

    #[test]
    fn the_range_is_symmetric() {
        assert_eq!(add(i128::MAX, 1), None);
        assert_eq!(sub(-i128::MAX, 1), None);
        assert_eq!(mul(i128::MAX, -1), Some(-i128::MAX));
        assert_eq!(mul(1 << 64, 1 << 63), None);
        assert_eq!(pow(-2, 127), None);
        assert_eq!(mul(i64::MIN.into(), i64::MIN.into()), Some(1 << 126));
    }

    #[test]
    fn common_divisors() {
        assert_eq!(gcd(12, -18), 6);
        assert_eq!(gcd(0, -5), 5);
        assert_eq!(gcd(0, 0), 0);
    }
}
