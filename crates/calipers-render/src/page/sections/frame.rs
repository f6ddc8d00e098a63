//! The frame of the page: header, elements that scripts fill, footer.

use calipers_report::Report;
use maud::{Markup, html};

use super::parts::part;
use crate::page::untrusted::Untrusted;

/// Identifiers and names of the parts of the page, in the order of the navigation.
const PARTS: &[(&str, &str)] = &[
    ("overview", "Overview"),
    ("findings", "Findings"),
    ("architecture", "Architecture"),
    ("graph", "Graph"),
    ("hardware", "Hardware"),
    ("memory", "Memory"),
    ("cost", "Cost"),
    ("layers", "Layers"),
    ("ports", "Inputs"),
    ("details", "Details"),
];

/// Parts that the script fills from the graph.
const FILLED: &[&str] = &["graph", "layers"];

/// Name and navigation. Without a graph to show there is no script, and nothing that needs one.
pub(super) fn top(report: &Report, whole: bool, has_graph: bool) -> Markup {
    let is_there = |id: &str| has_graph || !FILLED.contains(&id);
    html! {
        a.skip href="#main" { "Skip to the content" }
        header.top {
            h1.file { (Untrusted(&report.model.file)) }
            @if whole {
                nav aria-label="Parts of the page" {
                    @for (id, name) in PARTS.iter().filter(|(id, _)| is_there(id)) {
                        a href={ "#" (id) } { (name) }
                    }
                }
            }
            @if has_graph {
                button #theme .quiet type="button" aria-label="Toggle light and dark" { "◐" }
            }
        }
    }
}

/// The viewer of the graph.
pub(super) fn graph() -> Markup {
    part(
        "graph",
        "Graph",
        &html! {
            noscript { p.note { "The graph requires JavaScript." } }
            #viewer .viewer {
                (graph_controls())
                nav #crumbs .crumbs aria-label="Path in the graph" {}
                div.stage {
                    canvas #canvas .canvas tabindex="0" role="application"
                        aria-label="Graph. Arrow keys move between boxes, Enter expands or collapses, plus and minus zoom, slash searches."
                        aria-describedby="graph-help" {}
                    canvas #minimap .minimap aria-hidden="true" {}
                    p #legend .legend {}
                    div #panel tabindex="-1" role="region" aria-label="Selected box" hidden {}
                }
                p #graph-help .note {
                    span.pointer {
                        "Drag to move, scroll to zoom, double-click to expand. "
                        "Keys: arrows move, Enter expands, Backspace goes back, P shows paths, / searches."
                    }
                    span.touch {
                        "Drag to move, pinch to zoom, tap a box for its details and to expand it."
                    }
                }
                p #said .unseen role="status" {}
            }
        },
    )
}

fn graph_controls() -> Markup {
    html! {
        div.bar role="group" aria-label="Graph" {
            div.find {
                input #find type="search" placeholder="Find a node" aria-label="Find a node"
                    autocomplete="off" role="combobox" aria-expanded="false"
                    aria-controls="found" aria-autocomplete="list";
                ul #found role="listbox" aria-label="Nodes found" hidden {}
            }
            label.inline {
                "Color "
                select #color {
                    option value="class" { "Operator class" }
                    option value="macs" { "MACs" }
                    option value="memory" { "Memory" }
                    option value="precision" { "Type" }
                    option value="block" { "Block" }
                    option value="plain" { "None" }
                }
            }
            label.inline { "Go to " select #jump { option value="" { "part or subgraph" } } }
            (level_and_zoom())
            span.group {
                button #save-svg type="button" { "SVG" }
                button #save-png type="button" { "PNG" }
            }
        }
    }
}

/// The table of layers.
pub(super) fn layers() -> Markup {
    part(
        "layers",
        "Layers",
        &html! {
            noscript { p.note { "The table requires JavaScript." } }
            div.bar role="group" aria-label="Layers to show" {
                input #layer-text type="search" placeholder="Filter by name"
                    aria-label="Filter by name" autocomplete="off";
                label.inline { "Operator " select #layer-op { option value="" { "all" } } }
                label.inline { "Block " select #layer-block { option value="" { "all" } } }
                label.inline {
                    "Share of MACs "
                    select #layer-cost {
                        option value="0" { "any" }
                        option value="0.1" { "≥ 0.1%" }
                        option value="1" { "≥ 1%" }
                        option value="5" { "≥ 5%" }
                    }
                }
                span.group {
                    button #layer-copy type="button" { "Copy" }
                    button #layer-csv type="button" { "CSV" }
                }
                span #layer-count .note role="status" {}
            }
            p.note.sideways { "Swipe the table sideways for more columns." }
            #layer-scroll .scroll.tall tabindex="0" role="region" aria-label="Table of layers" {
                table #layer-table .layers { thead { tr {} } tbody {} }
            }
        },
    )
}

/// The program that wrote the page.
pub(super) fn end(report: &Report) -> Markup {
    html! {
        footer {
            p.note {
                (Untrusted(&report.generator.name)) " " (Untrusted(&report.generator.version))
                " · report schema " (Untrusted(&report.schema_version))
            }
        }
    }
}

/// The buttons that expand, collapse and scale graphs.
pub(crate) fn level_and_zoom() -> Markup {
    html! {
        span.group {
            button #less type="button" title="Collapse one level" { "−\u{200a}level" }
            button #more type="button" title="Expand one level" { "+\u{200a}level" }
        }
        span.group {
            button #fit type="button" title="Fit (0)" { "Fit" }
            button #zoom-out type="button" aria-label="Zoom out" { "−" }
            button #zoom-in type="button" aria-label="Zoom in" { "+" }
        }
    }
}
