//! Searches that run a decoder until a sequence ends.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::inputs::{dim, first_dtype, length};
use crate::context::{OpContext, Outcome};
use crate::fact::Fact;

fn batch(ctx: &mut OpContext<'_>) -> Expr {
    dim(ctx, 0, 0).unwrap_or_else(|| ctx.fresh("the batch"))
}

fn number(ctx: &mut OpContext<'_>, index: usize, why: &str) -> Expr {
    length(ctx, index).unwrap_or_else(|| ctx.fresh(why))
}

fn vocabulary(ctx: &mut OpContext<'_>) -> Expr {
    match ctx.int("vocab_size") {
        Some(size) if size > 0 => size.into(),
        _ => ctx.fresh("the size of the vocabulary"),
    }
}

/// `GreedySearch`, `Sampling`: a sequence for each of the batch, filled up to the greatest length;
/// perhaps the numbers that were sampled from.
pub(super) fn greedy(ctx: &mut OpContext<'_>) -> Outcome {
    let batch = batch(ctx);
    let longest = number(ctx, 1, "the greatest length");
    let sequences = Fact::tensor(DType::Int32, [batch.clone(), longest]);
    if ctx.outputs < 2 {
        return Ok(vec![sequences]);
    }
    let vocabulary = vocabulary(ctx);
    let logits = Fact::tensor(first_dtype(ctx, &[3]), [batch, vocabulary]);
    Ok(vec![sequences, logits])
}

/// `BeamSearch`, `WhisperBeamSearch`: the best sequences for each of the batch, what they score,
/// and what every step scored.
pub(super) fn beam(ctx: &mut OpContext<'_>) -> Outcome {
    let batch = batch(ctx);
    let longest = number(ctx, 1, "the greatest length");
    let returned = number(ctx, 4, "how many sequences are asked for");
    let sequences = Fact::tensor(DType::Int32, [batch.clone(), returned.clone(), longest]);
    if ctx.outputs < 2 {
        return Ok(vec![sequences]);
    }
    let dtype = first_dtype(ctx, &[5, 6]);
    let scores = Fact::tensor(dtype, [batch.clone(), returned]);
    let beams = number(ctx, 3, "the number of beams");
    let steps = ctx.fresh("how many steps were taken");
    let vocabulary = vocabulary(ctx);
    let each = Fact::tensor(dtype, [steps, batch, beams, vocabulary]);
    Ok(vec![sequences, scores, each])
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, reported};

    #[test]
    fn sequences_are_filled_up() {
        let inputs = ["int32[B, S]", "int32[1]={128}"];
        assert_eq!(reported("com.microsoft", "GreedySearch", &inputs, &[], 1), ["int32[B, 128]"]);
        let inputs = ["int32[B, S]", "int32[1]={64}", "", "int32[1]={4}", "int32[1]={2}"];
        assert_eq!(
            reported("com.microsoft", "BeamSearch", &inputs, &[("vocab_size", int(50257))], 3),
            ["int32[B, 2, 64]", "?[B, 2]", "?[fresh_0, B, 4, 50257]"]
        );
        let inputs = ["int32[B, S]", "int32[1]"];
        assert_eq!(
            reported("com.microsoft", "GreedySearch", &inputs, &[], 1),
            ["int32[B, fresh_0]"]
        );
    }
}
