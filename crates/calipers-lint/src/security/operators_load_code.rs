//! Operators that load compiled code, or send data elsewhere.

use calipers_infer::walk::{ResolvedKind, ResolvedOps};
use calipers_ops::ForeignCode;
use calipers_report::Severity;

use crate::evidence::running;
use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "operators-load-code",
    severity: Severity::Warning,
    group: "security",
    title: "Operators load code or call services",
    checks: "Nodes that hold or name compiled programs (`EPContext`, `TRTEngineOp`, `TritonOp`, \
             `ATen`), and nodes that send their inputs to a service (`AzureTextToText` and its kin).",
    why: "A compiled program in a model is opaque: it runs on the device with the rights of the \
          runtime, and no tool can say what it computes. A service sees what is fed.",
    example: "`com.microsoft.EPContext` with an engine that was built on another machine.",
    recommendation: "build such parts yourself from the model without them, or trust who built them",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let resolved = ResolvedOps::find(model);
    let mut nodes = Vec::new();
    for node in running(model) {
        let held = model.node(node);
        let op = model.name(held.op);
        let code = calipers_ops::foreign_code(model.name(held.domain), op);
        let loads = matches!(code, Some(ForeignCode::Program | ForeignCode::Service));
        let own = matches!(resolved.get(node).kind, ResolvedKind::Call(_));
        if !own && loads {
            nodes.push(node);
        }
    }
    Hit::of_kinds(model, &nodes, |node| model.name(model.node(node).op).to_owned())
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_compiled_part_is_found_and_a_fused_one_is_not() {
        let model = |op: &str| {
            let mut tiny = Tiny::new();
            let x = tiny.input(&["2", "8"]);
            let y = tiny.contrib(op, &[&x]);
            tiny.output(&y).bytes()
        };
        assert_eq!(raised(&RULE, model("EPContext")).unwrap().detail, "1 node: 1 EPContext");
        assert_eq!(raised(&RULE, model("Gelu")), None);
    }
}
