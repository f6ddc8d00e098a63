//! What is recognized of the graph of each family.

use calipers_report::{Family, Style};
use serde_json::{Value, json};

use crate::common::from_config;

/// A small configuration with these fields next to those that most decoders have.
fn small(model_type: &str, more: &Value) -> Value {
    let mut config = json!({
        "model_type": model_type, "hidden_size": 64, "num_hidden_layers": 3,
        "intermediate_size": 160, "num_attention_heads": 4, "num_key_value_heads": 2,
        "vocab_size": 1000, "max_position_embeddings": 128,
    });
    let fields = config.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    config
}

#[test]
fn decoders() {
    let none = json!({});
    let gpt = json!({"num_key_value_heads": 4});
    let experts = json!({
        "num_local_experts": 8, "num_experts": 8, "num_experts_per_tok": 2,
        "moe_intermediate_size": 32,
    });
    let gemma = json!({"head_dim": 32, "hidden_activation": "gelu_pytorch_tanh"});
    let rows = [
        ("llama", Family::Llama, &none),
        ("mistral", Family::Mistral, &none),
        ("qwen2", Family::Qwen2, &none),
        ("qwen3", Family::Qwen3, &none),
        ("phi3", Family::Phi3, &none),
        ("gemma", Family::Gemma, &gemma),
        ("gemma2", Family::Gemma2, &gemma),
        ("gemma3_text", Family::Gemma3, &gemma),
        ("phi", Family::Phi, &gpt),
        ("gpt_neox", Family::GptNeox, &gpt),
        ("gptj", Family::GptJ, &gpt),
        ("gpt2", Family::Gpt2, &gpt),
        ("opt", Family::Opt, &gpt),
        ("mixtral", Family::Mixtral, &experts),
        ("gpt_oss", Family::GptOss, &experts),
        ("qwen3_moe", Family::Qwen3Moe, &experts),
    ];
    for (name, family, more) in rows {
        let built = from_config(&small(name, more));
        let seen = built.is_sound().seen();
        let architecture = &seen.architecture;
        let evidence = (&architecture.evidence, &architecture.facts);
        assert_eq!(architecture.family, Some(family), "{name}: {evidence:#?}");
        assert_eq!(architecture.style, Some(Style::Decoder), "{name}");
        let cache = seen.cache.unwrap_or_else(|| panic!("{name} has no cache"));
        assert_eq!(cache.layers, 3, "{name}");
        assert_eq!(u64::try_from(built.parameters()), Ok(seen.parameters), "{name}");
    }
}

#[test]
fn others() {
    let bert = json!({"type_vocab_size": 2, "hidden_act": "gelu"});
    let distilbert = json!({
        "model_type": "distilbert", "dim": 64, "n_layers": 3, "n_heads": 4, "hidden_dim": 256,
        "vocab_size": 1000, "max_position_embeddings": 128, "activation": "gelu",
    });
    let t5 = json!({
        "model_type": "t5", "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 3,
        "num_heads": 4, "vocab_size": 1000, "feed_forward_proj": "relu",
    });
    let whisper = json!({
        "model_type": "whisper", "d_model": 64, "encoder_layers": 2, "decoder_layers": 2,
        "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 256,
        "decoder_ffn_dim": 256, "vocab_size": 1000, "num_mel_bins": 80,
        "max_source_positions": 1500, "max_target_positions": 448,
    });
    let clip = json!({
        "model_type": "clip", "projection_dim": 32,
        "text_config": {"hidden_size": 32, "intermediate_size": 128, "num_attention_heads": 4,
            "num_hidden_layers": 2, "vocab_size": 200, "max_position_embeddings": 77},
        "vision_config": {"hidden_size": 48, "intermediate_size": 192, "num_attention_heads": 6,
            "num_hidden_layers": 2, "image_size": 64, "patch_size": 16},
    });
    let vit = json!({
        "architectures": ["ViTForImageClassification"], "model_type": "vit", "hidden_size": 64,
        "num_hidden_layers": 3, "intermediate_size": 256, "num_attention_heads": 4,
        "image_size": 64, "patch_size": 16, "num_labels": 10,
    });
    let rows = [
        ("bert", Family::Bert, Style::Encoder, small("bert", &bert)),
        ("roberta", Family::Roberta, Style::Encoder, small("roberta", &json!({}))),
        ("distilbert", Family::Distilbert, Style::Encoder, distilbert),
        ("t5", Family::T5, Style::EncoderDecoder, t5),
        ("whisper", Family::Whisper, Style::EncoderDecoder, whisper),
        ("clip", Family::Clip, Style::DualEncoder, clip),
        ("vit", Family::Vit, Style::Vision, vit),
    ];
    for (name, family, style, config) in rows {
        let built = from_config(&config);
        let seen = built.is_sound().seen();
        let architecture = &seen.architecture;
        let evidence = (&architecture.evidence, &architecture.facts);
        assert_eq!(architecture.family, Some(family), "{name}: {evidence:#?}");
        assert_eq!(architecture.style, Some(style), "{name}: {evidence:#?}");
        assert_eq!(u64::try_from(built.parameters()), Ok(seen.parameters), "{name}");
    }
}
