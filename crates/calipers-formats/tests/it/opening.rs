//! Opening a path: a file, something that is none, and nothing at all.

use std::fs;
use std::path::Path;

use calipers_formats::{Error, open};

use crate::common::{model, msg};

#[test]
fn a_file_is_mapped_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tiny.onnx");
    let bytes = model(msg().msg(5, msg().int(2, 2).int(1, 4).bytes(9, b"DATA"))).0;
    fs::write(&path, &bytes).expect("written");
    let model = open(&path).expect("a model");
    assert_eq!(model.header.file_name, "tiny.onnx");
    assert_eq!(model.header.bytes, bytes.len() as u64);
    let (id, _) = model.tensors().next().expect("a tensor");
    assert_eq!(model.integers(id, 4), Ok(b"DATA".map(i64::from).to_vec()));
}

#[test]
fn what_is_no_file_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let reported = open(folder.path()).expect_err("a folder");
    assert_eq!(reported.to_string(), "this is a folder, not a file");
    let missing = open(&folder.path().join("missing.onnx")).expect_err("nothing");
    assert!(matches!(missing, Error::Io(error) if error.kind() == std::io::ErrorKind::NotFound));
    let empty = folder.path().join("empty.onnx");
    fs::write(&empty, b"").expect("written");
    let reported = open(&empty).expect_err("empty");
    assert_eq!(reported.to_string(), "this is an empty file, not a model that Calipers reads");
    assert!(matches!(open(Path::new("")), Err(Error::Io(_))));
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_device_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe.onnx");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo makes a pipe");
    for path in [pipe.as_path(), Path::new("/dev/zero")] {
        let path = path.to_owned();
        let (sender, receiver) = std::sync::mpsc::channel();
        // Opening a pipe that nobody writes to never returns, so not in this thread.
        std::thread::spawn(move || sender.send(open(&path).map(|_| ())));
        let reported = receiver.recv_timeout(std::time::Duration::from_secs(20));
        let reported = reported.expect("an answer").expect_err("no file");
        assert_eq!(reported.to_string(), "this is a device or a pipe, not a file");
    }
}
