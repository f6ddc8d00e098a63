//! Rotary position embedding: pairs of channels turned by an angle that grows with the position.
//!
//! | form | written by |
//! |---|---|
//! | `x·cos + Concat(-x₂, x₁)·sin`, the halves by `Slice` or `Split` | Hugging Face (Llama, NeoX) |
//! | the same with every second channel, stacked and reshaped | GPT-J, timm, EVA |
//! | `Concat(x₁·cos − x₂·sin, x₂·cos + x₁·sin)`, halves or pairs, also complex numbers | Llama's first code, ONNX's own expansion |
//! | `RotaryEmbedding`, `GemmaRotaryEmbedding`, `MRotaryEmbedding` | opset 23, ONNX Runtime |
//!
//! Cosines and sines may be constants, follow from shapes, or be looked up by position. The first
//! input is what is turned.

use super::Pattern;
use crate::network::{BlockKind, Found, Network, Op, OpId, Ops, Val};

pub(super) const ROTARY: Pattern = Pattern {
    kind: BlockKind::Rotary,
    description: "Rotary position embedding of queries and keys.",
    anchors: Ops::operators(&[
        "Add",
        "Concat",
        "GemmaRotaryEmbedding",
        "MRotaryEmbedding",
        "RotaryEmbedding",
    ]),
    matcher: find,
};

/// Views between two steps.
const VIEWS_BETWEEN: usize = 4;

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let unit = net.unit(end);
    match unit.op {
        Op::Operator("Add") => sum(net, end),
        Op::Operator("Concat") => halves(net, end),
        _ => Some(Found::new([end]).taking(unit.input(0))),
    }
}

/// `x·cos + turned(x)·sin`.
fn sum(net: &Network<'_>, end: OpId) -> Option<Found> {
    let (a, b) = net.data_pair(net.unit(end))?;
    [(a, b), (b, a)].into_iter().find_map(|(straight, turned)| {
        let by_cosine = net.made_by(straight, "Mul")?;
        let by_sine = net.made_by(turned, "Mul")?;
        net.unit(by_sine).inputs.iter().flatten().find_map(|turned| {
            let mut units = vec![end, by_cosine, by_sine];
            let whole = quarter_turn(net, *turned, &mut units)?;
            let factors = &net.unit(by_cosine).inputs;
            factors.contains(&Some(whole)).then(|| Found::new(units).taking([whole]))
        })
    })
}

/// What `Concat(-x₂, x₁)` is made of.
fn quarter_turn(net: &Network<'_>, val: Val, units: &mut Vec<OpId>) -> Option<Val> {
    let joined = net.behind_views(val, units, VIEWS_BETWEEN);
    let concat = net.made_by(joined, "Concat")?;
    let [Some(first), Some(second)] = net.unit(concat).inputs[..] else { return None };
    units.push(concat);
    let negated = net.behind_views(first, units, VIEWS_BETWEEN);
    let negation = net.producer(negated)?;
    let negative = match net.unit(negation).op {
        Op::Operator("Neg") => net.unit(negation).input(0)?,
        Op::Operator("Mul") => {
            let (data, factor) = net.data_and_constant(net.unit(negation))?;
            net.is_number(factor, -1.0).then_some(data)?
        }
        _ => return None,
    };
    units.push(negation);
    let (of, other) = (part(net, negative, units)?, part(net, second, units)?);
    (of.whole == other.whole && of.part != other.part).then_some(of.whole)
}

/// `Concat(x₁·cos − x₂·sin, x₂·cos + x₁·sin)`.
fn halves(net: &Network<'_>, end: OpId) -> Option<Found> {
    let [Some(real), Some(imaginary)] = net.unit(end).inputs[..] else { return None };
    let mut units = vec![end];
    let real = net.behind_views(real, &mut units, VIEWS_BETWEEN);
    let imaginary = net.behind_views(imaginary, &mut units, VIEWS_BETWEEN);
    let (difference, sum) = (net.made_by(real, "Sub")?, net.made_by(imaginary, "Add")?);
    units.extend([difference, sum]);
    let first = products(net, difference, &mut units)?;
    let second = products(net, sum, &mut units)?;
    let alike = |a: &Part, b: &Part| a.whole == b.whole && a.part == b.part;
    let crossed = alike(&first[0], &second[0]) && alike(&first[1], &second[1])
        || alike(&first[0], &second[1]) && alike(&first[1], &second[0]);
    let turned = crossed && first[0].whole == first[1].whole && first[0].part != first[1].part;
    turned.then(|| Found::new(units).taking([first[0].whole]))
}

/// The parts that the two products of a sum are of.
fn products(net: &Network<'_>, sum: OpId, units: &mut Vec<OpId>) -> Option<[Part; 2]> {
    let (a, b) = net.data_pair(net.unit(sum))?;
    let mut of = |product: Val| {
        let product = net.made_by(product, "Mul")?;
        units.push(product);
        let inputs = net.unit(product).inputs.iter().flatten();
        inputs.copied().find_map(|input| part(net, input, units))
    };
    Some([of(a)?, of(b)?])
}

/// A part of the channels.
struct Part {
    part: Val,
    whole: Val,
}

fn part(net: &Network<'_>, val: Val, units: &mut Vec<OpId>) -> Option<Part> {
    let part = net.behind_views(val, units, VIEWS_BETWEEN);
    let cut = net.producer(part).filter(|unit| net.unit(*unit).is_cut())?;
    let mut whole = net.unit(cut).input(0).filter(|input| net.is_data(*input))?;
    units.push(cut);
    // A view may have made pairs, or two rows, of the channels.
    let in_two = net.dim(whole, -1) == Some(2) || net.dim(whole, -2) == Some(2);
    if in_two
        && let Some(view) = net.made_by(whole, "Reshape")
        && let Some(before) = net.unit(view).input(0)
        && net.rank(before).map(|rank| rank + 1) == net.rank(whole)
    {
        units.push(view);
        whole = before;
    }
    Some(Part { part, whole })
}

#[cfg(test)]
mod tests {
    use crate::blocks::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    const X: &[&str] = &["2", "4", "6", "8"];

    fn is_rotary(seen: &Seen) {
        assert_eq!(seen.kinds(), ["Rotary"]);
        assert!(seen.takes_the_input(BlockKind::Rotary));
    }

    /// Cosines and sines of this many channels.
    fn angles(t: &mut Tiny, channels: i64) -> (String, String) {
        (t.weight(&[1, 1, 6, channels]), t.weight(&[1, 1, 6, channels]))
    }

    #[test]
    fn halves_are_swapped() {
        let mut t = Tiny::new();
        let x = t.input(X);
        let (cos, sin) = angles(&mut t, 8);
        let straight = t.op("Mul", &[&x, &cos]);
        let (first, second) = (t.slice(&x, 0, 4, 3, 1), t.slice(&x, 4, 8, 3, 1));
        let negative = t.op("Neg", &[&second]);
        let half = t.cast(&negative, 1);
        let swapped = t.concat(&[&half, &first], -1);
        let turned = t.op("Mul", &[&swapped, &sin]);
        let y = t.op("Add", &[&straight, &turned]);
        is_rotary(&t.output(&y));
    }

    #[test]
    fn neighbors_are_swapped() {
        let mut t = Tiny::new();
        let x = t.input(X);
        let (cos, sin) = angles(&mut t, 8);
        let straight = t.op("Mul", &[&x, &cos]);
        let (even, odd) = (t.slice(&x, 0, 8, 3, 2), t.slice(&x, 1, 8, 3, 2));
        let axis = t.ints(&[4]);
        let negative = t.op("Neg", &[&odd]);
        let negative = t.op("Unsqueeze", &[&negative, &axis]);
        let even = t.op("Unsqueeze", &[&even, &axis]);
        let pairs = t.concat(&[&negative, &even], -1);
        let swapped = t.reshape(&pairs, &[2, 4, 6, 8]);
        let turned = t.op("Mul", &[&swapped, &sin]);
        let y = t.op("Add", &[&straight, &turned]);
        is_rotary(&t.output(&y));
    }

    #[test]
    fn as_complex_numbers() {
        let mut t = Tiny::new();
        let x = t.input(X);
        let (cos, sin) = angles(&mut t, 4);
        let pairs = t.reshape(&x, &[2, 4, 6, 4, 2]);
        let [real, imaginary] = [0, 1].map(|at| {
            let one = t.slice(&pairs, at, at + 1, 4, 1);
            t.reshape(&one, &[2, 4, 6, 4])
        });
        let (a, b) = (t.op("Mul", &[&real, &cos]), t.op("Mul", &[&imaginary, &sin]));
        let (c, d) = (t.op("Mul", &[&imaginary, &cos]), t.op("Mul", &[&real, &sin]));
        let (first, second) = (t.op("Sub", &[&a, &b]), t.op("Add", &[&c, &d]));
        let y = t.concat(&[&first, &second], -1);
        is_rotary(&t.output(&y));
    }

    #[test]
    fn one_operator() {
        let mut t = Tiny::new();
        let x = t.input(X);
        let ids = t.ints(&[0]);
        let (cos, sin) = (t.weight(&[16, 4]), t.weight(&[16, 4]));
        let y = t.contrib("RotaryEmbedding", &[&x, &ids, &cos, &sin]);
        is_rotary(&t.output(&y));
    }

    #[test]
    fn a_sum_without_a_turn_is_none() {
        let mut t = Tiny::new();
        let x = t.input(X);
        let (cos, sin) = angles(&mut t, 8);
        let straight = t.op("Mul", &[&x, &cos]);
        let (first, second) = (t.slice(&x, 0, 4, 3, 1), t.slice(&x, 4, 8, 3, 1));
        // Swapped, but not turned.
        let swapped = t.concat(&[&second, &first], -1);
        let other = t.op("Mul", &[&swapped, &sin]);
        let y = t.op("Add", &[&straight, &other]);
        assert_eq!(t.output(&y).count(BlockKind::Rotary), 0);
    }
}
