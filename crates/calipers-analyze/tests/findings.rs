//! Every finding that real models raise. The snapshots were read line by line: each finding is true
//! of its model. A change here is a claim about a model, and has to be checked as one.

#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

mod common;

use std::fmt::Write as _;
use std::path::Path;

use calipers_report::Severity;

/// The findings of the models in a folder, a line each, with the names concerned.
fn told(folder: &Path) -> String {
    let mut text = String::new();
    for path in common::files(folder, ".onnx") {
        let report = common::report(&path).unwrap();
        let file = path.file_name().unwrap().to_string_lossy();
        writeln!(text, "{file}").unwrap();
        for finding in &report.risks {
            let severity = format!("{:?}", finding.severity).to_lowercase();
            writeln!(text, "  {severity} {}: {}", finding.id, finding.detail).unwrap();
            if !finding.nodes.is_empty() {
                let first: Vec<&str> = finding.nodes.iter().take(3).map(String::as_str).collect();
                writeln!(text, "    {}", first.join(", ")).unwrap();
            }
        }
    }
    text
}

#[test]
fn every_finding_of_the_fixtures_is_reviewed() {
    for name in ["zoo", "seeds"] {
        insta::assert_snapshot!(format!("fixtures_{name}"), told(&common::fixtures().join(name)));
    }
}

#[test]
fn every_finding_of_the_shared_models_is_reviewed() {
    let Some(shared) = common::shared() else { return };
    for name in ["zoo", "seeds", "latency"] {
        let folder = shared.join("models").join(name);
        insta::assert_snapshot!(format!("shared_{name}"), told(&folder));
    }
}

/// The same model gives the same findings, in the same order, each rule at most once.
#[test]
fn findings_are_sorted_and_stand_once() {
    let rules: Vec<String> = calipers_analyze::rules().into_iter().map(|rule| rule.id).collect();
    for path in common::files(&common::fixtures().join("zoo"), ".onnx") {
        let report = common::report(&path).unwrap();
        let place = |id: &String| rules.iter().position(|rule| rule == id).unwrap();
        let keys: Vec<(Severity, usize)> =
            report.risks.iter().map(|finding| (finding.severity, place(&finding.id))).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{}: {keys:?}", path.display());
    }
}

/// What known networks must never be warned of.
#[test]
fn well_known_networks_raise_no_warning_but_for_missing_weights() {
    let known = ["resnet", "mobilenet", "convnext", "bert_tiny_cls", "yolo", "llama"];
    let mut seen = 0;
    for folder in common::model_folders() {
        for path in common::files(&folder, ".onnx") {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            if !known.iter().any(|name| file.contains(name)) {
                continue;
            }
            seen += 1;
            for finding in common::report(&path).unwrap().risks {
                let note = finding.severity == Severity::Info;
                // A quantised MobileNet with one scale a tensor is the textbook's bad example.
                let true_of_some = ["external-data-missing", "depthwise-per-tensor"];
                assert!(note || true_of_some.contains(&finding.id.as_str()), "{file}: {finding:?}");
            }
        }
    }
    assert!(seen >= 9, "only {seen} models");
}
