//! `calipers hardware`, and what `inspect` says of hardware.

use calipers_testkit::{Corpus, Outcome};
use serde_json::Value;

use super::{folder_with_model, run_in, width};

calipers_testkit::tests! {
    test: [
        devices_are_compared_when_none_is_named,
        one_device_is_reported_in_full,
        several_devices_make_a_table_and_all_make_a_long_one,
        tables_go_into_a_spreadsheet,
        a_target_that_the_device_misses_is_a_gate,
        errors_state_what_is_expected,
        a_runtime_changes_the_kernels,
        devices_have_short_names,
        requirements_have_a_default_target,
    ];
    each_corpus: [every_screen_shows_figures];
}

fn json(args: &[&str]) -> Value {
    let folder = folder_with_model();
    let args = [&["hardware", "digits.onnx", "--format", "json"], args].concat();
    serde_json::from_str(&run_in(folder.path(), &args).succeeded()).unwrap()
}

fn devices_are_compared_when_none_is_named() {
    let folder = folder_with_model();
    let screen = run_in(folder.path(), &["digits.onnx"]).succeeded();
    for id in ["h200-sxm", "rtx-4090", "rpi5"] {
        assert!(screen.contains(id), "{screen}");
    }
    let report = run_in(folder.path(), &["digits.onnx", "--format", "json"]).succeeded();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["hardware"]["device"], Value::Null);
    assert_eq!(report["hardware"]["devices"].as_array().unwrap().len(), 8);
}

fn one_device_is_reported_in_full() {
    let reported = json(&["--device", "RTX 4090", "--precision", "fp16", "--batch", "8"]);
    assert_eq!(reported["device"]["id"], "rtx-4090");
    assert_eq!(
        (&reported["precision"], &reported["batch"]),
        (&Value::from("fp16"), &Value::from(8))
    );
    assert_eq!(reported["fits"], true);
    let latency = &reported["latency_ms"];
    let [low, expected, high] =
        ["low", "expected", "high"].map(|bound| latency[bound].as_f64().unwrap());
    assert!(0.0 < low && low <= expected && expected <= high, "{latency}");
    assert!(reported["batch_scaling"].as_array().unwrap().len() >= 7);
    let folder = folder_with_model();
    for columns in [80, 100] {
        let mut command = super::calipers(&["hardware", "digits.onnx", "--device", "l4"]);
        command.current_dir(folder.path()).env("COLUMNS", columns.to_string());
        let screen = super::finish(&mut command).succeeded();
        assert!(width(&screen) <= columns, "{screen}");
        for heading in ["Device", "Memory", "Time", "Batches", "Devices", "Method"] {
            assert!(screen.contains(heading), "{screen}");
        }
    }
}

fn several_devices_make_a_table_and_all_make_a_long_one() {
    let ids = |reported: &Value| -> Vec<String> {
        let rows = reported["devices"].as_array().unwrap();
        rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    let reported = json(&["--device", "l4", "--device", "rpi5"]);
    assert_eq!(ids(&reported), ["l4", "rpi5"]);
    assert_eq!(reported["device"], Value::Null);
    assert_eq!(ids(&json(&["--device", "all"])).len(), 73);
    let reported = json(&["--device", "auto"]);
    assert!(!reported["device"]["found"].as_array().unwrap().is_empty(), "{}", reported["device"]);
}

fn tables_go_into_a_spreadsheet() {
    let folder = folder_with_model();
    let args = ["hardware", "digits.onnx", "--device", "l4", "-o", "l4.csv"];
    run_in(folder.path(), &args).succeeded();
    let csv = std::fs::read_to_string(folder.path().join("l4.csv")).unwrap();
    assert!(csv.starts_with("table,device,size,precision,latency_low_ms,"), "{csv}");
    assert!(csv.contains("\nbatch,l4,64,fp32,") && csv.contains("\ndevice,rpi5,1,fp32,"), "{csv}");
    assert!(csv.lines().all(|line| line.matches(',').count() == 12), "{csv}");
}

fn a_target_that_the_device_misses_is_a_gate() {
    let folder = folder_with_model();
    let run = |args: &[&str]| {
        run_in(folder.path(), &[&["digits.onnx", "--device", "rpi5"], args].concat())
    };
    run(&["--target-latency", "10 s"]).succeeded();
    let missed = run(&["--target-latency", "1us"]);
    assert_eq!(missed.status, Some(3), "{}", missed.stderr);
    assert!(missed.stderr.contains("target not met on Raspberry Pi 5"));
    assert!(missed.stdout.contains("digits.onnx"), "the report is written all the same");
    // Without a device there is nothing to fail.
    let screen = run_in(folder.path(), &["hardware", "digits.onnx", "--target-latency", "1us"]);
    assert!(screen.succeeded().contains("No device of the catalog"));
    let both = ["--target-latency", "20ms", "--target-throughput", "100/s"];
    run(&both).succeeded();
}

fn errors_state_what_is_expected() {
    let folder = folder_with_model();
    for (args, wanted) in [
        (["--device", "rtx-4909"], "did you mean `rtx-4090`?"),
        (["--device", "abacus"], "run `calipers devices` to list all"),
        (["--precision", "fp61"], "expected one of fp32"),
        (["--batch", "0"], "must be an integer >= 1"),
        (["--batch", "-1"], "must be an integer >= 1"),
        (["--runtime", "onnx"], "[possible values: onnxruntime, pytorch, tensorrt]"),
        (["--context", "4096"], "is a sequence length"),
        (["--target-latency", "20"], "must have a unit; write 20ms or 0.02s"),
        (["--target-latency", "20min"], "expected s, ms or us"),
        (["--target-throughput", "fast"], "must be samples per second > 0"),
        (["--device-file", "missing.toml"], "cannot use missing.toml"),
    ] {
        let error = run_in(folder.path(), &[&["digits.onnx"][..], &args].concat()).failed(2);
        assert!(error.contains(wanted), "{args:?}: {error}");
    }
}

fn a_runtime_changes_the_kernels() {
    let with = |runtime: &str| json(&["--device", "h200", "--runtime", runtime]);
    let [pytorch, onnxruntime, tensorrt] = ["pytorch", "onnxruntime", "tensorrt"].map(with);
    let default = json(&["--device", "h200"]);
    assert_eq!(default["runtime"], "onnxruntime");
    assert_eq!(default, onnxruntime);
    for reported in [&pytorch, &onnxruntime, &tensorrt] {
        assert_eq!(reported["mode"], "graph");
        assert_eq!(reported["graph_ms"], reported["latency_ms"]);
    }
    let kernels = |reported: &Value| reported["kernels"].as_u64().unwrap();
    assert!(kernels(&pytorch) > kernels(&onnxruntime));
    assert!(kernels(&onnxruntime) >= kernels(&tensorrt));
    // The host overhead was measured with PyTorch alone.
    assert!(pytorch["eager_ms"]["expected"].as_f64().unwrap() > 0.0);
    assert_eq!(onnxruntime["eager_ms"], Value::Null);
    assert_eq!(
        (&pytorch["confidence"], &onnxruntime["confidence"]),
        (&"high".into(), &"medium".into())
    );
    let method = onnxruntime["method"].to_string();
    assert!(
        method.contains("ONNX Runtime was not measured, so the range is 1.25 times wider"),
        "{method}"
    );
    let other = json(&["--device", "rpi5", "--runtime", "tensorrt"]);
    assert_eq!(other["no_latency"], "TensorRT runs on NVIDIA GPUs only");
}

fn devices_have_short_names() {
    for (name, id) in [
        ("h100", "h100-sxm"),
        ("H200", "h200-sxm"),
        ("a100", "a100-80-sxm"),
        ("4090", "rtx-4090"),
        ("orin", "jetson-agx-orin-64"),
    ] {
        assert_eq!(json(&["--device", name])["device"]["id"], id);
        assert_eq!(json(&["--hardware", name])["device"]["id"], id);
    }
}

fn requirements_have_a_default_target() {
    let reported = json(&[]);
    let requirements = &reported["requirements"];
    assert_eq!(requirements["target"], "at least 30 images/s");
    assert_eq!(requirements["target_is_default"], true);
    for level in ["minimum", "recommended", "optimal"] {
        assert!(requirements[level]["id"].is_string(), "{requirements}");
    }
    // A default target fails no gate.
    let folder = folder_with_model();
    run_in(folder.path(), &["hardware", "digits.onnx", "--device", "rpi4"]).succeeded();
}

/// No screen shows `inf`, `NaN` or a zero in place of a figure.
fn every_screen_shows_figures(corpus: &Corpus) -> Outcome {
    let precisions = ["fp32", "fp16", "bf16", "int8", "int4", "fp8"];
    let files = corpus.models();
    assert!(!files.is_empty(), "no models");
    // Every third model; the library's own tests look at all of them.
    for (i, path) in files.iter().enumerate().step_by(3) {
        let precision = precisions[i / 3 % precisions.len()];
        let model = path.to_str().unwrap();
        for device in ["all", "rtx-4050-mobile"] {
            let args = ["hardware", model, "--device", device, "--precision", precision];
            let screen = super::run(&args).succeeded();
            let mut words = screen.split([' ', '(', ')', '–', '\n', '/', '%']);
            let wrong = words.find(|word| ["inf", "NaN", "nan", "0.00", "0.000"].contains(word));
            assert_eq!(wrong, None, "{model} in {precision}:\n{screen}");
            for wrong in [" 0 ms", " 0 µs", " 0/s", " 0.0/s", " 0.0%"] {
                assert!(!screen.contains(wrong), "{model} in {precision}: {wrong} in\n{screen}");
            }
        }
    }
    Ok(())
}
