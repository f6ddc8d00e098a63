//! The cost of one run of the model.

mod depth;
mod node_work;
mod operators;

use std::cmp::Reverse;

use calipers_infer::{CostTotal, Typed};
use calipers_ir::{GraphKind, Model, NodeId};
use calipers_report::{Cost, TopGroup, TopNode, UncostedNode, Unknown, Work};
use calipers_sym::{EvalError, Expr};

pub(crate) use self::node_work::NodeWork;
use crate::assume::Sizes;
use crate::experts::Experts;
use crate::not_known;
use crate::parameters::Owners;

/// Nodes without a cost that the report names; it counts them all.
const NAMED: usize = 20;

/// Nodes that are listed as the most expensive.
const TOP: usize = 10;

/// Nodes that a group of equal ones names.
const GROUP_NAMES: usize = 32;

/// The cost's section. `sizes` are those assumed of free dimensions, `owners` say which node uses
/// which learned elements.
pub fn summarize(
    model: &Model,
    typed: &Typed,
    sizes: &Sizes,
    owners: &Owners,
    unknown: &mut Vec<Unknown>,
) -> Cost {
    let mut cost = Cost {
        notes: typed.notes.iter().map(|note| (*note).to_owned()).collect(),
        ..Cost::default()
    };
    if typed.without_bytes > 0 {
        cost.notes.push(format!(
            "bytes moved exclude {} nodes with operands of unknown size",
            typed.without_bytes
        ));
    }
    let experts = Experts::find(model, typed);
    let total = &experts.add_up(&typed.total);
    let fields = [
        ("macs", &total.macs),
        ("other_flops", &total.other_flops),
        ("bytes_moved", &total.bytes_moved),
    ];
    for (name, expr) in fields {
        cost.formula.insert(name.to_owned(), expr.to_string());
    }
    count_nodes(model, typed, &mut cost);
    let mut figure = |field: &str, expr: &Expr| {
        let figure = figure(expr, sizes).map_err(|error| error.to_string());
        figure
            .and_then(|figure| match (figure, nothing_costed(&cost)) {
                // Nodes without a cost may have any: their sum is not 0.
                (0, Some(reason)) => Err(reason),
                _ => Ok(figure),
            })
            .map_err(|reason| not_known(unknown, &format!("cost.{field}"), reason))
            .ok()
    };
    let work = Work {
        macs: figure("macs", &total.macs),
        other_flops: figure("other_flops", &total.other_flops),
        bytes_moved: figure("bytes_moved", &total.bytes_moved),
    };
    cost.work = work;
    cost.total_flops = cost.work.total_flops();
    let node_work = NodeWork::new(model, typed, sizes);
    let nodes = costed_nodes(model, &node_work);
    cost.top_nodes = top_nodes(model, &nodes, cost.work.macs);
    cost.top_groups = top_groups(model, &nodes, cost.work.macs);
    cost.by_op = operators::add_up(model, &node_work, sizes, &experts);
    cost.by_depth = depth::cut(model, &node_work, owners);
    cost
}

/// Why a formula has no figure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// A dimension has no size.
    #[error("it depends on {0}, which has no known size")]
    NoSize(String),
    /// The figure is negative, or above 2⁶⁴ - 1.
    #[error("it does not fit in 64 bits")]
    TooLarge,
    /// The formula has no value at the sizes.
    #[error(transparent)]
    NoValue(EvalError),
}

/// Returns the value of a formula at these sizes.
///
/// # Errors
/// When a dimension has no size, or the formula no value that fits 64 bits.
pub fn figure(expr: &Expr, sizes: &Sizes) -> Result<u64, FigureError> {
    match expr.evaluate_wide(|name| Some(sizes.get(name)?.size)) {
        Ok(value) => u64::try_from(value).map_err(|_| FigureError::TooLarge),
        Err(EvalError::Unbound(name)) => Err(FigureError::NoSize(name)),
        Err(error) => Err(FigureError::NoValue(error)),
    }
}

/// The figures of a cost; those that are not known are left out.
pub(crate) fn figures(cost: &CostTotal, sizes: &Sizes) -> Work {
    let figure = |expr: &Expr| figure(expr, sizes).ok();
    Work {
        macs: figure(&cost.macs),
        other_flops: figure(&cost.other_flops),
        bytes_moved: figure(&cost.bytes_moved),
    }
}

/// Adds figures to sums. A sum is unknown from its first unknown part on.
fn add_work(sum: &mut Work, part: &Work) {
    add(&mut sum.macs, part.macs);
    add(&mut sum.other_flops, part.other_flops);
    add(&mut sum.bytes_moved, part.bytes_moved);
}

/// Adds a figure to a sum, which is unknown from its first unknown part on.
fn add(sum: &mut Option<u64>, part: Option<u64>) {
    *sum = sum.zip(part).and_then(|(sum, part)| sum.checked_add(part));
}

/// Why a sum of 0 is unknown: the first of the nodes that are not in it. `None` where all nodes are.
fn nothing_costed(cost: &Cost) -> Option<String> {
    let first = cost.unknown.first()?;
    let UncostedNode { node, reason, .. } = first;
    Some(match cost.unknown_count {
        1 => format!("the cost of node {node:?} is unknown: {reason}"),
        count => format!("the cost of {count} nodes is unknown, first {node:?}: {reason}"),
    })
}

/// Which nodes are in the totals, and which are not.
fn count_nodes(model: &Model, typed: &Typed, cost: &mut Cost) {
    let (mut nodes, mut costed) = (0_u64, 0_u64);
    for (id, node) in model.nodes() {
        if model.graph(node.graph).kind == GraphKind::Training {
            continue;
        }
        match typed.cost(id) {
            Some(Ok(_)) => costed += 1,
            Some(Err(reason)) => {
                cost.unknown_count += 1;
                if cost.unknown.len() < NAMED {
                    cost.unknown.push(UncostedNode {
                        node: model.node_label(id),
                        op: model.written_op(id).to_owned(),
                        reason: reason.to_string(),
                    });
                }
            }
            // Inside a function that nothing calls, or inside a node that is counted above as unknown.
            None => continue,
        }
        nodes += 1;
    }
    cost.lower_bound = cost.unknown_count > 0;
    cost.coverage = crate::graph::percent(costed, nodes.max(1));
    if nodes == 0 {
        cost.coverage = 100.0;
    }
}

/// Nodes of the main graph with multiply-accumulates, most expensive first.
fn costed_nodes(model: &Model, node_work: &NodeWork<'_>) -> Vec<(u64, Work, NodeId)> {
    let mut nodes: Vec<(u64, Work, NodeId)> = model
        .main()
        .order
        .iter()
        .filter_map(|node| {
            let (_, work) = node_work.cost_of(*node)?;
            Some((work.macs.filter(|macs| *macs > 0)?, work, *node))
        })
        .collect();
    // Stable, so nodes of equal cost stay in the order in which they run.
    nodes.sort_by_key(|(macs, ..)| Reverse(*macs));
    nodes
}

fn top_nodes(model: &Model, nodes: &[(u64, Work, NodeId)], total: Option<u64>) -> Vec<TopNode> {
    let top = nodes.iter().take(TOP).map(|(macs, work, node)| TopNode {
        node: model.node_label(*node),
        op: model.written_op(*node).to_owned(),
        work: *work,
        percent: total.map(|total| crate::graph::percent(*macs, total)),
    });
    top.collect()
}

/// Nodes of one operator and one cost together, the group with most arithmetic first.
fn top_groups(model: &Model, nodes: &[(u64, Work, NodeId)], total: Option<u64>) -> Vec<TopGroup> {
    let mut groups: Vec<TopGroup> = vec![];
    // Nodes of equal cost are neighbors, so a group begins where its cost does.
    let mut first_of_cost = 0;
    for (macs, _, node) in nodes {
        if groups.last().is_some_and(|group| group.macs != *macs) {
            first_of_cost = groups.len();
        }
        let op = model.written_op(*node);
        let place = match groups[first_of_cost..].iter().position(|group| group.op == op) {
            Some(place) => first_of_cost + place,
            None => {
                groups.push(TopGroup { op: op.to_owned(), macs: *macs, ..TopGroup::default() });
                groups.len() - 1
            }
        };
        let group = &mut groups[place];
        group.count += 1;
        if group.nodes.len() < GROUP_NAMES {
            group.nodes.push(model.node_label(*node));
        }
    }
    let all = |group: &TopGroup| group.macs.saturating_mul(group.count);
    groups.sort_by_key(|group| Reverse(all(group)));
    groups.truncate(TOP);
    for group in &mut groups {
        group.percent = total.map(|total| crate::graph::percent(all(group), total));
    }
    groups
}
