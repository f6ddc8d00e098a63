//! Findings with links to their nodes, formulas, and what the figures rest on.

use std::collections::HashSet;

use calipers_report::{Finding, GraphView, Report, Severity};
use maud::{Markup, html};

use super::parts::{folding, link, part};
use crate::page::untrusted::Untrusted;
use crate::{tables, text};

/// Names that can be linked to.
struct Targets<'a> {
    nodes: HashSet<&'a str>,
    values: HashSet<&'a str>,
}

/// What is risky about the model.
pub(super) fn findings(report: &Report, view: &GraphView) -> Markup {
    let targets = Targets {
        nodes: view.nodes.iter().map(|node| node.name.as_str()).collect(),
        values: view.values.iter().map(|value| value.name.as_str()).collect(),
    };
    part(
        "findings",
        "Findings",
        &html! {
            @if report.findings.is_empty() { p { "Nothing was found." } }
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
            p { (Untrusted(&finding.detail)) }
            p.note { (Untrusted(&text::sentence(&finding.recommendation))) }
            @if !finding.nodes.is_empty() {
                ul.places { @for name in &finding.nodes { li { (place(name, targets)) } } }
            }
        }
    }
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

/// Costs in the free dimensions.
pub(super) fn formulas(report: &Report) -> Markup {
    let names = [("macs", "MACs"), ("other_flops", "Other FLOPs"), ("bytes_moved", "Bytes moved")];
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
                    dt { "Bytes of activations where the peak is at the sizes above" }
                    dd { code { (Untrusted(formula)) } }
                }
            }
        },
    )
}

/// What the figures rest on, and what is not known.
pub(super) fn assumptions(report: &Report) -> Markup {
    part(
        "assumptions",
        "Assumptions",
        &html! {
            @if report.assumptions.is_empty() {
                p { "Nothing had to be assumed." }
            } @else {
                (folding("assumed", "Assumed", tables::assumptions(&report.assumptions)))
            }
            @if !report.unknown.is_empty() {
                (folding("unknown", "Not known", tables::unknown(&report.unknown)))
            }
        },
    )
}
