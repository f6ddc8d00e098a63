//! The network as the descriptions next to the weights have it.

use calipers_ir::assembly::Assembly;
use calipers_ir::{DType, Description, TensorId, TooLarge};
use calipers_networks::Network;
use serde_json::Value;

use super::configs::Configs;
use super::scheme::Scheme;
use crate::built::{build, filled};

/// What of an adapter's description is shown.
const OF_ADAPTER: &[&str] =
    &["base_model_name_or_path", "peft_type", "r", "lora_alpha", "task_type"];

/// Describes the network whose weights were added.
pub(super) fn describe(
    assembly: &mut Assembly<'_>,
    configs: &Configs,
    stored: &[TensorId],
) -> Result<(), TooLarge> {
    let names = &assembly.builder.names;
    let mut tensors = stored.iter().map(|id| names.get(assembly.builder.tensor(*id).name));
    let is_adapter = tensors.any(|name| name.starts_with("base_model."));
    let header = &mut assembly.builder.header;
    match configs {
        Configs { adapter: Some(adapter), network, .. } if is_adapter || network.is_none() => {
            for key in OF_ADAPTER {
                let text = adapter.get(key).and_then(|value| match value {
                    Value::String(text) => Some(text.clone()),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                });
                header.metadata.extend(text.map(|text| ((*key).to_owned(), text)));
            }
            header.description = Some(Box::new(Description {
                source: "adapter_config.json".to_owned(),
                architecture: text(adapter, &["peft_type"]).to_owned(),
                ..Description::default()
            }));
        }
        Configs { network: Some(network), .. } => {
            let scheme = Scheme::new(configs.quantization());
            let stated = description(network, &scheme);
            let Some(network) = Network::from_config(network) else {
                header.description = Some(Box::new(stated));
                return Ok(());
            };
            header.description = Some(Box::new(filled(stated, &network.description())));
            build(assembly, &network, stored)?;
        }
        _ => {}
    }
    Ok(())
}

/// Fields of a `config.json`, by the names that families of networks have for them.
fn description(config: &Value, scheme: &Scheme<'_>) -> Description {
    let number = |keys: &[&str]| keys.iter().find_map(|key| config.get(key)?.as_u64());
    let class = config.get("architectures").and_then(|it| it.get(0)).and_then(Value::as_str);
    Description {
        source: "config.json".to_owned(),
        architecture: class.unwrap_or(text(config, &["model_type", "_class_name"])).to_owned(),
        layers: number(&["num_hidden_layers", "n_layer", "n_layers", "num_layers"]),
        hidden: number(&["hidden_size", "n_embd", "d_model", "dim"]),
        ffn: number(&["intermediate_size", "n_inner", "d_ff", "ffn_dim", "encoder_ffn_dim"]),
        heads: number(&["num_attention_heads", "n_head", "n_heads", "num_heads"]),
        kv_heads: number(&["num_key_value_heads", "num_kv_heads"]),
        head_dim: number(&["head_dim", "d_kv"]),
        vocabulary: number(&["vocab_size"]),
        context: number(&["max_position_embeddings", "n_positions", "max_seq_len", "n_ctx"]),
        experts: number(&["num_local_experts", "num_experts", "n_routed_experts"]),
        experts_used: number(&["num_experts_per_tok", "num_experts_per_token"]),
        expert_ffn: number(&["moe_intermediate_size"]),
        tied: config.get("tie_word_embeddings").and_then(Value::as_bool),
        bits: scheme.group.bits,
        quantization: scheme.method.to_owned(),
        dtype: dtype(text(config, &["torch_dtype", "dtype"])),
    }
}

fn text<'a>(config: &'a Value, keys: &[&str]) -> &'a str {
    keys.iter().find_map(|key| config.get(key)?.as_str()).unwrap_or_default()
}

/// The type of PyTorch's name for it.
fn dtype(name: &str) -> Option<DType> {
    Some(match name.strip_prefix("torch.").unwrap_or(name) {
        "float32" | "float" => DType::Float32,
        "float16" | "half" => DType::Float16,
        "bfloat16" => DType::Bfloat16,
        "float64" | "double" => DType::Float64,
        "float8_e4m3fn" => DType::Float8E4M3Fn,
        "float8_e5m2" => DType::Float8E5M2,
        _ => return None,
    })
}
