//! Families of networks: their names, and what is particular to each.

use crate::encoder::{self, Encoder};
use crate::names::{self, Convention, Names};
use crate::network::Activation;
use crate::vision::{self, Vision};
use crate::{clip, mamba, t5, whisper};

/// A family, by the names that descriptions have for it.
#[derive(Debug)]
pub(crate) struct Family {
    /// `model_type` of `config.json`.
    model_types: &'static [&'static str],
    /// `general.architecture` of GGUF.
    gguf: &'static [&'static str],
    pub(crate) plan: Plan,
}

/// The graph of a family.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Plan {
    Decoder(&'static Decoder),
    Encoder(&'static Encoder),
    T5,
    Whisper,
    Clip,
    Vision(&'static Vision),
    Mamba,
}

impl Plan {
    /// The names that show whether stored tensors are those of the family.
    pub(crate) fn layers(self, convention: Convention) -> &'static Names {
        match (self, convention) {
            (Self::Encoder(style), Convention::HuggingFace) => style.names,
            (Self::Mamba, Convention::HuggingFace) => &mamba::NAMES,
            (Self::Mamba, Convention::Gguf) => &mamba::GGUF,
            (_, Convention::Gguf) => &names::GGUF,
            (Self::Decoder(style), _) => style.names,
            (Self::Vision(style), _) => style.names,
            (Self::T5, _) => &t5::DECODER,
            (Self::Whisper, _) => &whisper::DECODER,
            (Self::Clip, _) => &clip::TEXT_NAMES,
        }
    }
}

impl Family {
    /// Whether its description has one part for images and one for text.
    pub(crate) fn is_dual(&self) -> bool {
        matches!(self.plan, Plan::Clip)
    }

    /// Whether its description has an encoder next to a decoder.
    pub(crate) fn has_encoder(&self) -> bool {
        matches!(self.plan, Plan::T5 | Plan::Whisper)
    }
}

/// The family of a `model_type`.
pub(crate) fn by_model_type(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.model_types.contains(&name))
}

/// The family of a `general.architecture`.
pub(crate) fn by_gguf(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.gguf.contains(&name))
}

/// What is normalized by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NormKind {
    /// The root mean square.
    Rms,
    /// Mean and variance.
    Layer,
}

/// How the sublayers of a layer are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// A norm, attention, an addition; a norm, feed-forward layers, an addition.
    Sequential,
    /// The same with a norm on what each sublayer gives.
    Sandwich,
    /// Norms on what the sublayers give alone.
    After,
    /// Both sublayers read one norm, and are added together.
    Parallel,
    /// Both sublayers read the stream by a norm each, and are added together.
    ParallelNorms,
}

/// How positions enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Positions {
    /// Queries and keys are turned.
    Rotary,
    /// A table is added to the embeddings. It has this many more rows than there are positions.
    Learned(i64),
}

/// What has a bias, where the weights are not there to show it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Biases {
    pub(crate) query_key_value: bool,
    pub(crate) output: bool,
    pub(crate) ffn: bool,
    pub(crate) head: bool,
    pub(crate) experts: bool,
}

/// The norms on queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryNorms {
    None,
    /// Of each head.
    ByHead,
    /// Of all heads together.
    Whole,
}

/// A family of decoders.
#[derive(Debug)]
pub(crate) struct Decoder {
    pub(crate) names: &'static Names,
    pub(crate) norm: NormKind,
    pub(crate) layout: Layout,
    pub(crate) positions: Positions,
    pub(crate) activation: Activation,
    pub(crate) is_gated: bool,
    pub(crate) biases: Biases,
    pub(crate) query_norms: QueryNorms,
    pub(crate) has_fused_qkv: bool,
    pub(crate) has_fused_gate: bool,
    /// Whether the embeddings are multiplied with the root of their width.
    pub(crate) scales_embeddings: bool,
    pub(crate) is_tied: bool,
    /// Whether the matrices of Transformers have the inputs in the first dimension.
    pub(crate) has_inputs_first: bool,
    /// Every how many layers attention looks back all the way, where the description gives a window.
    pub(crate) period: i64,
    pub(crate) has_sinks: bool,
    /// Whether a gate weighs the experts that every token uses.
    pub(crate) weighs_shared: bool,
}

const NO_BIASES: Biases =
    Biases { query_key_value: false, output: false, ffn: false, head: false, experts: false };

const ALL_BIASES: Biases =
    Biases { query_key_value: true, output: true, ffn: true, head: false, experts: false };

const LLAMA: Decoder = Decoder {
    names: &names::LLAMA,
    norm: NormKind::Rms,
    layout: Layout::Sequential,
    positions: Positions::Rotary,
    activation: Activation::Silu,
    is_gated: true,
    biases: NO_BIASES,
    query_norms: QueryNorms::None,
    has_fused_qkv: false,
    has_fused_gate: false,
    scales_embeddings: false,
    is_tied: false,
    has_inputs_first: false,
    period: 0,
    has_sinks: false,
    weighs_shared: false,
};

const MIXTRAL: Decoder = Decoder { names: &names::MIXTRAL, ..LLAMA };

const QWEN2: Decoder =
    Decoder { biases: Biases { query_key_value: true, ..NO_BIASES }, weighs_shared: true, ..LLAMA };

const QWEN3: Decoder = Decoder { query_norms: QueryNorms::ByHead, ..LLAMA };

const PHI3: Decoder = Decoder { has_fused_qkv: true, has_fused_gate: true, ..LLAMA };

const GEMMA: Decoder =
    Decoder { activation: Activation::GeluTanh, scales_embeddings: true, is_tied: true, ..LLAMA };

const GEMMA2: Decoder =
    Decoder { names: &names::GEMMA2, layout: Layout::Sandwich, period: 2, ..GEMMA };

const GEMMA3: Decoder = Decoder { query_norms: QueryNorms::ByHead, period: 6, ..GEMMA2 };

const GPT_OSS: Decoder = Decoder {
    biases: Biases { query_key_value: true, output: true, experts: true, ..NO_BIASES },
    period: 2,
    has_sinks: true,
    ..LLAMA
};

const OLMO2: Decoder = Decoder {
    names: &names::OLMO2,
    layout: Layout::After,
    query_norms: QueryNorms::Whole,
    ..LLAMA
};

const STABLELM: Decoder = Decoder { norm: NormKind::Layer, ..LLAMA };

const STARCODER2: Decoder = Decoder {
    norm: NormKind::Layer,
    activation: Activation::GeluTanh,
    is_gated: false,
    biases: ALL_BIASES,
    is_tied: true,
    ..LLAMA
};

const PHI: Decoder = Decoder {
    names: &names::PHI,
    norm: NormKind::Layer,
    layout: Layout::Parallel,
    activation: Activation::GeluTanh,
    is_gated: false,
    biases: Biases { head: true, ..ALL_BIASES },
    ..LLAMA
};

const NEOX: Decoder = Decoder {
    names: &names::NEOX,
    norm: NormKind::Layer,
    layout: Layout::ParallelNorms,
    activation: Activation::Gelu,
    is_gated: false,
    biases: ALL_BIASES,
    has_fused_qkv: true,
    ..LLAMA
};

const GPT2: Decoder = Decoder {
    names: &names::GPT,
    norm: NormKind::Layer,
    positions: Positions::Learned(0),
    activation: Activation::GeluTanh,
    is_gated: false,
    biases: ALL_BIASES,
    has_fused_qkv: true,
    is_tied: true,
    has_inputs_first: true,
    ..LLAMA
};

const BIGCODE: Decoder = Decoder { has_inputs_first: false, ..GPT2 };

const GPTJ: Decoder = Decoder {
    layout: Layout::Parallel,
    positions: Positions::Rotary,
    biases: Biases { ffn: true, head: true, ..NO_BIASES },
    has_fused_qkv: false,
    is_tied: false,
    has_inputs_first: false,
    ..GPT2
};

const OPT: Decoder = Decoder {
    names: &names::OPT,
    positions: Positions::Learned(2),
    activation: Activation::Relu,
    has_fused_qkv: false,
    has_inputs_first: false,
    ..GPT2
};

const fn decoder(
    model_types: &'static [&'static str],
    gguf: &'static [&'static str],
    style: &'static Decoder,
) -> Family {
    Family { model_types, gguf, plan: Plan::Decoder(style) }
}

const fn encoder(
    model_types: &'static [&'static str],
    gguf: &'static [&'static str],
    style: &'static Encoder,
) -> Family {
    Family { model_types, gguf, plan: Plan::Encoder(style) }
}

const fn other(
    model_types: &'static [&'static str],
    gguf: &'static [&'static str],
    plan: Plan,
) -> Family {
    Family { model_types, gguf, plan }
}

/// Every family that has a graph.
static FAMILIES: &[Family] = &[
    decoder(
        &["llama", "mistral", "aquila", "smollm", "ministral"],
        &["llama", "mistral", "mistral3"],
        &LLAMA,
    ),
    decoder(&["mixtral"], &[], &MIXTRAL),
    decoder(
        &["qwen2", "qwen2_moe", "qwen2_vl", "qwen2_5_vl", "qwen2_5_vl_text"],
        &["qwen2", "qwen2moe"],
        &QWEN2,
    ),
    decoder(&["qwen3", "qwen3_moe"], &["qwen3", "qwen3moe"], &QWEN3),
    decoder(&["phi3", "phi4"], &["phi3"], &PHI3),
    decoder(&["gemma"], &["gemma"], &GEMMA),
    decoder(&["gemma2"], &["gemma2"], &GEMMA2),
    decoder(&["gemma3", "gemma3_text"], &["gemma3"], &GEMMA3),
    decoder(&["gpt_oss"], &["gpt-oss"], &GPT_OSS),
    decoder(&["olmo2"], &["olmo2"], &OLMO2),
    decoder(&["stablelm"], &["stablelm"], &STABLELM),
    decoder(&["starcoder2"], &["starcoder2"], &STARCODER2),
    decoder(&["phi"], &["phi2"], &PHI),
    decoder(&["gpt_neox"], &["gptneox"], &NEOX),
    decoder(&["gpt2"], &["gpt2"], &GPT2),
    decoder(&["gpt_bigcode"], &["starcoder"], &BIGCODE),
    decoder(&["gptj"], &["gptj"], &GPTJ),
    decoder(&["opt"], &["opt"], &OPT),
    encoder(&["bert"], &["bert"], &encoder::BERT),
    encoder(&["roberta", "xlm-roberta", "camembert"], &[], &encoder::ROBERTA),
    encoder(&["distilbert"], &[], &encoder::DISTILBERT),
    encoder(&["nomic_bert"], &["nomic-bert"], &encoder::NOMIC),
    other(&["t5", "mt5"], &[], Plan::T5),
    other(&["whisper"], &[], Plan::Whisper),
    other(&["clip"], &[], Plan::Clip),
    other(&["vit"], &[], Plan::Vision(&vision::VIT)),
    other(&["deit"], &[], Plan::Vision(&vision::DEIT)),
    other(&["mamba"], &["mamba"], Plan::Mamba),
];

#[cfg(test)]
mod tests {
    use super::FAMILIES;

    #[test]
    fn names_are_once() {
        let mut names: Vec<(u8, &str)> = Vec::new();
        for family in FAMILIES {
            names.extend(family.model_types.iter().map(|name| (0, *name)));
            names.extend(family.gguf.iter().map(|name| (1, *name)));
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
