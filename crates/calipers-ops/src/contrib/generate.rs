//! Searches that run a decoder until a sequence ends.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::told::{dim, first_dtype, length};
use crate::call::{Call, Outcome};
use crate::fact::Fact;

fn batch(call: &mut Call<'_>) -> Expr {
    dim(call, 0, 0).unwrap_or_else(|| call.fresh("the batch"))
}

fn number(call: &mut Call<'_>, index: usize, why: &str) -> Expr {
    length(call, index).unwrap_or_else(|| call.fresh(why))
}

fn vocabulary(call: &mut Call<'_>) -> Expr {
    match call.int("vocab_size") {
        Some(size) if size > 0 => size.into(),
        _ => call.fresh("the size of the vocabulary"),
    }
}

/// `GreedySearch`, `Sampling`: a sequence for each of the batch, filled up to the greatest length;
/// perhaps the numbers that were sampled from.
pub(super) fn greedy(call: &mut Call<'_>) -> Outcome {
    let batch = batch(call);
    let longest = number(call, 1, "the greatest length");
    let sequences = Fact::tensor(DType::Int32, [batch.clone(), longest]);
    if call.outputs < 2 {
        return Ok(vec![sequences]);
    }
    let vocabulary = vocabulary(call);
    let logits = Fact::tensor(first_dtype(call, &[3]), [batch, vocabulary]);
    Ok(vec![sequences, logits])
}

/// `BeamSearch`, `WhisperBeamSearch`: the best sequences for each of the batch, what they score,
/// and what every step scored.
pub(super) fn beam(call: &mut Call<'_>) -> Outcome {
    let batch = batch(call);
    let longest = number(call, 1, "the greatest length");
    let returned = number(call, 4, "how many sequences are asked for");
    let sequences = Fact::tensor(DType::Int32, [batch.clone(), returned.clone(), longest]);
    if call.outputs < 2 {
        return Ok(vec![sequences]);
    }
    let dtype = first_dtype(call, &[5, 6]);
    let scores = Fact::tensor(dtype, [batch.clone(), returned]);
    let beams = number(call, 3, "the number of beams");
    let steps = call.fresh("how many steps were taken");
    let vocabulary = vocabulary(call);
    let each = Fact::tensor(dtype, [steps, batch, beams, vocabulary]);
    Ok(vec![sequences, scores, each])
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, told};

    #[test]
    fn sequences_are_filled_up() {
        let inputs = ["int32[B, S]", "int32[1]={128}"];
        assert_eq!(told("com.microsoft", "GreedySearch", &inputs, &[], 1), ["int32[B, 128]"]);
        let inputs = ["int32[B, S]", "int32[1]={64}", "", "int32[1]={4}", "int32[1]={2}"];
        assert_eq!(
            told("com.microsoft", "BeamSearch", &inputs, &[("vocab_size", int(50257))], 3),
            ["int32[B, 2, 64]", "?[B, 2]", "?[fresh_0, B, 4, 50257]"]
        );
        let inputs = ["int32[B, S]", "int32[1]"];
        assert_eq!(told("com.microsoft", "GreedySearch", &inputs, &[], 1), ["int32[B, fresh_0]"]);
    }
}
