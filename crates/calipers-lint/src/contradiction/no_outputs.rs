//! A model without outputs.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "no-outputs",
    severity: Severity::Warning,
    group: "contradiction",
    title: "Model has no outputs",
    checks: "Whether the main graph declares an output.",
    why: "A run has no result to return: ONNX Runtime loads the model and rejects every run. The \
          file holds weights only, or the export failed.",
    example: "A graph with initializers and without nodes, inputs and outputs.",
    recommendation: "Re-export the model with its outputs, e.g. `torch.onnx.export(..., \
                     output_names=[\"logits\"])`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let main = model.main();
    main.outputs.is_empty().then(|| {
        Hit::new(
            format!(
                "{}, {}, 0 outputs",
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
