//! `calipers bench` with the runtime that is built in.

use serde_json::Value;

use super::{folder_with_model, run_in};

calipers_testkit::tests! {
    test: [
        latency_throughput_and_load_time_are_measured,
        points_are_rows_of_a_table,
        a_target_that_is_not_met_is_a_gate,
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
