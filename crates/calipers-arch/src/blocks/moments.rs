//! What norms share: values over the root of their mean square, with their mean taken off or not.
//!
//! Found from the root, since every form has one. Before it is the mean of squares:
//!
//! | form | written by |
//! |---|---|
//! | `Pow 2` or `Mul` by itself, `ReduceMean`, `Add` of a small number | PyTorch, TensorFlow |
//! | `ReduceSum` or `ReduceSumSquare`, divided by the length | others |
//! | mean of squares less square of the mean, at least 0 | JAX |
//!
//! and after it the quotient: `Div`; `Reciprocal` or `1 ÷`, `Mul`; the scale drawn into the
//! quotient, and the mean subtracted last (TensorFlow).

use crate::network::{Found, Network, NetworkOp, Op, OpId, Origin, Val};

/// Readers of a value that are followed.
const MAX_READERS: usize = 4;

/// Views that are between a sum over an axis and its use, where the axis is dropped.
const PUT_BACK: &[&str] = &["Expand", "Reshape", "Unsqueeze"];

/// Values over the root of their mean square.
#[derive(Debug)]
pub(super) struct Standardized {
    pub(super) x: Val,
    /// What comes of it.
    pub(super) out: Val,
    pub(super) units: Vec<OpId>,
    /// Whether the mean is taken off.
    pub(super) centerd: bool,
    /// Whether squares are summed, and not averaged.
    pub(super) summed: bool,
    /// Axes of the mean, from the front where the rank is known.
    pub(super) axes: Vec<i64>,
    /// Whether scale and shift are inside already.
    pub(super) scaled: bool,
    pub(super) shifted: bool,
}

impl Standardized {
    /// Number of elements that are standardized together.
    pub(super) fn width(&self, net: &Network<'_>) -> Option<i64> {
        self.axes.iter().try_fold(1_i64, |width, axis| {
            width.checked_mul(net.dim(self.x, isize::try_from(*axis).ok()?)?)
        })
    }

    /// The block, with the scale and shift behind it, which are constants that fit.
    pub(super) fn block(mut self, net: &Network<'_>, fits: impl Fn(Val) -> bool) -> Found {
        if !self.shifted {
            self.out = affine(net, self.out, self.scaled, &mut self.units, fits);
        }
        Found::new(self.units).taking([self.x])
    }
}

/// Adds the scale and shift behind a norm to its units. Gives what comes of it.
pub(super) fn affine(
    net: &Network<'_>,
    out: Val,
    scaled: bool,
    units: &mut Vec<OpId>,
    fits: impl Fn(Val) -> bool,
) -> Val {
    let mut out = out;
    let steps = if scaled { &["Add"][..] } else { &["Mul", "Add"] };
    for step in steps {
        let next = net.only_use(out).filter(|unit| net.unit(*unit).is(step)).filter(|unit| {
            net.data_and_constant(net.unit(*unit)).is_some_and(|(_, constant)| {
                net.origin(constant) == Origin::Constant && fits(constant)
            })
        });
        let Some(next) = next else { break };
        units.push(next);
        out = net.unit(next).output();
    }
    out
}

/// Whether a constant has this many elements; some, where it is not known.
pub(super) fn has_elements(net: &Network<'_>, val: Val, wanted: Option<i64>) -> bool {
    match (wanted, net.elements(val)) {
        (Some(wanted), Some(found)) => i64::try_from(found) == Ok(wanted),
        _ => net.rank(val).is_some_and(|rank| rank > 0) && net.elements(val) != Some(1),
    }
}

/// Finds the values that are divided by a root of their own mean square.
pub(super) fn standardized(net: &Network<'_>, root: OpId) -> Option<Standardized> {
    let unit = net.unit(root);
    let inverted = match unit.op {
        Op::Operator("Sqrt") => false,
        Op::Operator("Pow") => match net.scalar(unit.input(1)?)? {
            0.5 => false,
            -0.5 => true,
            _ => return None,
        },
        _ => return None,
    };
    let mut units = vec![root];
    let square = mean_square(net, unit.input(0)?, &mut units)?;
    let quotient = Quotient { net, square: &square };
    let (out, scaled, shifted) = quotient.find(unit.output(), inverted, &mut units)?;
    let MeanSquare { x, centerd, summed, axes, .. } = square;
    Some(Standardized { x, out, units, centerd: centerd.is_some(), summed, axes, scaled, shifted })
}

/// What a root is taken of.
struct MeanSquare {
    x: Val,
    /// The values without their mean, and the mean.
    centerd: Option<(Val, Val)>,
    summed: bool,
    axes: Vec<i64>,
}

fn mean_square(net: &Network<'_>, val: Val, units: &mut Vec<OpId>) -> Option<MeanSquare> {
    let mut val = val;
    // A small number, or a least one, keeps the root from zero.
    for _ in 0..3 {
        let Some(id) = net.made_by(val, ["Add", "Clip", "Max"]) else { break };
        let unit = net.unit(id);
        val = match unit.op {
            Op::Operator("Clip") => unit.input(0)?,
            _ => match net.data_and_constant(unit) {
                Some((data, number)) if net.elements(number) == Some(1) => data,
                _ => break,
            },
        };
        units.push(id);
    }
    if let Some(id) = net.made_by(val, "Sub") {
        let (squares, of_mean) = net.data_pair(net.unit(id))?;
        let squares = reduced(net, squares, units)?;
        let x = square(net, squares.of, units)?;
        let mean = square(net, of_mean, units)?;
        let taken = reduced(net, mean, units)?;
        let same = taken.of == x && taken.axes == squares.axes && !taken.summed && !squares.summed;
        units.push(id);
        return same.then_some(MeanSquare {
            x,
            centerd: Some((x, mean)),
            summed: false,
            axes: squares.axes,
        });
    }
    let squares = reduced(net, val, units)?;
    let base = if squares.squared { squares.of } else { square(net, squares.of, units)? };
    let MeanOf { axes, summed, .. } = squares;
    let mut of_mean = Vec::new();
    match centring(net, base, &mut of_mean) {
        Some((x, mean, of)) if of == axes => {
            units.append(&mut of_mean);
            Some(MeanSquare { x, centerd: Some((base, mean)), summed, axes })
        }
        _ => Some(MeanSquare { x: base, centerd: None, summed, axes }),
    }
}

/// A value squared.
fn square(net: &Network<'_>, val: Val, units: &mut Vec<OpId>) -> Option<Val> {
    let id = net.made_by(val, ["Mul", "Pow"])?;
    let unit = net.unit(id);
    let base = match (unit.op, &unit.inputs[..]) {
        (Op::Operator("Mul"), [Some(a), Some(b)]) if a == b => *a,
        (Op::Operator("Pow"), [Some(a), Some(two)]) if net.is_number(*two, 2.0) => *a,
        _ => return None,
    };
    units.push(id);
    Some(base)
}

/// Values less their own mean: the values, the mean, its axes.
fn centring(net: &Network<'_>, val: Val, units: &mut Vec<OpId>) -> Option<(Val, Val, Vec<i64>)> {
    let id = net.made_by(val, "Sub")?;
    let (x, mean) = net.data_pair(net.unit(id))?;
    let mut of_mean = Vec::new();
    let taken = reduced(net, mean, &mut of_mean)?;
    if taken.of != x || taken.summed || taken.squared {
        return None;
    }
    units.push(id);
    units.extend(of_mean);
    Some((x, mean, taken.axes))
}

/// A mean or sum over axes.
struct MeanOf {
    of: Val,
    axes: Vec<i64>,
    summed: bool,
    squared: bool,
}

fn reduced(net: &Network<'_>, val: Val, units: &mut Vec<OpId>) -> Option<MeanOf> {
    let mut val = val;
    let mut divided = false;
    for _ in 0..4 {
        let id = net.producer(val)?;
        let unit = net.unit(id);
        if !unit.is(PUT_BACK) {
            // The sum over the length.
            match net.data_and_constant(unit) {
                Some((sum, number))
                    if !divided
                        && unit.is(["Div", "Mul"])
                        && unit.input(0) == Some(sum)
                        && net.elements(number) == Some(1) =>
                {
                    divided = true;
                    val = sum;
                    units.push(id);
                    continue;
                }
                _ => {}
            }
            let (summed, squared) = match unit.op {
                Op::Operator("ReduceMean") if !divided => (false, false),
                Op::Operator("ReduceSum") => (!divided, false),
                Op::Operator("ReduceSumSquare") => (!divided, true),
                _ => return None,
            };
            units.push(id);
            return Some(MeanOf { of: unit.input(0)?, axes: axes(net, unit)?, summed, squared });
        }
        units.push(id);
        val = unit.input(0)?;
    }
    None
}

/// Axes of a reduction, which were an attribute once, from the front where the rank is known.
pub(super) fn axes(net: &Network<'_>, unit: &NetworkOp) -> Option<Vec<i64>> {
    let rank = net.rank(unit.input(0)?).and_then(|rank| i64::try_from(rank).ok());
    let mut axes: Vec<i64> = match (net.ints(unit, "axes"), unit.input(1)) {
        (Some(axes), _) => axes.to_vec(),
        #[expect(clippy::cast_possible_truncation, reason = "axes are small whole numbers")]
        (None, Some(axes)) => net.numbers(axes)?.iter().map(|axis| *axis as i64).collect(),
        (None, None) => return None,
    };
    for axis in &mut axes {
        *axis += if *axis < 0 { rank.unwrap_or(0) } else { 0 };
    }
    axes.sort_unstable();
    Some(axes)
}

/// Looks for the quotient behind a root.
struct Quotient<'q, 'm> {
    net: &'q Network<'m>,
    square: &'q MeanSquare,
}

impl Quotient<'_, '_> {
    /// What comes of it, whether it is scaled and shifted.
    fn find(&self, root: Val, inverted: bool, units: &mut Vec<OpId>) -> Option<(Val, bool, bool)> {
        let net = self.net;
        let (mut below, mut inverted, mut scaled) = (root, inverted, false);
        // The inverse and the scale are a step each, and a dropped axis is put back.
        for _ in 0..4 {
            let mut step = None;
            for id in net.uses(below).take(MAX_READERS) {
                let unit = net.unit(id);
                if unit.is(PUT_BACK) && unit.input(0) == Some(below) || unit.is("Reciprocal") {
                    inverted |= unit.is("Reciprocal");
                    step = Some(id);
                    break;
                }
                let [Some(a), Some(b)] = unit.inputs[..] else { continue };
                let other = if a == below { b } else { a };
                match unit.op {
                    Op::Operator("Div") if b == below && !inverted => {
                        if !net.is_data(a) {
                            inverted = true;
                            scaled = net.elements(a) != Some(1);
                            step = Some(id);
                            break;
                        }
                        if self.is_top(a, units) {
                            units.push(id);
                            return Some((unit.output(), scaled, false));
                        }
                    }
                    Op::Operator("Mul") if inverted && !net.is_data(other) => {
                        scaled = true;
                        step = Some(id);
                        break;
                    }
                    Op::Operator("Mul") if inverted && self.is_top(other, units) => {
                        units.push(id);
                        return Some((unit.output(), scaled, false));
                    }
                    _ => {}
                }
            }
            let Some(step) = step else { break };
            units.push(step);
            below = net.unit(step).output();
        }
        let (out, shifted) = self.mean_last(below, units).filter(|_| inverted)?;
        Some((out, scaled, shifted))
    }

    /// Whether a value is what the root divides.
    fn is_top(&self, val: Val, units: &mut Vec<OpId>) -> bool {
        match self.square.centerd {
            None => val == self.square.x,
            // The variance of JAX is found without a difference.
            Some((base, _)) if val == base && base != self.square.x => true,
            // PyTorch and TensorFlow sometimes take the mean off twice.
            Some(_) => {
                let mut again = Vec::new();
                let same = centring(self.net, val, &mut again)
                    .is_some_and(|(x, _, axes)| x == self.square.x && axes == self.square.axes);
                if same {
                    units.append(&mut again);
                }
                same
            }
        }
    }

    /// `x·q + (shift - mean·q)`, or `x·q - mean·q`, for a quotient `q`: what comes of it, and
    /// whether it is shifted.
    fn mean_last(&self, quotient: Val, units: &mut Vec<OpId>) -> Option<(Val, bool)> {
        let net = self.net;
        let (_, mean) = self.square.centerd?;
        let product = |of: Val| {
            net.uses(quotient).take(MAX_READERS).find(|id| {
                let unit = net.unit(*id);
                let pair = [Some(of), Some(quotient)];
                unit.is("Mul") && (unit.inputs[..] == pair || unit.inputs[..] == [pair[1], pair[0]])
            })
        };
        let (of_x, of_mean) = (product(self.square.x)?, product(mean)?);
        let (x, mean) = (net.unit(of_x).output(), net.unit(of_mean).output());
        let less = net.only_use(mean).filter(|id| net.unit(*id).is("Sub"))?;
        units.extend([of_x, of_mean, less]);
        let [Some(from), Some(_)] = net.unit(less).inputs[..] else { return None };
        let difference = net.unit(less).output();
        if from == x {
            return Some((difference, false));
        }
        let sum = net.only_use(difference).filter(|id| net.unit(*id).is("Add"))?;
        units.push(sum);
        let both = net.unit(sum).inputs.contains(&Some(x)) && !net.is_data(from);
        both.then(|| (net.unit(sum).output(), true))
    }
}
