//! Cost by part of the network and by node, operators, parameters.

use calipers_report::{GraphView, GroupItem, Report};
use maud::{Markup, Render, html};

use super::charts;
use super::parts::{Bar, SHOWN, bars, fact, link, part, shortened};
use crate::page::untrusted::Untrusted;
use crate::units;

/// Parts of the network that are shown.
const PARTS: usize = 40;
/// Operators whose counts are shown.
const OPERATORS: usize = 40;

/// Where the arithmetic is.
pub(super) fn cost(report: &Report, view: &GraphView) -> Markup {
    let cost = &report.cost;
    let (parts, nodes) = (by_part(view), by_node(report));
    part(
        "cost",
        "Cost",
        &html! {
            @if cost.lower_bound {
                p.note {
                    "The cost of " (units::counted(cost.unknown_count, "node", "nodes"))
                    " is not known, so sums are lower bounds; " (units::percent(cost.coverage))
                    " of the nodes are in them."
                }
            }
            div.charts {
                @if parts.len() > 1 { (bars("MACs by part of the network", &parts, None)) }
                @if !nodes.is_empty() { (bars("Most expensive nodes", &nodes, None)) }
            }
            (charts::show(report, &["depth", "roofline"]))
            @for note in &cost.notes { p.note { (Untrusted(note)) } }
            @if !cost.unknown.is_empty() {
                details {
                    summary { "Nodes of unknown cost" }
                    ul {
                        @for node in &cost.unknown {
                            li {
                                a href=(link("node", &node.node)) { (Untrusted(&node.node)) }
                                " (" (Untrusted(&node.op)) "): " (Untrusted(&node.reason))
                            }
                        }
                    }
                }
            }
        },
    )
}

/// The parts of the main graph that have arithmetic, in order of execution.
fn by_part(view: &GraphView) -> Vec<Bar> {
    let items = view.groups.first().map_or(&[][..], |group| &group.items);
    let parts = items
        .iter()
        .filter_map(|item| {
            let GroupItem::GraphGroup(number) = item else { return None };
            let group = view.groups.get(*number)?;
            let macs = group.macs.filter(|macs| *macs > 0)?;
            Some(Bar {
                name: shortened(&group.name),
                value: macs,
                text: units::operations(macs, "MACs"),
                link: Some(format!("#group={number}")),
            })
        })
        .take(PARTS);
    parts.collect()
}

fn by_node(report: &Report) -> Vec<Bar> {
    let bar = |node: &calipers_report::TopNode| {
        let macs = node.macs?;
        let percent = node.percent.map(units::percent).unwrap_or_default();
        Some(Bar {
            name: shortened(&node.node),
            value: macs,
            text: format!("{} · {percent}", units::operations(macs, "MACs")),
            link: Some(link("node", &node.node)),
        })
    };
    report.cost.top_nodes.iter().filter_map(bar).collect()
}

/// Operators and how often they occur.
pub(super) fn operators(report: &Report) -> Markup {
    let bar = |row: &calipers_report::OperatorCount| Bar {
        name: html! {
            (Untrusted(&row.op))
            @if row.domain != "ai.onnx" { " " small { (Untrusted(&row.domain)) } }
        },
        value: row.count,
        text: format!("{} · {}", units::integer(row.count), units::percent(row.percent)),
        link: None,
    };
    let rows: Vec<Bar> = report.graph.operators_total.iter().take(OPERATORS).map(bar).collect();
    let (first, rest) = rows.split_at(rows.len().min(SHOWN));
    part(
        "operators",
        "Operators",
        &html! {
            div.charts {
                (bars("Nodes by operator", first, None))
                @if !rest.is_empty() {
                    (bars("Rarer ones", rest, first.first().map(|row| row.value)))
                }
            }
        },
    )
}

/// What was learned.
pub(super) fn parameters(report: &Report) -> Markup {
    let parameters = &report.parameters;
    let count = |value: Option<u64>| value.map_or_else(|| "unknown".to_owned(), units::integer);
    let bytes = |value: Option<u64>| value.map_or_else(|| "unknown".to_owned(), units::bytes);
    let by_op = parameters.by_op.iter().take(SHOWN).map(|row| Bar {
        name: Untrusted(&row.op).render(),
        value: row.bytes.unwrap_or(0),
        text: bytes(row.bytes),
        link: None,
    });
    let by_op: Vec<Bar> = by_op.collect();
    part(
        "parameters",
        "Parameters",
        &html! {
            div.charts {
                div {
                    dl.facts {
                        (fact("learned", count(parameters.total)))
                        (fact("trainable", count(parameters.trainable)))
                        (fact("statistics", count(parameters.non_trainable)))
                        (fact("bytes", bytes(parameters.bytes)))
                        (fact("tensors", units::integer(parameters.tensors)))
                        (fact("constants", count(parameters.constants)))
                        (fact("scales, zero points", count(parameters.quantization)))
                        @for (dtype, elements) in &parameters.by_dtype {
                            (fact(dtype.to_string(), units::integer(*elements)))
                        }
                    }
                }
                @if !by_op.is_empty() { (bars("Bytes by operator", &by_op, None)) }
            }
        },
    )
}
