//! Initializers that callers may override.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted, number};

pub(crate) const RULE: Rule = Rule {
    id: "weights-as-inputs",
    severity: Severity::Info,
    group: "deployment",
    title: "Initializers listed as graph inputs",
    checks: "Inputs of the main graph that have an initializer.",
    why: "Callers may override these weights, so the runtime cannot treat them as constants and \
          skips constant folding and fusion. `ir_version` 3 required them to be listed.",
    example: "A model from 2018 that lists its 54 weights as inputs.",
    recommendation: "Run `python -m onnxruntime.tools.remove_initializer_from_input --input \
                     in.onnx --output out.onnx`, or export with `torch.onnx.export(..., \
                     keep_initializers_as_inputs=False)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let filled: Vec<_> = model
        .main()
        .inputs
        .iter()
        .map(|input| model.value(*input))
        .filter(|value| value.initializer.is_some() || value.sparse_initializer.is_some())
        .collect();
    (!filled.is_empty()).then(|| {
        Hit::new(
            format!(
                "{} of {} are initializers",
                number(filled.len()),
                counted(model.main().inputs.len(), "graph input")
            ),
            filled.iter().map(|value| model.name(value.name).to_owned()),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_weight_among_the_inputs_is_found_and_one_that_is_none_is_not() {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.initializer(&Tensor::f32("w", &[1], &[2.0])).node("Mul", &["x", "w"], &["y"], &[]);
        assert_eq!(raised(&RULE, model.build()), None);
        model.input("w", F32, &["1"]);
        assert_eq!(raised(&RULE, model.build()).unwrap().nodes, ["w"]);
    }
}
