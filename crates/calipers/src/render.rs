//! Renderings of a report: one function per document, each writing to any [`Write`].

use std::io::{self, Write};

pub use calipers_render::*;
use calipers_report::{GraphView, Report};

/// Writes the report as JSON.
///
/// # Errors
///
/// Those of the writer.
pub fn json(report: &Report, out: &mut impl Write) -> io::Result<()> {
    out.write_all(calipers_render::json::to_string(report).as_bytes())
}

/// Writes the model card as Markdown.
///
/// # Errors
///
/// Those of the writer.
pub fn markdown(report: &Report, out: &mut impl Write) -> io::Result<()> {
    out.write_all(calipers_render::markdown::card(report, &CardOptions::default()).as_bytes())
}

/// Writes the report as one self-contained HTML page, without the graph viewer.
///
/// # Errors
///
/// Those of the writer.
pub fn html(report: &Report, out: &mut impl Write) -> io::Result<()> {
    out.write_all(calipers_render::page::html(report, &GraphView::default()).as_bytes())
}

/// Writes the report as one self-contained HTML page with the graph viewer. The view is that of
/// [`Model::explore`](crate::Model::explore).
///
/// # Errors
///
/// Those of the writer.
pub fn html_with_graph(report: &Report, view: &GraphView, out: &mut impl Write) -> io::Result<()> {
    out.write_all(calipers_render::page::html(report, view).as_bytes())
}

/// Writes the report as text for a terminal.
///
/// # Errors
///
/// Those of the writer.
pub fn terminal(report: &Report, style: &Style, out: &mut impl Write) -> io::Result<()> {
    out.write_all(calipers_render::terminal::report(report, style).as_bytes())
}
