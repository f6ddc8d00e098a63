//! Numbers of a sentence with their units, and whether the report holds them.
//!
//! A number is read with the digits it shows: `22.6 million` is anything that rounds to it. Its unit
//! says what it measures, and a noun next to it says what it is about; both must fit.

use super::super::facts::{Fact, Quantity, is_noun, may_name};
use super::tokens::Token;
use super::units::{Unit, unit_at, worth};

/// A way to read a number of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    quantity: Quantity,
    value: f64,
    /// How far the figure may lie below and above.
    below: f64,
    above: f64,
}

/// A number of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    /// As it is written, with its unit.
    pub(super) text: String,
    readings: Vec<Reading>,
    /// The noun that it is next to.
    noun: Option<String>,
}

/// Words that make a figure a rough one.
const ROUGHLY: &[&str] = &[
    "about",
    "almost",
    "approximately",
    "around",
    "circa",
    "etwa",
    "environ",
    "nearly",
    "roughly",
    "rund",
    "some",
    "ungefähr",
    "unos",
    "circa",
];
/// Words after which a figure is a lower bound.
const OVER: &[&str] = &["above", "exceeds", "least", "over", "than", "über", "plus"];
/// Words after which a figure is an upper bound.
const UNDER: &[&str] = &["below", "most", "to", "under", "unter"];

/// Share by which a rough figure may be off.
const ROUGH: f64 = 0.025;
/// Share by which a figure may lie beyond a bound: more would mislead.
const BEYOND: f64 = 0.1;

/// The numbers of a sentence. With `english`, a comma parts thousands; else it may be the decimal.
pub(super) fn figures(tokens: &[Token<'_>], english: bool) -> Vec<Figure> {
    let mut figures: Vec<Figure> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((value, decimals, used)) = value_at(tokens, at, english) else {
            at += 1;
            continue;
        };
        let unit = unit_at(tokens, at + used);
        let unit = if unit.is_plain() { inherited(tokens, at, used).unwrap_or(unit) } else { unit };
        let hedge = Hedge::before(tokens, at);
        let readings = readings(&value, decimals, &unit, hedge);
        let end = at + used + unit.used;
        let text = written(&tokens[at..end]);
        let noun = match is_of_shape(tokens, at) {
            true => Some("pixels".to_owned()),
            false => noun(tokens, at, end, &unit),
        };
        figures.push(Figure { text, readings, noun });
        at = end;
    }
    figures
}

impl Figure {
    /// The fact that holds this figure.
    pub(super) fn find<'f>(&self, facts: &[&'f Fact]) -> Option<&'f Fact> {
        facts.iter().copied().find(|fact| {
            let reported = self.noun.as_deref();
            // Shares of nodes, times and rates are distinguished by their units alone.
            let free = matches!(
                fact.quantity,
                Quantity::Percent | Quantity::Millis | Quantity::PerSecond | Quantity::Macs
            );
            let named = reported.is_none_or(|noun| free || may_name(noun, fact.topic));
            // Work next to the products is not a headline, so it has to be called what it is.
            let headline =
                fact.topic != "other" || reported.is_some_and(|noun| may_name(noun, "other"));
            let is_headline = fact.quantity == Quantity::Flops && fact.topic != "other";
            (named || is_headline)
                && headline
                && self.readings.iter().any(|reading| reading.is(fact))
        })
    }
}

impl Reading {
    fn is(&self, fact: &Fact) -> bool {
        self.quantity == fact.quantity
            && fact.value >= self.value - self.below
            && fact.value <= self.value + self.above
    }
}

/// What the words before a figure say of it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hedge {
    No,
    Roughly,
    Over,
    Under,
}

impl Hedge {
    fn before(tokens: &[Token<'_>], at: usize) -> Self {
        let Some(previous) = at.checked_sub(1).and_then(|at| tokens.get(at)) else {
            return Self::No;
        };
        let word = previous.word().map(str::to_lowercase).unwrap_or_default();
        let before = at.checked_sub(2).and_then(|at| tokens.get(at)?.word()).map(str::to_lowercase);
        match word.as_str() {
            _ if previous.is_mark(&['~', '≈']) => Self::Roughly,
            _ if previous.is_mark(&['>', '≥']) => Self::Over,
            _ if previous.is_mark(&['<', '≤']) => Self::Under,
            "than" if before.as_deref().is_some_and(|word| ["less", "fewer"].contains(&word)) => {
                Self::Under
            }
            "to" if before.as_deref() != Some("up") => Self::No,
            "most" if before.as_deref() != Some("at") => Self::No,
            word if ROUGHLY.contains(&word) => Self::Roughly,
            word if OVER.contains(&word) => Self::Over,
            word if UNDER.contains(&word) => Self::Under,
            _ => Self::No,
        }
    }
}

/// The unit of the other number of a range, or of the number that a bracket is behind.
fn inherited(tokens: &[Token<'_>], at: usize, used: usize) -> Option<Unit> {
    let taken = |unit: Unit| (!unit.is_plain()).then_some(Unit { used: 0, ..unit });
    let joins = |token: &Token<'_>| token.is_mark(&['–', '-', '—']) || token.word() == Some("to");
    let next = at + used;
    if tokens.get(next).is_some_and(joins)
        && let Some(Token::Number(_)) = tokens.get(next + 1)
        && let Some(unit) = taken(unit_at(tokens, next + 2))
    {
        return Some(unit);
    }
    // Back over `(1.6–` to the unit before the bracket.
    let mut back = at;
    while back > 0 && at - back < 4 {
        back -= 1;
        if tokens[back].is_mark(&['(']) {
            let unit = back.checked_sub(1)?;
            let number = unit.checked_sub(1)?;
            let behind = matches!(tokens.get(number), Some(Token::Number(_)));
            return taken(unit_at(tokens, unit)).filter(|_| behind);
        }
        let inside = matches!(tokens[back], Token::Number(_)) || joins(&tokens[back]);
        if !inside {
            return None;
        }
    }
    None
}

/// The value of a number or of number words: ways to read it, decimals that it shows, tokens used.
fn value_at(tokens: &[Token<'_>], at: usize, english: bool) -> Option<(Vec<f64>, i32, usize)> {
    match tokens.get(at)? {
        Token::Number(digits) => {
            let (values, decimals) = parsed(digits, english);
            Some((values, decimals, 1))
        }
        Token::Word(_) => spelled_out(tokens, at).map(|(value, used)| (vec![value], 0, used)),
        Token::Mark(_) => None,
    }
}

/// Values that the digits may represent, and how many decimals they show.
fn parsed(digits: &str, english: bool) -> (Vec<f64>, i32) {
    let plain: String = digits
        .chars()
        .filter(|c| !matches!(c, '\'' | '’' | '\u{a0}' | '\u{202f}' | '\u{2009}'))
        .collect();
    let read = |thousands: char, decimal: char| -> Option<(f64, i32)> {
        let (whole, fraction) = match plain.rsplit_once(decimal) {
            Some((whole, fraction)) => (whole, fraction),
            None => (plain.as_str(), ""),
        };
        let groups: Vec<&str> = whole.split(thousands).collect();
        let parted = groups.len() == 1 || groups[1..].iter().all(|group| group.len() == 3);
        if !parted || fraction.contains(thousands) {
            return None;
        }
        let text =
            format!("{}.{}", groups.concat(), if fraction.is_empty() { "0" } else { fraction });
        let shown = fraction.split('e').next().unwrap_or_default().len();
        Some((text.parse().ok()?, i32::try_from(shown).ok()?))
    };
    let mut values = Vec::new();
    let mut decimals = 0;
    for (thousands, decimal) in
        [(',', '.'), ('.', ',')].into_iter().take(if english { 1 } else { 2 })
    {
        if let Some((value, shown)) = read(thousands, decimal)
            && !values.contains(&value)
        {
            values.push(value);
            decimals = decimals.max(shown);
        }
    }
    (values, decimals)
}

const NUMBER_WORDS: &[(&str, f64)] = &[
    ("zero", 0.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("dozen", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
    ("hundred", 100.0),
];

/// Things that a model has a number of, so that one of them is a claim.
const COUNTED: &[&str] = &[
    "class",
    "convolution",
    "error",
    "expert",
    "finding",
    "head",
    "input",
    "layer",
    "output",
    "parameter",
    "tree",
    "warning",
];

/// A number in words: `twelve`, `twenty-four`, `two hundred`.
fn spelled_out(tokens: &[Token<'_>], at: usize) -> Option<(f64, usize)> {
    let one = |word: &str| -> Option<f64> {
        let word = word.to_lowercase();
        match word.split_once('-') {
            Some((tens, ones)) => {
                let tens = worth(NUMBER_WORDS, tens).filter(|tens| (20.0..100.0).contains(tens))?;
                let ones = if ones == "one" { Some(1.0) } else { worth(NUMBER_WORDS, ones) };
                Some(tens + ones.filter(|ones| *ones < 10.0)?)
            }
            None => worth(NUMBER_WORDS, &word),
        }
    };
    let word = tokens.get(at)?.word()?;
    let next = tokens.get(at + 1).and_then(Token::word);
    // `One run` is a run; `one layer` is a count.
    if ["one", "single"].contains(&word.to_lowercase().as_str()) {
        return next.filter(|noun| COUNTED.contains(noun)).map(|_| (1.0, 1));
    }
    let first = one(word)?;
    match next.map(str::to_lowercase).as_deref() {
        Some("hundred") if first < 100.0 => Some((first * 100.0, 2)),
        _ => Some((first, 1)),
    }
}

fn readings(values: &[f64], decimals: i32, unit: &Unit, hedge: Hedge) -> Vec<Reading> {
    let mut readings = Vec::new();
    for value in values {
        for (quantity, worth) in &unit.is {
            let value = value * worth;
            // A whole number of things is that number; anything else is rounded.
            let exact = *quantity == Quantity::Count && *worth == 1.0 && decimals == 0;
            let mut off = if exact { 0.0 } else { 0.5 * worth * 10_f64.powi(-decimals) };
            if *quantity == Quantity::PerSecond && value >= 1000.0 {
                off = off.max(value * 0.005);
            }
            off = off * 1.001 + value.abs() * 1e-9;
            let (below, above) = match hedge {
                Hedge::No => (off, off),
                Hedge::Roughly => (off.max(value * ROUGH), off.max(value * ROUGH)),
                Hedge::Over => (off, off.max(value * BEYOND)),
                // `<0.1%` represents anything down to nothing.
                Hedge::Under if value < worth * 1.0 => (value, off),
                Hedge::Under => (off.max(value * BEYOND), off),
            };
            readings.push(Reading { quantity: *quantity, value, below, above });
        }
    }
    readings
}

/// Whether a number is one of several with signs of multiplication between them: `1×3×640×640`.
fn is_of_shape(tokens: &[Token<'_>], at: usize) -> bool {
    let is_sign = |at: usize| tokens.get(at).is_some_and(|token| token.is_mark(&['×']));
    let before = at
        .checked_sub(2)
        .is_some_and(|first| is_sign(at - 1) && !matches!(tokens[first], Token::Mark(_)));
    let behind =
        is_sign(at + 1) && matches!(tokens.get(at + 2), Some(Token::Number(_) | Token::Word(_)));
    before || behind
}

/// Words that a clause ends at.
const ENDS: &[&str] = &["and", "but", "or", "while", "with", "und", "et"];
/// How far a noun may be from its number, behind it and before it.
const REACH: (usize, usize) = (4, 5);

/// The noun that a number is next to: behind it, else before it, in its own clause.
fn noun(tokens: &[Token<'_>], start: usize, end: usize, unit: &Unit) -> Option<String> {
    let bytes = unit.is.iter().any(|(quantity, _)| *quantity == Quantity::Bytes);
    let named = |token: &Token<'_>| -> Option<Option<String>> {
        match token {
            Token::Word(word) => {
                let word = word.to_lowercase();
                if ENDS.contains(&word.as_str()) {
                    return None;
                }
                Some(is_noun(&word, bytes).then_some(word))
            }
            Token::Mark('-' | '×' | '(' | ')' | '/' | '–') | Token::Number(_) => Some(None),
            Token::Mark(_) => None,
        }
    };
    let behind = tokens[end..].iter().take(REACH.0).map_while(named).flatten().next();
    behind.or_else(|| tokens[..start].iter().rev().take(REACH.1).map_while(named).flatten().next())
}

fn written(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Word(word) | Token::Number(word) => {
                if !text.is_empty() && !text.ends_with('/') {
                    text.push(' ');
                }
                text.push_str(word);
            }
            Token::Mark(mark) => text.push(*mark),
        }
    }
    text
}
