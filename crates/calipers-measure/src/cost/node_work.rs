//! The figures of every node's cost, evaluated together.

use std::collections::HashMap;

use calipers_infer::{CostTotal, Typed};
use calipers_ir::{Model, NodeId};
use calipers_report::Work;
use calipers_sym::{Expr, ExprId, Pool, Values};

use crate::assume::Sizes;

/// What each node of the main graph costs at given sizes. Formulas that nodes share are evaluated
/// once.
pub(crate) struct NodeWork<'t> {
    typed: &'t Typed,
    /// Formulas of costs, by where the costs are: layers of one shape share theirs.
    formulas: HashMap<*const CostTotal, [ExprId; 3]>,
    values: Values,
}

impl<'t> NodeWork<'t> {
    /// Evaluates the costs of the nodes of the main graph.
    pub(crate) fn new(model: &Model, typed: &'t Typed, sizes: &Sizes) -> Self {
        let mut pool = Pool::default();
        let mut formulas = HashMap::new();
        for node in &model.main().order {
            let Some(Ok(cost)) = typed.cost(*node) else { continue };
            let exprs = fields(cost);
            if exprs.into_iter().all(Expr::is_const) {
                continue;
            }
            let ids = || exprs.map(|expr| pool.intern(expr));
            formulas.entry(std::ptr::from_ref(cost)).or_insert_with(ids);
        }
        let values = pool.evaluate(|name| Some(sizes.get(name)?.size));
        Self { typed, formulas, values }
    }

    /// The cost of a node as it was inferred, with its figures; `None` where it has no cost. A figure
    /// that is not known is left out.
    pub(crate) fn cost_of(&self, node: NodeId) -> Option<(&'t CostTotal, Work)> {
        let cost = self.typed.cost(node)?.ok()?;
        let number = |value: i128| u64::try_from(value).ok();
        let [macs, other_flops, bytes_moved] = match self.formulas.get(&std::ptr::from_ref(cost)) {
            Some(ids) => ids.map(|id| self.values.get(id).ok().and_then(number)),
            None => fields(cost).map(|expr| expr.as_wide_const().and_then(number)),
        };
        Some((cost, Work { macs, other_flops, bytes_moved }))
    }
}

fn fields(cost: &CostTotal) -> [&Expr; 3] {
    [&cost.macs, &cost.other_flops, &cost.bytes_moved]
}
