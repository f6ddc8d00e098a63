//! A convolution with the norm and the activation that follow it.
//!
//! | form | written by |
//! |---|---|
//! | `Conv, BatchNormalization, Relu` | training mode exports, ONNX zoo |
//! | `Conv, Relu`: the norm folded into the weights | PyTorch, TensorFlow |
//! | `FusedConv`, `QLinearConv` and an activation | ONNX Runtime; lowered |
//!
//! A convolution with neither is left as it is. Extracts `in`, `out`, `kernel`, `stride`, `groups`,
//! and the `activation`, as its kind is named.

use super::Pattern;
use super::conv::{ACTIVATIONS, NORMS, conv};
use crate::network::{BlockKind, ConvNormAct, Found, Network, OpId, Ops};

pub(super) const CONV_NORM_ACT: Pattern = Pattern {
    kind: BlockKind::ConvNormAct,
    description: "Convolution with the norm and activation that follow it.",
    anchors: Ops { blocks: &[BlockKind::Convolution], operators: &["Conv"] },
    matcher: find,
};

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let convolution = conv(net, end)?;
    let mut units = vec![end];
    let mut at = net.unit(end).output();
    let mut activation = None;
    if let Some(norm) = net.only_use(at).filter(|unit| net.unit(*unit).is(NORMS)) {
        units.push(norm);
        at = net.unit(norm).output();
    }
    if let Some(found) = net.only_use(at).filter(|unit| net.unit(*unit).is(ACTIVATIONS)) {
        units.push(found);
        activation = Some(net.unit(found).op);
    }
    if units.len() < 2 {
        return None;
    }
    let details = ConvNormAct { convolution: convolution.clone(), activation };
    Some(Found::new(units).with(details).taking(net.unit(end).input(0)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::sketch::{conv, conv_relu, shape};
    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn seen(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::new().over(&["1", "8", "16", "16"], build)
    }

    #[test]
    fn with_and_without_its_norm() {
        let normed = |t: &mut Tiny, x: &str| {
            let y = conv(t, x, shape(8, 4, 3));
            let [a, b, c, d] = [(); 4].map(|()| t.weight(&[4]));
            let y = t.op("BatchNormalization", &[&y, &a, &b, &c, &d]);
            t.op("Relu", &[&y])
        };
        assert_eq!(seen(normed).kinds(), ["ConvNormAct"]);
        let folded = seen(|t, x| conv_relu(t, x, shape(8, 8, 3).groups(8)));
        assert_eq!(folded.kinds(), ["ConvNormAct"]);
        assert_eq!(
            folded.first(BlockKind::ConvNormAct, |_, unit| unit
                .conv_norm_act()
                .unwrap()
                .convolution
                .is_depthwise()),
            Some(true)
        );
        assert!(folded.takes_the_input(BlockKind::ConvNormAct));
        let quantized = |t: &mut Tiny, x: &str| {
            let x = t.quantized(x);
            let y = conv(t, &x, shape(8, 4, 3));
            let y = t.quantized(&y);
            t.op("Relu", &[&y])
        };
        assert_eq!(seen(quantized).kinds(), ["ConvNormAct"]);
    }

    #[test]
    fn alone_or_read_elsewhere_it_is_none() {
        assert_eq!(seen(|t, x| conv(t, x, shape(8, 4, 3))).count(BlockKind::ConvNormAct), 0);
        let shared = |t: &mut Tiny, x: &str| {
            let y = conv(t, x, shape(8, 8, 3));
            let z = t.op("Relu", &[&y]);
            t.op("Mul", &[&y, &z])
        };
        assert_eq!(seen(shared).count(BlockKind::ConvNormAct), 0);
    }
}
