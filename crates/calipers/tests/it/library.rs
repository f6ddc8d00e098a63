//! The library as its README uses it.

use calipers::{Error, Model, Options, render};
use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

calipers_testkit::tests! {
    test: [
        a_page_without_a_view_is_whole_and_has_no_script,
        files_that_were_not_read_leave_the_digest_of_all_unknown,
        an_unknown_device_is_an_error,
    ];
}

fn digits() -> Model {
    Model::read(calipers_samples::digits(), "digits.onnx").unwrap()
}

/// The script would look for the graph, which only `explore` gives.
fn a_page_without_a_view_is_whole_and_has_no_script() {
    let (report, view) = digits().explore(&Options::new().device("l4")).unwrap();
    let (mut plain, mut whole) = (Vec::new(), Vec::new());
    render::html(&report, &mut plain).unwrap();
    render::html_with_graph(&report, &view, &mut whole).unwrap();
    let [plain, whole] = [plain, whole].map(|page| String::from_utf8(page).unwrap());
    for part in ["<script", "id=\"graph\"", "id=\"layers\"", "href=\"#graph\"", "id=\"theme\""] {
        assert!(whole.contains(part), "{part} is in the page with the graph");
        assert!(!plain.contains(part), "{part} needs the graph");
    }
    for part in ["id=\"overview\"", "id=\"hardware\"", "id=\"findings\"", "</html>"] {
        assert!(plain.contains(part), "{part}");
    }
}

/// A model in memory has no folder to find its data in.
fn files_that_were_not_read_leave_the_digest_of_all_unknown() {
    let mut model = ModelBuilder::new(17);
    model.initializer(&Tensor::external("w", F32, &[2], "data.bin", Some(0), Some(8)));
    let bytes = model.node("Relu", &["w"], &["y"], &[]).output("y", F32, &["2"]).build();
    let model = Model::read(bytes, "model.onnx").unwrap();
    let report = model.analyze(&Options::new().fingerprints(true)).unwrap();
    assert!(report.model.sha256.is_some());
    assert_eq!(report.model.sha256_all, None);
    assert!(report.unknown.iter().any(|unknown| unknown.what == "model.sha256_all"));
}

fn an_unknown_device_is_an_error() {
    let error = digits().analyze(&Options::new().device("rtx-9999")).unwrap_err();
    assert!(matches!(error, Error::Device(_)), "{error}");
}
