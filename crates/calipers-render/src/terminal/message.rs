//! A message next to its severity.
//!
//! ```text
//! ✗ error    A data file is missing
//!            weights.bin holds 45 tensors and is not there.
//!            → Put it next to the model.
//! ```

use calipers_report::Severity;

use super::page::{Line, Page, Role};
use crate::document::Message;
use crate::text;

/// Lines of a title, of a detail or an advice, and of a detail without advice.
const TITLE: usize = 3;
const DETAIL: usize = 8;
const BRIEF: usize = 2;
/// Columns of a severity and the gap after it.
const SEVERITY: usize = 11;
/// Columns without which texts are beneath the severity.
const WIDE: usize = 50;
/// Names that are shown.
const NAMES: usize = 3;

/// The message as lines of at most `width` columns.
pub(super) fn lines(message: &Message, width: usize, page: &Page) -> Vec<Line> {
    let (role, mark, word) = match message.severity {
        Severity::Error => (Role::Error, page.glyph("✗", "x"), "error"),
        Severity::Warning => (Role::Warning, page.glyph("▲", "!"), "warning"),
        Severity::Info => (Role::Accent, page.glyph("●", "-"), "info"),
    };
    // The texts are next to the severity where that leaves a readable width; elsewhere only the
    // title is, and the rest is indented beneath.
    let hangs = width < WIDE;
    let indent = if hangs { 2 } else { SEVERITY };
    let group = width - indent;
    let wrap = |line: Line, most| line.wrap_within(group, most, page.charset);
    let prose = |role, raw: &str| Line::new(role, text::prose(raw, page.charset));

    let mut severity = Line::new(role, format!("{mark} {word}"));
    let title = prose(Role::Strong, &message.title);
    let mut texts = match hangs {
        true => {
            let before = std::mem::take(&mut severity).and(Role::Plain, " ");
            wrap(before.and_line(title), TITLE)
        }
        false => wrap(title, TITLE),
    };
    let is_brief = message.advice.trim().is_empty() && message.names.is_empty();
    if !message.detail.trim().is_empty() {
        let most = if is_brief { BRIEF } else { DETAIL };
        texts.extend(wrap(prose(Role::Plain, &message.detail), most));
    }
    if !message.names.is_empty() {
        texts.extend(wrap(names(message, page), DETAIL));
    }
    if !message.advice.trim().is_empty() {
        texts.extend(advice(message, group, page));
    }
    if !message.command.is_empty() {
        texts.push(prose(Role::Quiet, &message.command).cut(group, page.charset));
    }
    let lines = texts.into_iter().enumerate().map(|(i, text)| {
        let mut line = std::mem::take(&mut severity);
        line.pad_to(if hangs && i == 0 { 0 } else { indent });
        line.and_line(text)
    });
    lines.collect()
}

fn advice(message: &Message, width: usize, page: &Page) -> Vec<Line> {
    let arrow = page.glyph("→ ", "-> ");
    let indent = text::width(arrow);
    let advice = Line::new(Role::Plain, text::prose(&message.advice, page.charset));
    let lines = advice.wrap_within(width - indent, DETAIL, page.charset);
    let line = |(i, line): (usize, Line)| match i {
        0 => Line::new(Role::Quiet, arrow).and_line(line),
        _ => line.indent(indent),
    };
    lines.into_iter().enumerate().map(line).collect()
}

fn names(message: &Message, page: &Page) -> Line {
    let most = page.body() / 2;
    let names: Vec<String> = message
        .names
        .iter()
        .take(NAMES)
        .map(|name| text::truncate(&text::name(name, page.charset), most, page.charset))
        .collect();
    let has_more = message.has_more_names || message.names.len() > NAMES;
    let rest = if has_more { page.glyph(", …", ", ...") } else { "" };
    Line::new(Role::Quiet, format!("in {}{rest}", names.join(", ")))
}
