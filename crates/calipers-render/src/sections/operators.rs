//! Operators, how many nodes each has, and their share.

use calipers_report::{Arrow, BoxKind, OperatorCount, Report};

use super::context::Context;
use super::wording::{joined, more, qualified};
use crate::document::Block;
use crate::table::Value;
use crate::value::Spans;
use crate::{chart, tables, units};

/// Operators that a table shows; the others are named beneath it.
const SHOWN: usize = 8;
/// Operators that a screen shows.
const BARS: usize = 5;
/// Operators that are named at all.
const MOST: usize = 200;
/// Pairs of operators that are listed.
const PAIRS: usize = 5;

/// The operators, for a screen.
pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    brief(operators_run(context.report))
}

/// The operators of a card, and which of them feed which.
pub(super) fn blocks(report: &Report) -> Vec<Block> {
    let graph = &report.graph;
    if graph.operators.is_empty() {
        return vec![];
    }
    let mut blocks = vec![];
    let drawn = chart::bar_rows(graph.operators.len());
    blocks.push(Block::ChartOr {
        name: "operators",
        rest: others(&graph.operators[drawn..]).into_iter().collect(),
        otherwise: top(&graph.operators),
    });
    if let Some(pairs) = pairs(report) {
        let words = Spans::plain("Operator flow: ");
        blocks.push(Block::Paragraph(words.and_all(pairs).and_text(".")));
    }
    if has_subgraphs(report) {
        let all = top(&graph.operators_total);
        blocks.push(Block::fold("Operators with subgraphs and functions", all));
    }
    blocks
}

/// The most frequent operators in a table, and the others in a line.
fn top(operators: &[OperatorCount]) -> Vec<Block> {
    // Naming one or two apart would save nothing.
    let shown = if operators.len() <= SHOWN + 2 { operators.len() } else { SHOWN };
    let (shown, rest) = operators.split_at(shown);
    std::iter::once(Block::Table(tables::operators(shown))).chain(others(rest)).collect()
}

/// Operators in a line, each with its number of nodes.
fn others(operators: &[OperatorCount]) -> Option<Block> {
    let one = |operator: &OperatorCount| {
        Spans::from(qualified(&operator.op, &operator.domain))
            .and_text(format!(" {}", units::integer(operator.count)))
    };
    let named = joined(operators.iter().take(MOST).map(one).collect(), ", ")?;
    Some(Block::Paragraph(Spans::plain("Other operators: ").and_all(named).and_text(".")))
}

/// Which operators feed which most often.
fn pairs(report: &Report) -> Option<Spans> {
    let flow = &report.architecture.flow_diagram;
    let is_operator =
        |place: usize| flow.boxes.get(place).is_some_and(|drawn| drawn.kind == BoxKind::Operator);
    let count = |arrow: &Arrow| arrow.label.replace(',', "").parse::<u64>().unwrap_or(1);
    let mut arrows: Vec<&Arrow> = flow
        .arrows
        .iter()
        .filter(|arrow| is_operator(arrow.from) && is_operator(arrow.to))
        .collect();
    // Stable, so equals stay in order of execution.
    arrows.sort_by_key(|arrow| std::cmp::Reverse(count(arrow)));
    let pair = |arrow: &Arrow| {
        let name = |place: usize| Value::name(&flow.boxes[place].label);
        Spans::from(name(arrow.from))
            .and_text(" → ")
            .and_value(name(arrow.to))
            .and_text(format!(" {}", units::integer(count(arrow))))
    };
    joined(arrows.into_iter().take(PAIRS).map(pair).collect(), ", ")
}

/// The operators of a run: those of subgraphs and functions too, where there are any.
fn operators_run(report: &Report) -> &[OperatorCount] {
    match has_subgraphs(report) {
        true => &report.graph.operators_total,
        false => &report.graph.operators,
    }
}

/// Whether nodes are in subgraphs or functions.
pub(super) fn has_subgraphs(report: &Report) -> bool {
    report.graph.nodes_total != report.graph.nodes
}

/// The most frequent operators, and the rest in one line.
fn brief(operators: &[OperatorCount]) -> Vec<Block> {
    // Folding one would save nothing.
    let shown = if operators.len() > BARS + 1 { BARS } else { operators.len() };
    let (shown, rest) = operators.split_at(shown);
    let mut blocks = vec![Block::Table(tables::operators(shown).without_headings())];
    blocks.extend(more(rest.len(), ["operator", "operators"]).map(|words| {
        let nodes: u128 = rest.iter().map(|operator| u128::from(operator.count)).sum();
        Block::Note(words.and_quiet(format!(", {}", units::counted(nodes, "node", "nodes"))))
    }));
    blocks
}
