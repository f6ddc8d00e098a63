//! Detection head whose scales are given out as they are, for others to decode.
//!
//! | form | written by |
//! |---|---|
//! | for each scale a 1×1 convolution to three anchors of a box, an object score and classes; perhaps `Reshape` and `Transpose`, `Sigmoid` | YOLOv3 to YOLOv7 |
//! | for each scale `Concat` of a box as distributions over 16 bins and of classes | YOLOv8 and later |
//!
//! Every output of the model is such a scale, each of another resolution than the next. Features of
//! several resolutions are not head: their widths are what processors like. Extracts what
//! [`super::detection_head`] does, without `positions`.

use calipers_ops::Movement;

use super::Pattern;
use super::conv::{conv, is_activated};
use super::detection_head::stride;
use crate::network::{BlockKind, DetectionHead, Found, Network, OpId, Ops, Val, With};

pub(super) const RAW_HEAD: Pattern = Pattern {
    kind: BlockKind::DetectionHead,
    description: "Predicts class scores and boxes at every position of several scales.",
    anchors: Ops {
        blocks: &[BlockKind::ConcatSkip, BlockKind::Convolution],
        operators: &["Concat"],
    },
    matcher: find,
};

const MAX_SCALES: usize = 8;
const ANCHORS: i64 = 3;
const BINS: i64 = 16;

/// A resolution at which objects are found.
struct Scale {
    /// The units from the convolutions to the output.
    units: Vec<OpId>,
    at: Val,
    bins: Option<i64>,
    classes: i64,
}

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let given = net.on_through(net.unit(end).output(), BEHIND);
    if !net.is_output(given) || !(2..=MAX_SCALES).contains(&net.outputs.len()) {
        return None;
    }
    let scales =
        net.outputs.iter().map(|output| scale(net, *output)).collect::<Option<Vec<Scale>>>()?;
    let first = scales.first()?;
    let alike =
        scales.iter().all(|scale| (scale.bins, scale.classes) == (first.bins, first.classes));
    let last = scales.iter().flat_map(|scale| &scale.units).max()?;
    if !alike
        || !scales.iter().any(|scale| scale.units.contains(&end) && scale.units.contains(last))
    {
        return None;
    }
    let mut strides: Vec<i64> =
        scales.iter().map(|scale| stride(net, scale.at)).collect::<Option<_>>()?;
    strides.sort_unstable();
    if strides.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
        return None;
    }
    let units = scales.iter().flat_map(|scale| scale.units.iter().copied());
    Some(Found::new(units).with(DetectionHead {
        classes: Some(first.classes),
        positions: None,
        scales: i64::try_from(scales.len()).ok(),
        anchors: first.bins.is_none().then_some(ANCHORS),
        bins: first.bins,
        strides,
    }))
}

/// What may be between the convolution and the output.
const BEHIND: (With, &str) =
    (With(|traits| traits.movement.is_some_and(Movement::is_layout)), "Sigmoid");

fn scale(net: &Network<'_>, output: Val) -> Option<Scale> {
    let (mut units, mut val) = (Vec::new(), output);
    for _ in 0..4 {
        let Some(unit) = net.made_by(val, BEHIND) else {
            break;
        };
        units.push(unit);
        val = net.unit(unit).input(0)?;
    }
    if net.rank(val)? != 4 {
        return None;
    }
    let id = net.producer(val)?;
    units.push(id);
    if let Some(shape) = conv(net, id) {
        // A box, an object score and classes, three times.
        let channels = shape.out_channels?;
        let each = channels / ANCHORS;
        let fits = shape.is_pointwise() && channels % ANCHORS == 0 && channels % 8 != 0;
        let apart = net.rank(output) == Some(4) || net.shape(output)?.iter().any(is(each));
        return (fits && each > 5 && !is_activated(net, id) && apart).then_some(Scale {
            units,
            at: val,
            bins: None,
            classes: each - 5,
        });
    }
    let unit = net.unit(id);
    let parts: Vec<Val> = net.data_inputs(unit).collect();
    let [boxes, scores] = parts[..] else { return None };
    if !unit.is((BlockKind::ConcatSkip, "Concat")) {
        return None;
    }
    let mut widths = [0; 2];
    for (width, part) in widths.iter_mut().zip([boxes, scores]) {
        let id = net.producer(part)?;
        let shape = conv(net, id).filter(|shape| shape.is_pointwise() && !is_activated(net, id))?;
        *width = shape.out_channels?;
        units.push(id);
    }
    let [box_width, classes] = widths;
    (box_width == 4 * BINS && classes > 0).then_some(Scale {
        units,
        at: val,
        bins: Some(BINS),
        classes,
    })
}

/// Whether a dimension is this number.
fn is(number: i64) -> impl Fn(&calipers_sym::Expr) -> bool {
    move |dim| dim.as_const() == Some(number)
}

#[cfg(test)]
mod tests {
    use super::super::testing::sketch::{concat, conv, conv_relu, shape};
    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    /// Three resolutions, and what a head makes of each.
    fn seen(size: &str, head: impl Fn(&mut Tiny, &str) -> String) -> Seen {
        let mut t = Tiny::new();
        let x = t.input(&["1", "3", size, size]);
        let mut x = conv_relu(&mut t, &x, shape(3, 8, 3).stride(4));
        let mut outputs = Vec::new();
        for _ in 0..3 {
            x = conv_relu(&mut t, &x, shape(8, 8, 3).stride(2));
            outputs.push(head(&mut t, &x));
        }
        t.outputs(&[&outputs[0], &outputs[1], &outputs[2]])
    }

    fn numbers(seen: &Seen) -> Vec<Option<i64>> {
        let found = seen.first(BlockKind::DetectionHead, |_, unit| {
            let head = unit.detection_head().unwrap();
            let stride = head.strides.first().copied();
            vec![head.classes, head.anchors, head.bins, head.scales, stride]
        });
        found.unwrap_or_default()
    }

    #[test]
    fn anchors_as_they_are() {
        for size in ["64", "side"] {
            let flat = seen(size, |t, x| conv(t, x, shape(8, 27, 1)));
            assert_eq!(numbers(&flat), [Some(4), Some(3), None, Some(3), Some(8)], "{size}");
        }
        let apart = seen("64", |t, x| {
            let y = conv(t, x, shape(8, 27, 1));
            let y = t.reshape(&y, &[1, 3, 9, -1]);
            t.transpose(&y, &[0, 1, 3, 2])
        });
        assert_eq!(numbers(&apart), [Some(4), Some(3), None, Some(3), Some(8)]);
        assert_eq!(apart.count(BlockKind::DetectionHead), 1);
    }

    #[test]
    fn distributions_and_classes() {
        let joined = seen("64", |t, x| {
            let boxes = conv(t, x, shape(8, 64, 1));
            let scores = conv(t, x, shape(8, 2, 1));
            concat(t, &[&boxes, &scores], 1)
        });
        assert_eq!(numbers(&joined), [Some(2), None, Some(16), Some(3), Some(8)]);
    }

    #[test]
    fn features_of_several_resolutions_are_none() {
        for width in [24, 64, 96] {
            let features = seen("64", |t, x| conv(t, x, shape(8, width, 1)));
            assert_eq!(features.count(BlockKind::DetectionHead), 0, "{width}");
        }
        let maps = seen("64", |t, x| conv(t, x, shape(8, 27, 3)));
        assert_eq!(maps.count(BlockKind::DetectionHead), 0);
    }
}
