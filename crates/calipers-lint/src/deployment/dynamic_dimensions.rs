//! Input dimensions without a fixed size.

use std::collections::BTreeSet;

use calipers_report::Severity;

use crate::commands::{argument, dim_options, fix_dimension};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "dynamic-dimensions",
    severity: Severity::Info,
    group: "deployment",
    title: "Dynamic input dimensions",
    checks: "Input dimensions without a fixed size, and how the multiply-accumulates grow when \
             each of them doubles.",
    why: "Runtimes allocate and tune for fixed shapes, and some targets require them. Costs and \
          memory in the report use assumed sizes for dynamic dimensions.",
    example: "`input_ids` with shape `[batch, sequence]`: `--dim batch=1 --dim sequence=384` sets \
              both.",
    recommendation: "Set the sizes you need with `--dim`; for targets that require static shapes \
                     run `python -m onnxruntime.tools.make_dynamic_shape_fixed --dim_param batch \
                     --dim_value 1 in.onnx out.onnx`.",
    check,
};

/// Dimensions that are listed; the others are counted.
const LISTED: usize = 4;

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
        names.iter().take(LISTED).map(|name| format!("{name}{}", growth(evidence, name))).collect();
    if names.len() > LISTED {
        reported.push(format!("and {} more", names.len() - LISTED));
    }
    let mut detail = match names.len() {
        0 => String::new(),
        count => format!("{}: {}", counted(count, "dynamic dimension"), reported.join(", ")),
    };
    if unranked > 0 {
        let without = counted(unranked, "input");
        let joint = if detail.is_empty() { "" } else { "; " };
        detail.push_str(&format!("{joint}{without} of unknown rank"));
    }
    let labels = inputs.iter().map(|input| model.name(model.value(*input).name).to_owned());
    let hit = (!inputs.is_empty()).then(|| Hit::new(detail, labels))?;
    Some(match recommendation(evidence, &names) {
        Some(recommendation) => hit.recommend(recommendation),
        None => hit,
    })
}

/// Returns the commands that set these dimensions, with the sizes that the report assumes.
fn recommendation(evidence: &Evidence<'_>, names: &BTreeSet<String>) -> Option<String> {
    let sized = |name: &'_ String| {
        let size = evidence.sizes.get(name)?.size;
        (size > 0).then_some(())?;
        argument(name).map(|_| (name.clone(), size))
    };
    let dims: Vec<(String, i64)> = names.iter().filter_map(sized).take(LISTED).collect();
    let (first, size) = dims.first()?;
    let repeat = if dims.len() > 1 { ", once per dimension" } else { "" };
    let options = dim_options(dims.iter().map(|(name, size)| (name.as_str(), *size)));
    // The tool of ONNX Runtime takes the names in the file.
    let Some(name) = calipers_infer::name_in_file(evidence.model, first) else {
        return Some(format!("Set the sizes you need with `{options}`."));
    };
    argument(&name)?;
    Some(format!(
        "Set the sizes you need with `{options}`; for targets that require static shapes run \
         `{}`{repeat}.",
        fix_dimension(&name, *size)
    ))
}

/// Describes how the multiply-accumulates grow when a dimension doubles, at the assumed sizes.
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
        Some(100) => " (MACs do not depend on it)".to_owned(),
        Some(ratio) => {
            let (whole, part) = (ratio / 100, ratio % 100);
            let times = match part {
                0 => format!("{whole}"),
                _ => format!("{whole}.{part:02}"),
            };
            format!(" ({times}x the MACs when doubled)")
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
        assert!(found.detail.contains("batch (2x the MACs"), "{}", found.detail);
        let command = "--dim_param batch --dim_value ";
        assert!(found.recommendation.contains(command), "{}", found.recommendation);
        assert_eq!(raised(&RULE, product("4")), None);
    }
}
