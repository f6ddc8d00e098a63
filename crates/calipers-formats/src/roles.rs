//! What a stored tensor is for, by its name: where a file has weights and no graph, frameworks name
//! the statistics, tables and scales next to the weights in a few ways.

use calipers_ir::{DType, WeightRole};

/// Gathered during training.
const STATISTICS: &[&str] = &[
    "running_mean",
    "running_var",
    "running_std",
    "num_batches_tracked",
    "moving_mean",
    "moving_var",
    "moving_variance",
];

/// What quantization keeps next to weights: of GPTQ, AWQ, MLX, bitsandbytes, compressed tensors,
/// block-wise floats of 8 bits, and the observers of PyTorch.
const QUANTIZATION: &[&str] = &[
    "qzeros",
    "g_idx",
    "scales",
    "zeros",
    "zero_point",
    "zero_points",
    "SCB",
    "weight_format",
    "weight_scale",
    "weight_scale_inv",
    "weight_scale_2",
    "weight_zero_point",
    "weight_g_idx",
    "weight_shape",
    "weight_global_scale",
    "input_scale",
    "input_zero_point",
    "input_global_scale",
    "output_scale",
    "k_scale",
    "v_scale",
    "absmax",
    "quant_map",
    "nested_absmax",
    "nested_quant_map",
    "fake_quant_enabled",
    "observer_enabled",
    "min_val",
    "max_val",
];

/// Given, not learned.
const CONSTANTS: &[&str] = &[
    "position_ids",
    "token_type_ids",
    "inv_freq",
    "original_inv_freq",
    "cos_cached",
    "sin_cached",
    "freqs_cis",
    "masked_bias",
    "attn_mask",
    "causal_mask",
    "relative_position_index",
    "relative_coords_table",
    "anchor_grid",
    "betas",
    "alphas_cumprod",
    "alphas_cumprod_prev",
    "sqrt_alphas_cumprod",
    "sqrt_one_minus_alphas_cumprod",
    "log_one_minus_alphas_cumprod",
    "sqrt_recip_alphas_cumprod",
    "sqrt_recipm1_alphas_cumprod",
    "posterior_variance",
    "posterior_log_variance_clipped",
    "posterior_mean_coef1",
    "posterior_mean_coef2",
];

/// What a stored tensor is for, by its name and the type of its elements. Statistics are buffers of
/// PyTorch, which do not count as parameters there.
pub(crate) fn role(name: &str, dtype: DType) -> WeightRole {
    let (path, last) = name.rsplit_once(['.', '/']).unwrap_or(("", name));
    if STATISTICS.contains(&last) {
        return WeightRole::Constant;
    }
    let is_quantization = QUANTIZATION.contains(&last)
        // The state of bitsandbytes has its scheme in the name; blocks of MXFP4 their own scales.
        || name.contains(".quant_state.")
        || last.ends_with("_scales")
        || last.ends_with("_scale_inv");
    if is_quantization {
        return WeightRole::Quantization;
    }
    let is_mask = last == "bias" && (path.ends_with("attn") || path.ends_with("attention"));
    match dtype {
        _ if CONSTANTS.contains(&last) => WeightRole::Constant,
        // The triangle that hides what comes later.
        DType::Uint8 if is_mask => WeightRole::Constant,
        // Indices and masks: neither is trained, and no scheme quantizes to them.
        DType::Int64 | DType::Bool => WeightRole::Constant,
        _ => WeightRole::Weight,
    }
}

/// The same, with the dimensions as evidence: masks of attention are stored as floats too, under the
/// name of a bias, and a bias has one dimension.
pub(crate) fn role_of(name: &str, dtype: DType, dims: &[i64]) -> WeightRole {
    let is_square = matches!(dims, [1, 1, rows, columns] if rows == columns && *rows > 1);
    match role(name, dtype) {
        WeightRole::Weight if is_square && name.ends_with("attn.bias") => WeightRole::Constant,
        by_name => by_name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_roles() {
        use WeightRole::{Constant, Quantization, Weight};
        for (name, dtype, expected) in [
            ("layer1.0.bn1.weight", DType::Float32, Weight),
            ("layer1.0.bn1.running_mean", DType::Float32, Constant),
            ("bn.num_batches_tracked", DType::Int64, Constant),
            ("running_var", DType::Float16, Constant),
            ("text_model.embeddings.position_ids", DType::Int64, Constant),
            ("rotary_emb.inv_freq", DType::Float32, Constant),
            ("h.0.attn.bias", DType::Uint8, Constant),
            ("h.0.attn.bias", DType::Float32, Weight),
            ("attn.relative_position_index", DType::Int64, Constant),
            ("model.layers.0.q_proj.qweight", DType::Int32, Weight),
            ("model.layers.0.q_proj.qzeros", DType::Int32, Quantization),
            ("model.layers.0.mlp.experts.down_proj_scales", DType::Uint8, Quantization),
            ("q_proj.weight.quant_state.bitsandbytes__nf4", DType::Uint8, Quantization),
            ("logit_scale", DType::Float32, Weight),
        ] {
            assert_eq!(role(name, dtype), expected, "{name}");
        }
        assert_eq!(role_of("h.0.attn.bias", DType::Float32, &[1, 1, 64, 64]), Constant);
        assert_eq!(role_of("h.0.attn.bias", DType::Float32, &[192]), Weight);
    }
}
