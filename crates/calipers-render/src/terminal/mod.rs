//! Text for terminals: tables, and the report on one screen.
//!
//! ```
//! use calipers_render::{Style, terminal};
//!
//! let mut report = calipers_report::Report::default();
//! report.model.file = "tiny.onnx".to_owned();
//! report.graph.nodes = 12;
//! let screen = terminal::report(&report, &Style::plain(80));
//! assert!(screen.contains("tiny.onnx"));
//! assert!(screen.contains("12 nodes"));
//! ```
//!
//! Each section is one function from the report to lines, and a line in [`report`]. Sections
//! that have nothing to say return no line and leave no heading.

mod architecture;
mod chart;
mod check;
mod complexity;
mod dearest;
mod devices;
mod findings;
mod graph;
mod hardware;
mod hardware_page;
mod header;
mod memory;
mod page;
mod parameters;
mod reasons;
mod rows;
mod summary;
mod table;
mod value;
mod weights;

use calipers_report::Report;

pub use check::{findings, rule_list, rules};
pub use devices::device;
pub use hardware_page::hardware;
pub use table::table;

use crate::text::Charset;
use page::Page;
use reasons::Reasons;

/// What the reader's terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal. No line is wider; below 24 is taken as 24, and beyond 100 a line
    /// becomes hard to read, so none is longer.
    pub width: usize,
    /// Whether to use colour and weight. Without, the text holds no escape sequence.
    pub color: bool,
    /// Whether to use characters beyond ASCII.
    pub unicode: bool,
}

impl Style {
    /// No colour, all of Unicode.
    pub fn plain(width: usize) -> Self {
        Self { width, color: false, unicode: true }
    }

    fn charset(&self) -> Charset {
        if self.unicode { Charset::Unicode } else { Charset::Ascii }
    }
}

/// The report as lines of text, ending in a newline.
///
/// A figure that the report does not know is printed as `unknown` with the report's reason.
pub fn report(report: &Report, style: &Style) -> String {
    let mut page = Page::new(style);
    let mut reasons = Reasons::new(&report.unknown, style.charset());

    header::title(report, &mut page);
    summary::prose(report, &mut page);
    architecture::what(report, &mut page);
    header::file(report, &mut reasons, &mut page);
    header::data(report, &mut page);
    graph::ports(report, &mut reasons, &mut page);
    graph::dimensions(report, &mut page);
    graph::structure(report, &mut reasons, &mut page);
    parameters::totals(report, &mut reasons, &mut page);
    complexity::work(report, &mut reasons, &mut page);
    dearest::nodes(report, &mut page);
    memory::run(report, &mut reasons, &mut page);
    hardware::section(report, &mut page);
    parameters::weights(report, &mut reasons, &mut page);
    weights::read(report, &mut reasons, &mut page);
    graph::operators(report, &mut page);
    findings::findings(report, &mut page);
    findings::assumptions(report, &mut page);
    findings::unknown(&reasons, &mut page);
    page.finish()
}
