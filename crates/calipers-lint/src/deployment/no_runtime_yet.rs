//! Versions that no known runtime release supports.

use calipers_report::Severity;

use super::runtime_versions::versions;
use crate::{Evidence, Hit, Rule, runtimes};

pub(crate) const RULE: Rule = Rule {
    id: "no-runtime-yet",
    severity: Severity::Warning,
    group: "deployment",
    title: "No known runtime supports this version",
    checks: "The opset and `ir_version` of the model, compared with the limits of known runtime \
             releases. The table is `runtimes.toml`, which states its evidence.",
    why: "Runtimes follow the ONNX specification with a delay of some months. A model with the \
          newest version fails to load everywhere.",
    example: "A model with opset 28, when ONNX Runtime supports up to 26.",
    recommendation: "Re-export with an older opset, e.g. `torch.onnx.export(..., \
                     opset_version=17)`, or convert the model with \
                     `onnx.version_converter.convert_version(model, 17)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let (opset, ir) = versions(evidence);
    let limited = || runtimes::all().iter().filter(|runtime| runtime.is_limited());
    if limited().any(|runtime| runtime.takes(opset, ir)) {
        return None;
    }
    let newest_opset = limited().filter_map(|runtime| runtime.opset).max();
    let newest_ir = limited().filter_map(|runtime| runtime.ir).max();
    let mut beyond = Vec::new();
    for (word, version, newest) in [("opset", opset, newest_opset), ("ir_version", ir, newest_ir)] {
        if let (Some(version), Some(newest)) = (version, newest)
            && version > newest
        {
            beyond.push(format!("{word} {version}; known runtimes support up to {newest}"));
        }
    }
    let hit = (!beyond.is_empty()).then(|| Hit::new(beyond.join("; "), []))?;
    Some(match (newest_opset, newest_ir) {
        (Some(newest), _) if opset > newest_opset => hit.recommend(format!(
            "Re-export with `torch.onnx.export(..., opset_version={newest})` or older, or convert \
             the model with `onnx.version_converter.convert_version(model, {newest})`."
        )),
        (_, Some(newest)) => hit.recommend(format!(
            "Save the model with an older IR version: `model.ir_version = {newest}; \
             onnx.save(model, \"out.onnx\")`."
        )),
        _ => hit,
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn the_version_after_the_newest_is_found_and_the_newest_is_not() {
        let of = |opset: i64| {
            let mut model = ModelBuilder::new(opset);
            model.ir_version(8).input("x", F32, &["1"]).output("y", F32, &["1"]);
            model.node("Relu", &["x"], &["y"], &[]).build()
        };
        let found = raised(&RULE, of(27)).unwrap();
        assert!(found.detail.contains("opset 27; known runtimes support up to 26"));
        assert!(found.recommendation.contains("opset_version=26"), "{}", found.recommendation);
        assert_eq!(raised(&RULE, of(26)), None);
    }
}
