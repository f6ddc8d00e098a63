//! The comparison of two models as one page that opens from disk and makes no request.
//!
//! `body` writes what can be read without a script: the verdict, the changes and the sections of the
//! document. The scripts under `assets/` draw both graphs with those of [`crate::page`], from data that
//! `data` embeds in the page.

mod body;
mod data;
#[cfg(test)]
mod tests;

use calipers_report::{Comparison, ComparisonTable, ComparisonView, GraphChanges};

use crate::chart;
use crate::document::Document;
use crate::page::plain::{Both, both};
use crate::page::{self, Shell, embed};

/// The scripts, which need those of a graph.
const SCRIPTS: &[&str] = &[
    include_str!("assets/changes.js"),
    include_str!("assets/sides.js"),
    include_str!("assets/details.js"),
    include_str!("assets/list.js"),
    include_str!("assets/start.js"),
];

/// The comparison as one page. Without a view, or without compared nodes, it has no graphs and no
/// scripts.
pub fn html(comparison: &Comparison, view: Option<&ComparisonView>, document: &Document) -> String {
    let drawn = drawn(comparison, view);
    let data = drawn.map(|(changes, view)| {
        let compression = page::compression(view.a.nodes.len() + view.b.nodes.len());
        embed::data(&data::Data::new(comparison, changes, view), compression)
    });
    let charts: Vec<Both> = comparison
        .weights
        .as_ref()
        .and_then(|weights| both(|theme| chart::weight_changes(weights, theme)))
        .into_iter()
        .collect();
    let style = format!("{}\n{}", page::STYLE, include_str!("assets/comparison.css"));
    let shell = Shell {
        kind: "comparison",
        title: &format!("{} → {}", comparison.a.label, comparison.b.label),
        generator: &comparison.generator,
        style: &style,
        scripts: &[page::BASE_SCRIPTS, page::GRAPH_SCRIPTS, SCRIPTS].concat(),
        data,
        body: body::body(comparison, document, &charts, drawn.is_some()),
    };
    shell.html()
}

/// What is drawn: both graphs and what differs between them.
fn drawn<'a>(
    comparison: &'a Comparison,
    view: Option<&'a ComparisonView>,
) -> Option<(&'a GraphChanges, &'a ComparisonView)> {
    let (changes, view) = (comparison.graph.as_ref()?, view?);
    (!view.a.groups.is_empty() && !view.b.groups.is_empty()).then_some((changes, view))
}

/// The comparison of several models as one page, without scripts.
pub fn table_html(table: &ComparisonTable) -> String {
    let document = super::table_document(table);
    let charts: Vec<Both> = both(|theme| chart::pareto(table, theme)).into_iter().collect();
    let names: Vec<&str> = table.models.iter().map(|model| model.label.as_str()).collect();
    let shell = Shell {
        kind: "comparison",
        title: &names.join(", "),
        generator: &table.generator,
        style: &format!("{}\n{}", page::STYLE, include_str!("assets/comparison.css")),
        scripts: &[],
        data: None,
        body: body::table_body(table, &document, &charts),
    };
    shell.html()
}
