//! The stored weights, compared element by element.

use calipers_ir::DType;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::names;

/// How the weights of two models differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WeightChanges {
    /// How the weights of the second model come from those of the first.
    pub relation: WeightRelation,
    /// Why, as a sentence.
    pub why: String,
    /// Pairs of tensors that were compared.
    pub compared: u64,
    /// Pairs whose every element is the same.
    pub identical: u64,
    /// Pairs that differ.
    pub different: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// The compared elements of learned tensors as one tensor; null where nothing was compared.
    pub total: Option<TensorDifference>,
    /// Pairs that differ, the largest relative difference first; the first ones where there are
    /// many.
    pub tensors: Vec<TensorChange>,
    /// The difference along the depth of the network, from input to output.
    pub by_depth: Vec<DepthChange>,
    /// Pairs that could not be compared.
    pub not_compared: u64,
    /// The first of those, each with the reason.
    pub uncompared_tensors: Vec<UncomparedTensor>,
    /// Learned tensors that only one model has: first model, second model.
    pub unmatched: (u64, u64),
}

names! {
    /// How the weights of one model come from those of another.
    pub enum WeightRelation default Unknown {
        FineTuned = "fine-tuned" => "fine-tuned",
        Identical = "identical" => "identical",
        Partial = "partly-changed" => "partly changed",
        Quantized = "quantized" => "quantized",
        Rounded = "rounded" => "rounded to another type",
        Unknown = "unknown" => "not known",
        Unrelated = "unrelated" => "trained apart",
    }
}

/// How far two tensors are apart. Elements that are not finite on either side are left
/// out and counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TensorDifference {
    /// Elements compared.
    pub elements: u64,
    /// Elements that differ.
    pub different: u64,
    /// The largest absolute difference; null where no element is finite in both.
    pub max_abs: Option<f64>,
    /// The mean absolute difference; null where no element is finite in both, or beyond the range of
    /// doubles.
    pub mean_abs: Option<f64>,
    /// The norm of the difference over the norm of the first; null where the first is all zeros.
    pub relative_norm: Option<f64>,
    /// The cosine of the angle between them; null where one is all zeros.
    pub cosine: Option<f64>,
    /// Signal to noise in dB: the first over the difference; null where they are the same or the
    /// first is all zeros.
    pub snr_db: Option<f64>,
    /// Elements whose sign is the opposite one.
    pub sign_flips: u64,
    /// Elements that are not finite in one of the two.
    pub not_finite: u64,
}

/// A pair of tensors that differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TensorChange {
    /// The tensor of the first model.
    pub a: String,
    /// The tensor of the second model.
    pub b: String,
    /// The node that reads it, by its name in the first model.
    pub node: String,
    /// Its type in the first model.
    pub dtype_a: DType,
    /// Its type in the second model.
    pub dtype_b: DType,
    /// Its dimensions, as they were compared.
    pub shape: Vec<i64>,
    /// What was done to compare them: `dequantized per channel`, `unpacked int4`; empty for nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub through: String,
    /// How far they are apart.
    #[serde(flatten)]
    pub difference: TensorDifference,
}

/// The difference in one part of the depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DepthChange {
    /// Where it begins, in percent of the depth.
    pub from_percent: f64,
    /// Tensors in it.
    pub tensors: u64,
    /// The norm of the difference over the norm of the first; null without compared weights.
    pub relative_norm: Option<f64>,
}

/// A pair of tensors that could not be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct UncomparedTensor {
    /// The tensor of the first model.
    pub a: String,
    /// The tensor of the second model.
    pub b: String,
    /// Why.
    pub reason: String,
}
