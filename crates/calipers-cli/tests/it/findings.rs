//! `calipers check MODEL`, `calipers explain ID`, and gates.

use std::path::Path;

use serde_json::Value;

use super::{folder_with_model, run, run_in};

calipers_testkit::tests! {
    test: [
        findings_are_reported_and_nothing_else,
        every_format_has_the_same_findings,
        the_file_s_name_decides_the_format,
        a_gate_ends_with_three_and_still_writes,
        findings_are_selected_by_id_group_and_pattern,
        findings_are_explained,
        the_page_of_findings_is_up_to_date,
    ];
}

/// A folder with `digits.onnx` and a model whose data file leads out of it.
fn folder_with_bad_model() -> tempfile::TempDir {
    let folder = folder_with_model();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/hostile");
    std::fs::copy(fixtures.join("ext_absolute.onnx"), folder.path().join("bad.onnx")).unwrap();
    folder
}

fn findings_are_reported_and_nothing_else() {
    let folder = folder_with_bad_model();
    let text = run_in(folder.path(), &["check", "bad.onnx"]).succeeded();
    for part in
        ["bad.onnx", "1 error", "✗ error", "Unsafe external data path", "external-data-refused"]
    {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(!text.contains("Parameters"), "{text}");
}

fn every_format_has_the_same_findings() {
    let folder = folder_with_bad_model();
    let check = |format: &str| {
        run_in(folder.path(), &["check", "bad.onnx", "--format", format]).succeeded()
    };
    let json: Value = serde_json::from_str(&check("json")).unwrap();
    let sarif: Value = serde_json::from_str(&check("sarif")).unwrap();
    let findings = json["findings"].as_array().unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let ids: Vec<_> = findings.iter().map(|finding| &finding["id"]).collect();
    let rules: Vec<_> = results.iter().map(|result| &result["ruleId"]).collect();
    assert!(!ids.is_empty());
    assert_eq!(ids, rules);
    let markdown = check("markdown");
    for id in ids {
        assert!(markdown.contains(id.as_str().unwrap()), "{id}");
    }
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        let rule = &sarif["runs"][0]["tool"]["driver"]["rules"][index];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["help"]["text"].as_str().unwrap().contains("Recommendation"));
    }
}

fn the_file_s_name_decides_the_format() {
    let folder = folder_with_bad_model();
    for (name, start) in
        [("f.sarif", "{\n  \"$schema\""), ("f.json", "{\n"), ("f.md", "# Findings")]
    {
        run_in(folder.path(), &["check", "bad.onnx", "-o", name]).succeeded();
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text.starts_with(start), "{text}");
    }
}

fn a_gate_ends_with_three_and_still_writes() {
    let folder = folder_with_bad_model();
    for subcommand in [&["check"][..], &["inspect"], &[]] {
        let args = |more: &[&'static str]| [subcommand, &["bad.onnx"], more].concat();
        let failed = run_in(folder.path(), &args(&["--fail-on", "error"]));
        assert_eq!(failed.status, Some(3), "{subcommand:?}");
        assert!(failed.stdout.contains("Unsafe external data path"), "{}", failed.stdout);
        assert!(failed.stderr.contains("external-data-refused"), "{}", failed.stderr);
        let ignored = ["--fail-on", "error", "--ignore", "external-data-*"];
        run_in(folder.path(), &args(&ignored)).succeeded();
    }
    let args = ["check", "digits.onnx", "--fail-on", "warning"];
    run_in(folder.path(), &args).succeeded();
}

fn findings_are_selected_by_id_group_and_pattern() {
    let folder = folder_with_bad_model();
    let count = |args: &[&str]| {
        let args = [&["check", "bad.onnx", "--format", "json"], args].concat();
        let json: Value = serde_json::from_str(&run_in(folder.path(), &args).succeeded()).unwrap();
        json["findings"].as_array().unwrap().len()
    };
    assert_eq!(count(&["--select", "external-data-refused"]), 1);
    assert_eq!(count(&["--select", "security"]), 1);
    assert_eq!(count(&["--select", "graph-*"]), 0);
    let wrong = run_in(folder.path(), &["check", "bad.onnx", "--ignore", "graph-cylce"]).failed(2);
    assert!(wrong.contains("did you mean 'graph-cycle'?"), "{wrong}");
}

fn findings_are_explained() {
    let list = run(&["explain"]).succeeded();
    assert!(list.contains("graph-cycle") && list.contains("security"), "{list}");
    let one = run(&["explain", "graph-cycle"]).succeeded();
    for part in ["graph-cycle", "Checks", "Why", "Example", "Recommendation"] {
        assert!(one.contains(part), "{part:?} is not in\n{one}");
    }
    let group = run(&["explain", "security", "--format", "json"]).succeeded();
    let rules: Value = serde_json::from_str(&group).unwrap();
    assert!(rules.as_array().unwrap().iter().all(|rule| rule["group"] == "security"));
    assert!(run(&["explain", "nonsense"]).failed(2).contains("calipers explain"));
}

fn the_page_of_findings_is_up_to_date() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings.md");
    let written = std::fs::read_to_string(page).unwrap();
    let wanted = run(&["explain", "--format", "markdown"]).succeeded();
    assert!(written == wanted, "run: cargo run -- explain --format markdown -o docs/findings.md");
}
