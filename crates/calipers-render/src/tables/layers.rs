//! What each node costs, and the sums over the scopes of the network.

use calipers_report::{Layer, LayerCost, LayerTable, Scope, goes_without_saying};

use super::{assumed, cost_lower_bound, data_dependent, more};
use crate::table::{Cell, Column, Table, Tone, Value, Zero};
use crate::value::Spans;

/// Reasons why nodes have no cost that are given before the rest is folded.
const REASONS: usize = 5;

/// The nodes, a row each, with the sums beneath them.
pub fn layers(table: &LayerTable) -> Table {
    let mut columns = vec![
        Column::data("index"),
        Column::text("node", "node").limits(60, 30),
        Column::text("operator", "operator").priority(2).limits(24, 18).for_people(),
        Column::data("op"),
        Column::data("domain"),
        Column::data("scope"),
        Column::text("inputs", "inputs").priority(8),
        Column::text("output", "output").priority(3).limits(40, 20).for_people(),
        Column::data("outputs"),
        Column::figures("parameters", "parameters").short("params").priority(1).zero(Zero::Blank),
    ];
    columns.extend(work_columns(4, 5));
    columns.push(Column::data("reason"));
    let mut set = Table::new("layers", columns);
    for layer in &table.layers {
        set.row(row(layer));
    }
    // The sums are in the columns of the figures, after the ten about the node.
    let total = &table.total;
    let nodes = crate::units::counted(total.nodes, "node", "nodes");
    let mut sums = vec![Cell::from(Value::Blank), Cell::toned(Value::text(nodes), Tone::Strong)];
    sums.extend(vec![Cell::from(Value::Blank); 7]);
    sums.push(Value::known(total.parameters, Value::Integer).into());
    sums.extend(work(&total.cost, total.unknown > 0).into_iter().map(Cell::from));
    if let Some(folded) = more(table.left_out, "node", "nodes") {
        set.footer.push(vec![Cell::from(Value::Blank), Cell::toned(folded, Tone::Quiet)]);
    }
    set.footer.push(sums);
    set.note(None, remarks(table));
    set.note(Some("Decided by the data"), data_dependent(&table.data_dependent));
    set
}

fn row(layer: &Layer) -> Vec<Value> {
    let operator = match layer.domain.as_str() {
        domain if goes_without_saying(domain) => layer.op.clone(),
        domain => format!("{domain}.{}", layer.op),
    };
    let types = |operands: &[Option<calipers_report::Operand>]| {
        Value::Types(operands.iter().map(|one| Some(one.as_ref()?.value.clone())).collect())
    };
    let mut row = vec![
        Value::Integer(layer.index),
        Value::name(&layer.node),
        Value::name(operator),
        Value::name(&layer.op),
        Value::name(&layer.domain),
        Value::name(&layer.scope),
        types(&layer.inputs),
        types(&layer.outputs[..layer.outputs.len().min(1)]),
        types(&layer.outputs),
        Value::known(layer.parameters, Value::Integer),
    ];
    let mut figures = work(&layer.cost, false);
    if let Some(reason) = &layer.reason {
        for figure in &mut figures {
            *figure = Value::Hidden(Box::new(std::mem::take(figure)));
        }
        figures[0] = Value::Missing(Some(reason.clone()));
    }
    row.extend(figures);
    row.push(Value::optional(layer.reason.clone(), Value::prose));
    row
}

/// The scopes as a tree, a row each, parents before children.
pub fn scopes(table: &LayerTable) -> Table {
    let mut columns = vec![
        Column::data("scope"),
        Column::data("depth"),
        Column::text("tree", "scope").limits(60, 30).for_people(),
        Column::data("class"),
        Column::text("module", "module").priority(5).limits(32, 20).tone(Tone::Quiet).for_people(),
        Column::figures("nodes", "nodes").priority(4),
        Column::figures("parameters", "parameters").short("params").priority(1).zero(Zero::Blank),
    ];
    columns.extend(work_columns(2, 3));
    columns.push(Column::data("unknown"));
    let mut set = Table::new("scopes", columns);
    for scope in &table.scopes {
        set.row(scope_row(scope));
    }
    set.note(None, remarks(table));
    set.note(Some("Decided by the data"), data_dependent(&table.data_dependent));
    set
}

fn scope_row(scope: &Scope) -> Vec<Value> {
    let name = scope.scope.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("/");
    let module = scope.class.as_deref().and_then(|class| class.rsplit('.').next());
    let mut row = vec![
        Value::name(&scope.scope),
        Value::Integer(scope.depth),
        Value::Tree { depth: scope.depth, name: name.to_owned() },
        Value::optional(scope.class.clone(), Value::Name),
        Value::optional(module, Value::name),
        Value::Integer(scope.nodes),
        Value::known(scope.parameters, Value::Integer),
    ];
    row.extend(work(&scope.cost, scope.unknown > 0));
    row.push(Value::Integer(scope.unknown));
    row
}

/// The columns of [`LayerCost`]; the priorities are those of the share and of the bytes moved.
fn work_columns(share: u8, moved: u8) -> [Column; 9] {
    [
        Column::figures("macs", "MACs").zero(Zero::Dash),
        Column::figures("macs_percent", "share").priority(share).zero(Zero::Blank),
        Column::data("flops"),
        Column::figures("other_flops", "other FLOPs").priority(6).zero(Zero::Dash),
        Column::figures("bytes_moved", "moved").priority(moved).zero(Zero::Dash),
        Column::figures("intensity", "FLOPs/byte").priority(7).zero(Zero::Blank),
        Column::text("macs_formula", "MACs as a formula").priority(9),
        Column::data("other_flops_formula"),
        Column::data("bytes_moved_formula"),
    ]
}

fn work(cost: &LayerCost, is_lower_bound: bool) -> [Value; 9] {
    let bound = |value: Value| match is_lower_bound {
        true => Value::AtLeast(Box::new(value)),
        false => value,
    };
    let formula = |field: &str| cost.formula.get(field).map(str::to_owned);
    let figure = |value: Option<u64>, field: &str, set: fn(u64) -> Value| match value {
        Some(value) => bound(set(value)),
        None => formula(field).map_or(Value::Missing(None), |text| bound(Value::Formula(text))),
    };
    // A ratio of two lower bounds bounds nothing.
    let intensity = Value::optional(cost.intensity, Value::Ratio);
    [
        figure(cost.macs, "macs", Value::Magnitude),
        Value::optional(cost.macs_percent, Value::Percent),
        Value::optional(cost.flops(), Value::Magnitude),
        figure(cost.other_flops, "other_flops", Value::Magnitude),
        figure(cost.bytes_moved, "bytes_moved", Value::Bytes),
        if is_lower_bound { Value::Hidden(Box::new(intensity)) } else { intensity },
        Value::optional(formula("macs"), Value::Prose),
        Value::optional(formula("other_flops"), Value::Prose),
        Value::optional(formula("bytes_moved"), Value::Prose),
    ]
}

/// What the figures lack and rest on.
fn remarks(table: &LayerTable) -> Vec<Spans> {
    let mut lines = vec![];
    let total = &table.total;
    if total.unknown > 0 {
        lines.push(cost_lower_bound(total.unknown));
        let mut reasons: Vec<(&str, &Layer)> = vec![];
        for layer in &table.layers {
            let Some(reason) = layer.reason.as_deref() else { continue };
            if !reasons.iter().any(|(known, _)| *known == reason) {
                reasons.push((reason, layer));
            }
            if reasons.len() > REASONS {
                break;
            }
        }
        for (reason, layer) in reasons.iter().take(REASONS) {
            let node = Spans::from(Value::name(&layer.node)).and_quiet(": ");
            lines.push(node.and(Tone::Quiet, Value::prose(*reason)));
        }
        if reasons.len() > REASONS {
            lines.push(Spans::default().and_quiet("… and other reasons"));
        }
    }
    if total.parameters_elsewhere > 0 {
        let count = crate::units::counted(total.parameters_elsewhere, "parameter", "parameters");
        let words = format!("{count} belong to no node of the main graph");
        lines.push(Spans::default().and_quiet(words));
    }
    lines.extend(table.notes.iter().map(|note| Spans::toned(Tone::Quiet, Value::prose(note))));
    lines.extend(assumed(&table.assumptions));
    lines
}

#[cfg(test)]
mod tests {
    use calipers_report::Assumption;

    use super::*;
    use crate::table::Row;

    #[test]
    fn a_row_has_a_cell_for_each_column() {
        let table = LayerTable {
            layers: vec![Layer::default()],
            scopes: vec![Scope::default()],
            ..LayerTable::default()
        };
        for set in [layers(&table), scopes(&table)] {
            for row in &set.rows {
                let Row::Cells { cells, .. } = row else { panic!("there are no groups") };
                assert_eq!(cells.len(), set.columns.len(), "{}", set.id);
            }
            let sums = set.footer.last().map_or(0, Vec::len);
            assert!(sums <= set.columns.len());
        }
    }

    #[test]
    fn assumptions_are_among_the_remarks() {
        let one = Assumption { what: "a".into(), value: "1".into(), why: "b".into() };
        let table = LayerTable { assumptions: vec![one; 7], ..LayerTable::default() };
        assert_eq!(remarks(&table).len(), REASONS + 1, "five, and a line about the other two");
    }
}
