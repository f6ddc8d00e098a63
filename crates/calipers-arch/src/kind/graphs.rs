//! Graph neural networks: nodes exchange messages along the edges of an edge list.

use calipers_ir::DType;
use calipers_ops::Movement;
use calipers_report::Confidence::{High, Medium};
use calipers_report::ModelKind;

use super::{Decision, counted};
use crate::network::{Network, NetworkOp, Val};
use crate::stats::NetworkStats;

/// Decides whether the network is a graph neural network; `None` for others.
///
/// An input lists edges as two rows of node ids. Node features are gathered by one row and summed by
/// the other.
pub(super) fn decide(stats: &NetworkStats<'_, '_>) -> Option<Decision> {
    let net = stats.net;
    let edges = net.inputs.iter().copied().find(|input| lists_edges(net, *input))?;
    let follows = |val: Option<Val>| val.is_some_and(|val| from_edges(net, val, edges));
    let is_gather = |unit: &&NetworkOp| {
        unit.movement() == Some(Movement::Gather)
            && unit.input(0).is_some_and(|data| {
                net.is_data(data) && net.dtype(data).is_some_and(DType::is_float)
            })
            && follows(unit.input(1))
    };
    let is_scatter = |unit: &&NetworkOp| {
        matches!(unit.movement(), Some(Movement::Scatter { .. })) && follows(unit.input(1))
    };
    let (gathers, scatters) =
        (net.all().filter(is_gather).count(), net.all().filter(is_scatter).count());
    // Features of both ends may be read for each edge, and not be added up at nodes.
    let named = || net.hint(edges).judge(|name| name.to_lowercase().contains("edge"));
    if gathers >= 2 && scatters == 0 && named() {
        let words = "an edge list as input, features of both nodes of each edge".to_owned();
        return Some(Decision::new(ModelKind::Gnn, None, Medium, words));
    }
    (gathers > 0 && scatters > 0).then(|| {
        let words = format!(
            "an edge list as input, {} of node features along edges and {} at nodes",
            counted(gathers, "gather", "gathers"),
            counted(scatters, "scatter", "scatters"),
        );
        Decision::new(ModelKind::Gnn, None, High, words)
    })
}

/// Whether an input has two rows of whole numbers.
fn lists_edges(net: &Network<'_>, input: Val) -> bool {
    let whole = matches!(net.dtype(input), Some(DType::Int32 | DType::Int64));
    whole && net.rank(input) == Some(2) && net.dim(input, 0) == Some(2)
}

/// Whether a value is computed from the edges, through views and index arithmetic.
fn from_edges(net: &Network<'_>, val: Val, edges: Val) -> bool {
    /// Steps between the input and an index.
    const MAX_STEPS: usize = 24;
    let mut val = val;
    for _ in 0..MAX_STEPS {
        if val == edges {
            return true;
        }
        let Some(unit) = net.producer(val).map(|id| net.unit(id)) else { return false };
        let Some(before) = net.data_inputs(unit).next() else { return false };
        val = before;
    }
    false
}
