//! Figures as the result of a gate shows them.

use std::cmp::Ordering;

use calipers_report::quantities::Decimal;
use calipers_report::{FigureChange, FigureKind, Measure, Quantity, units};

use super::{Bound, Figure, Operator};

/// A number: exact where its decimals are in range, else the float.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) exact: Option<Decimal>,
    pub(super) float: f64,
}

impl Value {
    /// Returns a figure's number; `None` for words and for what is not finite.
    pub(super) fn new(quantity: &Quantity) -> Option<Self> {
        let float = quantity.number().filter(|number| number.is_finite())?;
        let exact = match quantity {
            Quantity::Integer(value) => Some(Decimal::from(*value)),
            _ => Decimal::from_float(float),
        };
        Some(Self { exact, float })
    }

    pub(super) fn compare(self, other: Self) -> Ordering {
        let exact = self.exact.zip(other.exact).and_then(|(one, other)| one.compare(other));
        exact.unwrap_or_else(|| self.float.total_cmp(&other.float))
    }

    /// Returns the number plus another one.
    pub(super) fn plus(self, offset: Decimal) -> Self {
        let exact = self.exact.and_then(|value| value.plus(offset));
        Self { exact, float: exact.map_or(self.float + offset.to_float(), Decimal::to_float) }
    }

    /// Returns the number plus a percentage of its absolute value.
    pub(super) fn plus_percent(self, percent: Decimal) -> Self {
        let exact = self.exact.and_then(|value| match value.is_negative() {
            true => value.negated().plus_percent(percent.negated()).map(Decimal::negated),
            false => value.plus_percent(percent),
        });
        let float = self.float + self.float.abs() * percent.to_float() / 100.0;
        Self { exact, float: exact.map_or(float, Decimal::to_float) }
    }
}

impl From<Decimal> for Value {
    fn from(exact: Decimal) -> Self {
        Self { exact: Some(exact), float: exact.to_float() }
    }
}

/// How numbers of one sentence are shown.
#[derive(Clone, Copy)]
pub(super) struct Style {
    measure: Measure,
    /// Whether every digit is shown, since numbers that differ look the same without.
    pub(super) every_digit: bool,
}

impl Style {
    /// Returns the style that shows two different numbers as different.
    pub(super) fn new(measure: Measure, one: Value, other: Value) -> Self {
        let short = Self { measure, every_digit: false };
        let alike = short.shown(one) == short.shown(other);
        Self { measure, every_digit: alike && one.compare(other).is_ne() }
    }

    /// Returns a number with its unit.
    pub(super) fn shown(self, value: Value) -> String {
        if value.float < 0.0 {
            let exact = value.exact.map(Decimal::absolute);
            return format!("-{}", self.shown(Value { exact, float: -value.float }));
        }
        let digits = || value.exact.map_or_else(|| value.float.to_string(), |it| it.to_string());
        let rounded = value.exact.and_then(Decimal::rounded);
        match (self.measure, rounded) {
            (Measure::Bytes, Some(bytes)) if !self.every_digit => units::bytes(bytes),
            (Measure::Bytes, _) => format!("{} bytes", digits()),
            (Measure::Operations, Some(count)) if !self.every_digit => units::magnitude(count),
            (Measure::Milliseconds, _) if value.float == 0.0 => "0 ms".to_owned(),
            (Measure::Milliseconds, _) if !self.every_digit => units::time(value.float),
            (Measure::Milliseconds, _) => format!("{} ms", digits()),
            (Measure::Percent, _) if !self.every_digit => format!("{}%", short(value.float, 2)),
            (Measure::Percent, _) => format!("{}%", digits()),
            (Measure::Number, _) if !self.every_digit => short(value.float, 4),
            _ => digits(),
        }
    }
}

/// A number with some decimals at most.
fn short(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The name of a figure in a sentence, and its verb.
pub(super) fn subject(figure: &Figure, change: Option<&FigureChange>) -> (String, &'static str) {
    let label = change.map(|change| change.label.as_str()).filter(|label| !label.is_empty());
    let name = match (figure.kind, &figure.subject) {
        (FigureKind::BytesByType, Some(dtype)) => format!("Weights in {dtype}"),
        (FigureKind::Weights, _) => "Weights in total".to_owned(),
        (_, _) if label.is_some() => label.unwrap_or_default().to_owned(),
        (FigureKind::Metric, Some(metric)) => metric.clone(),
        (kind, Some(device)) => format!("{} on {device}", kind.display_name()),
        (kind, None) => kind.display_name().to_owned(),
    };
    let is_plural = matches!(
        figure.kind,
        FigureKind::BytesByType
            | FigureKind::Coverage
            | FigureKind::Macs
            | FigureKind::Moved
            | FigureKind::Nodes
            | FigureKind::OtherFlops
            | FigureKind::Parameters
            | FigureKind::Weights
    );
    (name, if is_plural { "are" } else { "is" })
}

/// What a gate allows: `at most 4.29 G (+5%) are allowed`.
pub(super) fn limit(
    operator: Operator,
    limit: Value,
    bound: &Bound,
    style: Style,
    verb: &str,
) -> String {
    let change = match bound {
        Bound::Percent(percent) => format!(" ({}%)", signed(*percent, &percent.to_string())),
        Bound::Offset(offset) => {
            let size = Value::from(offset.absolute());
            let text = match style.measure {
                Measure::Percent => format!("{} points", offset.absolute()),
                _ => Style { every_digit: false, ..style }.shown(size),
            };
            let minus = if offset.is_negative() { "-" } else { "" };
            format!(" ({})", signed(*offset, &format!("{minus}{text}")))
        }
        Bound::Same => match operator {
            Operator::NotEqual => return "a change is required".to_owned(),
            _ => return "no change is allowed".to_owned(),
        },
        Bound::Value { .. } | Bound::Words { .. } => String::new(),
    };
    let limit = style.shown(limit);
    match operator {
        Operator::AtMost => format!("at most {limit}{change} {verb} allowed"),
        Operator::Below => format!("less than {limit}{change} {verb} allowed"),
        Operator::AtLeast => format!("at least {limit}{change} {verb} required"),
        Operator::Above => format!("more than {limit}{change} {verb} required"),
        Operator::Equal => format!("exactly {limit}{change} {verb} required"),
        Operator::NotEqual => format!("{limit}{change} {verb} not allowed"),
    }
}

fn signed(value: Decimal, text: &str) -> String {
    if value.is_negative() { text.to_owned() } else { format!("+{text}") }
}

/// How a value differs from the baseline: `, 10% more than 4.09 G`.
pub(super) fn difference(b: Value, a: Value, measure: Measure) -> String {
    let style = Style::new(measure, b, a);
    let more = match b.compare(a) {
        Ordering::Equal => return ", as in the baseline".to_owned(),
        Ordering::Greater => "more",
        Ordering::Less => "less",
    };
    let before = style.shown(a);
    let percent = (b.float - a.float).abs() / a.float.abs() * 100.0;
    match percent {
        // The baseline is 0.
        percent if !percent.is_finite() => format!(", {more} than {before}"),
        percent if percent < 0.05 => format!(", less than 0.1% {more} than {before}"),
        percent if percent < 1000.0 => format!(", {}% {more} than {before}", short(percent, 1)),
        percent => format!(", {} times {before}", units::ratio(percent / 100.0 + 1.0)),
    }
}
