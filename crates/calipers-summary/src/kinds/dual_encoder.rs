//! Dual encoders, such as one for images and one for texts.

use calipers_report::Style;

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, for_task, is_style, no_notes, vocabulary};

pub(in super::super) const KIND: Kind = Kind {
    name: "dual encoder",
    matches: |report| is_style(report, Style::DualEncoder),
    noun: |report| for_task(report, &of_family(report, "dual encoder")),
    figures: |report| attention_layers(report).into_iter().chain(vocabulary(report)).collect(),
    notes: no_notes,
    run: |_| "one run of both encoders".to_owned(),
};
