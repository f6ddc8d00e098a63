//! Blocks and other parts of a network.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::names::names;

names! {
    /// The kind of a recognized block.
    pub exhaustive enum BlockKind {
        Attention = "Attention" => "Attention",
        BasicBlock = "BasicBlock" => "Basic block",
        BatchNorm = "BatchNorm" => "BatchNorm",
        Bottleneck = "Bottleneck" => "Bottleneck block",
        Celu = "CELU" => "CELU",
        ClassifierHead = "ClassifierHead" => "Classifier head",
        ConcatSkip = "ConcatSkip" => "Concatenation skip",
        ConvNextBlock = "ConvNeXtBlock" => "ConvNeXt block",
        ConvNormAct = "ConvNormAct" => "Conv-norm-activation",
        Convolution = "Convolution" => "Convolution",
        Csp = "CSP" => "CSP block",
        DenseLayer = "DenseLayer" => "Dense layer",
        DepthwiseSeparable = "DepthwiseSeparable" => "Depthwise-separable convolution",
        DetectionHead = "DetectionHead" => "Detection head",
        Elu = "ELU" => "ELU",
        Embedding = "Embedding" => "Embeddings",
        FeaturePyramid = "FeaturePyramid" => "Feature pyramid",
        FeedForward = "FeedForward" => "Feed-forward",
        Fire = "Fire" => "Fire module",
        GatedSkip = "GatedSkip" => "Gated skip",
        Gelu = "GELU" => "GELU",
        GroupNorm = "GroupNorm" => "GroupNorm",
        HardSigmoid = "HardSigmoid" => "Hard-sigmoid",
        HardSwish = "HardSwish" => "Hard-swish",
        Inception = "Inception" => "Inception module",
        InstanceNorm = "InstanceNorm" => "InstanceNorm",
        InvertedResidual = "InvertedResidual" => "Inverted residual",
        L2Norm = "L2Norm" => "L2 norm",
        LayerNorm = "LayerNorm" => "LayerNorm",
        LeakyRelu = "LeakyReLU" => "LeakyReLU",
        Linear = "Linear" => "Linear",
        Lrn = "LRN" => "LRN",
        Mish = "Mish" => "Mish",
        MixtureOfExperts = "MixtureOfExperts" => "Mixture of experts",
        PRelu = "PReLU" => "PReLU",
        PatchEmbedding = "PatchEmbedding" => "Patch embedding",
        Recurrent = "Recurrent" => "Recurrent layer",
        Relu = "ReLU" => "ReLU",
        Relu6 = "ReLU6" => "ReLU6",
        Residual = "Residual" => "Residual block",
        ResidualAdd = "ResidualAdd" => "Residual addition",
        RmsNorm = "RMSNorm" => "RMSNorm",
        Rotary = "Rotary" => "Rotary embedding",
        Selu = "SELU" => "SELU",
        ShuffleBlock = "ShuffleBlock" => "ShuffleNet unit",
        Silu = "SiLU" => "SiLU",
        Spp = "SPP" => "Spatial pyramid pooling",
        SqueezeExcite = "SqueezeExcite" => "Squeeze-and-excitation",
        SubtractedSkip = "SubtractedSkip" => "Subtraction skip",
        UNetSkip = "UNetSkip" => "U-Net skip",
    }
}

impl BlockKind {
    /// Returns the words for what such blocks make of a network, `inverted residuals` or `a feature
    /// pyramid`; `None` for parts that networks of many designs have.
    pub const fn design(self) -> Option<&'static str> {
        Some(match self {
            Self::BasicBlock => "basic residual blocks",
            Self::Bottleneck => "bottleneck blocks",
            Self::ConvNextBlock => "ConvNeXt blocks",
            Self::Csp => "cross-stage partial blocks",
            Self::DenseLayer => "densely connected layers",
            Self::DepthwiseSeparable => "depthwise-separable convolutions",
            Self::FeaturePyramid => "a feature pyramid",
            Self::Fire => "fire modules",
            Self::Inception => "Inception modules",
            Self::InvertedResidual => "inverted residuals",
            Self::ShuffleBlock => "channel-shuffle units",
            Self::Spp => "spatial pyramid pooling",
            Self::SqueezeExcite => "squeeze-and-excitation",
            Self::UNetSkip => "U-Net skip connections",
            _ => return None,
        })
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

    /// Whether it is one of [`ACTIVATIONS`](Self::ACTIVATIONS).
    pub fn is_activation(self) -> bool {
        Self::ACTIVATIONS.contains(&self)
    }
}

names! {
    /// Several blocks or operators that belong together.
    pub enum CompositeKind {
        /// Several convolutions.
        Convolutions = "Convolutions" => "Convolutions",
        /// Causal attention or cross-attention, and a feed-forward network.
        DecoderLayer = "DecoderLayer" => "Decoder layer",
        /// Attention and a feed-forward network.
        EncoderLayer = "EncoderLayer" => "Encoder layer",
        /// Plain layers at the end of a network.
        Head = "Head" => "Head",
        /// Convolutions and linear layers.
        Layers = "Layers" => "Layers",
        /// Parts that are left out and counted.
        More = "More" => "More",
        /// Operators without a layer.
        Operations = "Operations" => "Operations",
        /// Computation of shapes, masks and positions.
        Preparation = "Preparation" => "Preparation",
        /// A product of two activations.
        Product = "Product" => "Matrix product",
        /// Repeats inside repeats.
        Stage = "Stage" => "Stage",
        /// Plain layers at the start of a network.
        Stem = "Stem" => "Stem",
    }
}

/// What a part of a network is. In JSON, a text.
///
/// ```
/// use calipers_report::{BlockKind, PartKind};
///
/// assert_eq!(PartKind::from("Attention"), PartKind::Block(BlockKind::Attention));
/// assert_eq!(PartKind::from("TopK").id(), "TopK");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartKind {
    /// A recognized block.
    Block(BlockKind),
    /// Several blocks or operators.
    Composite(CompositeKind),
    /// An operator, by its name. Never the id of a block or of a composite.
    Operator(String),
}

impl PartKind {
    /// Returns the id of the block or composite, or the operator's name.
    pub fn id(&self) -> &str {
        match self {
            Self::Block(kind) => kind.id(),
            Self::Composite(kind) => kind.id(),
            Self::Operator(name) => name,
        }
    }
}

impl From<BlockKind> for PartKind {
    fn from(kind: BlockKind) -> Self {
        Self::Block(kind)
    }
}

impl From<CompositeKind> for PartKind {
    fn from(kind: CompositeKind) -> Self {
        Self::Composite(kind)
    }
}

impl From<&str> for PartKind {
    /// The block or composite with this id, else the operator of this name.
    fn from(text: &str) -> Self {
        let block = text.parse().map(Self::Block);
        let known = block.or_else(|_| text.parse().map(Self::Composite));
        known.unwrap_or_else(|_| Self::Operator(text.to_owned()))
    }
}

/// What a box of a diagram is. In JSON, a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoxKind {
    /// Inputs of the graph.
    Input,
    /// Outputs of the graph.
    Output,
    /// All nodes of one operator.
    Operator,
    /// All nodes of the operators that have no box.
    OtherOperators,
    /// A part of the network.
    Part(PartKind),
}

impl BoxKind {
    /// Returns the id, as JSON has it.
    pub fn id(&self) -> &str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Operator => "operator",
            Self::OtherOperators => "other",
            Self::Part(kind) => kind.id(),
        }
    }

    /// Whether it is an input or an output.
    pub fn is_port(&self) -> bool {
        matches!(self, Self::Input | Self::Output)
    }
}

impl From<&str> for BoxKind {
    fn from(text: &str) -> Self {
        match text {
            "input" => Self::Input,
            "output" => Self::Output,
            "operator" => Self::Operator,
            "other" => Self::OtherOperators,
            part => Self::Part(part.into()),
        }
    }
}

/// Implements JSON as a text, by `id` and `From<&str>`.
macro_rules! as_text {
    ($name:ident, $description:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.id())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Ok(Self::from(&*<Cow<'de, str>>::deserialize(from)?))
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "description": $description, "type": "string" })
            }
        }
    };
}

as_text!(PartKind, "What a part of a network is: a kind of block or composite, or an operator.");
as_text!(BoxKind, "What a box is: `input`, `output`, `operator`, `other`, or the kind of a part.");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_parts_are_texts() {
        for text in ["Attention", "EncoderLayer", "TopK", "input", "other", ""] {
            assert_eq!(PartKind::from(text).id(), text);
            let json = serde_json::to_string(&BoxKind::from(text)).unwrap();
            assert_eq!(json, format!("{text:?}"));
            assert_eq!(serde_json::from_str::<BoxKind>(&json).unwrap().id(), text);
        }
        assert!(BoxKind::from("output").is_port());
    }

    #[test]
    fn no_composite_is_called_like_a_block() {
        for kind in CompositeKind::ALL {
            assert!(kind.id().parse::<BlockKind>().is_err(), "{}", kind.id());
        }
    }
}
