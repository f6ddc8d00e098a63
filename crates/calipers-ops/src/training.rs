//! Training: optimizers and gradients.

use calipers_ir::DType;

use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::cost;
use crate::fact::{Fact, TensorFact};
use crate::row::Operator;
use crate::traits::{Class, family};

const TRAINING: &str = "ai.onnx.preview.training";

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Training,
    [
        Operator::new(TRAINING, "Adagrad", &[])
            .since(&[1])
            .infer(optimizer)
            .costs(cost::pointwise::adagrad),
        Operator::new(TRAINING, "Adam", &[])
            .since(&[1])
            .infer(optimizer)
            .costs(cost::pointwise::adam),
        Operator::new(TRAINING, "Gradient", &[])
            .since(&[1])
            .infer(gradient)
            .costs(cost::pointwise::gradient),
        Operator::new(TRAINING, "Momentum", &[])
            .since(&[1])
            .infer(optimizer)
            .costs(cost::pointwise::momentum),
    ],
);

/// The same tensor with elements that are not followed.
fn renewed(fact: &Fact) -> Fact {
    match fact {
        Fact::Tensor(tensor) => Fact::Tensor(TensorFact { value: None, ..tensor.clone() }),
        other => other.clone(),
    }
}

/// New values of the tensors, then of their running states.
///
/// <https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adam.html>, `Adagrad`, `Momentum`.
/// After the rate and the count come the tensors, their gradients, and their states.
fn optimizer(ctx: &mut OpContext<'_>) -> Outcome {
    let kinds = if ctx.op == "Adam" { 4 } else { 3 };
    let inputs = ctx.input_count().saturating_sub(2);
    if inputs == 0 || !inputs.is_multiple_of(kinds) {
        return Err(Fail::contradiction(format!(
            "{} has {inputs} tensors, where a multiple of {kinds} is needed",
            ctx.op
        )));
    }
    let count = inputs / kinds;
    // Gradients are used up.
    let kept = (0..inputs).filter(|index| !(count..2 * count).contains(index));
    kept.map(|index| ctx.input(index + 2).map(renewed)).collect()
}

/// For each tensor a gradient of its shape.
///
/// <https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Gradient.html>
fn gradient(ctx: &mut OpContext<'_>) -> Outcome {
    let count = match ctx.attribute("xs") {
        Some(Attr::Texts(count)) => usize::try_from(count).unwrap_or(usize::MAX),
        _ => ctx.outputs,
    };
    let count = count.min(ctx.outputs).min(ctx.input_count());
    let gradients = (0..count).map(|index| match ctx.optional(index) {
        Some(fact) if is_smooth(fact) => renewed(fact),
        _ => Fact::unknown("a gradient for what has none"),
    });
    Ok(gradients.collect())
}

fn is_smooth(fact: &Fact) -> bool {
    let dtype = fact.as_tensor().map_or(DType::Undefined, |tensor| tensor.dtype);
    matches!(dtype, DType::Float16 | DType::Float32 | DType::Float64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduction::testing::{Try, dims, shape};

    #[test]
    fn tensors_and_states_are_renewed() {
        let ctx = ["", "", "1", "2", "1", "2", "1", "2", "1", "2"]
            .iter()
            .fold(Try::new("Adam", 1), |ctx, text| ctx.input(dims(text)));
        let facts = ctx.run(optimizer).unwrap();
        assert_eq!(facts.iter().map(shape).collect::<Vec<_>>(), ["1", "2", "1", "2", "1", "2"]);
    }
}
