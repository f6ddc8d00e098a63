//! Numbers as people read them. One convention throughout: decimal units, MB = 10⁶ bytes.
//!
//! ```
//! use calipers_report::units as units;
//!
//! assert_eq!(units::integer(22_565_376_u64), "22,565,376");
//! assert_eq!(units::count(22_565_376_u64), "22.57 M");
//! assert_eq!(units::operations(22_949_658_624_u64, "MACs"), "22.95 GMACs");
//! assert_eq!(units::bytes(22_657_536_u64), "22.66 MB");
//! assert_eq!(units::percent(18.91), "18.9%");
//! ```
//!
//! Rounding is to the nearest, halves up, in integers: no figure depends on floating point but a
//! percentage, which the report itself holds as one.

use crate::Precision;

/// Names of the powers of 1,000 for bytes, from the first.
const BYTE_UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];

/// Names of the powers of 1,000 for counts, from the first: thousand, million, billion (10⁹), …
const COUNT_UNITS: [&str; 6] = ["k", "M", "B", "T", "P", "E"];

/// Names of the powers of 1,000 for operations, from the first: 10⁹ is `G`, as in GFLOPs.
const SI_UNITS: [&str; 6] = ["k", "M", "G", "T", "P", "E"];

/// Every digit, in groups of three: `22,565,376`.
pub fn integer(value: impl Into<u128>) -> String {
    grouped(&value.into().to_string())
}

fn grouped(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Bytes in the decimal unit that leaves one to three digits before the point: `999 B`, `1.00 kB`.
pub fn bytes(value: impl Into<u128>) -> String {
    scaled(value.into(), &BYTE_UNITS).unwrap_or_else(|small| format!("{small} B"))
}

/// Bytes to the last one: `26,454 bytes`.
pub fn exact_bytes(value: impl Into<u128>) -> String {
    counted(value, "byte", "bytes")
}

/// A count in short: `999`, `5.99 k`, `22.57 M`, `7.24 B` (10⁹).
///
/// It is next to [`integer`], never alone, so that `B` cannot be taken for bytes.
pub fn count(value: impl Into<u128>) -> String {
    scaled(value.into(), &COUNT_UNITS).unwrap_or_else(|small| small.to_string())
}

/// A count as it is said in a sentence: `214,848`, `43.6 million`, `7.24 billion`.
pub fn spoken(value: impl Into<u128>) -> String {
    const WORDS: [&str; 4] = ["million", "billion", "trillion", "quadrillion"];
    let value = value.into();
    let mut unit = 1_000_000_u128;
    if value < unit {
        return integer(value);
    }
    for (i, word) in WORDS.iter().enumerate() {
        // Three digits: two decimals below ten, one below a hundred, none above.
        let decimals: u32 = match value / unit {
            0..10 => 2,
            10..100 => 1,
            _ => 0,
        };
        let tenth = 10_u128.pow(decimals);
        let rounded = (value * tenth + unit / 2) / unit;
        if rounded < 1000 * tenth || i + 1 == WORDS.len() {
            let whole = integer(rounded / tenth);
            let fraction = rounded % tenth;
            return match decimals {
                0 => format!("{whole} {word}"),
                _ => format!("{whole}.{fraction:0width$} {word}", width = decimals as usize),
            };
        }
        unit *= 1000;
    }
    integer(value)
}

/// Operations with their unit spelt: `22.95 GMACs`, `45.90 GFLOPs`, `999 MACs`.
pub fn operations(value: impl Into<u128>, unit: &str) -> String {
    let value = value.into();
    let scaled = scaled(value, &SI_UNITS).unwrap_or_else(|small| format!("{small} "));
    format!("{scaled}{unit}")
}

/// Operations in a column whose heading gives the unit: `22.95 G`, `999`.
pub fn magnitude(value: impl Into<u128>) -> String {
    scaled(value.into(), &SI_UNITS).unwrap_or_else(|small| small.to_string())
}

/// A ratio with as many decimals as say something: `0.25`, `12.5`, `1,204`.
///
/// What is no ratio (not a number, infinite, negative) is `unknown`.
pub fn ratio(value: f64) -> String {
    if !value.is_finite() || value < 0.0 {
        return "unknown".to_owned();
    }
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => grouped(&format!("{v:.0}")),
    }
}

/// A figure as it is stated, with at most two decimals: `989.5`, `67`, `1,979`, `0.06`.
///
/// What would round to nothing says so, `<0.01`; what is no figure (not a number, infinite,
/// negative) is `unknown`.
pub fn decimal(value: f64) -> String {
    if !value.is_finite() || value < 0.0 {
        return "unknown".to_owned();
    }
    if value > 0.0 && value < 0.005 {
        return "<0.01".to_owned();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text.split_once('.') {
        Some((whole, decimals)) => format!("{}.{decimals}", grouped(whole)),
        None => grouped(text),
    }
}

/// A time given in milliseconds, to two digits: `1.9 ms`, `85 µs`, `0.47 ms`, `12 s`.
///
/// What is no time (not a number, infinite, not above 0) is `unknown`.
pub fn time(milliseconds: f64) -> String {
    let Some((scale, unit)) = time_unit(milliseconds) else { return "unknown".to_owned() };
    format!("{} {unit}", two_digits(milliseconds * scale))
}

/// A time with its range, in one unit: `1.9 ms (1.6–2.3)`.
pub fn time_range(low: f64, expected: f64, high: f64) -> String {
    match (time_unit(low), time_unit(expected), time_unit(high)) {
        (Some(_), Some((scale, _)), Some(_)) => {
            let [low, high] = [low, high].map(|bound| two_digits(bound * scale));
            format!("{} ({low}–{high})", time(expected))
        }
        _ => time(expected),
    }
}

/// The unit for a time, and what milliseconds are to be multiplied by.
fn time_unit(milliseconds: f64) -> Option<(f64, &'static str)> {
    match milliseconds {
        v if !v.is_finite() || v <= 0.0 => None,
        v if v < 0.0995 => Some((1e3, "µs")),
        v if v < 9950.0 => Some((1.0, "ms")),
        _ => Some((1e-3, "s")),
    }
}

/// Two digits that mean something, and all before the point: `0.47`, `1.9`, `120`, `1,204`.
fn two_digits(value: f64) -> String {
    match value {
        v if v < 0.000_95 => format!("{v:.1e}"),
        v if v < 0.0095 => format!("{v:.4}"),
        v if v < 0.0995 => format!("{v:.3}"),
        v if v < 0.995 => format!("{v:.2}"),
        v if v < 9.95 => format!("{v:.1}"),
        v => grouped(&format!("{v:.0}")),
    }
}

/// How many a second, to three digits: `526/s`, `5.3/s`, `12,300/s`.
///
/// What is no rate (not a number, infinite, not above 0) is `unknown`.
pub fn rate(per_second: f64) -> String {
    match per_second {
        v if !v.is_finite() || v <= 0.0 => "unknown".to_owned(),
        v if v < 0.01 => "<0.01/s".to_owned(),
        v if v < 1.0 => format!("{v:.2}/s"),
        v if v < 100.0 => format!("{v:.1}/s"),
        v => {
            // The largest floats round up to infinity.
            let rounded = format!("{v:.2e}").parse().ok().filter(|it: &f64| it.is_finite());
            format!("{}/s", grouped(&format!("{:.0}", rounded.unwrap_or(v))))
        }
    }
}

/// Bytes in gigabytes (10⁹), for what is next to a device's memory: `0.68 GB`, `29.4 GB`,
/// `141 GB`. Less than ten megabytes are in their own unit.
pub fn gigabytes(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let value = bytes as f64 / 1e9;
    match value {
        v if v < 0.01 => self::bytes(bytes),
        v if v < 9.995 => format!("{v:.2} GB"),
        v if v < 99.95 => format!("{v:.1} GB"),
        v => format!("{} GB", grouped(&format!("{v:.0}"))),
    }
}

/// Energy in the unit that suits it, rounded up, as a bound is: `118 mJ`, `4.26 J`.
pub fn energy(joules: f64) -> String {
    match joules {
        v if !v.is_finite() || v < 0.0 => "unknown".to_owned(),
        v if v < 0.001 => "1 mJ".to_owned(),
        v if v < 1.0 => format!("{} mJ", decimal((v * 1e3).ceil())),
        v => format!("{} J", ratio(v)),
    }
}

/// The bandwidth of a device, given in bytes a second: `4,800 GB/s`.
pub fn bandwidth(bytes_per_second: f64) -> String {
    match decimal(bytes_per_second / 1e9) {
        unknown if unknown == "unknown" => unknown,
        figure => format!("{figure} GB/s"),
    }
}

/// The peak of a device, given in operations a second: `67 TFLOPS`, of integers `233 TOPS`.
pub fn peak(per_second: f64, precision: Precision) -> String {
    match decimal(per_second / 1e12) {
        unknown if unknown == "unknown" => unknown,
        figure => format!("{figure} {}", precision.unit()),
    }
}

/// The memory of a device, as it is stated: `24 GB`, `141 GB`, `150.75 GB`.
pub fn capacity(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "two decimals are shown")]
    let value = bytes as f64 / 1e9;
    format!("{} GB", decimal(value))
}

/// A figure next to an axis, in the power of 1,000 that leaves one to three digits before the point:
/// `20 MB`, `0.5`, `2.5 TFLOP/s`, `100 µs`. Seconds have no powers above.
///
/// What is no figure (not a number, infinite, negative) is `unknown`.
pub fn axis(value: f64, unit: &str) -> String {
    const PREFIXES: [&str; 10] = ["n", "µ", "m", "", "k", "M", "G", "T", "P", "E"];
    if !value.is_finite() || value < 0.0 {
        return "unknown".to_owned();
    }
    let last = if unit == "s" { 3 } else { PREFIXES.len() - 1 };
    // Only times are cut finer than 1.
    let (mut scaled, mut at) = if unit == "s" { (value * 1e9, 0) } else { (value, 3) };
    while scaled >= 999.5 && at < last {
        scaled /= 1000.0;
        at += 1;
    }
    if scaled == 0.0 {
        at = 3;
    }
    if scaled >= 1e7 {
        return format!("{scaled:.0e} {}{unit}", PREFIXES[at]).trim_end().to_owned();
    }
    let text = if scaled < 9.995 { format!("{scaled:.2}") } else { format!("{scaled:.1}") };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let digits = match text.split_once('.') {
        Some((whole, decimals)) => format!("{}.{decimals}", grouped(whole)),
        None => grouped(text),
    };
    format!("{digits} {}{unit}", PREFIXES[at]).trim_end().to_owned()
}

/// A whole number that may be below zero: `-1,234,567`.
pub fn signed(value: impl Into<i128>) -> String {
    let value = value.into();
    format!("{}{}", if value < 0 { "-" } else { "" }, integer(value.unsigned_abs()))
}

/// A count with its noun in the right number: `1 node`, `1,163 nodes`.
pub fn counted(value: impl Into<u128>, one: &str, many: &str) -> String {
    let value = value.into();
    format!("{} {}", integer(value), if value == 1 { one } else { many })
}

/// A share in percent with one decimal: `18.9%`.
///
/// A share that rounds to nothing, or to everything, without being it says so: `<0.1%`, `>99.9%`.
/// What is no share at all (not a number, infinite, below 0, above 100) is `unknown`.
pub fn percent(value: f64) -> String {
    // Shares come rounded to two decimals, so a hair above 100 is still all of it.
    if !(0.0..=100.01).contains(&value) {
        return "unknown".to_owned();
    }
    match value {
        0.0 => "0.0%".to_owned(),
        v if v < 0.05 => "<0.1%".to_owned(),
        v if v >= 100.0 => "100.0%".to_owned(),
        v if v >= 99.95 => ">99.9%".to_owned(),
        v => format!("{v:.1}%"),
    }
}

/// The value in the smallest unit in which it rounds to less than 1,000, with two decimals; the
/// value itself when it is below 1,000.
fn scaled(value: u128, units: &[&str]) -> Result<String, u128> {
    if value < 1000 {
        return Err(value);
    }
    let mut unit = 1000_u128;
    for (i, name) in units.iter().enumerate() {
        // Not `value * 100 / unit`, which the largest values would overflow.
        let hundredth = unit / 100;
        let hundredths = value / hundredth + u128::from(value % hundredth >= hundredth / 2);
        if hundredths < 100_000 || i + 1 == units.len() {
            return Ok(format!("{}.{:02} {name}", integer(hundredths / 100), hundredths % 100));
        }
        unit *= 1000;
    }
    Err(value)
}

/// At most `most` characters of a text, with an ellipsis in place of its middle.
pub fn shortened(text: &str, most: usize) -> String {
    // No more of a long text is read than can be shown.
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let tail = most / 3;
    let head: String = text.chars().take(most - tail - 1).collect();
    let mut end: Vec<char> = text.chars().rev().take(tail).collect();
    end.reverse();
    format!("{head}…{}", end.into_iter().collect::<String>())
}

#[cfg(test)]
mod tests {
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
}
