//! Weights that a caller may override.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "weights-as-inputs",
    severity: Severity::Info,
    group: "deployment",
    title: "Weights are listed among the inputs",
    checks: "Inputs of the main graph that an initializer fills.",
    why: "A caller may override such weights, so a runtime may not treat them as constants: folding \
          and fusing is left out. Files before `ir_version` 4 had to list them.",
    example: "A model of 2018 whose 54 weights are among its inputs.",
    recommendation: "take them out of the inputs, unless callers do override them",
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
            format!("{} that a caller may override", counted(filled.len(), "stored tensor")),
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
