//! Every node with what it takes and costs, a line each, or the scopes as a tree.
//!
//! ```text
//!   node              operator  output          params      MACs  share     moved
//!   stage1.conv/Conv  Conv      [1, 8, 28, 28]     208  156.80 k  19.8%  29.06 kB
//! ```

use calipers_report::{Assumption, Layer, LayerTable, LayerWork, Operand, Scope};

use super::Style;
use super::header::more;
use super::page::{Line, Page, Role};
use super::shapes::{decided, dimension, dtype};
use super::table::{self, Column};
use crate::{text, units};

/// Columns of one shape.
const SHAPE: usize = 40;

/// Reasons why nodes have no cost that are given before the rest is folded.
const REASONS: usize = 5;

/// The table as lines of text, ending in a newline: its scopes where it has any, else its nodes.
pub fn layers_to_terminal(table: &LayerTable, style: &Style) -> String {
    let mut page = Page::for_table(style);
    if table.scopes.is_empty() {
        nodes(table, &mut page);
    } else {
        scopes(&table.scopes, &mut page);
    }
    remarks(table, &mut page);
    decided(&table.data_dependent, &mut page);
    page.finish()
}

fn nodes(table: &LayerTable, page: &mut Page) {
    let columns = [
        Column::text("node", 0, 60).room(30),
        Column::text("operator", 2, 24).room(18),
        Column::text("inputs", 8, 60),
        Column::text("output", 3, SHAPE),
        Column::figures("params", 1),
        Column::figures("MACs", 0),
        Column::figures("share", 4),
        Column::figures("other FLOPs", 6),
        Column::figures("moved", 5),
        Column::figures("FLOPs/byte", 7),
        Column::text("MACs as a formula", 9, 60),
    ];
    let rows: Vec<Vec<Line>> = table.layers.iter().map(|layer| row(layer, page)).collect();
    let total = &table.total;
    let mut sums = vec![
        Line::of(Role::Strong, units::counted(total.nodes, "node", "nodes")),
        Line::default(),
        Line::default(),
        Line::default(),
        count(total.parameters),
    ];
    sums.extend(figures(&total.work, total.unknown > 0, page));
    let left_out = usize::try_from(table.left_out).unwrap_or(usize::MAX);
    let mut closing = vec![];
    if let Some(line) = more(left_out, "node", "nodes", page) {
        closing.push(std::iter::once(line).chain(vec![Line::default(); 10]).collect());
    }
    closing.push(sums);
    table::set(&columns, &rows, &closing, page);
}

fn row(layer: &Layer, page: &Page) -> Vec<Line> {
    let set = page.charset;
    let op = text::name(&layer.op, set);
    let op = match layer.domain.as_str() {
        "" | "ai.onnx" => op,
        domain => format!("{}.{op}", text::name(domain, set)),
    };
    let mut row = vec![
        Line::of(Role::Plain, text::name(&layer.node, set)),
        Line::of(Role::Plain, op),
        shapes(&layer.inputs, page),
        shapes(&layer.outputs[..layer.outputs.len().min(1)], page),
        count(layer.parameters),
    ];
    if layer.reason.is_some() {
        row.push(Line::of(Role::Warning, "unknown"));
        row.extend(vec![Line::default(); 5]);
    } else {
        row.extend(figures(&layer.work, false, page));
    }
    row
}

/// MACs, their share, other FLOPs, bytes moved, intensity, and MACs as a formula.
fn figures(work: &LayerWork, at_least: bool, page: &Page) -> [Line; 6] {
    let formula = |field: &str| work.formula.get(field).map(|text| text::prose(text, page.charset));
    let least = if at_least { page.glyph("≥ ", ">= ") } else { "" };
    let figure = |value: Option<u64>, field: &str, set: fn(u64) -> String| match value {
        // A sum that lacks everything says nothing.
        Some(0) if at_least => Line::of(Role::Warning, "unknown"),
        Some(0) => Line::of(Role::Quiet, page.glyph("–", "-")),
        Some(value) => Line::of(Role::Plain, format!("{least}{}", set(value))),
        None => match formula(field) {
            Some(formula) => Line::of(Role::Plain, format!("{least}{formula}")),
            None => Line::of(Role::Warning, "unknown"),
        },
    };
    let some = |text: Option<String>| Line::of(Role::Plain, text.unwrap_or_default());
    let share = work.macs_percent.filter(|share| *share > 0.0);
    [
        figure(work.macs, "macs", units::magnitude),
        some(share.map(units::percent)),
        figure(work.other_flops, "other_flops", units::magnitude),
        figure(work.bytes_moved, "bytes_moved", units::bytes),
        some(work.intensity.filter(|ratio| *ratio > 0.0 && !at_least).map(units::ratio)),
        some(formula("macs")),
    ]
}

fn count(value: Option<u64>) -> Line {
    match value {
        Some(0) => Line::default(),
        Some(value) => Line::of(Role::Plain, units::integer(value)),
        None => Line::of(Role::Warning, "unknown"),
    }
}

fn shapes(operands: &[Option<Operand>], page: &Page) -> Line {
    let one = |operand: &Option<Operand>| match operand {
        None => page.glyph("–", "-").to_owned(),
        Some(Operand { value, .. }) => match &value.shape {
            Some(dims) => {
                let dims: Vec<_> = dims.iter().take(16).map(|dim| dimension(dim, page)).collect();
                format!("[{}]", dims.join(", "))
            }
            None => dtype(value),
        },
    };
    let shapes: Vec<String> = operands.iter().take(4).map(one).collect();
    let rest = if operands.len() > 4 { page.charset.ellipsis() } else { "" };
    Line::of(Role::Plain, format!("{}{rest}", shapes.join(" ")))
}

fn scopes(scopes: &[Scope], page: &mut Page) {
    let columns = [
        Column::text("scope", 0, 60).room(30),
        Column::text("module", 5, 32),
        Column::figures("nodes", 4),
        Column::figures("params", 1),
        Column::figures("MACs", 0),
        Column::figures("share", 2),
        Column::figures("other FLOPs", 6),
        Column::figures("moved", 3),
        Column::figures("FLOPs/byte", 7),
        Column::text("MACs as a formula", 9, 60),
    ];
    let branches = branches(scopes, page);
    let row = |(scope, branch): (&Scope, String)| {
        let name = scope.scope.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("/");
        let class = scope.class.as_deref().and_then(|class| class.rsplit('.').next());
        let mut row = vec![
            Line::of(Role::Quiet, branch).and(Role::Plain, text::name(name, page.charset)),
            Line::of(Role::Quiet, text::name(class.unwrap_or(""), page.charset)),
            Line::of(Role::Plain, units::integer(scope.nodes)),
            count(scope.parameters),
        ];
        row.extend(figures(&scope.work, scope.unknown > 0, page));
        row
    };
    let rows: Vec<Vec<Line>> = scopes.iter().zip(branches).map(row).collect();
    table::set(&columns, &rows, &[], page);
}

/// The lines that lead from a scope to those below it.
fn branches(scopes: &[Scope], page: &Page) -> Vec<String> {
    // Whether another scope of a depth follows is seen from the end.
    let mut open: Vec<bool> = vec![];
    let mut branches: Vec<String> = scopes
        .iter()
        .rev()
        .map(|scope| {
            // Deeper ones would leave no room for a name.
            let depth = usize::try_from(scope.depth).unwrap_or(usize::MAX).min(64);
            open.resize(open.len().max(depth + 1), false);
            open.truncate(depth + 1);
            let mut branch = String::new();
            for (level, follows) in open.iter().enumerate().skip(1) {
                branch += match (level == depth, *follows) {
                    (true, true) => page.glyph("├ ", "|-"),
                    (true, false) => page.glyph("└ ", "`-"),
                    (false, true) => page.glyph("│ ", "| "),
                    (false, false) => "  ",
                };
            }
            open[depth] = true;
            branch
        })
        .collect();
    branches.reverse();
    branches
}

/// What the figures lack and rest on.
fn remarks(table: &LayerTable, page: &mut Page) {
    let mut lines = vec![];
    let total = &table.total;
    if total.unknown > 0 {
        let nodes = units::counted(total.unknown, "node has", "nodes have");
        lines.push(
            Line::of(Role::Warning, format!("{nodes} no known cost"))
                .and(Role::Quiet, ", so the sums are lower bounds"),
        );
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
            let node = text::name(&layer.node, page.charset);
            let reason = text::prose(reason, page.charset);
            lines.push(Line::of(Role::Plain, node).and(Role::Quiet, format!(": {reason}")));
        }
        if reasons.len() > REASONS {
            let rest = format!("{} and other reasons", page.charset.ellipsis());
            lines.push(Line::of(Role::Quiet, rest));
        }
    }
    if total.parameters_elsewhere > 0 {
        let count = units::counted(total.parameters_elsewhere, "parameter", "parameters");
        lines.push(Line::of(Role::Quiet, format!("{count} belong to no node of the main graph")));
    }
    for note in &table.notes {
        lines.push(Line::of(Role::Quiet, text::prose(note, page.charset)));
    }
    lines.extend(assumed(&table.assumptions, page));
    set_remarks(lines, page);
}

/// Sizes and roles that were assumed.
pub(super) fn assumed(assumptions: &[Assumption], page: &Page) -> Vec<Line> {
    let mut rest = assumptions.iter();
    let line = |assumption: &Assumption| {
        let [what, value, why] = [&assumption.what, &assumption.value, &assumption.why]
            .map(|text| text::prose(text, page.charset));
        Line::of(Role::Plain, format!("assumed {what} = {value}"))
            .and(Role::Quiet, format!(": {why}"))
    };
    let mut lines: Vec<Line> = rest.by_ref().take(REASONS).map(line).collect();
    lines.extend(more(rest.len(), "assumption", "assumptions", page));
    lines
}

/// Lines beneath a table, after an empty one.
pub(super) fn set_remarks(lines: Vec<Line>, page: &mut Page) {
    if lines.is_empty() {
        return;
    }
    page.blank();
    for line in lines {
        for piece in line.wrap_within(page.full(), 3, page.charset) {
            page.line(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_show_what_follows() {
        let scopes: Vec<Scope> =
            [0, 1, 2, 1, 2, 2].map(|depth| Scope { depth, ..Scope::default() }).into();
        let page = Page::new(&Style::plain(80));
        assert_eq!(branches(&scopes, &page), ["", "├ ", "│ └ ", "└ ", "  ├ ", "  └ "]);
        let ascii = Page::new(&Style { width: 80, color: false, unicode: false });
        assert_eq!(branches(&scopes[..3], &ascii), ["", "`-", "  `-"]);
    }
}
