//! Operators that call Python code.

use calipers_infer::walk::{ResolvedKind, ResolvedOps};
use calipers_ops::ForeignCode;
use calipers_report::Severity;

use super::foreign_code;
use crate::evidence::running;
use crate::{Evidence, Hit, Rule, plural};

pub(crate) const RULE: Rule = Rule {
    id: "python-operators",
    severity: Severity::Warning,
    group: "security",
    title: "Operators call Python code",
    checks: "Nodes that call a Python function by name, such as `PyOp`, `PythonOp` and `PyFunc`, \
             in any domain.",
    why: "The node runs the function that is registered under that name, with the privileges of \
          the process. The code is not part of the model and was not reviewed with it.",
    example: "`com.microsoft.PythonOp` with the name of a training function.",
    recommendation: "Re-export with standard operators: replace each `torch.autograd.Function` \
                     with PyTorch operators before `torch.onnx.export(...)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let resolved = ResolvedOps::find(model);
    let nodes: Vec<_> = running(model)
        .into_iter()
        .filter(|node| foreign_code(model, model.node(*node)) == Some(ForeignCode::Python))
        .filter(|node| !matches!(resolved.get(*node).kind, ResolvedKind::Call(_)))
        .collect();
    (!nodes.is_empty()).then(|| {
        Hit::new(
            format!("{} Python code", plural(nodes.len(), "node calls", "nodes call")),
            nodes.iter().map(|node| model.node_label(*node)),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, Function, ModelBuilder, Node};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_call_of_python_is_found_and_a_function_of_that_name_is_not() {
        let mut model = ModelBuilder::new(17);
        model.opset("com.microsoft", 1).input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.push(&Node::new("PythonOp", &["x"], &["y"], &[]).in_domain("com.microsoft"));
        assert_eq!(raised(&RULE, model.build()).unwrap().detail, "1 node calls Python code");
        let mut own = Function::new("com.microsoft", "PythonOp", &["x"], &["y"]);
        own.opset("", 17).node("Relu", &["x"], &["y"], &[]);
        assert_eq!(raised(&RULE, model.function(&own).build()), None);
    }
}
