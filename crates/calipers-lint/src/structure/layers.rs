//! The network as a flat list of layers in topological order.
//!
//! Blocks with several layers are expanded; a layer, a norm or an activation remains one entry, also
//! if it is decomposed.

use calipers_arch::network::{BlockKind, Convolution, Details, Network, NetworkOp, Val};
use hashbrown::HashMap;

/// Whether a block counts as one layer.
fn is_whole(kind: BlockKind) -> bool {
    kind.is_norm()
        || kind.is_activation()
        || matches!(
            kind,
            BlockKind::Convolution
                | BlockKind::Embedding
                | BlockKind::GatedSkip
                | BlockKind::HardSigmoid
                | BlockKind::L2Norm
                | BlockKind::Linear
                | BlockKind::Lrn
                | BlockKind::Recurrent
                | BlockKind::Rotary
        )
}

/// The layers of a network in topological order.
pub(in super::super) struct Layers<'n> {
    pub(in super::super) units: Vec<&'n NetworkOp>,
    makers: HashMap<Val, usize>,
    readers: HashMap<Val, Vec<usize>>,
}

impl<'n> Layers<'n> {
    pub(in super::super) fn from_network(net: &'n Network<'_>) -> Self {
        let mut units = Vec::new();
        let mut stack: Vec<&NetworkOp> = net.units().map(|(_, unit)| unit).collect();
        stack.reverse();
        while let Some(unit) = stack.pop() {
            if unit.parts.is_empty() || unit.block().is_some_and(is_whole) {
                units.push(unit);
            } else {
                stack.extend(unit.parts.iter().rev());
            }
        }
        let mut makers = HashMap::new();
        let mut readers: HashMap<Val, Vec<usize>> = HashMap::new();
        for (at, unit) in units.iter().enumerate() {
            makers.extend(unit.outputs.iter().map(|output| (*output, at)));
            for input in net.data_inputs(unit) {
                readers.entry(input).or_default().push(at);
            }
        }
        Self { units, makers, readers }
    }

    /// Returns the layer that computes a value.
    pub(super) fn maker(&self, val: Val) -> Option<usize> {
        self.makers.get(&val).copied()
    }

    /// Returns the only consumer of a value, unless the value is an output.
    pub(super) fn only_reader(&self, net: &Network<'_>, val: Val) -> Option<usize> {
        match self.readers.get(&val).map(Vec::as_slice) {
            Some([only]) if !net.is_output(val) => Some(*only),
            _ => None,
        }
    }

    /// Returns for each layer the number of weighted layers on the longest path to it, including
    /// itself. Layers for which `ends` holds start a new path.
    pub(super) fn depths(
        &self,
        net: &Network<'_>,
        ends: impl Fn(&NetworkOp) -> bool,
    ) -> Vec<usize> {
        let mut depths = vec![0; self.units.len()];
        for (at, unit) in self.units.iter().enumerate() {
            if ends(unit) {
                continue;
            }
            let before = net.data_inputs(unit).filter_map(|input| self.maker(input));
            let before = before.filter(|maker| *maker < at).map(|maker| depths[maker]).max();
            depths[at] = before.unwrap_or(0) + usize::from(is_weighted(unit));
        }
        depths
    }
}

/// Whether an operation is a weighted layer. A depthwise convolution counts together with the
/// pointwise convolution after it.
fn is_weighted(unit: &NetworkOp) -> bool {
    unit.is(BlockKind::WEIGHTED) && !unit.convolution().is_some_and(Convolution::is_depthwise)
}

/// Returns the input and output features or channels of a weighted layer.
pub(in super::super) fn widths(unit: &NetworkOp) -> Option<(i64, i64)> {
    match unit.details()? {
        Details::Linear(linear) => Some((linear.in_features?, linear.out_features?)),
        Details::Convolution(conv) => Some((conv.in_channels?, conv.out_channels?)),
        _ => None,
    }
}

/// Whether a weighted layer adds a bias.
pub(in super::super) fn has_bias(unit: &NetworkOp) -> bool {
    unit.linear().is_some_and(|linear| linear.bias)
        || unit.convolution().is_some_and(|conv| conv.bias)
}

/// Returns the number of weighted layers.
pub(super) fn weighted(net: &Network<'_>) -> usize {
    let count: i64 = BlockKind::WEIGHTED.iter().map(|kind| net.count(*kind)).sum();
    usize::try_from(count).unwrap_or(0)
}

/// Whether an operation is a contraction in any form.
pub(super) fn contracts(unit: &NetworkOp) -> bool {
    unit.is(BlockKind::WEIGHTED) || unit.is_contraction() || unit.is(BlockKind::Recurrent)
}
