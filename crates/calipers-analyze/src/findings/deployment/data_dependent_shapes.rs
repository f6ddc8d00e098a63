//! Shapes that the data decides.

use calipers_report::Severity;

use crate::findings::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "data-dependent-shapes",
    severity: Severity::Info,
    group: "deployment",
    title: "The data decides some shapes",
    checks: "Dimensions that follow from what is in a tensor and not from the shapes of the inputs.",
    why: "No memory can be planned ahead for such values, a compiler for fixed shapes refuses them, \
          and costs behind them stay formulas.",
    example: "`NonZero`: how many rows it gives depends on how many elements are not zero.",
    recommendation: "keep this part on the host, or pad it to a fixed size where the target needs \
                     fixed shapes",
    check,
};

/// Dimensions whose reason is told.
const TOLD: usize = 3;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let fresh = &evidence.typed.fresh;
    let mut told: Vec<&str> = Vec::new();
    for dimension in fresh {
        if told.len() < TOLD && !told.contains(&dimension.why.as_str()) {
            told.push(&dimension.why);
        }
    }
    (!fresh.is_empty()).then(|| {
        Hit::new(
            format!("{}: {}", counted(fresh.len(), "dimension"), told.join("; ")),
            fresh.iter().map(|dimension| dimension.name.clone()),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder};

    use super::RULE;
    use crate::findings::testing::raised;

    #[test]
    fn what_the_data_decides_is_found_and_what_a_caller_decides_is_not() {
        let of = |op: &str| {
            let mut model = ModelBuilder::new(17);
            model.input("x", F32, &["batch", "8"]).node(op, &["x"], &["y"], &[]);
            model.output("y", F32, &["?", "?"]).build()
        };
        assert!(raised(&RULE, of("NonZero")).is_some());
        assert_eq!(raised(&RULE, of("Relu")), None);
    }
}
