//! Names of tensors, by what they are for.

/// How a file names its tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Convention {
    /// By the modules of PyTorch, as Transformers has them.
    HuggingFace,
    /// By the tables of llama.cpp.
    Gguf,
}

/// What a tensor, or a module of a weight and a bias, is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Embedding,
    Positions,
    Segments,
    EmbeddingNorm,
    FinalNorm,
    Head,
    /// The norm before attention; before both sublayers, where they are parallel.
    AttentionNorm,
    /// The norm on what attention gives.
    AfterAttention,
    /// The norm before the feed-forward layers.
    FfnNorm,
    /// The norm on what the feed-forward layers give.
    AfterFfn,
    Query,
    Key,
    Value,
    /// Queries, keys and values in one.
    Fused,
    Output,
    QueryNorm,
    KeyNorm,
    Sinks,
    Gate,
    Up,
    Down,
    /// Gate and up in one.
    FusedGate,
    Router,
    /// The matrices of one expert; `{}` is its number.
    ExpertGate,
    ExpertUp,
    ExpertDown,
    /// The matrices of all experts in one.
    ExpertsGate,
    ExpertsUp,
    ExpertsDown,
    /// Gate and up of all experts in one.
    ExpertsFused,
    SharedGate,
    SharedUp,
    SharedDown,
    SharedRouter,
    /// Attention of a decoder to its encoder.
    CrossNorm,
    CrossQuery,
    CrossKey,
    CrossValue,
    CrossOutput,
    /// The table of a relative position bias.
    RelativeBias,
    /// What a state space layer is made of.
    StateIn,
    StateConv,
    StateInputs,
    StateStep,
    StateDecay,
    StateSkip,
    StateOut,
}

/// The names of one stack of layers.
#[derive(Debug)]
pub(crate) struct Names {
    /// What is before the names of the stack, where the file does not show it.
    pub(crate) root: &'static str,
    /// A layer; `{}` is its number.
    pub(crate) layer: &'static str,
    /// Names by role; the first of a role that the file has, else the first of all.
    pub(crate) roles: &'static [(Role, &'static str)],
}

impl Names {
    /// The names of a role.
    pub(crate) fn for_role(
        &self,
        role: Role,
    ) -> impl Iterator<Item = &'static str> + Clone + use<> {
        let roles: &'static [(Role, &'static str)] = self.roles;
        roles.iter().filter(move |(of, _)| *of == role).map(|(_, name)| *name)
    }
}

use Role::*;

/// Llama, and all that followed it.
pub(crate) static LLAMA: Names = Names {
    root: "model.",
    layer: "layers.{}.",
    roles: &[
        (Embedding, "embed_tokens"),
        (FinalNorm, "norm"),
        (Head, "lm_head"),
        (AttentionNorm, "input_layernorm"),
        (Query, "self_attn.q_proj"),
        (Key, "self_attn.k_proj"),
        (Value, "self_attn.v_proj"),
        (Fused, "self_attn.qkv_proj"),
        (Output, "self_attn.o_proj"),
        (QueryNorm, "self_attn.q_norm"),
        (KeyNorm, "self_attn.k_norm"),
        (Sinks, "self_attn.sinks"),
        (FfnNorm, "post_attention_layernorm"),
        (Gate, "mlp.gate_proj"),
        (Up, "mlp.up_proj"),
        (Up, "mlp.c_fc"),
        (Down, "mlp.down_proj"),
        (Down, "mlp.c_proj"),
        (FusedGate, "mlp.gate_up_proj"),
        (Router, "mlp.gate"),
        (Router, "mlp.router"),
        (ExpertGate, "mlp.experts.{}.gate_proj"),
        (ExpertUp, "mlp.experts.{}.up_proj"),
        (ExpertDown, "mlp.experts.{}.down_proj"),
        (ExpertsFused, "mlp.experts.gate_up_proj"),
        (ExpertsDown, "mlp.experts.down_proj"),
        (SharedGate, "mlp.shared_expert.gate_proj"),
        (SharedGate, "mlp.shared_experts.gate_proj"),
        (SharedUp, "mlp.shared_expert.up_proj"),
        (SharedUp, "mlp.shared_experts.up_proj"),
        (SharedDown, "mlp.shared_expert.down_proj"),
        (SharedDown, "mlp.shared_experts.down_proj"),
        (SharedRouter, "mlp.shared_expert_gate"),
    ],
};

/// Mixtral: Llama with experts.
pub(crate) static MIXTRAL: Names = Names {
    root: "model.",
    layer: "layers.{}.",
    roles: &[
        (Embedding, "embed_tokens"),
        (FinalNorm, "norm"),
        (Head, "lm_head"),
        (AttentionNorm, "input_layernorm"),
        (Query, "self_attn.q_proj"),
        (Key, "self_attn.k_proj"),
        (Value, "self_attn.v_proj"),
        (Output, "self_attn.o_proj"),
        (FfnNorm, "post_attention_layernorm"),
        (Router, "block_sparse_moe.gate"),
        (Router, "mlp.gate"),
        (ExpertGate, "block_sparse_moe.experts.{}.w1"),
        (ExpertUp, "block_sparse_moe.experts.{}.w3"),
        (ExpertDown, "block_sparse_moe.experts.{}.w2"),
        (ExpertsFused, "mlp.experts.gate_up_proj"),
        (ExpertsDown, "mlp.experts.down_proj"),
    ],
};

/// Gemma 2 and 3: a norm on what each sublayer gives as well.
pub(crate) static GEMMA2: Names = Names {
    root: "model.",
    layer: "layers.{}.",
    roles: &[
        (Embedding, "embed_tokens"),
        (FinalNorm, "norm"),
        (Head, "lm_head"),
        (AttentionNorm, "input_layernorm"),
        (Query, "self_attn.q_proj"),
        (Key, "self_attn.k_proj"),
        (Value, "self_attn.v_proj"),
        (Output, "self_attn.o_proj"),
        (QueryNorm, "self_attn.q_norm"),
        (KeyNorm, "self_attn.k_norm"),
        (AfterAttention, "post_attention_layernorm"),
        (FfnNorm, "pre_feedforward_layernorm"),
        (AfterFfn, "post_feedforward_layernorm"),
        (Gate, "mlp.gate_proj"),
        (Up, "mlp.up_proj"),
        (Down, "mlp.down_proj"),
    ],
};

/// OLMo 2: norms on what the sublayers give, and none before them.
pub(crate) static OLMO2: Names = Names {
    root: "model.",
    layer: "layers.{}.",
    roles: &[
        (Embedding, "embed_tokens"),
        (FinalNorm, "norm"),
        (Head, "lm_head"),
        (Query, "self_attn.q_proj"),
        (Key, "self_attn.k_proj"),
        (Value, "self_attn.v_proj"),
        (Output, "self_attn.o_proj"),
        (QueryNorm, "self_attn.q_norm"),
        (KeyNorm, "self_attn.k_norm"),
        (AfterAttention, "post_attention_layernorm"),
        (AfterFfn, "post_feedforward_layernorm"),
        (Gate, "mlp.gate_proj"),
        (Up, "mlp.up_proj"),
        (Down, "mlp.down_proj"),
    ],
};

/// Phi-1 and Phi-2.
pub(crate) static PHI: Names = Names {
    root: "model.",
    layer: "layers.{}.",
    roles: &[
        (Embedding, "embed_tokens"),
        (FinalNorm, "final_layernorm"),
        (Head, "lm_head"),
        (AttentionNorm, "input_layernorm"),
        (Query, "self_attn.q_proj"),
        (Key, "self_attn.k_proj"),
        (Value, "self_attn.v_proj"),
        (Output, "self_attn.dense"),
        (Up, "mlp.fc1"),
        (Down, "mlp.fc2"),
    ],
};

/// GPT-NeoX and Pythia.
pub(crate) static NEOX: Names = Names {
    root: "gpt_neox.",
    layer: "layers.{}.",
    roles: &[
        (Embedding, "embed_in"),
        (FinalNorm, "final_layer_norm"),
        (Head, "embed_out"),
        (AttentionNorm, "input_layernorm"),
        (FfnNorm, "post_attention_layernorm"),
        (Fused, "attention.query_key_value"),
        (Output, "attention.dense"),
        (Up, "mlp.dense_h_to_4h"),
        (Down, "mlp.dense_4h_to_h"),
    ],
};

/// GPT-2, GPT-BigCode and GPT-J.
pub(crate) static GPT: Names = Names {
    root: "transformer.",
    layer: "h.{}.",
    roles: &[
        (Embedding, "wte"),
        (Positions, "wpe"),
        (FinalNorm, "ln_f"),
        (Head, "lm_head"),
        (AttentionNorm, "ln_1"),
        (FfnNorm, "ln_2"),
        (Query, "attn.q_proj"),
        (Key, "attn.k_proj"),
        (Value, "attn.v_proj"),
        (Fused, "attn.c_attn"),
        (Output, "attn.c_proj"),
        (Output, "attn.out_proj"),
        (Up, "mlp.c_fc"),
        (Up, "mlp.fc_in"),
        (Down, "mlp.c_proj"),
        (Down, "mlp.fc_out"),
    ],
};

/// OPT.
pub(crate) static OPT: Names = Names {
    root: "model.decoder.",
    layer: "layers.{}.",
    roles: &[
        (Embedding, "embed_tokens"),
        (Positions, "embed_positions"),
        (FinalNorm, "final_layer_norm"),
        (Head, "lm_head"),
        (AttentionNorm, "self_attn_layer_norm"),
        (FfnNorm, "final_layer_norm"),
        (Query, "self_attn.q_proj"),
        (Key, "self_attn.k_proj"),
        (Value, "self_attn.v_proj"),
        (Output, "self_attn.out_proj"),
        (Up, "fc1"),
        (Down, "fc2"),
    ],
};

/// Every decoder, and BERT, in GGUF.
pub(crate) static GGUF: Names = Names {
    root: "",
    layer: "blk.{}.",
    roles: &[
        (Embedding, "token_embd"),
        (Positions, "position_embd"),
        (Segments, "token_types"),
        (EmbeddingNorm, "token_embd_norm"),
        (FinalNorm, "output_norm"),
        (Head, "output"),
        (AttentionNorm, "attn_norm"),
        (AfterAttention, "post_attention_norm"),
        (AfterAttention, "attn_output_norm"),
        (Query, "attn_q"),
        (Key, "attn_k"),
        (Value, "attn_v"),
        (Fused, "attn_qkv"),
        (Output, "attn_output"),
        (QueryNorm, "attn_q_norm"),
        (KeyNorm, "attn_k_norm"),
        (Sinks, "attn_sinks"),
        (FfnNorm, "ffn_norm"),
        (FfnNorm, "post_attention_norm"),
        (AfterFfn, "post_ffw_norm"),
        (AfterFfn, "layer_output_norm"),
        (Gate, "ffn_gate"),
        (Up, "ffn_up"),
        (Down, "ffn_down"),
        (FusedGate, "ffn_up"),
        (Router, "ffn_gate_inp"),
        (ExpertGate, "ffn_gate.{}"),
        (ExpertUp, "ffn_up.{}"),
        (ExpertDown, "ffn_down.{}"),
        (ExpertsGate, "ffn_gate_exps"),
        (ExpertsUp, "ffn_up_exps"),
        (ExpertsDown, "ffn_down_exps"),
        (SharedGate, "ffn_gate_shexp"),
        (SharedUp, "ffn_up_shexp"),
        (SharedDown, "ffn_down_shexp"),
        (SharedRouter, "ffn_gate_inp_shexp"),
    ],
};
