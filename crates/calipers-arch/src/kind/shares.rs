//! The shares of a network's weights that each kind of layer holds.

use calipers_ops::Class;

use crate::network::{BlockKind, Convolution, Network, NetworkOp, Origin};

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

/// The kind of a layer with weights.
#[derive(Clone, Copy)]
enum Layer {
    Convolution,
    Attention,
    Recurrence,
    Dense,
}

impl Shares {
    /// The shares of a network whose blocks are folded.
    pub(super) fn new(net: &Network<'_>) -> Self {
        let mut shares = Self::default();
        let mut last = None;
        for (_, unit) in net.units() {
            shares.add(net, unit, false, &mut last);
        }
        if let Some((layer, elements)) = last {
            *shares.elements_mut(layer) -= elements;
        }
        shares
    }

    fn add(
        &mut self,
        net: &Network<'_>,
        unit: &NetworkOp,
        in_attention: bool,
        last: &mut Option<(Layer, f64)>,
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
        let layer = match () {
            () if unit.is_class(Class::Recurrent) => Layer::Recurrence,
            () if in_attention => Layer::Attention,
            // A patch embedding is a linear layer over pixels.
            () if Convolution::of_operator(net, unit).is_some_and(|conv| conv.cuts()) => {
                Layer::Dense
            }
            () if unit.has_trait(|traits| traits.convolves) => Layer::Convolution,
            () => Layer::Dense,
        };
        *self.elements_mut(layer) += elements;
        *last = Some((layer, elements));
    }

    fn elements_mut(&mut self, layer: Layer) -> &mut f64 {
        match layer {
            Layer::Convolution => &mut self.convolution,
            Layer::Attention => &mut self.attention,
            Layer::Recurrence => &mut self.recurrence,
            Layer::Dense => &mut self.dense,
        }
    }

    /// The share of convolutions among all layers, from 0 to 1.
    pub(super) fn convolution(&self) -> f64 {
        let all = self.convolution + self.attention + self.recurrence + self.dense;
        if all > 0.0 { self.convolution / all } else { 0.0 }
    }
}
