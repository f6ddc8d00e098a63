//! Readers who go away, and outputs that fill up.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use calipers_samples::{DataType, ModelBuilder};

use super::{calipers, folder_with_model};

calipers_testkit::tests! {
    test: [
        a_reader_who_goes_away_ends_the_run_quietly,
        a_large_report_too,
        #[cfg(target_os = "linux")]
        a_full_disk_is_an_error,
    ];
}

/// Runs with a reader that takes one line, or none, and closes the pipe.
#[track_caller]
fn read_a_little(folder: &std::path::Path, args: &[&str], lines: usize) {
    let mut child = calipers(args)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
    for _ in 0..lines {
        reader.read_line(&mut String::new()).unwrap();
    }
    drop(reader);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""), "{args:?}");
}

fn a_reader_who_goes_away_ends_the_run_quietly() {
    let folder = folder_with_model();
    for args in [
        &["digits.onnx"][..],
        &["digits.onnx", "--color", "always"],
        &["digits.onnx", "--format", "json"],
        &["schema"],
        &["demo"],
        &["completions", "zsh"],
        &["man"],
        &["--help"],
        &["--version"],
    ] {
        read_a_little(folder.path(), args, 0);
        read_a_little(folder.path(), args, 1);
    }
}

/// More than a pipe holds, so that the writer is in the middle of it when the reader goes.
fn a_large_report_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = ModelBuilder::new(17);
    for index in 0..4000 {
        let (input, output) = (format!("input_{index}"), format!("output_{index}"));
        model.input(&input, DataType::F32, &["batch", "3", "224", "224"]);
        model.output(&output, DataType::F32, &["batch", "3", "224", "224"]);
        model.node("Relu", &[&input], &[&output], &[]);
    }
    model.doc(&"A model with many inputs. ".repeat(20_000));
    std::fs::write(folder.path().join("wide.onnx"), model.build()).unwrap();
    for format in ["json", "text"] {
        read_a_little(folder.path(), &["wide.onnx", "--format", format], 1);
    }
}

#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let folder = folder_with_model();
    for args in [&["digits.onnx"][..], &["digits.onnx", "--format", "json"], &["schema"], &["man"]]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = calipers(args).current_dir(folder.path()).stdout(full).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(message, "error: cannot write to standard output: no space left on device\n");
        assert_eq!(output.status.code(), Some(2));
    }
}
