//! What must hold of every expression: simplification preserves the value, text reads back, the
//! ring's laws are equalities of form, and what is claimed of all values is true of each.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use calipers_sym::{EvalError, Expr, Symbol, parse, parse_at_least};
use proptest::prelude::*;

/// An expression as written, before any simplification.
#[derive(Clone, Debug)]
enum Tree {
    Constant(i64),
    Symbol(usize),
    Neg(Box<Tree>),
    Pow(Box<Tree>, u32),
    Binary(Operator, Box<Tree>, Box<Tree>),
}

#[derive(Clone, Copy, Debug)]
enum Operator {
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    TruncDiv,
    Modulo,
    Min,
    Max,
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// The lower bounds of the four symbols.
type Lowers = [i64; 4];

const MIXED: Lowers = [0, 1, 2, -5];

impl Tree {
    fn build(&self, lowers: Lowers) -> Expr {
        match self {
            Self::Constant(value) => Expr::from(*value),
            Self::Symbol(at) => Symbol::at_least(NAMES[*at], lowers[*at]).into(),
            Self::Neg(inner) => -inner.build(lowers),
            Self::Pow(inner, exponent) => inner.build(lowers).pow(*exponent),
            Self::Binary(operator, a, b) => {
                let (a, b) = (a.build(lowers), b.build(lowers));
                match operator {
                    Operator::Add => a + b,
                    Operator::Sub => a - b,
                    Operator::Mul => a * b,
                    Operator::FloorDiv => a.floor_div(&b),
                    Operator::CeilDiv => a.ceil_div(&b),
                    Operator::TruncDiv => a.trunc_div(&b),
                    Operator::Modulo => a.modulo(&b),
                    Operator::Min => a.min(b),
                    Operator::Max => a.max(b),
                }
            }
        }
    }

    /// The value as arithmetic has it; nothing on overflow or division by zero.
    fn value(&self, values: Lowers) -> Option<i128> {
        Some(match self {
            Self::Constant(value) => (*value).into(),
            Self::Symbol(at) => values[*at].into(),
            Self::Neg(inner) => inner.value(values)?.checked_neg()?,
            Self::Pow(inner, exponent) => inner.value(values)?.checked_pow(*exponent)?,
            Self::Binary(operator, a, b) => {
                let (a, b) = (a.value(values)?, b.value(values)?);
                let floor = |a: i128, b: i128| {
                    let quotient = a.checked_div(b)?;
                    Some(quotient - i128::from(quotient * b != a && (a < 0) != (b < 0)))
                };
                match operator {
                    Operator::Add => a.checked_add(b)?,
                    Operator::Sub => a.checked_sub(b)?,
                    Operator::Mul => a.checked_mul(b)?,
                    Operator::FloorDiv => floor(a, b)?,
                    Operator::CeilDiv => -floor(-a, b)?,
                    Operator::TruncDiv => a.checked_div(b)?,
                    Operator::Modulo => a - b * floor(a, b)?,
                    Operator::Min => a.min(b),
                    Operator::Max => a.max(b),
                }
            }
        })
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        2 => (-9_i64..=12).prop_map(Tree::Constant),
        3 => (0..4_usize).prop_map(Tree::Symbol),
    ];
    leaf.prop_recursive(5, 24, 2, |inner| {
        let operator = prop_oneof![
            4 => Just(Operator::Add),
            2 => Just(Operator::Sub),
            3 => Just(Operator::Mul),
            4 => Just(Operator::FloorDiv),
            2 => Just(Operator::CeilDiv),
            1 => Just(Operator::TruncDiv),
            3 => Just(Operator::Modulo),
            2 => Just(Operator::Min),
            2 => Just(Operator::Max),
        ];
        prop_oneof![
            1 => inner.clone().prop_map(|inner| Tree::Neg(Box::new(inner))),
            1 => (inner.clone(), 0..4_u32).prop_map(|(inner, e)| Tree::Pow(Box::new(inner), e)),
            8 => (operator, inner.clone(), inner)
                .prop_map(|(operator, a, b)| Tree::Binary(operator, Box::new(a), Box::new(b))),
        ]
    })
}

fn polynomials() -> impl Strategy<Value = Expr> {
    let term = (-6_i64..=6, 0..3_u32, 0..3_u32, 0..2_u32);
    prop::collection::vec(term, 0..5).prop_map(|terms| {
        let symbol = |at: usize| Expr::from(Symbol::new(NAMES[at]));
        let power = |(k, a, b, c): (i64, u32, u32, u32)| {
            k * symbol(0).pow(a) * symbol(1).pow(b) * symbol(2).pow(c)
        };
        terms.into_iter().map(power).sum()
    })
}

/// Values that respect the bounds, small ones the more often.
fn values(lowers: Lowers) -> impl Strategy<Value = Lowers> {
    let offset = || prop_oneof![3 => 0_i64..4, 2 => 0_i64..40, 1 => 0_i64..5000];
    [offset(), offset(), offset(), offset()]
        .prop_map(move |offsets| std::array::from_fn(|at| lowers[at] + offsets[at]))
}

fn bind(values: Lowers) -> impl Fn(&str) -> Option<i64> {
    move |name| NAMES.iter().position(|known| *known == name).map(|at| values[at])
}

/// Whether an expression gave up for a reason of size rather than of mathematics.
fn gave_up(result: &Result<i128, EvalError>) -> bool {
    match result {
        Err(EvalError::Overflow) => true,
        Err(EvalError::Undefined(reason)) => reason != "division by zero",
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn simplification_preserves_the_value(
        tree in trees(),
        bindings in prop::collection::vec(values(MIXED), 4),
    ) {
        let expr = tree.build(MIXED);
        for values in bindings {
            if let Some(value) = tree.value(values) {
                let found = expr.evaluate_wide(bind(values));
                prop_assert!(gave_up(&found) || found == Ok(value), "{expr} is {found:?}, not {value}, at {values:?}");
            }
        }
    }

    #[test]
    fn text_reads_back(tree in trees()) {
        for lower in [0, 1] {
            let expr = tree.build([lower; 4]);
            if !expr.is_undefined() {
                prop_assert_eq!(parse_at_least(&expr.to_string(), lower), Ok(expr.clone()), "{}", expr);
            }
        }
    }

    #[test]
    fn the_laws_of_a_ring(x in trees(), y in trees(), z in trees()) {
        let [x, y, z] = [x, y, z].map(|tree| tree.build(MIXED));
        let all = (&x + &y + &z) * (&x * &y * &z);
        if all.is_undefined() {
            return Ok(());
        }
        prop_assert_eq!(&x + &y, &y + &x);
        prop_assert_eq!(&x * &y, &y * &x);
        prop_assert_eq!((&x + &y) + &z, &x + (&y + &z));
        prop_assert_eq!((&x * &y) * &z, &x * (&y * &z));
        prop_assert_eq!(&x * (&y + &z), &x * &y + &x * &z);
        prop_assert_eq!(&x - &x, Expr::ZERO);
        prop_assert_eq!(&x + Expr::ZERO, x.clone());
        prop_assert_eq!(&x * Expr::ONE, x.clone());
        prop_assert_eq!(Expr::max(&x, &y), Expr::max(&y, &x));
        prop_assert_eq!(Expr::min(&x, &y), Expr::min(&y, &x));
    }

    #[test]
    fn exact_division_inverts_multiplication(x in polynomials(), y in polynomials()) {
        if y == Expr::ZERO {
            return Ok(());
        }
        prop_assert_eq!((&x * &y).exact_div(&y), Some(x.clone()));
        prop_assert_eq!((&x * &y).floor_div(&y), x.clone());
        prop_assert_eq!((&x * &y).modulo(&y), Expr::ZERO);
        if let Some(quotient) = x.exact_div(&y) {
            prop_assert_eq!(quotient * y, x);
        }
    }

    #[test]
    fn substitution_commutes_with_evaluation(
        tree in trees(),
        inner in [trees(), trees()],
        values in values([0; 4]),
    ) {
        // Any integer may replace these symbols, so that their bounds hold whatever it is.
        let expr = tree.build([-1_000_000_000; 4]);
        let inner = inner.map(|tree| tree.build([0; 4]));
        let replaced = inner.each_ref().map(|inner| inner.evaluate(bind(values)).ok());
        let [Some(a), Some(b)] = replaced else { return Ok(()) };
        if a.abs() > 1_000_000_000 || b.abs() > 1_000_000_000 {
            return Ok(());
        }
        let direct = expr.evaluate_wide(bind([a, b, values[2], values[3]]));
        let [first, second] = inner;
        let map = BTreeMap::from([(Symbol::new("a"), first), (Symbol::new("b"), second)]);
        let substituted = expr.substitute(&map).evaluate_wide(bind(values));
        if let Ok(value) = direct {
            prop_assert!(gave_up(&substituted) || substituted == Ok(value), "{expr}: {substituted:?}, not {value}");
        }
    }

    #[test]
    fn bounds_and_comparisons_are_true(
        x in trees(),
        y in trees(),
        bindings in prop::collection::vec(values(MIXED), 6),
    ) {
        let (left, right) = (x.build(MIXED), y.build(MIXED));
        for values in bindings {
            let (Some(a), Some(b)) = (x.value(values), y.value(values)) else { continue };
            prop_assert!(left.lower_bound().is_none_or(|bound| bound <= a), "{left} at {values:?}");
            prop_assert!(left.upper_bound().is_none_or(|bound| a <= bound), "{left} at {values:?}");
            let order = left.compare(&right);
            prop_assert!(order.is_none_or(|order| order == a.cmp(&b)), "{left} ~ {right} at {values:?}");
            prop_assert!(!left.always_eq(&right) || a == b);
            prop_assert!(!left.always_ne(&right) || a != b);
            prop_assert!(!left.is_at_least(0) || a >= 0);
        }
        prop_assert_eq!(left.compare(&right), right.compare(&left).map(Ordering::reverse));
    }

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        let dimension = Expr::from_dimension(&text, 1);
        prop_assert!(!dimension.is_undefined());
        if parse(&text).is_err() {
            prop_assert_eq!(dimension.as_symbol().map(Symbol::name), Some(text.as_str()));
        }
        prop_assert_eq!(parse(&dimension.to_string()), Ok(dimension));
    }

    #[test]
    fn any_string_of_tokens_is_answered(
        tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..24),
    ) {
        let dimension = Expr::from_dimension(&tokens.concat(), 0);
        prop_assert_eq!(parse(&dimension.to_string()), Ok(dimension));
    }

    #[test]
    fn any_name_is_kept(name in any::<String>()) {
        let symbol = Expr::from(Symbol::new(name.as_str()));
        let read = parse(&symbol.to_string());
        prop_assert_eq!(read.as_ref().ok().and_then(Expr::as_symbol).map(Symbol::name), Some(name.as_str()));
    }
}

const TOKENS: &[&str] = &[
    "a",
    "b",
    "L ",
    "1",
    "2",
    "7",
    "255",
    "340282366920938463463374607431768211455",
    "+",
    "-",
    "*",
    "**",
    "^",
    "/",
    "//",
    "%",
    " mod ",
    "(",
    "(",
    ")",
    ")",
    ",",
    "floor(",
    "ceil(",
    "max(",
    "Min(",
    "Mod(",
    "`x y`",
];

/// Few by default, to keep the suite short; more when asked for.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(512)
}
