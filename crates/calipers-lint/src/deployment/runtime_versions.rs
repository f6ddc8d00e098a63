//! Runtime releases that the model requires.

use calipers_report::Severity;

use super::newer_ir;
use crate::runtimes::{self, Runtime};
use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "runtime-versions",
    severity: Severity::Info,
    group: "deployment",
    title: "Recent runtime required",
    checks: "The opset and `ir_version` of the model, compared with what releases of ONNX Runtime \
             and TensorRT support. The table is `runtimes.toml`, which states its evidence.",
    why: "A runtime rejects a file that is newer than itself, however simple the model is. \
          Exporters write their newest version unless an older one is requested.",
    example: "A model with opset 21 and `ir_version` 10: ONNX Runtime 1.17 rejects it, 1.18 loads \
              it.",
    recommendation: "Upgrade the runtime, e.g. `pip install --upgrade onnxruntime`, or re-export \
                     with an older opset: `torch.onnx.export(..., opset_version=17)`.",
    check,
};

/// A runtime of the table that pip installs, and its package.
const PIP: (&str, &str) = ("ONNX Runtime", "onnxruntime");

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let (opset, ir) = versions(evidence);
    // Versions that Calipers does not know, or no runtime supports, have findings of their own.
    let limited = runtimes::all().iter().filter(|runtime| runtime.is_limited());
    if !limited.clone().any(|runtime| runtime.takes(opset, ir)) || ir > Some(newer_ir::NEWEST_IR) {
        return None;
    }
    let mut needs = Vec::new();
    let mut required = None;
    let mut older_ir = None;
    for releases in runtimes::all().chunk_by(|one, next| one.name == next.name) {
        let takes = |release: &&Runtime| release.takes(opset, ir);
        let Some(first) = releases.iter().position(|release| takes(&release)) else {
            if let Some(last) = releases.last() {
                needs.push(format!("not supported by {} {}", last.name, last.release));
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
                "{} {} or later ({} supports up to {limit})",
                release.name, release.release, before.release
            ));
            if release.name == PIP.0 {
                required = Some(release.release.as_str());
                older_ir = before.ir.filter(|_| opset <= before.opset);
            }
        }
    }
    let stated = |word: &str, version: Option<i64>| version.map(|v| format!("{word} {v}"));
    let model = [stated("opset", opset), stated("ir_version", ir)];
    let model: Vec<String> = model.into_iter().flatten().collect();
    let detail = format!("{}: {}", model.join(", "), needs.join("; "));
    let hit = (!needs.is_empty()).then(|| Hit::new(detail, []))?;
    Some(match required {
        Some(release) => {
            let older = match older_ir {
                Some(ir) => format!(
                    "lower the IR version: `model.ir_version = {ir}; onnx.save(model, \"out.onnx\")`"
                ),
                None => "re-export with `torch.onnx.export(..., opset_version=17)`".to_owned(),
            };
            hit.recommend(format!(
                "Upgrade with `pip install --upgrade \"{}>={release}\"`; for older releases {older}.",
                PIP.1
            ))
        }
        None => hit,
    })
}

/// Returns the imported version of the standard opset, and the IR version.
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

    fn with_versions(opset: i64, ir: i64) -> Vec<u8> {
        let mut model = ModelBuilder::new(opset);
        model.ir_version(ir).input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.node("Relu", &["x"], &["y"], &[]).build()
    }

    #[test]
    fn a_new_model_is_found_and_one_that_all_take_is_not() {
        let found = raised(&RULE, with_versions(21, 10)).unwrap();
        assert!(found.detail.contains("ONNX Runtime 1.18 or later"), "{}", found.detail);
        assert!(found.detail.contains("1.17 supports up to opset 20"), "{}", found.detail);
        assert!(
            raised(&RULE, with_versions(17, 10)).unwrap().detail.contains("up to ir_version 9")
        );
        assert_eq!(raised(&RULE, with_versions(17, 8)), None);
    }
}
