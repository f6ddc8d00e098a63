//! Shape computations that a simplifier folds.

use calipers_arch::network::Origin;
use calipers_ir::{NodeId, ValueId};
use calipers_ops::Elem;
use calipers_report::Severity;

use super::dead_nodes::alive;
use crate::evidence::standard_op;
use crate::number;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "shapes-not-folded",
    severity: Severity::Info,
    group: "deployment",
    title: "Unfolded shape computations",
    checks: "Nodes of the main graph that compute shapes and return the same values for every \
             input. Reported from 8 nodes.",
    why: "They take little time, but each is a separate kernel: they make graphs hard to read, \
          prevent fusion and stop converters that need static shapes.",
    example: "`Shape -> Gather -> Concat -> Reshape` on a tensor with a static shape.",
    recommendation: "Run `onnxsim in.onnx out.onnx`; add `--overwrite-input-shape \
                     NAME:1,3,224,224` to fold the nodes that depend on dynamic dimensions as \
                     well.",
    check,
};

/// Smallest number of nodes that is reported.
const LEAST: usize = 8;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let (model, typed) = (evidence.model, evidence.typed);
    let (origins, alive) = (evidence.origins(), alive(model));
    let fixed = |value: &ValueId| {
        let tensor = typed.fact(*value).as_tensor();
        let elements = tensor.and_then(|tensor| tensor.value.as_deref());
        elements.is_some_and(|elements| elements.iter().all(is_fixed))
    };
    let mut all = 0_usize;
    let mut foldable: Vec<NodeId> = Vec::new();
    for node in &model.main().order {
        let at = node.index();
        let shape = origins[at] == Origin::Shape && standard_op(model, *node).is_some();
        if !shape || !alive[at] {
            continue;
        }
        all += 1;
        if model.outputs(*node).iter().flatten().all(fixed) {
            foldable.push(*node);
        }
    }
    (foldable.len() >= LEAST).then(|| {
        Hit::new(
            format!(
                "{} of {} that compute shapes always return the same values",
                number(foldable.len()),
                counted(all, "node")
            ),
            foldable.iter().map(|node| model.node_label(*node)),
        )
    })
}

/// Whether an element is a number without a dynamic dimension.
fn is_fixed(element: &Elem) -> bool {
    match element {
        Elem::Int(expr) => expr.as_const().is_some(),
        Elem::Unknown => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    fn model(batch: &str) -> Vec<u8> {
        let mut tiny = Tiny::of_opset(17);
        let mut x = tiny.input(&[batch, "8"]);
        for _ in 0..4 {
            let shape = tiny.op("Shape", &[&x]);
            let zero = tiny.ints(&[0]);
            let first = tiny.op("Gather", &[&shape, &zero]);
            let rest = tiny.ints(&[-1]);
            let shape = tiny.op_with(
                "Concat",
                &[&first, &rest],
                &[calipers_samples::Attribute::int("axis", 0)],
            );
            x = tiny.op("Reshape", &[&x, &shape]);
        }
        tiny.output(&x).bytes()
    }

    #[test]
    fn fixed_shapes_are_found_and_free_ones_are_not() {
        let found = raised(&RULE, model("2")).unwrap();
        assert_eq!(
            found.detail,
            "12 of 12 nodes that compute shapes always return the same values"
        );
        assert_eq!(raised(&RULE, model("batch")), None);
    }
}
