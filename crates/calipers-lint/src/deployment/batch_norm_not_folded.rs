//! Batch normalization that can be folded into the preceding layer.

use calipers_arch::network::Origin;
use calipers_ir::{NodeId, Producer};
use calipers_ops::{Class, InputRole, Operator};
use calipers_report::Severity;

use crate::evidence::{Outputs, input, operator, output, producer, running, standard_op};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "batch-norm-not-folded",
    severity: Severity::Info,
    group: "deployment",
    title: "Unfolded batch normalization",
    checks: "`BatchNormalization` nodes with stored statistics directly after a convolution or \
             matrix product with stored weights, whose output has no other consumer.",
    why: "At inference time batch normalization is a per-channel scale and shift that can be \
          folded into the preceding weights. ONNX Runtime and TensorRT fold it at load time; \
          mobile runtimes, converters and quantizers may not.",
    example: "`Conv -> BatchNormalization -> Relu`, exported in training mode.",
    recommendation: "Run `onnxsim in.onnx out.onnx`, or call `model.eval()` before \
                     `torch.onnx.export(...)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let outputs = Outputs::from_model(model);
    let origins = evidence.origins();
    let stored = |node: NodeId, slot| {
        input(model, node, slot).is_some_and(|value| match model.value(value).producer {
            Producer::Node { node, .. } => origins[node.index()] == Origin::Constant,
            _ => model.value(value).initializer.is_some(),
        })
    };
    let folds = |node: &NodeId| {
        if standard_op(model, *node) != Some("BatchNormalization") {
            return None;
        }
        let data = input(model, *node, 0)?;
        let (before, _) = producer(model, data)?;
        let weighted = operator(model, before).is_some_and(takes_bias) && stored(before, 1);
        let fixed = (1..5).all(|slot| stored(*node, slot));
        let alone = outputs.only_reader(model, output(model, before)?) == Some(*node);
        (weighted && fixed && alone).then_some(())
    };
    let nodes = running(model);
    let norms: Vec<NodeId> = nodes.into_iter().filter(|node| folds(node).is_some()).collect();
    Hit::of_nodes(
        model,
        &norms,
        format!("{} can be folded into the preceding weights", counted(norms.len(), "node")),
    )
}

/// Whether an operator has weights and a bias that can absorb a scale and a shift.
fn takes_bias(row: &Operator) -> bool {
    let contraction = row.traits.contraction.filter(|_| row.traits.class == Class::Contraction);
    contraction.is_some_and(|it| it.weights.contains(&1)) && row.role(2) == InputRole::Weight
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    fn model(between: Option<&str>) -> Vec<u8> {
        let mut tiny = Tiny::of_opset(17);
        let x = tiny.input(&["1", "3", "8", "8"]);
        let weight = tiny.weight(&[4, 3, 3, 3]);
        let mut y = tiny.op("Conv", &[&x, &weight]);
        if let Some(op) = between {
            y = tiny.op(op, &[&y]);
        }
        let four: Vec<String> = (0..4).map(|_| tiny.weight(&[4])).collect();
        let inputs = [&y, &four[0], &four[1], &four[2], &four[3]].map(String::as_str);
        let y = tiny.op("BatchNormalization", &inputs);
        tiny.output(&y).bytes()
    }

    #[test]
    fn one_behind_a_convolution_is_found_and_one_behind_a_activation_is_not() {
        assert!(raised(&RULE, model(None)).unwrap().detail.starts_with("1 node"));
        assert_eq!(raised(&RULE, model(Some("Relu"))), None);
    }
}
