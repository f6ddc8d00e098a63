//! What each node of the main graph takes and costs.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use calipers_infer::{Bindings, CostTotal, Typed};
use calipers_ir::scope::{self, Step};
use calipers_ir::{Model, NodeId, ValueId};
use calipers_ops::canonical_domain;
use calipers_report::{CostFormula, Layer, LayerCost, LayerTable, LayerTotal, Operand, Work};
use calipers_sym::Expr;

use crate::cost::{self, figure, figures};
use crate::experts::Experts;
use crate::memory::Caches;
use crate::{assume, parameters, scopes, shapes};

/// What to show of the nodes, and in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerQuery {
    /// The order of the rows, and of scopes inside a scope.
    pub order: LayerOrder,
    /// How many rows, from the first; all when `None`.
    pub top: Option<usize>,
    /// Whether to add the nodes up by scope, down to this depth.
    pub tree: Option<usize>,
}

/// An order of rows. Where the data decides dimensions, rows are as if each were 64; rows that are
/// not known are last, equal ones as they run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayerOrder {
    /// As they run.
    #[default]
    Execution,
    /// Most multiply-accumulates first.
    Macs,
    /// Most learned elements first.
    Parameters,
    /// Most bytes moved first.
    Bytes,
}

/// A size for dimensions that the data decides; it serves only to put rows in order.
const ORDERING_SIZE: i64 = 64;

/// One node before it is written down.
pub struct Row {
    /// The node.
    pub node: NodeId,
    /// Its module.
    pub scope: Vec<Step>,
    /// Learned elements that belong to it.
    pub parameters: Option<u64>,
    /// Its cost, or why that is unknown.
    pub cost: Result<CostTotal, String>,
}

/// Every node of the main graph, with sums by scope where they are asked for.
pub fn layers(model: &Model, typed: &Typed, bindings: &Bindings, query: &LayerQuery) -> LayerTable {
    let sizes = assume::sizes(model, typed, &Caches::find(model, typed), None);
    let (mut unknown, mut assumptions) = (Vec::new(), Vec::new());
    let (parameters, owners) = parameters::measure(model, &mut unknown, &mut assumptions);
    assume::report(&sizes, &mut assumptions);
    let rows: Vec<Row> = model
        .main()
        .order
        .iter()
        .map(|node| Row {
            node: *node,
            scope: scope::steps(model, *node),
            parameters: owners.elements(*node),
            cost: match typed.cost(*node) {
                Some(Ok(total_cost)) => Ok(total_cost.clone()),
                Some(Err(reason)) => Err(reason.to_string()),
                None => Err("the node was not analyzed".to_owned()),
            },
        })
        .collect();
    let book = Book::new(model, typed, &sizes);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|i| {
        let row = &rows[*i];
        query.order.rank(row.parameters, row.cost.as_ref().ok(), &sizes)
    });
    let shown = query.top.unwrap_or(usize::MAX).min(order.len());
    let cost = cost::summarize(model, typed, &sizes, &owners, &mut unknown);
    LayerTable {
        layers: order[..shown].iter().map(|i| book.layer(*i, &rows[*i])).collect(),
        left_out: (order.len() - shown) as u64,
        scopes: match query.tree {
            Some(depth) => scopes::add_up(&rows, &book, query.order, depth),
            None => Vec::new(),
        },
        total: LayerTotal {
            nodes: rows.len() as u64,
            parameters: parameters.total,
            parameters_elsewhere: owners.elsewhere,
            cost: book.cost(&Experts::find(model, typed).add_up(&typed.total)),
            unknown: cost.unknown_count,
        },
        data_dependent: shapes::data_dependent(typed),
        bindings: crate::bindings::describe(model, bindings),
        assumptions,
        notes: cost.notes,
    }
}

impl LayerOrder {
    /// Where a row or a scope is; the smallest comes first.
    pub fn rank(
        self,
        parameters: Option<u64>,
        cost: Option<&CostTotal>,
        sizes: &assume::Sizes,
    ) -> Reverse<Option<i128>> {
        let value = |expr: &Expr| {
            let size =
                |name: &str| Some(sizes.get(name).map_or(ORDERING_SIZE, |assumed| assumed.size));
            expr.evaluate_wide(size).ok()
        };
        Reverse(match self {
            Self::Execution => None,
            Self::Macs => cost.and_then(|cost| value(&cost.macs)),
            Self::Parameters => parameters.map(i128::from),
            Self::Bytes => cost.and_then(|cost| value(&cost.bytes_moved)),
        })
    }
}

/// Costs that are remembered; a model of more kinds than this does not repeat layers.
const MOST_KNOWN: usize = 4096;

/// What rows are written down from.
pub struct Book<'a> {
    model: &'a Model,
    typed: &'a Typed,
    total: &'a CostTotal,
    /// All multiply-accumulates at these sizes.
    total_macs: Option<u64>,
    known: RefCell<HashMap<(Expr, Expr, Expr), LayerCost>>,
    /// Sizes assumed for free dimensions.
    pub sizes: &'a assume::Sizes,
}

impl<'a> Book<'a> {
    /// Evaluates costs at these sizes.
    pub fn new(model: &'a Model, typed: &'a Typed, sizes: &'a assume::Sizes) -> Self {
        let total_macs = figure(&typed.total.macs, sizes).ok();
        Self { model, typed, total: &typed.total, total_macs, known: RefCell::default(), sizes }
    }
}

impl Book<'_> {
    fn layer(&self, index: usize, row: &Row) -> Layer {
        let model = self.model;
        let operands = |values: &[Option<ValueId>]| {
            values.iter().map(|value| value.map(|value| self.operand(value))).collect()
        };
        Layer {
            index: index as u64,
            node: model.node_label(row.node),
            op: model.written_op(row.node).to_owned(),
            domain: canonical_domain(model.written_domain(row.node)).to_owned(),
            scope: scope::path(&row.scope),
            inputs: operands(model.inputs(row.node)),
            outputs: operands(model.outputs(row.node)),
            parameters: row.parameters,
            cost: row.cost.as_ref().map(|cost| self.cost(cost)).unwrap_or_default(),
            reason: row.cost.as_ref().err().cloned(),
        }
    }

    fn operand(&self, value: ValueId) -> Operand {
        Operand {
            name: self.model.name(self.model.value(value).name).to_owned(),
            value: shapes::shape(self.typed.fact(value)),
        }
    }

    /// A cost as figures, and as formulas where dimensions are free.
    pub fn cost(&self, cost: &CostTotal) -> LayerCost {
        if [&cost.macs, &cost.other_flops, &cost.bytes_moved].into_iter().all(Expr::is_const) {
            return self.work_out(cost);
        }
        // Formulas take time to print and to evaluate, and layers of one shape share their cost.
        let key = (cost.macs.clone(), cost.other_flops.clone(), cost.bytes_moved.clone());
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let found = self.work_out(cost);
        let mut known = self.known.borrow_mut();
        if known.len() < MOST_KNOWN {
            known.insert(key, found.clone());
        }
        found
    }

    fn work_out(&self, cost: &CostTotal) -> LayerCost {
        let text = |expr: &Expr| {
            let is_free = !expr.is_const() && !expr.is_undefined();
            is_free.then(|| Arc::from(expr.to_string()))
        };
        let work = figures(cost, self.sizes);
        LayerCost {
            work,
            macs_percent: self.share(&cost.macs, work.macs),
            intensity: intensity(&work),
            formula: CostFormula {
                bytes_moved: text(&cost.bytes_moved),
                macs: text(&cost.macs),
                other_flops: text(&cost.other_flops),
            },
        }
    }

    /// Share of all multiply-accumulates: of two figures, or of two multiples of one formula.
    fn share(&self, macs: &Expr, at: Option<u64>) -> Option<f64> {
        let total = &self.total.macs;
        if let (Some(macs), Some(total)) = (at, self.total_macs) {
            return Some(crate::graph::percent(macs, total));
        }
        let leading = |expr: &Expr| i64::try_from(expr.terms().next()?.0).ok();
        if macs.as_const() == Some(0) && !total.is_undefined() {
            return Some(0.0);
        }
        let (part, whole) = (leading(macs)?, leading(total)?);
        let same = macs * &Expr::from(whole) == total * &Expr::from(part);
        let counts = (u64::try_from(part).ok()?, u64::try_from(whole).ok()?);
        (same && counts.1 > 0).then(|| crate::graph::percent(counts.0, counts.1))
    }
}

/// Arithmetic for each byte, to two decimals.
#[expect(clippy::cast_precision_loss, reason = "a ratio to two decimals needs no more")]
fn intensity(work: &Work) -> Option<f64> {
    let flops = u128::from(work.flops()?) + u128::from(work.other_flops?);
    let bytes = work.bytes_moved.filter(|bytes| *bytes > 0)?;
    Some((flops as f64 / bytes as f64 * 100.0).round() / 100.0)
}
