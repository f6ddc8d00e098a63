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

/// A change in percent: `+4.2%`, `−48%`. One that rounds to nothing is `<0.1%`; from a thousand percent on it is the
/// factor, `×114`.
pub fn signed_percent(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    match value.abs() {
        tiny if tiny < 0.05 => "<0.1%".to_owned(),
        small if small < 9.95 => format!("{sign}{small:.1}%"),
        large if large < 999.5 => format!("{sign}{large:.0}%"),
        huge if huge < 1e8 => {
            // A factor of less than a million has less than 64 bits.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "below 1e6"
            )]
            let factor = (1.0 + huge / 100.0).round() as u64;
            format!("×{}", integer(factor))
        }
        _ => "more than ×1,000,000".to_owned(),
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
mod tests;
