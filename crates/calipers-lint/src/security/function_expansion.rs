//! Functions that call functions until there is no end of nodes.

use calipers_infer::walk::{ResolvedKind, ResolvedOps, Step, steps};
use calipers_ir::{FunctionId, GraphKind};
use calipers_report::Severity;
use hashbrown::HashMap;

use crate::evidence::running;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "function-expansion",
    severity: Severity::Warning,
    group: "security",
    title: "Functions expand without end",
    checks: "How many nodes the model has when every call of a function is replaced by its body, \
             against a thousand times as many as it stores and at least ten million.",
    why: "Runtimes put bodies in place of calls when they load a model. A file of some kilobytes that \
          doubles itself with every level takes all memory there.",
    example: "Sixty functions, each of which calls the one before twice: 2⁶⁰ nodes.",
    recommendation: "do not load this model without limits on time and memory",
    check,
};

/// Expansions that no honest model reaches.
const LEAST: u128 = 10_000_000;
const FACTOR: u128 = 1000;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    if model.functions().len() == 0 {
        return None;
    }
    let resolved = ResolvedOps::find(model);
    // Callees come before callers, the main graph last.
    let mut sizes: HashMap<FunctionId, u128> = HashMap::new();
    let mut total = 0_u128;
    for body in steps(model, &resolved) {
        total = 0;
        let mut of = None;
        for step in body {
            let Step::Node(node) = step else { continue };
            let graph = model.graph(model.node(node).graph);
            if let GraphKind::Function(function) = graph.kind {
                of = Some(function);
            }
            let nodes = match resolved.get(node).kind {
                ResolvedKind::Call(function) => sizes.get(&function).copied().unwrap_or(1),
                _ => 1,
            };
            total = total.saturating_add(nodes);
        }
        if let Some(function) = of {
            sizes.insert(function, total);
        }
    }
    let stored = running(model).len();
    (total >= LEAST && total / FACTOR >= stored as u128).then(|| {
        let reported =
            if total == u128::MAX { "more than can be counted".into() } else { total.to_string() };
        Hit::new(
            format!(
                "{} as stored, {reported} when functions are expanded",
                counted(stored, "node")
            ),
            [],
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, Function, ModelBuilder, Node};

    use super::RULE;
    use crate::testing::raised;

    /// Functions that each call the one before twice.
    fn levels(count: usize) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.opset("f", 1).input("x", F32, &["1"]).output("y", F32, &["1"]);
        for level in 0..count {
            let mut own = Function::new("f", &format!("F{level}"), &["x"], &["y"]);
            own.opset("", 17).opset("f", 1);
            let (op, domain) = match level.checked_sub(1) {
                Some(before) => (format!("F{before}"), "f"),
                None => ("Relu".to_owned(), ""),
            };
            own.push(&Node::new(&op, &["x"], &["a"], &[]).in_domain(domain));
            own.push(&Node::new(&op, &["a"], &["y"], &[]).in_domain(domain));
            model.function(&own);
        }
        let last = format!("F{}", count - 1);
        model.push(&Node::new(&last, &["x"], &["y"], &[]).in_domain("f")).build()
    }

    #[test]
    fn doubling_is_found_and_a_few_levels_are_not() {
        let found = raised(&RULE, levels(60)).unwrap();
        // 2^60.
        assert!(found.detail.contains("1152921504606846976 when"), "{}", found.detail);
        assert_eq!(raised(&RULE, levels(8)), None);
    }
}
