//! Parses expressions.

use std::ops::Range;

use calipers_report::quantities::{self, Decimal, NumberError};
use calipers_report::suggestions::{nearest, shortened};
use calipers_report::{Family, FigureKind, Measure, Scheme, TaskKind};

use super::{Bound, Condition, Figure, GateError, Operator, figure, statement};

/// The most bytes of an expression.
const MAX_BYTES: usize = 400;

/// The largest change in percent, and its most decimals: products with any figure are exact.
const MAX_PERCENT: u64 = 1_000_000_000;
const MAX_PERCENT_DECIMALS: u32 = 6;

/// The characters of operators.
const OPERATOR_CHARS: [char; 7] = ['<', '>', '=', '!', '≤', '≥', '≠'];

/// A part of an expression.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    whole: &'a str,
    pub(super) text: &'a str,
    start: usize,
}

impl<'a> Part<'a> {
    fn new(whole: &'a str) -> Self {
        Self { whole, text: whole, start: 0 }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    pub(super) fn trim(self) -> Self {
        let trimmed = self.text.trim_start();
        let start = self.start + (self.text.len() - trimmed.len());
        Self { text: trimmed.trim_end(), start, ..self }
    }

    /// The parts before and after a byte, which must be between characters.
    pub(super) fn split_at(self, byte: usize) -> (Self, Self) {
        let (before, after) = self.text.split_at_checked(byte).unwrap_or((self.text, ""));
        let after = Self { text: after, start: self.start + before.len(), ..self };
        (Self { text: before, ..self }, after)
    }

    /// The parts before and after the first of some characters, and that character.
    pub(super) fn split_once(self, separators: [char; 2]) -> Option<(Self, char, Self)> {
        let (at, c) = self.text.char_indices().find(|(_, c)| separators.contains(c))?;
        let (before, rest) = self.split_at(at);
        Some((before.trim(), c, rest.split_at(c.len_utf8()).1.trim()))
    }

    /// The words between spaces.
    pub(super) fn split_words(self) -> Vec<Self> {
        let mut words = Vec::new();
        let mut rest = self.trim();
        while !rest.text.is_empty() {
            let end = rest.text.find(char::is_whitespace).unwrap_or(rest.text.len());
            let (word, after) = rest.split_at(end);
            words.push(word);
            rest = after.trim();
        }
        words
    }

    /// The place after it.
    pub(super) fn end(self) -> Self {
        self.split_at(self.text.len()).1
    }

    pub(super) fn is(self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    pub(super) fn error(self, message: impl Into<String>, hint: Option<String>) -> GateError {
        let expression = self.whole.to_owned();
        GateError { expression, at: self.range(), message: message.into(), hint }
    }

    /// Its text for a message.
    pub(super) fn quoted(self) -> String {
        let printable = self.text.chars().map(super::error::printable).collect::<String>();
        format!("`{}`", shortened(&printable))
    }
}

pub(super) fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// Parses a whole expression.
pub(super) fn condition(text: &str, finding_ids: &[&str]) -> Result<Condition, GateError> {
    if text.len() > MAX_BYTES {
        let start = text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
        let message = format!("the expression is longer than {MAX_BYTES} bytes");
        return Err(Part::new(start).error(message, None));
    }
    let whole = Part::new(text);
    let unprintable = |c: char| !c.is_whitespace() && super::error::printable(c) != c;
    if let Some((at, c)) = text.char_indices().find(|(_, c)| unprintable(*c)) {
        let place = whole.split_at(at).1.split_at(c.len_utf8()).0;
        return Err(place.error("characters must be printable", None));
    }
    let whole = whole.trim();
    if whole.text.is_empty() {
        let hint = "write `macs <= +5%` or `no new error`".to_owned();
        return Err(whole.error("the gate is empty", Some(hint)));
    }
    match whole.text.find(OPERATOR_CHARS) {
        Some(at) => comparison(whole, at),
        None => statement::parse(whole, finding_ids),
    }
}

/// Parses `FIGURE OP BOUND`.
fn comparison(whole: Part<'_>, at: usize) -> Result<Condition, GateError> {
    let (left, rest) = whole.split_at(at);
    let end = rest.text.find(|c| !OPERATOR_CHARS.contains(&c)).unwrap_or(rest.text.len());
    let (sign, right) = rest.split_at(end);
    let (left, right) = (left.trim(), right.trim());
    if left.text.is_empty() {
        let message = format!("expected a figure before {}", sign.quoted());
        return Err(left.error(message, Some("write `macs <= +5%`".to_owned())));
    }
    let figure = figure::parse(left)?;
    let operator = operator(sign)?;
    if right.text.is_empty() {
        let message = format!("expected a bound after {}", sign.quoted());
        return Err(right.error(message, Some(example(figure.kind.measure()).to_owned())));
    }
    let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual);
    let measure = figure.kind.measure();
    if measure == Measure::Words && !is_equality {
        let message = format!("{} has no order", left.quoted());
        return Err(sign.error(message, Some("use `==` or `!=`".to_owned())));
    }
    let bound = if right.is("same") {
        if !is_equality {
            let message = format!("`same` takes `==` or `!=`, not {}", sign.quoted());
            let hint = format!("write `{} {} +0`", left.text, sign.text);
            return Err(right.error(message, Some(hint)));
        }
        Bound::Same
    } else if measure == Measure::Words {
        word(right, &figure)?
    } else {
        amount(right, &figure)?
    };
    Ok(Condition::Figure { figure, operator, bound })
}

fn operator(sign: Part<'_>) -> Result<Operator, GateError> {
    Ok(match sign.text {
        "<=" | "≤" => Operator::AtMost,
        "<" => Operator::Below,
        ">=" | "≥" => Operator::AtLeast,
        ">" => Operator::Above,
        "==" | "=" => Operator::Equal,
        "!=" | "≠" => Operator::NotEqual,
        other => {
            let meant = match other {
                "=<" => "did you mean `<=`?",
                "=>" => "did you mean `>=`?",
                "<>" | "!" => "did you mean `!=`?",
                _ => "use one of `<=`, `<`, `>=`, `>`, `==`, `!=`",
            };
            let message = format!("unknown operator {}", sign.quoted());
            return Err(sign.error(message, Some(meant.to_owned())));
        }
    })
}

/// A bound that suits a unit, for hints.
fn example(measure: Measure) -> &'static str {
    match measure {
        Measure::Bytes => "write a size such as `100MB` or a change such as `+5%`",
        Measure::Milliseconds => "write a time such as `20ms` or a change such as `+5%`",
        Measure::Operations => "write a number such as `4.3G` or a change such as `+5%`",
        Measure::Percent => "write a share such as `90%` or a change such as `-2`",
        Measure::Words => "write `same` or an id",
        _ => "write a number such as `25M` or a change such as `+5%`",
    }
}

/// Parses a number with its unit, or a change with its sign.
fn amount(right: Part<'_>, figure: &Figure) -> Result<Bound, GateError> {
    let measure = figure.kind.measure();
    let sign = right.text.chars().next().filter(|c| matches!(c, '+' | '-' | '−'));
    let unsigned = right.split_at(sign.map_or(0, char::len_utf8)).1.trim();
    let (number, rest) = Decimal::parse(unsigned.text).map_err(|error| match error {
        NumberError::Missing => {
            right.error(format!("{} is not a bound", right.quoted()), Some(example(measure).into()))
        }
        error => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || ['.', ',', '_'].contains(&c);
            let end = unsigned.text.find(|c| !is_part(c)).unwrap_or(unsigned.text.len());
            unsigned.split_at(end).0.error(error.to_string(), None)
        }
    })?;
    let unit = unsigned.split_at(unsigned.text.len() - rest.len()).1.trim();
    let is_negative = sign.is_some_and(|c| c != '+');
    let signed = |number: Decimal| if is_negative { number.negated() } else { number };
    if unit.text != "%" {
        let value = in_units(number, unsigned, unit, figure, sign.is_some())?;
        return Ok(match sign {
            Some(_) => Bound::Offset(signed(value)),
            None => Bound::Value { value, in_percent: false },
        });
    }
    if sign.is_none() {
        if matches!(measure, Measure::Percent | Measure::Number) {
            return Ok(Bound::Value { value: number, in_percent: true });
        }
        let hint = format!("write `+{}` for a change from the baseline", right.text);
        return Err(right.error("a change in percent needs a sign", Some(hint)));
    }
    let too_large = number.compare(Decimal::from(MAX_PERCENT)).is_none_or(|order| order.is_gt());
    if too_large || number.decimals() > MAX_PERCENT_DECIMALS {
        let message = format!(
            "a change must be at most {MAX_PERCENT}%, with {MAX_PERCENT_DECIMALS} decimals or fewer"
        );
        return Err(right.error(message, None));
    }
    if is_negative && number.compare(Decimal::from(100)).is_some_and(|order| order.is_gt()) {
        return Err(right.error("a figure cannot fall by more than 100%", None));
    }
    Ok(Bound::Percent(signed(number)))
}

/// Returns a number in the unit of the figure.
fn in_units(
    number: Decimal,
    unsigned: Part<'_>,
    unit: Part<'_>,
    figure: &Figure,
    is_change: bool,
) -> Result<Decimal, GateError> {
    let measure = figure.kind.measure();
    let out_of_range = |error: NumberError| unsigned.error(error.to_string(), None);
    let unknown = || {
        let message = format!("unknown unit {}", unit.quoted());
        let hint = match measure {
            Measure::Bytes => "use `kB`, `MB`, `GB`, `TB`, `KiB`, `MiB` or `GiB`",
            Measure::Milliseconds => "use `us`, `ms` or `s`",
            Measure::Count | Measure::Operations => "use `k`, `M`, `G` or `T`",
            Measure::Percent => "use `%`",
            _ => "a metric has no unit",
        };
        unit.error(message, Some(hint.to_owned()))
    };
    match measure {
        Measure::Bytes => {
            let factor = quantities::byte_unit(unit.text).ok_or_else(unknown)?;
            number.times(factor).map_err(out_of_range)
        }
        Measure::Milliseconds if unit.text.is_empty() && is_change && number == Decimal::ZERO => {
            Ok(number)
        }
        Measure::Milliseconds if unit.text.is_empty() => {
            let hint = format!("write `{}ms`", unsigned.text);
            Err(unsigned.error("a time must have a unit", Some(hint)))
        }
        Measure::Milliseconds => {
            quantities::milliseconds(number, unit.text).ok_or_else(unknown)?.map_err(out_of_range)
        }
        Measure::Count | Measure::Operations => {
            let prefix = without_noun(unit, figure.kind)?;
            let factor = quantities::count_unit(&prefix).ok_or_else(unknown)?;
            number.times(factor).map_err(out_of_range)
        }
        Measure::Percent if ["", "pp", "points"].iter().any(|word| unit.is(word)) => Ok(number),
        Measure::Number if unit.text.is_empty() => Ok(number),
        _ => Err(unknown()),
    }
}

/// Returns what precedes the noun of a unit: of `GMACs`, `g`.
fn without_noun(unit: Part<'_>, kind: FigureKind) -> Result<String, GateError> {
    let text = unit.text.to_ascii_lowercase();
    let nouns: &[&str] = match kind {
        FigureKind::Macs => &["macs", "mac"],
        FigureKind::OtherFlops => &["flops", "flop"],
        FigureKind::Parameters => &["parameters", "params"],
        FigureKind::Nodes => &["nodes", "node"],
        _ => &[],
    };
    if kind == FigureKind::Macs && text.ends_with("flops") {
        let hint = "a MAC is two FLOPs: write half the number in MACs".to_owned();
        return Err(unit.error("MACs are not counted in FLOPs", Some(hint)));
    }
    let prefix = nouns.iter().find_map(|noun| text.strip_suffix(noun)).unwrap_or(&text);
    Ok(prefix.trim().to_owned())
}

/// Parses an id of a family, task, quantization or precision.
fn word(right: Part<'_>, figure: &Figure) -> Result<Bound, GateError> {
    let id = figure::folded(right.text);
    let found = match figure.kind {
        FigureKind::Family => named(Family::ALL, &id, |it| it.id(), |it| it.display_name()),
        FigureKind::Task => named(TaskKind::ALL, &id, |it| it.id(), |it| it.display_name()),
        FigureKind::Quantization => match id.parse::<Scheme>() {
            Ok(scheme) => Ok((scheme.id().into_owned(), scheme.label().into_owned())),
            Err(_) => Err(nearest(&id, ["none", "mixed", "qdq-int8", "qoperator-int8"])),
        },
        _ => Ok((id.clone(), right.text.to_owned())),
    };
    let (id, display_name) = found.map_err(|near| {
        let kind = figure.kind.display_name().to_lowercase();
        let hint = near.map_or_else(|| "write `same` or an id".to_owned(), did_you_mean);
        right.error(format!("unknown {kind} {}", right.quoted()), Some(hint))
    })?;
    Ok(Bound::Words { id, display_name })
}

/// Finds a value by its id or its display name; the nearest id where none is found.
fn named<T: Copy>(
    all: &[T],
    id: &str,
    id_of: impl Fn(T) -> &'static str,
    display_name: impl Fn(T) -> &'static str,
) -> Result<(String, String), Option<&'static str>> {
    let found = all.iter().find(|it| id_of(**it) == id || figure::folded(display_name(**it)) == id);
    match found {
        Some(it) => Ok((id_of(*it).to_owned(), display_name(*it).to_owned())),
        None => Err(nearest(id, all.iter().map(|it| id_of(*it)))),
    }
}
