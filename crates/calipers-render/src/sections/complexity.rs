//! What one run costs: figures, formulas, and what they lack.

use calipers_report::Cost;

use super::context::Context;
use super::top_nodes;
use super::wording::quoted;
use crate::document::{Block, Fact, Facts};
use crate::table::{Tone, Value};
use crate::value::{Operation, Spans, free_formula};
use crate::{tables, units};

/// Nodes without a known cost, and notes, that are listed.
const MOST: usize = 20;
/// Formulas in the free dimensions, by field.
const FORMULAS: [(&str, &str); 3] = [
    ("macs", "Formula (MACs)"),
    ("other_flops", "Formula (other FLOPs)"),
    ("bytes_moved", "Formula (bytes moved)"),
];
/// Lines of a formula, and of a remark, on a screen.
const LINES: usize = 2;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let cost = &report.cost;
    if report.graph.nodes == 0 {
        return vec![];
    }
    if context.is_brief() {
        return brief(context);
    }
    let mut blocks = vec![Block::Facts(figures(context))];
    let operators = tables::operator_costs(&cost.by_op);
    if !operators.is_empty() {
        let otherwise = vec![Block::heading("By operator"), Block::Table(operators)];
        blocks.push(Block::ChartOr { name: "flops", rest: vec![], otherwise });
    }
    let groups = top_nodes::groups(cost);
    if !groups.is_empty() {
        blocks.extend([Block::heading("Most expensive layers"), Block::list(groups)]);
    }
    blocks.push(Block::list(quoted(&cost.notes, MOST)));
    if cost.unknown_count > 0 {
        let nodes = units::counted(cost.unknown_count, "node", "nodes");
        let table = tables::uncosted(&cost.unknown[..cost.unknown.len().min(MOST)]);
        blocks.push(Block::fold(format!("{nodes} of unknown cost"), vec![Block::Table(table)]));
    }
    blocks
}

fn figures(context: &mut Context<'_>) -> Facts {
    let cost = &context.report.cost;
    let bound = |value: Value| match cost.lower_bound {
        true => Value::AtLeast(Box::new(value)),
        false => value,
    };
    let mut figure = |value: Option<u64>, field: &str, set: &dyn Fn(u64) -> Value| match value {
        // A sum that lacks everything says nothing.
        Some(value) if value > 0 || !cost.lower_bound => bound(set(value)).into(),
        _ if free_formula(cost.formula.get(field)).is_some() => {
            Spans::plain("depends on free dimensions")
        }
        _ => context.unknown(&format!("cost.{field}")),
    };
    let mut facts = Facts::default();
    facts.add("FLOPs (2 × MACs)", figure(cost.flops(), "macs", &flops));
    facts.add("MACs", figure(cost.macs, "macs", &macs));
    facts.add("Other arithmetic", figure(cost.other_flops, "other_flops", &flops));
    facts.add("All arithmetic", cost.total_flops.map(|value| bound(flops(value))));
    facts.add("Bytes moved", figure(cost.bytes_moved, "bytes_moved", &Value::LongBytes));
    if cost.unknown_count > 0 {
        facts.add("Nodes of known cost", Value::Percent(cost.coverage));
    }
    for (field, name) in FORMULAS {
        facts.add(name, free_formula(cost.formula.get(field)));
    }
    facts
}

fn macs(value: u64) -> Value {
    Value::LongOperations(value, Operation::Macs)
}

fn flops(value: u64) -> Value {
    Value::LongOperations(value, Operation::Flops)
}

/// A figure of a screen: its name, its field of the report, its value, how it is written, its unit.
type Figure = (&'static str, &'static str, Option<u64>, fn(u64) -> Value, &'static str);

/// Arithmetic and bytes moved: figures, or formulas where dimensions are free.
fn brief(context: &mut Context<'_>) -> Vec<Block> {
    let cost = &context.report.cost;
    let figures: [Figure; 3] = [
        ("compute", "macs", cost.macs, macs, " MACs"),
        ("other", "other_flops", cost.other_flops, flops, " FLOPs"),
        ("moved", "bytes_moved", cost.bytes_moved, Value::LongBytes, " bytes"),
    ];
    let is_known = |(_, field, value, ..): &Figure| {
        value.is_some() || cost.formula.contains_key(*field) || context.explains(&path(field))
    };
    if !figures.iter().any(is_known) {
        return vec![];
    }
    let least =
        Spans::toned(Tone::Warning, Value::text(if cost.lower_bound { "at least " } else { "" }));
    let mut facts = Facts::default();
    for (name, field, value, set, unit) in figures {
        let formula = free_formula(cost.formula.get(field)).map(Spans::from);
        // A sum that lacks everything says nothing.
        match (value.filter(|value| *value > 0 || !cost.lower_bound), formula) {
            (Some(value), formula) => {
                let tone = if field == "macs" { Tone::Strong } else { Tone::Plain };
                let mut values = vec![least.clone().and(tone, set(value))];
                if let Some(flops) = cost.flops().filter(|flops| field == "macs" && *flops > 0) {
                    values.push(Value::Operations(flops, Operation::Flops).into());
                }
                facts.add_all(name, values);
                // The other two follow the same dimensions; the JSON has all three.
                if let Some(formula) = formula.filter(|_| field == "macs") {
                    let formula = Spans::quiet("= ").and_all(formula);
                    facts.push(Fact::new("", vec![formula]).lines(LINES));
                }
            }
            (None, Some(formula)) => {
                context.settle(&path(field));
                let formula = least.clone().and_all(formula).and_quiet(unit);
                facts.push(Fact::new(name, vec![formula]).lines(LINES));
            }
            (None, None) => facts.add(name, context.unknown(&path(field))),
        }
    }
    // Twice the multiply-accumulates: the same reason, or the same formula.
    context.settle("cost.flops");
    facts.0.extend(missing(cost));
    facts.0.extend(cost.notes.iter().map(|note| {
        Fact::new("", vec![Spans::toned(Tone::Quiet, Value::prose(note))]).lines(LINES)
    }));
    vec![Block::Facts(facts)]
}

fn path(field: &str) -> String {
    format!("cost.{field}")
}

/// How many nodes the sums lack, and why the first of them has no cost.
fn missing(cost: &Cost) -> Option<Fact> {
    if cost.unknown_count == 0 {
        return None;
    }
    let nodes = units::counted(cost.unknown_count, "node", "nodes");
    let mut words = Spans::plain(format!("{nodes} of unknown cost"));
    if let Some(first) = cost.unknown.first() {
        words = words
            .and_quiet("; ")
            .and(Tone::Quiet, Value::name(&first.node))
            .and_quiet(": ")
            .and(Tone::Quiet, Value::prose(&first.reason));
    }
    Some(Fact::new("missing", vec![words]).lines(LINES))
}
