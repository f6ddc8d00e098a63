//! The network, and the flow between its operators, as Mermaid.

use calipers_report::Report;

use crate::markdown::page::Page;

pub(super) fn write(report: &Report, page: &mut Page) {
    let architecture = &report.architecture;
    // The text is made of letters and numbers of characters alone; it can hold no fence.
    if !architecture.drawing.boxes.is_empty() && !architecture.diagram.is_empty() {
        page.fenced("mermaid", &architecture.diagram);
    }
    if !architecture.flow_drawing.boxes.is_empty() && !architecture.flow.is_empty() {
        page.heading("Operator flow");
        page.text("Which operators feed which; the number on an arrow says how often.");
        page.fenced("mermaid", &architecture.flow);
    }
}
