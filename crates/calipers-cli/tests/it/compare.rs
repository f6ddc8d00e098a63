//! Comparisons that cannot be made, and gates that fail.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{folder_with_model, run_in};

calipers_testkit::tests! {
    test: [
        what_is_not_a_model_is_an_error,
        #[cfg(unix)]
        a_link_that_leads_nowhere,
        json_that_is_not_a_report_is_an_error,
        a_saved_report_serves_as_baseline,
        a_cycle_is_an_error,
        one_model_needs_gates,
        a_wrong_gate_is_pointed_at,
        failed_gates_are_named,
        metrics_must_fit_the_models,
        one_run_writes_several_formats,
    ];
}

/// A folder with `digits.onnx`, `encoder.onnx` and a report on the first.
fn folder() -> TempDir {
    let folder = folder_with_model();
    fs::write(folder.path().join("encoder.onnx"), calipers_samples::encoder()).unwrap();
    let saved = run_in(folder.path(), &["inspect", "digits.onnx", "-o", "digits.json"]);
    assert_eq!(saved.status, Some(0), "{}", saved.stderr);
    folder
}

/// Runs `compare`, which must fail with this status, and returns its message.
#[track_caller]
fn refused(folder: &Path, status: i32, args: &[&str]) -> String {
    let message = run_in(folder, &[&["compare"], args].concat()).failed(status);
    assert!(message.starts_with("error: "), "{message}");
    message
}

#[track_caller]
fn assert_mentions(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is missing: {message}");
    }
}

fn what_is_not_a_model_is_an_error() {
    let folder = folder();
    fs::write(folder.path().join("text.onnx"), "plain text, and not short either\n").unwrap();
    for other in ["text.onnx", "missing.onnx", "."] {
        for args in [["digits.onnx", other], [other, "digits.onnx"]] {
            let message = refused(folder.path(), 1, &args);
            assert_mentions(&message, &[&format!("cannot read {other}: ")]);
        }
    }
}

#[cfg(unix)]
fn a_link_that_leads_nowhere() {
    let folder = folder();
    std::os::unix::fs::symlink("gone.onnx", folder.path().join("link.onnx")).unwrap();
    fs::write(folder.path().join("model.onnx"), calipers_samples::digits()).unwrap();
    let message = run_in(folder.path(), &["compare", "model.onnx", "link.onnx"]).failed(1);
    assert!(message.starts_with("error: cannot read link.onnx: no such file"), "{message}");
}

fn json_that_is_not_a_report_is_an_error() {
    let folder = folder();
    let report = fs::read_to_string(folder.path().join("digits.json")).unwrap();
    let mut other: serde_json::Value = serde_json::from_str(&report).unwrap();
    other["schema_version"] = "99.0".into();
    let cases = [
        ("object.json", r#"{"a": 1}"#.to_owned(), "not a report"),
        ("list.json", "[1, 2]".to_owned(), "cannot read list.json"),
        ("cut.json", report[..report.len() / 2].to_owned(), "not valid JSON"),
        ("newer.json", other.to_string(), "schema version 99.0"),
    ];
    for (name, text, expected) in cases {
        fs::write(folder.path().join(name), text).unwrap();
        let message = refused(folder.path(), 1, &[name, "digits.onnx"]);
        assert_mentions(&message, &[&format!("cannot read {name}: "), expected, "hint: "]);
    }
}

fn a_saved_report_serves_as_baseline() {
    let folder = folder();
    let args = ["compare", "digits.json", "digits.onnx", "--gate", "interface compatible"];
    let text = run_in(folder.path(), &args).succeeded();
    assert_mentions(&text, &["Drop-in replacement", "a saved report has no"]);
    // A redacted report has other names; it is still compared.
    let redact = ["inspect", "digits.onnx", "--redact-names", "-o", "redacted.json"];
    assert_eq!(run_in(folder.path(), &redact).status, Some(0));
    let args = ["compare", "redacted.json", "digits.onnx", "--gate", "macs <= +0%"];
    let text = run_in(folder.path(), &args).succeeded();
    assert_mentions(&text, &["redacted.json"]);
}

fn a_cycle_is_an_error() {
    let folder = folder();
    let cycle = calipers_testkit::fixture("hostile/cycle.onnx");
    let cycle = cycle.to_str().unwrap();
    for models in
        [vec!["digits.onnx", cycle], vec![cycle, cycle], vec!["digits.onnx", cycle, cycle]]
    {
        let message = refused(folder.path(), 1, &models);
        assert_mentions(
            &message,
            &["cannot compare cycle.onnx: ", "cycle", "hint: `calipers check"],
        );
    }
}

fn one_model_needs_gates() {
    let folder = folder();
    let message = refused(folder.path(), 2, &["digits.onnx"]);
    assert_mentions(&message, &["nothing to be compared with", "--gate"]);
}

fn a_wrong_gate_is_pointed_at() {
    let folder = folder();
    let gate =
        |text: &str| refused(folder.path(), 2, &["digits.onnx", "encoder.onnx", "--gate", text]);
    assert_mentions(&gate("macs <= banana"), &["`banana`", "^^^^^^", "+5%"]);
    assert_mentions(&gate("mcas <= 5"), &["mcas", "^^^^"]);
    assert_mentions(&gate(""), &["empty"]);
    assert_mentions(&gate("latency@no-such-device <= 1ms"), &["no-such-device"]);
}

fn failed_gates_are_named() {
    let folder = folder();
    let gates = ["--gate", "nodes <= 5", "--gate", "nodes >= 1", "--gate", "interface compatible"];
    let args = [&["compare", "digits.onnx", "encoder.onnx"], &gates[..]].concat();
    let run = run_in(folder.path(), &args);
    assert_eq!(run.status, Some(3), "{}", run.stderr);
    assert_mentions(&run.stderr, &["nodes <= 5", "interface compatible"]);
    assert!(!run.stderr.contains("nodes >= 1"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
}

fn metrics_must_fit_the_models() {
    let folder = folder();
    let models = ["digits.onnx", "encoder.onnx"];
    let refuse = |args: &[&str]| refused(folder.path(), 2, &[&models[..], args].concat());
    assert_mentions(&refuse(&["--metric", "accuracy=0.7"]), &["accuracy", "2 models"]);
    assert_mentions(&refuse(&["--metric", "accuracy=0.7,high"]), &["high"]);
    fs::write(folder.path().join("a.json"), r#"{"accuracy": 0.7}"#).unwrap();
    fs::write(folder.path().join("b.json"), r#"{"f1": 0.7}"#).unwrap();
    assert_mentions(&refuse(&["--eval", "a.json"]), &["--eval", "2 models"]);
    let message = refuse(&["--eval", "a.json", "--eval", "b.json"]);
    assert_mentions(&message, &["no metric in common"]);
}

fn one_run_writes_several_formats() {
    let folder = folder();
    let outputs = ["d.md", "d.sarif", "d.json", "d.html"];
    let options: Vec<&str> = outputs.iter().flat_map(|output| ["-o", output]).collect();
    let models = ["compare", "digits.onnx", "encoder.onnx"];
    let run = run_in(folder.path(), &[&models[..], &options].concat());
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    for output in outputs {
        let alone = format!("alone-{output}");
        let run = run_in(folder.path(), &[&models[..], &["-o", &alone]].concat());
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
        assert!(read(output) == read(&alone), "{output} is another file");
    }
    // Standard output takes one of them.
    let run = run_in(folder.path(), &[&models[..], &["-o", "-", "-o", "e.json"]].concat());
    assert!(run.status == Some(0) && run.stdout.contains("Verdict"), "{}", run.stderr);
    let two = ["digits.onnx", "encoder.onnx", "-o", "d.md", "-o", "d.md"];
    assert_mentions(&refused(folder.path(), 2, &two), &["two outputs go to the same place"]);
    let format = ["digits.onnx", "encoder.onnx", "--format", "md", "-o", "d.md", "-o", "d.json"];
    assert_mentions(&refused(folder.path(), 2, &format), &["--format applies to one output"]);
}
