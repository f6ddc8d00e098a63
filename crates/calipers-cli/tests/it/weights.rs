//! `--weights`: every element is read, wherever it is kept.

use serde_json::Value;

use super::{folder_with_model, folder_without_data_file, run_in};

calipers_testkit::tests! {
    test: [
        weights_are_read_when_asked_for_and_not_else,
        a_nan_in_another_file_fails_the_check,
    ];
}

fn report(folder: &std::path::Path, args: &[&str]) -> Value {
    serde_json::from_str(&run_in(folder, args).succeeded()).unwrap()
}

fn weights_are_read_when_asked_for_and_not_else() {
    let folder = folder_with_model();
    let plain = report(folder.path(), &["digits.onnx", "--format", "json"]);
    assert_eq!(plain["weights"], Value::Null);
    let read = report(folder.path(), &["digits.onnx", "--weights", "--format", "json"]);
    assert_eq!(read["weights"]["elements"], read["parameters"]["total"]);
    assert_eq!((&read["weights"]["nan"], &read["weights"]["unread"]), (&0.into(), &0.into()));
    let screen = run_in(folder.path(), &["digits.onnx", "--weights"]).succeeded();
    assert!(screen.contains("all finite"), "{screen}");
}

fn a_nan_in_another_file_fails_the_check() {
    let folder = folder_without_data_file("w.bin");
    let check = ["check", "m.onnx", "--weights", "--select", "weights", "--fail-on", "warning"];

    let missing = report(folder.path(), &["m.onnx", "--weights", "--format", "json"]);
    assert_eq!(missing["weights"]["unread"], 1);
    let reported = missing["weights"]["unread_tensors"][0]["reason"].as_str().unwrap();
    assert!(reported.contains("no such file"), "{reported}");
    assert_eq!(run_in(folder.path(), &check).status, Some(0));

    let data: Vec<u8> = [1.0, 2.0, f32::NAN, 4.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(folder.path().join("w.bin"), data).unwrap();
    let run = run_in(folder.path(), &check);
    assert_eq!(run.status, Some(3));
    assert!(run.stdout.contains("1 NaN and 0 infinite of 4 elements"), "{}", run.stdout);
    // Nobody asked for the weights.
    assert_eq!(run_in(folder.path(), &["check", "m.onnx", "--fail-on", "error"]).status, Some(0));
}
