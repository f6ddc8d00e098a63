//! `calipers shapes MODEL`, and the flags that bind dimensions.

use calipers_samples::DataType::{F32, I64};
use calipers_samples::ModelBuilder;
use serde_json::{Value, json};

use super::{folder_with_model, run_in};

calipers_testkit::tests! {
    test: [
        every_value_has_a_type_and_a_shape,
        dimensions_and_inputs_can_be_bound,
        the_screen_has_a_line_for_each,
        bindings_that_do_not_fit_are_usage_errors,
        elements_of_integer_inputs_can_be_set,
    ];
}

fn shapes(folder: &std::path::Path, args: &[&str]) -> Value {
    let args = [&["shapes", "digits.onnx", "--format", "json"], args].concat();
    serde_json::from_str(&run_in(folder, &args).succeeded()).unwrap()
}

fn every_value_has_a_type_and_a_shape() {
    let folder = folder_with_model();
    let table = shapes(folder.path(), &[]);
    let values = table["values"].as_object().unwrap();
    assert_eq!(values["image"], json!({"dtype": "float32", "shape": ["batch", 1, 28, 28]}));
    assert_eq!(values["scores"], json!({"dtype": "float32", "shape": ["batch", 10]}));
    for (name, value) in values {
        assert!(value["dtype"].is_string() && value["shape"].is_array(), "{name}: {value}");
    }
    assert_eq!(table["bindings"], json!({"batch": "symbolic"}));
}

fn dimensions_and_inputs_can_be_bound() {
    let folder = folder_with_model();
    for args in [["--dim", "batch=4"], ["--input", "image=4x1x28x28"]] {
        let table = shapes(folder.path(), &args);
        assert_eq!(table["values"]["scores"]["shape"], json!([4, 10]));
        assert_eq!(table["bindings"], json!({"batch": 4}));
    }
    let report = run_in(folder.path(), &["digits.onnx", "--format", "json", "--dim", "batch=4"]);
    let report: Value = serde_json::from_str(&report.succeeded()).unwrap();
    assert_eq!(report["bindings"], json!({"batch": 4}));
    assert_eq!(report["shapes"]["values"], report["shapes"]["fixed"]);
}

fn the_screen_has_a_line_for_each() {
    let folder = folder_with_model();
    let screen = run_in(folder.path(), &["shapes", "digits.onnx"]).succeeded();
    let line = screen.lines().find(|line| line.contains("scores")).unwrap();
    assert!(line.contains("float32") && line.ends_with("[batch, 10]"), "{line}");
}

fn bindings_that_do_not_fit_are_usage_errors() {
    let folder = folder_with_model();
    for (args, why) in [
        (
            ["--dim", "sequence=1"],
            "no input has a dimension named \"sequence\"; expected one of: batch",
        ),
        (["--input", "chart=1x1x28x28"], "the model has no input named \"chart\""),
        (["--input", "image=1x1x28"], "input \"image\" has 4 dimensions, got 3"),
        (["--input", "image=1x3x28x28"], "dimension 1 of input \"image\" is 1 in the file"),
        (["--dim", "batch"], "NAME=N"),
        (["--dim", "batch=-1"], "must be an integer >= 0"),
        (["--input", "image=1,1,28,28"], "write image=1x1x28x28"),
        (["--input", "image=1x1x28xwide"], "must be an integer >= 0"),
    ] {
        let args = [&["shapes", "digits.onnx"], &args[..]].concat();
        let message = run_in(folder.path(), &args).failed(2);
        assert!(message.contains(why), "{args:?}: {message}");
    }
}

fn elements_of_integer_inputs_can_be_set() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["2", "10"]).input("k", I64, &["1"]);
    model.node("TopK", &["x", "k"], &["best", "at"], &[]).output("best", F32, &["?", "?"]);
    std::fs::write(folder.path().join("digits.onnx"), model.build()).unwrap();
    let free = shapes(folder.path(), &[]);
    assert_eq!(free["values"]["best"]["shape"], json!([2, "k"]));
    assert_eq!(free["bindings"], json!({"k": "symbolic"}));
    let set = shapes(folder.path(), &["--value", "k=4"]);
    assert_eq!(set["values"]["best"]["shape"], json!([2, 4]));
    assert_eq!(set["bindings"], json!({"k": 4}));
    for (value, wanted) in
        [("k=1,2", "has 1 elements"), ("n=1", "did you mean"), ("k=x", "integer")]
    {
        let run = run_in(folder.path(), &["shapes", "digits.onnx", "--value", value]);
        let error = run.failed(2);
        let is_offered = error.contains(wanted) || error.contains("expected one of: k");
        assert!(is_offered, "{error}");
    }
}
