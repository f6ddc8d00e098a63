//! Any reply of a language model, held to the facts of an encoder's report.

use std::sync::OnceLock;

use calipers::{Model, Options};
use calipers_summary::facts::{self, Fact};
use calipers_summary::{Audience, check};

use crate::output::check_screen;

pub(crate) fn run(bytes: &[u8]) {
    let Ok(reply) = std::str::from_utf8(bytes) else { return };
    static FACTS: OnceLock<Vec<Fact>> = OnceLock::new();
    let facts = FACTS.get_or_init(|| {
        let model = Model::read(calipers_samples::encoder(), "encoder.onnx").expect("a model");
        let report = model.analyze(&Options::new()).expect("a report");
        facts::listed(&report, Audience::Engineer)
    });
    let Ok(checked) = check::read(reply, facts) else { return };
    check_screen(&checked.text(), "the summary");
    for sentence in checked.kept() {
        for figure in sentence.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty()) {
            let is_fact = facts.iter().any(|fact| fact.text.contains(figure));
            assert!(is_fact, "{figure} is in no fact: {sentence:?}");
        }
    }
}
