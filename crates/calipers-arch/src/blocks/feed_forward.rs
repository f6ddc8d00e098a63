//! Feed-forward: each position by itself, to a wider layer and back, added to the stream.
//!
//! | form | written by |
//! |---|---|
//! | `Linear`, activation, `Linear`; views between them | BERT, GPT-2 (`Gemm` of two axes), ViT, T5 |
//! | `act(Linear) · Linear`, then `Linear` | Llama, Gemma, T5 1.1 |
//! | one `Linear` for gate and value, cut in two by `Split` or `Slice` | Phi-3, ModernBERT, ONNX Runtime |
//! | convolutions of one pixel in place of the linear layers | YOLO's attention blocks, SegFormer |
//!
//! Quantized and packed products are plain ones here. Extracts `width`, `inner` and `activation`;
//! gated ones are `swiglu`, `geglu`, `reglu`, `glu`.
//!
//! What comes out is as wide as what goes in, and is added to a stream: classifier heads, poolers
//! and squeeze-and-excite gates are none. What follows a depthwise convolution is a ConvNeXt block.

use calipers_ops::{Activation, Movement};

use super::Pattern;
use crate::network::BlockProperties as _;
use crate::network::{
    BlockKind, FeedForward, FeedForwardActivation, Found, Network, NetworkOp, OpId, Ops, Val,
};

pub(super) const FEED_FORWARD: Pattern = Pattern {
    kind: BlockKind::FeedForward,
    description: "Feed-forward network: two linear layers with an activation, applied to each position.",
    anchors: Ops {
        blocks: &[BlockKind::Convolution, BlockKind::Linear],
        operators: &["Add", "Conv", "Gemm", "MatMul"],
    },
    matcher: find,
};

/// Views between two layers.
const VIEWS_BETWEEN: usize = 4;

/// Steps from the second layer to the addition.
const MAX_AFTER: usize = 10;

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let mut units = Vec::new();
    let down = layer(net, net.unit(end).output(), &mut units)?;
    let inner = down.from?;
    let width = down.to?;
    let middle = net.behind_views(down.x, &mut units, VIEWS_BETWEEN);
    let (x, activation) =
        plain(net, middle, &mut units).or_else(|| gated(net, middle, &mut units))?;
    let given = net.dim(x, if down.by_pixel { 1 } else { -1 })?;
    let fits = given == width && (inner >= width || !down.by_pixel) && inner > 1;
    if !fits || (down.by_pixel && !net.has(BlockKind::Attention)) {
        return None;
    }
    if !is_added(net, net.unit(end).output()) || is_depthwise(net, x) {
        return None;
    }
    let details = FeedForward { width: Some(width), inner: Some(inner), activation };
    Some(Found::new(units).with(details).taking([x]))
}

/// A linear layer.
struct Layer {
    x: Val,
    from: Option<i64>,
    to: Option<i64>,
    by_pixel: bool,
}

/// The linear layer that gives a value, with its bias.
fn layer(net: &Network<'_>, val: Val, units: &mut Vec<OpId>) -> Option<Layer> {
    let mut id = net.producer(val)?;
    let mut unit = net.unit(id);
    if unit.is("Add") {
        let (product, bias) = net.data_and_constant(unit)?;
        if net.rank(bias) > Some(1) {
            return None;
        }
        units.push(id);
        id = net.made_by(product, ["Gemm", "MatMul"])?;
        unit = net.unit(id);
    }
    let by_pixel = unit.is((BlockKind::Convolution, "Conv"));
    let is_linear = unit.is(BlockKind::Linear)
        || unit.is(["Gemm", "MatMul"]) && net.data_inputs(unit).count() == 1
        || by_pixel && is_pointwise(net, unit);
    let x = net.data_inputs(unit).next().filter(|_| is_linear)?;
    units.push(id);
    let channels = if by_pixel { 1 } else { -1 };
    Some(Layer { x, from: net.dim(x, channels), to: net.dim(val, channels), by_pixel })
}

fn is_pointwise(net: &Network<'_>, unit: &NetworkOp) -> bool {
    let Some(conv) = unit.walk().find(|part| part.is("Conv")) else { return false };
    let Some(weight) = conv.input(1).and_then(|weight| net.shape(weight)) else { return false };
    let sides = weight.get(2..).unwrap_or_default();
    net.int(conv, "group").unwrap_or(1) == 1
        && !sides.is_empty()
        && sides.iter().all(|side| side.as_const() == Some(1))
}

/// The activation function that a unit is, as an operator or as a block.
fn activation_of(unit: &NetworkOp) -> Option<Activation> {
    match unit.traits() {
        Some(traits) => traits.activation(),
        None => unit.block()?.activation(),
    }
}

/// What an activation is applied to, and which one it is.
fn activated(net: &Network<'_>, val: Val, units: &mut Vec<OpId>) -> Option<(Val, Activation)> {
    let id = net.producer(val)?;
    let unit = net.unit(id);
    let activation = activation_of(unit)?;
    units.push(id);
    Some((unit.input(0)?, activation))
}

/// `act(Linear)`.
fn plain(
    net: &Network<'_>,
    val: Val,
    units: &mut Vec<OpId>,
) -> Option<(Val, FeedForwardActivation)> {
    let mut mine = Vec::new();
    let mut val = val;
    // The square of a ReLU.
    let mut squared = false;
    if let Some(power) = net.made_by(val, ["Mul", "Pow"]) {
        let unit = net.unit(power);
        let twice = unit.is("Mul") && unit.input(0) == unit.input(1);
        let square = unit.is("Pow") && unit.input(1).is_some_and(|two| net.is_number(two, 2.0));
        if twice || square {
            squared = true;
            mine.push(power);
            val = unit.input(0)?;
        }
    }
    let (given, activation) = activated(net, val, &mut mine)?;
    let given = net.behind_views(given, &mut mine, VIEWS_BETWEEN);
    let up = layer(net, given, &mut mine)?;
    units.append(&mut mine);
    match (squared, activation) {
        (false, activation) => Some((up.x, FeedForwardActivation::Plain(activation))),
        (true, Activation::Relu) => {
            Some((up.x, FeedForwardActivation::Plain(Activation::ReluSquared)))
        }
        _ => None,
    }
}

/// `act(gate) · value`.
fn gated(
    net: &Network<'_>,
    val: Val,
    units: &mut Vec<OpId>,
) -> Option<(Val, FeedForwardActivation)> {
    let product = net.made_by(val, "Mul")?;
    let (a, b) = net.data_pair(net.unit(product))?;
    [(a, b), (b, a)].into_iter().find_map(|(gate, value)| {
        let mut mine = vec![product];
        let (given, activation) = activated(net, gate, &mut mine)?;
        let gate = half(net, given, &mut mine)?;
        let value = half(net, value, &mut mine)?;
        (gate == value).then(|| {
            units.append(&mut mine);
            (gate, FeedForwardActivation::Gated(activation))
        })
    })
}

/// What a linear layer, or a half of one, is given.
fn half(net: &Network<'_>, val: Val, units: &mut Vec<OpId>) -> Option<Val> {
    let mut val = net.behind_views(val, units, VIEWS_BETWEEN);
    if let Some(cut) = net.producer(val).filter(|unit| net.unit(*unit).is_cut()) {
        units.push(cut);
        val = net.behind_views(net.unit(cut).input(0)?, units, VIEWS_BETWEEN);
    }
    Some(layer(net, val, units)?.x)
}

/// Whether a value is added to another that follows from the data, at most scaled, normalized and
/// moved before.
fn is_added(net: &Network<'_>, val: Val) -> bool {
    let mut val = val;
    for _ in 0..MAX_AFTER {
        let mut next = None;
        for user in net.uses(val) {
            let unit = net.unit(user);
            if unit.is("Add") && net.data_pair(unit).is_some() {
                return true;
            }
            let passes = unit.is_layout()
                || matches!(unit.movement(), Some(Movement::Pad | Movement::Slice))
                || unit.is_normalization()
                || unit.is(["Add", "Div", "Mul"]) && net.data_and_constant(unit).is_some();
            if passes {
                next = next.or(Some(unit.output()));
            }
        }
        let Some(next) = next else { return false };
        val = next;
    }
    false
}

/// Whether a value comes from a depthwise convolution, at most normalized and moved after it.
fn is_depthwise(net: &Network<'_>, x: Val) -> bool {
    let mut val = x;
    for _ in 0..8 {
        let Some(unit) = net.producer(val).map(|unit| net.unit(unit)) else { return false };
        if let Some(conv) = unit.walk().find(|part| part.is("Conv")) {
            return net.int(conv, "group").unwrap_or(1) > 1;
        }
        let passes = unit.is_layout() || unit.is_normalization();
        let (true, Some(input)) = (passes, unit.input(0)) else { return false };
        val = input;
    }
    false
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use crate::blocks::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    const X: &[&str] = &["2", "6", "32"];

    fn is(seen: &Seen, inner: i64, activation: &str) {
        assert_eq!(seen.count(BlockKind::FeedForward), 1);
        let found = seen.first(BlockKind::FeedForward, |_, unit| {
            let layers = unit.feed_forward().unwrap();
            (layers.width, layers.inner, layers.activation.id())
        });
        assert_eq!(found, Some((Some(32), Some(inner), activation)));
        assert!(seen.takes_the_input(BlockKind::FeedForward));
    }

    #[test]
    fn plain() {
        for (op, word) in [("Gelu", "gelu"), ("LeakyRelu", "leakyrelu"), ("Relu", "relu")] {
            let mut t = Tiny::new();
            let x = t.input(X);
            let up = t.linear(&x, 32, 64);
            let activation = t.op(op, &[&up]);
            let down = t.linear(&activation, 64, 32);
            let y = t.op("Add", &[&down, &x]);
            is(&t.output(&y), 64, word);
        }
    }

    #[test]
    fn gated() {
        let mut t = Tiny::new();
        let x = t.input(X);
        let (gate, value) = (t.linear(&x, 32, 48), t.linear(&x, 32, 48));
        let sigmoid = t.op("Sigmoid", &[&gate]);
        let activation = t.op("Mul", &[&gate, &sigmoid]);
        let product = t.op("Mul", &[&activation, &value]);
        let down = t.linear(&product, 48, 32);
        let y = t.op("Add", &[&x, &down]);
        is(&t.output(&y), 48, "swiglu");
    }

    #[test]
    fn gate_and_value_in_one() {
        let mut t = Tiny::new();
        let x = t.input(X);
        let both = t.linear(&x, 32, 96);
        let (gate, value) = (t.slice(&both, 0, 48, 2, 1), t.slice(&both, 48, 96, 2, 1));
        let activation = t.op("Gelu", &[&gate]);
        let product = t.op("Mul", &[&activation, &value]);
        let down = t.linear(&product, 48, 32);
        let y = t.op("Add", &[&x, &down]);
        is(&t.output(&y), 48, "geglu");
    }

    #[test]
    fn of_two_axes_and_in_halves() {
        let mut t = Tiny::new();
        let x = t.input(X);
        let flat = t.reshape(&x, &[12, 32]);
        let (weight, bias) = (t.weight(&[32, 64]), t.weight(&[64]));
        let up = t.op("Gemm", &[&flat, &weight, &bias]);
        let up = t.reshape(&up, &[2, 6, 64]);
        let up = t.cast(&up, 10);
        let activation = t.op("Relu", &[&up]);
        let activation = t.cast(&activation, 1);
        let activation = t.reshape(&activation, &[12, 64]);
        let (weight, bias) = (t.weight(&[64, 32]), t.weight(&[32]));
        let down = t.op("Gemm", &[&activation, &weight, &bias]);
        let down = t.reshape(&down, &[2, 6, 32]);
        let y = t.op("Add", &[&x, &down]);
        let seen = t.output(&y);
        let inner = seen.first(BlockKind::FeedForward, |_, unit| unit.feed_forward()?.inner);
        assert_eq!(inner, Some(Some(64)));
    }

    #[test]
    fn a_classifier_a_gate_and_a_convnext_block_are_none() {
        let mut t = Tiny::new();
        let x = t.input(&["2", "32"]);
        let up = t.linear(&x, 32, 64);
        let activation = t.op("Relu", &[&up]);
        let y = t.linear(&activation, 64, 32);
        assert_eq!(t.output(&y).count(BlockKind::FeedForward), 0);

        let mut t = Tiny::new();
        let x = t.input(&["2", "32"]);
        let less = t.linear(&x, 32, 8);
        let activation = t.op("Relu", &[&less]);
        let more = t.linear(&activation, 8, 32);
        let gate = t.op("Sigmoid", &[&more]);
        let y = t.op("Mul", &[&x, &gate]);
        assert_eq!(t.output(&y).count(BlockKind::FeedForward), 0);

        let mut t = Tiny::new();
        let x = t.input(&["2", "32", "8", "8"]);
        let weight = t.weight(&[32, 1, 3, 3]);
        let pads = Attribute::ints("pads", &[1, 1, 1, 1]);
        let deep = t.op_with("Conv", &[&x, &weight], &[Attribute::int("group", 32), pads]);
        let last = t.transpose(&deep, &[0, 2, 3, 1]);
        let normed = t.layer_norm(&last, 32);
        let up = t.linear(&normed, 32, 64);
        let activation = t.op("Gelu", &[&up]);
        let down = t.linear(&activation, 64, 32);
        let first = t.transpose(&down, &[0, 3, 1, 2]);
        let y = t.op("Add", &[&x, &first]);
        assert_eq!(t.output(&y).count(BlockKind::FeedForward), 0);
    }
}
