//! Node inputs that nothing defines.

use calipers_ir::Issue;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "undefined-input",
    severity: Severity::Error,
    group: "contradiction",
    title: "Undefined node input",
    checks: "Whether every name that a node reads is a graph input, an initializer or the output \
             of a visible node.",
    why: "ONNX Runtime refuses to load the model: \"Node input is not a graph input, initializer, \
          or output of a previous node\". The usual causes are a graph that was cut by hand and an \
          exporter that dropped a constant.",
    example: "`Add(x, bias)` in a graph that does not define `bias`.",
    recommendation: "Re-export the model, or cut it again with \
                     `onnx.utils.extract_model(\"in.onnx\", \"out.onnx\", input_names, \
                     output_names)`, which keeps the initializers.",
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
            "{} without a definition; first {first:?}, which {:?} reads",
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
