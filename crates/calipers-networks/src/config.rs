//! Networks from `config.json` of Hugging Face.

use calipers_ir::DType;
use serde_json::Value;

use crate::Network;
use crate::families;
use crate::names::Convention;
use crate::network::{Activation, Experts, Image, Packing, Stack, State, Windows};

/// Sizes above this are not those of a network.
pub(crate) const MAX_SIZE: i64 = 1 << 28;

/// Layers of a list that are looked at.
pub(crate) const MAX_LISTED: usize = 4096;

/// Where configurations of several networks have the one that reads and writes text.
const TEXT: &[&str] = &["text_config", "llm_config", "language_config"];

const LAYERS: &[&str] = &[
    "num_hidden_layers",
    "n_layer",
    "n_layers",
    "num_layers",
    "decoder_layers",
    "num_decoder_layers",
];
const HIDDEN: &[&str] = &["hidden_size", "n_embd", "d_model", "dim", "model_dim"];
const FFN: &[&str] =
    &["intermediate_size", "n_inner", "d_ff", "ffn_dim", "decoder_ffn_dim", "hidden_dim"];
const HEADS: &[&str] =
    &["num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads"];
const KV_HEADS: &[&str] = &["num_key_value_heads", "num_kv_heads", "n_head_kv"];
const HEAD_DIM: &[&str] = &["head_dim", "d_kv"];
const VOCABULARY: &[&str] = &["vocab_size"];
const CONTEXT: &[&str] = &[
    "max_position_embeddings",
    "n_positions",
    "max_target_positions",
    "n_ctx",
    "max_sequence_length",
    "max_seq_len",
    "seq_length",
];
const ACTIVATIONS: &[&str] =
    &["hidden_act", "hidden_activation", "activation_function", "activation", "dense_act_fn"];
const EXPERTS: &[&str] =
    &["num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"];
const EXPERTS_USED: &[&str] =
    &["num_experts_per_tok", "experts_per_token", "num_experts_per_token", "moe_top_k"];

/// A part of a configuration.
#[derive(Clone, Copy)]
struct Config<'c>(&'c Value);

impl<'c> Config<'c> {
    fn value(self, key: &str) -> Option<&'c Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    fn number(self, keys: &[&str]) -> Option<i64> {
        keys.iter().find_map(|key| self.value(key)?.as_i64())
    }

    /// The first of these that is a size.
    fn size(self, keys: &[&str]) -> Option<i64> {
        let sizes = keys.iter().filter_map(|key| self.value(key)?.as_i64());
        sizes.into_iter().find(|size| (1..=MAX_SIZE).contains(size))
    }

    fn text(self, key: &str) -> Option<&'c str> {
        self.value(key)?.as_str()
    }

    fn flag(self, keys: &[&str]) -> Option<bool> {
        keys.iter().find_map(|key| self.value(key)?.as_bool())
    }

    fn part(self, keys: &[&str]) -> Option<Self> {
        keys.iter().find_map(|key| self.value(key).filter(|it| it.is_object()).map(Self))
    }

    fn list(self, key: &str) -> &'c [Value] {
        let list = self.value(key).and_then(Value::as_array);
        list.map_or(&[], |list| list.get(..list.len().min(MAX_LISTED)).unwrap_or_default())
    }

    fn stack(self) -> Stack {
        let heads = self.size(HEADS);
        let shared = self.flag(&["multi_query"]) == Some(true);
        Stack {
            layers: self.size(LAYERS),
            hidden: self.size(HIDDEN),
            ffn: self.size(FFN),
            heads,
            kv_heads: self.size(KV_HEADS).or(shared.then_some(1)),
            head_dim: self.size(HEAD_DIM),
            vocabulary: self.size(VOCABULARY),
            context: self.size(CONTEXT),
            ..Stack::default()
        }
    }

    /// The encoder next to a decoder, where its layers have names of their own.
    fn encoder(self, hidden: Option<i64>) -> Stack {
        Stack {
            layers: self.size(&["encoder_layers", "num_layers"]),
            hidden,
            ffn: self.size(&["encoder_ffn_dim", "d_ff"]),
            heads: self.size(&["encoder_attention_heads", "num_heads"]),
            head_dim: self.size(&["d_kv"]),
            context: self.size(&["max_source_positions"]),
            ..Stack::default()
        }
    }

    fn experts(self) -> Experts {
        let ffn = self.size(&["moe_intermediate_size", "expert_ffn_dim"]);
        let shared = self.size(&["shared_expert_intermediate_size"]).or_else(|| {
            let count = self.size(&["n_shared_experts"])?;
            ffn?.checked_mul(count)
        });
        Experts {
            count: self.size(EXPERTS).filter(|count| *count > 1),
            used: self.size(EXPERTS_USED),
            ffn,
            shared,
            from: self.size(&["first_k_dense_replace"]).unwrap_or(0),
            step: self.size(&["decoder_sparse_step", "moe_layer_freq"]).unwrap_or(1),
        }
    }

    fn windows(self) -> Windows {
        let is_used = self.flag(&["use_sliding_window"]) != Some(false);
        let listed = self.list("layer_types").iter();
        Windows {
            size: self.size(&["sliding_window", "attention_window"]).filter(|_| is_used),
            period: self.size(&["sliding_window_pattern", "_sliding_window_pattern"]),
            by_layer: listed.map(|kind| kind.as_str() == Some("sliding_attention")).collect(),
            from: match self.flag(&["use_sliding_window"]) {
                Some(true) => self.number(&["max_window_layers"]).unwrap_or(0),
                _ => 0,
            },
        }
    }

    /// Whether layers are neither full attention nor attention in a window.
    fn is_mixed(self) -> bool {
        let is_attention = |kind: &Value| {
            matches!(kind.as_str(), Some("full_attention" | "sliding_attention" | "attention"))
        };
        !self.list("layer_types").iter().all(is_attention)
    }

    fn image(self) -> Image {
        Image {
            side: self.size(&["image_size"]),
            patch: self.size(&["patch_size"]),
            channels: self.size(&["num_channels"]),
        }
    }

    fn state(self) -> State {
        State {
            size: self.size(&["state_size", "d_state"]),
            inner: self.size(&["intermediate_size", "d_inner"]),
            kernel: self.size(&["conv_kernel", "d_conv"]),
            rank: self.size(&["time_step_rank", "dt_rank"]),
        }
    }

    fn packing(self) -> Packing {
        let Some(packing) = self.part(&["quantization_config", "quantization"]) else {
            return Packing::default();
        };
        let of_width = |key: &str, bits| (packing.flag(&[key]) == Some(true)).then_some(bits);
        let bits = packing.size(&["bits", "w_bit"]).or_else(|| {
            of_width("load_in_4bit", 4)
                .or_else(|| of_width("_load_in_4bit", 4))
                .or_else(|| of_width("load_in_8bit", 8))
                .or_else(|| of_width("_load_in_8bit", 8))
        });
        // The configurations of MLX name no method.
        let is_mlx = packing.text("quant_method").is_none() && bits.is_some();
        let method = packing.text("quant_method").unwrap_or(if is_mlx { "mlx" } else { "" });
        Packing {
            method: method.to_owned(),
            bits: bits.filter(|bits| *bits <= 32),
            group: packing.size(&["group_size", "q_group_size"]),
        }
    }

    fn activation(self) -> Option<Activation> {
        ACTIVATIONS.iter().find_map(|key| Activation::named(self.text(key)?))
    }

    fn dtype(self) -> Option<DType> {
        let named = self.text("torch_dtype").or_else(|| self.text("dtype"))?;
        named.trim_start_matches("torch.").parse().ok().filter(|dtype: &DType| dtype.is_float())
    }
}

impl Network {
    /// Reads a `config.json` of Hugging Face. `None` where it does not describe a network: it states
    /// neither a family that has a graph here, nor layers and a width.
    pub fn from_config(config: &Value) -> Option<Self> {
        let whole = Config(config);
        let stated = whole.text("model_type").unwrap_or_default();
        let is_dual = families::by_model_type(stated).is_some_and(families::Family::is_dual);
        let nested = (whole.size(LAYERS).is_none() && !is_dual).then(|| whole.part(TEXT)).flatten();
        let text =
            nested.unwrap_or(if is_dual { whole.part(TEXT).unwrap_or(whole) } else { whole });
        let inner = text.text("model_type").unwrap_or(stated);
        let family = match nested {
            Some(_) => families::by_model_type(inner).or_else(|| families::by_model_type(stated)),
            None => families::by_model_type(stated),
        };
        let first = whole.list("architectures").first().and_then(Value::as_str);
        let mut stack = text.stack();
        if family.is_some_and(families::Family::has_encoder) {
            let stated = text.size(&["decoder_layers", "num_decoder_layers"]);
            stack.layers = stated.or(stack.layers);
            stack.heads = text.size(&["decoder_attention_heads"]).or(stack.heads);
        }
        if family.is_none() && (stack.layers.is_none() || stack.hidden.is_none()) {
            return None;
        }
        let encoder = match whole.part(&["vision_config"]).filter(|_| is_dual) {
            Some(vision) => vision.stack(),
            None => whole.encoder(stack.hidden),
        };
        let image = whole.part(&["vision_config"]).filter(|_| is_dual).unwrap_or(whole).image();
        let activation = text.activation().or_else(|| {
            Activation::named(text.text("feed_forward_proj")?.trim_start_matches("gated-"))
        });
        let labels = whole.value("id2label").and_then(Value::as_object).map(serde_json::Map::len);
        Some(Self {
            convention: Convention::HuggingFace,
            architecture: first.unwrap_or(stated).to_owned(),
            model_type: if family.is_some() && nested.is_some() { inner } else { stated }
                .to_owned(),
            family,
            encoder,
            experts: text.experts(),
            windows: text.windows(),
            image,
            state: text.state(),
            activation,
            gated: text.text("feed_forward_proj").map(|form| form.starts_with("gated")),
            attention_bias: text.flag(&["attention_bias", "qkv_bias", "use_qkv_bias", "use_bias"]),
            output_bias: text.flag(&["attention_bias", "use_bias"]),
            is_parallel: text.flag(&["use_parallel_residual"]),
            tied: text
                .flag(&["tie_word_embeddings"])
                .or_else(|| whole.flag(&["tie_word_embeddings"])),
            packing: whole.packing(),
            dtype: whole.dtype().or_else(|| text.dtype()),
            segments: text.size(&["type_vocab_size"]),
            classes: whole
                .size(&["num_labels"])
                .or_else(|| i64::try_from(labels?).ok().filter(|labels| *labels > 0)),
            projection: whole.size(&["projection_dim"]),
            buckets: text.size(&["relative_attention_num_buckets"]),
            bands: text.size(&["num_mel_bins"]),
            is_mixed: text.is_mixed(),
            stack,
        })
    }
}
