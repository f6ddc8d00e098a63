//! The weights' section: what reading every element showed. Only there when it was asked for.

use calipers_ir::DType;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the stored tensors hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Weights {
    /// Tensors that were read.
    pub tensors: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Tensors that could not be read.
    pub unread: u64,
    /// The first of those, each with the reason.
    pub unread_tensors: Vec<UnreadTensor>,
    /// Learned elements that were read; the counts below are among these.
    pub elements: u64,
    /// NaN elements.
    pub nan: u64,
    /// Infinities.
    pub infinite: u64,
    /// Elements too small for a full mantissa in their type.
    pub subnormal: u64,
    /// Zeros.
    pub zeros: u64,
    /// Share of zeros, in percent, to two decimals.
    pub sparsity_percent: f64,
    /// Output channels of layers that are zero throughout.
    pub dead_channels: u64,
    /// Bytes that are stored a second time.
    pub duplicate_bytes: u64,
    /// Bytes of float32 tensors whose every element is the same in half precision.
    pub fits_float16_bytes: u64,
    /// The same for bfloat16.
    pub fits_bfloat16_bytes: u64,
    /// The range of each learned tensor, in the file's order; the first ones where there are many.
    pub ranges: Vec<TensorRange>,
}

/// A tensor that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct UnreadTensor {
    /// The tensor.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// What the elements of one tensor are like. Figures are of its finite elements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TensorRange {
    /// The tensor.
    pub name: String,
    /// Type of its elements.
    pub dtype: DType,
    /// Its dimensions.
    pub shape: Vec<i64>,
    /// The least element.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub std: f64,
    /// Standard deviations from the mean to the farthest element.
    pub max_abs_z_score: f64,
    /// Share of zeros, in percent, to two decimals.
    pub sparsity_percent: f64,
    /// Output channels that are zero throughout.
    #[serde(default, skip_serializing_if = "is_none")]
    pub dead_channels: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}
