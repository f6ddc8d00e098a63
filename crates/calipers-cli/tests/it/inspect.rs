//! `calipers MODEL` and `calipers inspect MODEL`.

use calipers_samples::SAMPLES;
use serde_json::Value;

use super::{calipers, finish, folder_with_model, folder_without_data_file, run_in, width};

calipers_testkit::tests! {
    test: [
        a_bare_model_is_inspected,
        a_file_may_be_named_like_a_command,
        json_is_the_report_and_nothing_else,
        figures_of_the_samples_are_right,
        the_same_model_gives_the_same_bytes,
        output_goes_to_a_file,
        a_dash_is_standard_output,
        a_pipe_has_no_color_unless_asked_for,
        color_can_be_refused,
        json_never_has_color,
        a_file_has_color_only_when_the_flag_says_so,
        text_keeps_to_the_width,
        a_fingerprint_is_given_when_asked_for,
        a_fingerprint_covers_data_files,
    ];
}

fn a_bare_model_is_inspected() {
    let folder = folder_with_model();
    let short = run_in(folder.path(), &["digits.onnx"]).succeeded();
    let long = run_in(folder.path(), &["inspect", "digits.onnx"]).succeeded();
    assert_eq!(short, long);
    assert!(short.contains("digits.onnx"), "{short}");
}

fn a_file_may_be_named_like_a_command() {
    let folder = folder_with_model();
    for subcommand in ["inspect", "schema", "demo", "help"] {
        std::fs::copy(folder.path().join("digits.onnx"), folder.path().join(subcommand)).unwrap();
        let name = format!("./{subcommand}");
        let json = run_in(folder.path(), &[&name, "--format", "json"]).succeeded();
        let report: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(report["model"]["file"], subcommand);
    }
}

fn json_is_the_report_and_nothing_else() {
    let folder = folder_with_model();
    let json = run_in(folder.path(), &["digits.onnx", "--format", "json"]).succeeded();
    assert!(json.starts_with('{') && json.ends_with("}\n"), "{json}");
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["schema_version"], calipers_report::SCHEMA_VERSION);
    assert_eq!(report["generator"]["name"], "calipers");
    assert_eq!(report["model"]["file"], "digits.onnx");
    assert_eq!(report["model"]["bytes"], calipers_samples::digits().len());
}

/// Every figure is worked out by hand in the sample's module.
fn figures_of_the_samples_are_right() {
    let folder = tempfile::tempdir().unwrap();
    for sample in SAMPLES {
        let name = format!("{}.onnx", sample.name);
        std::fs::write(folder.path().join(&name), (sample.model)()).unwrap();
        let json = run_in(folder.path(), &[&name, "--format", "json"]).succeeded();
        let report: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(report["parameters"]["total"], sample.parameters, "{name}");
        assert_eq!(report["graph"]["nodes"], sample.nodes, "{name}");
        assert_eq!(report["graph"]["nodes_total"], sample.nodes_total, "{name}");
        assert_eq!(report["graph"]["initializers"], sample.initializers, "{name}");
    }
}

fn the_same_model_gives_the_same_bytes() {
    let folder = folder_with_model();
    for format in ["text", "json"] {
        let once = run_in(folder.path(), &["digits.onnx", "--format", format]).succeeded();
        let again = calipers(&["digits.onnx", "--format", format])
            .current_dir(folder.path())
            .env("LANG", "C")
            .env("TERM", "dumb")
            .output()
            .unwrap();
        assert_eq!(once.as_bytes(), again.stdout, "{format}");
    }
}

fn output_goes_to_a_file() {
    let folder = folder_with_model();
    let stdout = run_in(folder.path(), &["digits.onnx", "--format", "json"]).succeeded();
    for args in [
        &["digits.onnx", "-o", "r.json"][..],
        &["inspect", "digits.onnx", "--output", "r.json"],
        &["digits.onnx", "--format", "json", "-o", "r.json"],
    ] {
        assert_eq!(run_in(folder.path(), args).succeeded(), "");
        let file = std::fs::read_to_string(folder.path().join("r.json")).unwrap();
        assert_eq!(file, stdout, "{args:?}");
    }
    assert_eq!(run_in(folder.path(), &["digits.onnx", "-o", "r.txt"]).succeeded(), "");
    let text = run_in(folder.path(), &["digits.onnx"]).succeeded();
    assert_eq!(std::fs::read_to_string(folder.path().join("r.txt")).unwrap(), text);
}

fn a_dash_is_standard_output() {
    let folder = folder_with_model();
    let plain = run_in(folder.path(), &["digits.onnx"]).succeeded();
    assert_eq!(run_in(folder.path(), &["digits.onnx", "-o", "-"]).succeeded(), plain);
    assert!(!folder.path().join("-").exists());
}

/// A run with one variable set and some arguments more.
fn colored(variables: &[(&str, &str)], args: &[&str]) -> bool {
    let folder = folder_with_model();
    let mut command = calipers(&[&["digits.onnx"], args].concat());
    command.current_dir(folder.path()).envs(variables.iter().copied());
    finish(&mut command).succeeded().contains('\x1b')
}

fn a_pipe_has_no_color_unless_asked_for() {
    assert!(!colored(&[], &[]));
    assert!(colored(&[], &["--color", "always"]));
    assert!(colored(&[("CLICOLOR_FORCE", "1")], &[]));
}

fn color_can_be_refused() {
    assert!(!colored(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &[]));
    assert!(!colored(&[("CLICOLOR_FORCE", "1")], &["--color", "never"]));
    assert!(colored(&[("NO_COLOR", "1")], &["--color", "always"]), "the flag is more explicit");
    assert!(!colored(&[("TERM", "dumb")], &[]));
}

fn json_never_has_color() {
    assert!(!colored(&[("CLICOLOR_FORCE", "1")], &["--format", "json", "--color", "always"]));
}

fn a_file_has_color_only_when_the_flag_says_so() {
    let folder = folder_with_model();
    let text = |args: &[&str]| {
        let mut command = calipers(&[&["digits.onnx", "-o", "r.txt"], args].concat());
        command.current_dir(folder.path()).env("CLICOLOR_FORCE", "1");
        finish(&mut command).succeeded();
        std::fs::read_to_string(folder.path().join("r.txt")).unwrap()
    };
    assert!(!text(&[]).contains('\x1b'));
    assert!(text(&["--color", "always"]).contains('\x1b'));
}

fn text_keeps_to_the_width() {
    let folder = folder_with_model();
    let text = |columns: Option<&str>| {
        let mut command = calipers(&["digits.onnx"]);
        command.current_dir(folder.path());
        if let Some(columns) = columns {
            command.env("COLUMNS", columns);
        }
        finish(&mut command).succeeded()
    };
    assert!(width(&text(None)) <= 100);
    assert!(width(&text(Some("72"))) <= 72);
    assert_eq!(text(Some("100")), text(None));
    assert_eq!(text(Some("nonsense")), text(None));
    assert_eq!(text(Some("0")), text(None));
    text(Some("99999999999999999999"));
    text(Some("1"));
}

fn a_fingerprint_is_given_when_asked_for() {
    let folder = folder_with_model();
    let plain = run_in(folder.path(), &["digits.onnx", "--format", "json"]).succeeded();
    assert!(!plain.contains("sha256"));
    let json = run_in(folder.path(), &["digits.onnx", "--format", "json", "--sha256"]).succeeded();
    let report: Value = serde_json::from_str(&json).unwrap();
    let digest = report["model"]["sha256"].as_str().unwrap();
    assert!(digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()), "{digest}");
}

fn a_fingerprint_covers_data_files() {
    let folder = folder_without_data_file("w.bin");
    let read = || -> Value {
        let run = run_in(folder.path(), &["m.onnx", "--sha256", "--format", "json"]);
        serde_json::from_str(&run.succeeded()).unwrap()
    };

    let missing = read();
    assert_eq!(missing["model"]["sha256_all"], Value::Null);
    assert_eq!(missing["unknown"][0]["what"], "model.sha256_all");

    std::fs::write(folder.path().join("w.bin"), b"abc").unwrap();
    let whole = read();
    // printf abc | sha256sum
    let data = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(whole["model"]["data_files"][0]["sha256"], data);
    assert_eq!(whole["model"]["sha256_all"].as_str().unwrap().len(), 64);
    let screen = run_in(folder.path(), &["m.onnx", "--sha256"]).succeeded();
    assert!(screen.contains(&format!("{data} w.bin")), "{screen}");
}
