//! What recognition knows of each kind of block.

use calipers_ops::Activation;
pub use calipers_report::BlockKind;

/// Properties of kinds of blocks that recognition and diagrams need.
///
/// To add a kind: add its row to [`BlockKind`] and, where it has properties, its arms below; then a
/// pattern of [`blocks`](crate::blocks) that produces it. A test holds the two together.
pub trait BlockProperties: Copy {
    /// The activation function that it is.
    fn activation(self) -> Option<Activation>;

    /// Whether it ends a network.
    fn is_head(self) -> bool;

    /// Whether it is a block of convolutions that a diagram never joins with a neighbor.
    fn is_convolutional(self) -> bool;

    /// Whether a diagram gives it a box of its own.
    fn is_composite(self) -> bool;

    /// Whether it is no more than a step of its surroundings, whatever it contains.
    fn is_light(self) -> bool;
}

impl BlockProperties for BlockKind {
    fn activation(self) -> Option<Activation> {
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

    fn is_head(self) -> bool {
        matches!(self, Self::ClassifierHead | Self::DetectionHead)
    }

    fn is_convolutional(self) -> bool {
        matches!(
            self,
            Self::BasicBlock
                | Self::Bottleneck
                | Self::Csp
                | Self::ConvNextBlock
                | Self::DenseLayer
                | Self::Fire
                | Self::Inception
                | Self::InvertedResidual
                | Self::Spp
                | Self::ShuffleBlock
        )
    }

    fn is_composite(self) -> bool {
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

    fn is_light(self) -> bool {
        matches!(self, Self::ResidualAdd | Self::Rotary | Self::L2Norm | Self::UNetSkip)
    }
}

/// The kind that an operator is by itself, for the few operators that are a block already.
pub(super) fn of_operator(name: &str) -> Option<BlockKind> {
    Some(match name {
        "HardSigmoid" => BlockKind::HardSigmoid,
        "HardSwish" => BlockKind::HardSwish,
        "LRN" => BlockKind::Lrn,
        "Mish" => BlockKind::Mish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_do_not_contradict_each_other() {
        for kind in BlockKind::ALL {
            assert!(!(kind.is_norm() && kind.is_activation()), "{kind:?}");
            let is_plain = kind.activation().is_some_and(|activation| !activation.is_gate());
            assert_eq!(kind.is_activation(), is_plain, "{kind:?}");
            assert!(!(kind.is_light() && kind.is_composite()), "{kind:?}");
        }
    }
}
