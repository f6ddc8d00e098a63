//! What each operator costs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use calipers_infer::CostTotal;
use calipers_ir::Model;
use calipers_report::{OperatorCost, Work};

use super::{NodeWork, add_work, figures};
use crate::assume::Sizes;
use crate::experts::Experts;

/// The nodes of the main graph added up by operator, most arithmetic first; what is not known comes
/// before all, since it may be anything.
pub(super) fn add_up(
    model: &Model,
    node_work: &NodeWork<'_>,
    sizes: &Sizes,
    experts: &Experts,
) -> Vec<OperatorCost> {
    let mut by_op: BTreeMap<&str, OperatorCost> = BTreeMap::new();
    // Formulas without a figure: those of a layer's experts have one together.
    let mut formulas: BTreeMap<&str, CostTotal> = BTreeMap::new();
    for id in &model.main().order {
        let Some((total_cost, work)) = node_work.cost_of(*id) else { continue };
        let op = model.written_op(*id);
        let cost = by_op.entry(op).or_insert_with(|| OperatorCost {
            op: op.to_owned(),
            work: Work::ZERO,
            ..OperatorCost::default()
        });
        cost.nodes += 1;
        let is_known = work.macs.and(work.other_flops).and(work.bytes_moved).is_some();
        if is_known || experts.is_empty() {
            add_work(&mut cost.work, &work);
        } else {
            formulas.entry(op).or_default().add(total_cost);
        }
    }
    for (op, formula) in formulas {
        if let Some(cost) = by_op.get_mut(op) {
            add_work(&mut cost.work, &figures(&experts.add_up(&formula), sizes));
        }
    }
    let mut costs: Vec<OperatorCost> = by_op.into_values().collect();
    costs.retain(|cost| arithmetic(cost) != Some(0));
    let total: Option<u128> = costs.iter().map(arithmetic).sum();
    for cost in &mut costs {
        cost.percent = arithmetic(cost).zip(total).map(|(part, total)| percent(part, total));
    }
    // Stable, so equals stay in the order of their names.
    costs.sort_by_key(|cost| Reverse(arithmetic(cost).unwrap_or(u128::MAX)));
    costs
}

/// All arithmetic of an operator's nodes.
fn arithmetic(cost: &OperatorCost) -> Option<u128> {
    Some(u128::from(cost.work.flops()?) + u128::from(cost.work.other_flops?))
}

/// A share to two decimals; one that would round to nothing without being it stays as it is.
#[expect(clippy::cast_precision_loss, reason = "two decimals are kept")]
fn percent(part: u128, total: u128) -> f64 {
    let share = part as f64 / total.max(1) as f64;
    let rounded = (share * 10_000.0).round() / 100.0;
    if rounded > 0.0 { rounded } else { share * 100.0 }
}
