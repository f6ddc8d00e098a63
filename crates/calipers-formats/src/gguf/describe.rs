//! The network as the metadata describes it.

use calipers_ir::assembly::Assembly;
use calipers_ir::{DType, Description, TensorId, TooLarge};
use calipers_networks::{Meta, Network};

use super::file::File;
use super::types::file_type_name;
use super::value::Value;
use crate::built::{build, filled};

/// Describes the network whose weights were added.
pub(super) fn describe(
    assembly: &mut Assembly<'_>,
    file: &File<'_>,
    stored: &[TensorId],
) -> Result<(), TooLarge> {
    let Some(architecture) = file.text("general.architecture") else { return Ok(()) };
    let lookup = |key: &str| file.find(key).map(Value::meta);
    let number = |key: &str| match lookup(&format!("{architecture}.{key}"))? {
        Meta::Int(value) => u64::try_from(value).ok(),
        // One for each layer.
        Meta::Array { ints, .. } => u64::try_from(*ints.iter().max()?).ok(),
        _ => None,
    };
    let builder = &*assembly.builder;
    let named = |name: &str| {
        let mut tensors = stored.iter().map(|id| builder.tensor(*id));
        tensors.find(|tensor| builder.names.get(tensor.name) == name)
    };
    let table = named("token_embd.weight");
    let tokens = match lookup("tokenizer.ggml.tokens") {
        Some(Meta::Array { len, .. }) => Some(len),
        _ => None,
    };
    let rows = || u64::try_from(*table?.dims.first()?).ok();
    let (hidden, heads) = (number("embedding_length"), number("attention.head_count"));
    let file_type = match lookup("general.file_type") {
        Some(Meta::Int(number)) => file_type_name(number).map(str::to_owned),
        _ => None,
    };
    let description = Description {
        source: "the metadata of GGUF".to_owned(),
        architecture: architecture.to_owned(),
        layers: number("block_count"),
        hidden,
        ffn: number("feed_forward_length"),
        heads,
        // As many as of queries where the metadata leaves them out; so is the width of a head.
        kv_heads: number("attention.head_count_kv").or(heads),
        head_dim: number("attention.key_length").or_else(|| hidden?.checked_div(heads?)),
        vocabulary: number("vocab_size").or(tokens).or_else(rows),
        context: number("context_length"),
        experts: number("expert_count").filter(|count| *count > 0),
        experts_used: number("expert_used_count").filter(|count| *count > 0),
        expert_ffn: number("expert_feed_forward_length"),
        // The table of the embeddings is the output layer where the file has none of its own.
        tied: table.map(|_| named("output.weight").is_none()),
        bits: None,
        quantization: file_type.or_else(|| most(assembly, stored)).unwrap_or_default(),
        dtype: None,
    };
    let Some(network) = Network::from_gguf(&lookup) else {
        assembly.builder.header.description = Some(Box::new(description));
        return Ok(());
    };
    let description = filled(description, &network.description());
    assembly.builder.header.description = Some(Box::new(description));
    build(assembly, &network, stored)
}

/// The format of blocks that holds the most elements.
fn most(assembly: &Assembly<'_>, stored: &[TensorId]) -> Option<String> {
    let mut counts: Vec<(DType, u64)> = Vec::new();
    for tensor in stored.iter().map(|id| assembly.builder.tensor(*id)) {
        let elements = tensor.elements().unwrap_or_default();
        match counts.iter_mut().find(|(dtype, _)| *dtype == tensor.dtype) {
            Some((_, count)) => *count = count.saturating_add(elements),
            None => counts.push((tensor.dtype, elements)),
        }
    }
    let blocks = counts.into_iter().filter(|(dtype, _)| matches!(dtype, DType::Block(_)));
    blocks.max_by_key(|(_, count)| *count).map(|(dtype, _)| dtype.to_string().to_uppercase())
}
