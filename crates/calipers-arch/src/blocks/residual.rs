//! Residual additions: a path and a shortcut around it, joined by an addition.
//!
//! | form | written by |
//! |---|---|
//! | `Add(f(x), x)` | ResNet, transformers, and most others |
//! | `Add(f(x), conv(x))`, also with norm or pooling | ResNet where the shape changes |
//! | `Add(scale · f(x), x)` | layer scale, Inception-ResNet |
//! | `SkipLayerNormalization`, `FusedConv` with a third operand, `Sum`, `QLinearAdd` | ONNX Runtime; lowered to `Add` |
//!
//! The shortcut is light: nothing at all, or views, norms, pooling, padding, a constant factor, and
//! at most one contraction. The path computes: it has a contraction, two where the shortcut has
//! one. Sums of parallel branches, embeddings, masks and biases are none of this: there is no value
//! that one operand is near to and the other follows from. Neither is the top-down addition of a
//! feature pyramid, whose path comes back to the resolution by an upsampling that the shortcut does
//! not have.
//!
//! Extracts `contractions`, those on the path. `Residual` then folds the path, the shortcut and the
//! addition, where no larger block by a name of its own took them.

use calipers_ops::Movement;

use super::Pattern;
use crate::network::{
    BlockKind, Found, NORMS, Network, NetworkOp, OpId, Ops, ResidualPath, Val, With,
};

pub(super) const ADDITION: Pattern = Pattern {
    kind: BlockKind::ResidualAdd,
    description: "Residual addition: adds the input of a path to its output.",
    anchors: Ops::operators(&["Add"]),
    matcher: find_addition,
};

pub(super) const BLOCK: Pattern = Pattern {
    kind: BlockKind::Residual,
    description: "Residual block: a path, its shortcut and their addition.",
    anchors: Ops::blocks(&[BlockKind::ResidualAdd]),
    matcher: find_block,
};

/// Steps that a shortcut has at most.
const MAX_STEPS: usize = 12;

/// What a shortcut may consist of, next to views, a constant factor and one contraction.
const LIGHT: ((&[BlockKind], With), With) =
    (NORMS, With(|traits| traits.pool().is_some() || traits.movement == Some(Movement::Pad)));

const WEIGHTED: Ops = Ops {
    blocks: &[BlockKind::Convolution, BlockKind::ConvNormAct, BlockKind::Linear],
    operators: &["Conv", "Gemm", "MatMul"],
};

/// A shortcut and what it goes around.
pub(super) struct Around {
    /// Where path and shortcut part.
    pub(super) fork: Val,
    /// The units of the shortcut.
    pub(super) shortcut: Vec<OpId>,
    /// The units of the path, in order.
    pub(super) path: Vec<OpId>,
    /// Contractions on the path.
    pub(super) contractions: usize,
}

/// Finds the shortcut that one operand of a unit of two operands is, and the path that is the
/// other.
pub(super) fn around(net: &Network<'_>, join: OpId) -> Option<Around> {
    let (a, b) = net.data_pair(net.unit(join))?;
    if a == b || !net.may_match(a, b) {
        return None;
    }
    // A shortcut without computation first: it is the better explanation.
    let free = [(a, b), (b, a)].into_iter().find_map(|(from, to)| search(net, from, to, 0));
    free.or_else(|| [(a, b), (b, a)].into_iter().find_map(|(from, to)| search(net, from, to, 1)))
}

/// A step back along a shortcut.
struct Step {
    to: Val,
    contractions: usize,
    upsamples: bool,
}

fn search(net: &Network<'_>, shortcut: Val, path: Val, allowed: usize) -> Option<Around> {
    let limit = net.search_limit(&Ops::operators(&["Add", "Sub"]));
    let mut at = shortcut;
    let (mut units, mut contractions, mut upsamples) = (Vec::new(), 0, false);
    for _ in 0..MAX_STEPS {
        if contractions == allowed
            && net.uses(at).nth(1).is_some()
            && let Some(way) =
                net.way_of(at, path, limit, |unit| !unit.has_trait(|traits| traits.decides))
            && !way.iter().any(|unit| units.contains(unit))
            && let Some(found) = computes(net, at, &way, contractions, upsamples)
        {
            return Some(Around { fork: at, shortcut: units, path: way, contractions: found });
        }
        let unit = net.producer(at)?;
        let step = step_back(net, net.unit(unit), at)?;
        units.push(unit);
        contractions += step.contractions;
        upsamples |= step.upsamples;
        if contractions > allowed {
            return None;
        }
        at = step.to;
    }
    None
}

/// One step back along a shortcut, if the unit is light enough.
fn step_back(net: &Network<'_>, unit: &NetworkOp, val: Val) -> Option<Step> {
    let to = unit.input(0)?;
    let light = Step { to, contractions: 0, upsamples: false };
    if unit.is_layout() || unit.is(LIGHT) {
        return Some(light);
    }
    if unit.is(With::RESIZES) {
        return Some(Step { upsamples: true, ..light });
    }
    if unit.is(["Mul", "Div"]) {
        let (to, _) = net.data_and_constant(unit)?;
        return Some(Step { to, ..light });
    }
    // A bias, or the shift of a norm: a number for each channel.
    if unit.is("Add") {
        let (to, shift) = net.data_and_constant(unit)?;
        let wide = net.shape(shift)?.iter().filter(|dim| dim.as_const() != Some(1)).count();
        return (wide <= 1).then_some(Step { to, ..light });
    }
    // Rows and columns left out, and channels of zeros added: a shortcut without weights.
    if unit.is("Slice") {
        return (net.rank(val)? >= 3 && net.dim(val, 1)? == net.dim(to, 1)?).then_some(light);
    }
    if unit.is("Concat") {
        let mut data = net.data_inputs(unit);
        let to = data.next()?;
        return data.next().is_none().then_some(Step { to, ..light });
    }
    let weighted =
        unit.is(WEIGHTED) && unit.conv_norm_act().is_none_or(|conv| conv.activation.is_none());
    (weighted && net.data_inputs(unit).count() == 1).then_some(Step { contractions: 1, ..light })
}

/// The contractions on a path, if it is one that a shortcut goes around.
fn computes(
    net: &Network<'_>,
    fork: Val,
    way: &[OpId],
    on_shortcut: usize,
    upsamples: bool,
) -> Option<usize> {
    let contractions: usize = way.iter().map(|unit| net.unit(*unit).contractions()).sum();
    if contractions <= on_shortcut {
        return None;
    }
    let inside = || way.iter().flat_map(|unit| net.unit(*unit).walk());
    if !upsamples && inside().any(|unit| upsampling(net, unit)) {
        return None;
    }
    // Two products in a row next to one are a product of low rank, unless something bends between.
    if on_shortcut > 0 && !inside().any(bends) {
        return None;
    }
    nested(net, fork, way).then_some(contractions)
}

/// Whether a unit makes an image larger.
pub(super) fn upsampling(net: &Network<'_>, unit: &NetworkOp) -> bool {
    if !unit.has_trait(|traits| traits.raises_resolution) {
        return false;
    }
    let (Some(from), Some(to)) = (unit.input(0), unit.outputs.first()) else { return false };
    match (net.dim(from, -1), net.dim(*to, -1)) {
        // Levels of a pyramid may happen to be of one size, and are resized all the same.
        (Some(from), Some(to)) => to > from || to == from && unit.is(With::RESIZES),
        _ => true,
    }
}

/// Whether a unit is not a linear map. Quantized networks write no rectifier after a convolution: the
/// range of its result cuts it off.
fn bends(unit: &NetworkOp) -> bool {
    let linear = (BlockKind::Linear, ["Add", "MatMul", "Gemm", "Mul"]);
    !unit.is_layout() && !unit.is(linear)
}

/// Whether every residual addition on a path starts on it: shortcuts nest, they do not cross.
fn nested(net: &Network<'_>, fork: Val, way: &[OpId]) -> bool {
    let given = |val: Val| {
        val == fork || net.producer(val).is_some_and(|unit| way.binary_search(&unit).is_ok())
    };
    let joins = way.iter().map(|id| net.unit(*id)).filter(|unit| unit.is(BlockKind::ResidualAdd));
    joins.into_iter().all(|unit| net.data_inputs(unit).all(given))
}

fn find_addition(net: &Network<'_>, end: OpId) -> Option<Found> {
    let around = around(net, end)?;
    let contractions = i64::try_from(around.contractions).ok();
    Some(Found::new([end]).with(ResidualPath { contractions }))
}

fn find_block(net: &Network<'_>, end: OpId) -> Option<Found> {
    let Around { fork, mut path, shortcut, contractions } = around(net, end)?;
    path.extend(shortcut);
    path.push(end);
    let contractions = i64::try_from(contractions).ok();
    let units = net.with_side_products(path)?;
    Some(Found::new(units).with(ResidualPath { contractions }).taking([fork]))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{Attribute, DataType};

    use super::super::testing::sketch::{conv, conv_relu, larger, linear, shape};
    use super::super::testing::{Inspect as _, Tiny};
    use crate::network::BlockKind;

    /// Residual additions of a network of images.
    fn images(build: impl FnOnce(&mut Tiny, &str) -> String) -> usize {
        Tiny::new().over(&["1", "8", "16", "16"], build).count(BlockKind::ResidualAdd)
    }

    /// Residual additions of a network of tokens.
    fn tokens(build: impl FnOnce(&mut Tiny, &str) -> String) -> usize {
        Tiny::new().over(&["batch", "sequence", "16"], build).count(BlockKind::ResidualAdd)
    }

    #[test]
    fn nothing_on_the_shortcut() {
        let plain = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 8, 3));
            let y = conv(t, &y, shape(8, 8, 3));
            t.op("Add", &[&y, x])
        };
        assert_eq!(images(plain), 1);
        let scaled = |t: &mut Tiny, x: &str| {
            let y = linear(t, x, 16, 16);
            let gamma = t.weight(&[16]);
            let y = t.op("Mul", &[&gamma, &y]);
            t.op("Add", &[x, &y])
        };
        assert_eq!(tokens(scaled), 1);
        let gated = |t: &mut Tiny, x: &str| {
            let y = linear(t, x, 16, 16);
            let s = t.op("Sigmoid", &[&y]);
            let y = t.op("Mul", &[&y, &s]);
            t.op("Add", &[x, &y])
        };
        assert_eq!(tokens(gated), 1, "whatever bends on the path");
    }

    #[test]
    fn a_projection_on_the_shortcut() {
        let projected = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 16, 3).stride(2));
            let y = conv(t, &y, shape(16, 16, 3));
            let s = conv(t, x, shape(8, 16, 1).stride(2));
            t.op("Add", &[&y, &s])
        };
        assert_eq!(images(projected), 1);
        let frozen = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 16, 3));
            let y = conv(t, &y, shape(16, 16, 3));
            let s = conv(t, x, shape(8, 16, 1));
            let (scale, shift) = (t.weight(&[1, 16, 1, 1]), t.weight(&[1, 16, 1, 1]));
            let s = t.op("Mul", &[&s, &scale]);
            let s = t.op("Add", &[&s, &shift]);
            t.op("Add", &[&y, &s])
        };
        assert_eq!(images(frozen), 1, "a norm written as a scale and a shift");
    }

    #[test]
    fn quantized_half_and_fused() {
        let quantized = |t: &mut Tiny, x: &str| {
            let x = t.quantized(x);
            let y = conv(t, &x, shape(8, 8, 3));
            let y = t.quantized(&y);
            let y = conv(t, &y, shape(8, 8, 3));
            let y = t.quantized(&y);
            t.op("Add", &[&y, &x])
        };
        assert_eq!(images(quantized), 1);
        let cast = |t: &mut Tiny, x: &str| {
            let wide = t.cast(x, 1);
            let y = linear(t, &wide, 16, 16);
            let y = t.cast(&y, 1);
            t.op("Add", &[x, &y])
        };
        assert_eq!(tokens(cast), 1);
        let fused = |t: &mut Tiny, x: &str| {
            let y = linear(t, x, 16, 16);
            let (scale, shift) = (t.weight(&[16]), t.weight(&[16]));
            t.contrib("SkipLayerNormalization", &[&y, x, &scale, &shift])
        };
        assert_eq!(tokens(fused), 1);
        let summed = |t: &mut Tiny, x: &str| {
            let (a, b) = (linear(t, x, 16, 16), linear(t, x, 16, 16));
            t.op("Sum", &[&a, &b, x])
        };
        assert_eq!(tokens(summed), 1, "branches side by side, and one shortcut around them");
    }

    #[test]
    fn other_additions_are_none() {
        let branches = |t: &mut Tiny, x: &str| {
            let (a, b) = (linear(t, x, 16, 16), linear(t, x, 16, 16));
            t.op("Add", &[&a, &b])
        };
        assert_eq!(tokens(branches), 0, "a sum of branches");
        let low_rank = |t: &mut Tiny, x: &str| {
            let whole = linear(t, x, 16, 16);
            let low = linear(t, x, 16, 2);
            let low = linear(t, &low, 2, 16);
            t.op("Add", &[&whole, &low])
        };
        assert_eq!(tokens(low_rank), 0, "an adapter of low rank");
        let arithmetic = |t: &mut Tiny, x: &str| {
            let y = linear(t, x, 16, 16);
            let (a, b) = (t.with("Add", &y, 1.0), t.with("Mul", &y, 2.0));
            t.op("Add", &[&a, &b])
        };
        assert_eq!(tokens(arithmetic), 0, "no computation between");
        let biased = |t: &mut Tiny, x: &str| linear(t, x, 16, 16);
        assert_eq!(tokens(biased), 0, "a bias");
    }

    #[test]
    fn embeddings_are_none() {
        let mut t = Tiny::new();
        let tokens = t.input_of(DataType::I64, &["batch", "sequence"]);
        let types = t.input_of(DataType::I64, &["batch", "sequence"]);
        let (words, kinds) = (t.weight(&[32, 16]), t.weight(&[2, 16]));
        let a = t.op("Gather", &[&words, &tokens]);
        let b = t.op("Gather", &[&kinds, &types]);
        let sum = t.op("Add", &[&a, &b]);
        let y = linear(&mut t, &sum, 16, 16);
        assert_eq!(t.output(&y).count(BlockKind::ResidualAdd), 0);
    }

    #[test]
    fn a_pyramid_that_comes_down_is_none() {
        let pyramid = |t: &mut Tiny, x: &str| {
            let deep = conv_relu(t, x, shape(8, 16, 3).stride(2));
            let deep = conv(t, &deep, shape(16, 8, 1));
            let up = larger(t, &deep);
            let lateral = conv(t, x, shape(8, 8, 1));
            t.op("Add", &[&lateral, &up])
        };
        assert_eq!(images(pyramid), 0);
        let level = |t: &mut Tiny, x: &str| {
            let deep = conv_relu(t, x, shape(8, 16, 3));
            let deep = conv(t, &deep, shape(16, 8, 1));
            let scales = t.floats(&[1.0; 4]);
            let same = t.op_with("Resize", &[&deep, "", &scales], &[]);
            let lateral = conv(t, x, shape(8, 8, 1));
            t.op("Add", &[&lateral, &same])
        };
        assert_eq!(images(level), 0, "levels of one size");
        let both = |t: &mut Tiny, x: &str| {
            let up = larger(t, x);
            let y = conv_relu(t, &up, shape(8, 8, 3));
            let y = conv(t, &y, shape(8, 8, 3));
            let s = larger(t, x);
            t.op("Add", &[&s, &y])
        };
        assert_eq!(images(both), 1, "path and shortcut made larger alike");
    }

    #[test]
    fn a_choice_is_no_path() {
        // The nearest row of a codebook, passed on as if it were the value.
        let mut t = Tiny::new();
        let x = t.input(&["batch", "16"]);
        let codes = t.weight(&[16, 32]);
        let near = t.op("MatMul", &[&x, &codes]);
        let best = t.op_with(
            "ArgMax",
            &[&near],
            &[Attribute::int("axis", 1), Attribute::int("keepdims", 0)],
        );
        let rows = t.weight(&[32, 16]);
        let row = t.op("Gather", &[&rows, &best]);
        let away = t.op("Sub", &[&row, &x]);
        let sum = t.op("Add", &[&x, &away]);
        let seen = t.output(&sum);
        assert_eq!(
            (seen.count(BlockKind::ResidualAdd), seen.count(BlockKind::SubtractedSkip)),
            (0, 0)
        );
    }

    #[test]
    fn shortcuts_nest_and_do_not_cross() {
        // The running sum of skips in WaveNet takes from inside the residual blocks.
        let crossing = |t: &mut Tiny, x: &str| {
            let first = conv_relu(t, x, shape(8, 8, 3));
            let inner = conv(t, &first, shape(8, 8, 1));
            let stream = t.op("Add", &[x, &inner]);
            let second = conv_relu(t, &stream, shape(8, 8, 3));
            let (a, b) = (conv(t, &first, shape(8, 8, 1)), conv(t, &second, shape(8, 8, 1)));
            t.op("Add", &[&a, &b])
        };
        assert_eq!(images(crossing), 1);
        let nested = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 8, 3));
            let y = t.op("Add", &[x, &y]);
            let y = conv(t, &y, shape(8, 8, 3));
            t.op("Add", &[x, &y])
        };
        assert_eq!(images(nested), 2);
    }

    #[test]
    fn many_paths_around_one_value() {
        // Each layer is added to the first value. Time grows with the layers, not their square.
        let mut t = Tiny::new();
        let x = t.input(&["batch", "sequence", "16"]);
        let first = t.op("Relu", &[&x]);
        let mut y = first.clone();
        for _ in 0..200 {
            y = linear(&mut t, &y, 16, 16);
            y = t.op("Relu", &[&y]);
            y = t.op("Add", &[&y, &first]);
        }
        assert_eq!(t.output(&y).count(BlockKind::ResidualAdd), 200);
    }

    #[test]
    fn path_shortcut_and_addition_become_one() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "sequence", "16"]);
        let y = linear(&mut t, &x, 16, 16);
        let y = t.op("Add", &[&x, &y]);
        let seen = t.output(&y);
        assert_eq!(seen.kinds(), ["Residual"]);
        assert!(seen.takes_the_input(BlockKind::Residual));
    }
}
