//! Dimensions of the inputs that are free.

use std::collections::BTreeSet;

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "dynamic-dimensions",
    severity: Severity::Info,
    group: "deployment",
    title: "Dimensions of the inputs are free",
    checks: "Which dimensions of the inputs have no number, and what doubling each of them does to \
             the multiply-accumulates.",
    why: "A runtime allocates and tunes for fixed shapes; some targets take nothing else. Costs and \
          memory of the report are on sizes that are assumed for free dimensions.",
    example: "`input_ids` of `[batch, sequence]`: `--dim batch=1 --dim sequence=384` binds both.",
    recommendation: "bind them with --dim for exact figures, and fix them in the file where a target \
                     needs fixed shapes",
    check,
};

/// Dimensions that are reported of; the rest are counted.
const TOLD: usize = 4;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let mut names = BTreeSet::new();
    let mut inputs = Vec::new();
    let mut unranked = 0_usize;
    for input in model.required_inputs() {
        let Some(tensor) = evidence.typed.fact(input).as_tensor() else { continue };
        let Some(dims) = tensor.dims() else {
            unranked += 1;
            inputs.push(input);
            continue;
        };
        let free: BTreeSet<_> = dims.iter().flat_map(|dim| dim.symbols()).collect();
        if !free.is_empty() {
            inputs.push(input);
            names.extend(free.iter().map(|symbol| symbol.name().to_owned()));
        }
    }
    let mut reported: Vec<String> =
        names.iter().take(TOLD).map(|name| format!("{name}{}", growth(evidence, name))).collect();
    if names.len() > TOLD {
        reported.push(format!("and {} more", names.len() - TOLD));
    }
    let mut detail = match names.len() {
        0 => String::new(),
        count => format!("{}: {}", counted(count, "free dimension"), reported.join(", ")),
    };
    if unranked > 0 {
        let without = counted(unranked, "input");
        let joint = if detail.is_empty() { "" } else { "; " };
        detail.push_str(&format!("{joint}{without} without even a number of dimensions"));
    }
    let labels = inputs.iter().map(|input| model.name(model.value(*input).name).to_owned());
    (!inputs.is_empty()).then(|| Hit::new(detail, labels))
}

/// What doubling a dimension does to the multiply-accumulates, at the sizes that are assumed.
fn growth(evidence: &Evidence<'_>, name: &str) -> String {
    let macs = &evidence.typed.total.macs;
    let at = |factor: i64| {
        let size = |known: &str| {
            let size = evidence.sizes.get(known)?.size;
            if known == name { size.checked_mul(factor) } else { Some(size) }
        };
        macs.evaluate_wide(size).ok()
    };
    let (Some(once), Some(twice)) = (at(1), at(2)) else { return String::new() };
    // Hundredths, rounded.
    let ratio = twice.checked_mul(100).and_then(|wide| wide.checked_add(once / 2));
    match ratio.and_then(|wide| wide.checked_div(once)) {
        None => String::new(),
        Some(100) => " (no more MACs when doubled)".to_owned(),
        Some(ratio) => {
            let (whole, part) = (ratio / 100, ratio % 100);
            let times = match part {
                0 => format!("{whole}"),
                _ => format!("{whole}.{part:02}"),
            };
            format!(" ({times} times the MACs when doubled)")
        }
    }
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    fn product(batch: &str) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &[batch, "8"]).input("w", F32, &["8", "8"]);
        model.node("MatMul", &["x", "w"], &["y"], &[]).output("y", F32, &[batch, "8"]).build()
    }

    #[test]
    fn a_free_batch_is_found_and_a_fixed_one_is_not() {
        let found = raised(&RULE, product("batch")).unwrap();
        assert_eq!(found.nodes, ["x"]);
        assert!(found.detail.contains("batch (2 times the MACs"), "{}", found.detail);
        assert_eq!(raised(&RULE, product("4")), None);
    }
}
