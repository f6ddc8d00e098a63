//! Activation functions.

/// An activation function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activation {
    /// `max(0, x) + min(0, α(exp(x/α) − 1))`.
    Celu,
    /// `x` above zero, `α(exp(x) − 1)` below.
    Elu,
    /// `x` times the normal distribution function of `x`, or an approximation of it.
    Gelu,
    /// A line between 0 and 1, cut off at both ends.
    HardSigmoid,
    /// `x` times [`Self::HardSigmoid`] of `x`.
    HardSwish,
    /// `x` above zero, `αx` below.
    LeakyRelu,
    /// `x` times the hyperbolic tangent of [`Self::Softplus`] of `x`.
    Mish,
    /// [`Self::LeakyRelu`] with a learned `α`.
    Prelu,
    /// `max(0, x)`.
    Relu,
    /// `min(max(0, x), 6)`.
    Relu6,
    /// The square of `max(0, x)`.
    ReluSquared,
    /// [`Self::Elu`], scaled.
    Selu,
    /// `1 / (1 + exp(−x))`.
    Sigmoid,
    /// `x` times [`Self::Sigmoid`] of `x`.
    Silu,
    /// `log(1 + exp(x))`.
    Softplus,
    /// `x / (1 + |x|)`.
    Softsign,
    /// The hyperbolic tangent.
    Tanh,
    /// `x` above a threshold, else 0.
    ThresholdedRelu,
}

impl Activation {
    /// Every activation function, by id.
    pub const ALL: &[Self] = &[
        Self::Celu,
        Self::Elu,
        Self::Gelu,
        Self::HardSigmoid,
        Self::HardSwish,
        Self::LeakyRelu,
        Self::Mish,
        Self::Prelu,
        Self::Relu,
        Self::ReluSquared,
        Self::Relu6,
        Self::Selu,
        Self::Sigmoid,
        Self::Silu,
        Self::Softplus,
        Self::Softsign,
        Self::Tanh,
        Self::ThresholdedRelu,
    ];

    /// The identifier, as reports spell it.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Celu => "celu",
            Self::Elu => "elu",
            Self::Gelu => "gelu",
            Self::HardSigmoid => "hardsigmoid",
            Self::HardSwish => "hardswish",
            Self::LeakyRelu => "leakyrelu",
            Self::Mish => "mish",
            Self::Prelu => "prelu",
            Self::Relu => "relu",
            Self::Relu6 => "relu6",
            Self::ReluSquared => "relu-squared",
            Self::Selu => "selu",
            Self::Sigmoid => "sigmoid",
            Self::Silu => "silu",
            Self::Softplus => "softplus",
            Self::Softsign => "softsign",
            Self::Tanh => "tanh",
            Self::ThresholdedRelu => "thresholdedrelu",
        }
    }

    /// The identifier of the gated linear unit with this activation on its gate.
    pub const fn gated_id(self) -> &'static str {
        match self {
            Self::Celu => "celu-glu",
            Self::Elu => "elu-glu",
            Self::Gelu => "geglu",
            Self::HardSigmoid => "hardsigmoid-glu",
            Self::HardSwish => "hardswish-glu",
            Self::LeakyRelu => "leakyrelu-glu",
            Self::Mish => "mish-glu",
            Self::Prelu => "prelu-glu",
            Self::Relu => "reglu",
            Self::Relu6 => "relu6-glu",
            Self::ReluSquared => "relu-squared-glu",
            Self::Selu => "selu-glu",
            Self::Sigmoid => "glu",
            Self::Silu => "swiglu",
            Self::Softplus => "softplus-glu",
            Self::Softsign => "softsign-glu",
            Self::Tanh => "tanh-glu",
            Self::ThresholdedRelu => "thresholdedrelu-glu",
        }
    }

    /// The activation function with this identifier.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|activation| activation.id() == id)
    }

    /// Whether it maps everything to a bounded range that starts at 0, as the gate of a product.
    pub const fn is_gate(self) -> bool {
        matches!(self, Self::HardSigmoid | Self::Sigmoid)
    }
    /// Whether it computes an exponential or the like for every element.
    pub const fn is_transcendental(self) -> bool {
        match self {
            Self::Celu
            | Self::Elu
            | Self::Gelu
            | Self::Mish
            | Self::Selu
            | Self::Sigmoid
            | Self::Silu
            | Self::Softplus
            | Self::Tanh => true,
            Self::HardSigmoid
            | Self::HardSwish
            | Self::LeakyRelu
            | Self::Prelu
            | Self::Relu
            | Self::Relu6
            | Self::ReluSquared
            | Self::Softsign
            | Self::ThresholdedRelu => false,
        }
    }
}
