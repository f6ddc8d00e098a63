//! Parameters of public networks, as their model cards and `model.num_parameters()` state them.

use serde_json::{Value, json};

use crate::common::from_config;

fn holds(rows: &[(&str, i64, Value)]) {
    for (name, parameters, config) in rows {
        let built = from_config(config);
        assert_eq!(built.is_sound().parameters(), *parameters, "{name}");
    }
}

#[test]
fn gated_decoders() {
    let rows = [
        (
            "Qwen2.5-0.5B",
            494_032_768,
            json!({"model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864,
                "num_hidden_layers": 24, "num_attention_heads": 14, "num_key_value_heads": 2,
                "vocab_size": 151_936, "tie_word_embeddings": true, "use_sliding_window": false,
                "sliding_window": 32768, "max_window_layers": 24}),
        ),
        (
            "Qwen3-0.6B",
            596_049_920,
            json!({"model_type": "qwen3", "hidden_size": 1024, "intermediate_size": 3072,
                "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8,
                "head_dim": 128, "vocab_size": 151_936, "tie_word_embeddings": true,
                "attention_bias": false}),
        ),
        (
            "Mistral-7B-v0.1",
            7_241_732_096,
            json!({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336,
                "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
                "vocab_size": 32000, "sliding_window": 4096, "tie_word_embeddings": false}),
        ),
        (
            "Phi-3-mini",
            3_821_079_552,
            json!({"model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192,
                "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32,
                "vocab_size": 32064, "tie_word_embeddings": false}),
        ),
        (
            "Gemma 2B",
            2_506_172_416,
            json!({"model_type": "gemma", "hidden_size": 2048, "intermediate_size": 16384,
                "num_hidden_layers": 18, "num_attention_heads": 8, "num_key_value_heads": 1,
                "head_dim": 256, "vocab_size": 256_000}),
        ),
        (
            "Gemma 2 2B",
            2_614_341_888,
            json!({"model_type": "gemma2", "hidden_size": 2304, "intermediate_size": 9216,
                "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4,
                "head_dim": 256, "vocab_size": 256_000, "sliding_window": 4096}),
        ),
        (
            "Gemma 3 1B",
            999_885_952,
            json!({"model_type": "gemma3_text", "hidden_size": 1152, "intermediate_size": 6912,
                "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 1,
                "head_dim": 256, "vocab_size": 262_144, "sliding_window": 512,
                "sliding_window_pattern": 6}),
        ),
        (
            "OLMo 2 1B",
            1_484_916_736,
            json!({"model_type": "olmo2", "hidden_size": 2048, "intermediate_size": 8192,
                "num_hidden_layers": 16, "num_attention_heads": 16, "num_key_value_heads": 16,
                "vocab_size": 100_352, "tie_word_embeddings": false, "attention_bias": false}),
        ),
        (
            "Stable LM 2 1.6B",
            1_644_515_328,
            json!({"model_type": "stablelm", "hidden_size": 2048, "intermediate_size": 5632,
                "num_hidden_layers": 24, "num_attention_heads": 32, "num_key_value_heads": 32,
                "vocab_size": 100_352, "tie_word_embeddings": false, "use_qkv_bias": true,
                "use_parallel_residual": false}),
        ),
    ];
    holds(&rows);
}

#[test]
fn plain_decoders() {
    let rows = [
        (
            "GPT-2",
            124_439_808,
            json!({"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": 768,
                "n_layer": 12, "n_head": 12, "n_positions": 1024, "n_ctx": 1024,
                "vocab_size": 50257, "n_inner": null}),
        ),
        (
            "Phi-2",
            2_779_683_840,
            json!({"model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240,
                "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32,
                "vocab_size": 51200, "tie_word_embeddings": false, "partial_rotary_factor": 0.4}),
        ),
        (
            "Pythia 160M",
            162_322_944,
            json!({"model_type": "gpt_neox", "hidden_size": 768, "intermediate_size": 3072,
                "num_hidden_layers": 12, "num_attention_heads": 12, "vocab_size": 50304,
                "tie_word_embeddings": false, "use_parallel_residual": true}),
        ),
        (
            "GPT-J 6B",
            6_050_882_784,
            json!({"model_type": "gptj", "n_embd": 4096, "n_layer": 28, "n_head": 16,
                "n_positions": 2048, "vocab_size": 50400, "tie_word_embeddings": false}),
        ),
        (
            "OPT 125M",
            125_239_296,
            json!({"model_type": "opt", "hidden_size": 768, "ffn_dim": 3072,
                "num_hidden_layers": 12, "num_attention_heads": 12, "vocab_size": 50272,
                "max_position_embeddings": 2048}),
        ),
        (
            "StarCoder2 3B",
            3_030_371_328,
            json!({"model_type": "starcoder2", "hidden_size": 3072, "intermediate_size": 12288,
                "num_hidden_layers": 30, "num_attention_heads": 24, "num_key_value_heads": 2,
                "vocab_size": 49152, "use_bias": true, "sliding_window": 4096}),
        ),
        (
            "Mamba 130M",
            129_135_360,
            json!({"model_type": "mamba", "hidden_size": 768, "intermediate_size": 1536,
                "num_hidden_layers": 24, "state_size": 16, "conv_kernel": 4,
                "time_step_rank": 48, "vocab_size": 50280}),
        ),
    ];
    holds(&rows);
}

#[test]
fn experts() {
    let rows = [
        (
            "Mixtral 8x7B",
            46_702_792_704,
            json!({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
                "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
                "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000,
                "tie_word_embeddings": false}),
        ),
        (
            "gpt-oss-20b",
            20_914_757_184,
            json!({"model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880,
                "num_hidden_layers": 24, "num_attention_heads": 64, "num_key_value_heads": 8,
                "head_dim": 64, "num_local_experts": 32, "num_experts_per_tok": 4,
                "vocab_size": 201_088, "sliding_window": 128, "attention_bias": true,
                "tie_word_embeddings": false}),
        ),
        (
            "Qwen1.5-MoE-A2.7B",
            14_315_784_192,
            json!({"model_type": "qwen2_moe", "hidden_size": 2048, "intermediate_size": 5632,
                "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 16,
                "num_experts": 60, "num_experts_per_tok": 4, "moe_intermediate_size": 1408,
                "shared_expert_intermediate_size": 5632, "vocab_size": 151_936,
                "tie_word_embeddings": false}),
        ),
        (
            "Qwen3-30B-A3B",
            30_532_122_624,
            json!({"model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144,
                "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4,
                "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
                "moe_intermediate_size": 768, "vocab_size": 151_936,
                "tie_word_embeddings": false}),
        ),
    ];
    holds(&rows);
}

#[test]
fn encoders() {
    let rows = [
        (
            "BERT base",
            109_482_240,
            json!({"architectures": ["BertModel"], "model_type": "bert", "hidden_size": 768,
                "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
                "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2}),
        ),
        (
            "DistilBERT base",
            66_362_880,
            json!({"architectures": ["DistilBertModel"], "model_type": "distilbert", "dim": 768,
                "n_layers": 6, "n_heads": 12, "hidden_dim": 3072, "vocab_size": 30522,
                "max_position_embeddings": 512}),
        ),
        (
            "T5 small",
            60_506_624,
            json!({"model_type": "t5", "d_model": 512, "d_kv": 64, "d_ff": 2048, "num_layers": 6,
                "num_heads": 8, "relative_attention_num_buckets": 32, "vocab_size": 32128}),
        ),
        (
            "Whisper tiny",
            37_760_640,
            json!({"model_type": "whisper", "d_model": 384, "encoder_layers": 4,
                "decoder_layers": 4, "num_hidden_layers": 4, "encoder_attention_heads": 6,
                "decoder_attention_heads": 6, "encoder_ffn_dim": 1536, "decoder_ffn_dim": 1536,
                "vocab_size": 51865, "num_mel_bins": 80, "max_source_positions": 1500,
                "max_target_positions": 448}),
        ),
        (
            "CLIP ViT-B/32",
            151_277_313,
            json!({"model_type": "clip", "projection_dim": 512,
                "text_config": {"hidden_size": 512, "intermediate_size": 2048,
                    "num_attention_heads": 8, "num_hidden_layers": 12, "vocab_size": 49408,
                    "max_position_embeddings": 77},
                "vision_config": {"hidden_size": 768, "intermediate_size": 3072,
                    "num_attention_heads": 12, "num_hidden_layers": 12, "image_size": 224,
                    "patch_size": 32}}),
        ),
        (
            "ViT-B/16",
            86_567_656,
            json!({"architectures": ["ViTForImageClassification"], "model_type": "vit",
                "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
                "num_attention_heads": 12, "image_size": 224, "patch_size": 16}),
        ),
    ];
    holds(&rows);
}
