//! Which releases of runtimes the model needs.

use calipers_report::Severity;

use super::newer_ir;
use crate::runtimes::{self, Runtime};
use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "runtime-versions",
    severity: Severity::Info,
    group: "deployment",
    title: "Older runtimes do not take this model",
    checks: "The version of the standard operators and the `ir_version` against what releases of ONNX \
             Runtime and TensorRT take. The table behind it, `runtimes.toml`, states its evidence.",
    why: "A runtime refuses a file that is newer than itself, or lacks its operators, however simple \
          the model is. Exporters write the newest version unless reported otherwise.",
    example: "A model of opset 21 and `ir_version` 10: ONNX Runtime 1.17 refuses it, 1.18 takes it.",
    recommendation: "update the runtime, or export with an older opset and ir_version",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let (opset, ir) = versions(evidence);
    // A version that this reader does not know, or no runtime takes, is another finding.
    let limited = runtimes::all().iter().filter(|runtime| runtime.is_limited());
    if !limited.clone().any(|runtime| runtime.takes(opset, ir)) || ir > Some(newer_ir::NEWEST_IR) {
        return None;
    }
    let mut needs = Vec::new();
    for releases in runtimes::all().chunk_by(|one, next| one.name == next.name) {
        let takes = |release: &&Runtime| release.takes(opset, ir);
        let Some(first) = releases.iter().position(|release| takes(&release)) else {
            if let Some(last) = releases.last() {
                needs.push(format!("{} {} does not take it", last.name, last.release));
            }
            continue;
        };
        if let Some(before) = first.checked_sub(1).and_then(|place| releases.get(place)) {
            let release = &releases[first];
            let limit = match (before.opset, before.ir) {
                (Some(limit), _) if opset.is_some_and(|opset| opset > limit) => {
                    format!("opset {limit}")
                }
                (_, Some(limit)) => format!("ir_version {limit}"),
                _ => "less".to_owned(),
            };
            needs.push(format!(
                "{} {} takes it, {} ends at {limit}",
                release.name, release.release, before.release
            ));
        }
    }
    let stated = |word: &str, version: Option<i64>| version.map(|v| format!("{word} {v}"));
    let model = [stated("opset", opset), stated("ir_version", ir)];
    let model: Vec<String> = model.into_iter().flatten().collect();
    (!needs.is_empty()).then(|| Hit::new(format!("{}: {}", model.join(", "), needs.join("; ")), []))
}

/// The version of the standard operators that the model imports, and of its representation.
pub(super) fn versions(evidence: &Evidence<'_>) -> (Option<i64>, Option<i64>) {
    let model = evidence.model;
    let standard =
        model.header.opsets.iter().filter(|set| {
            calipers_ops::canonical_domain(model.name(set.domain)) == calipers_ops::ONNX
        });
    (standard.map(|set| set.version).max(), model.header.ir_version)
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    fn of(opset: i64, ir: i64) -> Vec<u8> {
        let mut model = ModelBuilder::new(opset);
        model.ir_version(ir).input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.node("Relu", &["x"], &["y"], &[]).build()
    }

    #[test]
    fn a_new_model_is_found_and_one_that_all_take_is_not() {
        let found = raised(&RULE, of(21, 10)).unwrap();
        assert!(found.detail.contains("ONNX Runtime 1.18 takes it"), "{}", found.detail);
        assert!(found.detail.contains("1.17 ends at opset 20"), "{}", found.detail);
        assert!(raised(&RULE, of(17, 10)).unwrap().detail.contains("ends at ir_version 9"));
        assert_eq!(raised(&RULE, of(17, 8)), None);
    }
}
