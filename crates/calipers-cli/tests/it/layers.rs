//! `calipers layers MODEL`: rows, orders, sums by scope, and CSV.

use calipers_samples::digits::{MACS_PER_IMAGE, PARAMETERS};
use serde_json::{Value, json};

use super::{folder_with_model, run_in, width};

calipers_testkit::tests! {
    test: [
        every_node_has_its_row,
        free_dimensions_stay_in_the_formula,
        the_top_come_first_when_asked_for,
        scopes_sum_to_the_whole,
        the_screen_fits_and_says_what_it_assumes,
        csv_has_a_line_for_each,
        what_makes_no_sense_is_refused,
    ];
}

fn layers(folder: &std::path::Path, args: &[&str]) -> Value {
    let args = [&["layers", "digits.onnx", "--format", "json"], args].concat();
    serde_json::from_str(&run_in(folder, &args).succeeded()).unwrap()
}

fn figures(rows: &Value, field: &str) -> Vec<u64> {
    rows.as_array().unwrap().iter().map(|row| row[field].as_u64().unwrap()).collect()
}

/// The table at the top of the sample's module, for one image.
fn every_node_has_its_row() {
    let folder = folder_with_model();
    let table = layers(folder.path(), &["--dim", "batch=1"]);
    let rows = &table["layers"];
    assert_eq!(figures(rows, "macs"), [156_800, 0, 0, 0, 627_200, 0, 0, 0, 0, 7840]);
    assert_eq!(figures(rows, "parameters"), [208, 32, 0, 0, 3216, 64, 0, 0, 0, 7850]);
    assert_eq!(figures(rows, "index"), (0..10).collect::<Vec<_>>());

    let conv = &rows[0];
    assert_eq!((&conv["op"], &conv["domain"]), (&json!("Conv"), &json!("ai.onnx")));
    assert_eq!(conv["scope"], "/stage1.conv");
    assert_eq!(conv["inputs"][1]["shape"], json!([8, 1, 5, 5]));
    assert_eq!(conv["outputs"][0]["shape"], json!([1, 8, 28, 28]));
    assert_eq!(conv["flops"], 313_600);
    // 28·28 in, 8·1·5·5 + 8 weights, 8·28·28 out: 784 + 208 + 6,272 = 7,264 floats.
    assert_eq!(conv["bytes_moved"], 29_056);
    assert_eq!(conv["macs_percent"], 19.8); // 156,800 / 791,840 = 0.198020…
    assert!(conv.get("formula").is_none(), "nothing is free");

    let total = &table["total"];
    assert_eq!(total["macs"], MACS_PER_IMAGE);
    assert_eq!(total["parameters"], PARAMETERS);
    assert_eq!((&total["nodes"], &total["unknown"]), (&json!(10), &json!(0)));
    assert_eq!(total["parameters_elsewhere"], 0);
}

fn free_dimensions_stay_in_the_formula() {
    let folder = folder_with_model();
    let table = layers(folder.path(), &[]);
    assert_eq!(table["total"]["formula"]["macs"], "791840*batch");
    assert_eq!(table["layers"][4]["formula"]["macs"], "627200*batch");
    assert_eq!(table["layers"][4]["macs_percent"], 79.21); // 627,200 / 791,840 = 0.792079…
    assert_eq!(table["bindings"], json!({"batch": "symbolic"}));
    assert_eq!(table["assumptions"][0]["value"], "1");
}

fn the_top_come_first_when_asked_for() {
    let folder = folder_with_model();
    let top_nodes = layers(folder.path(), &["--top", "2"]);
    assert_eq!(figures(&top_nodes["layers"], "macs"), [627_200, 156_800]);
    assert_eq!(top_nodes["left_out"], 8);
    assert_eq!(top_nodes["total"]["macs"], MACS_PER_IMAGE, "the sums are of all nodes");

    let by_parameters = layers(folder.path(), &["--sort", "params", "--top", "2"]);
    assert_eq!(figures(&by_parameters["layers"], "parameters"), [7850, 3216]);
    let by_bytes = layers(folder.path(), &["--sort", "bytes"]);
    assert!(figures(&by_bytes["layers"], "bytes_moved").is_sorted_by(|a, b| a >= b));
    let first = layers(folder.path(), &["--sort", "order", "--top", "1"]);
    assert_eq!(first["layers"][0]["node"], "stage1.conv/Conv");
}

fn scopes_sum_to_the_whole() {
    let folder = folder_with_model();
    let table = layers(folder.path(), &["--tree", "--sort", "macs"]);
    let scopes = table["scopes"].as_array().unwrap();
    let names: Vec<&str> = scopes.iter().map(|scope| scope["scope"].as_str().unwrap()).collect();
    assert_eq!(names[..3], ["/", "/stage2.conv", "/stage1.conv"]);
    assert_eq!(scopes[0]["macs"], MACS_PER_IMAGE);
    assert_eq!(scopes[0]["parameters"], PARAMETERS);
    for field in ["nodes", "macs", "parameters", "bytes_moved", "other_flops"] {
        let below: u64 = scopes[1..].iter().map(|scope| scope[field].as_u64().unwrap()).sum();
        assert_eq!(scopes[0][field], below, "{field}");
    }
    let root = layers(folder.path(), &["--tree", "--depth", "0"]);
    assert_eq!(root["scopes"].as_array().unwrap().len(), 1);

    let screen = run_in(folder.path(), &["layers", "digits.onnx", "--tree"]).succeeded();
    assert!(screen.contains("├ stage1.conv") && screen.contains("└ classifier"), "{screen}");
}

fn the_screen_fits_and_says_what_it_assumes() {
    let folder = folder_with_model();
    let screen = run_in(folder.path(), &["layers", "digits.onnx", "--top", "3"]).succeeded();
    assert!(width(&screen) <= 100, "{screen}");
    for text in ["627.20 k", "79.2%", "and 7 more nodes", "791.84 k", "dimension batch = 1"] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
}

fn csv_has_a_line_for_each() {
    let folder = folder_with_model();
    assert_eq!(run_in(folder.path(), &["layers", "digits.onnx", "-o", "l.csv"]).succeeded(), "");
    let csv = std::fs::read_to_string(folder.path().join("l.csv")).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 11);
    let conv = "0,stage1.conv/Conv,Conv,ai.onnx,/stage1.conv,\"float32[batch, 1, 28, 28]; ";
    assert!(lines[1].starts_with(conv), "{}", lines[1]);
    let args = ["layers", "digits.onnx", "--tree", "--format", "csv"];
    let tree = run_in(folder.path(), &args).succeeded();
    assert!(tree.lines().nth(1).unwrap().starts_with("/,0,,10,11370,791840,100,"), "{tree}");
}

fn what_makes_no_sense_is_refused() {
    let folder = folder_with_model();
    for (args, why) in [
        (&["--top", "3", "--tree"][..], "cannot be used with"),
        (&["--depth", "3"], "--tree"),
        (&["--sort", "size"], "possible values: macs, params, bytes, order"),
        (&["--format", "xml"], "possible values: text, json, csv"),
        (&["--dim", "sequence=1"], "no input has a dimension named"),
    ] {
        let args = [&["layers", "digits.onnx"], args].concat();
        let message = run_in(folder.path(), &args).failed(2);
        assert!(message.contains(why), "{args:?}: {message}");
    }
}
