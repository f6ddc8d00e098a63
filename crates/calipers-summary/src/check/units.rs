//! Units behind a number: what it measures, and what one of it is worth.

use super::super::facts::Quantity;
use super::tokens::Token;

/// What is behind a number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    /// Quantities that it may be, and what one of it is worth.
    pub(super) is: Vec<(Quantity, f64)>,
    /// Tokens that it takes.
    pub(super) used: usize,
}

impl Unit {
    /// Whether no unit is there.
    pub(super) fn is_plain(&self) -> bool {
        self.used == 0
    }
}

const THOUSANDS: &[(&str, f64)] = &[
    ("k", 1e3),
    ("K", 1e3),
    ("thousand", 1e3),
    ("tausend", 1e3),
    ("mille", 1e3),
    ("M", 1e6),
    ("million", 1e6),
    ("millions", 1e6),
    ("Millionen", 1e6),
    ("Mio", 1e6),
    ("millones", 1e6),
    ("B", 1e9),
    ("billion", 1e9),
    ("G", 1e9),
    ("Milliarden", 1e9),
    ("Mrd", 1e9),
    ("milliards", 1e9),
    ("T", 1e12),
    ("trillion", 1e12),
    ("P", 1e15),
    ("E", 1e18),
];

const BYTES: &[(&str, f64)] = &[
    ("B", 1.0),
    ("byte", 1.0),
    ("bytes", 1.0),
    ("Bytes", 1.0),
    ("octets", 1.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("kilobytes", 1e3),
    ("MB", 1e6),
    ("megabytes", 1e6),
    ("Mo", 1e6),
    ("GB", 1e9),
    ("gigabytes", 1e9),
    ("Go", 1e9),
    ("TB", 1e12),
    ("terabytes", 1e12),
    ("PB", 1e15),
    ("EB", 1e18),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];

const TIMES: &[(&str, f64)] = &[
    ("ms", 1.0),
    ("millisecond", 1.0),
    ("milliseconds", 1.0),
    ("Millisekunden", 1.0),
    ("millisecondes", 1.0),
    ("s", 1e3),
    ("sec", 1e3),
    ("second", 1e3),
    ("seconds", 1e3),
    ("Sekunden", 1e3),
    ("secondes", 1e3),
    ("µs", 1e-3),
    ("μs", 1e-3),
    ("us", 1e-3),
    ("microseconds", 1e-3),
    ("Mikrosekunden", 1e-3),
];

/// What a word of a table is worth.
pub(super) fn worth(table: &[(&str, f64)], word: &str) -> Option<f64> {
    table.iter().find(|(name, _)| *name == word).map(|(_, worth)| *worth)
}

/// `GFLOPs`, `MACs`: what is counted, and what one is worth.
fn operations(word: &str) -> Option<(Quantity, f64)> {
    let lower = word.to_lowercase();
    let (quantity, bare) = ["flops", "flop"]
        .iter()
        .find_map(|unit| Some((Quantity::Flops, lower.strip_suffix(unit)?)))
        .or_else(|| {
            let mut units = ["macs", "mac", "multiply-accumulates", "multiply-adds"].iter();
            units.find_map(|unit| Some((Quantity::Macs, lower.strip_suffix(unit)?)))
        })?;
    let scale = match bare {
        "" => 1.0,
        "k" => 1e3,
        "m" => 1e6,
        "g" => 1e9,
        "t" => 1e12,
        "p" => 1e15,
        "e" => 1e18,
        _ => return None,
    };
    Some((quantity, scale))
}

/// The unit that is here; a plain count where there is none.
pub(super) fn unit_at(tokens: &[Token<'_>], at: usize) -> Unit {
    let word = |ahead: usize| tokens.get(at + ahead).and_then(Token::word).unwrap_or_default();
    let plain = Unit { is: vec![(Quantity::Count, 1.0)], used: 0 };
    if tokens.get(at).is_some_and(|token| token.is_mark(&['%'])) {
        return Unit { is: vec![(Quantity::Percent, 1.0)], used: 1 };
    }
    if ["percent", "Prozent"].contains(&word(0)) {
        return Unit { is: vec![(Quantity::Percent, 1.0)], used: 1 };
    }
    if let Some(used) = a_second(tokens, at) {
        return Unit { is: vec![(Quantity::PerSecond, 1.0)], used };
    }
    let is_ratio = tokens.get(at).is_some_and(|token| token.is_mark(&['×']))
        || ["x", "times", "fold"].contains(&word(0));
    let compares = ["faster", "slower", "smaller", "larger", "as", "more", "less", "the"];
    if is_ratio && compares.contains(&word(1)) {
        return Unit { is: vec![(Quantity::Ratio, 1.0)], used: 1 };
    }
    if let Some(worth) = worth(TIMES, word(0)) {
        return Unit { is: vec![(Quantity::Millis, worth)], used: 1 };
    }
    if let Some(kind) = operations(word(0)) {
        return Unit { is: vec![kind], used: 1 };
    }
    let mut is = Vec::new();
    if let Some(scale) = worth(THOUSANDS, word(0)) {
        if let Some((quantity, one)) = operations(word(1)) {
            return Unit { is: vec![(quantity, scale * one)], used: 2 };
        }
        if ["byte", "bytes"].contains(&word(1)) {
            return Unit { is: vec![(Quantity::Bytes, scale)], used: 2 };
        }
        is.push((Quantity::Count, scale));
    }
    is.extend(worth(BYTES, word(0)).map(|worth| (Quantity::Bytes, worth)));
    if is.is_empty() { plain } else { Unit { is, used: 1 } }
}

/// Tokens of `/s`, `samples a second`, `tokens per second`, if they are here.
fn a_second(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let word = |at: usize| tokens.get(at).and_then(Token::word).unwrap_or_default();
    if tokens.get(at)?.is_mark(&['/']) && ["s", "sec", "second"].contains(&word(at + 1)) {
        return Some(2);
    }
    let things = ["samples", "tokens", "images", "sequences", "runs", "rows"];
    let skip = usize::from(things.contains(&word(at)));
    let each = ["a", "per", "each", "pro"].contains(&word(at + skip));
    (each && ["second", "Sekunde"].contains(&word(at + skip + 1))).then_some(skip + 2)
}
