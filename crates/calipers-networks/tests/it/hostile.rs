//! Descriptions that state what no network has.

use calipers_ir::{DType, Format};
use calipers_networks::{Meta, Network};
use serde_json::{Value, json};

use crate::common::build;

const FAMILIES: &[&str] = &[
    "llama",
    "mixtral",
    "qwen3_moe",
    "phi3",
    "gemma2",
    "gemma3",
    "gpt_oss",
    "olmo2",
    "phi",
    "gpt_neox",
    "gpt2",
    "opt",
    "bert",
    "roberta",
    "distilbert",
    "nomic_bert",
    "t5",
    "whisper",
    "clip",
    "vit",
    "deit",
    "mamba",
    "other",
];

const FIELDS: &[&str] = &[
    "hidden_size",
    "num_hidden_layers",
    "intermediate_size",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "vocab_size",
    "max_position_embeddings",
    "d_model",
    "encoder_layers",
    "encoder_attention_heads",
    "num_local_experts",
    "num_experts_per_tok",
    "first_k_dense_replace",
    "decoder_sparse_step",
    "sliding_window",
    "sliding_window_pattern",
    "max_window_layers",
    "layer_types",
    "image_size",
    "patch_size",
    "conv_kernel",
    "state_size",
    "text_config",
    "vision_config",
    "quantization_config",
    "id2label",
    "architectures",
];

#[test]
fn sizes_that_no_network_has() {
    let values = [
        json!(0),
        json!(-1),
        json!(3),
        json!(1 << 28),
        json!(i64::MAX),
        json!("text"),
        json!(null),
        json!([1, "sliding_attention"]),
        json!({"bits": 4, "group_size": 7}),
    ];
    for family in FAMILIES {
        for field in FIELDS {
            for value in &values {
                let mut config = json!({
                    "model_type": family, "hidden_size": 48, "num_hidden_layers": 2,
                    "num_attention_heads": 4, "vocab_size": 100, "encoder_layers": 2,
                    "encoder_attention_heads": 4,
                });
                config[*field] = value.clone();
                built(&config);
            }
        }
        for value in &values {
            let mut config = json!({"model_type": family, "num_hidden_layers": 1});
            for field in FIELDS.iter().filter(|field| **field != "num_hidden_layers") {
                config[*field] = value.clone();
            }
            built(&config);
        }
    }
}

/// Builds what a configuration describes, with a tensor of strange dimensions in the file too.
fn built(config: &Value) {
    let Some(network) = Network::from_config(config) else { return };
    let _ = network.description();
    // More layers than any network has give no graph; the others are few here.
    build(&network, Format::SafeTensors, &[]);
    let strange = [
        ("model.layers.0.self_attn.q_proj.weight", DType::Int32, &[i64::MAX, -3][..]),
        ("model.embed_tokens.weight", DType::Uint8, &[i64::MAX, 0]),
        ("model.layers.0.self_attn.k_proj.scales", DType::Float16, &[0, 0]),
        ("h.0.attn.c_attn.weight", DType::Float16, &[]),
        ("encoder.layer.0.attention.self.query.weight", DType::Float16, &[1, 2, 3]),
        ("layers.99999999999999999999.mlp.up_proj.weight", DType::Float16, &[1]),
    ];
    build(&network, Format::SafeTensors, &strange);
}

#[test]
fn metadata_that_lies() {
    let sizes = [0, -1, 1, 1 << 28, i64::MAX, i64::MIN];
    for size in sizes {
        for architecture in ["llama", "gpt-oss", "mamba", "bert", "phi3", "unknown"] {
            let get = |key: &str| {
                Some(match key {
                    "general.architecture" => Meta::Text(architecture),
                    _ if key.ends_with("block_count") => Meta::Int(1),
                    _ if key.ends_with("head_count_kv") => {
                        Meta::Array { len: u64::MAX, ints: &[0, -1, i64::MAX] }
                    }
                    _ if key.ends_with("pattern") => Meta::Bool(true),
                    _ if key.ends_with("tokens") => Meta::Array { len: u64::MAX, ints: &[] },
                    _ => Meta::Int(size),
                })
            };
            if let Some(network) = Network::from_gguf(&get) {
                build(&network, Format::Gguf, &[]);
            }
        }
    }
}
