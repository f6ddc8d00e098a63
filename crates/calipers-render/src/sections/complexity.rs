//! What one run costs: figures, formulas, and what they lack.

use calipers_report::Report;

use super::wording::{quoted, unknown};
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::value::{Operation, free_formula};
use crate::{tables, units};

/// Nodes without a known cost, and notes, that are listed.
const MOST: usize = 20;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let cost = &report.cost;
    if report.graph.nodes == 0 {
        return vec![];
    }
    let mut blocks = vec![Block::Facts(figures(report))];
    for (heading, table) in
        [("Formulas", tables::formulas(cost)), ("By operator", tables::operator_costs(&cost.by_op))]
    {
        if !table.is_empty() {
            blocks.extend([Block::heading(heading), Block::Table(table)]);
        }
    }
    blocks.push(Block::list(quoted(&cost.notes, MOST)));
    if cost.unknown_count > 0 {
        let nodes = units::counted(cost.unknown_count, "node has", "nodes have");
        let table = tables::uncosted(&cost.unknown[..cost.unknown.len().min(MOST)]);
        blocks.push(Block::fold(format!("{nodes} no known cost"), vec![Block::Table(table)]));
    }
    blocks
}

fn figures(report: &Report) -> Facts {
    let cost = &report.cost;
    let bound = |value: Value| match cost.lower_bound {
        true => Value::AtLeast(Box::new(value)),
        false => value,
    };
    let figure = |value: Option<u64>, field: &str, set: &dyn Fn(u64) -> Value| match value {
        // A sum that lacks everything says nothing.
        Some(value) if value > 0 || !cost.lower_bound => bound(set(value)),
        _ if free_formula(cost.formula.get(field)).is_some() => {
            Value::text("depends on free dimensions")
        }
        _ => unknown(report, &format!("cost.{field}")),
    };
    let macs = |value| Value::LongOperations(value, Operation::Macs);
    let flops = |value| Value::LongOperations(value, Operation::Flops);
    let mut facts = Facts::default();
    facts.add("FLOPs (2 × MACs)", figure(cost.work.flops(), "macs", &flops));
    facts.add("MACs of contractions", figure(cost.work.macs, "macs", &macs));
    facts.add("Other arithmetic", figure(cost.work.other_flops, "other_flops", &flops));
    facts.add("All arithmetic", cost.total_flops.map(|value| bound(flops(value))));
    facts.add("Bytes moved", figure(cost.work.bytes_moved, "bytes_moved", &Value::LongBytes));
    facts.add("Nodes whose cost is known", Value::Percent(cost.coverage));
    facts
}
