//! From queries, keys or values back to the sequence they are made from.

use calipers_ops::Movement;
use hashbrown::HashSet;

use crate::network::{
    BlockKind, NORMS as LAYER_NORMS, Network, NetworkOp, Op, OpId, Origin, Val, With,
};

/// Units between a query and the projection that makes it.
const MAX_NEAR: usize = 64;

/// Units that are looked at before a projection, to see where two streams meet.
const MAX_FAR: usize = 32;

/// Norms, as operators and as blocks.
pub(super) const NORMS: ((&[BlockKind], With), (BlockKind, &str)) =
    (LAYER_NORMS, (BlockKind::L2Norm, "LpNormalization"));

/// Whether a unit hands on its first input, or a part of it, in another place or size.
fn moves(unit: &NetworkOp) -> bool {
    matches!(
        unit.movement(),
        Some(Movement::Gather | Movement::Pad | Movement::Repeat | Movement::Slice)
    )
}

/// Whether a unit joins earlier steps with this one.
fn joins(unit: &NetworkOp) -> bool {
    matches!(unit.movement(), Some(Movement::Join | Movement::Scatter { .. }))
}

/// What else a single stream passes on its way: poolings and functions of single elements.
const LIGHT: ((BlockKind, &[BlockKind]), With) = (
    (BlockKind::ConvNormAct, BlockKind::ACTIVATIONS),
    With(|traits| traits.is_unary || traits.pool().is_some()),
);

/// How queries, keys or values come about.
pub(super) struct Stream {
    pub(super) origin: Origin,
    /// Every unit up to the projection, that among them.
    pub(super) units: Vec<OpId>,
    /// Those of them that are views next to the product.
    pub(super) views: Vec<OpId>,
    /// What is projected; what is taken as it is where nothing is projected.
    pub(super) sources: Vec<Val>,
    /// Values on the way.
    seen: HashSet<Val>,
    pub(super) rotary: bool,
    /// Whether an input of the network is joined to it.
    pub(super) cached: bool,
    /// How often each head is repeated.
    pub(super) repeated: Option<i64>,
    /// Width of what is projected.
    pub(super) width: Option<i64>,
}

/// Whether a unit is a product with weights.
pub(super) fn is_projection(net: &Network<'_>, unit: &NetworkOp) -> bool {
    match unit.op {
        Op::Operator("Conv") | Op::Block(BlockKind::Linear | BlockKind::Convolution) => true,
        Op::Operator("Einsum" | "Gemm" | "MatMul") => net.data_inputs(unit).count() == 1,
        _ => false,
    }
}

impl Stream {
    /// The stream behind a value.
    pub(super) fn back(net: &Network<'_>, val: Val) -> Self {
        let mut stream = Self {
            origin: net.origin(val),
            units: Vec::new(),
            views: Vec::new(),
            sources: Vec::new(),
            seen: HashSet::new(),
            rotary: false,
            cached: false,
            repeated: None,
            width: None,
        };
        stream.views(net, val);
        let mut stack = vec![(val, false)];
        while let Some((val, joined)) = stack.pop() {
            if !net.is_data(val) || !stream.seen.insert(val) {
                continue;
            }
            let Some(id) = net.producer(val) else {
                stream.cached |= joined;
                if !joined {
                    stream.sources.push(val);
                }
                continue;
            };
            let unit = net.unit(id);
            if is_projection(net, unit) {
                stream.units.push(id);
                if let Some(x) = net.data_inputs(unit).next() {
                    stream.sources.push(x);
                    let channels = if unit.is((BlockKind::Convolution, "Conv")) { 1 } else { -1 };
                    stream.width = stream.width.or_else(|| net.dim(x, channels));
                }
            } else if stream.units.len() < MAX_NEAR
                && let Some(before) = step(net, unit)
            {
                stream.rotary |= unit.is(BlockKind::Rotary);
                stream.units.push(id);
                let joined = joined || joins(unit);
                stack.extend(before.into_iter().map(|val| (val, joined)));
            } else {
                stream.sources.push(val);
            }
        }
        stream.units.sort_unstable();
        stream.units.dedup();
        stream
    }

    /// The views next to the product, and what they repeat.
    fn views(&mut self, net: &Network<'_>, val: Val) {
        let mut val = val;
        while self.views.len() < 12
            && let Some(id) = net.producer(val)
            && let unit = net.unit(id)
            && let Some(before) = match unit.op {
                Op::Operator("Div" | "Mul") => net.data_and_constant(unit).map(|(data, _)| data),
                Op::Operator("Tile") => unit.input(0),
                _ if unit.is_layout() => unit.input(0),
                _ => None,
            }
        {
            if unit.is(["Expand", "Tile"]) {
                self.repeated = self.repeated.or_else(|| repeats(net, before, val));
            }
            self.views.push(id);
            val = before;
        }
    }

    /// Whether two streams come from one sequence: the ways back from both meet before anything
    /// joins them with others.
    pub(super) fn meets(&self, net: &Network<'_>, other: &Self) -> bool {
        let (mine, others) = (self.far(net), other.far(net));
        mine.iter().any(|val| others.contains(val))
    }

    fn far(&self, net: &Network<'_>) -> HashSet<Val> {
        let mut seen = self.seen.clone();
        let mut stack = self.sources.clone();
        let mut steps = 0;
        while let Some(val) = stack.pop() {
            seen.insert(val);
            if steps < MAX_FAR
                && let Some(unit) = net.producer(val).map(|unit| net.unit(unit))
                && let Some(before) = local(net, unit)
            {
                steps += 1;
                stack.extend(before.into_iter().filter(|val| !seen.contains(val)));
            }
        }
        seen
    }

    /// Whether what is projected are windows of an image, laid into the batch.
    pub(super) fn is_partitioned(&self, net: &Network<'_>) -> bool {
        self.sources.iter().any(|source| {
            let mut val = *source;
            let few = net.rank(val) <= Some(4);
            for _ in 0..8 {
                let Some(view) = net.layout_before(val) else { return false };
                let Some(before) = net.unit(view).input(0) else { return false };
                // Rows and columns are each parted in two, and the parts change places.
                if few && net.unit(view).is("Transpose") && net.rank(before) >= Some(6) {
                    return true;
                }
                val = before;
            }
            false
        })
    }
}

/// How often an `Expand` repeats heads: along an axis of one that is neither the batch nor the
/// channels.
fn repeats(net: &Network<'_>, before: Val, after: Val) -> Option<i64> {
    let (before, after) = (net.shape(before)?, net.shape(after)?);
    let (Some(inner), true) = (after.len().checked_sub(1), before.len() == after.len()) else {
        return None;
    };
    let pairs = before.iter().zip(after).take(inner).skip(1);
    let grown = pairs.filter_map(|(before, after)| {
        let (before, after) = (before.as_const()?, after.as_const()?);
        (before > 0 && after > before).then(|| after / before)
    });
    grown.reduce(|a, b| a.saturating_mul(b)).filter(|times| *times > 1)
}

/// What a unit near the product hands on; `None` when it does something else.
fn step(net: &Network<'_>, unit: &NetworkOp) -> Option<Vec<Val>> {
    match unit.op {
        Op::Block(BlockKind::Rotary) => Some(vec![unit.input(0)?]),
        _ if joins(unit) => Some(net.data_inputs(unit).collect()),
        _ if unit.is_layout() || moves(unit) || unit.is(NORMS) => {
            Some(vec![unit.input(0).filter(|input| net.is_data(*input))?])
        }
        Op::Operator("Add" | "Div" | "Mul" | "Sub") => Some(vec![net.data_and_constant(unit)?.0]),
        _ => None,
    }
}

/// What a unit before the projection hands on.
fn local(net: &Network<'_>, unit: &NetworkOp) -> Option<Vec<Val>> {
    if is_projection(net, unit) || unit.is(LIGHT) {
        return net.data_inputs(unit).next().map(|input| vec![input]);
    }
    step(net, unit)
}
