//! `calipers diagram MODEL`: boxes and arrows, as Mermaid and as JSON.

use serde_json::Value;

use super::{folder_with_model, run_in};

calipers_testkit::tests! {
    test: [
        the_network_is_drawn_from_input_to_output,
        sizes_may_be_bound,
        operators_that_feed_others_are_drawn,
        the_file_s_name_decides,
    ];
}

fn the_network_is_drawn_from_input_to_output() {
    let folder = folder_with_model();
    let text = run_in(folder.path(), &["diagram", "digits.onnx"]).succeeded();
    assert!(text.starts_with("flowchart TD\n"), "{text}");
    assert!(text.contains("-->|\"batch × 1 × 28 × 28\"|"), "{text}");
    assert!(text.lines().count() > 3 && text.ends_with('\n'), "{text}");

    let json = run_in(folder.path(), &["diagram", "digits.onnx", "--format", "json"]).succeeded();
    let diagram: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(diagram["boxes"][0]["kind"], "input");
    assert_eq!(diagram["boxes"].as_array().unwrap().last().unwrap()["kind"], "output");
}

fn sizes_may_be_bound() {
    let folder = folder_with_model();
    let args = ["diagram", "digits.onnx", "--dim", "batch=8"];
    let text = run_in(folder.path(), &args).succeeded();
    assert!(text.contains("-->|\"8 × 1 × 28 × 28\"|"), "{text}");
}

fn operators_that_feed_others_are_drawn() {
    let folder = folder_with_model();
    let text = run_in(folder.path(), &["diagram", "digits.onnx", "--flow"]).succeeded();
    assert!(text.contains("[\"Conv\"]") && text.contains("-->|\"2\"|"), "{text}");
}

fn the_file_s_name_decides() {
    let folder = folder_with_model();
    for (name, start) in [("net.mmd", "flowchart"), ("net.json", "{")] {
        let args = ["diagram", "digits.onnx", "-o", name];
        assert_eq!(run_in(folder.path(), &args).succeeded(), "");
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text.starts_with(start), "{text}");
    }
}
