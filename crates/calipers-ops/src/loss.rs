//! Losses.

use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome};
use crate::cost;
use crate::fact::Fact;
use crate::row::Operator;
use crate::traits::{Class, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Loss,
    [
        Operator::onnx("NegativeLogLikelihoodLoss", &[])
            .since(&[12, 13, 22])
            .infer(loss)
            .costs(cost::pointwise::likelihood),
        Operator::onnx("SoftmaxCrossEntropyLoss", &[])
            .since(&[12, 13])
            .infer(loss)
            .costs(cost::pointwise::cross_entropy),
    ],
);

/// A loss for each label, or one for all; also the log-probabilities where they are asked for.
///
/// <https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html>,
/// `onnx__NegativeLogLikelihoodLoss`.
fn loss(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let loss = match ctx.text_or("reduction", "mean") {
        "none" => each(ctx)?,
        "sum" | "mean" => Fact::tensor(dtype, []),
        other => {
            let op = ctx.op;
            return Err(Fail::contradiction(format!("{op} reduces by {other:?}")));
        }
    };
    Ok(vec![loss, ctx.shaped_like(0, dtype)?])
}

/// A loss for each label.
fn each(ctx: &mut OpContext<'_>) -> Result<Fact, Fail> {
    let dtype = ctx.dtype(0);
    let scores = match ctx.shape(0)? {
        Ok([batch, _, rest @ ..]) => {
            Ok(std::iter::once(batch).chain(rest).cloned().collect::<Vec<Expr>>())
        }
        Ok(_) => return Err(Fail::contradiction(format!("{} has scores of no classes", ctx.op))),
        Err(reason) => Err(reason),
    };
    Ok(match (scores, ctx.shape(1)?) {
        (Ok(scores), Ok(labels)) => {
            if scores.len() != labels.len()
                || scores.iter().zip(labels).any(|(a, b)| a.always_ne(b))
            {
                let op = ctx.op;
                return Err(Fail::contradiction(format!(
                    "{op} has labels that do not fit its scores"
                )));
            }
            let says_more = |(score, label): (&Expr, &Expr)| match score.as_const() {
                Some(_) => score.clone(),
                None => label.clone(),
            };
            Fact::tensor(dtype, scores.iter().zip(labels).map(says_more))
        }
        (Ok(dims), Err(_)) => Fact::tensor(dtype, dims),
        (Err(_), Ok(dims)) => Fact::tensor(dtype, dims.iter().cloned()),
        (Err(reason), Err(_)) => Fact::unranked(dtype, reason),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduction::testing::{Try, dims, shape};

    #[test]
    fn one_for_all_or_one_for_each() {
        let ctx = || {
            let ctx = Try::new("SoftmaxCrossEntropyLoss", 13).input(dims("n 5 3 h"));
            ctx.input(dims("2 3 h")).outputs(2)
        };
        let facts = ctx().run(loss).unwrap();
        assert_eq!((shape(&facts[0]), shape(&facts[1])), (String::new(), "n 5 3 h".into()));
        assert_eq!(shape(&ctx().text("reduction", "none").one(loss)), "2 3 h");
    }
}
