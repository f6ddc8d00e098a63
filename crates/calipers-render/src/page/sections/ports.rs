//! Inputs and outputs of the model.

use calipers_report::Report;
use maud::{Markup, html};

use super::parts::{folding, part};
use crate::tables;

/// Inputs and outputs; empty columns are left out.
pub(super) fn ports(report: &Report) -> Markup {
    part(
        "ports",
        "Inputs and outputs",
        &html! {
            (folding("inputs", "Inputs", tables::ports(&report.graph.inputs)))
            (folding("outputs", "Outputs", tables::ports(&report.graph.outputs)))
        },
    )
}
