//! Softmax computed in float16.

use calipers_ir::{DType, NodeId};
use calipers_report::Severity;

use crate::evidence::{input, output, producer, running, standard_op};
use crate::{Evidence, Hit, Rule, plural};

pub(crate) const RULE: Rule = Rule {
    id: "half-softmax",
    severity: Severity::Info,
    group: "deployment",
    title: "Softmax in float16",
    checks: "`Softmax` and `LogSoftmax` on float16, and `Exp` divided by its own sum in float16, \
             with and without subtraction of the maximum.",
    why: "float16 overflows above 65,504: exp(x) does from x = 11.1, so a softmax that does not \
          subtract the maximum returns infinity and NaN. Sums of thousands of terms lose \
          precision, and a mask of -65,504 overflows when it is added to a negative score.",
    example: "`Exp -> ReduceSum -> Div` on float16 logits.",
    recommendation: "Keep softmax in float32: `float16.convert_float_to_float16(model, \
                     op_block_list=float16.DEFAULT_OP_BLOCK_LIST + [\"Softmax\"])` with `from \
                     onnxruntime.transformers import float16`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let (model, typed) = (evidence.model, evidence.typed);
    let half = |node: NodeId| {
        let value = input(model, node, 0)?;
        (typed.fact(value).as_tensor()?.dtype == DType::Float16).then_some(value)
    };
    let mut nodes = Vec::new();
    let mut unguarded = 0_usize;
    for node in running(model) {
        match standard_op(model, node) {
            Some("Softmax" | "LogSoftmax") if half(node).is_some() => nodes.push(node),
            Some("Div") if half(node).is_some() => {
                let exp = || {
                    let (exp, op) = producer(model, input(model, node, 0)?)?;
                    let (sum, reduce) = producer(model, input(model, node, 1)?)?;
                    let same = input(model, sum, 0)? == output(model, exp)?;
                    (op == "Exp" && reduce == "ReduceSum" && same).then_some(exp)
                };
                if let Some(exp) = exp() {
                    nodes.push(node);
                    unguarded += usize::from(!is_guarded(evidence, exp));
                }
            }
            _ => {}
        }
    }
    let warned = match unguarded {
        0 => String::new(),
        count => format!("; {count} without subtraction of the maximum"),
    };
    Hit::of_nodes(
        model,
        &nodes,
        format!("{}{warned}", plural(nodes.len(), "float16 softmax", "float16 softmaxes")),
    )
}

/// Whether the maximum of the row is subtracted before `Exp`.
fn is_guarded(evidence: &Evidence<'_>, exp: NodeId) -> bool {
    let model = evidence.model;
    let of = || {
        let (less, op) = producer(model, input(model, exp, 0)?)?;
        let (_, greatest) = producer(model, input(model, less, 1)?)?;
        Some(op == "Sub" && greatest == "ReduceMax")
    };
    of().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use calipers_samples::DataType::{F16, F32};
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn half_precision_is_found_and_full_is_not() {
        let model = |dtype| {
            let mut tiny = Tiny::new();
            let x = tiny.input_of(dtype, &["2", "8"]);
            let y = tiny.op("Softmax", &[&x]);
            tiny.output(&y).bytes()
        };
        assert_eq!(raised(&RULE, model(F16)).unwrap().detail, "1 float16 softmax");
        assert_eq!(raised(&RULE, model(F32)), None);
    }

    #[test]
    fn one_that_is_written_out_is_reported_without_its_guard() {
        let model = |guarded: bool| {
            let mut tiny = Tiny::of_opset(13);
            let x = tiny.input_of(F16, &["2", "8"]);
            let greatest = tiny.op("ReduceMax", &[&x]);
            let safe = tiny.op("Sub", &[&x, &greatest]);
            let powers = tiny.op("Exp", &[if guarded { &safe } else { &x }]);
            let sum = tiny.op("ReduceSum", &[&powers]);
            let y = tiny.op("Div", &[&powers, &sum]);
            tiny.output(&y).bytes()
        };
        assert!(raised(&RULE, model(false)).unwrap().detail.contains("1 without subtraction"));
        assert_eq!(raised(&RULE, model(true)).unwrap().detail, "1 float16 softmax");
    }
}
