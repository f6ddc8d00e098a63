//! Inputs, outputs, nodes and operators.

use calipers_report::units;
use calipers_report::{Port, Report};

use super::super::names;
use super::super::wording::listed;
use super::{Fact, Role, counted};

/// Ports that are listed one by one.
const MAX_PORTS: usize = 4;
/// Operators that are counted.
const MAX_OPERATORS: usize = 5;

/// Inputs and outputs, with their names where these are plain.
pub(super) fn ports(report: &Report) -> Vec<Fact> {
    let graph = &report.graph;
    [
        (Role::Input, &graph.inputs, "input", "inputs"),
        (Role::Output, &graph.outputs, "output", "outputs"),
    ]
    .into_iter()
    .filter_map(|(role, ports, one, many)| {
        let count = counted(Some(ports.len() as u64), one, many)?;
        let described = |port: fn(&Port) -> String| {
            let ports: Vec<String> = ports.iter().map(port).collect();
            format!("{count} ({})", listed(&ports))
        };
        Some(match ports.len() {
            0..=MAX_PORTS => Fact::new(role, described(named)).listed_as(described(kind_text)),
            _ => Fact::new(role, count),
        })
    })
    .collect()
}

/// The type of a port: `float32`, or `sequence`.
fn kind_text(port: &Port) -> String {
    match port.dtype {
        Some(dtype) => dtype.to_string(),
        None => "unknown type".to_owned(),
    }
}

/// The name and the type of a port; the type alone where the name may be more than a name.
fn named(port: &Port) -> String {
    match names::plain(&port.name) {
        Some(name) => format!("\"{name}\": {}", kind_text(port)),
        None => kind_text(port),
    }
}

/// Counts of nodes and operators.
pub(super) fn counts(report: &Report) -> Vec<Fact> {
    let graph = &report.graph;
    let mut texts = Vec::new();
    texts.extend(counted(Some(graph.nodes), "node", "nodes"));
    if graph.nodes_total != graph.nodes {
        let total = counted(Some(graph.nodes_total), "node", "nodes");
        texts.extend(total.map(|nodes| format!("{nodes} including subgraphs and functions")));
    }
    for row in graph.operators.iter().take(MAX_OPERATORS) {
        if let Some(op) = names::operator(&row.op) {
            let nodes = counted(Some(row.count), &format!("{op} node"), &format!("{op} nodes"));
            let share = units::percent(row.percent);
            texts.extend(nodes.map(|nodes| format!("{nodes} ({share} of all nodes)")));
        }
    }
    texts.extend(
        counted(graph.depth, "node", "nodes").map(|nodes| format!("a longest path of {nodes}")),
    );
    texts.extend(counted(Some(graph.initializers), "initializer", "initializers"));
    texts.extend(counted(Some(graph.functions), "local function", "local functions"));
    for (domain, version) in &report.model.opsets {
        if calipers_ops::is_known_domain(domain) {
            texts.push(format!("opset {version} of {domain}"));
        }
    }
    texts.into_iter().map(|text| Fact::new(Role::Property, text).detail()).collect()
}
