//! Functions of one value, computed element by element.
//!
//! Exporters write the same activation in many ways: `x·Φ(x)` with a
//! division by √2 or a product with 1/√2, halves before or after, operands in any order. So its
//! pattern does not compare operators. It starts at the one that makes the activation (`Erf`, `Tanh`,
//! `Sigmoid`, `Clip`, …), takes the arithmetic around it that has one input and else only numbers,
//! computes it at a few points, and compares with the activation it looks for.

use crate::network::{BlockKind, Found, Network, NetworkOp, Op, OpId, Val};

/// Where activations are compared.
pub(super) const POINTS: [f64; 12] =
    [-7.0, -3.5, -2.0, -1.2, -0.5, -0.1, 0.0, 0.3, 0.9, 1.7, 3.2, 7.5];

/// An activation at [`POINTS`].
pub(super) type Samples = [f64; POINTS.len()];

/// Arithmetic that is around an activation.
const ARITHMETIC: &[&str] = &["Add", "Div", "Max", "Min", "Mul", "Neg", "Reciprocal", "Sub"];

/// What may come before it also.
const BEFORE: &[&str] = &["Abs", "Exp", "Log", "Pow", "Relu", "Softplus"];

/// Units before and after the start that are looked at: the longest form known has five before
/// (`tanh` of a cubic) and four after.
const REACH: usize = 8;

/// Inputs that are tried, the nearest first.
const MAX_CANDIDATES: usize = 4;

/// Readers of a value that are followed.
const MAX_READERS: usize = 4;

/// Finds the block around `start` whose activation is wanted, with its input.
pub(super) fn find(
    net: &Network<'_>,
    start: OpId,
    wanted: impl Fn(&Samples) -> bool,
) -> Option<Found> {
    for x in candidates(net, start) {
        let mut sampler = Sampler { net, known: vec![(x, Some(POINTS))] };
        let mut after = vec![start];
        let mut next = 0;
        while let Some(&id) = after.get(next) {
            next += 1;
            let Some(samples) = sampler.unit(id, 0) else { continue };
            let output = net.unit(id).output();
            sampler.known.push((output, Some(samples)));
            if wanted(&samples) {
                return Some(Found::new(between(net, x, id)).taking([x]));
            }
            for user in net.uses(output).take(MAX_READERS) {
                if after.len() < REACH && net.unit(user).is(ARITHMETIC) && !after.contains(&user) {
                    after.push(user);
                }
            }
        }
    }
    None
}

/// Whether an activation is this function, to the precision of half floats.
pub(super) fn is(samples: &Samples, function: impl Fn(f64) -> f64) -> bool {
    samples.iter().zip(POINTS).all(|(found, x)| {
        let wanted = function(x);
        (found - wanted).abs() <= 4e-3 * (1.0 + wanted.abs())
    })
}

/// The logistic function.
pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Values that all of a unit's operands follow from, the nearest first.
fn candidates(net: &Network<'_>, start: OpId) -> Vec<Val> {
    let mut open: Vec<Val> = Vec::new();
    let mut found = Vec::new();
    let enter = |unit: &NetworkOp, open: &mut Vec<Val>| {
        for input in unit.inputs.iter().flatten() {
            if net.is_data(*input) && !open.contains(input) {
                open.push(*input);
            }
        }
    };
    enter(net.unit(start), &mut open);
    for _ in 0..REACH {
        if let [only] = open[..] {
            found.push(only);
        }
        // Going back from what was computed last, the ways meet where they parted.
        let Some(last) = open.iter().copied().max_by_key(|val| net.producer(*val)) else { break };
        let Some(unit) = net.producer(last).map(|unit| net.unit(unit)) else { break };
        if found.len() >= MAX_CANDIDATES || !unit.is(ARITHMETIC) && !unit.is(BEFORE) {
            break;
        }
        open.retain(|val| *val != last);
        enter(unit, &mut open);
    }
    found
}

/// The units from `x` to the one that gives the activation.
fn between(net: &Network<'_>, x: Val, end: OpId) -> Vec<OpId> {
    let mut units = vec![end];
    let mut next = 0;
    while let Some(&id) = units.get(next) {
        next += 1;
        for input in net.unit(id).inputs.iter().flatten().filter(|input| **input != x) {
            if let Some(unit) = net.producer(*input).filter(|unit| !units.contains(unit)) {
                units.push(unit);
            }
        }
    }
    units
}

/// Computes activations at the points.
struct Sampler<'n, 'm> {
    net: &'n Network<'m>,
    /// What is known already, and what cannot be.
    known: Vec<(Val, Option<Samples>)>,
}

impl Sampler<'_, '_> {
    fn operand(&mut self, unit: &NetworkOp, val: Val, depth: usize) -> Option<Samples> {
        if self.net.is_data(val) {
            return self.value(val, depth);
        }
        self.net.operand_scalar(unit, val).map(|number| [number; POINTS.len()])
    }

    fn value(&mut self, val: Val, depth: usize) -> Option<Samples> {
        if let Some((_, samples)) = self.known.iter().find(|(known, _)| *known == val) {
            return *samples;
        }
        if depth >= REACH {
            return None;
        }
        let producer = self.net.producer(val).filter(|id| {
            let unit = self.net.unit(*id);
            unit.is(ARITHMETIC) || unit.is(BEFORE)
        });
        let samples = producer.and_then(|unit| self.unit(unit, depth + 1));
        self.known.push((val, samples));
        samples
    }

    fn unit(&mut self, id: OpId, depth: usize) -> Option<Samples> {
        let net = self.net;
        let unit = net.unit(id);
        if unit.is("Clip") {
            let x = self.value(unit.input(0)?, depth)?;
            let (low, high) = limits(net, unit)?;
            return Some(x.map(|x| x.max(low).min(high)));
        }
        if let Some(function) = function(net, unit) {
            return Some(self.value(unit.input(0)?, depth)?.map(function));
        }
        let operation: fn(f64, f64) -> f64 = match unit.op {
            Op::Operator("Add") => |a, b| a + b,
            Op::Operator("Div") => |a, b| a / b,
            Op::Operator("Max") => f64::max,
            Op::Operator("Min") => f64::min,
            Op::Operator("Mul") => |a, b| a * b,
            Op::Operator("Pow") => f64::powf,
            Op::Operator("Sub") => |a, b| a - b,
            _ => return None,
        };
        let [Some(a), Some(b)] = unit.inputs[..] else { return None };
        let mut samples = self.operand(unit, a, depth)?;
        let right = self.operand(unit, b, depth)?;
        for (left, right) in samples.iter_mut().zip(right) {
            *left = operation(*left, right);
        }
        Some(samples)
    }
}

/// The function of an operator that has one operand.
fn function(net: &Network<'_>, unit: &NetworkOp) -> Option<Box<dyn Fn(f64) -> f64>> {
    let number = |name, otherwise| net.float(unit, name).unwrap_or(otherwise);
    Some(match unit.op {
        Op::Operator("Abs") => Box::new(f64::abs),
        Op::Operator("Erf") => Box::new(libm::erf),
        Op::Operator("Exp") => Box::new(f64::exp),
        Op::Block(BlockKind::HardSigmoid) => {
            let (alpha, beta) = (number("alpha", 0.2), number("beta", 0.5));
            Box::new(move |x| (alpha * x + beta).clamp(0.0, 1.0))
        }
        Op::Operator("Log") => Box::new(f64::ln),
        Op::Operator("Neg") => Box::new(|x| -x),
        Op::Operator("QuickGelu") => {
            let alpha = number("alpha", 1.702);
            Box::new(move |x| x * sigmoid(alpha * x))
        }
        Op::Operator("Reciprocal") => Box::new(|x| 1.0 / x),
        Op::Operator("Relu") => Box::new(|x| x.max(0.0)),
        Op::Operator("Sigmoid") => Box::new(sigmoid),
        Op::Operator("Softplus") => Box::new(|x| x.exp().ln_1p()),
        Op::Operator("Swish") => {
            let alpha = number("alpha", 1.0);
            Box::new(move |x| x * sigmoid(alpha * x))
        }
        Op::Operator("Tanh") => Box::new(f64::tanh),
        _ => return None,
    })
}

/// The limits of a `Clip`, which were attributes before opset 11.
pub(super) fn limits(net: &Network<'_>, unit: &NetworkOp) -> Option<(f64, f64)> {
    let limit = |slot: usize, name: &str, open: f64| match unit.input(slot) {
        Some(val) => net.scalar(val),
        None => Some(net.float(unit, name).unwrap_or(open)),
    };
    Some((limit(1, "min", f64::NEG_INFINITY)?, limit(2, "max", f64::INFINITY)?))
}

#[cfg(test)]
mod tests {
    use super::{is, sigmoid};

    #[test]
    fn activations_that_are_near_are_reported_apart() {
        let silu = super::POINTS.map(|x| x * sigmoid(x));
        assert!(is(&silu, |x| x * sigmoid(x)));
        assert!(!is(&silu, |x| x * sigmoid(1.1 * x)));
        assert!(!is(&silu, |x| x * (x / 6.0 + 0.5).clamp(0.0, 1.0)));
    }
}
