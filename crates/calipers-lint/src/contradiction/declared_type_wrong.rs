//! Declared types and shapes that cannot be right.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "declared-type-wrong",
    severity: Severity::Warning,
    group: "contradiction",
    title: "A declared type or shape is wrong",
    checks: "Whether the types and shapes that the file declares can be those that are inferred.",
    why: "Runtimes warn or fail when a result is not what was declared, and callers that allocate \
          after the declaration allocate wrongly.",
    example: "An output that is declared `float32[9, 9, 9]` and computed as `float32[1, 8]`.",
    recommendation: "infer the shapes of the model again and save it",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let contradictions = &evidence.typed.contradictions;
    let mut values: Vec<_> =
        contradictions.iter().filter_map(|c| Some((c.value?, &c.what))).collect();
    // A loop's body is looked into more than once.
    values.dedup();
    let (value, what) = values.first()?;
    let name = |value| model.name(model.value(value).name).to_owned();
    Some(Hit::new(
        format!("{}, first {:?}: {what}", counted(values.len(), "value"), name(*value)),
        values.iter().map(|(value, _)| name(*value)),
    ))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_wrong_shape_is_found_and_a_vaguer_one_is_not() {
        let declared = |shape: &[&str]| {
            let mut model = ModelBuilder::new(17);
            model.input("x", F32, &["1", "8"]).output("y", F32, shape);
            model.node("Relu", &["x"], &["y"], &[]).build()
        };
        assert_eq!(raised(&RULE, declared(&["9", "9"])).unwrap().nodes, ["y"]);
        assert_eq!(raised(&RULE, declared(&["batch", "8"])), None);
    }
}
