//! Element types that a target does not support.

use std::collections::BTreeSet;

use calipers_ir::DType;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, runtimes};

pub(crate) const RULE: Rule = Rule {
    id: "types-of-targets",
    severity: Severity::Info,
    group: "deployment",
    title: "Data types that a target does not support",
    checks: "The element types of all values and stored tensors, compared with those that a \
             runtime documents. The table is `runtimes.toml`, which states its evidence.",
    why: "A value with an unsupported type fails at conversion, or is silently converted to \
          another type.",
    example: "A model that computes in `uint16`, for TensorRT.",
    recommendation: "Change the type before the export, e.g. `x.to(torch.int32)` for integers or \
                     `torch.view_as_real(x)` for complex numbers, or run these nodes on the CPU: \
                     `providers=[\"TensorrtExecutionProvider\", \"CPUExecutionProvider\"]`.",
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
        let unsupported: Vec<String> = types
            .iter()
            .map(DType::to_string)
            .filter(|dtype| !runtime.dtypes.contains(dtype))
            .collect();
        if !unsupported.is_empty() {
            lacking.push(format!("{} does not support {}", runtime.name, unsupported.join(", ")));
            lacked.extend(unsupported);
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
