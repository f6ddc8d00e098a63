//! Skips that are not additions: concatenation, gate, subtraction.
//!
//! | form | written by |
//! |---|---|
//! | `Concat(x, …, f(x))` along the channels, with a contraction in `f` | DenseNet, U-Net, CSP, pyramids |
//! | `Add(Mul(t, h(x)), Mul(Sub(1, t), x))` with `t = Sigmoid(W·x)` | highway networks |
//! | `Sub(x, f(x))` with a contraction in `f` | denoisers that predict the noise |
//!
//! A concatenation of parallel branches, of keys with those of a cache, of rotated halves or of
//! shapes is none of them: no operand follows from another. x·sigmoid(x) is an activation, and the
//! subtraction of a mean has no contraction.

use calipers_report::{Skip, SkipKind};
use hashbrown::HashSet;

use super::Pattern;
use super::conv::{CONVS, GATES, joins_channels};
use super::residual::around;
use crate::network::{BlockKind, Found, Network, NetworkOp, OpId, Ops, Val};

pub(super) const CONCATENATION: Pattern = Pattern {
    kind: BlockKind::ConcatSkip,
    description: "Skip connection by concatenation: appends later features to earlier ones.",
    anchors: Ops::operators(&["Concat"]),
    matcher: find_concatenation,
};

pub(super) const GATE: Pattern = Pattern {
    kind: BlockKind::GatedSkip,
    description: "Gated skip connection, as in highway networks: a gate blends a value with features computed from it.",
    anchors: Ops::operators(&["Add"]),
    matcher: find_gate,
};

pub(super) const SUBTRACTION: Pattern = Pattern {
    kind: BlockKind::SubtractedSkip,
    description: "Skip connection by subtraction: subtracts computed features from their input.",
    anchors: Ops::operators(&["Sub"]),
    matcher: find_subtraction,
};

/// Nodes that are named for each kind.
const NAMED: usize = 5;

/// The skips that are not additions, by kind.
pub fn skips(net: &Network<'_>) -> Vec<Skip> {
    let kinds = [
        (SkipKind::Concatenation, CONCATENATION),
        (SkipKind::Gate, GATE),
        (SkipKind::Subtraction, SUBTRACTION),
    ];
    let skip = |(kind, row): (SkipKind, Pattern)| {
        let found: Vec<&NetworkOp> = net.all().filter(|unit| unit.is(row.kind)).collect();
        let nodes = found.iter().take(NAMED).map(|unit| net.model.node_label(unit.node)).collect();
        Skip { kind, count: found.len() as u64, nodes }
    };
    kinds.into_iter().map(skip).filter(|skip| skip.count > 0).collect()
}

fn find_concatenation(net: &Network<'_>, end: OpId) -> Option<Found> {
    let unit = net.unit(end);
    let parts: Vec<Val> = net.data_inputs(unit).collect();
    if parts.len() < 2 || !joins_channels(net, unit) {
        return None;
    }
    joined(net, &parts).then(|| Found::new([end]))
}

/// Whether one of these values follows from another, by a contraction.
fn joined(net: &Network<'_>, parts: &[Val]) -> bool {
    // Nothing before the first of them can lie between; an input comes before all.
    let first = parts.iter().map(|part| net.producer(*part)).min().flatten();
    let parts: HashSet<Val> = parts.iter().copied().collect();
    let limit = net.search_limit(&Ops::operators(&["Concat"]));
    // Each unit with whether a contraction lies between it and the concatenation.
    let mut seen: HashSet<(OpId, bool)> = HashSet::new();
    let start = parts.iter().filter_map(|part| net.producer(*part));
    let mut stack: Vec<(OpId, bool)> = start.map(|unit| (unit, false)).collect();
    while let Some((id, computed)) = stack.pop() {
        let before = first.is_some_and(|first| id < first);
        if before || seen.contains(&(id, true)) || !seen.insert((id, computed)) {
            continue;
        }
        if seen.len() > limit {
            return false;
        }
        let unit = net.unit(id);
        let computed = computed || unit.contractions() > 0;
        for input in unit.inputs.iter().flatten() {
            if computed && parts.contains(input) {
                return true;
            }
            stack.extend(net.producer(*input).map(|unit| (unit, computed)));
        }
    }
    false
}

fn find_gate(net: &Network<'_>, end: OpId) -> Option<Found> {
    let unit = net.unit(end);
    let (a, b) = net.data_pair(unit)?;
    let [first, second] = [net.made_by(a, "Mul")?, net.made_by(b, "Mul")?];
    [(first, second), (second, first)].into_iter().find_map(|(taken, kept)| {
        let (a, b) = net.data_pair(net.unit(taken))?;
        let (c, d) = net.data_pair(net.unit(kept))?;
        for (gate, new) in [(a, b), (b, a)] {
            for (rest, old) in [(c, d), (d, c)] {
                if let Some(units) = highway(net, gate, new, rest, old) {
                    let all = units.into_iter().chain([taken, kept, end]);
                    return Some(Found::new(all).taking([old]));
                }
            }
        }
        None
    })
}

/// The units of `gate · new + rest · old`, when the gate and the new value are computed from the old
/// one alone, and the rest is what the gate leaves.
fn highway(net: &Network<'_>, gate: Val, new: Val, rest: Val, old: Val) -> Option<Vec<OpId>> {
    let complement = net.made_by(rest, "Sub")?;
    let sub = net.unit(complement);
    if sub.input(1)? != gate || !net.is_number(sub.input(0)?, 1.0) {
        return None;
    }
    let activation = net.made_by(gate, GATES)?;
    let from_old = |val: Val| {
        let mut at = val;
        // A product, its bias, and the activation after it.
        for _ in 0..4 {
            let unit = net.unit(net.producer(at)?);
            let mut inputs = net.data_inputs(unit);
            at = inputs.next().filter(|_| inputs.next().is_none())?;
            if at == old {
                return Some(());
            }
        }
        None
    };
    from_old(gate)?;
    from_old(new)?;
    Some(vec![complement, activation])
}

fn find_subtraction(net: &Network<'_>, end: OpId) -> Option<Found> {
    let around = around(net, end)?;
    // Differences of what two products made are arithmetic.
    around.shortcut.is_empty().then_some(())?;
    let layers = (CONVS, (BlockKind::Linear, ["Gemm", "MatMul"]));
    let weighted = around.path.iter().any(|unit| net.unit(*unit).is(layers));
    weighted.then(|| Found::new([end]).taking([around.fork]))
}

#[cfg(test)]
mod tests {
    use super::super::testing::sketch::{concat, conv, conv_relu, linear, shape};
    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn images(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::new().over(&["1", "8", "16", "16"], build)
    }

    fn rows(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::new().over(&["batch", "16"], build)
    }

    #[test]
    fn a_value_joined_with_what_follows_from_it() {
        let dense = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 4, 3));
            concat(t, &[x, &y], 1)
        };
        assert_eq!(images(dense).count(BlockKind::ConcatSkip), 1);
        let branches = |t: &mut Tiny, x: &str| {
            let (a, b) = (conv(t, x, shape(8, 4, 1)), conv(t, x, shape(8, 4, 3)));
            concat(t, &[&a, &b], 1)
        };
        assert_eq!(images(branches).count(BlockKind::ConcatSkip), 0, "branches side by side");
        let rectified = |t: &mut Tiny, x: &str| {
            let (a, b) = (t.op("Relu", &[x]), t.op("Neg", &[x]));
            let b = t.op("Relu", &[&b]);
            concat(t, &[x, &a, &b], 1)
        };
        assert_eq!(images(rectified).count(BlockKind::ConcatSkip), 0, "no computation between");
        let stacked = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 8, 3));
            concat(t, &[x, &y], 2)
        };
        assert_eq!(images(stacked).count(BlockKind::ConcatSkip), 0, "along the rows");
    }

    #[test]
    fn a_highway_is_a_gate() {
        let highway = |t: &mut Tiny, x: &str| {
            let h = linear(t, x, 16, 16);
            let h = t.op("Relu", &[&h]);
            let g = linear(t, x, 16, 16);
            let g = t.op("Sigmoid", &[&g]);
            let one = t.scalar(1.0);
            let rest = t.op("Sub", &[&one, &g]);
            let (a, b) = (t.op("Mul", &[&g, &h]), t.op("Mul", &[&rest, x]));
            t.op("Add", &[&a, &b])
        };
        assert_eq!(rows(highway).count(BlockKind::GatedSkip), 1);
    }

    #[test]
    fn activations_and_cells_are_no_gates() {
        let silu = |t: &mut Tiny, x: &str| {
            let y = linear(t, x, 16, 16);
            let s = t.op("Sigmoid", &[&y]);
            let y = t.op("Mul", &[&y, &s]);
            t.op("Add", &[x, &y])
        };
        assert_eq!(rows(silu).count(BlockKind::GatedSkip), 0);
        let cell = |t: &mut Tiny, x: &str| {
            let state = t.input(&["batch", "16"]);
            let both = concat(t, &[x, &state], 1);
            let z = linear(t, &both, 32, 16);
            let z = t.op("Sigmoid", &[&z]);
            let new = linear(t, x, 16, 16);
            let new = t.op("Tanh", &[&new]);
            let one = t.scalar(1.0);
            let rest = t.op("Sub", &[&one, &z]);
            let (a, b) = (t.op("Mul", &[&rest, &new]), t.op("Mul", &[&z, &state]));
            t.op("Add", &[&a, &b])
        };
        let seen = rows(cell);
        assert_eq!((seen.count(BlockKind::GatedSkip), seen.count(BlockKind::ResidualAdd)), (0, 0));
    }

    #[test]
    fn noise_taken_off_is_a_subtraction() {
        let denoiser = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 8, 3));
            let y = conv(t, &y, shape(8, 8, 3));
            t.op("Sub", &[x, &y])
        };
        assert_eq!(images(denoiser).count(BlockKind::SubtractedSkip), 1);
        let centerd = |t: &mut Tiny, x: &str| {
            let y = conv(t, x, shape(8, 8, 3));
            let axes = t.ints(&[1]);
            let mean = t.op("ReduceMean", &[&y, &axes]);
            t.op("Sub", &[&y, &mean])
        };
        assert_eq!(images(centerd).count(BlockKind::SubtractedSkip), 0);
    }
}
