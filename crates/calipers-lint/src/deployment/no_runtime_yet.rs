//! Versions that no release of a runtime is known to take.

use calipers_report::Severity;

use super::runtime_versions::versions;
use crate::{Evidence, Hit, Rule, runtimes};

pub(crate) const RULE: Rule = Rule {
    id: "no-runtime-yet",
    severity: Severity::Warning,
    group: "deployment",
    title: "No runtime known here takes this version",
    checks: "Whether some release of the runtimes whose limits are known takes the model's opset and \
             `ir_version`. The table behind it, `runtimes.toml`, states its evidence.",
    why: "The standard is ahead of its runtimes by some months. A file of its newest version fails to \
          load everywhere.",
    example: "A model of opset 28, when ONNX Runtime ends at 26.",
    recommendation: "export with an older opset and ir_version, or make sure that your runtime takes \
                     this one",
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
            beyond.push(format!("{word} {version}, where {newest} is the newest that one takes"));
        }
    }
    (!beyond.is_empty()).then(|| Hit::new(beyond.join("; "), []))
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
        assert!(raised(&RULE, of(27)).unwrap().detail.contains("opset 27, where 26"));
        assert_eq!(raised(&RULE, of(26)), None);
    }
}
