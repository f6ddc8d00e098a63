//! The plain operators that a fused, quantized or packed operator is a variant of.

use super::{Activation, Norm};

/// How an operator enters the network in which blocks are recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lowering {
    /// As itself.
    Keep,
    /// Not at all: readers of its output read its first input.
    Forward,
    /// As this operator of the standard, with these of its inputs.
    As(&'static str, &'static [usize]),
    /// As a matrix product, the addition of a bias and an activation function.
    MatMul {
        /// Inputs with the two factors.
        factors: [usize; 2],
        /// Input with the bias.
        bias: Option<usize>,
        /// What follows.
        activation: Option<Activation>,
    },
    /// As matrix products of the first input with several weights, after an optional addition
    /// (input 1) and root-mean-square norm (input 2).
    MatMuls {
        /// Inputs with each product's weights and bias.
        weights: &'static [[usize; 2]],
        /// The activation function on the first product, which then multiplies the second.
        gate: Option<Activation>,
    },
    /// As a convolution, the addition of input 3 and the activation function of an attribute.
    Convolution,
    /// As `Gemm` and the activation function of an attribute.
    Gemm,
    /// As attention on queries, keys and values that are given.
    Attention,
    /// As a projection to queries, keys and values (inputs 1 and 2), and attention.
    ProjectedAttention {
        /// Input that is added to the scores.
        bias: Option<usize>,
    },
    /// As an activation function.
    Activation(Activation),
    /// As the addition of a bias (input 1) and of input 2.
    BiasAdd,
    /// As the addition of a bias (input 1) and GELU.
    BiasGelu,
    /// As an addition and softmax.
    BiasSoftmax,
    /// As lookups of tokens, segments and positions, their sum, and a layer norm.
    Embeddings,
    /// As the concatenation of every third input from 2 on, each with its scale and zero point.
    Concat,
    /// As a change of memory layout: nothing, or a transposition.
    Reorder,
    /// As additions and a normalization of the sum.
    SkipNorm(Norm),
    /// As additions of two at a time.
    Sum,
}

impl Lowering {
    /// The operator of the standard that does the multiplying, where it lowers to one; `None` where
    /// it keeps itself or multiplies nothing.
    pub const fn contraction(self) -> Option<&'static str> {
        match self {
            Self::As(name, _) => Some(name),
            Self::MatMul { .. } | Self::MatMuls { .. } | Self::ProjectedAttention { .. } => {
                Some("MatMul")
            }
            Self::Convolution => Some("Conv"),
            Self::Gemm => Some("Gemm"),
            Self::Attention => Some("Attention"),
            Self::Keep
            | Self::Forward
            | Self::Activation(_)
            | Self::BiasAdd
            | Self::BiasGelu
            | Self::BiasSoftmax
            | Self::Embeddings
            | Self::Concat
            | Self::Reorder
            | Self::SkipNorm(_)
            | Self::Sum => None,
        }
    }
}
