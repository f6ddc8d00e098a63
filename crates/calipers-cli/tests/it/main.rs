//! The command as a user meets it: the built binary, its output and its exit status.
#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

mod bench;
mod card;
mod compare;
mod demo;
mod devices;
mod diagram;
mod embed;
mod errors;
mod files;
mod findings;
mod generated;
mod graph;
mod hardware;
mod hostile;
mod inspect;
mod layers;
mod pipes;
mod privacy;
mod readme;
mod run;
mod scan;
mod shapes;
mod summary;
mod sweep;
mod verify;
mod weights;

use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};

use calipers_samples::{DataType, ModelBuilder, Tensor};

fn main() -> ExitCode {
    // The README's console blocks name files from here.
    std::env::set_current_dir(calipers_testkit::root()).unwrap();
    calipers_testkit::main([
        bench::tests(),
        card::tests(),
        compare::tests(),
        demo::tests(),
        devices::tests(),
        diagram::tests(),
        embed::tests(),
        errors::tests(),
        files::tests(),
        findings::tests(),
        generated::tests(),
        graph::tests(),
        hardware::tests(),
        hostile::tests(),
        inspect::tests(),
        layers::tests(),
        pipes::tests(),
        privacy::tests(),
        readme::tests(),
        run::tests(),
        scan::tests(),
        shapes::tests(),
        summary::tests(),
        sweep::tests(),
        verify::tests(),
        weights::tests(),
    ])
}

/// The binary, in an environment that decides nothing about color, width or language.
fn calipers(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calipers"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LC_ALL", "LC_CTYPE"] {
        command.env_remove(name);
    }
    command.env("LANG", "C.UTF-8").env("TERM", "xterm").stdin(Stdio::null()).args(args);
    command
}

/// A folder with `m.onnx`, whose four floats are in a data file, which is not there.
fn folder_without_data_file(data: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["n", "2"]);
    let weight = Tensor::external("w", DataType::F32, &[2, 2], data, Some(0), Some(16));
    model.initializer(&weight).node("MatMul", &["x", "w"], &["y"], &[]);
    model.output("y", DataType::F32, &["n", "2"]);
    std::fs::write(folder.path().join("m.onnx"), model.build()).unwrap();
    folder
}

/// What a finished run left behind.
struct Run {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Run {
    /// Panics unless the run ended well and printed nothing on standard error but the files written.
    #[track_caller]
    fn succeeded(self) -> String {
        let warnings: Vec<&str> =
            self.stderr.lines().filter(|line| !line.starts_with("Wrote ")).collect();
        assert_eq!((self.status, warnings.join("\n").as_str()), (Some(0), ""));
        self.stdout
    }

    /// Panics unless the run ended with this status and left standard output empty.
    #[track_caller]
    fn failed(self, status: i32) -> String {
        assert_eq!((self.status, self.stdout.as_str()), (Some(status), ""), "{}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self.stderr
    }
}

fn finish(command: &mut Command) -> Run {
    let Output { status, stdout, stderr } = command.output().unwrap();
    Run {
        status: status.code(),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

fn run(args: &[&str]) -> Run {
    finish(&mut calipers(args))
}

/// Runs in a folder, so that short names can be given and expected.
fn run_in(folder: &Path, args: &[&str]) -> Run {
    finish(calipers(args).current_dir(folder))
}

/// A folder with `digits.onnx` in it.
fn folder_with_model() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("digits.onnx"), calipers_samples::digits()).unwrap();
    folder
}

/// Columns of the widest line.
fn width(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// Tests that need ONNX Runtime run where `ORT_DYLIB_PATH` names its library, as `scripts/test` does.
fn onnx_runtime() -> Result<(), calipers_testkit::Ignored> {
    match std::env::var_os("ORT_DYLIB_PATH").is_some_and(|path| Path::new(&path).is_file()) {
        true => Ok(()),
        false => Err(calipers_testkit::Ignored(
            "no ONNX Runtime; scripts/verify installs it, and ORT_DYLIB_PATH names its library"
                .to_owned(),
        )),
    }
}
