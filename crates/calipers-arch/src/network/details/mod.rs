//! What a pattern found out about a block, as one struct per kind.
//!
//! Code that knows the kind reads fields: `unit.attention()?.heads`. Code that lists or compares
//! figures of any kind goes through [`Details::entries`], whose keys are the closed set
//! [`DetailKey`].

mod convolution;
mod layers;
mod vision;

use std::fmt;

pub use convolution::{ConvNormAct, Convolution};
pub use layers::{
    Attention, AttentionScope, Embedding, FeedForward, FeedForwardActivation, Gelu, GeluForm,
    Linear, MixtureOfExperts, Norm, PatchEmbedding, Recurrent, RecurrentCell, ResidualPath,
    TableKind,
};
pub use vision::{
    Branches, ClassifierHead, ConvNextBlock, DenseLayer, DepthwiseSeparable, DetectionHead, Fire,
    InvertedResidual, PyramidPooling, ResNetBlock, ShuffleBlock, SqueezeExcite,
};

/// The name of a detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the fields of the structs describe them")]
pub enum DetailKey {
    Activation,
    Anchors,
    Bias,
    Bidirectional,
    Bins,
    Branches,
    Causal,
    Cell,
    Channels,
    Classes,
    Contractions,
    Depthwise,
    Dilation,
    Experts,
    Form,
    Groups,
    Growth,
    HeadDim,
    Heads,
    Hidden,
    In,
    Inner,
    Kernel,
    KvHeads,
    Norm,
    Of,
    Out,
    Over,
    Patch,
    Pointwise,
    Pools,
    Positions,
    Projection,
    Rank,
    Relative,
    Rotary,
    Rows,
    Scales,
    Shortcut,
    Squeezed,
    Stride,
    TopK,
    Transposed,
    Width,
    Windowed,
}

impl DetailKey {
    /// The name in the report.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Activation => "activation",
            Self::Anchors => "anchors",
            Self::Bias => "bias",
            Self::Bidirectional => "bidirectional",
            Self::Bins => "bins",
            Self::Branches => "branches",
            Self::Causal => "causal",
            Self::Cell => "cell",
            Self::Channels => "channels",
            Self::Classes => "classes",
            Self::Contractions => "contractions",
            Self::Depthwise => "depthwise",
            Self::Dilation => "dilation",
            Self::Experts => "experts",
            Self::Form => "form",
            Self::Groups => "groups",
            Self::Growth => "growth",
            Self::HeadDim => "head_dim",
            Self::Heads => "heads",
            Self::Hidden => "hidden",
            Self::In => "in",
            Self::Inner => "inner",
            Self::Kernel => "kernel",
            Self::KvHeads => "kv_heads",
            Self::Norm => "norm",
            Self::Of => "of",
            Self::Out => "out",
            Self::Over => "over",
            Self::Patch => "patch",
            Self::Pointwise => "pointwise",
            Self::Pools => "pools",
            Self::Positions => "positions",
            Self::Projection => "projection",
            Self::Rank => "rank",
            Self::Relative => "relative",
            Self::Rotary => "rotary",
            Self::Rows => "rows",
            Self::Scales => "scales",
            Self::Shortcut => "shortcut",
            Self::Squeezed => "squeezed",
            Self::Stride => "stride",
            Self::TopK => "top_k",
            Self::Transposed => "transposed",
            Self::Width => "width",
            Self::Windowed => "windowed",
        }
    }
}

/// The value of a detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetailValue {
    /// A count or a size.
    Number(i64),
    /// One of a few words.
    Word(&'static str),
    /// A property that holds.
    Yes,
}

impl fmt::Display for DetailValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Word(word) => f.write_str(word),
            Self::Yes => f.write_str("yes"),
        }
    }
}

/// The details of a block under their names, those that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries(Vec<(DetailKey, DetailValue)>);

impl Entries {
    fn number(mut self, key: DetailKey, value: Option<i64>) -> Self {
        self.0.extend(value.map(|value| (key, DetailValue::Number(value))));
        self
    }

    fn word(mut self, key: DetailKey, word: Option<&'static str>) -> Self {
        self.0.extend(word.map(|word| (key, DetailValue::Word(word))));
        self
    }

    fn flag(mut self, key: DetailKey, holds: bool) -> Self {
        self.0.extend(holds.then_some((key, DetailValue::Yes)));
        self
    }

    /// The first number under a name.
    pub fn get_number(&self, key: DetailKey) -> Option<i64> {
        self.0.iter().find_map(|(other, value)| match value {
            DetailValue::Number(number) if *other == key => Some(*number),
            _ => None,
        })
    }
}

impl IntoIterator for Entries {
    type Item = (DetailKey, DetailValue);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Defines [`Details`] with an accessor and a conversion for each struct.
macro_rules! details {
    ($($(#[$doc:meta])* $name:ident, $accessor:ident;)*) => {
        /// What a pattern found out about a block.
        #[derive(Clone, Debug)]
        pub enum Details {
            $($(#[$doc])* $name($name),)*
        }

        impl Details {
            /// The details under their names, in the order of the report.
            pub fn entries(&self) -> Entries {
                match self {
                    $(Self::$name(details) => details.entries(),)*
                }
            }

            $(
                $(#[$doc])*
                pub const fn $accessor(&self) -> Option<&$name> {
                    match self {
                        Self::$name(details) => Some(details),
                        _ => None,
                    }
                }
            )*
        }

        $(
            impl From<$name> for Details {
                fn from(details: $name) -> Self {
                    Self::$name(details)
                }
            }
        )*

        impl super::NetworkOp {
            $(
                $(#[$doc])*
                pub fn $accessor(&self) -> Option<&$name> {
                    self.details()?.$accessor()
                }
            )*
        }
    };
}

details! {
    /// Figures of an attention.
    Attention, attention;
    /// Figures of a block of joined branches.
    Branches, branches;
    /// Figures of a classifier.
    ClassifierHead, classifier_head;
    /// Figures of a ConvNeXt block.
    ConvNextBlock, conv_next_block;
    /// Figures of a convolution with what follows it.
    ConvNormAct, conv_norm_act;
    /// Figures of a convolution.
    Convolution, convolution;
    /// Figures of a dense unit.
    DenseLayer, dense_unit;
    /// Figures of a depthwise-separable convolution.
    DepthwiseSeparable, depthwise_separable;
    /// Figures of a detection head.
    DetectionHead, detection_head;
    /// Figures of an embedding.
    Embedding, embedding;
    /// Figures of a feed-forward layer.
    FeedForward, feed_forward;
    /// Figures of a fire module.
    Fire, fire;
    /// How a GELU is written.
    Gelu, gelu;
    /// Figures of an inverted residual.
    InvertedResidual, inverted_residual;
    /// Figures of a linear layer.
    Linear, linear;
    /// Figures of a mixture of experts.
    MixtureOfExperts, mixture_of_experts;
    /// Figures of a norm.
    Norm, norm;
    /// Figures of a patch embedding.
    PatchEmbedding, patch_embedding;
    /// Figures of a spatial pyramid pooling.
    PyramidPooling, pyramid_pooling;
    /// Figures of a recurrent layer.
    Recurrent, recurrent;
    /// Figures of a block of a residual network.
    ResNetBlock, resnet_block;
    /// Figures of a path with a shortcut.
    ResidualPath, residual_path;
    /// Figures of a shuffle unit.
    ShuffleBlock, shuffle_unit;
    /// Figures of a squeeze-and-excite.
    SqueezeExcite, squeeze_excite;
}
