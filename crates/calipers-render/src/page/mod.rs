//! The report as one interactive page that opens from disk and makes no request.
//!
//! `sections` writes what can be read without a script. The scripts under `assets/` add the graph, the
//! table of layers, the device table and the controls, from data that `pack` embeds in the page: one
//! state (device, batch, lengths, precision) drives every figure. A policy in the page allows these
//! scripts and this style and nothing else, and no text of the model is ever markup: templates escape
//! it, and `untrusted::Untrusted` makes its hidden characters visible.

mod choices;
pub(crate) mod embed;
pub(crate) mod pack;
pub(crate) mod plain;
mod sections;
pub mod untrusted;

use calipers_report::{Benchmark, Generator, GraphView, Report, Verification};
use embed::Compression;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use pack::{Figure, Graph, List};
pub(crate) use sections::level_and_zoom;
use serde::Serialize;
use serde_json::{Value, json};
use untrusted::Untrusted;

use crate::text::{self, Charset};

pub(crate) const STYLE: &str = include_str!("assets/page.css");

/// The scripts that every page with data needs, in the order in which they need each other.
pub(crate) const BASE_SCRIPTS: &[&str] = &[
    include_str!("assets/dom.js"),
    include_str!("assets/theme.js"),
    include_str!("assets/data.js"),
    include_str!("assets/units.js"),
];

/// The script of long tables.
pub(crate) const ROWS_SCRIPT: &str = include_str!("assets/rows.js");

/// The scripts of a graph that is drawn, which need the base: another page draws its graphs with them
/// too.
pub(crate) const GRAPH_SCRIPTS: &[&str] = &[
    include_str!("assets/model.js"),
    include_str!("assets/layout.js"),
    include_str!("assets/paint.js"),
    include_str!("assets/viewer.js"),
    include_str!("assets/panel.js"),
];

/// The scripts of a report, which need those of a graph.
const SCRIPTS: &[&str] = &[
    include_str!("assets/formula.js"),
    include_str!("assets/liveness.js"),
    ROWS_SCRIPT,
    include_str!("assets/layers.js"),
    include_str!("assets/charts.js"),
    include_str!("assets/times.js"),
    include_str!("assets/sizes.js"),
    include_str!("assets/hardware.js"),
    include_str!("assets/state.js"),
    include_str!("assets/main.js"),
];

/// The contents of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Focus {
    /// Everything.
    Report,
    /// The graph alone.
    Graph,
}

/// Everything about a model as one page. With an empty view it is the report alone, without scripts.
pub fn html(report: &Report, view: &GraphView) -> String {
    page(report, view, Focus::Report)
}

/// The graph alone, as an interactive page.
pub fn graph(report: &Report, view: &GraphView) -> String {
    page(report, view, Focus::Graph)
}

fn page(report: &Report, view: &GraphView, focus: Focus) -> String {
    let (kind, body) = match focus {
        Focus::Report => ("report", sections::report(report, view)),
        Focus::Graph => ("graph", sections::graph_only(report)),
    };
    let has_data = has_graph(view) || focus == Focus::Graph;
    let nodes = view.nodes.len();
    let shell = Shell {
        kind,
        title: &report.model.file,
        generator: &report.generator,
        style: STYLE,
        scripts: &[BASE_SCRIPTS, GRAPH_SCRIPTS, SCRIPTS].concat(),
        data: has_data.then(|| embed::data(&data(report, view), compression(nodes))),
        body,
    };
    shell.html()
}

/// A benchmark as one page, with the chart of measured and predicted times.
pub fn benchmark(measured: &Benchmark) -> String {
    let chart = plain::both(|theme| crate::chart::predicted(measured, theme));
    let charts: Vec<plain::Both> = chart.into_iter().collect();
    plain::page("benchmark", &measured.model, &crate::sections::benchmark(measured), &charts)
}

/// A verification as one page.
pub fn verification(verified: &Verification) -> String {
    plain::page("verification", &verified.model, &crate::sections::verification(verified), &[])
}

/// A page around its body: one file, and a policy that allows its own style and script alone.
pub(crate) struct Shell<'a> {
    /// The kind of page, which styles go by.
    pub kind: &'static str,
    /// The title, which may come out of a model.
    pub title: &'a str,
    /// The program that wrote the page.
    pub generator: &'a Generator,
    /// The style.
    pub style: &'a str,
    /// The scripts, in the order in which they need each other.
    pub scripts: &'a [&'a str],
    /// The data that the scripts read; without data the page has no script.
    pub data: Option<Markup>,
    /// The contents.
    pub body: Markup,
}

impl Shell<'_> {
    /// The whole page.
    pub(crate) fn html(self) -> String {
        let scripts = compact(&self.scripts.join("\n"));
        let script = format!("\"use strict\";\n(() => {{\n{scripts}}})();\n");
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; img-src data: blob:; base-uri 'none'; \
             form-action 'none'",
            embed::digest(&script),
            embed::digest(self.style)
        );
        let (name, version) = (&self.generator.name, &self.generator.version);
        let page = html! {
            (DOCTYPE)
            html lang="en" data-page=(self.kind) {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="generator" content={ (Untrusted(name)) " " (Untrusted(version)) };
                    title { (Untrusted(self.title)) }
                    // Our own asset; the policy holds the digest of exactly this text.
                    style { (PreEscaped(self.style)) }
                }
                body {
                    (self.body)
                    @if let Some(data) = self.data {
                        (data)
                        // As above.
                        script { (PreEscaped(script)) }
                    }
                }
            }
        };
        page.into_string() + "\n"
    }
}

/// A script without comments on lines of their own and without indentation: a third of its bytes.
fn compact(script: &str) -> String {
    let mut short = String::with_capacity(script.len());
    let mut in_comment = false;
    for line in script.lines().map(str::trim) {
        if in_comment {
            in_comment = !line.ends_with("*/");
            continue;
        }
        let is_block = line.starts_with("/**");
        if line.is_empty() || line.starts_with("//") || is_block && line.ends_with("*/") {
            continue;
        }
        if is_block && !line.contains("*/") {
            in_comment = true;
            continue;
        }
        short.push_str(line);
        short.push('\n');
    }
    short
}

/// Whether there is a graph to show: a view always has a main group.
fn has_graph(view: &GraphView) -> bool {
    !view.groups.is_empty()
}

/// Nodes beyond which a page is compressed fast: it takes seconds to draw anyway.
const MANY_NODES: usize = 20_000;

/// How well the data of graphs with this number of nodes are compressed.
pub(crate) fn compression(nodes: usize) -> Compression {
    match nodes {
        MANY_NODES.. => Compression::fast(),
        _ => Compression::new(8),
    }
}

/// The data that the scripts read.
fn data<'a>(report: &'a Report, view: &'a GraphView) -> impl Serialize {
    let cost = &report.cost;
    let timeline = || report.memory.timeline.iter().map(|bytes| Figure(Some(*bytes)));
    Data {
        file: text::name(&report.model.file, Charset::Unicode),
        graph: Graph { weights: report.weights.as_ref(), view },
        sizes: choices::sizes(report, view),
        main: report.graph.nodes,
        cost: json!({
            "macs": Figure(cost.macs), "other_flops": Figure(cost.other_flops),
            "bytes_moved": Figure(cost.bytes_moved), "formula": cost.formula,
            "lower_bound": cost.lower_bound,
        }),
        stored: Figure(report.memory.weights_bytes),
        peak: Figure(report.memory.peak_activation_bytes),
        in_place: Figure(report.memory.peak_activation_in_place_bytes),
        timeline: List(timeline),
    }
}

/// See [`data`].
#[derive(Serialize)]
struct Data<'a, T> {
    file: String,
    graph: Graph<'a>,
    sizes: choices::Sizes<'a>,
    main: u64,
    cost: Value,
    stored: Figure,
    peak: Figure,
    in_place: Figure,
    timeline: T,
}

#[cfg(test)]
mod tests {
    use super::compact;

    #[test]
    fn a_compact_script_keeps_its_code() {
        let script = "// A comment.\n\n/**\n * @type {x}\n */\nlet a = `// b`; // c\n  /** d */\n  \
                      /** @type {y} */ (z);\n";
        assert_eq!(compact(script), "let a = `// b`; // c\n/** @type {y} */ (z);\n");
    }
}
