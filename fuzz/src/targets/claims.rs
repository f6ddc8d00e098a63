//! Any reply of a language model, held to the report of an encoder.

use std::sync::OnceLock;

use calipers::{Model, Options, Report};
use calipers_summary::check::Checker;

use crate::output::check_screen;

pub(crate) fn run(bytes: &[u8]) {
    let Ok(reply) = std::str::from_utf8(bytes) else { return };
    static REPORT: OnceLock<Report> = OnceLock::new();
    let report = REPORT.get_or_init(|| {
        let model = Model::read(calipers_samples::encoder(), "encoder.onnx").expect("a model");
        model.analyze(&Options::new()).expect("a report")
    });
    let checker = match bytes.len() % 4 {
        0 => Checker::of_any_language(report),
        _ => Checker::new(report),
    };
    let verdict = checker.check(reply);
    let kept = verdict.clean_text();
    assert!(kept.len() <= reply.len() + 2 * verdict.sentences.len(), "nothing is added");
    check_screen(&calipers_render::text::whole(&kept), "the summary");
}
