//! What goes wrong, in words and in the exit status.

use std::path::Path;

use calipers_testkit::{Ignored, Outcome};

use super::{calipers, finish, folder_with_model, run, run_in};

calipers_testkit::tests! {
    test: [
        a_missing_file_is_named,
        a_mistyped_command_gets_a_hint,
        a_folder_is_no_model,
        a_file_that_is_no_model_says_so,
        an_unreadable_model_leaves_no_report,
        #[cfg(unix)]
        a_file_without_the_right_to_read_it,
        #[cfg(unix)]
        what_is_no_file_is_not_opened,
        #[cfg(unix)]
        a_name_cannot_steer_the_terminal,
        #[cfg(unix)]
        a_name_need_not_be_text,
        an_output_that_cannot_be_written_is_a_usage_error,
        the_model_is_never_written_over,
        arguments_that_make_no_sense_are_usage_errors,
        errors_have_color_only_when_asked_for,
    ];
}

fn a_missing_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let message = run_in(folder.path(), &["sub/gone.onnx"]).failed(1);
    assert_eq!(message, "error: cannot read sub/gone.onnx: no such file\n");
    let message = run_in(folder.path(), &["ftp://host/model.onnx"]).failed(1);
    assert!(message.contains("hint: write https://…, s3://bucket/key"), "{message}");
}

fn a_mistyped_command_gets_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let message = run_in(folder.path(), &["inspct"]).failed(1);
    assert!(message.starts_with("error: cannot read inspct: no such file\nhint: "));
    assert!(message.contains("did you mean `inspect`?"), "{message}");
    let message = run_in(folder.path(), &["frobnicate"]).failed(1);
    assert!(
        message.contains(
            "inspect, card, check, compare, explain, shapes, layers, sweep, diagram, graph, report, hardware, verify, run, bench, calibrate, scan, index, devices, schema, demo"
        ),
        "{message}"
    );
}

fn a_folder_is_no_model() {
    let folder = tempfile::tempdir().unwrap();
    let message = run_in(folder.path(), &["."]).failed(1);
    assert!(message.starts_with("error: cannot read .: it is a folder\nhint: "), "{message}");
}

fn a_file_that_is_no_model_says_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("page.onnx"), "<!doctype html>\n<p>not found</p>").unwrap();
    for format in ["text", "json"] {
        let message = run_in(folder.path(), &["page.onnx", "--format", format]).failed(1);
        assert!(message.starts_with("error: cannot read page.onnx: "), "{message}");
        let why = message.trim_start_matches("error: cannot read page.onnx: ");
        assert!(why.starts_with(|first: char| !first.is_uppercase()), "{message}");
    }
}

fn an_unreadable_model_leaves_no_report() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("page.onnx"), "<!doctype html>").unwrap();
    run_in(folder.path(), &["page.onnx", "-o", "report.json"]).failed(1);
    assert!(!folder.path().join("report.json").exists());
}

#[cfg(unix)]
fn a_file_without_the_right_to_read_it() -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    /// The user `nobody`.
    const NOBODY: u32 = 65_534;
    let folder = folder_with_model();
    let path = folder.path().join("digits.onnx");
    let allow = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(&path, 0o000);
    let mut command = calipers(&["digits.onnx"]);
    command.current_dir(folder.path());
    if std::fs::File::open(&path).is_ok() {
        // The superuser may read anything, so the command runs as somebody else.
        allow(folder.path(), 0o755);
        command.uid(NOBODY).gid(NOBODY);
        if let Err(error) = command.output() {
            return Err(Ignored(format!("the command cannot run as another user: {error}")));
        }
    }
    let message = finish(&mut command).failed(1);
    assert!(message.starts_with("error: cannot read digits.onnx: permission denied\nhint: "));
    Ok(())
}

#[cfg(unix)]
fn what_is_no_file_is_not_opened() {
    let message = run(&["/dev/zero"]).failed(1);
    assert!(message.starts_with("error: cannot read /dev/zero: it is not a regular file\n"));
}

#[cfg(unix)]
fn a_name_cannot_steer_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a\x1b[2J\r\n\u{202e}b.onnx";
    let shown = r"a\u{1b}[2J\r\n\u{202e}b.onnx";
    let message = run_in(folder.path(), &[name]).failed(1);
    assert_eq!(message, format!("error: cannot read {shown}: no such file\n"));

    std::fs::write(folder.path().join(name), "no model").unwrap();
    let message = run_in(folder.path(), &[name]).failed(1);
    assert!(message.starts_with(&format!("error: cannot read {shown}: ")), "{message}");

    // The parser repeats what it does not understand.
    let message = run_in(folder.path(), &["x.onnx", name]).failed(2);
    assert!(!message.contains(['\x1b', '\r', '\u{202e}']), "{message:?}");
}

#[cfg(unix)]
fn a_name_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe.onnx");
    let message = finish(calipers(&[]).arg(name).current_dir(folder.path())).failed(1);
    assert!(message.starts_with("error: cannot read \u{fffd}\u{fffd}.onnx: "), "{message}");
}

fn an_output_that_cannot_be_written_is_a_usage_error() {
    let folder = folder_with_model();
    std::fs::create_dir(folder.path().join("there")).unwrap();
    for place in ["gone/report.json", "there", "digits.onnx/report.json"] {
        let message = run_in(folder.path(), &["digits.onnx", "-o", place]).failed(2);
        assert!(message.starts_with(&format!("error: cannot write {place}: ")), "{message}");
    }
}

fn the_model_is_never_written_over() {
    let folder = folder_with_model();
    let path = folder.path().join("digits.onnx");
    std::fs::hard_link(&path, folder.path().join("linked")).unwrap();
    for place in ["digits.onnx", "./digits.onnx"] {
        let message =
            run_in(folder.path(), &["digits.onnx", "--format", "text", "-o", place]).failed(2);
        assert!(message.contains("it is the model itself"), "{message}");
    }
    #[cfg(unix)]
    run_in(folder.path(), &["digits.onnx", "-o", "linked"]).failed(2);
    assert!(std::fs::read(&path).unwrap() == calipers_samples::digits());
}

fn arguments_that_make_no_sense_are_usage_errors() {
    for args in [
        &[][..],
        &["--color", "never"],
        &["inspect"],
        &["inspect", "a.onnx", "b.onnx"],
        &["a.onnx", "b.onnx"],
        &["a.onnx", "schema"],
        &["a.onnx", "--format", "yaml"],
        &["a.onnx", "--color", "sometimes"],
        &["a.onnx", "--nonsense"],
        &["a.onnx", "-o"],
        &["schema", "a.onnx"],
        &["demo", "a.onnx"],
        &["--format", "json", "demo"],
        &["completions"],
        &["completions", "tcsh"],
        &["man", "nonsense"],
        &[""],
    ] {
        let message = run(args).failed(2);
        assert!(message.contains("Usage:") || message.contains("--help"), "{args:?}: {message}");
    }
}

fn errors_have_color_only_when_asked_for() {
    assert!(!run(&["gone.onnx"]).failed(1).contains('\x1b'));
    let loud = run(&["gone.onnx", "--color", "always"]).failed(1);
    assert!(loud.starts_with("\x1b[") && loud.contains("cannot read gone.onnx"), "{loud:?}");
}
