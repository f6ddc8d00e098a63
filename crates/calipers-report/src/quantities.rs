//! Numbers with units as people write them: `500MB`, `4.3G`, `20ms`.
//!
//! ```
//! use calipers_report::quantities::{parse_bytes, parse_time};
//!
//! assert_eq!(parse_bytes("1.5GiB"), Ok(3 << 29));
//! assert_eq!(parse_time("0.02s"), Ok(20.0));
//! ```
//!
//! A [`Decimal`] is exact: 5 % more than 100 is 105, and 0.3 - 0.1 is 0.2.

use std::cmp::Ordering;
use std::fmt;

use crate::units;

/// The most decimals of a number.
const MAX_DECIMALS: u32 = 18;

/// The largest number, the largest that a figure can have.
const MAX_VALUE: i128 = u64::MAX as i128;

/// A decimal number: a whole number divided by a power of ten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decimal {
    /// The digits. The last one is not 0 where there are decimals, so that equal numbers are equal.
    digits: i128,
    /// Digits after the point.
    decimals: u32,
}

/// Why a text is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberError {
    /// It does not begin with a digit.
    Missing,
    /// Commas do not separate groups of three digits.
    Separator,
    /// It is larger than [`u64::MAX`].
    TooLarge,
    /// It has more than 18 decimals.
    TooPrecise,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "expected a number",
            Self::Separator => "`,` must separate groups of three digits; write 1.5 for a fraction",
            Self::TooLarge => "the number is too large",
            Self::TooPrecise => "the number has too many decimals",
        })
    }
}

impl std::error::Error for NumberError {}

impl Decimal {
    /// Zero.
    pub const ZERO: Self = Self { digits: 0, decimals: 0 };

    /// Returns the number `digits / 10^decimals`, where it is in range.
    fn new(mut digits: i128, mut decimals: u32) -> Result<Self, NumberError> {
        while decimals > 0 && digits % 10 == 0 {
            digits /= 10;
            decimals -= 1;
        }
        if decimals > MAX_DECIMALS {
            return Err(NumberError::TooPrecise);
        }
        // Both powers fit: 2^64 * 10^18 < 2^127.
        if digits.unsigned_abs() > (MAX_VALUE * 10_i128.pow(decimals)).unsigned_abs() {
            return Err(NumberError::TooLarge);
        }
        Ok(Self { digits, decimals })
    }

    /// Returns a float as its shortest decimal number; `None` where that is out of range or has too
    /// many decimals.
    pub fn from_float(value: f64) -> Option<Self> {
        let text = value.is_finite().then(|| format!("{}", value.abs()))?;
        let (number, rest) = Self::parse(&text).ok()?;
        rest.is_empty().then(|| if value < 0.0 { number.negated() } else { number })
    }

    /// Parses the number without a sign that a text begins with, and returns the rest.
    ///
    /// `_` and `,` may separate thousands, and an exponent may follow: `22,565,376`, `4.1e9`.
    ///
    /// # Errors
    ///
    /// Returns an error where the text begins with no number, or the number is out of range.
    pub fn parse(text: &str) -> Result<(Self, &str), NumberError> {
        let digits_at = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        let mut digits = Digits::default();
        let (mut at, mut in_fraction) = (0, false);
        // Digits since the last comma, once there is one.
        let mut group: Option<usize> = None;
        let mut start = 0;
        while let Some(byte) = text.as_bytes().get(at) {
            match byte {
                b'0'..=b'9' => digits.push(byte - b'0', in_fraction)?,
                b'_' if at > 0 && digits_at(at - 1) && digits_at(at + 1) => {}
                b',' if !in_fraction && at > 0 && digits_at(at + 1) => {
                    let length = at - group.unwrap_or(start);
                    if length > 3 || group.is_some() && length != 3 {
                        return Err(NumberError::Separator);
                    }
                    group = Some(at + 1);
                }
                b'.' if !in_fraction && digits_at(at + 1) => {
                    check_group(group, at)?;
                    (in_fraction, group, start) = (true, None, at);
                }
                _ => break,
            }
            at += 1;
        }
        if at == 0 {
            return Err(NumberError::Missing);
        }
        check_group(group, at)?;
        let rest = text.get(at..).unwrap_or_default();
        let (exponent, rest) = exponent(rest)?;
        Ok((digits.raised(exponent)?, rest))
    }

    /// Returns the number times a power of ten or of two.
    ///
    /// # Errors
    ///
    /// Returns an error where the product is out of range.
    pub fn times(self, factor: u64) -> Result<Self, NumberError> {
        let digits = self.digits.checked_mul(i128::from(factor)).ok_or(NumberError::TooLarge)?;
        Self::new(digits, self.decimals)
    }

    /// Returns a thousandth of the number.
    ///
    /// # Errors
    ///
    /// Returns an error where it has too many decimals.
    pub fn thousandth(self) -> Result<Self, NumberError> {
        Self::new(self.digits, self.decimals + 3)
    }

    /// Returns the number with the opposite sign.
    pub const fn negated(self) -> Self {
        Self { digits: -self.digits, decimals: self.decimals }
    }

    /// Returns the number without its sign.
    pub const fn absolute(self) -> Self {
        Self { digits: self.digits.abs(), decimals: self.decimals }
    }

    /// Whether it is below zero.
    pub const fn is_negative(self) -> bool {
        self.digits < 0
    }

    /// Returns the decimals that it has.
    pub const fn decimals(self) -> u32 {
        self.decimals
    }

    /// Returns the sum; `None` where it is out of range.
    pub fn plus(self, other: Self) -> Option<Self> {
        let decimals = self.decimals.max(other.decimals);
        let sum = self.digits_with(decimals)?.checked_add(other.digits_with(decimals)?)?;
        // The sum of two figures is not bounded as a figure is: it is only compared.
        Some(Self { digits: sum, decimals }.trimmed())
    }

    /// Returns the number plus a percentage of it; `None` where it is out of range.
    ///
    /// Figures up to [`u64::MAX`] and percentages up to a billion with 6 decimals are in range.
    pub fn plus_percent(self, percent: Self) -> Option<Self> {
        let whole = 10_i128.pow(percent.decimals).checked_mul(100)?;
        let digits = self.digits.checked_mul(whole.checked_add(percent.digits)?)?;
        Some(Self { digits, decimals: self.decimals + percent.decimals + 2 }.trimmed())
    }

    /// Compares two numbers; `None` where they are too far apart to be compared exactly.
    pub fn compare(self, other: Self) -> Option<Ordering> {
        let decimals = self.decimals.max(other.decimals);
        Some(self.digits_with(decimals)?.cmp(&other.digits_with(decimals)?))
    }

    /// Returns the nearest whole number, halves up; `None` below zero.
    pub fn rounded(self) -> Option<u128> {
        let unit = 10_u128.checked_pow(self.decimals)?;
        let digits = u128::try_from(self.digits).ok()?;
        Some(digits / unit + u128::from(digits % unit >= unit.div_ceil(2) && unit > 1))
    }

    /// Returns the nearest float.
    #[expect(clippy::cast_precision_loss, reason = "it is the nearest")]
    pub fn to_float(self) -> f64 {
        // Its decimal text is read back correctly rounded.
        self.plain().parse().unwrap_or(self.digits as f64)
    }

    /// Returns the whole number; `None` where there are decimals, a sign, or too many digits.
    pub fn to_integer(self) -> Option<u64> {
        if self.decimals == 0 { u64::try_from(self.digits).ok() } else { None }
    }

    fn trimmed(mut self) -> Self {
        while self.decimals > 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.decimals -= 1;
        }
        self
    }

    fn digits_with(self, decimals: u32) -> Option<i128> {
        self.digits.checked_mul(10_i128.checked_pow(decimals.checked_sub(self.decimals)?)?)
    }

    /// The number in digits alone: `-1234.5`.
    fn plain(self) -> String {
        let digits = self.digits.unsigned_abs().to_string();
        let decimals = self.decimals as usize;
        let padded = format!("{digits:0>width$}", width = decimals + 1);
        let (whole, fraction) = padded.split_at(padded.len() - decimals);
        let point = if decimals > 0 { "." } else { "" };
        format!("{}{whole}{point}{fraction}", if self.digits < 0 { "-" } else { "" })
    }
}

impl From<u64> for Decimal {
    fn from(value: u64) -> Self {
        Self { digits: i128::from(value), decimals: 0 }
    }
}

/// Every digit, thousands in groups: `-1,234.5`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = self.absolute().plain();
        let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
        let whole = whole.parse::<u128>().map_or_else(|_| whole.to_owned(), units::integer);
        let sign = if self.digits < 0 { "-" } else { "" };
        let point = if fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}

/// Checks that a comma is followed by three digits.
fn check_group(group: Option<usize>, at: usize) -> Result<(), NumberError> {
    if group.is_some_and(|start| at - start != 3) { Err(NumberError::Separator) } else { Ok(()) }
}

/// Parses an exponent. An `E` without digits is a unit.
fn exponent(text: &str) -> Result<(i32, &str), NumberError> {
    let Some(after) = text.strip_prefix(['e', 'E']) else { return Ok((0, text)) };
    let (negative, digits) = match after.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, after.strip_prefix('+').unwrap_or(after)),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    if end == 0 {
        return Ok((0, text));
    }
    let (digits, rest) = digits.split_at(end);
    // Larger exponents are out of range whatever the digits are.
    let exponent = digits.parse::<i32>().unwrap_or(1000).min(1000);
    Ok((if negative { -exponent } else { exponent }, rest))
}

/// The digits of a number as they are read.
#[derive(Default)]
struct Digits {
    digits: i128,
    decimals: u32,
    /// Zeros at the end of the decimals, which count once another digit follows.
    zeros: u32,
}

impl Digits {
    fn push(&mut self, digit: u8, in_fraction: bool) -> Result<(), NumberError> {
        if !in_fraction {
            return self.append(digit).ok_or(NumberError::TooLarge);
        }
        if digit == 0 {
            self.zeros = self.zeros.saturating_add(1);
            return Ok(());
        }
        for zero_or_digit in std::iter::repeat_n(0, self.zeros as usize).chain([digit]) {
            self.decimals += 1;
            if self.decimals > 2 * MAX_DECIMALS {
                return Err(NumberError::TooPrecise);
            }
            self.append(zero_or_digit).ok_or(NumberError::TooPrecise)?;
        }
        self.zeros = 0;
        Ok(())
    }

    fn append(&mut self, digit: u8) -> Option<()> {
        self.digits = self.digits.checked_mul(10)?.checked_add(i128::from(digit))?;
        Some(())
    }

    /// Returns the number, times ten to a power.
    fn raised(self, exponent: i32) -> Result<Decimal, NumberError> {
        if self.digits == 0 {
            return Ok(Decimal::ZERO);
        }
        let decimals = i64::from(self.decimals) - i64::from(exponent);
        let Ok(decimals) = u32::try_from(decimals) else {
            let power = u32::try_from(-decimals).ok().and_then(|power| 10_i128.checked_pow(power));
            let digits = power.and_then(|power| self.digits.checked_mul(power));
            return Decimal::new(digits.ok_or(NumberError::TooLarge)?, 0);
        };
        Decimal::new(self.digits, decimals)
    }
}

/// Units of a size, in lower case. One letter is the decimal unit.
const BYTE_UNITS: [(&str, u64); 22] = [
    ("", 1),
    ("b", 1),
    ("byte", 1),
    ("bytes", 1),
    ("k", 1_000),
    ("kb", 1_000),
    ("kib", 1 << 10),
    ("m", 1_000_000),
    ("mb", 1_000_000),
    ("mib", 1 << 20),
    ("g", 1_000_000_000),
    ("gb", 1_000_000_000),
    ("gib", 1 << 30),
    ("t", 1_000_000_000_000),
    ("tb", 1_000_000_000_000),
    ("tib", 1 << 40),
    ("p", 1_000_000_000_000_000),
    ("pb", 1_000_000_000_000_000),
    ("pib", 1 << 50),
    ("e", 1_000_000_000_000_000_000),
    ("eb", 1_000_000_000_000_000_000),
    ("eib", 1 << 60),
];

/// Powers of 1,000 of a count, in lower case. `B` is a billion.
const COUNT_UNITS: [(&str, u64); 8] = [
    ("", 1),
    ("k", 1_000),
    ("m", 1_000_000),
    ("g", 1_000_000_000),
    ("b", 1_000_000_000),
    ("t", 1_000_000_000_000),
    ("p", 1_000_000_000_000_000),
    ("e", 1_000_000_000_000_000_000),
];

/// Returns the bytes of a unit: of `MB`, 1,000,000; of nothing, 1.
pub fn byte_unit(unit: &str) -> Option<u64> {
    factor(&BYTE_UNITS, unit)
}

/// Returns the factor of a power of 1,000: of `M`, 1,000,000; of nothing, 1.
pub fn count_unit(unit: &str) -> Option<u64> {
    factor(&COUNT_UNITS, unit)
}

fn factor(units: &[(&str, u64)], unit: &str) -> Option<u64> {
    let unit = unit.trim().to_ascii_lowercase();
    units.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor)
}

/// Returns a time in milliseconds; `None` where the unit is not one of time.
pub fn milliseconds(number: Decimal, unit: &str) -> Option<Result<Decimal, NumberError>> {
    match unit.trim().to_lowercase().as_str() {
        "s" | "sec" => Some(number.times(1000)),
        "ms" => Some(Ok(number)),
        // Micro sign and Greek mu; in lower case they are one letter.
        "us" | "µs" | "μs" => Some(number.thousandth()),
        "ns" => Some(number.thousandth().and_then(Decimal::thousandth)),
        _ => None,
    }
}

/// Parses a size in bytes: `1000`, `500MB`, `2 TB`, `64GiB`, `1.5GB`.
///
/// # Errors
///
/// Returns what a size must be. A fraction of a byte is not a size.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let size = Decimal::parse(text.trim())
        .ok()
        .and_then(|(number, unit)| number.times(byte_unit(unit)?).ok()?.to_integer());
    size.ok_or_else(|| "must be a size such as 500MB, 200GB or 2TB".to_owned())
}

/// Parses a time in milliseconds: `20ms`, `20 ms`, `0.02s`, `500us`.
///
/// # Errors
///
/// Returns what a time must be.
pub fn parse_time(text: &str) -> Result<f64, String> {
    let wrong = || "must be a time > 0; write 20ms or 0.02s".to_owned();
    let (number, unit) = match Decimal::parse(text.trim()) {
        Ok((_, "")) => return Err("must have a unit; write 20ms or 0.02s".to_owned()),
        Ok(parsed) => parsed,
        Err(_) => return Err(wrong()),
    };
    let Some(time) = milliseconds(number, unit) else {
        let unit = crate::suggestions::shortened(unit.trim());
        return Err(format!("unknown unit {unit:?}; expected s, ms or us"));
    };
    match time.map(Decimal::to_float) {
        Ok(time) if (1e-9..1e15).contains(&time) => Ok(time),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests;
