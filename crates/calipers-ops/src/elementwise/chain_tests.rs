//! Chains of operations on a size, against the same chains on numbers.

use std::collections::BTreeMap;

use calipers_ir::DType;
use calipers_sym::{Expr, Symbol};

use super::arithmetic::{Binary, Transformed};
use super::cast::cast;
use super::compare::Relation;
use crate::elem::Elem;

/// A generator that gives the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % u64::try_from(sides).unwrap()).unwrap()
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())].clone()
    }
}

#[derive(Clone, Debug)]
enum Step {
    Transformed(Transformed),
    With(Binary, Elem),
    By(Binary, Elem),
    WithStart(Binary),
    Cast,
}

const BINARY: [Binary; 8] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Div,
    Binary::Mod,
    Binary::Min,
    Binary::Max,
];

const UNARY: [Transformed; 7] = [
    Transformed::Abs,
    Transformed::Ceil,
    Transformed::Floor,
    Transformed::Neg,
    Transformed::Relu,
    Transformed::Round,
    Transformed::Sign,
];

fn step(dice: &mut Dice, float: bool) -> Step {
    let whole = [-3, -1, 1, 2, 3, 4, 6, 7, 8, 32].map(Elem::int);
    let other = [0.5, 0.25, 1.5, -0.5, 0.125, 2.5].map(Elem::Float);
    let constant = if float && dice.roll(4) == 0 { dice.pick(&other) } else { dice.pick(&whole) };
    match dice.roll(9) {
        0 | 1 => Step::Cast,
        2 | 3 => Step::Transformed(dice.pick(&UNARY)),
        4 => Step::WithStart(dice.pick(&BINARY)),
        5 => Step::By(dice.pick(&BINARY), constant),
        _ => Step::With(dice.pick(&BINARY), constant),
    }
}

/// The elements after each step, and the type at the end.
fn follow(steps: &[Step], start: &Elem) -> (Vec<Elem>, DType) {
    let (mut elem, mut from, mut dtype) = (start.clone(), start.clone(), DType::Int64);
    let mut seen = Vec::new();
    for step in steps {
        elem = match step {
            Step::Transformed(op) => op.apply(dtype, &elem),
            Step::With(op, constant) => op.apply(dtype, &elem, constant),
            Step::By(op, constant) => op.apply(dtype, constant, &elem),
            Step::WithStart(op) => op.apply(dtype, &elem, &from),
            Step::Cast => {
                let to = if dtype == DType::Int64 { DType::Float32 } else { DType::Int64 };
                from = cast(&from, dtype, to);
                let elem = cast(&elem, dtype, to);
                dtype = to;
                elem
            }
        };
        seen.push(elem.clone());
    }
    (seen, dtype)
}

/// What the symbolic answer is for one size.
fn at(elem: &Elem, size: i64) -> Elem {
    let n = BTreeMap::from([(Symbol::at_least("n", 1), Expr::from(size))]);
    match elem {
        Elem::Int(expr) => Elem::Int(expr.substitute(&n)),
        Elem::Ratio { numerator, denominator } => {
            Elem::Ratio { numerator: numerator.substitute(&n), denominator: *denominator }
        }
        other => other.clone(),
    }
}

#[test]
fn a_size_goes_through_a_chain_as_its_numbers_do() {
    let size = Elem::Int(Expr::symbol(&Symbol::at_least("n", 1)));
    let mut dice = Dice(20);
    let (mut followed, mut compared) = (0, 0);
    for _ in 0..1500 {
        let mut float = false;
        let steps: Vec<Step> = (0..1 + dice.roll(7))
            .map(|_| {
                let step = step(&mut dice, float);
                float ^= matches!(step, Step::Cast);
                step
            })
            .collect();
        let (symbolic, dtype) = follow(&steps, &size);
        let last = symbolic.last().unwrap();
        followed += usize::from(*last != Elem::Unknown);
        for number in [1, 2, 3, 5, 6, 7, 12, 31, 49, 50, 98, 224, 1023, 4097] {
            let (numbers, _) = follow(&steps, &Elem::int(number));
            // Beyond this, a float does not hold every size.
            let is_small = |elem: &Elem| elem.as_f64().is_some_and(|value| value.abs() < 1e5);
            if *last == Elem::Unknown || !numbers.iter().all(is_small) {
                continue;
            }
            compared += 1;
            let (said, is) = (at(last, number), numbers.last().unwrap());
            let close = match (said.as_f64(), is.as_f64()) {
                (Some(said), Some(is)) => (said - is).abs() <= 0.01,
                _ => false,
            };
            let same_size = cast(&said, dtype, DType::Int64) == cast(is, dtype, DType::Int64);
            assert!(
                close && same_size,
                "{steps:?} of {number}: {last:?} gives {said:?}, not {is:?}"
            );
            for relation in [Relation::Less, Relation::Equal, Relation::GreaterOrEqual] {
                let reported = relation.apply(last, &Elem::int(2));
                let truth = relation.apply(is, &Elem::int(2));
                assert!(reported == Elem::Unknown || reported == truth, "{relation:?} of {last:?}");
            }
        }
    }
    assert!(followed > 700 && compared > 7_000, "{followed} chains, {compared} numbers");
}
