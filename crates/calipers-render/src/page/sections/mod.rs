//! The parts of the page that need no script, a file for each.

mod architecture;
mod charts;
mod cost;
mod details;
mod diagram;
mod findings;
mod frame;
mod hardware;
mod memory;
mod overview;
mod parts;
mod ports;

pub(crate) use frame::level_and_zoom;

use calipers_report::{GraphView, Report};
use maud::{Markup, html};

/// The whole body. Without a view, the viewer and the table of layers are left out.
pub(super) fn report(report: &Report, view: &GraphView) -> Markup {
    let has_graph = super::has_graph(view);
    html! {
        (frame::top(report, true, has_graph))
        main #main {
            (overview::overview(report, view))
            (findings::findings(report, view))
            (architecture::architecture(report))
            @if has_graph { (frame::graph()) }
            (hardware::hardware(report, view))
            (memory::memory(report))
            (cost::cost(report, has_graph))
            @if has_graph { (frame::layers()) }
            (ports::ports(report))
            (details::details(report, view))
            (findings::formulas(report))
        }
        (frame::end(report))
    }
}

/// The body with the graph alone.
pub(super) fn graph_only(report: &Report) -> Markup {
    html! {
        (frame::top(report, false, true))
        main #main { (frame::graph()) }
    }
}
