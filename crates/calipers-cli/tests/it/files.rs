//! Files that are written, kept, shortened and interrupted.

use std::fs::{self, File};
use std::path::Path;
#[cfg(unix)]
use std::process::{Command, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

use calipers_samples::{DataType, ModelBuilder, Tensor};

use super::{calipers, finish, folder_with_model, run_in};

calipers_testkit::tests! {
    test: [
        every_output_can_be_written_again,
        a_file_of_another_program_needs_force,
        odd_names_do_not_end_a_batch,
        weights_beyond_the_limit_are_not_read,
        #[cfg(unix)]
        links_are_not_written_through,
        #[cfg(unix)]
        a_full_disk_leaves_what_was_there,
        #[cfg(target_os = "linux")]
        a_closed_standard_output_is_an_error,
        #[cfg(target_os = "linux")]
        special_files_are_written_directly,
        #[cfg(unix)]
        a_shortened_file_is_an_error,
        #[cfg(unix)]
        a_shortened_file_does_not_end_a_batch,
        #[cfg(unix)]
        an_interrupt_leaves_nothing_behind,
        #[cfg(unix)]
        an_interrupt_removes_every_new_folder,
    ];
}

/// Every path below a folder, sorted.
fn listing(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            found.push(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned());
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

fn every_output_can_be_written_again() {
    let folder = folder_with_model();
    fs::write(folder.path().join("encoder.onnx"), calipers_samples::encoder()).unwrap();
    let template = folder.path().join("card.md.j2");
    fs::write(template, "{{ report.model.file }}").unwrap();
    let outputs = [
        ("inspect", &["r.txt", "r.json", "r.md"][..]),
        ("shapes", &["s.txt", "s.json", "s.csv", "s.jsonl", "s.md"]),
        ("layers", &["l.txt", "l.json", "l.csv", "l.jsonl", "l.md"]),
        ("check", &["c.txt", "c.json", "c.md", "c.sarif"]),
        ("hardware", &["h.txt", "h.json", "h.csv", "h.md"]),
        ("diagram", &["d.mmd", "d.json"]),
        ("graph", &["g.svg", "g.png", "g.dot", "g.html", "g.json"]),
        ("report", &["p.html"]),
        ("card", &["card.md", "k.csv", "k.jsonl", "folder"]),
    ];
    for (command, files) in outputs {
        for file in files {
            // Also for another model, whose figures and names differ.
            for model in ["digits.onnx", "encoder.onnx", "digits.onnx"] {
                let run = run_in(folder.path(), &[command, model, "-o", file]);
                assert_eq!(run.status, Some(0), "{command} {model} -o {file}: {}", run.stderr);
            }
        }
    }
    for args in [
        &["card", "digits.onnx", "-o", "png", "--assets", "png"][..],
        &["card", "digits.onnx", "-o", "some", "--sections", "memory", "--no-front-matter"],
        &["card", "digits.onnx", "-o", "own", "--template", "card.md.j2"],
        &["card", "digits.onnx", "encoder.onnx", "-o", "many"],
        &["demo", "-o", "demo"],
        &["explain", "-o", "e.md"],
        &["devices", "-o", "v.json"],
        &["devices", "l4", "-o", "v.txt"],
    ] {
        for _ in 0..2 {
            let run = run_in(folder.path(), args);
            assert_eq!(run.status, Some(0), "{args:?}: {}", run.stderr);
        }
    }
    let left: Vec<String> =
        listing(folder.path()).into_iter().filter(|path| path.contains(".calipers-")).collect();
    assert_eq!(left, Vec::<String>::new(), "no temporary file remains");
}

fn a_file_of_another_program_needs_force() {
    let folder = folder_with_model();
    fs::create_dir(folder.path().join("many")).unwrap();
    for (file, args) in [
        ("README.md", &["card", "digits.onnx", "-o", "."][..]),
        ("many/README.md", &["card", "digits.onnx", "digits.onnx", "-o", "many"]),
        ("many/index.html", &["card", "digits.onnx", "digits.onnx", "-o", "many"]),
        ("report.json", &["digits.onnx", "-o", "report.json"]),
        ("page.html", &["report", "digits.onnx", "-o", "page.html"]),
        ("layers.csv", &["layers", "digits.onnx", "-o", "layers.csv"]),
        ("notes.txt", &["digits.onnx", "-o", "notes.txt"]),
        ("g.svg", &["graph", "digits.onnx", "-o", "g.svg"]),
    ] {
        let path = folder.path().join(file);
        fs::write(&path, "MINE\n").unwrap();
        let before = listing(folder.path());
        let message = run_in(folder.path(), args).failed(2);
        let wanted =
            format!("{file}: Calipers did not write the file that exists\nhint: use --force");
        assert!(message.contains(&wanted), "{args:?}: {message}");
        assert_eq!(fs::read(&path).unwrap(), b"MINE\n", "{args:?}");
        assert_eq!(listing(folder.path()), before, "{args:?} leaves nothing else");
        let forced = run_in(folder.path(), &[args, &["--force"]].concat());
        assert_eq!(forced.status, Some(0), "{args:?}: {}", forced.stderr);
        assert_ne!(fs::read(&path).unwrap(), b"MINE\n", "{args:?}");
        for other in ["README.md", "many/README.md", "many/index.html"] {
            let _ = fs::remove_file(folder.path().join(other));
        }
        let _ = fs::remove_dir_all(folder.path().join("assets"));
    }
}

fn odd_names_do_not_end_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    fs::create_dir(&models).unwrap();
    let names = [
        "README.md.onnx",
        "readme.onnx",
        "Index.html.onnx",
        "assets.onnx",
        "CON.onnx",
        "nul.v2.onnx",
        "card.md.onnx",
        "...onnx",
        " .onnx",
        "-o.onnx",
        "a:b.onnx",
        "new\nline.onnx",
        "\u{1b}[31m.onnx",
        "入力.onnx",
    ];
    for name in names {
        fs::write(models.join(name), calipers_samples::digits()).unwrap();
    }
    let run = run_in(folder.path(), &["card", "models", "-o", "cards", "--assets", "none"]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let cards = listing(&folder.path().join("cards"));
    let written = cards.iter().filter(|path| path.ends_with("/README.md")).count();
    assert_eq!(written, names.len(), "{cards:?}");
    assert!(cards.contains(&"README.md".to_owned()) && cards.contains(&"index.html".to_owned()));
}

/// A model whose weights are in `name.bin`: this many floats.
fn write_external(folder: &Path, name: &str, floats: u64) {
    let (data, bytes) = (format!("{name}.bin"), floats * 4);
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["n", "1"]);
    let dims = [1, i64::try_from(floats).unwrap()];
    let weight = Tensor::external("w", DataType::F32, &dims, &data, Some(0), Some(bytes));
    model.initializer(&weight).node("MatMul", &["x", "w"], &["y"], &[]);
    model.output("y", DataType::F32, &["n", "m"]);
    fs::write(folder.join(format!("{name}.onnx")), model.build()).unwrap();
    // A hole reads as zeros and takes no space.
    File::create(folder.join(data)).unwrap().set_len(bytes).unwrap();
}

fn weights_beyond_the_limit_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    // 4 TB: reading it would take an hour.
    write_external(folder.path(), "huge", 1 << 40);
    for limit in [&["--max-bytes", "1MB"][..], &[]] {
        let args = [&["inspect", "huge.onnx", "--weights", "--format", "json"], limit].concat();
        let json = run_in(folder.path(), &args).succeeded();
        let report: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(report["weights"]["unread"], 1, "{limit:?}");
        assert_eq!(report["weights"]["tensors"], 0, "{limit:?}");
        let unknown = report["unknown"].as_array().unwrap();
        let reason = unknown.iter().find(|entry| entry["what"] == "weights.unread").unwrap();
        assert!(reason["reason"].as_str().unwrap().contains("`--max-bytes`"), "{reason}");
    }
    let check = run_in(folder.path(), &["check", "huge.onnx", "--weights"]);
    assert_eq!(check.status, Some(0));
    assert!(check.stderr.starts_with("warning: 1 of 1 tensors were not read"), "{}", check.stderr);
    write_external(folder.path(), "small", 1 << 10);
    let read = ["check", "small.onnx", "--weights", "--max-bytes", "4KiB", "--format", "json"];
    assert!(!run_in(folder.path(), &read).succeeded().contains("max-bytes"), "4 KiB are 4 KiB");
    let message = run_in(folder.path(), &["check", "small.onnx", "--max-bytes", "1GB"]).failed(2);
    assert!(message.contains("--weights"), "{message}");
}

#[cfg(unix)]
fn links_are_not_written_through() {
    use std::os::unix::fs::symlink;
    let folder = folder_with_model();
    let place = |name: &str| folder.path().join(name);
    fs::write(place("elsewhere"), "").unwrap();
    fs::create_dir(place("card")).unwrap();
    symlink("../elsewhere", place("card/README.md")).unwrap();
    symlink("elsewhere", place("report.json")).unwrap();
    for args in [&["card", "digits.onnx", "-o", "card"][..], &["digits.onnx", "-o", "report.json"]]
    {
        let message = run_in(folder.path(), args).failed(2);
        assert!(message.contains(": it is a symbolic link to "), "{message}");
        let forced = run_in(folder.path(), &[args, &["--force"]].concat());
        assert_eq!(forced.status, Some(0), "{args:?}: {}", forced.stderr);
        assert_eq!(fs::read(place("elsewhere")).unwrap(), b"", "{args:?}");
    }
    assert!(!place("report.json").is_symlink() && !place("card/README.md").is_symlink());
}

/// Runs with a limit on the size of a file, in blocks of 512 bytes: what writes more fails, as on a
/// full disk.
#[cfg(unix)]
fn run_on_small_disk(folder: &Path, blocks: u32, args: &[&str]) -> super::Run {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_calipers"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null());
    finish(&mut command)
}

#[cfg(unix)]
fn a_full_disk_leaves_what_was_there() {
    let folder = folder_with_model();
    fs::write(folder.path().join("encoder.onnx"), calipers_samples::encoder()).unwrap();
    // Each of these writes a file of over 4 kB.
    let commands = [
        &["digits.onnx", "-o", "report.json"][..],
        &["report", "digits.onnx", "-o", "page.html"],
        &["card", "digits.onnx", "-o", "card"],
        &["card", "digits.onnx", "-o", "card.md"],
        &["card", "digits.onnx", "encoder.onnx", "-o", "deep/many"],
        &["demo", "-o", "demo"],
    ];
    let before = listing(folder.path());
    for args in commands {
        let message = run_on_small_disk(folder.path(), 4, args).failed(2);
        assert!(message.contains("cannot write "), "{args:?}: {message}");
        assert_eq!(listing(folder.path()), before, "{args:?} leaves nothing");
    }
    for args in commands {
        assert_eq!(run_in(folder.path(), args).status, Some(0), "{args:?}");
    }
    let snapshot = || {
        let files = listing(folder.path()).into_iter().map(|path| {
            let bytes = fs::read(folder.path().join(&path)).unwrap_or_default();
            (path, bytes)
        });
        files.collect::<Vec<_>>()
    };
    let before = snapshot();
    for args in commands {
        run_on_small_disk(folder.path(), 4, args).failed(2);
        assert!(snapshot() == before, "{args:?} leaves the old files");
    }
}

#[cfg(target_os = "linux")]
fn a_closed_standard_output_is_an_error() {
    let folder = folder_with_model();
    for args in ["digits.onnx", "digits.onnx --format json", "schema", "--help", "--version"] {
        let script = format!("exec \"$0\" {args} >&-");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).arg(env!("CARGO_BIN_EXE_calipers"));
        let run = finish(command.current_dir(folder.path()).stdin(Stdio::null()));
        let wanted = "error: cannot write to standard output: it is closed\n";
        assert_eq!((run.status, run.stderr.as_str()), (Some(2), wanted), "{args}");
    }
    // A file in its place needs no standard output, and /dev/null is one.
    for args in ["digits.onnx -o r.json >&-", "digits.onnx > /dev/null", "schema 1<>/dev/null"] {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("exec \"$0\" {args}")]).arg(env!("CARGO_BIN_EXE_calipers"));
        let run = finish(command.current_dir(folder.path()).stdin(Stdio::null()));
        assert_eq!(run.status, Some(0), "{args}: {}", run.stderr);
    }
}

#[cfg(target_os = "linux")]
fn special_files_are_written_directly() {
    let folder = folder_with_model();
    let text = run_in(folder.path(), &["digits.onnx"]).succeeded();
    let stdout = run_in(folder.path(), &["digits.onnx", "-o", "/dev/stdout"]);
    assert_eq!(stdout.stdout, text);
    // Appended to, as the shell opened it.
    let mut command = Command::new("sh");
    let script = "echo first > f; \"$0\" digits.onnx -o /dev/stdout >> f; \"$0\" digits.onnx -o /dev/fd/3 3>> f";
    command.args(["-c", script]).arg(env!("CARGO_BIN_EXE_calipers"));
    let run = finish(command.current_dir(folder.path()).env("LANG", "C.UTF-8"));
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let found = fs::read_to_string(folder.path().join("f")).unwrap();
    assert!(found.starts_with("first\n") && found.matches(text.as_str()).count() == 2, "{found}");
    assert_eq!(run_in(folder.path(), &["digits.onnx", "-o", "/dev/null"]).status, Some(0));
    let full = run_in(folder.path(), &["digits.onnx", "-o", "/dev/full"]).failed(2);
    assert!(full.contains("cannot write /dev/full: no space left on device"), "{full}");
}

/// Floats of a file that takes a while to read, also on a fast machine.
#[cfg(unix)]
const FLOATS: u64 = 1 << 27;

/// Runs a command and shortens a file while it is read. Tries again where the command was faster, or
/// had not begun.
#[cfg(unix)]
fn run_while_shortening(
    folder: &Path,
    args: &[&str],
    done: impl Fn(&super::Run) -> bool,
) -> super::Run {
    let waits = [60, 120, 30, 240, 15, 480, 5, 90, 180, 360];
    for wait in waits.into_iter().cycle().take(5 * waits.len()) {
        File::options()
            .write(true)
            .open(folder.join("long.bin"))
            .unwrap()
            .set_len(FLOATS * 4)
            .unwrap();
        let mut command = calipers(args);
        command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        File::options().write(true).open(folder.join("long.bin")).unwrap().set_len(100).unwrap();
        let output = child.wait_with_output().unwrap();
        let run = super::Run {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(run.status.is_some(), "ended by a signal: {:?}", output.status);
        if done(&run) {
            return run;
        }
    }
    panic!("the file was never shortened at the right time");
}

#[cfg(unix)]
const SHORTENED: &str = "the file was shortened while it was read";

#[cfg(unix)]
fn a_shortened_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write_external(folder.path(), "long", FLOATS);
    for args in [&["check", "long.onnx", "--weights"][..], &["inspect", "long.onnx", "--sha256"]] {
        let run = run_while_shortening(folder.path(), args, |run| run.stderr.contains(SHORTENED));
        let message = run.failed(1);
        assert!(message.starts_with("error: cannot read long.onnx: "), "{message}");
    }
}

#[cfg(unix)]
fn a_shortened_file_does_not_end_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    fs::create_dir(&models).unwrap();
    write_external(&models, "long", FLOATS);
    fs::write(models.join("digits.onnx"), calipers_samples::digits()).unwrap();
    let args = ["card", ".", "-o", "../cards", "--weights", "--assets", "none"];
    let run = run_while_shortening(&models, &args, |run| run.stderr.contains(SHORTENED));
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let index = fs::read_to_string(folder.path().join("cards/README.md")).unwrap();
    assert!(index.contains("digits/README.md") && index.contains(SHORTENED), "{index}");
}

#[cfg(unix)]
fn an_interrupt_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    fs::create_dir(&models).unwrap();
    fs::write(models.join("a.onnx"), calipers_samples::digits()).unwrap();
    write_external(&models, "long", FLOATS);
    let before = listing(folder.path());
    for args in [
        &["card", "models", "-o", "deep/cards", "--weights"][..],
        &["card", "models/long.onnx", "-o", "deep/card", "--weights"],
        &["check", "models/long.onnx", "--weights", "-o", "findings.json"],
    ] {
        let mut command = calipers(args);
        command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // Wait until it has begun to write, where it does before the end.
        let start = Instant::now();
        let begins = |path: &str| folder.path().join(path).exists();
        while args[0] == "card" && !begins("deep") && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(5));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let status = child.wait().unwrap();
        use std::os::unix::process::ExitStatusExt;
        assert!(status.signal() == Some(2) || status.success(), "{args:?}: {status}");
        let written = ["deep/cards/README.md", "deep/card/README.md", "findings.json"]
            .map(begins)
            .contains(&true);
        if status.signal() == Some(2) && !written {
            assert_eq!(listing(folder.path()), before, "{args:?}");
        } else {
            let _ = fs::remove_dir_all(folder.path().join("deep"));
            let _ = fs::remove_file(folder.path().join("findings.json"));
        }
    }
}

#[cfg(unix)]
fn an_interrupt_removes_every_new_folder() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    fs::create_dir(&models).unwrap();
    for model in 0..24 {
        fs::write(models.join(format!("{model}.onnx")), calipers_samples::digits()).unwrap();
    }
    let card = ["card", "models", "-o", "deep/cards", "--assets", "svg"];
    let before = listing(folder.path());
    assert_eq!(run_in(folder.path(), &card).status, Some(0));
    let after = listing(folder.path());
    // Folders appear one after the other while cards are written: an interrupt comes between any two.
    for wait in (0..24).map(|step| step * 4) {
        let _ = fs::remove_dir_all(folder.path().join("deep"));
        let mut command = calipers(&card);
        command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let start = Instant::now();
        let begun = || folder.path().join("deep").exists();
        while !begun() && start.elapsed() < Duration::from_secs(10) {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_millis(wait));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        child.wait().unwrap();
        let found = listing(folder.path());
        assert!(found == before || found == after, "after {wait} ms: {found:?}");
    }
}
