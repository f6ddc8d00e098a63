//! Arithmetic and caches of decoders.

use calipers_ir::{DType, Format};
use calipers_networks::{Meta, Network};
use serde_json::json;

use crate::common::{build, from_config};

#[test]
fn llama_3_2_1b() {
    let built = from_config(&json!({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
        "hidden_size": 2048, "intermediate_size": 8192, "max_position_embeddings": 131_072,
        "num_attention_heads": 32, "num_hidden_layers": 16, "num_key_value_heads": 8,
        "head_dim": 64, "tie_word_embeddings": true, "torch_dtype": "bfloat16",
        "vocab_size": 128_256,
    }));
    built.is_sound();
    // Embeddings 128,256 · 2,048; in each layer 2 · 2,048² + 2 · 2,048 · 512, 3 · 2,048 · 8,192 and
    // two norms of 2,048; and one norm.
    assert_eq!(built.parameters(), 1_235_814_400);
    // For each token, the matrices of the layers and the head: 1,235,814,400 less 33 norms of 2,048
    // is 1,235,746,816. For each pair of a token and a position, 2 · 2,048 in each of 16 layers.
    let each = 1_235_746_816;
    let pairs = 16 * 2 * 2048;
    let sizes = [("batch", 1), ("sequence", 1), ("past_sequence", 999)];
    assert_eq!(built.macs(&sizes), each + pairs * 1000);
    let sizes = [("batch", 2), ("sequence", 7), ("past_sequence", 3)];
    assert_eq!(built.macs(&sizes), 14 * (each + pairs * 10));
    // Keys and values of 8 heads of 64 in 16 layers, two bytes each.
    let cache = built.seen().cache.unwrap();
    assert_eq!(cache.bytes_per_token, Some(2 * 16 * 8 * 64 * 2));
    assert_eq!((cache.dtype.as_str(), cache.window), ("bfloat16", None));
}

#[test]
fn gpt_2() {
    let built = from_config(&json!({
        "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": 768, "n_layer": 12,
        "n_head": 12, "n_positions": 1024, "vocab_size": 50257,
    }));
    // In each layer 768 · 2,304 + 768 · 768 + 2 · 768 · 3,072 = 7,077,888; a head of 768 · 50,257.
    let each = 12 * 7_077_888 + 768 * 50257;
    let sizes = [("batch", 1), ("sequence", 10), ("past_sequence", 0)];
    assert_eq!(built.is_sound().macs(&sizes), 10 * (each + 12 * 2 * 768 * 10));
}

#[test]
fn experts_that_a_token_uses() {
    let built = from_config(&json!({
        "model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000,
        "sliding_window": null, "torch_dtype": "bfloat16", "tie_word_embeddings": false,
    }));
    // In each layer, queries and outputs 2 · 4,096², keys and values 2 · 4,096 · 1,024, a router of
    // 4,096 · 8 and two experts of 3 · 4,096 · 14,336; a head of 4,096 · 32,000.
    let each = 32 * (41_943_040 + 32_768 + 2 * 176_160_768) + 131_072_000;
    let sizes = [("batch", 1), ("sequence", 1), ("past_sequence", 99)];
    assert_eq!(built.is_sound().macs(&sizes), each + 32 * 2 * 4096 * 100);
    let facts = built.seen().architecture.facts;
    assert_eq!((facts.experts, facts.experts_per_token), (Some(8), Some(2)));
}

#[test]
fn windows_of_some_layers() {
    let config = json!({
        "model_type": "gemma3_text", "hidden_size": 64, "intermediate_size": 128,
        "num_hidden_layers": 12, "num_attention_heads": 2, "num_key_value_heads": 1,
        "head_dim": 32, "vocab_size": 500, "sliding_window": 16,
    });
    // Every sixth layer looks back all the way.
    let cache = from_config(&config).seen().cache.unwrap();
    assert_eq!((cache.window, cache.windowed_layers), (Some(16), 10));
    let mut listed = config.clone();
    let kinds: Vec<_> =
        (0..12).map(|at| if at < 3 { "sliding_attention" } else { "full_attention" }).collect();
    listed["layer_types"] = json!(kinds);
    let cache = from_config(&listed).seen().cache.unwrap();
    assert_eq!((cache.window, cache.windowed_layers), (Some(16), 3));
    // Layers that no graph here has.
    let mut mixed = config;
    mixed["layer_types"] = json!(["linear_attention", "full_attention"]);
    let network = Network::from_config(&mixed).unwrap();
    assert_eq!(network.description().layers, Some(12));
    assert!(build(&network, Format::SafeTensors, &[]).is_none());
}

#[test]
fn tensors_of_the_file_are_used() {
    let config = json!({
        "model_type": "llama", "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 1,
        "num_attention_heads": 2, "vocab_size": 20, "torch_dtype": "float16",
    });
    let network = Network::from_config(&config).unwrap();
    let names = [
        ("embed_tokens.weight", vec![20, 8]),
        ("layers.0.input_layernorm.weight", vec![8]),
        ("layers.0.self_attn.q_proj.weight", vec![8, 8]),
        ("layers.0.self_attn.q_proj.bias", vec![8]),
        ("layers.0.self_attn.k_proj.weight", vec![8, 8]),
        ("layers.0.self_attn.v_proj.weight", vec![8, 8]),
        ("layers.0.self_attn.o_proj.weight", vec![8, 8]),
        ("layers.0.post_attention_layernorm.weight", vec![8]),
        ("layers.0.mlp.gate_proj.weight", vec![12, 8]),
        ("layers.0.mlp.up_proj.weight", vec![12, 8]),
        ("layers.0.mlp.down_proj.weight", vec![8, 12]),
        ("norm.weight", vec![8]),
    ];
    // A bias that is stored is used, and the table is the head where no head is stored.
    for root in ["", "model.", "base_model.model.model.", "model.language_model."] {
        let full: Vec<(String, &Vec<i64>)> =
            names.iter().map(|(name, dims)| (format!("{root}{name}"), dims)).collect();
        let stored: Vec<_> = full
            .iter()
            .map(|(name, dims)| (name.as_str(), DType::Float16, dims.as_slice()))
            .collect();
        let built = build(&network, Format::SafeTensors, &stored).unwrap();
        // 160 + 3 · 8 of norms + 4 · 64 + 8 of the bias + 3 · 96.
        assert_eq!(built.is_sound().parameters(), 736, "{root}");
        let idle = built.model.values().filter(|(id, value)| {
            value.initializer.is_some() && built.model.consumers(*id).is_empty()
        });
        assert_eq!(idle.count(), 0, "{root}");
        // What a file lacks is added; what others have alone does not make a network of theirs.
        let built = build(&network, Format::SafeTensors, &stored[2..8]).unwrap();
        assert_eq!(built.is_sound().parameters(), 736, "{root}");
    }
    let others = [("conv1.weight", DType::Float32, &[8, 3, 3, 3][..])];
    assert!(build(&network, Format::SafeTensors, &others).is_none());
}

#[test]
fn packed_weights() {
    let config = json!({
        "model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
        "num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 100,
        "torch_dtype": "float16", "tie_word_embeddings": false,
        "quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 32},
    });
    // 4 · 64² and 3 · 64 · 128 in the layer, 64 · 100 in the head.
    let macs = 4 * 4096 + 3 * 8192 + 6400 + 2 * 64;
    let sizes = [("batch", 1), ("sequence", 1), ("past_sequence", 0)];
    let built = from_config(&config);
    assert_eq!(built.is_sound().macs(&sizes), macs);
    let packed = built.model.names.find("model.layers.0.mlp.up_proj.qweight").unwrap();
    let (_, stored) = built.model.tensors().find(|(_, tensor)| tensor.name == packed).unwrap();
    // Eight of 64 inputs to a word.
    assert_eq!(stored.dims[..], [8, 128]);
    // The table and the head are left as they are, and three norms of 64.
    let parameters = 2 * 6400 + 4 * 4096 + 3 * 8192 + 3 * 64;
    assert_eq!(built.seen().parameters, parameters);
    let mut mlx = config;
    mlx["quantization_config"] = json!({"bits": 4, "group_size": 32});
    let built = from_config(&mlx);
    assert_eq!(built.is_sound().macs(&sizes), macs);
    assert_eq!(built.seen().parameters, parameters);
}

#[test]
fn metadata_of_gguf() {
    let get = |key: &str| {
        Some(match key {
            "general.architecture" => Meta::Text("llama"),
            "llama.block_count" | "llama.attention.head_count_kv" => Meta::Int(2),
            "llama.embedding_length" => Meta::Int(64),
            "llama.feed_forward_length" => Meta::Array { len: 2, ints: &[96, 160] },
            "llama.attention.head_count" => Meta::Int(4),
            "llama.context_length" => Meta::Int(128),
            "tokenizer.ggml.tokens" => Meta::Array { len: 300, ints: &[] },
            _ => return None,
        })
    };
    let network = Network::from_gguf(&get).unwrap();
    let stated = network.description();
    assert_eq!((stated.architecture.as_str(), stated.vocabulary), ("llama", Some(300)));
    assert_eq!((stated.ffn, stated.head_dim, stated.kv_heads), (None, Some(16), Some(2)));
    let built = build(&network, Format::Gguf, &[]).unwrap();
    // In a layer 2 · 64² + 2 · 64 · 32 = 12,288 and 3 · 64 times the width; a table of 64 · 300.
    let each = 2 * 12_288 + 3 * 64 * (96 + 160) + 64 * 300;
    let sizes = [("batch", 1), ("sequence", 1), ("past_sequence", 0)];
    assert_eq!(built.is_sound().macs(&sizes), each + 2 * 2 * 64);
    // llama.cpp keeps keys and values in 16 bits.
    let cache = built.seen().cache.unwrap();
    assert_eq!((cache.dtype.as_str(), cache.bytes_per_token), ("float16", Some(2 * 2 * 32 * 2)));
    let unnamed = |_: &str| None;
    assert!(Network::from_gguf(&unnamed).is_none());
}
