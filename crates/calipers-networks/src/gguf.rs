//! Networks from the metadata of GGUF.

use crate::config::{MAX_LISTED, MAX_SIZE};
use crate::names::Convention;
use crate::network::{Experts, Image, Packing, Stack, State, Windows};
use crate::{Meta, Network, families};

/// The metadata of one architecture.
struct Fields<'g, 'm> {
    get: &'g dyn Fn(&str) -> Option<Meta<'m>>,
    architecture: &'g str,
}

impl<'m> Fields<'_, 'm> {
    fn value(&self, key: &str) -> Option<Meta<'m>> {
        (self.get)(&format!("{}.{key}", self.architecture))
    }

    fn size(&self, key: &str) -> Option<i64> {
        match self.value(key)? {
            Meta::Int(size) => Some(size).filter(|size| (1..=MAX_SIZE).contains(size)),
            _ => None,
        }
    }

    /// Sizes of each layer; empty where all have one.
    fn by_layer(&self, key: &str) -> Vec<i64> {
        match self.value(key) {
            Some(Meta::Array { ints, .. }) if ints.len() <= MAX_LISTED => {
                let is_size = |size: &i64| (1..=MAX_SIZE).contains(size);
                if ints.iter().all(is_size) { ints.to_vec() } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    fn stack(&self) -> Stack {
        let tokens = match (self.get)("tokenizer.ggml.tokens") {
            Some(Meta::Array { len, .. }) => i64::try_from(len).ok(),
            _ => None,
        };
        let same = |list: &[i64]| {
            let first = list.first().copied()?;
            list.iter().all(|size| *size == first).then_some(first)
        };
        let kv_heads_by_layer = self.by_layer("attention.head_count_kv");
        let heads_by_layer = self.by_layer("attention.head_count");
        let ffn_by_layer = self.by_layer("feed_forward_length");
        Stack {
            layers: self.size("block_count"),
            hidden: self.size("embedding_length"),
            ffn: self.size("feed_forward_length").or_else(|| same(&ffn_by_layer)),
            heads: self.size("attention.head_count").or_else(|| same(&heads_by_layer)),
            kv_heads: self.size("attention.head_count_kv").or_else(|| same(&kv_heads_by_layer)),
            head_dim: self.size("attention.key_length"),
            vocabulary: self
                .size("vocab_size")
                .or(tokens.filter(|tokens| (1..=MAX_SIZE).contains(tokens))),
            context: self.size("context_length"),
            kv_heads_by_layer,
            heads_by_layer,
            ffn_by_layer,
        }
    }
}

impl Network {
    /// Reads the metadata of GGUF, which `get` gives by its keys. `None` where it does not describe
    /// a network: it names no architecture, or states neither a family that has a graph here, nor
    /// layers and a width.
    pub fn from_gguf<'m>(get: &dyn Fn(&str) -> Option<Meta<'m>>) -> Option<Self> {
        let Some(Meta::Text(architecture)) = get("general.architecture") else { return None };
        let architecture = architecture.to_owned();
        let fields = Fields { get, architecture: &architecture };
        let family = families::by_gguf(&architecture);
        let stack = fields.stack();
        if family.is_none() && (stack.layers.is_none() || stack.hidden.is_none()) {
            return None;
        }
        let ffn = fields.size("expert_feed_forward_length");
        let shared = fields.size("expert_shared_feed_forward_length").or_else(|| {
            let count = fields.size("expert_shared_count")?;
            ffn?.checked_mul(count)
        });
        let state = State {
            size: fields.size("ssm.state_size"),
            inner: fields.size("ssm.inner_size"),
            kernel: fields.size("ssm.conv_kernel"),
            rank: fields.size("ssm.time_step_rank"),
        };
        let experts = Experts {
            count: fields.size("expert_count").filter(|count| *count > 1),
            used: fields.size("expert_used_count"),
            ffn,
            shared,
            from: fields.size("leading_dense_block_count").unwrap_or(0),
            step: fields.size("interleave_moe_layer_step").unwrap_or(1),
        };
        let windows =
            Windows { size: fields.size("attention.sliding_window"), ..Windows::default() };
        Some(Self {
            convention: Convention::Gguf,
            model_type: architecture.clone(),
            family,
            encoder: Stack::default(),
            experts,
            windows,
            image: Image::default(),
            state,
            activation: None,
            gated: None,
            attention_bias: None,
            output_bias: None,
            is_parallel: match fields.value("use_parallel_residual") {
                Some(Meta::Bool(is_parallel)) => Some(is_parallel),
                _ => None,
            },
            tied: None,
            packing: Packing::default(),
            dtype: None,
            segments: None,
            classes: None,
            projection: None,
            buckets: None,
            bands: None,
            is_mixed: false,
            stack,
            architecture,
        })
    }
}
