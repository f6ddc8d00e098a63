//! Operators of one runtime.

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
    title: "Operators are of one runtime",
    checks: "Nodes of operators outside the standard that a runtime brings along, such as those of \
             `com.microsoft`.",
    why: "Only that runtime, and those that copy it, can run the model; converters for other targets \
          refuse it.",
    example: "`com.microsoft.MatMulNBits`, which holds weights of four bits for ONNX Runtime.",
    recommendation: "deploy on that runtime, or export without its fusions for others",
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
            // ONNX Runtime keeps some of its operators in the standard domain.
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
