//! Building blocks of the sections: headed parts, tables that fold, bars, facts, links.

use std::fmt::Write as _;

use maud::{Markup, Render, html};

use crate::page::untrusted::Untrusted;
use crate::table::Table;
use crate::text::{self, Charset};
use crate::units;

/// Rows that are shown at once; the rest is folded.
pub(super) const SHOWN: usize = 12;

/// Rows of a table, folded ones included.
const MOST_ROWS: usize = 2000;

/// Headings of columns that hold figures.
const FIGURES: &[&str] = &["A second", "Bytes", "Memory", "Needed"];

/// A section of the page with its heading.
pub(super) fn part(id: &str, title: &str, body: &Markup) -> Markup {
    html! {
        section id=(id) aria-labeledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { (title) }
            (body)
        }
    }
}

/// One row of a list of facts.
pub(super) fn fact(name: impl Render, value: impl Render) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// A table that folds what is beyond the first rows.
pub(super) fn table(title: &str, heads: &[&str], rows: &[Markup]) -> Markup {
    let draw = |label: &str, rows: &[Markup]| {
        html! {
            div.scroll tabindex="0" role="region" aria-label=(label) {
                table {
                    thead { tr { @for name in heads { (head(name)) } } }
                    tbody { @for row in rows { (row) } }
                }
            }
        }
    };
    html! {
        h3 { (title) " " span.note { (units::integer(rows.len() as u64)) } }
        (draw(title, &rows[..rows.len().min(SHOWN)]))
        @if rows.len() > SHOWN {
            details {
                summary { (units::integer((rows.len() - SHOWN) as u64)) " more" }
                (draw(&format!("{title}, further"), &rows[SHOWN..rows.len().min(MOST_ROWS)]))
            }
        }
    }
}

/// A table of the product under a heading; it folds what is beyond the first rows.
pub(super) fn folding(id: &str, title: &str, mut table: Table) -> Markup {
    let count = table.rows.len();
    table.id = format!("{id}-table");
    table.rows.truncate(MOST_ROWS);
    let rest = table.rows.split_off(count.min(SHOWN));
    let rest = Table { id: format!("{id}-further"), rows: rest, ..table.clone() };
    let draw = |label: &str, table: &Table| {
        html! {
            div.scroll tabindex="0" role="region" aria-label=(label) { (crate::html::table(table)) }
        }
    };
    html! {
        h3 { (title) " " span.note { (units::integer(count as u64)) } }
        (draw(title, &table))
        @if !rest.is_empty() {
            details {
                summary { (units::integer((count - SHOWN) as u64)) " more" }
                (draw(&format!("{title}, further"), &rest))
            }
        }
    }
}

fn head(name: &str) -> Markup {
    html! {
        @match name {
            "" => td {},
            name => th scope="col" class=[FIGURES.contains(&name).then_some("number")] { (name) },
        }
    }
}

/// A row of a bar chart.
pub(super) struct Bar {
    /// What is measured.
    pub(super) name: Markup,
    /// The length of the bar.
    pub(super) value: u64,
    /// The value as it is shown.
    pub(super) text: String,
    /// The address that the name links to, if any.
    pub(super) link: Option<String>,
}

/// A bar chart that needs no script. A bar is as long as its share of `most`, by default of the
/// greatest value.
pub(super) fn bars(title: &str, rows: &[Bar], most: Option<u64>) -> Markup {
    let most = most.or_else(|| rows.iter().map(|row| row.value).max()).unwrap_or(0).max(1);
    html! {
        figure.bars {
            figcaption { (title) }
            @for Bar { name, value, text, link } in rows {
                div.row {
                    span.name {
                        @match link {
                            Some(link) => a href=(link) { (name) },
                            None => (name),
                        }
                    }
                    svg.bar-svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
                        rect width=(percent_of(*value, most)) height="10" {}
                    }
                    span.value { (text) }
                }
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
fn percent_of(value: u64, most: u64) -> String {
    format!("{:.2}", value as f64 / most as f64 * 100.0)
}

/// A name in a column: its middle is left out, since names differ at their ends.
pub(super) fn shortened(name: &str) -> Markup {
    let name = text::truncate(&text::name(name, Charset::Unicode), 26, Charset::Unicode);
    Untrusted(&name).render()
}

/// A link to a node or to a value of the graph.
pub(super) fn link(kind: &str, name: &str) -> String {
    let mut target = String::new();
    for byte in text::name(name, Charset::Unicode).bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                target.push(char::from(byte));
            }
            byte => _ = write!(target, "%{byte:02X}"),
        }
    }
    format!("#{kind}={target}")
}
