//! Building blocks of the sections: headed parts, tables that fold, links.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::table::Table;
use crate::text::{self, Charset};
use crate::units;

/// Rows that are shown at once; the rest is folded.
const SHOWN: usize = 12;

/// Rows of a table, folded ones included.
const MOST_ROWS: usize = 2000;

/// A section of the page with its heading.
pub(super) fn part(id: &str, title: &str, body: &Markup) -> Markup {
    html! {
        section id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { (title) }
            (body)
        }
    }
}

/// A table under a heading; rows beyond the first are folded.
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
