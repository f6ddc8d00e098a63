//! What does the work of a network, by the weights that each kind of layer holds.

use calipers_ops::Class;

use crate::network::{BlockKind, Network, NetworkOp, Origin};

/// Elements of the weights that each kind of layer multiplies with. The last layer is left out: how
/// many classes there are says nothing of the network.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Shares {
    /// Convolutions, depthwise and pointwise ones too.
    convolution: f64,
    /// Attention and its feed-forwards, whatever operators compute them.
    attention: f64,
    recurrence: f64,
    dense: f64,
}

impl Shares {
    /// The shares of a network whose blocks are folded.
    pub(super) fn new(net: &Network<'_>) -> Self {
        let mut shares = Self::default();
        let mut last = (0, 0.0);
        for (_, unit) in net.units() {
            shares.add(net, unit, false, &mut last);
        }
        let (of, elements) = last;
        match of {
            1 => shares.convolution -= elements,
            2 => shares.attention -= elements,
            3 => shares.recurrence -= elements,
            _ => shares.dense -= elements,
        }
        shares
    }

    fn add(
        &mut self,
        net: &Network<'_>,
        unit: &NetworkOp,
        in_attention: bool,
        last: &mut (u8, f64),
    ) {
        let in_attention = in_attention || unit.is(BlockKind::Attention);
        for part in &unit.parts {
            self.add(net, part, in_attention, last);
        }
        if !unit.parts.is_empty() || !unit.is_contraction() {
            return;
        }
        let stored =
            unit.inputs.iter().flatten().filter(|val| net.origin(**val) == Origin::Constant);
        let elements: f64 =
            stored.filter_map(|val| net.elements(*val)).map(|count| count as f64).sum();
        if elements == 0.0 {
            return;
        }
        let (of, share) = match () {
            () if unit.is_class(Class::Recurrent) => (3, &mut self.recurrence),
            () if in_attention => (2, &mut self.attention),
            () if unit.has_trait(|traits| traits.convolves) => (1, &mut self.convolution),
            () => (0, &mut self.dense),
        };
        *share += elements;
        *last = (of, elements);
    }

    /// The share of convolutions among all layers, from 0 to 1.
    pub(super) fn convolution(&self) -> f64 {
        let all = self.convolution + self.attention + self.recurrence + self.dense;
        if all > 0.0 { self.convolution / all } else { 0.0 }
    }
}
