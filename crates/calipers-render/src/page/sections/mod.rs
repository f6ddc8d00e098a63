//! What the page says without a script, a file per part.

mod architecture;
mod findings;
mod frame;
mod overview;
mod pictures;
mod tables;

use calipers_report::{GraphView, Report};

/// The whole body.
pub(super) fn report(report: &Report, view: &GraphView) -> String {
    let mut body = frame::top(report, true);
    body.push_str("<main id=\"main\">\n");
    body.push_str(&overview::verdict(report));
    body.push_str(&overview::figures(report));
    body.push_str(&overview::sizes(report, view));
    body.push_str(&architecture::architecture(report));
    body.push_str(frame::GRAPH);
    body.push_str(&tables::ports(report));
    body.push_str(&tables::cost(report, view));
    body.push_str(&tables::operators(report));
    body.push_str(&tables::parameters(report));
    body.push_str(&tables::memory(report));
    body.push_str(frame::LAYERS);
    body.push_str(&tables::hardware(report, view));
    body.push_str(&findings::findings(report, view));
    body.push_str(&findings::formulas(report));
    body.push_str(&findings::assumptions(report));
    body.push_str("</main>\n");
    body.push_str(&frame::end(report));
    body
}

/// The graph, and nothing else.
pub(super) fn graph_only(report: &Report) -> String {
    let mut body = frame::top(report, false);
    body.push_str("<main id=\"main\">\n");
    body.push_str(frame::GRAPH);
    body.push_str("</main>\n");
    body
}
