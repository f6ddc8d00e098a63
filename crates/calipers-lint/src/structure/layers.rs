//! The network as layers: what is inside of blocks brought into one line, in order.
//!
//! Blocks of many layers are opened; a layer, a norm or an activation stays whole, in whatever form
//! it is written.

use calipers_arch::network::{BlockKind, Convolution, Details, Network, NetworkOp, Val};
use hashbrown::HashMap;

/// Whether a block is one layer.
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

/// The layers of a network, each before those that read it.
pub(in super::super) struct Layers<'n> {
    pub(in super::super) units: Vec<&'n NetworkOp>,
    makers: HashMap<Val, usize>,
    readers: HashMap<Val, Vec<usize>>,
}

impl<'n> Layers<'n> {
    pub(in super::super) fn of(net: &'n Network<'_>) -> Self {
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

    /// The layer that gives a value.
    pub(super) fn maker(&self, val: Val) -> Option<usize> {
        self.makers.get(&val).copied()
    }

    /// The one layer that reads a value, when there is one and the value is no output.
    pub(super) fn only_reader(&self, net: &Network<'_>, val: Val) -> Option<usize> {
        match self.readers.get(&val).map(Vec::as_slice) {
            Some([only]) if !net.is_output(val) => Some(*only),
            _ => None,
        }
    }

    /// For each layer, how many weighted layers lie on the longest way to it, itself included. What
    /// `ends` says of starts such a way again.
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

/// Whether a unit is a layer with weights. A depthwise convolution is half of one: the pointwise one
/// behind it is the other half.
fn is_weighted(unit: &NetworkOp) -> bool {
    unit.is(BlockKind::WEIGHTED) && !unit.convolution().is_some_and(Convolution::is_depthwise)
}

/// Features or channels that a layer with weights reads and gives.
pub(in super::super) fn widths(unit: &NetworkOp) -> Option<(i64, i64)> {
    match unit.details()? {
        Details::Linear(linear) => Some((linear.in_features?, linear.out_features?)),
        Details::Convolution(conv) => Some((conv.in_channels?, conv.out_channels?)),
        _ => None,
    }
}

/// Whether a layer with weights adds a bias.
pub(in super::super) fn has_bias(unit: &NetworkOp) -> bool {
    unit.linear().is_some_and(|linear| linear.bias)
        || unit.convolution().is_some_and(|conv| conv.bias)
}

/// How many layers with weights there are: many networks have none, and need no further look.
pub(super) fn weighted(net: &Network<'_>) -> usize {
    let count: i64 = BlockKind::WEIGHTED.iter().map(|kind| net.count(*kind)).sum();
    usize::try_from(count).unwrap_or(0)
}

/// Whether a unit contracts, in whatever form.
pub(super) fn contracts(unit: &NetworkOp) -> bool {
    unit.is(BlockKind::WEIGHTED) || unit.is_contraction() || unit.is(BlockKind::Recurrent)
}
