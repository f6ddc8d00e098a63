//! Layers where each token uses a part: mixtures of experts, gated biases.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::{Cost, Work, dims, elements, input, input_if, ranked, unknown};
use crate::context::OpContext;
use crate::contrib::inputs::share;
use crate::fact::{Fact, product};

/// Weights and biases of up to three layers of experts.
struct Experts {
    weights: [usize; 3],
    biases: [usize; 3],
}

/// Each token goes through the best `k` experts; each of them is what one expert's weights have.
/// The gates are a softmax over all experts; the experts' outputs are weighted and added.
fn mixture(ctx: &OpContext<'_>, experts: &Experts, packed: i64) -> Cost {
    let (tokens, hidden) = match dims(ctx, ctx.optional(0))?.split_last() {
        Some((hidden, tokens)) => (product(tokens), hidden),
        None => return unknown(format!("{} has a scalar for its input", ctx.op)),
    };
    let chosen = tokens * ctx.int_or("k", 1);
    let mut each = Expr::ZERO;
    let mut between = Expr::ZERO;
    for (layer, weights) in experts.weights.into_iter().enumerate() {
        if !ctx.has(weights) {
            continue;
        }
        let matrix = product(&ranked(ctx, weights, 3)?[1..]) * packed;
        if layer == 1 {
            between = matrix.exact_div(hidden).unwrap_or_else(|| matrix.floor_div(hidden));
        }
        each += matrix;
    }
    let mut others = &between + hidden * 2;
    if ctx.has(experts.weights[2]) || ctx.text_or("activation_type", "") == "swiglu" {
        others += between;
    }
    for bias in experts.biases {
        if ctx.has(bias) {
            others += product(&ranked(ctx, bias, 2)?[1..]);
        }
    }
    let other_flops = &chosen * others + input_if(ctx, 1)? * 5;
    Ok(Work { macs: chosen * each, other_flops })
}

/// `MoE`: <https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md>.
pub(crate) fn experts(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    mixture(ctx, &Experts { weights: [2, 4, 6], biases: [3, 5, 7] }, 1)
}

/// `QMoE`: the same with weights of few bits, several in a byte.
pub(crate) fn packed_experts(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let packed = match (ctx.dtype(2), ctx.int_or("expert_weight_bits", 4)) {
        (DType::Uint8 | DType::Int8, bits @ (2 | 4 | 8)) => 8 / bits,
        (DType::Uint8 | DType::Int8, bits) => {
            return unknown(format!("QMoE packs weights of {bits} bits"));
        }
        (DType::Undefined, _) => return unknown("how QMoE packs its weights is not known"),
        _ => 1,
    };
    mixture(ctx, &Experts { weights: [2, 5, 8], biases: [4, 7, 10] }, packed)
}

/// `GatedRelativePositionBias`: every query by a small matrix, and a gate for each bias.
pub(crate) fn gated_position(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let queries = input(ctx, 0)?;
    let gates = ranked(ctx, 3, 2)?;
    let rows = share_of(&queries, &gates[0]);
    let other_flops = elements(ctx, outputs.first())? + &queries + rows * &gates[1] * 2;
    Ok(Work { macs: queries * &gates[1], other_flops })
}

fn share_of(of: &Expr, parts: &Expr) -> Expr {
    match parts.as_const() {
        Some(parts) if parts > 0 => share(of, parts),
        _ => of.floor_div(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both, macs, work};
    use crate::contrib::testing::int;

    const MS: &str = "com.microsoft";

    #[test]
    fn experts_work_for_the_tokens_that_choose_them() {
        // Each of S tokens goes through 2 of 8 experts of 64 · 128 + 128 · 64 = 16,384. Next to: a
        // softmax over 8 gates is 40; twice an activation of 128 and 64 weighted and added is 512.
        let inputs = [
            "float16[1, S, 64]",
            "float16[S, 8]",
            "float16[8, 64, 128]",
            "",
            "float16[8, 128, 64]",
        ];
        assert_eq!(work(MS, "MoE", &inputs, &[("k", int(2))]), both("32768*S", "552*S"));
        // Two weights in a byte.
        let inputs = [
            "float16[1, S, 64]",
            "float16[S, 8]",
            "uint8[8, 128, 32]",
            "float16[8, 128]",
            "",
            "uint8[8, 64, 64]",
            "float16[8, 64]",
        ];
        let bits = [("k", int(2)), ("expert_weight_bits", int(4))];
        assert_eq!(macs(MS, "QMoE", &inputs, &bits), "32768*S");
    }
}
