//! Operators that run compiled code or send data to a service.

use calipers_infer::walk::{ResolvedKind, ResolvedOps};
use calipers_ops::ForeignCode;
use calipers_report::Severity;

use super::foreign_code;
use crate::evidence::running;
use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "operators-load-code",
    severity: Severity::Warning,
    group: "security",
    title: "Operators run embedded binaries or call services",
    checks: "Nodes that contain or reference compiled programs (`EPContext`, `TRTEngineOp`, \
             `TritonOp`, `ATen`), and nodes that send their inputs to a service (`AzureTextToText` \
             and related operators).",
    why: "A compiled program in a model is opaque: it runs with the privileges of the runtime, and \
          no tool can verify what it computes. A service receives the input data.",
    example: "`com.microsoft.EPContext` with an engine that was built on another machine.",
    recommendation: "Compile these parts yourself from the original model, e.g. with \
                     `SessionOptions.add_session_config_entry(\"ep.context_enable\", \"1\")`, or \
                     use only files from a source you trust.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let resolved = ResolvedOps::find(model);
    let mut nodes = Vec::new();
    for node in running(model) {
        let held = model.node(node);
        let code = foreign_code(model, held);
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
