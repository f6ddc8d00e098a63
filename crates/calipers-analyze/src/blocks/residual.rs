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

use hashbrown::HashSet;

use super::Recogniser;
use crate::net::{Found, Net, Unit, UnitId, VIEWS, Val};

pub(crate) const ADDITION: Recogniser = Recogniser {
    kind: "ResidualAdd",
    what: "An addition that joins a path with a shortcut around it.",
    ends: &["Add"],
    find: find_addition,
};

pub(crate) const BLOCK: Recogniser = Recogniser {
    kind: "Residual",
    what: "A path, a shortcut around it, and the addition that joins them.",
    ends: &["ResidualAdd"],
    find: find_block,
};

/// Steps that a shortcut has at most.
const MAX_STEPS: usize = 12;

/// What a shortcut may consist of besides views, a constant factor and one contraction.
const LIGHT: &[&str] = &[
    "AveragePool",
    "BatchNorm",
    "BatchNormalization",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "GroupNorm",
    "GroupNormalization",
    "InstanceNorm",
    "InstanceNormalization",
    "LayerNorm",
    "LayerNormalization",
    "MaxPool",
    "Pad",
    "RMSNorm",
    "RMSNormalization",
];

const UPSAMPLINGS: &[&str] = &["Resize", "Upsample"];

const WEIGHTED: &[&str] = &["Conv", "Convolution", "ConvNormAct", "Gemm", "Linear", "MatMul"];

/// Operators whose results choose and do not carry on a signal.
const CHOICES: &[&str] = &[
    "And",
    "ArgMax",
    "ArgMin",
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "IsNaN",
    "Less",
    "LessOrEqual",
    "NonZero",
    "Not",
    "Or",
    "Shape",
    "Size",
];

/// A shortcut and what it goes around.
pub(super) struct Around {
    /// Where path and shortcut part.
    pub(super) fork: Val,
    /// The units of the shortcut.
    pub(super) shortcut: Vec<UnitId>,
    /// The units of the path, in order.
    pub(super) path: Vec<UnitId>,
    /// Contractions on the path.
    pub(super) contractions: usize,
}

/// Finds the shortcut that one operand of a unit of two operands is, and the path that is the
/// other.
pub(super) fn around(net: &Net<'_>, join: UnitId) -> Option<Around> {
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

fn search(net: &Net<'_>, shortcut: Val, path: Val, allowed: usize) -> Option<Around> {
    let mut at = shortcut;
    let (mut units, mut contractions, mut upsamples) = (Vec::new(), 0, false);
    for _ in 0..MAX_STEPS {
        if contractions == allowed
            && net.uses(at).nth(1).is_some()
            && let Some(way) = net.way_of(at, path, |unit| !unit.is_any(CHOICES))
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
fn step_back(net: &Net<'_>, unit: &Unit, val: Val) -> Option<Step> {
    let to = unit.input(0)?;
    let light = Step { to, contractions: 0, upsamples: false };
    if unit.is_any(VIEWS) || unit.is_any(LIGHT) {
        return Some(light);
    }
    if unit.is_any(UPSAMPLINGS) {
        return Some(Step { upsamples: true, ..light });
    }
    if unit.is_any(&["Mul", "Div"]) {
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
    let weighted = unit.is_any(WEIGHTED) && unit.word("activation").is_none();
    (weighted && net.data_inputs(unit).count() == 1).then_some(Step { contractions: 1, ..light })
}

/// The contractions on a path, if it is one that a shortcut goes around.
fn computes(
    net: &Net<'_>,
    fork: Val,
    way: &[UnitId],
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
    // Two products in a row beside one are a product of low rank, unless something bends between.
    if on_shortcut > 0 && !inside().any(bends) {
        return None;
    }
    nested(net, fork, way).then_some(contractions)
}

/// Whether a unit makes an image larger.
pub(super) fn upsampling(net: &Net<'_>, unit: &Unit) -> bool {
    if !unit.is_any(&["ConvTranspose", "DepthToSpace", "Resize", "Upsample"]) {
        return false;
    }
    let (Some(from), Some(to)) = (unit.input(0), unit.outputs.first()) else { return false };
    match (net.dim(from, -1), net.dim(*to, -1)) {
        (Some(from), Some(to)) => to > from,
        _ => true,
    }
}

/// Whether a unit is no linear map. Quantised networks write no rectifier after a convolution: the
/// range of its result cuts it off.
fn bends(unit: &Unit) -> bool {
    let linear = ["Add", "Linear", "MatMul", "Gemm", "Mul"];
    !unit.is_any(VIEWS) && !unit.is_any(&linear)
}

/// Whether every residual addition on a path starts on it: shortcuts nest, they do not cross.
fn nested(net: &Net<'_>, fork: Val, way: &[UnitId]) -> bool {
    if !way.iter().any(|unit| net.unit(*unit).is("ResidualAdd")) {
        return true;
    }
    let mut reached: HashSet<Val> = std::iter::once(fork).collect();
    for id in way {
        let unit = net.unit(*id);
        if unit.is("ResidualAdd") && !net.data_inputs(unit).all(|input| reached.contains(&input)) {
            return false;
        }
        reached.extend(&unit.outputs);
    }
    true
}

fn find_addition(net: &Net<'_>, end: UnitId) -> Option<Found> {
    let around = around(net, end)?;
    let contractions = i64::try_from(around.contractions).ok();
    Some(Found::of([end]).number("contractions", contractions))
}

fn find_block(net: &Net<'_>, end: UnitId) -> Option<Found> {
    let Around { fork, mut path, shortcut, contractions } = around(net, end)?;
    path.extend(shortcut);
    path.push(end);
    let contractions = i64::try_from(contractions).ok();
    Some(Found::of(path).number("contractions", contractions).taking([fork]))
}
