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
//! The overview is the document [`sections::screen`]; nothing here knows its sections.

mod bar;
mod document;
mod message;
mod page;
mod rows;
mod table;
mod value;

use calipers_report::Report;
pub use document::{document, documents};
pub use table::table;

use crate::output::{Answer, Form, Format, joined};
use crate::sections;
use crate::text::Charset;

/// Text for a terminal.
pub const FORMAT: Format = Format {
    id: "text",
    extensions: &["txt"],
    description: "For a terminal",
    needs: Form::Documents,
    render: answer_text,
};

fn answer_text(answer: &Answer<'_>, style: &Style) -> String {
    match answer.for_screen() {
        Some(build) => documents(&build, style),
        None => joined(answer.as_tables().iter().map(|it| table(it, style))),
    }
}

/// What the reader's terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal. No line is wider; below 24 is taken as 24, and beyond 100 a line
    /// becomes hard to read, so none is longer.
    pub width: usize,
    /// Whether to use color and weight. Without, the text holds no escape sequence.
    pub color: bool,
    /// Whether to use characters beyond ASCII.
    pub unicode: bool,
}

impl Style {
    /// No color, all of Unicode.
    pub fn plain(width: usize) -> Self {
        Self { width, color: false, unicode: true }
    }

    fn charset(&self) -> Charset {
        if self.unicode { Charset::Unicode } else { Charset::Ascii }
    }
}

/// The report on one screen, as lines of text, ending in a newline.
///
/// A figure that the report does not know is printed as `unknown` with the report's reason.
pub fn report(report: &Report, style: &Style) -> String {
    document(&sections::screen(report), style)
}
