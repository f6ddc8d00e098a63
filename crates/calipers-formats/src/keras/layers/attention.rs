//! Attention, with and without projections.

use calipers_ir::NameId;

use super::{KERAS, Mapped, Site};

pub(super) fn map(site: &mut Site<'_, '_>, class: &str) -> Mapped {
    match class {
        "MultiHeadAttention" => Ok(projected(site, "")),
        "GroupQueryAttention" | "GroupedQueryAttention" => Ok(projected(site, "_")),
        "Attention" | "AdditiveAttention" => {
            let is_additive =
                class == "AdditiveAttention" || site.config().text("score_mode") == "concat";
            let [query, value, key @ ..] = site.inputs.as_slice() else { return Ok(false) };
            let none = site.assembly.none();
            let key = key.first().copied().unwrap_or(none);
            let scale = [site.weight("scale"), site.weight("concat_score_weight")];
            let inputs = [*query, *value, key, scale[0], scale[1]];
            let scores = i64::from(site.config().flag("return_attention_scores", false))
                .max(i64::from(site.call.outputs.len() > 1));
            site.node.is_of(KERAS, if is_additive { "AdditiveAttention" } else { "Attention" });
            site.node.int("scores", scores);
            site.inputs = inputs.to_vec();
            site.operands(inputs.len(), &[]);
            site.rank = site.input_rank();
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Heads of queries, keys and values, each with a kernel of its own.
fn projected(site: &mut Site<'_, '_>, prefix: &str) -> bool {
    let query = site.value_of(site.argument(0, "query"));
    let value = site.value_of(site.argument(1, "value"));
    let (Some(query), Some(value)) = (query, value) else { return false };
    let none = site.assembly.none();
    let key = site.value_of(site.argument(2, "key")).unwrap_or(none);
    let mask = site.mask("attention_mask");
    let parts = ["query_dense", "key_dense", "value_dense", "output_dense"];
    let parts = parts.map(|part| format!("{prefix}{part}"));
    let kernels = parts.iter().map(|part| site.weight_of(part, "kernel"));
    let biases = parts.iter().map(|part| site.weight_of(part, "bias"));
    let weights: Vec<NameId> = kernels.chain(biases).collect();
    site.inputs = vec![query, value, key];
    let mut operands = weights;
    operands.push(mask);
    site.node.is_of(KERAS, "MultiHeadAttention");
    site.operands(3, &operands);
    site.rank = site.input_rank();
    true
}
