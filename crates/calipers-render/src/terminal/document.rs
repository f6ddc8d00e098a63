//! Documents on a terminal: a title, and sections next to their headings.
//!
//! ```text
//!   NVIDIA H100 SXM   h100-sxm · nvidia · gpu-datacenter · Hopper
//!
//!   Memory       size       80 GB · HBM3
//! ```

use super::Style;
use super::page::{Line, Page, Role, flow};
use super::rows::Rows;
use super::table;
use super::value::{cell, line};
use crate::document::{Block, Document, Facts, Item, Section};
use crate::table::Zero;
use crate::text;

/// Lines of a paragraph, of an item of a list, and of a remark.
const PARAGRAPH: usize = 20;
const ITEM: usize = 4;
const NOTE: usize = 2;
/// Columns of a section's note.
const SECTION_NOTE: usize = 12;

/// A document as lines of text, ending in a newline.
pub fn document(document: &Document, style: &Style) -> String {
    documents(std::slice::from_ref(document), style)
}

/// Documents one after another, an empty line between them.
pub fn documents(documents: &[Document], style: &Style) -> String {
    let mut page = Page::new(style);
    for (i, document) in documents.iter().enumerate() {
        if i > 0 {
            page.blank();
        }
        title(document, &mut page);
        for section in &document.sections {
            set_section(section, &mut page);
        }
    }
    page.finish()
}

/// The title with the facts next to it, where there is space; else beneath it.
fn title(document: &Document, page: &mut Page) {
    let name = line(&document.title, page).plain_text();
    let name = Line::of(Role::Strong, text::truncate(&name, page.full(), page.charset));
    let facts: Vec<Line> = document.facts.iter().map(|fact| line(fact, page)).collect();
    let on_one_line = flow(facts.clone(), page.dot(), usize::MAX).pop().unwrap_or_default();
    let gap = "   ";
    if facts.is_empty() || name.width() + gap.len() + on_one_line.width() <= page.full() {
        page.line(
            name.and(Role::Plain, if facts.is_empty() { "" } else { gap }).and_line(on_one_line),
        );
    } else {
        page.line(name);
        for line in flow(facts, page.dot(), page.full()) {
            page.line(line);
        }
    }
    if let Some(byline) = &document.byline {
        for piece in line(byline, page).wrap_within(page.full(), PARAGRAPH, page.charset) {
            page.line(piece);
        }
    }
}

/// A section next to its heading; nothing where it has nothing to say.
pub(super) fn set_section(section: &Section, page: &mut Page) {
    let lines = blocks(&section.blocks, page);
    let note = text::name(&section.note, page.charset);
    let note = text::truncate(&note, SECTION_NOTE, page.charset);
    page.section(&section.title, &note, lines);
}

fn blocks(blocks: &[Block], page: &Page) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut follows_note = false;
    for block in blocks.iter().filter(|block| !block.is_empty()) {
        let set = set_block(block, page);
        // A paragraph belongs to the one before it, and a remark to both sides.
        let is_apart = !matches!(block, Block::Paragraph(_) | Block::Note(_) | Block::Facts(_));
        if is_apart && !follows_note && !lines.is_empty() && !set.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(set);
        follows_note = matches!(block, Block::Note(_));
    }
    lines
}

fn set_block(block: &Block, page: &Page) -> Vec<Line> {
    let width = page.body();
    match block {
        Block::Heading(text) => {
            line(text, page).toned(Role::Strong).wrap_within(width, PARAGRAPH, page.charset)
        }
        Block::Paragraph(text) => line(text, page).wrap_within(width, PARAGRAPH, page.charset),
        Block::Facts(facts) => rows(facts, page).set(page),
        Block::Table(it) => {
            let mut lines = match &it.empty {
                Some(words) if it.is_empty() => line(words, page).wrap(width),
                _ => table::lines(it, width, page),
            };
            for note in it.notes.iter().flat_map(|notes| &notes.lines) {
                lines.extend(line(note, page).wrap_within(width, PARAGRAPH, page.charset));
            }
            lines
        }
        Block::Note(text) => line(text, page).wrap_within(width, NOTE, page.charset),
        Block::List(items) => items.iter().flat_map(|item| hang(item, page)).collect(),
        Block::Fold { summary, blocks: inner } => {
            let mut lines = Line::of(Role::Quiet, text::ours(summary, page.charset)).wrap(width);
            lines.extend(blocks(inner, page));
            lines
        }
        // A terminal shows neither diagrams nor charts.
        Block::Code { .. } | Block::Chart(_) => Vec::new(),
    }
}

/// An item of a list: its further lines are indented.
fn hang(item: &Item, page: &Page) -> Vec<Line> {
    let indent = 2 * item.depth.min(8);
    let width = page.body().saturating_sub(indent + 2).max(8);
    let pieces = line(&item.text, page).wrap_within(width, ITEM, page.charset);
    let set = |(i, piece): (usize, Line)| piece.indent(if i == 0 { indent } else { indent + 2 });
    pieces.into_iter().enumerate().map(set).collect()
}

fn rows(facts: &Facts, page: &Page) -> Rows {
    let mut rows = Rows::default();
    for fact in &facts.0 {
        let key = cell(&fact.what, Role::Quiet, Zero::Shown, page).plain_text();
        let mut values: Vec<Line> = fact.values.iter().map(|value| line(value, page)).collect();
        match fact.most_lines {
            Some(most) if values.len() == 1 => rows.prose(key, values.remove(0), most),
            _ => rows.facts(key, values),
        }
    }
    rows
}
