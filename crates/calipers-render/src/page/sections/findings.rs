//! Findings with links to their nodes, formulas, and what the figures rest on.

use std::collections::HashSet;
use std::fmt::Write as _;

use calipers_report::{GraphView, Report, Severity};

use super::tables::link;
use crate::page::html::escape;
use crate::text;

/// What is risky about the model.
pub(super) fn findings(report: &Report, view: &GraphView) -> String {
    let mut html = String::from(
        "<section id=\"findings\" aria-labelledby=\"findings-title\"><h2 id=\"findings-title\">Findings</h2>",
    );
    if report.risks.is_empty() {
        html.push_str("<p>Nothing was found.</p>");
    }
    let nodes: HashSet<&str> = view.nodes.iter().map(|node| node.name.as_str()).collect();
    let values: HashSet<&str> = view.values.iter().map(|value| value.name.as_str()).collect();
    for risk in &report.risks {
        let word = match risk.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        _ = write!(
            html,
            "<article class=\"finding\"><h3><span class=\"pill {word}\">{word}</span> {} <code class=\"note\">{}</code></h3>\
             <p>{}</p><p class=\"note\">{}</p>",
            escape(&risk.title),
            escape(&risk.id),
            escape(&risk.detail),
            escape(&text::sentence(&risk.recommendation))
        );
        if !risk.nodes.is_empty() {
            html.push_str("<ul class=\"places\">");
            for name in &risk.nodes {
                let shown = escape(name);
                let item = match name.as_str() {
                    node if nodes.contains(node) => {
                        format!("<a href=\"{}\">{shown}</a>", link("node", node))
                    }
                    value if values.contains(value) => {
                        format!("<a href=\"{}\">{shown}</a>", link("value", value))
                    }
                    _ => format!("<code>{shown}</code>"),
                };
                _ = write!(html, "<li>{item}</li>");
            }
            html.push_str("</ul>");
        }
        html.push_str("</article>");
    }
    html.push_str("</section>\n");
    html
}

/// Costs in the free dimensions.
pub(super) fn formulas(report: &Report) -> String {
    let mut html = String::from(
        "<section id=\"formulas\" aria-labelledby=\"formulas-title\"><h2 id=\"formulas-title\">Formulas</h2><dl class=\"formulas\">",
    );
    let names = [("macs", "MACs"), ("other_flops", "Other FLOPs"), ("bytes_moved", "Bytes moved")];
    for (key, name) in names {
        if let Some(formula) = report.cost.formula.get(key) {
            _ = write!(html, "<dt>{name}</dt><dd><code>{}</code></dd>", escape(formula));
        }
    }
    if let Some(formula) = &report.memory.formula {
        _ = write!(
            html,
            "<dt>Bytes of activations where the peak is at the sizes above</dt><dd><code>{}</code></dd>",
            escape(formula)
        );
    }
    html.push_str("</dl></section>\n");
    html
}

/// What the figures rest on, and what is not known.
pub(super) fn assumptions(report: &Report) -> String {
    let mut html = String::from(
        "<section id=\"assumptions\" aria-labelledby=\"assumptions-title\"><h2 id=\"assumptions-title\">Assumptions</h2>",
    );
    if report.assumptions.is_empty() {
        html.push_str("<p>Nothing had to be assumed.</p>");
    } else {
        html.push_str("<ul>");
        for it in &report.assumptions {
            _ = write!(
                html,
                "<li>{} = <strong>{}</strong>: {}</li>",
                escape(&it.what),
                escape(&it.value),
                escape(&it.why)
            );
        }
        html.push_str("</ul>");
    }
    if !report.unknown.is_empty() {
        html.push_str("<h3>Not known</h3><ul>");
        for it in &report.unknown {
            _ = write!(html, "<li><code>{}</code>: {}</li>", escape(&it.what), escape(&it.reason));
        }
        html.push_str("</ul>");
    }
    html.push_str("</section>\n");
    html
}
