//! What a file says of a network whose graph it does not store, and what in it can do harm.

use crate::DType;

/// A network as a description next to its weights has it, such as a `config.json` or the metadata
/// of GGUF. A field that the description leaves out is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// What states it, such as `config.json`.
    pub source: String,
    /// The architecture as written, such as `LlamaForCausalLM`.
    pub architecture: String,
    /// Layers of the main stack.
    pub layers: Option<u64>,
    /// Width of the residual stream.
    pub hidden: Option<u64>,
    /// Width inside the feed-forward layers.
    pub ffn: Option<u64>,
    /// Heads of queries.
    pub heads: Option<u64>,
    /// Heads of keys and values.
    pub kv_heads: Option<u64>,
    /// Width of a head.
    pub head_dim: Option<u64>,
    /// Tokens of the vocabulary.
    pub vocabulary: Option<u64>,
    /// Positions that the model was trained for.
    pub context: Option<u64>,
    /// Experts of a layer.
    pub experts: Option<u64>,
    /// Experts that a token uses.
    pub experts_used: Option<u64>,
    /// Width inside an expert.
    pub expert_ffn: Option<u64>,
    /// Whether the output layer shares the table of the embeddings.
    pub tied: Option<bool>,
    /// Bits of the quantized weights.
    pub bits: Option<u64>,
    /// How they are quantized, such as `gptq`.
    pub quantization: String,
    /// The type that the network computes in.
    pub dtype: Option<DType>,
}

/// Something in a file that can do harm where it is loaded, or that states what is not so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hazard {
    /// A pickle imports a function or a class, and may call it.
    Import {
        /// The module.
        module: String,
        /// The name in it.
        name: String,
        /// Whether it is known to run code or to touch the system; otherwise it is not known.
        is_dangerous: bool,
    },
    /// A pickle ends before its program does, or uses an operation that is not known.
    BrokenPickle {
        /// What is wrong.
        problem: String,
    },
    /// A layer carries code of its own, as `Lambda` of Keras does.
    CodeInLayer {
        /// The layer.
        layer: String,
    },
    /// Code in the file that calls out of the model, such as TorchScript that reads files.
    CallsOut {
        /// What it calls.
        what: String,
    },
    /// The header states sizes or places that the file does not have.
    Misstated {
        /// What is stated, and what is so.
        what: String,
    },
}

impl Hazard {
    /// The texts of the file in it.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let [first, second] = match self {
            Self::Import { module, name, .. } => [module.as_str(), name.as_str()],
            Self::BrokenPickle { problem } => [problem.as_str(), ""],
            Self::CodeInLayer { layer } => [layer.as_str(), ""],
            Self::CallsOut { what } | Self::Misstated { what } => [what.as_str(), ""],
        };
        [first, second].into_iter()
    }
}
