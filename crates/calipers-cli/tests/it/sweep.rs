//! `calipers sweep MODEL`: a model at several sizes.

use calipers_samples::digits::MACS_PER_IMAGE;
use serde_json::{Value, json};

use super::{folder_with_model, run_in};

calipers_testkit::tests! {
    test: [
        costs_follow_the_batch,
        every_size_goes_with_every_other,
        the_screen_has_a_line_for_each,
        what_makes_no_sense_is_refused,
    ];
}

fn sweep(folder: &std::path::Path, args: &[&str]) -> Value {
    let args = [&["sweep", "digits.onnx", "--format", "json"], args].concat();
    serde_json::from_str(&run_in(folder, &args).succeeded()).unwrap()
}

fn costs_follow_the_batch() {
    let folder = folder_with_model();
    for args in [
        &["--dim", "batch=1,8,64"][..],
        &["--dim", "batch=1", "--dim", "batch=8,64"],
        &["--input", "image=1x1x28x28,8x1x28x28,64x1x28x28"],
    ] {
        let table = sweep(folder.path(), args);
        let points = table["points"].as_array().unwrap();
        assert_eq!(points.len(), 3);
        for (point, batch) in points.iter().zip([1, 8, 64]) {
            assert_eq!(point["bindings"], json!({"batch": batch}));
            assert_eq!(point["macs"], MACS_PER_IMAGE * batch);
            assert_eq!(point["flops"], 2 * MACS_PER_IMAGE * batch);
            assert_eq!(point["unknown"], 0);
            assert!(point["bytes_moved"].is_u64() && point.get("formula").is_none());
        }
    }
}

fn every_size_goes_with_every_other() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("encoder.onnx"), calipers_samples::encoder()).unwrap();
    let args = ["sweep", "encoder.onnx", "--format", "csv"];
    let dims = ["--dim", "batch=1,2", "--dim", "sequence=8,16,32"];
    let csv = run_in(folder.path(), &[&args[..], &dims].concat()).succeeded();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("batch,sequence,macs,flops,"), "{csv}");
    let sizes: Vec<String> = lines[1..]
        .iter()
        .map(|line| line.split(',').take(2).collect::<Vec<_>>().join("x"))
        .collect();
    assert_eq!(sizes, ["1x8", "1x16", "1x32", "2x8", "2x16", "2x32"]);
}

fn the_screen_has_a_line_for_each() {
    let folder = folder_with_model();
    let screen = run_in(folder.path(), &["sweep", "digits.onnx", "--dim", "batch=1,8"]).succeeded();
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines[0].contains("batch") && lines[0].contains("MACs"), "{screen}");
    assert!(lines[1].contains("791.84 k") && lines[2].contains("6.33 M"), "{screen}");
}

fn what_makes_no_sense_is_refused() {
    let folder = folder_with_model();
    let many = (1..=1001).map(|size: u32| size.to_string()).collect::<Vec<_>>().join(",");
    let many = format!("batch={many}");
    for (args, why) in [
        (&[][..], "--dim"),
        (&["--dim", "batch="], "must be an integer >= 0"),
        (&["--dim", "batch=1,,2"], "must be an integer >= 0"),
        (&["--dim", "sequence=1,2"], "no input has a dimension named \"sequence\""),
        (&["--input", "image=1x3x28x28"], "dimension 1 of input \"image\" is 1 in the file"),
        (&["--dim", &many], "the sizes make 1001 combinations; the limit is 1000"),
        (&["--dim", "batch=2", "--input", "image=1x1x28x28"], "given both 2 and 1"),
    ] {
        let args = [&["sweep", "digits.onnx"], args].concat();
        let message = run_in(folder.path(), &args).failed(2);
        assert!(message.contains(why), "{message}");
    }
}
