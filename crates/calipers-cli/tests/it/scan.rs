//! `calipers scan` and `calipers index`: a dataset, its page, and what is refused.

use std::path::Path;

use serde_json::Value;

use super::run_in;

calipers_testkit::tests! {
    test: [
        a_dataset_has_a_row_for_each_file_and_a_page,
        a_second_scan_reads_what_changed,
        secrets_in_paths_are_masked,
        other_folders_are_refused,
        a_missing_argument_is_refused_and_a_missing_file_of_many_is_a_row,
    ];
}

fn models(folder: &Path) {
    std::fs::create_dir_all(folder.join("models/deep")).unwrap();
    for name in ["a.onnx", "deep/b.onnx"] {
        std::fs::write(folder.join("models").join(name), calipers_samples::digits()).unwrap();
    }
    std::fs::write(folder.join("models/broken.onnx"), "<!doctype html><title>404</title>").unwrap();
}

fn rows(folder: &Path, table: &str) -> Vec<Value> {
    let parts = std::fs::read_dir(folder.join("dataset").join(table)).unwrap();
    let texts = parts.map(|part| std::fs::read_to_string(part.unwrap().path()).unwrap());
    let text: String = texts.collect();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const SCAN: [&str; 6] = ["scan", "models", "-o", "dataset", "--format", "jsonl"];

fn a_dataset_has_a_row_for_each_file_and_a_page() {
    let folder = tempfile::tempdir().unwrap();
    models(folder.path());
    let said = run_in(folder.path(), &SCAN).succeeded();
    assert!(said.starts_with("Scanned 3 models in ") && said.contains(", 1 unreadable"), "{said}");
    let found = rows(folder.path(), "models");
    let paths: Vec<&str> = found.iter().filter_map(|row| row["path"].as_str()).collect();
    assert_eq!(paths, ["models/a.onnx", "models/broken.onnx", "models/deep/b.onnx"]);
    assert_eq!(found[1]["error"], "this is an HTML page, not a model that Calipers reads");
    assert_eq!(found[0]["weights_digest"], found[2]["weights_digest"]);
    let report = run_in(folder.path(), &["models/a.onnx", "--format", "json"]).succeeded();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(found[0]["macs"], report["cost"]["macs"]);
    let run = run_in(folder.path(), &["index", "dataset"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""));
    assert_eq!(run.stderr, "Wrote dataset/index.html\n");
    let page = std::fs::read_to_string(folder.path().join("dataset/index.html")).unwrap();
    assert!(page.contains("3 models, 1 unreadable.") && page.contains("\"deep/b.onnx\""), "{page}");
    assert!(page.contains("Same weights"), "{page}");
    // The page does not keep the dataset from being scanned again.
    assert!(run_in(folder.path(), &SCAN).succeeded().contains("3 unchanged"));
    assert!(run_in(folder.path(), &["index", "dataset"]).status == Some(0));
}

fn a_second_scan_reads_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    models(folder.path());
    run_in(folder.path(), &SCAN).succeeded();
    std::fs::write(folder.path().join("models/broken.onnx"), calipers_samples::encoder()).unwrap();
    std::fs::remove_file(folder.path().join("models/a.onnx")).unwrap();
    let said = run_in(folder.path(), &[&SCAN[..], &["--prune"]].concat()).succeeded();
    assert!(said.starts_with("Scanned 1 model in ") && said.contains("1 removed"), "{said}");
    let found = rows(folder.path(), "models");
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|row| row["error"].is_null()), "{found:?}");
    let message = run_in(folder.path(), &[&SCAN[..], &["--device", "l4"]].concat()).failed(2);
    assert!(message.contains("was scanned with other options"), "{message}");
}

fn secrets_in_paths_are_masked() {
    let folder = tempfile::tempdir().unwrap();
    let secret = format!("ghp_{}", "Q9x7".repeat(9));
    std::fs::create_dir(folder.path().join("models")).unwrap();
    let path = folder.path().join("models").join(format!("{secret}.onnx"));
    std::fs::write(path, calipers_samples::digits()).unwrap();
    run_in(folder.path(), &SCAN).succeeded();
    for file in ["manifest.jsonl", "models"] {
        let path = folder.path().join("dataset").join(file);
        let text = match path.is_dir() {
            true => format!("{:?}", rows(folder.path(), file)),
            false => std::fs::read_to_string(path).unwrap(),
        };
        assert!(!text.contains(&secret) && text.contains("ghp_"), "{text}");
    }
    assert!(run_in(folder.path(), &SCAN).succeeded().contains("1 unchanged"));
}

fn other_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    models(folder.path());
    let message = run_in(folder.path(), &["index", "models"]).failed(2);
    assert!(message.contains("is not a dataset of `calipers scan`"), "{message}");
    assert!(!folder.path().join("models/index.html").exists());
    let message = run_in(folder.path(), &["index", "nowhere"]).failed(2);
    assert!(message.contains("is not a dataset of `calipers scan`"), "{message}");
    let message = run_in(folder.path(), &["scan", "models", "-o", "models"]).failed(2);
    assert!(message.contains("holds files that are not of a dataset"), "{message}");
    let message = run_in(folder.path(), &["scan", "-o", "dataset"]).failed(2);
    assert!(message.contains("<MODEL>"), "{message}");
}

fn a_missing_argument_is_refused_and_a_missing_file_of_many_is_a_row() {
    let folder = tempfile::tempdir().unwrap();
    models(folder.path());
    let message = run_in(folder.path(), &["scan", "models/a.onx", "-o", "dataset"]).failed(1);
    assert!(message.contains("cannot read models/a.onx: no such file"), "{message}");
    assert!(message.contains("did you mean `models/a.onnx`?"), "{message}");
    assert!(!folder.path().join("dataset").exists());
    let arguments = ["scan", "models/a.onnx", "gone.onnx", "-o", "dataset", "--format", "jsonl"];
    run_in(folder.path(), &arguments).succeeded();
    let found = rows(folder.path(), "models");
    assert!(found[0]["error"].is_string());
    assert!(found[1]["error"].is_null());
}
