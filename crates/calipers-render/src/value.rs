//! What a cell, or a piece of a sentence, holds: a typed value that each format writes in its way.

use calipers_report::{Dimension, Range, ValueKind, ValueShape};

use crate::table::{Zero, dimension};
use crate::units;

/// How a piece of text looks, where the format can show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// What the eye should find first.
    Strong,
    /// What qualifies something else.
    Quiet,
    /// A remark in italics; on a terminal as [`Tone::Quiet`].
    Emphasis,
    /// What is missing, or worth a look.
    Warning,
    /// What is wrong.
    Error,
    /// A piece of a chart.
    Accent,
}

/// What an operation count counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Multiply-accumulates.
    Macs,
    /// Floating-point operations.
    Flops,
}

impl Operation {
    /// `MACs` or `FLOPs`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Macs => "MACs",
            Self::Flops => "FLOPs",
        }
    }
}

/// A typed value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// Nothing to say.
    #[default]
    Blank,
    /// Words of ours.
    Text(String),
    /// A name out of the model, such as a node's; code where the format has it.
    Name(String),
    /// Words out of the model or of a file, as prose.
    Prose(String),
    /// A sentence of ours that quotes names between backticks.
    Quoted(String),
    /// Yes or no.
    Flag(bool),
    /// A whole number, with every digit.
    Integer(u64),
    /// A whole number that may be below zero.
    Signed(i64),
    /// A count in short: `22.57 M`.
    Count(u64),
    /// A count with every digit and in short: `22,565,376 (22.57 M)`.
    LongCount(u64),
    /// Operations in a column whose heading names the unit: `22.95 G`.
    Magnitude(u64),
    /// Operations: `22.95 GMACs`.
    Operations(u64, Operation),
    /// Operations in short and with every digit: `22.95 GMACs (22,949,658,624)`; none are `none`.
    LongOperations(u64, Operation),
    /// Bytes: `26.45 kB`.
    Bytes(u64),
    /// Bytes in short and to the last one: `26.45 kB (26,454 bytes)`.
    LongBytes(u64),
    /// Bytes in gigabytes, as memory that is needed: `0.68 GB`.
    Gigabytes(u64),
    /// Bytes as the capacity of a device: `24 GB`.
    Capacity(u64),
    /// A figure as a table of devices states it.
    Decimal(f64),
    /// An element of a tensor, to four decimals.
    Element(f64),
    /// A ratio.
    Ratio(f64),
    /// A share of 100.
    Percent(f64),
    /// A time.
    Milliseconds(f64),
    /// A time with its range.
    Range(Range),
    /// How many a second.
    Rate(f64),
    /// Whether it fits a memory, and how much of it.
    Fit(Fit),
    /// Types of several values; `None` where an optional one is left out.
    Types(Vec<Option<ValueShape>>),
    /// A shape.
    Shape(Vec<Dimension>),
    /// A formula in free dimensions.
    Formula(String),
    /// A name at a depth of a tree; the rows before and after it complete the tree.
    Tree {
        /// How deep it lies; the root is at 0.
        depth: u64,
        /// The name.
        name: String,
    },
    /// A name that leads to another document.
    Link {
        /// The name.
        name: String,
        /// Where it leads, relative to the document.
        address: String,
    },
    /// The name of a heading of the same document, which leads to it.
    Anchor(String),
    /// The length of a bar, to the scale of the longest one of its column; only terminals draw it.
    Bar(u64),
    /// A figure over time; only terminals draw it.
    Timeline(Vec<u64>),
    /// Several values as one sentence.
    Spans(Spans),
    /// A figure that is not known, with the reason where there is one.
    Missing(Option<String>),
    /// A lower bound.
    AtLeast(Box<Value>),
    /// What only programs read.
    Hidden(Box<Value>),
}

/// How much memory is needed, of how much.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// Whether it fits; `None` where that is not known.
    pub fits: Option<bool>,
    /// Whether it fits only as long as the runtime overhead stays low.
    pub is_tight: bool,
    /// Bytes needed.
    pub needed: Option<u64>,
    /// Bytes that the device has.
    pub capacity: Option<u64>,
}

impl Value {
    /// Words of ours.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A name out of the model.
    pub fn name(name: impl Into<String>) -> Self {
        Self::Name(name.into())
    }

    /// Words out of the model.
    pub fn prose(prose: impl Into<String>) -> Self {
        Self::Prose(prose.into())
    }

    /// A sentence of ours that quotes names.
    pub fn quoted(sentence: impl Into<String>) -> Self {
        Self::Quoted(sentence.into())
    }

    /// The value, or nothing.
    pub fn optional<T>(value: Option<T>, set: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Blank, set)
    }

    /// The value, or that it is not known.
    pub fn known<T>(value: Option<T>, set: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Missing(None), set)
    }

    /// Whether people see nothing of it, in a column that shows zero in this way.
    pub(crate) fn is_blank(&self, zero: Zero) -> bool {
        match self {
            Self::Blank | Self::Hidden(_) | Self::Bar(_) => true,
            Self::Timeline(steps) => steps.is_empty(),
            Self::Text(text) | Self::Name(text) | Self::Prose(text) | Self::Quoted(text) => {
                text.is_empty()
            }
            Self::Types(types) => types.is_empty(),
            Self::Spans(spans) => spans.is_empty(),
            other => zero == Zero::Blank && other.is_zero(),
        }
    }

    /// Whether it is a figure, and zero.
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Self::Integer(value)
            | Self::Count(value)
            | Self::LongCount(value)
            | Self::Magnitude(value)
            | Self::Bytes(value) => *value == 0,
            Self::Ratio(value) | Self::Percent(value) => *value <= 0.0,
            _ => false,
        }
    }

    /// A figure as people read it; `None` for what is no figure. The text is ours, and needs no
    /// escape in any format.
    pub(crate) fn figure(&self) -> Option<String> {
        Some(match self {
            Self::Flag(true) => "yes".to_owned(),
            Self::Flag(false) => "no".to_owned(),
            Self::Integer(value) => units::integer(*value),
            Self::Signed(value) => value.to_string(),
            Self::Count(value) => units::count(*value),
            Self::LongCount(value @ 0..1000) => units::integer(*value),
            Self::LongCount(value) => {
                format!("{} ({})", units::integer(*value), units::count(*value))
            }
            Self::Magnitude(value) => units::magnitude(*value),
            Self::Operations(value, unit) => units::operations(*value, unit.name()),
            Self::LongOperations(0, _) => "none".to_owned(),
            Self::LongOperations(value @ 1..1000, unit) => units::operations(*value, unit.name()),
            Self::LongOperations(value, unit) => {
                format!("{} ({})", units::operations(*value, unit.name()), units::integer(*value))
            }
            Self::Bytes(value) => units::bytes(*value),
            Self::LongBytes(value @ 0..1000) => units::exact_bytes(*value),
            Self::LongBytes(value) => {
                format!("{} ({})", units::bytes(*value), units::exact_bytes(*value))
            }
            Self::Gigabytes(value) => units::gigabytes(*value),
            Self::Capacity(value) => units::capacity(*value),
            Self::Decimal(value) => units::decimal(*value),
            Self::Element(value) => format!("{value:.4}"),
            Self::Ratio(value) => units::ratio(*value),
            Self::Percent(value) => units::percent(*value),
            Self::Milliseconds(value) => units::time(*value),
            Self::Range(span) => units::time_range(span.low, span.expected, span.high),
            Self::Rate(value) => units::rate(*value),
            _ => return None,
        })
    }

    /// What a program reads.
    pub(crate) fn data(&self) -> Datum {
        match self {
            // The formula has a column of its own.
            Self::Blank | Self::Missing(_) | Self::Formula(_) | Self::Timeline(_) => Datum::Null,
            Self::Text(text)
            | Self::Name(text)
            | Self::Prose(text)
            | Self::Quoted(text)
            | Self::Anchor(text)
            | Self::Link { name: text, .. }
            | Self::Tree { name: text, .. } => Datum::Text(text.clone()),
            Self::Flag(value) => Datum::Flag(*value),
            Self::Integer(value)
            | Self::Count(value)
            | Self::LongCount(value)
            | Self::Magnitude(value)
            | Self::Operations(value, _)
            | Self::LongOperations(value, _)
            | Self::Bytes(value)
            | Self::LongBytes(value)
            | Self::Gigabytes(value)
            | Self::Capacity(value)
            | Self::Bar(value) => Datum::Integer(i128::from(*value)),
            Self::Signed(value) => Datum::Integer(i128::from(*value)),
            Self::Decimal(value)
            | Self::Element(value)
            | Self::Ratio(value)
            | Self::Percent(value)
            | Self::Milliseconds(value)
            | Self::Rate(value) => Datum::float(*value),
            Self::Range(span) => Datum::float(span.expected),
            Self::Fit(fit) => fit.fits.map_or(Datum::Null, Datum::Flag),
            Self::Types(types) => Datum::Text(
                types
                    .iter()
                    .map(|value| value.as_ref().map(type_text).unwrap_or_default())
                    .collect::<Vec<_>>()
                    .join("; "),
            ),
            Self::Shape(dims) => Datum::Text(shape_text(dims)),
            Self::AtLeast(value) | Self::Hidden(value) => value.data(),
            Self::Spans(spans) => Datum::Text(spans.data_text()),
        }
    }
}

/// A value as programs read it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Datum {
    Null,
    Flag(bool),
    Integer(i128),
    Float(f64),
    Text(String),
}

impl Datum {
    /// A number, where it is one.
    fn float(value: f64) -> Self {
        if value.is_finite() { Self::Float(value) } else { Self::Null }
    }
}

fn shape_text(dims: &[Dimension]) -> String {
    format!("[{}]", dims.iter().map(dimension).collect::<Vec<_>>().join(", "))
}

/// A type with its shape, as programs read it: `float32[1, 3, 224, 224]`.
fn type_text(value: &ValueShape) -> String {
    let dtype = value.dtype.map_or("?".to_owned(), |dtype| dtype.to_string());
    let shape = value.shape.as_deref().map(shape_text).unwrap_or_default();
    match value.kind {
        None => format!("{dtype}{shape}"),
        Some(kind @ (ValueKind::Map | ValueKind::Opaque | ValueKind::Unknown)) => {
            kind.id().to_owned()
        }
        Some(kind) => format!("{}({dtype}{shape})", kind.id()),
    }
}

/// The type of a value without its shape: `float32`, `sequence(float32)`.
pub(crate) fn dtype_text(value: &ValueShape) -> String {
    let dtype = value.dtype.map_or("?".to_owned(), |dtype| dtype.to_string());
    match value.kind {
        None => dtype,
        Some(kind @ (ValueKind::Map | ValueKind::Opaque | ValueKind::Unknown)) => {
            kind.id().to_owned()
        }
        Some(kind) => format!("{}({dtype})", kind.id()),
    }
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// What it says.
    pub value: Value,
    /// How it looks.
    pub tone: Tone,
}

/// A sentence, or a line, in pieces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spans(pub Vec<Span>);

impl Spans {
    /// One piece.
    pub fn toned(tone: Tone, value: Value) -> Self {
        Self(vec![Span { value, tone }])
    }

    /// Plain words of ours.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::toned(Tone::Plain, Value::text(text))
    }

    /// Quiet words of ours.
    pub fn quiet(text: impl Into<String>) -> Self {
        Self::toned(Tone::Quiet, Value::text(text))
    }

    /// These pieces with one more.
    #[must_use]
    pub fn and(mut self, tone: Tone, value: Value) -> Self {
        self.0.push(Span { value, tone });
        self
    }

    /// These pieces with plain words of ours.
    #[must_use]
    pub fn and_text(self, text: impl Into<String>) -> Self {
        self.and(Tone::Plain, Value::text(text))
    }

    /// These pieces with quiet words of ours.
    #[must_use]
    pub fn and_quiet(self, text: impl Into<String>) -> Self {
        self.and(Tone::Quiet, Value::text(text))
    }

    /// These pieces with a plain value.
    #[must_use]
    pub fn and_value(self, value: Value) -> Self {
        self.and(Tone::Plain, value)
    }

    /// These pieces with others.
    #[must_use]
    pub fn and_all(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Several sentences as one, with words of ours between them.
    pub fn joined(parts: impl IntoIterator<Item = Self>, separator: &str) -> Self {
        let mut joined = Self::default();
        for (i, part) in parts.into_iter().enumerate() {
            if i > 0 {
                joined = joined.and_text(separator);
            }
            joined = joined.and_all(part);
        }
        joined
    }

    /// The pieces as programs read them, one after another.
    fn data_text(&self) -> String {
        let text = |span: &Span| match span.value.data() {
            Datum::Null => String::new(),
            Datum::Flag(value) => value.to_string(),
            Datum::Integer(value) => value.to_string(),
            Datum::Float(value) => value.to_string(),
            Datum::Text(text) => text,
        };
        self.0.iter().map(text).collect()
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|span| span.value.is_blank(Zero::Shown))
    }
}

impl From<Spans> for Value {
    fn from(spans: Spans) -> Self {
        Self::Spans(spans)
    }
}

impl From<Value> for Spans {
    fn from(value: Value) -> Self {
        Self::toned(Tone::Plain, value)
    }
}

impl From<String> for Spans {
    fn from(text: String) -> Self {
        Self::plain(text)
    }
}

impl From<&str> for Spans {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

/// A formula in free dimensions; `None` where the figure is a number.
pub(crate) fn free_formula(text: Option<&String>) -> Option<Value> {
    let is_free =
        |text: &&String| text.contains(char::is_alphabetic) && !text.starts_with("undefined");
    text.filter(is_free).cloned().map(Value::Formula)
}
