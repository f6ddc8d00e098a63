//! Above the fold: the verdict, the controls, the key figures and the architecture diagram.

use calipers_report::{GraphView, Hardware, Report, Severity};
use maud::{Markup, Render, html};

use super::details::{at_report, conditions};
use super::diagram::diagram;
use crate::page::untrusted::{Untrusted, joined};
use crate::{origin, units};

/// The section.
pub(super) fn overview(report: &Report, view: &GraphView) -> Markup {
    html! {
        section #overview aria-labelledby="verdict" {
            h2.unseen { "Overview" }
            div.hero {
                div {
                    p #verdict .verdict.at-report { (Untrusted(verdict(report))) }
                    // A title may have figures of one choice of sizes; the architecture has none.
                    p #verdict-elsewhere .verdict.elsewhere hidden { (Untrusted(kind(report))) }
                    p.pills { (file_facts(report)) }
                    @if super::super::has_graph(view) {
                        form #state .state aria-label="Device, sizes and precision" {}
                        p #state-note .note role="status" {}
                    }
                    dl.cards { @for card in cards(report) { (card.draw(report)) } }
                    dl.figures { @for figure in figures(report) { (figure.draw(report)) } }
                }
                div.diagram tabindex="0" role="region" aria-label="Architecture diagram" {
                    (diagram(&report.architecture.block_diagram))
                }
            }
            (summary(report, view))
        }
    }
}

fn verdict(report: &Report) -> &str {
    let title = report.summary.as_ref().map_or("", |summary| summary.title.trim());
    if title.is_empty() { kind(report) } else { title }
}

/// The network in one sentence, which holds for every choice.
fn kind(report: &Report) -> &str {
    match report.architecture.words.trim() {
        "" => "The architecture was not recognized.",
        words => words,
    }
}

/// The paragraphs of the summary, and who wrote them where we did not.
fn summary(report: &Report, view: &GraphView) -> Markup {
    let Some(summary) = &report.summary else { return Markup::default() };
    // A line break inside a paragraph means nothing; as untrusted text it would show as an escape.
    let fold = |words: &str| words.split_whitespace().collect::<Vec<_>>().join(" ");
    let paragraphs = summary.text.split("\n\n").map(fold).filter(|words| !words.is_empty());
    let (paragraphs, notes) = (paragraphs.collect::<Vec<_>>(), origin::notes(summary));
    html! {
        @if !paragraphs.is_empty() || !notes.is_empty() {
            details.section {
                summary { "Summary for " (conditions(report, view)) }
                (at_report(&html! {
                    #summary .summary {
                        @for words in &paragraphs { p { (Untrusted(words)) } }
                        @for words in &notes { p.note { (Untrusted(words)) } }
                    }
                }))
            }
        }
    }
}

fn file_facts(report: &Report) -> Markup {
    let model = &report.model;
    let mut facts =
        vec![format!("{}, {}", model.format.display_name(), units::bytes(model.bytes)).render()];
    if let Some(standard) = model.opsets.get("ai.onnx") {
        facts.push(format!("opset {standard}").render());
    }
    facts.extend(model.precision.map(|dtype| dtype.to_string().render()));
    let scheme = report.quantization.scheme;
    if scheme.bits().is_some() {
        facts.push(html! { "quantized: " (Untrusted(&scheme.label())) });
    }
    let producer = format!("{} {}", model.producer.name, model.producer.version);
    if !producer.trim().is_empty() {
        facts.push(html! { "exported by " (Untrusted(producer.trim())) });
    }
    if let Some(digest) = &model.sha256 {
        facts.push(html! { "SHA-256 " code { (Untrusted(digest)) } });
    }
    if let Some(verified) = &report.verified {
        let equal = units::integer(verified.equal);
        let values = units::counted(verified.values, "value", "values");
        facts.push(html! {
            "verified by execution: " (equal) " of " (values) ", " (Untrusted(&verified.runtime))
        });
    }
    html! { span.note { (joined(&facts, " · ")) } }
}

/// A key figure, rounded and exact; `None` where it is unknown.
struct Figure {
    name: &'static str,
    /// How scripts find it, where it follows the controls.
    key: Option<&'static str>,
    short: Option<Markup>,
    exact: Option<Markup>,
}

/// The figures that most readers come for.
fn cards(report: &Report) -> Vec<Figure> {
    let parameters = report.parameters.total;
    let hardware = report.hardware.as_ref();
    let (latency, range) = latency(hardware);
    let memory = hardware.and_then(|hardware| hardware.memory_bytes);
    let stored = report.memory.weights_bytes;
    let macs = report.cost.macs;
    vec![
        Figure { name: "Latency", key: Some("latency"), short: latency, exact: range },
        match memory {
            Some(bytes) => figure("Memory", Some("memory"), Some(units::gigabytes(bytes)), None),
            None => {
                let small = stored.map(|_| "weights".to_owned());
                figure("Memory", Some("memory"), stored.map(units::bytes), small)
            }
        },
        figure("Parameters", None, parameters.map(units::count), parameters.map(units::integer)),
        figure(
            "MACs",
            Some("macs"),
            macs.map(|macs| units::operations(macs, "MACs")),
            macs.map(units::integer),
        ),
        findings(report),
    ]
}

fn latency(hardware: Option<&Hardware>) -> (Option<Markup>, Option<Markup>) {
    let device = hardware.and_then(|hardware| hardware.device.as_ref());
    let Some(device) = device else {
        return (Some(html! { "–" }), Some(html! { "choose a device" }));
    };
    let name = html! { (Untrusted(&device.name)) };
    match hardware.and_then(|hardware| hardware.latency_ms) {
        Some(span) => (Some(html! { (units::time(span.expected)) }), Some(name)),
        None => (Some(html! { "unknown" }), Some(name)),
    }
}

/// Counts of findings, with the worst first.
fn findings(report: &Report) -> Figure {
    let count = |severity: Severity| {
        report.findings.iter().filter(|finding| finding.severity == severity).count() as u64
    };
    let counts = [
        (count(Severity::Error), "error", "errors"),
        (count(Severity::Warning), "warning", "warnings"),
        (count(Severity::Info), "info", "info"),
    ];
    let mut found = counts.into_iter().filter(|(count, ..)| *count > 0);
    let (short, rest) = match found.next() {
        Some((count, one, many)) => {
            let pill = html! {
                a class={ "pill " (one) } href="#findings" { (units::counted(count, one, many)) }
            };
            let rest: Vec<String> =
                found.map(|(count, one, many)| units::counted(count, one, many)).collect();
            (pill, rest.join(", "))
        }
        None => (html! { a.pill.fine href="#findings" { "none" } }, String::new()),
    };
    Figure { name: "Findings", key: None, short: Some(short), exact: Some(html! { (rest) }) }
}

fn figure(
    name: &'static str,
    key: Option<&'static str>,
    short: Option<String>,
    exact: Option<String>,
) -> Figure {
    Figure { name, key, short: short.map(|it| it.render()), exact: exact.map(|it| it.render()) }
}

/// Further figures.
fn figures(report: &Report) -> Vec<Figure> {
    let operations = |name, key, value: Option<u64>, unit: &str| {
        let short = value.map(|value| units::operations(value, unit));
        figure(name, Some(key), short, value.map(units::integer))
    };
    let bytes = |name, key, value: Option<u64>| {
        figure(name, key, value.map(units::bytes), value.map(units::exact_bytes))
    };
    let (cost, memory) = (&report.cost, &report.memory);
    let nodes = units::integer(report.graph.nodes_total);
    let depth = report.graph.depth.map(|depth| format!("depth {}", units::integer(depth)));
    vec![
        operations("FLOPs", "flops", cost.flops(), "FLOPs"),
        operations("Other FLOPs", "other_flops", cost.other_flops, "FLOPs"),
        bytes("Bytes moved", Some("bytes_moved"), cost.bytes_moved),
        bytes("Peak activations", Some("peak"), memory.peak_activation_bytes),
        bytes("Peak, in-place reuse", Some("in_place"), memory.peak_activation_in_place_bytes),
        bytes("Stored tensors", None, memory.weights_bytes),
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
                        small { a href="#card-method" { "why" } }
                    }
                }
            }
        }
    }
}
