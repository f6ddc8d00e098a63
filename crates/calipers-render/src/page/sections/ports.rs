//! Inputs and outputs of the model.

use calipers_report::{Dimension, Port, Report};
use maud::{Markup, Render, html};

use super::parts::{part, table};
use crate::page::untrusted::{Untrusted, joined};

/// Inputs and outputs; columns that would be empty are left out.
pub(super) fn ports(report: &Report) -> Markup {
    let tables = [("Inputs", &report.graph.inputs), ("Outputs", &report.graph.outputs)];
    part(
        "ports",
        "Inputs and outputs",
        &html! {
            @for (name, ports) in tables { (port_table(name, ports)) }
        },
    )
}

fn port_table(title: &str, ports: &[Port]) -> Markup {
    let has_inferred = ports.iter().any(|port| port.inferred.is_some());
    let has_doc = ports.iter().any(|port| !port.doc.is_empty());
    let mut heads = vec!["Name", "Type"];
    heads.extend(has_inferred.then_some("Found to be"));
    heads.extend(has_doc.then_some("Meaning"));
    let row = |port: &Port| {
        html! {
            tr {
                th scope="row" { (code_or(&port.name, "(unnamed)")) }
                td { (code_or(&port.type_text, "unknown")) }
                @if has_inferred {
                    td { @if let Some(inferred) = &port.inferred { (shape(inferred)) } }
                }
                @if has_doc { td { (Untrusted(&port.doc)) } }
            }
        }
    };
    table(title, &heads, &ports.iter().map(row).collect::<Vec<_>>())
}

fn code_or(text: &str, otherwise: &str) -> Markup {
    html! {
        @match text {
            "" => (otherwise),
            text => code { (Untrusted(text)) },
        }
    }
}

/// Dimensions that are shown of a shape: no tensor has more, a hostile file may.
const DIMENSIONS: usize = 32;

/// A shape the way a type spells it.
fn shape(shape: &[Dimension]) -> Markup {
    if shape.is_empty() {
        return "scalar".render();
    }
    let size = |dimension: &Dimension| match dimension {
        Dimension::Size(size) => size.render(),
        Dimension::Symbol(symbol) => Untrusted(symbol).render(),
        Dimension::Unknown => "?".render(),
    };
    let mut sizes: Vec<Markup> = shape.iter().take(DIMENSIONS).map(size).collect();
    if shape.len() > DIMENSIONS {
        sizes.push("…".render());
    }
    html! { code { "[" (joined(&sizes, ", ")) "]" } }
}
