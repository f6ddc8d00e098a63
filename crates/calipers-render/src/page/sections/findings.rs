//! Findings with links to their nodes, and formulas.

use std::collections::HashSet;

use calipers_report::{Finding, GraphView, Report, Severity};
use maud::{Markup, html};

use super::parts::{link, part};
use crate::page::untrusted::Untrusted;
use crate::table::Value;
use crate::{html, text};

/// Names that can be linked to.
struct Targets<'a> {
    nodes: HashSet<&'a str>,
    values: HashSet<&'a str>,
}

/// The findings, the most severe first.
pub(super) fn findings(report: &Report, view: &GraphView) -> Markup {
    let targets = Targets {
        nodes: view.nodes.iter().map(|node| node.name.as_str()).collect(),
        values: view.values.iter().map(|value| value.name.as_str()).collect(),
    };
    part(
        "findings",
        "Findings",
        &html! {
            @if report.findings.is_empty() { p { "No findings." } }
            @for finding in &report.findings { (draw(finding, &targets)) }
        },
    )
}

fn draw(finding: &Finding, targets: &Targets<'_>) -> Markup {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    html! {
        article.finding {
            h3 {
                span class={ "pill " (severity) } { (severity) } " " (Untrusted(&finding.title)) " "
                code.note { (Untrusted(&finding.id)) }
            }
            p { (quoted(&finding.detail)) }
            p.note { (quoted(&finding.recommendation)) }
            @if !finding.nodes.is_empty() {
                ul.places { @for name in &finding.nodes { li { (place(name, targets)) } } }
            }
        }
    }
}

/// A sentence whose quotations between backticks are code.
fn quoted(words: &str) -> Markup {
    html::inline(&Value::Quoted(text::sentence(words)))
}

fn place(name: &str, targets: &Targets<'_>) -> Markup {
    let shown = Untrusted(name);
    html! {
        @if targets.nodes.contains(name) {
            a href=(link("node", name)) { (shown) }
        } @else if targets.values.contains(name) {
            a href=(link("value", name)) { (shown) }
        } @else {
            code { (shown) }
        }
    }
}

/// Costs as formulas of the free dimensions; nothing where none is free.
pub(super) fn formulas(report: &Report) -> Markup {
    let names = [("macs", "MACs"), ("other_flops", "Other FLOPs"), ("bytes_moved", "Bytes moved")];
    let is_free = |formula: &String| !formula.chars().all(|c| c.is_ascii_digit());
    if !report.cost.formula.values().chain(&report.memory.formula).any(is_free) {
        return Markup::default();
    }
    part(
        "formulas",
        "Formulas",
        &html! {
            dl.formulas {
                @for (key, name) in names {
                    @if let Some(formula) = report.cost.formula.get(key) {
                        dt { (name) }
                        dd { code { (Untrusted(formula)) } }
                    }
                }
                @if let Some(formula) = &report.memory.formula {
                    dt { "Live bytes at the peak node" }
                    dd { code { (Untrusted(formula)) } }
                }
            }
        },
    )
}
