//! The body of the page: header, verdict, both graphs with the list of changes, sections.

use calipers_report::{ChangeGroup, Comparison, ComparisonTable};
use maud::{Markup, html};

use crate::document::{Document, Section};
use crate::page::level_and_zoom;
use crate::page::plain::{self, Both};
use crate::page::untrusted::{Untrusted, joined};
use crate::table::Value;
use crate::{html, units};

/// Groups of changes that are listed without a script.
const MOST_GROUPS: usize = 500;

/// Outputs with another producer that are listed.
const MOST_OUTPUTS: usize = 20;

/// Sections of the document that the page has in parts of its own: the verdict, and the nodes where
/// they were compared.
const VERDICT: &str = "verdict";
const GRAPH: &str = "graph";

/// The section that has the chart of several models.
const PARETO: &str = "pareto";

/// Everything inside the body.
pub(super) fn body(
    comparison: &Comparison,
    document: &Document,
    charts: &[Both],
    has_graphs: bool,
) -> Markup {
    let has_changes = comparison.graph.is_some();
    let sections: Vec<&Section> = document
        .sections
        .iter()
        .filter(|section| !section.is_empty() && section.id != VERDICT)
        .filter(|section| !has_changes || section.id != GRAPH)
        .collect();
    html! {
        a.skip href="#main" { "Skip to the content" }
        header.top {
            h1.file.both-files {
                (side('A')) " " (Untrusted(&comparison.a.label)) " → "
                (side('B')) " " (Untrusted(&comparison.b.label))
            }
            nav aria-label="Parts of the page" {
                a href="#overview" { "Overview" }
                @if has_changes { a href="#compare-graph" { "Graph" } }
                @for section in &sections {
                    @if !section.title.is_empty() {
                        a href={ "#" (section.id) } { (section.title) }
                    }
                }
            }
            @if has_graphs {
                button #theme .quiet type="button" aria-label="Toggle light and dark" { "◐" }
            }
        }
        main #main {
            (overview(comparison, document))
            @if has_changes { (graphs(comparison, has_graphs)) }
            @for section in &sections { (plain::section(section, charts)) }
        }
        footer {
            p.note {
                (Untrusted(&comparison.generator.name)) " "
                (Untrusted(&comparison.generator.version))
                " · comparison schema " (Untrusted(&comparison.comparison_version))
            }
        }
    }
}

/// Everything inside the body of the page of several models.
pub(super) fn table_body(table: &ComparisonTable, document: &Document, charts: &[Both]) -> Markup {
    let names: Vec<Untrusted<'_>> =
        table.models.iter().map(|model| Untrusted(&model.label)).collect();
    let mut sections: Vec<&Section> =
        document.sections.iter().filter(|section| !section.is_empty()).collect();
    // Stable: the chart comes first, everything else stays in order.
    sections.sort_by_key(|section| section.id != PARETO);
    html! {
        a.skip href="#main" { "Skip to the content" }
        header.top {
            h1.file.both-files { (joined(&names, ", ")) }
            nav aria-label="Parts of the page" {
                a href="#overview" { "Overview" }
                @for section in &sections {
                    a href={ "#" (section.id) } {
                        (section.title) @if !section.note.is_empty() { " " (section.note) }
                    }
                }
            }
        }
        main #main {
            (table_overview(table))
            @for section in &sections { (plain::section(section, charts)) }
        }
        footer {
            p.note {
                (Untrusted(&table.generator.name)) " " (Untrusted(&table.generator.version))
                " · comparison schema " (Untrusted(&table.comparison_version))
            }
        }
    }
}

/// How many models there are, which are the best trade-offs, and what each is.
fn table_overview(table: &ComparisonTable) -> Markup {
    let points = table.pareto.as_ref().map_or(&[][..], |chart| &chart.points);
    let is_best = |at: usize| points.iter().any(|point| point.model == at && point.best);
    let failed = table.comparisons.iter().flat_map(|it| &it.gates).filter(|it| !it.passed).count();
    html! {
        section #overview aria-label="Overview" {
            p.verdict { (units::counted(table.models.len() as u64, "model", "models")) " compared" }
            @if failed > 0 { p.badges { span.pill.error { (gates(failed)) " failed" } } }
            dl.models {
                @for (at, model) in table.models.iter().enumerate() {
                    div {
                        dt {
                            (Untrusted(&model.label))
                            @if at == 0 { " " span.pill { "Baseline" } }
                            @if is_best(at) { " " span.pill.fine { "Best trade-off" } }
                        }
                        dd {
                            (units::counted(model.nodes, "node", "nodes"))
                            " · " (units::bytes(model.bytes))
                            @if !model.title.is_empty() { br; (Untrusted(&model.title)) }
                        }
                    }
                }
            }
        }
    }
}

/// The letter of a model.
fn side(letter: char) -> Markup {
    html! { span.side { (letter) } }
}

/// The answer: verdict, what decides it, and what the models are.
fn overview(comparison: &Comparison, document: &Document) -> Markup {
    let verdict = &comparison.verdict;
    let failed = comparison.gates.iter().filter(|gate| !gate.passed).count();
    let passed = comparison.gates.len() - failed;
    html! {
        section #overview aria-label="Overview" {
            p.badges {
                @match (verdict.identical, verdict.drop_in) {
                    (true, _) => span.pill.fine { "Identical" },
                    (_, true) => span.pill.fine { "Drop-in replacement" },
                    _ => span.pill.error { "Not a drop-in replacement" },
                }
                @if failed > 0 { span.pill.error { (gates(failed)) " failed" } }
                @if passed > 0 { span.pill.fine { (gates(passed)) " passed" } }
            }
            @if !verdict.compatibility.is_empty() {
                p.verdict { (quoted(&verdict.compatibility)) }
            }
            @if !verdict.trade.is_empty() { p.trade { (quoted(&verdict.trade)) } }
            dl.models {
                @for (letter, model) in [('A', &comparison.a), ('B', &comparison.b)] {
                    div {
                        dt { (side(letter)) " " (Untrusted(&model.label)) }
                        dd {
                            (units::counted(model.nodes, "node", "nodes"))
                            " · " (units::bytes(model.bytes))
                            @if !model.title.is_empty() { br; (Untrusted(&model.title)) }
                        }
                    }
                }
            }
            @if let Some(byline) = &document.byline { p.note { (html::sentence(byline)) } }
        }
    }
}

/// A sentence of ours that quotes names between backticks.
fn quoted(words: &str) -> Markup {
    html::inline(&Value::quoted(words))
}

fn gates(count: usize) -> String {
    units::counted(count as u64, "gate", "gates")
}

/// Both graphs and the list of changes. Without a script the list of groups remains.
fn graphs(comparison: &Comparison, has_graphs: bool) -> Markup {
    html! {
        section #compare-graph aria-labelledby="compare-graph-title" {
            h2 #compare-graph-title { "Graph" (totals(comparison)) }
            @if has_graphs {
                noscript {
                    p.note { "The graphs require JavaScript." }
                    @if let Some(section) = nodes(comparison) {
                        (html::page_blocks(&section, &|_| html! {}))
                    }
                }
                (filters())
                div.compare {
                    div.change-list {
                        p #change-count .note role="status" {}
                        div #changes .scroll tabindex="0" role="region" aria-label="Changes" {
                            (listed(comparison))
                        }
                    }
                    (viewer('a', 'A', &comparison.a.label))
                    (viewer('b', 'B', &comparison.b.label))
                }
                p #graph-help .note {
                    span.pointer {
                        "Drag to move, scroll to zoom, double-click to expand. Keys: n and p go to the \
                         next and the previous change, arrows move, Enter expands, Backspace goes back, \
                         / searches."
                    }
                    span.touch {
                        "Drag to move, pinch to zoom, tap a box for its details and to expand it."
                    }
                }
                div #details role="region" aria-label="Selected node in both models" hidden {}
                p #said .unseen role="status" {}
            } @else {
                p.note { "The graphs are not shown: both sides must be model files." }
                (listed(comparison))
            }
            (rewired(comparison))
        }
    }
}

/// The changed nodes for readers without the graphs.
fn nodes(comparison: &Comparison) -> Option<Section> {
    let blocks = crate::comparison::graph::nodes(comparison.graph.as_ref()?);
    Some(Section::new("compare-nodes", "Nodes", blocks))
}

/// How many nodes differ, in a few words.
fn totals(comparison: &Comparison) -> Markup {
    let Some(graph) = &comparison.graph else { return html! {} };
    let parts = counts(graph.added.len(), graph.removed.len(), graph.changed.len());
    html! {
        " " small.totals {
            @for (class, symbol, count) in &parts {
                span class={ "mark " (class) } { (symbol) (count) } " " (class) ", "
            }
            @for (word, count) in [("moved", graph.moved), ("renamed", graph.renamed)] {
                @if count > 0 { (units::integer(count)) " " (word) ", " }
            }
            (units::integer(graph.unchanged)) " unchanged"
        }
    }
}

/// What there is of added, removed and changed nodes: class, symbol, count.
fn counts(added: usize, removed: usize, changed: usize) -> Vec<(&'static str, char, String)> {
    let all = [("added", '+', added), ("removed", '−', removed), ("changed", '~', changed)];
    let present = all.into_iter().filter(|(_, _, count)| *count > 0);
    present.map(|(class, symbol, count)| (class, symbol, units::integer(count as u64))).collect()
}

fn filters() -> Markup {
    html! {
        div.bar role="group" aria-label="Changes to show" {
            input #find type="search" placeholder="Filter by name" aria-label="Filter by name"
                autocomplete="off";
            label.inline { "Change " select #change-kind { option value="" { "all" } } }
            label.inline { "Operator " select #change-op { option value="" { "all" } } }
            button #change-reset type="button" { "Reset" }
            span.group {
                button #previous type="button" title="Previous change (p)" { "‹ Previous" }
                button #next type="button" title="Next change (n)" { "Next ›" }
            }
            label.inline { input #link type="checkbox" checked; "Link both sides" }
            (level_and_zoom())
        }
    }
}

/// The viewer of one graph.
fn viewer(id: char, letter: char, label: &str) -> Markup {
    let hint = "Arrow keys move between boxes, Enter expands or collapses, n and p go to the next and \
                the previous change.";
    html! {
        div.viewer #{ "viewer-" (id) } {
            h3 { (side(letter)) " " (Untrusted(label)) }
            nav #{ "crumbs-" (id) } .crumbs aria-label={ "Path in graph " (letter) } {}
            div.stage {
                canvas #{ "canvas-" (id) } .canvas tabindex="0" role="application"
                    aria-label={ "Graph of " (letter) ". " (hint) }
                    aria-describedby="graph-help" {}
                canvas #{ "minimap-" (id) } .minimap aria-hidden="true" {}
                p #{ "legend-" (id) } .legend {}
            }
        }
    }
}

/// The groups of changes; a script puts its own list in their place.
fn listed(comparison: &Comparison) -> Markup {
    let Some(graph) = &comparison.graph else { return html! {} };
    let rest = graph.groups.len().saturating_sub(MOST_GROUPS);
    html! {
        @if graph.is_empty() { p { "No node differs." } }
        @else { ul.changes {
            @for group in graph.groups.iter().take(MOST_GROUPS) {
                li { (marks(group)) " " (quoted(&group.text)) }
            }
            @if rest > 0 { li.note { (units::integer(rest as u64)) " more groups" } }
        } }
    }
}

/// Outputs of the model that another node computes.
fn rewired(comparison: &Comparison) -> Markup {
    let names = comparison.graph.as_ref().map_or(&[][..], |graph| &graph.rewired_outputs);
    let shown: Vec<Markup> =
        names.iter().take(MOST_OUTPUTS).map(|name| html! { code { (Untrusted(name)) } }).collect();
    let rest = names.len() - shown.len();
    html! {
        @if !shown.is_empty() {
            p {
                "Outputs that another node computes: " (joined(&shown, ", "))
                @if rest > 0 { " and " (units::counted(rest as u64, "other", "others")) }
            }
        }
    }
}

/// How many nodes a group adds, removes and changes.
fn marks(group: &ChangeGroup) -> Markup {
    html! {
        @for (class, symbol, count) in counts(group.added.len(), group.removed.len(), group.changed.len()) {
            span class={ "mark " (class) } { (symbol) (count) } " "
        }
    }
}
