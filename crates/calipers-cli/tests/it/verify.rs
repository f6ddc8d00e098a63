//! `calipers verify MODEL` with the runtime that is built in, and with ONNX Runtime where it is
//! installed. `scripts/verify` runs every model.

use calipers_samples::{DataType, ModelBuilder};
use calipers_testkit::Outcome;
use serde_json::{Value, json};

use super::{calipers, finish, folder_with_model, folder_without_data_file, onnx_runtime, run_in};

calipers_testkit::tests! {
    test: [
        every_value_of_the_built_in_model_is_as_inferred,
        names_of_a_model_can_be_redacted,
        a_model_without_its_weights_needs_synthesized_ones,
        a_model_that_cannot_run_is_an_error,
        without_onnx_runtime_the_error_names_the_package,
        a_card_states_the_verification,
        every_value_is_as_onnx_runtime_computes_it,
        an_operator_that_onnx_runtime_lacks_is_an_error,
    ];
}

fn every_value_of_the_built_in_model_is_as_inferred() {
    let folder = folder_with_model();
    let args = ["verify", "digits.onnx", "--runtime", "rten", "--format", "json"];
    let verified: Value = serde_json::from_str(&run_in(folder.path(), &args).succeeded()).unwrap();
    assert!(verified["values"].as_u64().unwrap() > 5, "{verified}");
    assert_eq!(verified["values"], verified["equal"]);
    for list in ["different", "not_run", "not_inferred"] {
        assert_eq!(verified[list], json!([]), "{list}");
    }
    let sizes: Vec<&Value> =
        verified["executions"].as_array().unwrap().iter().map(|run| &run["sizes"]).collect();
    assert_eq!(sizes, [&json!({"batch": 1}), &json!({"batch": 2})]);
    let screen = run_in(folder.path(), &["verify", "digits.onnx", "--runtime", "rten"]).succeeded();
    assert!(screen.contains("values, rten"), "{screen}");
}

fn names_of_a_model_can_be_redacted() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = ModelBuilder::new(17);
    model.input("x_marked", DataType::F32, &["n", "2"]);
    model.node("Relu", &["x_marked"], &["y_marked"], &[]);
    model.output("y_marked", DataType::F32, &["n", "2"]);
    std::fs::write(folder.path().join("m.onnx"), model.build()).unwrap();
    let args = ["verify", "m.onnx", "--runtime", "rten", "--redact-names", "--format", "json"];
    let text = run_in(folder.path(), &args).succeeded();
    assert!(!text.contains("marked"), "{text}");
}

fn a_model_without_its_weights_needs_synthesized_ones() {
    let folder = folder_without_data_file("w.data");
    let error = run_in(folder.path(), &["verify", "m.onnx", "--runtime", "rten"]).failed(1);
    assert!(error.contains("`w.data`") && error.contains("--synthesize"), "{error}");
    let args = ["verify", "m.onnx", "--runtime", "rten", "--synthesize", "--format", "json"];
    let verified: Value = serde_json::from_str(&run_in(folder.path(), &args).succeeded()).unwrap();
    assert_eq!((&verified["values"], &verified["equal"]), (&json!(1), &json!(1)));
    assert_eq!(verified["synthesized_weights"], json!(true));
    // x and y of 1 x 2 floats, 4 bytes each.
    let peak = &verified["executions"][0]["peak_activation_bytes"];
    assert_eq!(*peak, json!({"inferred": 16, "observed": 16}));
}

fn a_model_that_cannot_run_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["2"]);
    model.node("NoSuchOperator", &["x"], &["y"], &[]);
    model.output("y", DataType::F32, &["2"]);
    std::fs::write(folder.path().join("m.onnx"), model.build()).unwrap();
    let error = run_in(folder.path(), &["verify", "m.onnx", "--runtime", "rten"]).failed(1);
    assert!(error.contains("cannot load the model") && error.contains("NoSuchOperator"), "{error}");
}

fn without_onnx_runtime_the_error_names_the_package() {
    let folder = folder_with_model();
    let mut command = calipers(&["verify", "digits.onnx"]);
    command.current_dir(folder.path()).env("PATH", "").env("HOME", folder.path());
    for name in ["VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "LD_LIBRARY_PATH", "ORT_DYLIB_PATH"] {
        command.env_remove(name);
    }
    let error = finish(&mut command);
    // A machine may have the library among its own.
    if error.status != Some(0) {
        assert!(error.failed(2).contains("pip install onnxruntime"));
    }
    let args = ["verify", "digits.onnx", "--runtime-lib", "missing.so"];
    let error = run_in(folder.path(), &args).failed(2);
    assert!(error.contains("cannot load ONNX Runtime from missing.so"), "{error}");
    std::fs::write(folder.path().join("text.so"), "text").unwrap();
    let args = ["verify", "digits.onnx", "--runtime-lib", "text.so"];
    let error = run_in(folder.path(), &args).failed(2);
    assert!(error.contains("cannot load ONNX Runtime from text.so"), "{error}");
    let args = ["verify", "digits.onnx", "--threads", "0"];
    assert!(run_in(folder.path(), &args).failed(2).contains("must be an integer >= 1"));
}

fn a_card_states_the_verification() {
    let report = calipers_report::Report {
        verified: Some(calipers_report::Verification {
            runtime: "ONNX Runtime 1.31.1".to_owned(),
            values: 1163,
            equal: 1163,
            ..Default::default()
        }),
        ..Default::default()
    };
    let card = calipers_render::sections::card(&report, &Default::default());
    let text = calipers_render::markdown::document(&card, &[]);
    assert!(text.contains("1,163 of 1,163 values, ONNX Runtime 1.31.1"), "{text}");
}

fn every_value_is_as_onnx_runtime_computes_it() -> Outcome {
    onnx_runtime()?;
    let folder = tempfile::tempdir().unwrap();
    let path = calipers_testkit::fixture("zoo/gpt2_tiny_kv_op17.onnx");
    let args = ["verify", path.to_str().unwrap(), "--synthesize", "--format", "json"];
    let verified: Value = serde_json::from_str(&run_in(folder.path(), &args).succeeded()).unwrap();
    assert_eq!(verified["values"], verified["equal"]);
    // 688 nodes of the file, 278 of them constants (`Constant` in its list of operators).
    assert_eq!(verified["nodes"], json!({"expected": 410, "executed": 410, "added_by_runtime": 0}));
    let runs = verified["executions"].as_array().unwrap();
    assert_eq!(runs.len(), 3, "{verified}");
    for run in runs {
        let size = |name: &str| run["sizes"][name].as_u64().unwrap();
        let tokens = size("past_sequence_length") + size("sequence_length");
        // 2 layers, keys and values, 4 heads of 16 floats of 4 bytes.
        let bytes = 2 * 2 * size("batch_size") * 4 * tokens * 16 * 4;
        assert_eq!(run["kv_cache_bytes"], json!({"inferred": bytes, "observed": bytes}));
    }
    Ok(())
}

fn an_operator_that_onnx_runtime_lacks_is_an_error() -> Outcome {
    onnx_runtime()?;
    let folder = tempfile::tempdir().unwrap();
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["2", "3"]);
    model.node("Unknown", &["x"], &["y"], &[]);
    model.output("y", DataType::F32, &["2", "3"]);
    std::fs::write(folder.path().join("m.onnx"), model.build()).unwrap();
    let error = run_in(folder.path(), &["verify", "m.onnx"]).failed(1);
    assert!(error.contains("ONNX Runtime") && error.contains("Unknown"), "{error}");
    Ok(())
}
