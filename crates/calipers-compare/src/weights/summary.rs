//! The section on weights: totals, the tensors that differ, the difference by depth.

use calipers_ir::{GraphKind, Model, NodeId, TensorId};
use calipers_report::{DepthChange, TensorChange, TensorDifference, WeightChanges};
use calipers_weights::Difference;
use hashbrown::HashMap;

use super::{Measured, relation};

/// Tensors that differ and are listed.
const MAX_LISTED: usize = 200;

/// Parts of the depth, at most: what a chart of a terminal's width shows.
const SEGMENTS: usize = 32;

pub(super) fn summarize(
    a: &Model,
    measured: &[Measured],
    refused: u64,
    name_a: impl Fn(TensorId) -> String,
    name_b: impl Fn(TensorId) -> String,
) -> WeightChanges {
    let weights: Vec<&Measured> = measured.iter().filter(|pair| pair.is_weight()).collect();
    let judged = relation::judged(&weights);
    let different = measured.iter().filter(|pair| !pair.difference.is_none()).count() as u64;
    let (relation, why) = relation::relation(&weights, refused);
    let compared = measured.len() as u64;
    let mut changes = WeightChanges {
        relation,
        why,
        compared,
        identical: compared - different,
        different,
        bytes: measured.iter().map(|pair| pair.bytes).fold(0, u64::saturating_add),
        total: (!judged.is_empty()).then(|| figures(&total(judged.iter().copied()))),
        by_depth: by_depth(a, judged.iter().copied()),
        ..WeightChanges::default()
    };
    let mut listed: Vec<&Measured> =
        measured.iter().filter(|pair| !pair.difference.is_none()).collect();
    // A tensor of zeros that is not one any more has changed more than any other.
    let size = |pair: &Measured| pair.difference.relative_norm().unwrap_or(f64::INFINITY);
    listed.sort_by(|left, right| size(right).total_cmp(&size(left)));
    listed.truncate(MAX_LISTED);
    changes.tensors = listed.into_iter().map(|pair| change(a, pair, &name_a, &name_b)).collect();
    changes
}

fn change(
    a: &Model,
    pair: &Measured,
    name_a: &impl Fn(TensorId) -> String,
    name_b: &impl Fn(TensorId) -> String,
) -> TensorChange {
    let (left, right) = (&pair.candidate.a, &pair.candidate.b);
    let mut through: Vec<&str> = left.through.iter().map(String::as_str).collect();
    for step in &right.through {
        if !through.contains(&step.as_str()) {
            through.push(step);
        }
    }
    let shape = if left.is_flat { right } else { left };
    TensorChange {
        a: name_a(left.tensor),
        b: name_b(right.tensor),
        node: pair.candidate.node.map_or_else(String::new, |node| a.node_label(node)),
        dtype_a: left.dtype,
        dtype_b: right.dtype,
        shape: shape.axes.iter().map(|axis| i64::try_from(axis.0).unwrap_or(i64::MAX)).collect(),
        through: through.join(", "),
        difference: figures(&pair.difference),
    }
}

/// All elements of some pairs as one tensor.
pub(super) fn total<'m>(pairs: impl Iterator<Item = &'m Measured>) -> Difference {
    let mut total = Difference::default();
    pairs.for_each(|pair| total.merge(&pair.difference));
    total
}

/// The figures of a difference, each a number that JSON can hold.
fn figures(difference: &Difference) -> TensorDifference {
    TensorDifference {
        elements: difference.elements,
        different: difference.different,
        max_abs: difference.largest(),
        mean_abs: difference.mean_abs(),
        relative_norm: difference.relative_norm(),
        cosine: difference.cosine(),
        snr_db: difference.snr_db(),
        sign_flips: difference.sign_flips,
        not_finite: difference.not_finite,
    }
}

/// The difference along the first model's order of execution.
fn by_depth<'m>(a: &Model, pairs: impl Iterator<Item = &'m Measured>) -> Vec<DepthChange> {
    let order = &a.main().order;
    let places: HashMap<NodeId, usize> =
        order.iter().enumerate().map(|(at, node)| (*node, at)).collect();
    let count = SEGMENTS.min(order.len());
    let mut segments = vec![(0_u64, Difference::default()); count];
    let mut is_any = false;
    for pair in pairs {
        let Some(place) = pair.candidate.node.and_then(|node| place(a, node, &places)) else {
            continue;
        };
        let (tensors, sum) = &mut segments[place * count / order.len()];
        *tensors += 1;
        sum.merge(&pair.difference);
        is_any = true;
    }
    if !is_any {
        return Vec::new();
    }
    let segments = segments.into_iter().enumerate().map(|(at, (tensors, sum))| DepthChange {
        from_percent: percent(at, count),
        tensors,
        relative_norm: sum.relative_norm(),
    });
    segments.collect()
}

/// Where a node is in the main graph; for nodes of subgraphs, where the node around them is.
fn place(model: &Model, node: NodeId, places: &HashMap<NodeId, usize>) -> Option<usize> {
    let mut node = node;
    for _ in 0..=model.graphs().len() {
        if let Some(place) = places.get(&node) {
            return Some(*place);
        }
        match model.graph(model.node(node).graph).kind {
            GraphKind::Subgraph { node: around, .. } => node = around,
            _ => return None,
        }
    }
    None
}

#[expect(clippy::cast_precision_loss, reason = "both are at most 32")]
fn percent(at: usize, count: usize) -> f64 {
    (at as f64 / count as f64 * 10_000.0).round() / 100.0
}
