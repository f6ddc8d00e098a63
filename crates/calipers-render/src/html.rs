//! Tables and documents as HTML, escaped by construction.
//!
//! Every text goes through [`maud`], which escapes it, after its invisible characters have become
//! escapes. A figure carries its exact value in `data-sort`.
//!
//! ```
//! use calipers_render::html;
//! use calipers_render::table::{Column, Table, Value};
//!
//! let mut table = Table::new("nodes", vec![
//!     Column::text("node", "node"),
//!     Column::figures("macs", "MACs"),
//! ]);
//! table.row(vec![Value::name("<b>"), Value::Magnitude(1_573_120)]);
//! let html = html::table(&table).into_string();
//! assert!(html.contains("<code>&lt;b&gt;</code>"));
//! assert!(html.contains(r#"<td class="number" data-sort="1573120">1.57 M</td>"#));
//! ```

use calipers_report::{Dimension, Severity, ValueShape};
use maud::{Markup, html};

use crate::document::{Block, Document, Fact, Item, Message, Section};
use crate::output::{Form, Format};
use crate::table::{Align, Cell, Column, Row, Table, Zero};
use crate::text::{self, Charset};
use crate::units;
use crate::value::{Datum, Fit, Spans, Tone, Value, dtype_text};

/// HTML as an output format.
pub const FORMAT: Format = Format {
    id: "html",
    extensions: &["html", "htm"],
    description: "For a browser: one file without scripts",
    needs: Form::Page,
    render: |answer, _| answer.as_html(),
};

/// Characters kept of a text: a name may have a gigabyte.
const CHARACTERS: usize = 20_000;
/// Dimensions that are shown of a shape: no tensor has more, a hostile file may.
const DIMENSIONS: usize = 32;
/// Levels of a tree that are drawn.
const DEPTH: u64 = 64;

/// A text out of a model, fit to be escaped: invisible characters become escapes, and what is too
/// long to be read ends in an ellipsis.
pub(crate) fn clean(raw: &str) -> String {
    match raw.char_indices().nth(CHARACTERS) {
        Some((end, _)) => text::whole(&raw[..end]) + "…",
        None => text::whole(raw),
    }
}

/// A table with its notes.
pub fn table(table: &Table) -> Markup {
    let places = table.document_columns();
    html! {
        @match &table.empty {
            Some(words) if table.is_empty() => p { (sentence(words)) },
            _ => (grid(table, &places)),
        }
        @for notes in &table.notes {
            @if let Some(title) = &notes.title { h4 { (title) } }
            ul.notes { @for note in &notes.lines { li { (sentence(note)) } } }
        }
    }
}

fn grid(table: &Table, places: &[usize]) -> Markup {
    html! {
        table id=(table.id) {
            @if let Some(title) = &table.title { caption { (title) } }
            @if table.has_headings {
                thead { tr {
                    @for i in places { (heading(&table.columns[*i])) }
                } }
            }
            tbody { @for row in &table.rows { (set_row(row, table, places)) } }
            @if !table.footer.is_empty() {
                tfoot { @for cells in &table.footer {
                    tr { @for i in places { (cell(cells.get(*i), &table.columns[*i], false)) } }
                } }
            }
        }
    }
}

fn heading(column: &Column) -> Markup {
    let title = inline(&column.document_title());
    html! {
        // A heading without words heads nothing: screen readers would stop at it.
        @if title.0.is_empty() { td {} }
        @else if column.align == Align::Left { th scope="col" { (title) } }
        @else { th.number scope="col" { (title) } }
    }
}

fn set_row(row: &Row, table: &Table, places: &[usize]) -> Markup {
    html! {
        @match row {
            Row::Group(title) => tr { th.group scope="rowgroup" colspan=(places.len()) { (inline(title)) } },
            Row::Cells { cells, note, .. } => {
                tr { @for (at, i) in places.iter().enumerate() {
                    (cell(cells.get(*i), &table.columns[*i], at == 0))
                } }
                @if let Some(note) = note {
                    tr { td.note colspan=(places.len()) { (sentence(note)) } }
                }
            },
        }
    }
}

fn cell(cell: Option<&Cell>, column: &Column, is_first: bool) -> Markup {
    let value = cell.map_or(&Value::Blank, |cell| &cell.value);
    let is_hidden = value.is_zero() && column.zero != Zero::Shown;
    let content = match cell.and_then(|cell| cell.tone) {
        _ if is_hidden => html! {},
        Some(tone) if *value != Value::Blank => toned(tone, value),
        _ => inline(value),
    };
    let sort = match value.data() {
        Datum::Integer(number) => Some(number.to_string()),
        Datum::Float(number) => Some(number.to_string()),
        _ => None,
    };
    html! {
        @if is_first && column.align == Align::Left { th scope="row" { (content) } }
        @else if column.align == Align::Left { td data-sort=[sort] { (content) } }
        @else { td.number data-sort=[sort] { (content) } }
    }
}

/// A document, without the page around it.
pub fn document(document: &Document) -> Markup {
    html! {
        h1 { (sentence(&document.title)) }
        @if !document.facts.is_empty() {
            ul.about { @for fact in &document.facts { li { (sentence(fact)) } } }
        }
        @if let Some(byline) = &document.byline { p.byline { (sentence(byline)) } }
        @for part in &document.sections { (section(part)) }
    }
}

/// A document as one table with a row for each section, for a notebook: it brings its own style, and headings of its own.
pub fn sheet(document: &Document) -> Markup {
    let cells = "text-align:left;vertical-align:top";
    html! {
        p {
            strong { (sentence(&document.title)) }
            @for fact in &document.facts { " · " (sentence(fact)) }
        }
        table { tbody {
            @for section in &document.sections { tr {
                th scope="row" style=(cells) {
                    (section.title)
                    @if !section.note.is_empty() { " " small { (section.note) } }
                }
                td style=(cells) {
                    (blocks(&section.blocks, &Setting { chart: &chart_place, page: None }))
                }
            } }
        } }
    }
}

/// The blocks of a section for a page: each table can scroll and has an id of its own, and `chart`
/// draws the charts.
pub(crate) fn page_blocks(section: &Section, chart: &dyn Fn(&str) -> Markup) -> Markup {
    let setting = Setting { chart, page: Some(&section.id) };
    blocks(&section.blocks, &setting)
}

/// Where blocks are written to.
struct Setting<'a> {
    /// Draws a chart by its name.
    chart: &'a dyn Fn(&str) -> Markup,
    /// The section of a page.
    page: Option<&'a str>,
}

/// The place of a chart that another program fills.
fn chart_place(name: &str) -> Markup {
    html! { div.chart data-chart=(name) {} }
}

/// A section; nothing where it is empty.
pub fn section(section: &Section) -> Markup {
    html! {
        @if !section.is_empty() {
            section id=(section.id) {
                @if !section.title.is_empty() {
                    h2 {
                        (section.title)
                        @if !section.note.is_empty() { " " small { (section.note) } }
                    }
                }
                (blocks(&section.blocks, &Setting { chart: &chart_place, page: None }))
            }
        }
    }
}

fn blocks(blocks: &[Block], setting: &Setting<'_>) -> Markup {
    html! { @for block in blocks { (set_block(block, setting)) } }
}

fn set_block(block: &Block, setting: &Setting<'_>) -> Markup {
    html! {
        @match block {
            Block::Heading(text) => h3 { (sentence(text)) },
            Block::Paragraph(text) => p { (sentence(text)) },
            Block::Note(text) => p.note { (sentence(text)) },
            Block::Facts(facts) => table.facts { tbody {
                @for fact in &facts.0 { (fact_row(fact)) }
            } },
            Block::Values(values) => p { (joined(values)) },
            Block::Message(it) => (message(it)),
            Block::Table(it) => (block_table(it, setting)),
            Block::List(items) => (list(items)),
            Block::Code { language, text } => pre.{ "language-" (language) } { code { (text) } },
            Block::Fold { summary, blocks: inner } => details {
                summary { (summary) }
                (blocks(inner, setting))
            },
            Block::Chart(name) => ((setting.chart)(name)),
            Block::ChartOr { otherwise, .. } => (blocks(otherwise, setting)),
            Block::Contents(entries) => nav {
                @for (i, entry) in entries.iter().enumerate() {
                    @if i > 0 { " · " }
                    a href={ "#" (entry.id) } { (entry.title) }
                }
            },
        }
    }
}

fn block_table(it: &Table, setting: &Setting<'_>) -> Markup {
    let Some(section) = setting.page else { return table(it) };
    let label = it.title.as_deref().unwrap_or(&it.id);
    html! {
        div.scroll tabindex="0" role="region" aria-label={ (section) ": " (label) } {
            (table(&Table { id: format!("{section}-{}", it.id), ..it.clone() }))
        }
    }
}

fn fact_row(fact: &Fact) -> Markup {
    let what = match &fact.what {
        Value::Text(words) => Value::Text(text::capitalized(words)),
        other => other.clone(),
    };
    html! {
        tr {
            th scope="row" { (inline(&what)) }
            td { (joined(&fact.values)) }
        }
    }
}

/// Values, one after another.
fn joined(values: &[Spans]) -> Markup {
    html! {
        @for (i, value) in values.iter().enumerate() {
            @if i > 0 { " · " }
            (sentence(value))
        }
    }
}

fn message(message: &Message) -> Markup {
    let (class, severity) = match message.severity {
        Severity::Error => ("error", "Error: "),
        Severity::Warning => ("warning", "Warning: "),
        Severity::Info => ("info", "Info: "),
    };
    let detail = message.detail.trim();
    let advice = message.advice.trim();
    html! {
        h3 { span class=(class) { (severity) } (clean(&message.title)) }
        @if !detail.is_empty() || !message.names.is_empty() {
            p {
                @if !detail.is_empty() { (quoted(&text::sentence(detail))) " " }
                @if !message.names.is_empty() {
                    "In "
                    @for (i, name) in message.names.iter().enumerate() {
                        @if i > 0 { ", " }
                        code { (clean(name)) }
                    }
                    @if message.has_more_names { " and others" }
                    "."
                }
            }
        }
        @if !advice.is_empty() {
            p { strong { "Recommendation:" } " " (quoted(&text::sentence(advice))) }
        }
        @if !message.command.is_empty() { p { "More: " code { (message.command) } } }
    }
}

/// A list; what lies deeper than the item before it is a list of its own within that item.
fn list(items: &[Item]) -> Markup {
    let Some(first) = items.first() else { return html! {} };
    let level = |rest: &[Item]| {
        rest.iter().position(|item| item.depth <= first.depth).unwrap_or(rest.len())
    };
    let mut rest = items;
    let mut own = Vec::new();
    while let Some((item, after)) = rest.split_first() {
        let (inside, next) = after.split_at(level(after));
        own.push((item, inside));
        rest = next;
    }
    html! {
        ul { @for (item, inside) in own { li { (sentence(&item.text)) (list(inside)) } } }
    }
}

/// A sentence.
pub fn sentence(spans: &Spans) -> Markup {
    html! {
        @for span in &spans.0 { (toned(span.tone, &span.value)) }
    }
}

fn toned(tone: Tone, value: &Value) -> Markup {
    html! {
        @match tone {
            Tone::Plain | Tone::Accent => (inline(value)),
            Tone::Strong => strong { (inline(value)) },
            Tone::Emphasis => em { (inline(value)) },
            Tone::Quiet => span.quiet { (inline(value)) },
            Tone::Warning => span.warning { (inline(value)) },
            Tone::Error => span.error { (inline(value)) },
        }
    }
}

/// One value.
pub fn inline(value: &Value) -> Markup {
    if let Some(figure) = value.figure() {
        return html! { (figure) };
    }
    match value {
        Value::Text(words) => html! { (words) },
        Value::Name(name) | Value::Formula(name) => html! { code { (clean(name)) } },
        Value::Prose(words) => html! { (clean(words)) },
        Value::Quoted(words) => quoted(words),
        Value::Types(types) => html! {
            @for (i, value) in types.iter().enumerate() {
                @if i > 0 { " " }
                (type_text(value))
            }
        },
        Value::Shape(dims) => shape(dims),
        Value::Tree { depth, name } => html! {
            @if *depth > 0 {
                span.quiet { ("· ".repeat(usize::try_from((*depth).min(DEPTH)).unwrap_or(0))) }
            }
            code { (clean(name)) }
        },
        Value::Link { name, address } => html! {
            a href=(text::address(address)) { (clean(name)) }
        },
        Value::Anchor(name) => html! {
            a href={ "#" (text::address(name)) } { code { (clean(name)) } }
        },
        Value::Spans(spans) => sentence(spans),
        Value::Fit(fit) => html! { (memory(fit)) },
        Value::Missing(reason) => html! {
            "unknown"
            @if let Some(reason) = reason { ": " (quoted(reason)) }
        },
        Value::AtLeast(inner) => html! { "at least " (inline(inner)) },
        // Figures are set above.
        _ => html! {},
    }
}

/// A sentence of ours whose quotations between backticks are code.
fn quoted(words: &str) -> Markup {
    let clean = clean(words);
    let parts: Vec<&str> = clean.split('`').collect();
    // The last quotation has no end where their number is even.
    if parts.len().is_multiple_of(2) {
        return html! { (clean) };
    }
    html! {
        @for (i, part) in parts.iter().enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn type_text(value: &Option<ValueShape>) -> Markup {
    html! {
        @match value {
            None => "–",
            Some(ValueShape { shape: Some(dims), .. }) => (shape(dims)),
            Some(value) => code { (clean(&dtype_text(value))) },
        }
    }
}

fn shape(dims: &[Dimension]) -> Markup {
    let one = |dim: &Dimension| match dim {
        Dimension::Size(size) => size.to_string(),
        Dimension::Symbol(name) => text::name(name, Charset::Unicode),
        Dimension::Unknown => "?".to_owned(),
    };
    let mut shown: Vec<String> = dims.iter().take(DIMENSIONS).map(one).collect();
    if dims.len() > DIMENSIONS {
        shown.push("…".to_owned());
    }
    html! {
        @if dims.is_empty() { "scalar" } @else { code { "[" (shown.join(", ")) "]" } }
    }
}

fn memory(fit: &Fit) -> String {
    let needed = fit.needed.map_or_else(|| "unknown".to_owned(), units::gigabytes);
    match fit.capacity {
        Some(capacity) => format!("{needed} of {}", units::capacity(capacity)),
        None => needed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_hostile_text_acts() {
        let hostile = "<img src=x onerror=\"y\">\u{202e}`";
        for value in [
            Value::name(hostile),
            Value::prose(hostile),
            Value::quoted(hostile),
            Value::Formula(hostile.to_owned()),
            Value::Missing(Some(hostile.to_owned())),
            Value::Tree { depth: 2, name: hostile.to_owned() },
            Value::Shape(vec![Dimension::Symbol(hostile.to_owned())]),
        ] {
            let html = inline(&value).into_string();
            assert!(!html.contains("<img") && !html.contains('\u{202e}'), "{html}");
            assert!(html.contains("&lt;img"), "{html}");
        }
    }

    #[test]
    fn a_sheet_has_a_row_for_each_section() {
        let values = |text: &str| vec![Block::Values(vec![Spans::plain(text)])];
        let document = Document {
            title: "<b>".into(),
            sections: vec![
                Section::new("memory", "Memory", values("5 MB")),
                Section::new("hardware", "Hardware", values("6 ms")).noted("fp32"),
            ],
            ..Document::default()
        };
        let html = sheet(&document).into_string();
        assert!(html.starts_with("<p><strong>&lt;b&gt;</strong></p><table>"), "{html}");
        assert_eq!(html.matches("<tr>").count(), 2);
        assert!(html.contains("Hardware <small>fp32</small></th>"), "{html}");
    }

    #[test]
    fn quotations_are_code() {
        assert_eq!(quoted("of `x` a").into_string(), "of <code>x</code> a");
        assert_eq!(quoted("odd ` quote").into_string(), "odd ` quote");
    }
}
