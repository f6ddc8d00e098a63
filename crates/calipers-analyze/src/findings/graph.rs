//! Checks of the graph's structure.

use calipers_ir::{Issue, Model};
use calipers_report::{Finding, Severity};

use super::{counted, finding};

/// Nodes that wait for each other: the model cannot run.
pub(super) fn cycle(model: &Model) -> Option<Finding> {
    let nodes: Vec<_> = model
        .issues
        .iter()
        .filter_map(|issue| match issue {
            Issue::Cycle { graph } => Some(model.graph(*graph).cyclic.iter()),
            _ => None,
        })
        .flatten()
        .collect();
    (!nodes.is_empty()).then(|| {
        finding(
            "graph-cycle",
            Severity::Error,
            "Nodes wait for each other",
            format!(
                "{} can never run: each needs what another gives",
                counted(nodes.len(), "node")
            ),
            nodes.iter().map(|node| model.node_label(**node)),
            "export the model again; no runtime can order these nodes",
        )
    })
}

/// Names that a node reads and nothing defines.
pub(super) fn undefined_inputs(model: &Model) -> Option<Finding> {
    let inputs: Vec<_> = model
        .issues
        .iter()
        .filter_map(|issue| match issue {
            Issue::UndefinedInput { node, value } => Some((*node, *value)),
            _ => None,
        })
        .collect();
    let (node, value) = *inputs.first()?;
    let first = model.name(model.value(value).name);
    Some(finding(
        "undefined-input",
        Severity::Error,
        "A node reads what nothing defines",
        format!(
            "{} that no node, input or initialiser defines, first {first:?} in {:?}",
            counted(inputs.len(), "name"),
            model.node_label(node)
        ),
        inputs.iter().map(|(node, _)| model.node_label(*node)),
        "export the model again, or define these names",
    ))
}

/// Names that a graph gives out and nothing defines.
pub(super) fn undefined_outputs(model: &Model) -> Option<Finding> {
    let names: Vec<_> = model
        .issues
        .iter()
        .filter_map(|issue| match issue {
            Issue::UndefinedOutput { value, .. } => Some(model.name(model.value(*value).name)),
            _ => None,
        })
        .collect();
    (!names.is_empty()).then(|| {
        finding(
            "undefined-output",
            Severity::Error,
            "An output is defined by nothing",
            format!("{} without a node behind it", counted(names.len(), "output")),
            names.iter().map(|name| (*name).to_owned()),
            "export the model again, or take the output away",
        )
    })
}

/// Names that are defined twice in one graph.
pub(super) fn duplicate_definitions(model: &Model) -> Option<Finding> {
    let names: Vec<_> = model
        .issues
        .iter()
        .filter_map(|issue| match issue {
            Issue::DuplicateDefinition { value, .. } => Some(model.name(model.value(*value).name)),
            _ => None,
        })
        .collect();
    (!names.is_empty()).then(|| {
        finding(
            "duplicate-name",
            Severity::Error,
            "A name is defined twice",
            format!(
                "{} that an earlier one has already named; the report counts the first",
                counted(names.len(), "definition")
            ),
            names.iter().map(|name| (*name).to_owned()),
            "give every value of a graph a name of its own",
        )
    })
}

/// Nodes stored in an order in which they cannot run.
pub(super) fn out_of_order(model: &Model) -> Option<Finding> {
    let graphs: Vec<_> = model
        .issues
        .iter()
        .filter_map(|issue| match issue {
            Issue::OutOfOrder { graph } => Some(model.name(model.graph(*graph).name).to_owned()),
            _ => None,
        })
        .collect();
    (!graphs.is_empty()).then(|| {
        finding(
            "nodes-out-of-order",
            Severity::Warning,
            "Nodes are stored out of order",
            format!(
                "{} with nodes before what they need; the report sorts them, and the standard \
                 asks for it in the file",
                counted(graphs.len(), "graph")
            ),
            graphs,
            "sort the nodes before giving the file to a runtime: some refuse it",
        )
    })
}

/// Nodes of the main graph that share a name.
pub(super) fn duplicate_node_names(model: &Model) -> Option<Finding> {
    // Names are numbered, so counting is an array; most models pass here in a moment.
    let mut counts = vec![0_usize; model.names.len()];
    let mut shared = Vec::new();
    for node in model.main().nodes.nodes() {
        let name = model.node(node).name;
        counts[name.index()] += 1;
        if counts[name.index()] == 2 && name != model.names.empty() {
            shared.push(name);
        }
    }
    let nodes = shared.iter().map(|name| counts[name.index()]).sum();
    let mut shared: Vec<_> = shared.into_iter().map(|name| model.name(name)).collect();
    shared.sort_unstable();
    (!shared.is_empty()).then(|| {
        finding(
            "duplicate-node-name",
            Severity::Info,
            "Nodes share a name",
            format!("{} share {}", counted(nodes, "node"), counted(shared.len(), "name")),
            shared.iter().map(|name| (*name).to_owned()),
            "give nodes names of their own, so that profiles and logs can tell them apart",
        )
    })
}
