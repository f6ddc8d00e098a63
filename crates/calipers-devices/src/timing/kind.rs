//! Kinds of kernels.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::suggestions;

/// What a kernel computes, as far as its time depends on it.
///
/// ```
/// use calipers_devices::KernelKind;
///
/// assert_eq!("batch-norm".parse(), Ok(KernelKind::BatchNorm));
/// assert_eq!(KernelKind::BatchNorm.id(), "batch-norm");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelKind {
    /// Fused attention: two products and the softmax between them.
    Attention,
    /// A norm over batch and space.
    BatchNorm,
    /// A convolution over space.
    Conv,
    /// A copy in another order.
    Copy,
    /// A convolution of each channel by itself.
    Depthwise,
    /// A function of each element.
    Elementwise,
    /// A lookup of rows or elements.
    Gather,
    /// A matrix product.
    Gemm,
    /// A matrix product of so few rows that reading the weights dominates.
    Gemv,
    /// A convolution of groups of channels.
    Grouped,
    /// A norm over the last dimensions.
    LayerNorm,
    /// A convolution of single pixels: a matrix product in another layout.
    Pointwise,
    /// Pooling over space.
    Pool,
    /// Steps of a recurrent layer.
    Recurrent,
    /// A reduction.
    Reduce,
    /// A softmax.
    Softmax,
    /// A convolution of so few channels that matrix units are mostly empty.
    Stem,
    /// Anything else that runs.
    Other,
}

impl KernelKind {
    /// All kinds, sorted by id, `other` last.
    pub const ALL: [Self; 18] = [
        Self::Attention,
        Self::BatchNorm,
        Self::Conv,
        Self::Copy,
        Self::Depthwise,
        Self::Elementwise,
        Self::Gather,
        Self::Gemm,
        Self::Gemv,
        Self::Grouped,
        Self::LayerNorm,
        Self::Pointwise,
        Self::Pool,
        Self::Recurrent,
        Self::Reduce,
        Self::Softmax,
        Self::Stem,
        Self::Other,
    ];

    /// Returns the kind as the data files and the JSON output spell it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Attention => "attention",
            Self::BatchNorm => "batch-norm",
            Self::Conv => "conv",
            Self::Copy => "copy",
            Self::Depthwise => "depthwise",
            Self::Elementwise => "elementwise",
            Self::Gather => "gather",
            Self::Gemm => "gemm",
            Self::Gemv => "gemv",
            Self::Grouped => "grouped",
            Self::LayerNorm => "layer-norm",
            Self::Pointwise => "pointwise",
            Self::Pool => "pool",
            Self::Recurrent => "recurrent",
            Self::Reduce => "reduce",
            Self::Softmax => "softmax",
            Self::Stem => "stem",
            Self::Other => "other",
        }
    }

    /// Returns the kind whose timing model is used where this one has none.
    pub(super) fn substitute(self) -> Option<Self> {
        match self {
            Self::Grouped | Self::Pointwise | Self::Stem => Some(Self::Conv),
            Self::Gemv | Self::Recurrent => Some(Self::Gemm),
            Self::Other => Some(Self::Elementwise),
            Self::Attention
            | Self::BatchNorm
            | Self::Conv
            | Self::Copy
            | Self::Depthwise
            | Self::Elementwise
            | Self::Gather
            | Self::Gemm
            | Self::LayerNorm
            | Self::Pool
            | Self::Reduce
            | Self::Softmax => None,
        }
    }
}

impl fmt::Display for KernelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

/// A word that is not the id of a [`KernelKind`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kernel kind {word:?}; there are {}", KernelKind::ALL.map(KernelKind::id).join(", "))]
#[non_exhaustive]
pub struct UnknownKernelKind {
    /// What was given.
    pub word: String,
    /// The nearest kind, where one is near.
    pub near: Option<KernelKind>,
}

impl FromStr for KernelKind {
    type Err = UnknownKernelKind;

    fn from_str(word: &str) -> Result<Self, UnknownKernelKind> {
        let named = |id: &str| Self::ALL.into_iter().find(|kind| kind.id() == id);
        named(word).ok_or_else(|| UnknownKernelKind {
            word: suggestions::shortened(word),
            near: suggestions::nearest(word, Self::ALL.map(Self::id)).and_then(named),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_back_and_are_those_of_serde() {
        for kind in KernelKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
        assert!(KernelKind::ALL.is_sorted());
        let error = "batchnorm".parse::<KernelKind>().unwrap_err();
        assert_eq!(error.near, Some(KernelKind::BatchNorm));
    }

    #[test]
    fn a_substitute_needs_no_substitute() {
        for kind in KernelKind::ALL.into_iter().filter_map(KernelKind::substitute) {
            assert_eq!(kind.substitute(), None, "{kind}");
        }
    }
}
