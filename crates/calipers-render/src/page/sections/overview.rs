//! The verdict, the key figures and the sizes to choose.

use calipers_report::{Binding, GraphView, Report, Severity};

use crate::page::html::escape;
use crate::{origin, units};

/// The summary: what the model is in one line, with the worst of what was found, then the rest.
pub(super) fn verdict(report: &Report) -> String {
    let count = |severity: Severity| {
        report.risks.iter().filter(|risk| risk.severity == severity).count() as u64
    };
    let mut pills = String::new();
    for (severity, class, one, many) in [
        (Severity::Error, "error", "error", "errors"),
        (Severity::Warning, "warning", "warning", "warnings"),
    ] {
        let found = count(severity);
        if found > 0 {
            pills.push_str(&format!(
                "<a class=\"pill {class}\" href=\"#findings\">{}</a> ",
                units::counted(found, one, many)
            ));
        }
    }
    if pills.is_empty() {
        pills.push_str("<a class=\"pill fine\" href=\"#findings\">no errors or warnings</a>");
    }
    let title = report.summary.as_ref().map_or("", |summary| summary.title.trim());
    let words = match (title, report.architecture.words.as_str()) {
        ("", "") => "What kind of network this is cannot be told.",
        ("", words) => words,
        (title, _) => title,
    };
    format!(
        "<section id=\"overview\" aria-labelledby=\"verdict\"><h2 class=\"unseen\">Overview</h2>\
         <p class=\"verdict\" id=\"verdict\">{}</p><p class=\"pills\">{pills}{}</p>\n{}",
        escape(words),
        file_facts(report),
        summary(report)
    )
}

/// The paragraphs of the summary, and who wrote them where that was not us.
fn summary(report: &Report) -> String {
    let Some(summary) = &report.summary else { return String::new() };
    // A line break inside a paragraph means nothing; `escape` would show it.
    let fold = |words: &str| words.split_whitespace().collect::<Vec<_>>().join(" ");
    let paragraphs = summary.text.split("\n\n").map(fold).filter(|words| !words.is_empty());
    let mut html: String = paragraphs.map(|words| format!("<p>{}</p>", escape(&words))).collect();
    for words in origin::of(summary) {
        html.push_str(&format!("<p class=\"note\">{}</p>", escape(&words)));
    }
    match html.as_str() {
        "" => html,
        _ => format!("<div class=\"summary\" id=\"summary\">{html}</div>\n"),
    }
}

fn file_facts(report: &Report) -> String {
    let model = &report.model;
    let mut facts = vec![format!("ONNX, {}", units::bytes(model.bytes))];
    if let Some(standard) = model.opsets.get("ai.onnx") {
        facts.push(format!("opset {standard}"));
    }
    facts.extend(model.precision.as_deref().map(escape));
    let producer = format!("{} {}", model.producer.name, model.producer.version);
    if !producer.trim().is_empty() {
        facts.push(format!("by {}", escape(producer.trim())));
    }
    if let Some(digest) = &model.sha256 {
        facts.push(format!("SHA-256 <code>{}</code>", escape(digest)));
    }
    format!("<span class=\"note\">{}</span>", facts.join(" · "))
}

/// The figures that most readers come for. Those with a name follow the sizes that are chosen.
pub(super) fn figures(report: &Report) -> String {
    let mut html = String::from("<dl class=\"figures\">");
    let mut tell = |name: &str, key: &str, short: Option<String>, exact: Option<String>| {
        // What a sum lacks is only ever the cost of a node: weights and activations are whole.
        let summed = ["macs", "flops", "other_flops", "bytes_moved"].contains(&key);
        let bound = if summed && report.cost.lower_bound { "at least " } else { "" };
        let (short, exact) = match short {
            Some(short) => (format!("{bound}{short}"), exact.unwrap_or_default()),
            None => ("unknown".to_owned(), "<a href=\"#assumptions\">why</a>".to_owned()),
        };
        let data = if key.is_empty() { String::new() } else { format!(" data-figure=\"{key}\"") };
        html.push_str(&format!(
            "<div><dt>{name}</dt><dd{data}><strong>{short}</strong><small>{exact}</small></dd></div>"
        ));
    };
    let parameters = report.parameters.total;
    tell("Parameters", "", parameters.map(units::count), parameters.map(units::integer));
    let stored = report.memory.weights_bytes;
    tell("Stored tensors", "", stored.map(units::bytes), stored.map(units::exact_bytes));
    let cost = &report.cost;
    let operations = |value: Option<u64>, unit: &str| value.map(|it| units::operations(it, unit));
    tell("MACs", "macs", operations(cost.macs, "MACs"), cost.macs.map(units::integer));
    tell("FLOPs", "flops", operations(cost.flops, "FLOPs"), cost.flops.map(units::integer));
    let other = cost.other_flops;
    tell("Other FLOPs", "other_flops", operations(other, "FLOPs"), other.map(units::integer));
    let moved = cost.bytes_moved;
    tell("Bytes moved", "bytes_moved", moved.map(units::bytes), moved.map(units::exact_bytes));
    let peak = report.memory.peak_activation_bytes;
    tell("Peak activations", "peak", peak.map(units::bytes), peak.map(units::exact_bytes));
    let reused = report.memory.peak_activation_in_place_bytes;
    tell("… reused in place", "in_place", reused.map(units::bytes), reused.map(units::exact_bytes));
    let nodes = report.graph.nodes_total;
    let depth = report.graph.depth.map(|depth| format!("depth {}", units::integer(depth)));
    tell_plain(&mut html, "Nodes", &units::integer(nodes), depth.as_deref().unwrap_or(""));
    html.push_str("</dl>\n");
    html
}

fn tell_plain(html: &mut String, name: &str, short: &str, exact: &str) {
    html.push_str(&format!(
        "<div><dt>{name}</dt><dd><strong>{short}</strong><small>{exact}</small></dd></div>"
    ));
}

/// Sizes that can be chosen; the script fills them in.
pub(super) fn sizes(report: &Report, view: &GraphView) -> String {
    let bound: Vec<String> = report
        .bindings
        .iter()
        .filter_map(|(name, binding)| match binding {
            Binding::Size(size) => Some(format!("{} = {size}", escape(name))),
            Binding::Free(_) => None,
        })
        .collect();
    let mut html = String::new();
    if !bound.is_empty() {
        html.push_str(&format!("<p class=\"note\">Bound: {}.</p>", bound.join(", ")));
    }
    if view.sizes.knobs.iter().any(|knob| !knob.fixed) {
        html.push_str(
            "<form class=\"sizes\" id=\"sizes\" aria-label=\"Sizes of the inputs\"></form>\
             <p class=\"note\" id=\"sizes-note\" role=\"status\"></p>",
        );
    }
    html.push_str(&about_file(report));
    html.push_str("</section>\n");
    html
}

/// Entries of the author's metadata that are shown.
const METADATA: usize = 40;

/// What the file says of itself, folded.
fn about_file(report: &Report) -> String {
    let model = &report.model;
    let mut rows: Vec<(String, String)> = Vec::new();
    rows.extend(model.ir_version.map(|version| ("IR version".to_owned(), version.to_string())));
    let opsets = model.opsets.iter().map(|(domain, version)| format!("{domain} {version}"));
    rows.push(("operator sets".to_owned(), opsets.collect::<Vec<_>>().join(", ")));
    rows.extend(model.model_version.map(|it| ("model version".to_owned(), it.to_string())));
    rows.push(("namespace".to_owned(), model.domain.clone()));
    rows.push(("description".to_owned(), model.doc.clone()));
    for file in &model.data_files {
        let size = file.bytes.map_or_else(|| file.reason.clone(), units::bytes);
        rows.push(("data file".to_owned(), format!("{} {size}", file.location)));
    }
    let metadata = model.metadata.iter().take(METADATA);
    rows.extend(metadata.map(|(key, value)| (key.clone(), value.clone())));
    let rows = rows.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value))
    });
    let rows: String = rows.collect();
    format!("<details><summary>About the file</summary><dl class=\"facts\">{rows}</dl></details>")
}
