//! `calipers graph MODEL` and `calipers report MODEL`: drawings, and pages that are alone.

use serde_json::Value;

use super::{folder_with_model, run_in};

calipers_testkit::tests! {
    test: [
        the_file_s_name_decides_how_a_graph_is_written,
        a_greater_depth_shows_more_boxes,
        groups_and_nodes_are_reported_to_programs,
        a_report_is_one_page_that_asks_for_nothing,
        a_report_is_named_after_its_model,
        a_graph_is_written_as_png,
    ];
}

fn the_file_s_name_decides_how_a_graph_is_written() {
    let folder = folder_with_model();
    for (name, start) in [
        ("graph.svg", "<svg "),
        ("graph.dot", "digraph "),
        ("graph.html", "<!DOCTYPE html>"),
        ("graph.json", "{"),
    ] {
        assert_eq!(run_in(folder.path(), &["graph", "digits.onnx", "-o", name]).succeeded(), "");
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text.starts_with(start), "{name}");
        // The same model gives the same bytes.
        run_in(folder.path(), &["graph", "digits.onnx", "-o", name]).succeeded();
        assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), text, "{name}");
    }
}

fn a_greater_depth_shows_more_boxes() {
    let folder = folder_with_model();
    let boxes = |depth: &str| {
        let args = ["graph", "digits.onnx", "--depth", depth];
        run_in(folder.path(), &args).succeeded().matches("<rect").count()
    };
    assert!(boxes("9") > boxes("1"));
}

fn groups_and_nodes_are_reported_to_programs() {
    let folder = folder_with_model();
    let args = ["graph", "digits.onnx", "--format", "json", "--dim", "batch=8"];
    let view: Value = serde_json::from_str(&run_in(folder.path(), &args).succeeded()).unwrap();
    assert_eq!(view["groups"][0]["kind"], "graph");
    assert_eq!(view["groups"][0]["nodes"], view["nodes"].as_array().unwrap().len());
    let input = view["values"].as_array().unwrap().iter().find(|it| it["shape"][0] == 8);
    assert!(input.is_some(), "the batch is bound");
}

fn a_report_is_one_page_that_asks_for_nothing() {
    let folder = folder_with_model();
    let args = ["report", "digits.onnx", "-o", "report.html"];
    assert_eq!(run_in(folder.path(), &args).succeeded(), "");
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("Content-Security-Policy"));
    for asked in [" src=", "<link", "@import", "url("] {
        assert!(!page.contains(asked), "the page asks for something: {asked}");
    }
    assert!(page.len() < 400_000, "{} bytes", page.len());
}

fn a_report_is_named_after_its_model() {
    let folder = folder_with_model();
    let run = run_in(folder.path(), &["report", "digits.onnx"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), "Wrote digits.html\n"));
    let page = std::fs::read_to_string(folder.path().join("digits.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
}

fn a_graph_is_written_as_png() {
    let folder = folder_with_model();
    run_in(folder.path(), &["graph", "digits.onnx", "-o", "graph.png"]).succeeded();
    let image = std::fs::read(folder.path().join("graph.png")).unwrap();
    assert!(image.starts_with(b"\x89PNG\r\n"));
}
