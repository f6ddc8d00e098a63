//! Types of elements that a target lacks.

use std::collections::BTreeSet;

use calipers_ir::DType;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, runtimes};

pub(crate) const RULE: Rule = Rule {
    id: "types-of-targets",
    severity: Severity::Info,
    group: "deployment",
    title: "A target lacks types of this model",
    checks: "The types of all values and stored tensors against those that a runtime states. The \
             table behind it, `runtimes.toml`, states its evidence.",
    why: "A value of a type that a runtime lacks fails when the model is converted, or is moved to \
          another type without being asked.",
    example: "A model that computes with `uint16`, for TensorRT.",
    recommendation: "cast these values to a type that the target has, or keep that part on another \
                     runtime",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let (model, typed) = (evidence.model, evidence.typed);
    let mut types: BTreeSet<DType> = BTreeSet::new();
    let facts = model.values().filter_map(|(value, _)| typed.fact(value).as_tensor());
    types.extend(facts.map(|tensor| tensor.dtype));
    types.extend(model.tensors().map(|(_, tensor)| tensor.dtype));
    types.retain(|dtype| !matches!(dtype, DType::Undefined | DType::Unknown(_)));
    let mut lacking = Vec::new();
    let mut lacked = BTreeSet::new();
    for runtime in runtimes::all().iter().filter(|runtime| !runtime.dtypes.is_empty()) {
        let words: Vec<String> = types
            .iter()
            .map(DType::to_string)
            .filter(|dtype| !runtime.dtypes.contains(dtype))
            .collect();
        if !words.is_empty() {
            lacking.push(format!("{} has no {}", runtime.name, words.join(", ")));
            lacked.extend(words);
        }
    }
    (!lacking.is_empty()).then(|| Hit::new(lacking.join("; "), lacked))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_rare_type_is_found_and_a_common_one_is_not() {
        let of = |dtype: DataType| {
            let mut model = ModelBuilder::new(17);
            model.input("x", dtype, &["1"]).output("y", dtype, &["1"]);
            model.node("Identity", &["x"], &["y"], &[]).build()
        };
        assert_eq!(raised(&RULE, of(DataType::U16)).unwrap().nodes, ["uint16"]);
        assert_eq!(raised(&RULE, of(DataType::F16)), None);
    }
}
