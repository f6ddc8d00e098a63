//! `calipers bench` with the runtime that is built in, and with ONNX Runtime where it is installed.

use calipers_testkit::Outcome;
use serde_json::Value;

use super::{folder_with_model, onnx_runtime, run_in};

calipers_testkit::tests! {
    test: [
        latency_throughput_and_load_time_are_measured,
        points_are_rows_of_a_table,
        a_target_that_is_not_met_is_a_gate,
        kernels_of_onnx_runtime_are_mapped_to_blocks,
        points_that_do_not_run_have_a_reason,
    ];
}

const QUICK: [&str; 6] = ["bench", "digits.onnx", "--runtime", "rten", "--runs", "5"];

fn latency_throughput_and_load_time_are_measured() {
    let folder = folder_with_model();
    let args = [&QUICK[..], &["--format", "json"]].concat();
    let found: Value = serde_json::from_str(&run_in(folder.path(), &args).succeeded()).unwrap();
    let latency = |field: &str| found["latency_ms"][field].as_f64().unwrap();
    assert!(latency("min") > 0.0 && latency("min") <= latency("median"));
    assert!(latency("median") <= latency("p90") && latency("p99") <= latency("max"));
    assert_eq!(found["runs"], 5);
    assert!(found["load_ms"].as_f64().unwrap() > 0.0);
    assert!(found["throughput"].as_f64().unwrap() > 0.0);
    // rten writes no profile, and the reason is given.
    assert_eq!(found["profile"], Value::Null);
    assert_eq!(found["no_profile"], "this runtime writes no profile");
}

fn points_are_rows_of_a_table() {
    let folder = folder_with_model();
    let args = [&QUICK[..], &["--threads-list", "1,2", "--format", "csv"]].concat();
    let rows = run_in(folder.path(), &args).succeeded();
    let points = rows.lines().filter(|line| line.starts_with("point,")).count();
    assert_eq!(points, 2, "{rows}");
}

fn a_target_that_is_not_met_is_a_gate() {
    let folder = folder_with_model();
    let args = [&QUICK[..], &["--target-latency", "0.000001ms"]].concat();
    let run = run_in(folder.path(), &args);
    assert_eq!(run.status, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("is above the target"), "{}", run.stderr);
}

/// A model of the repository, with five runs and a prediction for a device of the catalog.
fn measured(model: &str, more: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = calipers_testkit::fixture(format!("zoo/{model}"));
    let args = ["bench", path.to_str().unwrap(), "--synthesize", "--runs", "5"];
    let rest = ["--device", "xeon-emr-16", "--threads", "1", "--format", "json"];
    let args = [&args[..], &rest, more].concat();
    serde_json::from_str(&run_in(folder.path(), &args).succeeded()).unwrap()
}

fn kernels_of_onnx_runtime_are_mapped_to_blocks() -> Outcome {
    onnx_runtime()?;
    for model in ["bert_tiny_cls_op17.onnx", "resnet18_op17_static.onnx"] {
        let found = measured(model, &[]);
        let profile = &found["profile"];
        let sum = |list: &str, field: &str| -> f64 {
            let rows = profile[list].as_array().unwrap();
            rows.iter().map(|row| row[field].as_f64().unwrap()).sum()
        };
        let kernels = profile["kernel_ms"].as_f64().unwrap();
        let lost = profile["not_mapped"]["ms"].as_f64().unwrap();
        // Every kernel is in one operator, and in one block or among those without a node.
        assert!((sum("operators", "ms") - kernels).abs() < 1e-6, "{profile}");
        assert!((sum("blocks", "measured_ms") + lost - kernels).abs() < 1e-6, "{profile}");
        assert!(lost < 0.05 * kernels, "{}", profile["not_mapped"]);
        assert!(sum("blocks", "predicted_ms") > 0.0, "{profile}");
        assert!(found["predicted"]["latency_ms"]["expected"].as_f64().unwrap() > 0.0);
        assert_eq!(found["predicted"]["threads"], 1);
        assert!(found["memory"]["added_bytes"].as_u64().unwrap() > 0);
    }
    Ok(())
}

fn points_that_do_not_run_have_a_reason() -> Outcome {
    onnx_runtime()?;
    let found = measured("resnet18_op17_static.onnx", &["--batches", "1,4", "--no-profile"]);
    let points = found["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    assert!(points[0]["latency_ms"]["median"].as_f64().unwrap() > 0.0);
    assert!(points[1]["reason"].as_str().unwrap().contains("fixes the batch at 1"), "{found}");
    Ok(())
}
