//! A model that gives nothing.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "no-outputs",
    severity: Severity::Warning,
    group: "contradiction",
    title: "The model has no outputs",
    checks: "Whether the main graph gives anything out.",
    why: "There is nothing that a run could give back: runtimes refuse the model, or run nothing. It \
          is a file of weights alone, a broken export, or an empty file that passes for a model.",
    example: "A graph with initializers and no nodes, inputs or outputs.",
    recommendation: "export the model again, with its outputs",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let main = model.main();
    main.outputs.is_empty().then(|| {
        Hit::new(
            format!(
                "{}, {}, and nothing is given out",
                counted(main.nodes.len(), "node"),
                counted(main.initializers.len(), "initializer")
            ),
            [],
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn nothing_is_found_and_a_constant_is_not() {
        let mut model = ModelBuilder::new(17);
        model.initializer(&Tensor::f32("w", &[1], &[1.0]));
        assert!(raised(&RULE, model.build()).is_some());
        assert_eq!(raised(&RULE, model.output("w", F32, &["1"]).build()), None);
    }
}
