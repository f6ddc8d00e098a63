//! Figures side by side.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Range;
use crate::names::names;

/// One figure of both models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FigureChange {
    /// Its id, as gates name it: `macs`, `latency@l4`, `bytes:float32`.
    pub name: String,
    /// Its name for people: `MACs`, `Latency on L4`.
    pub label: String,
    /// What is measured, which gates and formats go by.
    pub kind: FigureKind,
    /// Its unit.
    pub measure: Measure,
    /// Its value in the first model; null when it is not known or does not apply.
    pub a: Option<Quantity>,
    /// Its value in the second model.
    pub b: Option<Quantity>,
    /// The second less the first; null for words, and where the two cannot be compared.
    pub delta: Option<Difference>,
    /// The difference in percent of the first; null where the first is 0 or not known.
    pub percent: Option<f64>,
    /// Whether it got better or worse; null where neither applies.
    pub direction: Option<Direction>,
    /// Whether the difference is smaller than the error of the estimates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub within_error: bool,
    /// The range of the estimate in the first model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_a: Option<Range>,
    /// The range of the estimate in the second model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_b: Option<Range>,
    /// What qualifies it: why it is not known, or what it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl FigureChange {
    /// What the note of a figure says where the models were measured at other input sizes, so that
    /// the two values cannot be compared.
    pub const SIZES_DIFFER: &str = "the input sizes differ";

    /// Returns why the two values cannot be compared although both are known.
    pub fn incomparable(&self) -> Option<&str> {
        let note = self.note.as_deref();
        let of_other_sizes = note.is_some_and(|note| note.contains(Self::SIZES_DIFFER));
        let numbers = [&self.a, &self.b].map(|side| side.as_ref().and_then(Quantity::number));
        let is_without_difference = self.delta.is_none() && numbers.iter().all(Option::is_some);
        (of_other_sizes || is_without_difference).then(|| note.unwrap_or("the reason is not known"))
    }
}

names! {
    /// What a figure measures. Gates name it by its id.
    pub enum FigureKind default Parameters {
        BytesByType = "bytes" => "Weights",
        Coverage = "quantized-weights" => "Quantized weights",
        Depth = "depth" => "Depth",
        Family = "family" => "Family",
        FileSize = "file-size" => "File size",
        KvCache = "kv-cache" => "KV cache",
        KvCachePerToken = "kv-cache-per-token" => "KV cache per token",
        Latency = "latency" => "Latency",
        Macs = "macs" => "MACs",
        Memory = "memory" => "Memory",
        Metric = "metric" => "Metric",
        Moved = "bytes-moved" => "Bytes moved",
        Nodes = "nodes" => "Nodes",
        OtherFlops = "other-flops" => "Other FLOPs",
        Parameters = "parameters" => "Parameters",
        Peak = "peak-activation" => "Peak activation memory",
        Precision = "precision" => "Precision",
        Quantization = "quantization" => "Quantization",
        Task = "task" => "Task",
        Weights = "weights" => "Weights, total",
    }
}

impl FigureKind {
    /// Returns the unit of the figure. A metric is a number; a comparison may state it in percent.
    pub const fn measure(self) -> Measure {
        match self {
            Self::BytesByType
            | Self::FileSize
            | Self::KvCache
            | Self::KvCachePerToken
            | Self::Memory
            | Self::Moved
            | Self::Peak
            | Self::Weights => Measure::Bytes,
            Self::Coverage => Measure::Percent,
            Self::Depth | Self::Nodes | Self::Parameters => Measure::Count,
            Self::Family | Self::Precision | Self::Quantization | Self::Task => Measure::Words,
            Self::Latency => Measure::Milliseconds,
            Self::Macs | Self::OtherFlops => Measure::Operations,
            Self::Metric => Measure::Number,
        }
    }
}

names! {
    /// The unit of a figure.
    pub enum Measure default Count {
        Bytes = "bytes" => "bytes",
        Count = "count" => "count",
        Milliseconds = "ms" => "ms",
        Number = "number" => "number",
        Operations = "operations" => "operations",
        Percent = "percent" => "percent",
        Words = "words" => "words",
    }
}

names! {
    /// Which way a figure changed.
    pub enum Direction default Same {
        Better = "better" => "better",
        Same = "same" => "same",
        Worse = "worse" => "worse",
    }
}

/// A value of a figure: a whole number, a number, or words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Quantity {
    /// A whole number.
    Integer(u64),
    /// Another number.
    Number(f64),
    /// Words, such as a family.
    Words(String),
}

impl Quantity {
    /// Returns the number, where it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "for ratios and charts")]
            Self::Integer(value) => Some(*value as f64),
            Self::Number(value) => Some(*value),
            Self::Words(_) => None,
        }
    }
}

/// A difference of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Difference {
    /// Of whole numbers.
    Integer(i64),
    /// Of other numbers.
    Number(f64),
}
