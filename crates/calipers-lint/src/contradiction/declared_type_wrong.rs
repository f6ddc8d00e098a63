//! Declared types and shapes that differ from the inferred ones.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "declared-type-wrong",
    severity: Severity::Warning,
    group: "contradiction",
    title: "Declared type or shape does not match the graph",
    checks: "Types and shapes declared in `graph.output` and `graph.value_info`, compared with \
             those that type and shape inference computes.",
    why: "ONNX Runtime refuses to load a model whose declared element type is wrong, and warns \
          when a declared shape is. Callers that allocate buffers from the declaration allocate \
          the wrong size.",
    example: "An output declared as `float32[9, 9, 9]` and computed as `float32[1, 8]`.",
    recommendation: "Correct the declarations: run `del model.graph.value_info[:]`, then \
                     `onnx.shape_inference.infer_shapes(model, check_type=True, \
                     strict_mode=True)`, which reports each remaining mismatch.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let contradictions = &evidence.typed.contradictions;
    let mut values: Vec<_> =
        contradictions.iter().filter_map(|c| Some((c.value?, &c.what))).collect();
    // The body of a loop is visited more than once.
    values.dedup();
    let (value, what) = values.first()?;
    let name = |value| model.name(model.value(value).name).to_owned();
    Some(Hit::new(
        format!("{}; first {:?}: {what}", counted(values.len(), "value"), name(*value)),
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
