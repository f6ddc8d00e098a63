use super::*;

fn decimal(text: &str) -> Decimal {
    let (number, rest) = Decimal::parse(text).unwrap();
    assert_eq!(rest, "", "{text}");
    number
}

#[test]
fn sizes_have_units() {
    for (text, bytes) in [
        ("0", 0),
        ("17b", 17),
        ("500MB", 500_000_000),
        ("2 TB", 2_000_000_000_000),
        ("64GiB", 64 << 30),
        ("1.5GB", 1_500_000_000),
        ("1.5 KiB", 1536),
        ("1,000", 1000),
        ("18446744073709551615", u64::MAX),
    ] {
        assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
    }
    for text in ["", "GB", "-1GB", "1.0001kB1", "0.5", "1XB", "99999999999TB", "20ms", "1..5GB"] {
        assert!(parse_bytes(text).is_err(), "{text}");
    }
}

#[test]
fn times_have_units() {
    for (text, wanted) in [
        ("20ms", 20.0),
        ("20 ms", 20.0),
        ("0.02s", 20.0),
        ("500us", 0.5),
        ("500µs", 0.5),
        ("500μs", 0.5),
        ("1.5 s", 1500.0),
        ("1e3ms", 1000.0),
        ("250ns", 0.000_25),
    ] {
        assert_eq!(parse_time(text), Ok(wanted), "{text}");
    }
    for text in ["20", "", "ms", "20m", "-1ms", "0ms", "1.2.3ms", "NaN", "inf s", "1e400s"] {
        assert!(parse_time(text).is_err(), "{text}");
    }
}

#[test]
fn numbers_have_separators_and_exponents() {
    for (text, digits, decimals) in [
        ("0", 0, 0),
        ("007", 7, 0),
        ("1,234,567", 1_234_567, 0),
        ("1_000", 1000, 0),
        ("12.50", 125, 1),
        ("4.1e9", 4_100_000_000, 0),
        ("5e-3", 5, 3),
        ("1,000.25", 100_025, 2),
        (".5", 5, 1),
    ] {
        assert_eq!(decimal(text), Decimal { digits, decimals }, "{text}");
    }
    assert_eq!(Decimal::parse("2E"), Ok((Decimal::from(2), "E")), "a unit");
    assert_eq!(Decimal::parse("4.3 GMACs").unwrap().1, " GMACs");
    assert_eq!(Decimal::parse("5."), Ok((Decimal::from(5), ".")));
    let zeros = format!("1.{}", "0".repeat(400));
    assert_eq!(decimal(&zeros), Decimal::from(1));
    for (text, error) in [
        ("", NumberError::Missing),
        ("x", NumberError::Missing),
        ("-1", NumberError::Missing),
        ("_1", NumberError::Missing),
        ("1,5", NumberError::Separator),
        ("1,5000", NumberError::Separator),
        ("1234,567", NumberError::Separator),
        ("1,234,56", NumberError::Separator),
        ("1e400", NumberError::TooLarge),
        ("1e99999999999999", NumberError::TooLarge),
        ("18446744073709551616", NumberError::TooLarge),
        ("1e-19", NumberError::TooPrecise),
        ("1e-400", NumberError::TooPrecise),
    ] {
        assert_eq!(Decimal::parse(text).map(|(number, _)| number), Err(error), "{text}");
    }
    let nines = "9".repeat(400);
    assert_eq!(Decimal::parse(&nines), Err(NumberError::TooLarge));
    let small = format!("0.{}1", "0".repeat(400));
    assert_eq!(Decimal::parse(&small), Err(NumberError::TooPrecise));
}

#[test]
fn arithmetic_is_exact() {
    // 0.3 - 0.1 is 0.19999999999999998 in floats.
    let tenths = |n: u64| Decimal { digits: i128::from(n), decimals: 1 };
    assert_eq!(tenths(3).plus(tenths(1).negated()), Some(tenths(2)));
    assert_eq!(Decimal::from(100).plus_percent(Decimal::from(5)), Some(Decimal::from(105)));
    // 40 * (1 - 2.5 / 100) = 39.
    assert_eq!(Decimal::from(40).plus_percent(decimal("2.5").negated()), Some(Decimal::from(39)));
    // The largest figure and the largest percentage: (2^64 - 1) * (1 + 10^9 / 100).
    let most = Decimal::from(u64::MAX).plus_percent(decimal("999_999_999.999_999")).unwrap();
    assert_eq!(most.compare(Decimal::from(u64::MAX)), Some(Ordering::Greater));
    assert_eq!(decimal("0.5").compare(decimal("0.49")), Some(Ordering::Greater));
    assert_eq!(decimal("2.5").rounded(), Some(3));
    assert_eq!(decimal("2.49").rounded(), Some(2));
    assert_eq!(Decimal::from(7).rounded(), Some(7));
}

#[test]
fn floats_are_their_shortest_decimals() {
    for value in [0.0, 76.1, -0.25, 1e-9, 123_456.789, 0.1 + 0.2] {
        assert_eq!(Decimal::from_float(value).unwrap().to_float(), value);
    }
    assert_eq!(Decimal::from_float(0.1), Some(decimal("0.1")));
    for value in [f64::NAN, f64::INFINITY, 1e300, 1e-300] {
        assert_eq!(Decimal::from_float(value), None, "{value}");
    }
}

#[test]
fn numbers_are_shown_with_every_digit() {
    assert_eq!(decimal("1234567.25").to_string(), "1,234,567.25");
    assert_eq!(decimal("0.05").negated().to_string(), "-0.05");
    assert_eq!(Decimal::ZERO.to_string(), "0");
}
