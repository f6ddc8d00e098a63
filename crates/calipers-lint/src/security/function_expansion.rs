//! Functions whose inlining multiplies the nodes.

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
    title: "Exponential function expansion",
    checks: "The number of nodes after every function call is inlined: more than 1,000 times the \
             stored nodes and at least 10 million.",
    why: "Runtimes inline functions at load time. A file of some kilobytes in which every level \
          doubles the nodes exhausts the memory.",
    example: "Sixty functions that each call the previous one twice: 2⁶⁰ nodes.",
    recommendation: "Do not load this model outside a sandbox with time and memory limits, e.g. \
                     `ulimit -v 8000000; timeout 60 ...`.",
    check,
};

/// Smallest expansion that is reported; real models stay far below.
const LEAST: u128 = 10_000_000;
const FACTOR: u128 = 1000;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    if model.functions().len() == 0 {
        return None;
    }
    let resolved = ResolvedOps::find(model);
    // Callees come before callers, and the main graph last.
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
            if total == u128::MAX { "more than 2^128".into() } else { total.to_string() };
        Hit::new(format!("{} in the file, {reported} after inlining", counted(stored, "node")), [])
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
        assert!(found.detail.contains("1152921504606846976 after inlining"), "{}", found.detail);
        assert_eq!(raised(&RULE, levels(8)), None);
    }
}
