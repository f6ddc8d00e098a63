//! Documents on a terminal: a title, and sections next to their headings.
//!
//! ```text
//!   NVIDIA H100 SXM   h100-sxm · nvidia · gpu-datacenter · Hopper
//!
//!   Memory       size       80 GB · HBM3
//! ```

use super::page::{Line, Page, Role, flow};
use super::rows::Rows;
use super::value::{cell, line, line_within};
use super::{Style, message, table};
use crate::document::{Block, Document, Facts, Item, Section};
use crate::table::{Table, Value, Zero};
use crate::text;

/// Lines of a paragraph, of an item of a list, and of a remark.
const PARAGRAPH: usize = 20;
const ITEM: usize = 8;
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
        for group in groups(&document.sections) {
            for section in group {
                set_section(section, group, &mut page);
            }
        }
    }
    page.finish()
}

/// The title with the facts next to it, where there is space; else beneath it.
fn title(document: &Document, page: &mut Page) {
    let name = line_within(&document.title, usize::MAX, page).plain_text();
    let name = Line::new(Role::Strong, text::truncate(&name, page.full(), page.charset));
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

/// Sections with those that adjoin them.
fn groups(sections: &[Section]) -> impl Iterator<Item = &[Section]> {
    sections.chunk_by(|_, next| next.adjoins)
}

/// A section next to its heading; nothing where it has nothing to say.
fn set_section(section: &Section, group: &[Section], page: &mut Page) {
    let width = if section.title.is_empty() { page.full() } else { page.body() };
    let lines = Setter { width, group, page }.blocks(&section.blocks);
    if section.title.is_empty() {
        page.untitled(lines);
        return;
    }
    let note = text::name(&section.note, page.charset);
    let note = text::truncate(&note, SECTION_NOTE, page.charset);
    match section.adjoins {
        true => page.adjoin(&section.title, &note, lines),
        false => page.section(&section.title, &note, lines),
    }
}

/// Sets blocks in columns.
struct Setter<'a> {
    width: usize,
    /// Sections whose tables share their columns.
    group: &'a [Section],
    page: &'a Page,
}

impl Setter<'_> {
    fn blocks(&self, blocks: &[Block]) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        let mut before: Option<&Block> = None;
        for block in blocks.iter().filter(|block| !block.is_empty()) {
            let set = self.block(block);
            if set.is_empty() {
                continue;
            }
            if before.is_some_and(|before| is_apart(before, block)) {
                lines.push(Line::default());
            }
            lines.extend(set);
            before = Some(block);
        }
        lines
    }

    fn block(&self, block: &Block) -> Vec<Line> {
        let (width, page) = (self.width, self.page);
        let wrap = |line: Line, most| line.wrap_within(width, most, page.charset);
        match block {
            Block::Heading(text) => wrap(line(text, page).toned(Role::Strong), PARAGRAPH),
            Block::Paragraph(text) => wrap(line(text, page), PARAGRAPH),
            Block::Facts(facts) => rows(facts, page).set(width, page),
            Block::Values(values) => {
                flow(values.iter().map(|value| line(value, page)).collect(), page.dot(), width)
            }
            Block::Message(it) => message::lines(it, width, page),
            Block::Table(it) => self.table(it),
            Block::Note(text) => wrap(line(text, page), NOTE),
            Block::List(items) => items.iter().flat_map(|item| self.item(item)).collect(),
            Block::Fold { summary, blocks } => {
                let mut lines =
                    Line::new(Role::Quiet, text::ours(summary, page.charset)).wrap(width);
                lines.extend(self.blocks(blocks));
                lines
            }
            Block::ChartOr { otherwise, .. } => self.blocks(otherwise),
            // A terminal shows neither diagrams nor charts, and has no links.
            Block::Code { .. } | Block::Chart(_) | Block::Contents(_) => Vec::new(),
        }
    }

    fn table(&self, table: &Table) -> Vec<Line> {
        let (width, page) = (self.width, self.page);
        let mut lines = match &table.empty {
            Some(words) if table.is_empty() => line(words, page).wrap(width),
            _ => {
                let tables = self.group.iter().flat_map(|section| &section.blocks);
                let aligned: Vec<&Table> = tables
                    .filter_map(|block| match block {
                        Block::Table(other) if other.id == table.id && self.group.len() > 1 => {
                            Some(other)
                        }
                        _ => None,
                    })
                    .collect();
                table::lines(table, &aligned, width, page)
            }
        };
        for note in table.notes.iter().flat_map(|notes| &notes.lines) {
            let note = line_within(note, usize::MAX, page);
            lines.extend(note.wrap_within(width, PARAGRAPH, page.charset));
        }
        lines
    }

    /// An item of a list: its further lines are indented.
    fn item(&self, item: &Item) -> Vec<Line> {
        let indent = 2 * item.depth.min(8);
        let width = self.width.saturating_sub(indent + 2).max(8);
        let pieces = line(&item.text, self.page).wrap_within(width, ITEM, self.page.charset);
        let set =
            |(i, piece): (usize, Line)| piece.indent(if i == 0 { indent } else { indent + 2 });
        pieces.into_iter().enumerate().map(set).collect()
    }
}

/// Whether an empty line is between two blocks.
fn is_apart(before: &Block, block: &Block) -> bool {
    match (before, block) {
        // A remark belongs to both sides, and values to what is before them.
        (Block::Note(_), _) | (_, Block::Note(_) | Block::Facts(_) | Block::Values(_)) => false,
        (before, Block::Paragraph(_)) => matches!(before, Block::Paragraph(_)),
        (Block::Message(one), Block::Message(_)) => !one.command.is_empty(),
        _ => true,
    }
}

fn rows(facts: &Facts, page: &Page) -> Rows {
    let mut rows = Rows::default();
    for fact in &facts.0 {
        let what = fact.short.as_ref().map_or_else(|| fact.what.clone(), Value::text);
        let key = cell(&what, Role::Quiet, Zero::Shown, page).plain_text();
        // A name alone has the line to itself.
        let is_name = matches!(fact.values.as_slice(), [value] if value.0.len() == 1);
        let most = if is_name { page.body() * 3 / 4 } else { page.body() / 2 };
        let values = fact.values.iter().map(|value| line_within(value, most, page));
        let mut values: Vec<Line> = values.filter(|value| value.width() > 0).collect();
        match fact.most_lines {
            Some(most) if values.len() == 1 => rows.prose(key, values.remove(0), most),
            _ => rows.facts(key, values),
        }
    }
    rows
}
