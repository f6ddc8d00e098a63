//! Operators that only one runtime provides.

use calipers_infer::walk::{ResolvedKind, ResolvedOps};
use calipers_ops::{ML, ONNX};
use calipers_report::Severity;

use super::deprecated_operators::was_standard;
use crate::evidence::{full_op, running};
use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "operators-of-vendors",
    severity: Severity::Info,
    group: "deployment",
    title: "Vendor-specific operators",
    checks: "Nodes with operators outside the ONNX standard that a runtime provides, such as those \
             of `com.microsoft`.",
    why: "Only that runtime, and runtimes that copy its operators, can execute the model. \
          Converters for other targets reject it.",
    example: "`com.microsoft.MatMulNBits`, which stores 4-bit weights for ONNX Runtime.",
    recommendation: "Deploy on the runtime that defines the operators (ONNX Runtime for \
                     `com.microsoft`); for other targets, start from the model before it was \
                     optimized or quantized for that runtime.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let resolved = ResolvedOps::find(model);
    let mut nodes = Vec::new();
    for id in running(model) {
        let node = model.node(id);
        let domain = calipers_ops::canonical_domain(model.name(node.domain));
        let op = model.name(node.op);
        let foreign = match resolved.get(id).kind {
            // ONNX Runtime defines some of its own operators in the standard domain.
            ResolvedKind::Operator(row) if domain == ONNX || domain == ML => {
                row.since.is_empty() && !was_standard(domain, op)
            }
            ResolvedKind::Operator(_) => !domain.starts_with("ai.onnx"),
            ResolvedKind::Plain => !domain.starts_with("ai.onnx"),
            ResolvedKind::Call(_) | ResolvedKind::Foreign => false,
        };
        if foreign {
            nodes.push(id);
        }
    }
    Hit::of_kinds(model, &nodes, |node| full_op(model, node))
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_contributed_operator_is_found_and_the_standard_one_is_not() {
        let model = |contrib: bool| {
            let mut tiny = Tiny::new();
            let x = tiny.input(&["2", "8"]);
            let y = if contrib { tiny.contrib("Gelu", &[&x]) } else { tiny.op("Gelu", &[&x]) };
            tiny.output(&y).bytes()
        };
        assert_eq!(raised(&RULE, model(true)).unwrap().detail, "1 node: 1 com.microsoft.Gelu");
        assert_eq!(raised(&RULE, model(false)), None);
    }
}
