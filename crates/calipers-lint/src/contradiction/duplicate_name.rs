//! Names that are defined more than once in a graph.

use calipers_ir::{Issue, Producer};
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "duplicate-name",
    severity: Severity::Error,
    group: "contradiction",
    title: "Duplicate value name",
    checks: "Names of inputs, initializers and node outputs, which must be unique within a graph \
             (SSA form).",
    why: "ONNX Runtime refuses to load a graph in which a node output reuses a name. Of two \
          initializers with one name it keeps the last, other readers keep the first: the model \
          that was reviewed is not the model that runs.",
    example: "Two `Relu` nodes that both write `y`.",
    recommendation: "Re-export the model, or rename the duplicates and verify the result with \
                     `onnx.checker.check_model(model)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let issues = model.issues.iter().filter_map(|issue| match issue {
        Issue::DuplicateDefinition { value, .. } => Some(model.value(*value)),
        _ => None,
    });
    let values: Vec<_> = issues.collect();
    let first = values.first()?;
    let detail = format!(
        "{} of a name that already exists, first {:?}; the report uses the first definition of each",
        counted(values.len(), "definition"),
        model.name(first.name)
    );
    let hit = Hit::new(detail, values.iter().map(|value| model.name(value.name).to_owned()));
    // ONNX Runtime loads a model with two initializers of one name, and refuses all other cases.
    let initializers = values.iter().all(|value| value.producer == Producer::Initializer);
    Some(if initializers { hit.severity(Severity::Warning) } else { hit })
}

#[cfg(test)]
mod tests {
    use calipers_report::Severity;
    use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    fn weights(second: &str) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        for name in ["w", second] {
            model.initializer(&Tensor::f32(name, &[1], &[1.0]));
        }
        model.node("Mul", &["x", "w"], &["z"], &[]).node("Mul", &["z", second], &["y"], &[]);
        model.build()
    }

    #[test]
    fn duplicate_initializers_are_a_warning_and_distinct_names_are_not_found() {
        let found = raised(&RULE, weights("w")).unwrap();
        assert_eq!(found.nodes, ["w"]);
        // ONNX Runtime keeps the last of two initializers.
        assert_eq!(found.severity, Severity::Warning);
        assert_eq!(raised(&RULE, weights("v")), None);
    }

    #[test]
    fn an_output_that_two_nodes_write_is_an_error() {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.node("Relu", &["x"], &["y"], &[]).node("Neg", &["x"], &["y"], &[]);
        assert_eq!(raised(&RULE, model.build()).unwrap().severity, Severity::Error);
    }
}
