use super::*;

#[test]
fn integers_are_grouped_in_threes() {
    for (value, text) in [
        (0_u64, "0"),
        (7, "7"),
        (999, "999"),
        (1000, "1,000"),
        (26_454, "26,454"),
        (100_000, "100,000"),
        (22_565_376, "22,565,376"),
        (u64::MAX, "18,446,744,073,709,551,615"),
    ] {
        assert_eq!(integer(value), text);
    }
}

#[test]
fn bytes_change_unit_where_they_would_round_to_a_thousand() {
    for (value, text) in [
        (0_u64, "0 B"),
        (1, "1 B"),
        (999, "999 B"),
        (1000, "1.00 kB"),
        (1004, "1.00 kB"),
        (1005, "1.01 kB"),
        (26_454, "26.45 kB"),
        (999_994, "999.99 kB"),
        (999_995, "1.00 MB"),
        (999_999, "1.00 MB"),
        (1_000_000, "1.00 MB"),
        (22_972_370, "22.97 MB"),
        (999_994_999, "999.99 MB"),
        (999_995_000, "1.00 GB"),
        (140_000_000_000, "140.00 GB"),
        (999_999_999_999, "1.00 TB"),
        (1_000_000_000_000_000, "1.00 PB"),
        (u64::MAX, "18.45 EB"),
    ] {
        assert_eq!(bytes(value), text, "{value}");
    }
    assert_eq!(bytes(u128::MAX), "340,282,366,920,938,463,463.37 EB");
    assert_eq!(exact_bytes(1_u64), "1 byte");
    assert_eq!(exact_bytes(26_454_u64), "26,454 bytes");
}

#[test]
fn counts_are_short() {
    for (value, text) in [
        (0_u64, "0"),
        (999, "999"),
        (1000, "1.00 k"),
        (5994, "5.99 k"),
        (999_999, "1.00 M"),
        (22_565_376, "22.57 M"),
        (108_890_000, "108.89 M"),
        (7_241_732_096, "7.24 B"),
        (999_999_999_999, "1.00 T"),
        (u64::MAX, "18.45 E"),
    ] {
        assert_eq!(count(value), text, "{value}");
    }
    assert_eq!(counted(1_u64, "node", "nodes"), "1 node");
    assert_eq!(counted(0_u64, "node", "nodes"), "0 nodes");
}

#[test]
fn counts_are_spoken_to_three_digits() {
    for (value, text) in [
        (0_u64, "0"),
        (214_848, "214,848"),
        (999_999, "999,999"),
        (1_000_000, "1.00 million"),
        (9_996_000, "10.00 million"),
        (22_565_376, "22.6 million"),
        (108_890_000, "109 million"),
        (999_600_000, "1.00 billion"),
        (7_241_732_096, "7.24 billion"),
        (u64::MAX, "18,447 quadrillion"),
    ] {
        assert_eq!(spoken(value), text, "{value}");
    }
}

#[test]
fn operations_have_their_unit_spelt() {
    for (value, text) in [
        (0_u64, "0 MACs"),
        (999, "999 MACs"),
        (791_840, "791.84 kMACs"),
        (999_995, "1.00 MMACs"),
        (22_949_658_624, "22.95 GMACs"),
        (u64::MAX, "18.45 EMACs"),
    ] {
        assert_eq!(operations(value, "MACs"), text, "{value}");
    }
    assert_eq!(operations(45_899_317_248_u64, "FLOPs"), "45.90 GFLOPs");
    assert_eq!([magnitude(7_u64), magnitude(7_840_u64)], ["7", "7.84 k"]);
    for (value, text) in
        [(0.0, "0.00"), (9.99, "9.99"), (9.996, "10.0"), (99.96, "100"), (1204.4, "1,204")]
    {
        assert_eq!(ratio(value), text, "{value}");
    }
    assert_eq!([ratio(f64::NAN), ratio(-1.0)], ["unknown", "unknown"]);
}

#[test]
fn decimals_are_those_that_were_stated() {
    for (value, text) in [
        (0.0, "0"),
        (0.001, "<0.01"),
        (0.0576, "0.06"),
        (67.0, "67"),
        (100.0, "100"),
        (989.5, "989.5"),
        (1670.5, "1,670.5"),
        (22.06, "22.06"),
        (9000.0, "9,000"),
    ] {
        assert_eq!(decimal(value), text, "{value}");
    }
    assert_eq!([decimal(f64::NAN), decimal(f64::INFINITY), decimal(-1.0)], ["unknown"; 3]);
}

#[test]
fn times_have_two_digits_and_a_unit() {
    for (value, text) in [
        (0.0004, "0.40 µs"),
        (0.085, "85 µs"),
        (0.0996, "0.10 ms"),
        (0.467, "0.47 ms"),
        (1.94, "1.9 ms"),
        (9.96, "10 ms"),
        (123.4, "123 ms"),
        (1204.0, "1,204 ms"),
        (12_340.0, "12 s"),
        (1e9, "1,000,000 s"),
        (1e-9, "1.0e-6 µs"),
        (0.0, "unknown"),
        (f64::NAN, "unknown"),
        (f64::INFINITY, "unknown"),
    ] {
        assert_eq!(time(value), text, "{value}");
    }
    assert_eq!(time_range(1.6, 1.9, 2.3), "1.9 ms (1.6–2.3)");
    assert_eq!(time_range(0.08, 0.12, 0.2), "0.12 ms (0.080–0.20)");
    assert_eq!(time_range(0.0, 1.9, 2.3), "1.9 ms");
    for (value, text) in [
        (526.3, "526/s"),
        (5.26, "5.3/s"),
        (12_345.0, "12,300/s"),
        (0.126, "0.13/s"),
        (0.001, "<0.01/s"),
        (0.0, "unknown"),
    ] {
        assert_eq!(rate(value), text, "{value}");
    }
    for (value, text) in [
        (29_400_000_000, "29.4 GB"),
        (24_000_000_000, "24.0 GB"),
        (141_000_000_000, "141 GB"),
        (680_000_000, "0.68 GB"),
        (4_000_000, "4.00 MB"),
    ] {
        assert_eq!(gigabytes(value), text, "{value}");
    }
    assert_eq!(capacity(24_000_000_000), "24 GB");
    assert_eq!(capacity(150_754_820_096), "150.75 GB");
}

#[test]
fn axes_have_short_figures() {
    for (value, unit, text) in [
        (0.0, "B", "0 B"),
        (20e6, "B", "20 MB"),
        (2.5e12, "FLOP/s", "2.5 TFLOP/s"),
        (1e-4, "s", "100 µs"),
        (0.25, "s", "250 ms"),
        (1e6, "s", "1,000,000 s"),
        (0.5, "", "0.5"),
        (0.01, "", "0.01"),
        (999.6, "", "1 k"),
        (64.0, "", "64"),
        (1e4, "FLOP/s", "10 kFLOP/s"),
        (1e30, "B", "1e12 EB"),
        (f64::NAN, "B", "unknown"),
    ] {
        assert_eq!(axis(value, unit), text, "{value}");
    }
    assert_eq!(axis(18_446_744_073_709_551_615.0, "B"), "18.4 EB");
}

#[test]
fn changes_in_percent_have_a_sign_or_are_factors() {
    for (value, text) in [
        (0.004, "<0.1%"),
        (-0.04, "<0.1%"),
        (-0.05, "−0.1%"),
        (4.25, "+4.2%"),
        (-48.4, "−48%"),
        (999.4, "+999%"),
        // 11,296 percent more is 112.96 times as much, and that once.
        (11_296.0, "×114"),
        (99_999_900.0, "×1,000,000"),
        (1e12, "more than ×1,000,000"),
    ] {
        assert_eq!(signed_percent(value), text, "{value}");
    }
}

#[test]
fn percentages_are_shares_or_unknown() {
    for (value, text) in [
        (0.0, "0.0%"),
        (-0.0, "0.0%"),
        (0.01, "<0.1%"),
        (0.05, "0.1%"),
        (8.33, "8.3%"),
        (18.91, "18.9%"),
        (99.94, "99.9%"),
        (99.96, ">99.9%"),
        (100.0, "100.0%"),
        (f64::NAN, "unknown"),
        (f64::INFINITY, "unknown"),
        (f64::NEG_INFINITY, "unknown"),
        (-1.0, "unknown"),
        (1e300, "unknown"),
    ] {
        assert_eq!(percent(value), text, "{value}");
    }
}

#[test]
fn no_boundary_prints_a_thousand_of_a_unit() {
    for power in 3..20 {
        let edge = 10_u128.pow(power);
        for value in edge - 20..edge + 20 {
            for text in [bytes(value), count(value)] {
                assert!(!text.starts_with("1000"), "{value} is {text}");
                assert!(!text.starts_with("1,000"), "{value} is {text}");
            }
        }
    }
}

#[test]
fn long_texts_lose_their_middle() {
    let long = "é".repeat(10_000);
    assert_eq!(shortened(&long, 20).chars().count(), 20);
    assert_eq!(shortened("abcdefghij", 6), "abc…ij");
    assert_eq!(shortened("abcdef", 6), "abcdef");
}
