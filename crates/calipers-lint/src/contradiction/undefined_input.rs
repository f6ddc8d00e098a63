//! Names that a node reads and nothing defines.

use calipers_ir::Issue;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "undefined-input",
    severity: Severity::Error,
    group: "contradiction",
    title: "A node reads what nothing defines",
    checks: "Whether every name that a node reads is an input, an initializer or an output of a node \
             that it can see.",
    why: "Runtimes refuse such a model when they load it. It comes from cutting a graph apart by \
          hand, or from an exporter that lost a constant.",
    example: "`Add(x, bias)` in a graph without anything called `bias`.",
    recommendation: "export the model again, or define these names",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let issues = model.issues.iter().filter_map(|issue| match issue {
        Issue::UndefinedInput { node, value } => Some((*node, *value)),
        _ => None,
    });
    let inputs: Vec<_> = issues.collect();
    let (node, value) = *inputs.first()?;
    let first = model.name(model.value(value).name);
    Some(Hit::new(
        format!(
            "{} that no node, input or initializer defines, first {first:?} in {:?}",
            counted(inputs.len(), "name"),
            model.node_label(node)
        ),
        inputs.iter().map(|(node, _)| model.node_label(*node)),
    ))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_lost_constant_is_found_and_one_that_is_there_is_not() {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.node("Add", &["x", "bias"], &["y"], &[]);
        assert!(raised(&RULE, model.build()).unwrap().detail.contains("\"bias\""));
        model.initializer(&Tensor::f32("bias", &[1], &[1.0]));
        assert_eq!(raised(&RULE, model.build()), None);
    }
}
