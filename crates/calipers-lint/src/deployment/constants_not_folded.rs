//! Nodes that depend only on stored tensors.

use calipers_arch::network::Origin;
use calipers_ir::NodeId;
use calipers_report::Severity;
use calipers_report::units;
use hashbrown::HashSet;

use super::dead_nodes::alive;
use crate::evidence::{bytes, operator, standard_op};
use crate::{Evidence, Hit, Rule, plural};

pub(crate) const RULE: Rule = Rule {
    id: "constants-not-folded",
    severity: Severity::Info,
    group: "deployment",
    title: "Constants computed at run time",
    checks: "Nodes of the main graph that depend only on stored tensors, if their results take at \
             least 64 KiB in total. Nodes whose folding would enlarge the file are ignored: \
             dequantized weights, filled and repeated tensors.",
    why: "A runtime that does not fold constants at load time recomputes them on every run and \
          keeps both the stored tensor and the result in memory.",
    example: "A stored matrix that a `Transpose` node transposes before every `MatMul`.",
    recommendation: "Run `onnxsim in.onnx out.onnx`, or export with `torch.onnx.export(..., \
                     do_constant_folding=True)`.",
    check,
};

/// Smallest total that is reported, in bytes.
const LEAST: u64 = 64 * 1024;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let (origins, alive) = (evidence.origins(), alive(model));
    let mut left: HashSet<NodeId> = HashSet::new();
    let mut folded = Vec::new();
    let mut total = 0_u64;
    for node in &model.main().order {
        let op = standard_op(model, *node);
        if origins[node.index()] != Origin::Constant || matches!(op, Some("Constant" | "Identity"))
        {
            continue;
        }
        let from_left = model.inputs(*node).iter().flatten().any(|input| {
            matches!(model.value(*input).producer, calipers_ir::Producer::Node { node, .. }
                if left.contains(&node))
        });
        // Folding would enlarge the file.
        let grows = operator(model, *node).is_some_and(|row| row.traits.grows_when_folded);
        if from_left || grows {
            left.insert(*node);
            continue;
        }
        if alive[node.index()] {
            folded.push(*node);
            let results = model.outputs(*node).iter().flatten();
            let held = results.filter_map(|value| bytes(evidence.typed, *value));
            total = held.fold(total, u64::saturating_add);
        }
    }
    (total >= LEAST).then(|| {
        Hit::new(
            format!(
                "{} {} of constants",
                plural(folded.len(), "node computes", "nodes compute"),
                units::bytes(total)
            ),
            folded.iter().map(|node| model.node_label(*node)),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::DataType::I8;
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_turned_matrix_is_found_and_a_small_one_is_not() {
        let model = |size: i64| {
            let mut tiny = Tiny::new();
            let x = tiny.input(&["2", &size.to_string()]);
            let weight = tiny.weight(&[size, size]);
            let turned = tiny.op("Transpose", &[&weight]);
            let y = tiny.op("MatMul", &[&x, &turned]);
            tiny.output(&y).bytes()
        };
        // 128 × 128 elements of 4 bytes are 65,536 bytes.
        assert_eq!(
            raised(&RULE, model(128)).unwrap().detail,
            "1 node computes 65.54 kB of constants"
        );
        assert_eq!(raised(&RULE, model(64)), None);
    }

    #[test]
    fn quantized_weights_are_meant_to_stay() {
        let mut tiny = Tiny::new();
        let x = tiny.input(&["2", "256"]);
        let stored = tiny.raw(I8, &[256, 256], &[1; 65536]);
        let scale = tiny.scalar(0.1);
        let weight = tiny.op("DequantizeLinear", &[&stored, &scale]);
        let turned = tiny.op("Transpose", &[&weight]);
        let y = tiny.op("MatMul", &[&x, &turned]);
        assert_eq!(raised(&RULE, tiny.output(&y).bytes()), None);
    }
}
