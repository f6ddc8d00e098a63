//! From the sum of values back to the product of queries and keys.

use calipers_ops::Movement;
use hashbrown::HashMap;

use crate::network::{Network, Op, OpId, Origin, Val, With};

/// Steps from the sum of values to the `Softmax`.
const MAX_STEPS: usize = 8;

/// Units that are looked at between the `Softmax` and the product.
const MAX_UNITS: usize = 48;

/// What may be between the product and the `Softmax`: factors, masks, biases, caps.
const ON_SCORES: With = With(|traits| {
    traits.is_elementwise() && !traits.decides
        || matches!(
            traits.movement,
            Some(Movement::Join | Movement::Pad | Movement::Repeat | Movement::Slice)
        )
});

/// Queries, keys and values, and what is between them.
pub(super) struct Scores {
    pub(super) query: Val,
    pub(super) key: Val,
    pub(super) value: Val,
    /// The product of queries and keys.
    pub(super) product: OpId,
    /// The units from the product to the weights.
    pub(super) units: Vec<OpId>,
    /// What is joined with the scores: masks and biases.
    pub(super) others: Vec<Val>,
}

impl Scores {
    /// The scores that a product of weights and values ends.
    pub(super) fn behind(net: &Network<'_>, end: OpId) -> Option<Self> {
        let [Some(a), Some(b)] = net.unit(end).inputs[..] else { return None };
        [(a, b), (b, a)].into_iter().find_map(|(weights, value)| {
            if !net.is_data(value) || !net.is_data(weights) {
                return None;
            }
            let (given, mut units) = softmax(net, weights)?;
            let (product, path) = product(net, given)?;
            let [Some(query), Some(key)] = net.unit(product).inputs[..] else { return None };
            let mut others = Vec::new();
            for unit in &path {
                let unit = net.unit(*unit);
                // A view's shape, a cut's places and a limit say nothing about who sees whom.
                if unit.is(["Add", "Mul", "Sub", "Where"]) {
                    let made = |val: &&Val| !path_makes(net, &path, product, **val);
                    others.extend(unit.inputs.iter().flatten().filter(made));
                }
            }
            units.extend(path);
            units.push(product);
            Some(Self { query, key, value, product, units, others })
        })
    }
}

fn path_makes(net: &Network<'_>, path: &[OpId], product: OpId, val: Val) -> bool {
    net.producer(val).is_some_and(|unit| unit == product || path.contains(&unit))
}

/// Back to the `Softmax` that gives weights: what it is given, and the units up to here.
fn softmax(net: &Network<'_>, weights: Val) -> Option<(Val, Vec<OpId>)> {
    let (mut val, mut units) = (weights, Vec::new());
    for _ in 0..MAX_STEPS {
        let id = net.producer(val)?;
        let unit = net.unit(id);
        units.push(id);
        val = match unit.op {
            Op::Operator("Softmax") => return Some((unit.input(0)?, units)),
            Op::Operator("Slice") => unit.input(0)?,
            _ if unit.is_layout() => unit.input(0)?,
            // Weights of rows that nothing is seen from.
            Op::Operator("Where") => {
                let test = unit.input(0).and_then(|test| net.made_by(test, "IsNaN"));
                units.extend(test);
                let values = [unit.input(1)?, unit.input(2)?];
                let mut data = values.into_iter().filter(|value| net.is_data(*value));
                let only = data.next()?;
                data.next().is_none().then_some(only)?
            }
            Op::Operator("Div") => match net.data_pair(unit) {
                Some((exponents, sum)) => return written_out(net, exponents, sum, units),
                None => unit.input(0)?,
            },
            Op::Operator("Mul") => match net.data_and_constant(unit) {
                Some((data, _)) => data,
                None => return by_reciprocal(net, unit.inputs.as_slice(), units),
            },
            _ => return None,
        };
    }
    None
}

fn by_reciprocal(
    net: &Network<'_>,
    factors: &[Option<Val>],
    mut units: Vec<OpId>,
) -> Option<(Val, Vec<OpId>)> {
    let [Some(a), Some(b)] = *factors else { return None };
    let (exponents, inverse) =
        [(a, b), (b, a)].into_iter().find_map(|(x, y)| Some((x, net.made_by(y, "Reciprocal")?)))?;
    units.push(inverse);
    written_out(net, exponents, net.unit(inverse).input(0)?, units)
}

/// `Exp(x − max) / ReduceSum`.
fn written_out(
    net: &Network<'_>,
    exponents: Val,
    sum: Val,
    mut units: Vec<OpId>,
) -> Option<(Val, Vec<OpId>)> {
    let summed = net.made_by(sum, "ReduceSum")?;
    let exponential = net.made_by(exponents, "Exp")?;
    if net.unit(summed).input(0) != Some(exponents) {
        return None;
    }
    units.extend([summed, exponential]);
    let given = net.unit(exponential).input(0)?;
    let Some(shifted) = net.made_by(given, "Sub") else { return Some((given, units)) };
    let shift = net.unit(shifted);
    let most = shift.input(1).and_then(|most| net.made_by(most, "ReduceMax"));
    match (most, shift.input(0)) {
        (Some(most), Some(given)) if net.unit(most).input(0) == Some(given) => {
            units.extend([shifted, most]);
            Some((given, units))
        }
        _ => Some((given, units)),
    }
}

/// The nearest product of two activations behind the scores, and the units from there.
fn product(net: &Network<'_>, scores: Val) -> Option<(OpId, Vec<OpId>)> {
    let mut queue = std::collections::VecDeque::from([net.producer(scores)?]);
    let mut from: HashMap<OpId, OpId> = HashMap::new();
    while let Some(id) = queue.pop_front() {
        let unit = net.unit(id);
        if is_product(net, id) {
            let mut path = Vec::new();
            let mut at = id;
            while let Some(next) = from.get(&at) {
                path.push(*next);
                at = *next;
            }
            return Some((id, path));
        }
        if from.len() > MAX_UNITS || !(unit.is(ON_SCORES) || unit.is_layout()) {
            continue;
        }
        for input in net.data_inputs(unit) {
            if let Some(before) = net.producer(input)
                && before != id
                && !from.contains_key(&before)
            {
                from.insert(before, id);
                queue.push_back(before);
            }
        }
    }
    None
}

fn is_product(net: &Network<'_>, id: OpId) -> bool {
    let unit = net.unit(id);
    if !unit.is(["Einsum", "Gemm", "MatMul"]) {
        return false;
    }
    let [Some(a), Some(b)] = unit.inputs[..] else { return false };
    match (net.origin(a), net.origin(b)) {
        (Origin::Data, Origin::Data) => true,
        // Learned queries, with a row for each head at least: a weight would are on the right.
        (Origin::Constant | Origin::Shape, Origin::Data) => net.rank(a) >= Some(3),
        _ => false,
    }
}
