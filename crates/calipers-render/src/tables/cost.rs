//! Where the arithmetic is.

use calipers_report::{Cost, OperatorCost, TopGroup, TopNode, UncostedNode};

use crate::repeats::repeated;
use crate::table::{Column, Table, Value, Zero};
use crate::value::free_formula;

/// Operators whose share is shown.
const OPERATORS: usize = 8;

/// The nodes that cost most.
pub fn top_nodes(nodes: &[TopNode]) -> Table {
    let mut set = Table::new(
        "top-nodes",
        vec![
            Column::text("node", "node").limits(34, 20),
            Column::text("op", "operator").not_in_terminals(),
            Column::figures("macs", "MACs"),
            Column::figures("percent", "share"),
            Column::bars(),
        ],
    )
    .without_empty_columns();
    for node in nodes {
        set.row(vec![
            Value::name(&node.node),
            Value::name(&node.op),
            Value::known(node.macs, Value::Magnitude),
            Value::optional(node.percent, Value::Percent),
            Value::Bar(node.macs.unwrap_or(0)),
        ]);
    }
    set
}

/// Nodes of one operator and one cost together, the most expensive group first.
pub fn top_groups(groups: &[TopGroup]) -> Table {
    let mut set = Table::new(
        "top-groups",
        vec![
            Column::text("nodes", "nodes"),
            Column::text("op", "operator"),
            Column::figures("macs", "MACs each"),
            Column::figures("percent", "share"),
        ],
    )
    .without_empty_columns();
    for group in groups {
        set.row(vec![
            repeated(&group.nodes, group.count).into(),
            Value::name(&group.op),
            Value::Magnitude(group.macs),
            // Shares have two decimals; what is less is not nothing.
            Value::optional(group.percent, |share| Value::Percent(share.max(0.001))),
        ]);
    }
    set
}

/// Which operators the arithmetic is in; those without any are left out.
pub fn operator_costs(operators: &[OperatorCost]) -> Table {
    let mut set = Table::new(
        "operator-costs",
        vec![
            Column::text("op", "operator"),
            Column::figures("nodes", "nodes"),
            Column::figures("flops", "FLOPs").zero(Zero::Blank),
            Column::figures("other_flops", "other FLOPs").zero(Zero::Blank),
            Column::figures("percent", "share"),
        ],
    )
    .without_empty_columns();
    let works = |value: Option<u64>| value.is_some_and(|value| value > 0);
    let is_costly =
        |operator: &&OperatorCost| works(operator.flops()) || works(operator.other_flops);
    for operator in operators.iter().filter(is_costly).take(OPERATORS) {
        set.row(vec![
            Value::name(&operator.op),
            Value::Integer(operator.nodes),
            Value::known(operator.flops(), Value::Magnitude),
            Value::known(operator.other_flops, Value::Magnitude),
            Value::optional(operator.percent, Value::Percent),
        ]);
    }
    set
}

/// Figures that depend on free dimensions, as formulas.
pub fn formulas(cost: &Cost) -> Table {
    let columns = vec![Column::text("figure", "figure"), Column::text("formula", "formula")];
    let mut set = Table::new("formulas", columns);
    for (field, title) in
        [("macs", "MACs"), ("other_flops", "Other FLOPs"), ("bytes_moved", "Bytes moved")]
    {
        if let Some(formula) = free_formula(cost.formula.get(field)) {
            set.row(vec![Value::text(title), formula]);
        }
    }
    set
}

/// Nodes that the sums lack, and why.
pub fn uncosted(nodes: &[UncostedNode]) -> Table {
    let mut set = Table::new(
        "uncosted",
        vec![
            Column::text("node", "node"),
            Column::text("op", "operator"),
            Column::text("reason", "reason"),
        ],
    );
    for node in nodes {
        set.row(vec![Value::name(&node.node), Value::name(&node.op), Value::quoted(&node.reason)]);
    }
    set
}
