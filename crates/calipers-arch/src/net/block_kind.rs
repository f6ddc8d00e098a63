//! The kinds of block that are recognized.

use std::fmt;
use std::str::FromStr;

use calipers_ops::Activation;

/// The kind of a recognized block.
///
/// To add one: add its variant, its [`id`](Self::id) and, where it has properties, its arms below;
/// then a pattern of [`blocks`](crate::blocks) that produces it. A test holds the two together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each pattern describes its kind")]
pub enum BlockKind {
    Attention,
    BasicBlock,
    BatchNorm,
    Bottleneck,
    Celu,
    ClassifierHead,
    ConcatSkip,
    ConvNextBlock,
    ConvNormAct,
    Convolution,
    Csp,
    DenseUnit,
    DepthwiseSeparable,
    DetectionHead,
    Elu,
    Embedding,
    FeaturePyramid,
    FeedForward,
    Fire,
    GatedSkip,
    Gelu,
    GroupNorm,
    HardSigmoid,
    HardSwish,
    Inception,
    InstanceNorm,
    InvertedResidual,
    L2Norm,
    LayerNorm,
    LeakyRelu,
    Linear,
    Lrn,
    Mish,
    MixtureOfExperts,
    PRelu,
    PatchEmbedding,
    Recurrent,
    Relu,
    Relu6,
    Residual,
    ResidualAdd,
    RmsNorm,
    Rotary,
    Selu,
    ShuffleUnit,
    Silu,
    Spp,
    SqueezeExcite,
    SubtractedSkip,
    UNetSkip,
}

impl BlockKind {
    /// Every kind, in alphabetical order.
    pub const ALL: [Self; 50] = [
        Self::Attention,
        Self::BasicBlock,
        Self::BatchNorm,
        Self::Bottleneck,
        Self::Celu,
        Self::ClassifierHead,
        Self::ConcatSkip,
        Self::ConvNextBlock,
        Self::ConvNormAct,
        Self::Convolution,
        Self::Csp,
        Self::DenseUnit,
        Self::DepthwiseSeparable,
        Self::DetectionHead,
        Self::Elu,
        Self::Embedding,
        Self::FeaturePyramid,
        Self::FeedForward,
        Self::Fire,
        Self::GatedSkip,
        Self::Gelu,
        Self::GroupNorm,
        Self::HardSigmoid,
        Self::HardSwish,
        Self::Inception,
        Self::InstanceNorm,
        Self::InvertedResidual,
        Self::L2Norm,
        Self::LayerNorm,
        Self::LeakyRelu,
        Self::Linear,
        Self::Lrn,
        Self::Mish,
        Self::MixtureOfExperts,
        Self::PRelu,
        Self::PatchEmbedding,
        Self::Recurrent,
        Self::Relu,
        Self::Relu6,
        Self::Residual,
        Self::ResidualAdd,
        Self::RmsNorm,
        Self::Rotary,
        Self::Selu,
        Self::ShuffleUnit,
        Self::Silu,
        Self::Spp,
        Self::SqueezeExcite,
        Self::SubtractedSkip,
        Self::UNetSkip,
    ];

    /// The name in the report.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Attention => "Attention",
            Self::BasicBlock => "BasicBlock",
            Self::BatchNorm => "BatchNorm",
            Self::Bottleneck => "Bottleneck",
            Self::Celu => "CELU",
            Self::ClassifierHead => "ClassifierHead",
            Self::ConcatSkip => "ConcatSkip",
            Self::ConvNextBlock => "ConvNeXtBlock",
            Self::ConvNormAct => "ConvNormAct",
            Self::Convolution => "Convolution",
            Self::Csp => "CSP",
            Self::DenseUnit => "DenseUnit",
            Self::DepthwiseSeparable => "DepthwiseSeparable",
            Self::DetectionHead => "DetectionHead",
            Self::Elu => "ELU",
            Self::Embedding => "Embedding",
            Self::FeaturePyramid => "FeaturePyramid",
            Self::FeedForward => "FeedForward",
            Self::Fire => "Fire",
            Self::GatedSkip => "GatedSkip",
            Self::Gelu => "GELU",
            Self::GroupNorm => "GroupNorm",
            Self::HardSigmoid => "HardSigmoid",
            Self::HardSwish => "HardSwish",
            Self::Inception => "Inception",
            Self::InstanceNorm => "InstanceNorm",
            Self::InvertedResidual => "InvertedResidual",
            Self::L2Norm => "L2Norm",
            Self::LayerNorm => "LayerNorm",
            Self::LeakyRelu => "LeakyReLU",
            Self::Linear => "Linear",
            Self::Lrn => "LRN",
            Self::Mish => "Mish",
            Self::MixtureOfExperts => "MixtureOfExperts",
            Self::PRelu => "PReLU",
            Self::PatchEmbedding => "PatchEmbedding",
            Self::Recurrent => "Recurrent",
            Self::Relu => "ReLU",
            Self::Relu6 => "ReLU6",
            Self::Residual => "Residual",
            Self::ResidualAdd => "ResidualAdd",
            Self::RmsNorm => "RMSNorm",
            Self::Rotary => "Rotary",
            Self::Selu => "SELU",
            Self::ShuffleUnit => "ShuffleUnit",
            Self::Silu => "SiLU",
            Self::Spp => "SPP",
            Self::SqueezeExcite => "SqueezeExcite",
            Self::SubtractedSkip => "SubtractedSkip",
            Self::UNetSkip => "UNetSkip",
        }
    }

    /// Layers that normalize by the statistics of their input. Division by a length
    /// ([`L2Norm`](Self::L2Norm)) and by neighbors ([`Lrn`](Self::Lrn)) are not such layers.
    pub const NORMS: &[Self] =
        &[Self::BatchNorm, Self::GroupNorm, Self::InstanceNorm, Self::LayerNorm, Self::RmsNorm];

    /// Activations between layers. A hard sigmoid is a gate and not among them.
    pub const ACTIVATIONS: &[Self] = &[
        Self::Celu,
        Self::Elu,
        Self::Gelu,
        Self::HardSwish,
        Self::LeakyRelu,
        Self::Mish,
        Self::PRelu,
        Self::Relu,
        Self::Relu6,
        Self::Selu,
        Self::Silu,
    ];

    /// Layers that are one contraction with its weights.
    pub const WEIGHTED: &[Self] = &[Self::Convolution, Self::Linear];

    /// Whether it is one of [`NORMS`](Self::NORMS).
    pub fn is_norm(self) -> bool {
        Self::NORMS.contains(&self)
    }

    /// The activation function that it is.
    pub const fn activation(self) -> Option<Activation> {
        Some(match self {
            Self::Celu => Activation::Celu,
            Self::Elu => Activation::Elu,
            Self::Gelu => Activation::Gelu,
            Self::HardSigmoid => Activation::HardSigmoid,
            Self::HardSwish => Activation::HardSwish,
            Self::LeakyRelu => Activation::LeakyRelu,
            Self::Mish => Activation::Mish,
            Self::PRelu => Activation::Prelu,
            Self::Relu => Activation::Relu,
            Self::Relu6 => Activation::Relu6,
            Self::Selu => Activation::Selu,
            Self::Silu => Activation::Silu,
            _ => return None,
        })
    }

    /// Whether it is one of [`ACTIVATIONS`](Self::ACTIVATIONS).
    pub fn is_activation(self) -> bool {
        Self::ACTIVATIONS.contains(&self)
    }

    /// Whether it ends a network.
    pub const fn is_head(self) -> bool {
        matches!(self, Self::ClassifierHead | Self::DetectionHead)
    }

    /// Whether it is a block of convolutions that a diagram never joins with a neighbor.
    pub const fn is_convolutional(self) -> bool {
        matches!(
            self,
            Self::BasicBlock
                | Self::Bottleneck
                | Self::Csp
                | Self::ConvNextBlock
                | Self::DenseUnit
                | Self::Fire
                | Self::Inception
                | Self::InvertedResidual
                | Self::Spp
                | Self::ShuffleUnit
        )
    }

    /// Whether a diagram gives it a box of its own.
    pub const fn is_composite(self) -> bool {
        self.is_convolutional()
            || self.is_head()
            || matches!(
                self,
                Self::Attention
                    | Self::DepthwiseSeparable
                    | Self::Embedding
                    | Self::FeedForward
                    | Self::MixtureOfExperts
                    | Self::PatchEmbedding
                    | Self::Recurrent
                    | Self::Residual
            )
    }

    /// Whether it is no more than a step of its surroundings, whatever it contains.
    pub const fn is_light(self) -> bool {
        matches!(self, Self::ResidualAdd | Self::Rotary | Self::L2Norm | Self::UNetSkip)
    }

    /// The name in a diagram, for kinds that can lead a part of a network.
    pub const fn label(self) -> Option<&'static str> {
        Some(match self {
            Self::BasicBlock => "Basic block",
            Self::Bottleneck => "Bottleneck block",
            Self::ClassifierHead => "Classifier head",
            Self::ConvNextBlock => "ConvNeXt block",
            Self::Csp => "CSP block",
            Self::DenseUnit => "Dense layer",
            Self::DepthwiseSeparable => "Depthwise-separable convolution",
            Self::DetectionHead => "Detection head",
            Self::Embedding => "Embeddings",
            Self::FeedForward => "Feed-forward",
            Self::Fire => "Fire module",
            Self::Inception => "Inception module",
            Self::InvertedResidual => "Inverted residual",
            Self::MixtureOfExperts => "Mixture of experts",
            Self::PatchEmbedding => "Patch embedding",
            Self::Recurrent => "Recurrent layer",
            Self::Residual => "Residual block",
            Self::ShuffleUnit => "Shuffle unit",
            Self::Spp => "Spatial pyramid pooling",
            _ => return None,
        })
    }

    /// The kind that an operator is by itself, for the few operators that are a block already.
    pub(super) fn of_operator(name: &str) -> Option<Self> {
        Some(match name {
            "HardSigmoid" => Self::HardSigmoid,
            "HardSwish" => Self::HardSwish,
            "LRN" => Self::Lrn,
            "Mish" => Self::Mish,
            _ => return None,
        })
    }
}

impl fmt::Display for BlockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The error of a name that is not a [`BlockKind::id`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownBlockKind(String);

impl fmt::Display for UnknownBlockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown kind of block: {:?}", self.0)
    }
}

impl std::error::Error for UnknownBlockKind {}

impl FromStr for BlockKind {
    type Err = UnknownBlockKind;

    fn from_str(id: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|kind| kind.id() == id);
        found.ok_or_else(|| UnknownBlockKind(id.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::BlockKind;

    #[test]
    fn ids_are_distinct_and_parse() {
        for kind in BlockKind::ALL {
            assert_eq!(kind.id().parse(), Ok(kind));
        }
        assert!("convolution".parse::<BlockKind>().is_err());
    }

    #[test]
    fn all_is_complete() {
        // Variants are numbered in the order of the list, so one that is missing shifts the rest.
        for (place, kind) in BlockKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place, "{kind}");
        }
        assert_eq!(BlockKind::UNetSkip as usize + 1, BlockKind::ALL.len());
    }

    #[test]
    fn properties_do_not_contradict_each_other() {
        for kind in BlockKind::ALL {
            assert!(!(kind.is_norm() && kind.is_activation()), "{kind}");
            let is_plain = kind.activation().is_some_and(|activation| !activation.is_gate());
            assert_eq!(kind.is_activation(), is_plain, "{kind}");
            assert!(!(kind.is_light() && kind.is_composite()), "{kind}");
        }
    }
}
