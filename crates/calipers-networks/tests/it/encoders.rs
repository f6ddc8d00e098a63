//! Arithmetic of encoders.

use serde_json::json;

use crate::common::from_config;

#[test]
fn bert_base() {
    let built = from_config(&json!({
        "architectures": ["BertModel"], "model_type": "bert", "hidden_size": 768,
        "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
        "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2,
    }));
    // In each layer 4 · 768² + 2 · 768 · 3,072 = 7,077,888 for a token, and 2 · 768 for each pair of
    // tokens; the pooler's 768² for a sequence.
    let macs = |tokens: i64| tokens * 12 * (7_077_888 + 2 * 768 * tokens) + 768 * 768;
    built.is_sound();
    for tokens in [1, 128] {
        assert_eq!(built.macs(&[("batch", 1), ("sequence", tokens)]), macs(tokens));
    }
}

#[test]
fn vit_b_16() {
    let built = from_config(&json!({
        "architectures": ["ViTForImageClassification"], "model_type": "vit", "hidden_size": 768,
        "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
        "image_size": 224, "patch_size": 16,
    }));
    // 196 patches of 3 · 16 · 16 = 768 numbers; 197 tokens in each layer; a head of 768 · 1,000.
    let layers = 12 * 197 * (7_077_888 + 2 * 768 * 197);
    let macs = 196 * 768 * 768 + layers + 768_000;
    assert_eq!(built.is_sound().macs(&[("batch", 1)]), macs);
}

#[test]
fn encoders_next_to_decoders() {
    let t5 = from_config(&json!({
        "model_type": "t5", "d_model": 512, "d_kv": 64, "d_ff": 2048, "num_layers": 6,
        "num_heads": 8, "vocab_size": 32128,
    }));
    // A layer of the encoder has 4 · 512² + 2 · 512 · 2,048 = 3,145,728 for a token. One of the
    // decoder has as much, and 2 · 512² for queries and results; and for a token of the encoder
    // 2 · 512² for keys and values. Attention is 2 · 512 for each pair.
    let (read, written) = (30, 5);
    let encoder = 6 * (read * 3_145_728 + 2 * 512 * read * read);
    let own = written * (3_145_728 + 2 * 262_144) + 2 * 512 * written * written;
    let cross = read * 2 * 262_144 + 2 * 512 * written * read;
    let head = written * 512 * 32128;
    let sizes = [("batch", 1), ("encoder_sequence", read), ("sequence", written)];
    assert_eq!(t5.is_sound().macs(&sizes), encoder + 6 * (own + cross) + head);

    let whisper = from_config(&json!({
        "model_type": "whisper", "d_model": 384, "encoder_layers": 4, "decoder_layers": 4,
        "encoder_attention_heads": 6, "decoder_attention_heads": 6, "encoder_ffn_dim": 1536,
        "decoder_ffn_dim": 1536, "vocab_size": 51865, "num_mel_bins": 80,
        "max_source_positions": 1500, "max_target_positions": 448,
    }));
    // Kernels of three frames over 3,000 places and then 1,500.
    let stem = 3000 * 384 * 80 * 3 + 1500 * 384 * 384 * 3;
    let layer = 4 * 384 * 384 + 2 * 384 * 1536;
    let encoder = 4 * (1500 * layer + 2 * 384 * 1500 * 1500);
    let own = layer + 2 * 384 * 384 + 2 * 384;
    let cross = 1500 * 2 * 384 * 384 + 2 * 384 * 1500;
    let macs = stem + encoder + 4 * (own + cross) + 384 * 51865;
    assert_eq!(whisper.is_sound().macs(&[("batch", 1), ("sequence", 1)]), macs);
}

#[test]
fn embeddings_that_are_compared() {
    let built = from_config(&json!({
        "model_type": "clip", "projection_dim": 512,
        "text_config": {"hidden_size": 512, "intermediate_size": 2048, "num_attention_heads": 8,
            "num_hidden_layers": 12, "vocab_size": 49408, "max_position_embeddings": 77},
        "vision_config": {"hidden_size": 768, "intermediate_size": 3072,
            "num_attention_heads": 12, "num_hidden_layers": 12, "image_size": 224,
            "patch_size": 32},
    }));
    // 49 patches of 3 · 32 · 32 = 3,072 numbers, and a token before them.
    let image = 49 * 3072 * 768 + 12 * 50 * (7_077_888 + 2 * 768 * 50) + 768 * 512;
    let text = 12 * 77 * (3_145_728 + 2 * 512 * 77) + 512 * 512;
    let sizes = [("image_batch", 2), ("text_batch", 3), ("sequence", 77)];
    assert_eq!(built.is_sound().macs(&sizes), 2 * image + 3 * text + 2 * 3 * 512);
}
