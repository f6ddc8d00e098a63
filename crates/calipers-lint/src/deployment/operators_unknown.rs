//! Operators without a known definition.

use calipers_infer::walk::{ResolvedKind, ResolvedOps};
use calipers_report::Severity;

use super::deprecated_operators::was_standard;
use crate::evidence::{full_op, running};
use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "operators-unknown",
    severity: Severity::Warning,
    group: "deployment",
    title: "Unknown operators",
    checks: "Nodes whose operator is defined by no ONNX release, no known domain and no function \
             of the model.",
    why: "A runtime needs a custom operator library to execute them: native code that is not part \
          of the model. Their cost and output shapes are unknown.",
    example: "A `com.acme.FastNorm` node, or `NotAnOp` in the standard domain.",
    recommendation: "Load the library that defines them with \
                     `SessionOptions.register_custom_ops_library(path)` if you trust its source, \
                     or re-export with standard operators.",
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
        let unknown = match resolved.get(id).kind {
            ResolvedKind::Foreign => true,
            // Every standard operator has a row in the table.
            ResolvedKind::Plain => domain.starts_with("ai.onnx") && !was_standard(domain, op),
            ResolvedKind::Operator(_) | ResolvedKind::Call(_) => false,
        };
        if unknown {
            nodes.push(id);
        }
    }
    Hit::of_kinds(model, &nodes, |node| full_op(model, node))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, Function, ModelBuilder, Node};

    use super::RULE;
    use crate::testing::raised;

    fn model(domain: &str, op: &str) -> ModelBuilder {
        let mut model = ModelBuilder::new(17);
        model.opset("com.acme", 1).input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.push(&Node::new(op, &["x"], &["y"], &[]).in_domain(domain));
        model
    }

    #[test]
    fn strangers_are_found() {
        let found = raised(&RULE, model("com.acme", "Op").build()).unwrap();
        assert_eq!(found.detail, "1 node: 1 com.acme.Op");
        assert!(raised(&RULE, model("", "NotAnOp").build()).is_some());
    }

    #[test]
    fn the_standard_and_the_model_s_own_functions_are_not() {
        assert_eq!(raised(&RULE, model("", "Relu").build()), None);
        let mut own = Function::new("com.acme", "Op", &["x"], &["y"]);
        own.opset("", 17).node("Relu", &["x"], &["y"], &[]);
        assert_eq!(raised(&RULE, model("com.acme", "Op").function(&own).build()), None);
    }
}
