//! Any text as a template of a card; the first byte selects the kind of file.

use std::hint::black_box;
use std::sync::OnceLock;

use calipers::{Model, Options, Report};
use calipers_render::{CardOptions, Template};

const NAMES: [&str; 4] = ["card.md", "card.html", "card.json", "card.txt.j2"];

pub(crate) fn run(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let Ok(source) = std::str::from_utf8(rest) else { return };
    static REPORT: OnceLock<Report> = OnceLock::new();
    let report = REPORT.get_or_init(|| {
        let model = Model::read(calipers_samples::digits(), "digits.onnx").expect("a model");
        model.analyze(&Options::new()).expect("a report")
    });
    match Template::new(NAMES[usize::from(*first) % NAMES.len()], source) {
        Ok(template) => {
            black_box(template.render(report, &CardOptions::default()).is_ok());
        }
        Err(error) => {
            black_box(error.to_string());
        }
    }
}
