//! Which operators feed which, over the nodes as the file has them.

use std::cmp::Reverse;

use calipers_infer::walk::{ResolvedKind, ResolvedOps, Step, steps};
use calipers_ir::{Model, ValueId};
use calipers_ops::Class;
use calipers_report::units::shortened;
use calipers_report::{Arrow, BoxKind, Diagram, DiagramBox};
use hashbrown::HashMap;

use super::MAX_LABEL;

/// Operators that have a box of their own; the rest share one.
const MAX_OPERATORS: usize = 18;
/// Arrows that are drawn, the most traveled first, but for the last one into a box.
const MAX_ARROWS: usize = 28;

const INPUT: &str = "input";
const OUTPUT: &str = "output";
const OTHER: &str = "other";

/// The operators that data passes, and how often it goes from one to another. Weights and
/// arithmetic of shapes are not data.
pub(super) fn flow(model: &Model) -> Diagram {
    let edges = edges(model);
    let mut degrees: HashMap<&str, (usize, u64)> = HashMap::new();
    for (place, ((from, to), count)) in edges.iter().enumerate() {
        for op in [*from, *to] {
            let degree = degrees.entry(op).or_insert((place, 0));
            degree.1 = degree.1.saturating_add(*count);
        }
    }
    let is_port = |op: &str| op == INPUT || op == OUTPUT;
    let mut operators: Vec<(&str, (usize, u64))> =
        degrees.into_iter().filter(|(op, _)| !is_port(op)).collect();
    operators.sort_by_key(|(op, (place, degree))| (Reverse(*degree), *place, *op));
    let many = operators.len() > MAX_OPERATORS;
    if many {
        operators.truncate(MAX_OPERATORS - 1);
    }
    // From here on in the order in which data meets them.
    operators.sort_by_key(|(op, (place, _))| (*place, *op));
    let mut names = vec![INPUT];
    names.extend(operators.iter().map(|(op, _)| *op));
    names.extend(many.then_some(OTHER));
    names.push(OUTPUT);
    let number = |op: &str| {
        names
            .iter()
            .position(|name| *name == op)
            .or_else(|| names.iter().position(|name| *name == OTHER))
    };
    let mut counts: HashMap<(usize, usize), u64> = HashMap::new();
    for ((from, to), count) in &edges {
        if let (Some(from), Some(to)) = (number(from), number(to)) {
            *counts.entry((from, to)).or_default() += count;
        }
    }
    draw(&names, counts)
}

fn draw(names: &[&str], counts: HashMap<(usize, usize), u64>) -> Diagram {
    let mut counted: Vec<((usize, usize), u64)> = counts.into_iter().collect();
    counted.sort_by_key(|(ends, count)| (Reverse(*count), *ends));
    let mut reached = vec![false; names.len()];
    let mut left = vec![false; names.len()];
    let mut arrows = Vec::new();
    for ((from, to), count) in counted {
        let is_needed = from != to && (!reached[to] || !left[from]);
        if arrows.len() < MAX_ARROWS || is_needed {
            if from != to {
                (left[from], reached[to]) = (true, true);
            }
            arrows.push(Arrow { from, to, label: format!("{count}") });
        }
    }
    arrows.sort_by_key(|arrow| (arrow.from, arrow.to));
    // A box that no arrow touches says nothing.
    let is_touched =
        |box_: usize| arrows.iter().any(|arrow| arrow.from == box_ || arrow.to == box_);
    let kept: Vec<usize> = (0..names.len()).filter(|box_| is_touched(*box_)).collect();
    let place = |old: usize| kept.iter().position(|kept| *kept == old).unwrap_or(0);
    let arrows = arrows
        .iter()
        .map(|arrow| Arrow { from: place(arrow.from), to: place(arrow.to), ..arrow.clone() })
        .collect();
    let drawn = |name: &str| DiagramBox {
        label: match name {
            INPUT => "Inputs".to_owned(),
            OUTPUT => "Outputs".to_owned(),
            OTHER => "other operators".to_owned(),
            op => shortened(op, MAX_LABEL),
        },
        detail: String::new(),
        kind: match name {
            INPUT => BoxKind::Input,
            OUTPUT => BoxKind::Output,
            OTHER => BoxKind::OtherOperators,
            _ => BoxKind::Operator,
        },
        times: 1,
    };
    Diagram { boxes: kept.iter().map(|box_| drawn(names[*box_])).collect(), arrows }
}

/// How often data goes from one operator to another, in the order in which it first does.
fn edges(model: &Model) -> Vec<((&str, &str), u64)> {
    let resolved = ResolvedOps::find(model);
    // The operator that gives each value, for values that follow from data.
    let mut givers: Vec<Option<&str>> = vec![None; model.values().len()];
    for (_, graph) in model.graphs() {
        for value in &graph.inputs {
            let stored = model.value(*value);
            if stored.initializer.is_none() && stored.sparse_initializer.is_none() {
                givers[value.index()] = Some(INPUT);
            }
        }
    }
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    let mut edges: Vec<((&str, &str), u64)> = Vec::new();
    let mut count = |from, to| {
        let place = *places.entry((from, to)).or_insert(edges.len());
        match edges.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => edges.push(((from, to), 1)),
        }
    };
    for step in steps(model, &resolved).into_iter().flatten() {
        let Step::Node(node) = step else { continue };
        let op = model.written_op(node);
        if let ResolvedKind::Operator(row) = resolved.get(node).kind
            && row.traits.class == Class::ShapeQuery
        {
            continue;
        }
        let given = |value: &ValueId| givers.get(value.index()).copied().flatten();
        let from: Vec<&str> = model.inputs(node).iter().flatten().filter_map(given).collect();
        if from.is_empty() {
            continue;
        }
        for from in from {
            count(from, op);
        }
        for output in model.outputs(node).iter().flatten() {
            givers[output.index()] = Some(op);
        }
    }
    for output in &model.main().outputs {
        if let Some(from) = givers.get(output.index()).copied().flatten() {
            count(from, OUTPUT);
        }
    }
    edges
}
