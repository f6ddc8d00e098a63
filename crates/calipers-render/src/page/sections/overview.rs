//! The verdict, the key figures and the sizes to choose.

use calipers_report::{Binding, GraphView, Report, Severity};
use maud::{Markup, Render, html};

use super::parts::fact;
use crate::page::untrusted::{Untrusted, joined};
use crate::{origin, units};

/// The summary: what the model is in one line, with the worst findings, then the rest.
pub(super) fn overview(report: &Report, view: &GraphView) -> Markup {
    html! {
        section #overview aria-labeledby="verdict" {
            h2.unseen { "Overview" }
            p #verdict .verdict { (Untrusted(verdict(report))) }
            p.pills { (pills(report)) (file_facts(report)) }
            (summary(report))
            dl.figures { @for figure in figures(report) { (figure.draw(report)) } }
            (sizes(report, view))
            (about_file(report))
        }
    }
}

fn verdict(report: &Report) -> &str {
    let title = report.summary.as_ref().map_or("", |summary| summary.title.trim());
    match (title, report.architecture.words.as_str()) {
        ("", "") => "What kind of network this is cannot be determined.",
        ("", words) => words,
        (title, _) => title,
    }
}

/// How many errors and warnings were found.
fn pills(report: &Report) -> Markup {
    let count = |severity: Severity| {
        report.findings.iter().filter(|risk| risk.severity == severity).count() as u64
    };
    let found = [
        (count(Severity::Error), "error", "errors"),
        (count(Severity::Warning), "warning", "warnings"),
    ];
    html! {
        @for (count, one, many) in found.into_iter().filter(|(count, ..)| *count > 0) {
            a class={ "pill " (one) } href="#findings" { (units::counted(count, one, many)) } " "
        }
        @if found.iter().all(|(count, ..)| *count == 0) {
            a.pill.fine href="#findings" { "no errors or warnings" }
        }
    }
}

/// The paragraphs of the summary, and who wrote them where we did not.
fn summary(report: &Report) -> Markup {
    let Some(summary) = &report.summary else { return Markup::default() };
    // A line break inside a paragraph means nothing; as untrusted text it would show as an escape.
    let fold = |words: &str| words.split_whitespace().collect::<Vec<_>>().join(" ");
    let paragraphs = summary.text.split("\n\n").map(fold).filter(|words| !words.is_empty());
    let (paragraphs, notes) = (paragraphs.collect::<Vec<_>>(), origin::notes(summary));
    html! {
        @if !paragraphs.is_empty() || !notes.is_empty() {
            #summary .summary {
                @for words in &paragraphs { p { (Untrusted(words)) } }
                @for words in &notes { p.note { (Untrusted(words)) } }
            }
        }
    }
}

fn file_facts(report: &Report) -> Markup {
    let model = &report.model;
    let mut facts = vec![format!("ONNX, {}", units::bytes(model.bytes)).render()];
    if let Some(standard) = model.opsets.get("ai.onnx") {
        facts.push(format!("opset {standard}").render());
    }
    facts.extend(model.precision.map(|dtype| dtype.to_string().render()));
    let producer = format!("{} {}", model.producer.name, model.producer.version);
    if !producer.trim().is_empty() {
        facts.push(html! { "by " (Untrusted(producer.trim())) });
    }
    if let Some(digest) = &model.sha256 {
        facts.push(html! { "SHA-256 " code { (Untrusted(digest)) } });
    }
    html! { span.note { (joined(&facts, " · ")) } }
}

/// A key figure, rounded and exact; `None` where it is not known.
struct Figure {
    name: &'static str,
    /// How scripts find it, where it follows the sizes that are chosen.
    key: Option<&'static str>,
    short: Option<String>,
    exact: Option<String>,
}

/// The figures that most readers come for.
fn figures(report: &Report) -> Vec<Figure> {
    let figure = |name, key, short, exact| Figure { name, key, short, exact };
    let operations = |name, key, value: Option<u64>, unit: &str| {
        let short = value.map(|value| units::operations(value, unit));
        figure(name, Some(key), short, value.map(units::integer))
    };
    let bytes = |name, key, value: Option<u64>| {
        figure(name, key, value.map(units::bytes), value.map(units::exact_bytes))
    };
    let (cost, memory) = (&report.cost, &report.memory);
    let parameters = report.parameters.total;
    let nodes = units::integer(report.graph.nodes_total);
    let depth = report.graph.depth.map(|depth| format!("depth {}", units::integer(depth)));
    vec![
        figure("Parameters", None, parameters.map(units::count), parameters.map(units::integer)),
        bytes("Stored tensors", None, memory.weights_bytes),
        operations("MACs", "macs", cost.macs, "MACs"),
        operations("FLOPs", "flops", cost.flops(), "FLOPs"),
        operations("Other FLOPs", "other_flops", cost.other_flops, "FLOPs"),
        bytes("Bytes moved", Some("bytes_moved"), cost.bytes_moved),
        bytes("Peak activations", Some("peak"), memory.peak_activation_bytes),
        bytes("… reused in place", Some("in_place"), memory.peak_activation_in_place_bytes),
        figure("Nodes", None, Some(nodes), depth),
    ]
}

impl Figure {
    fn draw(&self, report: &Report) -> Markup {
        // Only costs of nodes can be missing from a sum: weights and activations are complete.
        let is_sum = matches!(self.key, Some("macs" | "flops" | "other_flops" | "bytes_moved"));
        html! {
            div {
                dt { (self.name) }
                dd data-figure=[self.key] {
                    @if let Some(short) = &self.short {
                        strong { @if is_sum && report.cost.lower_bound { "at least " } (short) }
                        small { @if let Some(exact) = &self.exact { (exact) } }
                    } @else {
                        strong { "unknown" }
                        small { a href="#assumptions" { "why" } }
                    }
                }
            }
        }
    }
}

/// Sizes that can be chosen; the script fills them in.
fn sizes(report: &Report, view: &GraphView) -> Markup {
    let bound = report.bindings.iter().filter_map(|(name, binding)| match binding {
        Binding::Size(size) => Some(html! { (Untrusted(name)) " = " (size) }),
        Binding::Free(_) => None,
    });
    let bound: Vec<Markup> = bound.collect();
    html! {
        @if !bound.is_empty() {
            p.note { "Bound: " (joined(&bound, ", ")) "." }
        }
        @if view.sizes.size_controls.iter().any(|size_control| !size_control.fixed) {
            form #sizes .sizes aria-label="Sizes of the inputs" {}
            p #sizes-note .note role="status" {}
        }
    }
}

/// Entries of the author's metadata that are shown.
const METADATA: usize = 40;

/// What the file says about itself, folded.
fn about_file(report: &Report) -> Markup {
    let model = &report.model;
    let mut rows: Vec<(&str, String)> = Vec::new();
    rows.extend(model.ir_version.map(|version| ("IR version", version.to_string())));
    let opsets = model.opsets.iter().map(|(domain, version)| format!("{domain} {version}"));
    rows.push(("operator sets", opsets.collect::<Vec<_>>().join(", ")));
    rows.extend(model.model_version.map(|version| ("model version", version.to_string())));
    rows.push(("namespace", model.domain.clone()));
    rows.push(("description", model.doc.clone()));
    for file in &model.data_files {
        let size = file.bytes.map_or_else(|| file.reason.clone(), units::bytes);
        rows.push(("data file", format!("{} {size}", file.location)));
    }
    let metadata = model.metadata.iter().take(METADATA);
    rows.extend(metadata.map(|(key, value)| (key.as_str(), value.clone())));
    html! {
        details {
            summary { "About the file" }
            dl.facts {
                @for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
                    (fact(Untrusted(name), Untrusted(value)))
                }
            }
        }
    }
}
