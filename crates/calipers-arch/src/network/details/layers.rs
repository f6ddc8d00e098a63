//! Layers: products, norms, attention, embeddings, feed-forward, recurrence.

use calipers_ops::Activation;
use calipers_report::NormPosition;

use super::{DetailKey, Entries};

/// A linear layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// Features that it reads.
    pub in_features: Option<i64>,
    /// Features that it gives.
    pub out_features: Option<i64>,
    /// Whether it adds a bias.
    pub bias: bool,
}

impl Linear {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::In, self.in_features)
            .number(DetailKey::Out, self.out_features)
            .flag(DetailKey::Bias, self.bias)
    }
}

/// A norm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Norm {
    /// Channels, or elements that are normalized together.
    pub width: Option<i64>,
    /// Groups of channels, for a group norm.
    pub groups: Option<i64>,
}

impl Norm {
    /// A norm over this many elements, not in groups.
    pub const fn over(width: Option<i64>) -> Self {
        Self { width, groups: None }
    }

    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::Width, self.width)
            .number(DetailKey::Groups, self.groups)
    }
}

/// A GELU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gelu {
    /// How it is written.
    pub form: GeluForm,
}

/// How a GELU is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeluForm {
    /// With the error function.
    Erf,
    /// As one operator.
    Fused,
    /// As `x·sigmoid(1.702·x)`.
    Sigmoid,
    /// Approximated with a hyperbolic tangent.
    Tanh,
}

impl Gelu {
    pub(super) fn entries(&self) -> Entries {
        let form = match self.form {
            GeluForm::Erf => "erf",
            GeluForm::Fused => "fused",
            GeluForm::Sigmoid => "sigmoid",
            GeluForm::Tanh => "tanh",
        };
        Entries::default().word(DetailKey::Form, Some(form))
    }
}

/// An attention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attention {
    /// Heads of the queries.
    pub heads: Option<i64>,
    /// Heads of the keys and values.
    pub kv_heads: Option<i64>,
    /// Elements of each head.
    pub head_dim: Option<i64>,
    /// Elements of each token that it reads.
    pub width: Option<i64>,
    /// What its keys and values come from.
    pub over: AttentionScope,
    /// Whether a token attends to earlier tokens only.
    pub causal: bool,
    /// Whether it attends within windows.
    pub windowed: bool,
    /// Whether a table of relative positions is added to the scores.
    pub relative: bool,
    /// Whether queries and keys are rotated by their positions.
    pub rotary: bool,
    /// Where the norm is, if there is one.
    pub norm: Option<NormPosition>,
}

/// What the keys and values of an attention come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttentionScope {
    /// The sequence of the queries.
    Own,
    /// Another sequence.
    Cross,
}

impl AttentionScope {
    /// The name in the report.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Own => "self",
            Self::Cross => "cross",
        }
    }
}

impl Attention {
    /// Whether it attends to another sequence.
    pub fn is_cross(&self) -> bool {
        self.over == AttentionScope::Cross
    }

    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::Heads, self.heads)
            .number(DetailKey::KvHeads, self.kv_heads)
            .number(DetailKey::HeadDim, self.head_dim)
            .number(DetailKey::Width, self.width)
            .word(DetailKey::Over, Some(self.over.id()))
            .flag(DetailKey::Causal, self.causal)
            .flag(DetailKey::Windowed, self.windowed)
            .flag(DetailKey::Relative, self.relative)
            .flag(DetailKey::Rotary, self.rotary)
            .word(DetailKey::Norm, self.norm.map(NormPosition::id))
    }
}

/// An embedding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// Rows of the table.
    pub rows: Option<i64>,
    /// Elements of each row.
    pub width: Option<i64>,
    /// What the rows are.
    pub of: TableKind,
}

/// What the rows of an embedding are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Tokens of a vocabulary.
    Token,
    /// Positions in a sequence.
    Position,
    /// Segments of a text.
    Type,
    /// Something else.
    Other,
}

impl TableKind {
    /// The name in the report.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Position => "position",
            Self::Type => "type",
            Self::Other => "other",
        }
    }
}

impl Embedding {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::Rows, self.rows)
            .number(DetailKey::Width, self.width)
            .word(DetailKey::Of, Some(self.of.id()))
    }
}

/// A patch embedding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchEmbedding {
    /// The side of a patch, in pixels.
    pub patch: Option<i64>,
    /// Elements of each token.
    pub width: Option<i64>,
}

impl PatchEmbedding {
    pub(super) fn entries(&self) -> Entries {
        Entries::default().number(DetailKey::Patch, self.patch).number(DetailKey::Width, self.width)
    }
}

/// A feed-forward layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedForward {
    /// Elements of each token that it reads and gives.
    pub width: Option<i64>,
    /// Elements between its layers.
    pub inner: Option<i64>,
    /// The activation between its layers.
    pub activation: FeedForwardActivation,
}

/// The activation of a feed-forward layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedForwardActivation {
    /// Of the first layer.
    Plain(Activation),
    /// Of one of two first layers, which multiplies the other.
    Gated(Activation),
}

impl FeedForwardActivation {
    /// The name in the report.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Plain(activation) => activation.id(),
            Self::Gated(activation) => activation.gated_id(),
        }
    }
}

impl FeedForward {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::Width, self.width)
            .number(DetailKey::Inner, self.inner)
            .word(DetailKey::Activation, Some(self.activation.id()))
    }
}

/// A mixture of experts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixtureOfExperts {
    /// Experts in all.
    pub experts: Option<i64>,
    /// Experts that run for each token.
    pub top_k: Option<i64>,
}

impl MixtureOfExperts {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::Experts, self.experts)
            .number(DetailKey::TopK, self.top_k)
    }
}

/// A recurrent layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrent {
    /// Its cell.
    pub cell: RecurrentCell,
    /// Width of its input.
    pub input: Option<i64>,
    /// Elements of the state of each direction.
    pub hidden: Option<i64>,
    /// Whether it runs in both directions.
    pub bidirectional: bool,
}

/// The cell of a recurrent layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecurrentCell {
    /// Gated recurrent unit.
    Gru,
    /// Long short-term memory.
    Lstm,
    /// A plain cell.
    Rnn,
}

impl RecurrentCell {
    /// The name in the report.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Gru => "gru",
            Self::Lstm => "lstm",
            Self::Rnn => "rnn",
        }
    }
}

impl Recurrent {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .word(DetailKey::Cell, Some(self.cell.id()))
            .number(DetailKey::In, self.input)
            .number(DetailKey::Hidden, self.hidden)
            .flag(DetailKey::Bidirectional, self.bidirectional)
    }
}

/// A residual addition, or a block around one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResidualPath {
    /// Contractions on the path that the shortcut goes around.
    pub contractions: Option<i64>,
}

impl ResidualPath {
    pub(super) fn entries(&self) -> Entries {
        Entries::default().number(DetailKey::Contractions, self.contractions)
    }
}
