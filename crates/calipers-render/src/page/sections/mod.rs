//! The parts of the page that need no script, a file for each.

mod architecture;
mod cost;
mod drawing;
mod findings;
mod frame;
mod hardware;
mod memory;
mod overview;
mod parts;
mod pictures;
mod ports;

use calipers_report::{GraphView, Report};
use maud::{Markup, html};

/// The whole body.
pub(super) fn report(report: &Report, view: &GraphView) -> Markup {
    html! {
        (frame::top(report, true))
        main #main {
            (overview::overview(report, view))
            (architecture::architecture(report))
            (frame::graph())
            (ports::ports(report))
            (cost::cost(report, view))
            (cost::operators(report))
            (cost::parameters(report))
            (memory::memory(report))
            (frame::layers())
            (hardware::hardware(report, view))
            (findings::findings(report, view))
            (findings::formulas(report))
            (findings::assumptions(report))
        }
        (frame::end(report))
    }
}

/// The body with the graph alone.
pub(super) fn graph_only(report: &Report) -> Markup {
    html! {
        (frame::top(report, false))
        main #main { (frame::graph()) }
    }
}
