//! Formulas at random sizes, evaluated by `calipers-sym`.
//!
//! Three kinds: formulas as a report prints them, which a page evaluates; texts in any spelling of the grammar; and
//! texts with a character changed, which often are no formulas. A divisor that the program cancels is gone from the
//! printed formula, so in the other two kinds no divisor is zero.

use std::collections::BTreeMap;

use calipers_sym::parse;
use serde_json::{Value, json};

use crate::random::Random;

const PRINTED: usize = 3000;
const SPELLED: usize = 1000;
const CHANGED: usize = 1000;

/// Names as models have them: words, dotted, of another script, and ones that need quotes.
const NAMES: [&str; 8] = ["batch", "seq", "h", "x.y:0", "größe", "入力", "`a b`", "`min`"];

/// The size of a name that a change made up.
const OTHER: i64 = 3;

pub(crate) fn cases(random: &mut Random) -> Vec<Value> {
    let mut cases = Vec::new();
    while cases.len() < PRINTED {
        let can_be_zero = random.once_in(3);
        let Ok(expr) = parse(&sum(random, 3, can_be_zero)) else { continue };
        // Large sizes pass 64 and 128 bits on the way.
        let large = random.once_in(4);
        let mut sizes = sizes(random, large, if can_be_zero { 0 } else { 1 });
        // A dimension without a size leaves the formula without a value.
        if random.once_in(10) {
            sizes.remove(random.pick(&NAMES).trim_matches('`'));
        }
        let value = expr.evaluate_wide(|name| sizes.get(name).copied());
        cases.push(case("printed", &expr.to_string(), &sizes, value.ok()));
    }
    for (kind, count) in [("spelled", SPELLED), ("changed", CHANGED)] {
        let end = cases.len() + count;
        while cases.len() < end {
            let mut text = sum(random, 2, false);
            if kind == "changed" {
                text = changed(random, &text);
            }
            let sizes = sizes(random, false, 1);
            let expr = parse(&text);
            // The program multiplies products of sums out, and limits how many there may be.
            if expr.as_ref().is_err_and(|why| why.to_string().contains("too large")) {
                continue;
            }
            let size = |name: &str| Some(sizes.get(name).copied().unwrap_or(OTHER));
            let value = expr.ok().and_then(|expr| expr.evaluate_wide(size).ok());
            cases.push(case(kind, &text, &sizes, value));
        }
    }
    cases
}

fn case(kind: &str, text: &str, sizes: &BTreeMap<String, i64>, value: Option<i128>) -> Value {
    let sizes: BTreeMap<&String, String> =
        sizes.iter().map(|(name, size)| (name, size.to_string())).collect();
    let other = (kind == "changed").then(|| OTHER.to_string());
    json!({
        "about": "formula", "kind": kind, "text": text, "sizes": sizes, "other": other,
        "value": value.map(|value| value.to_string()),
    })
}

fn sizes(random: &mut Random, large: bool, least: u64) -> BTreeMap<String, i64> {
    let mut sizes = BTreeMap::new();
    for name in NAMES {
        let size = if large { random.any_length() >> 1 } else { random.below(9) };
        let size = i64::try_from(size.max(least)).unwrap();
        sizes.insert(name.trim_matches('`').to_owned(), size);
    }
    sizes
}

/// A sum of up to three products; `depth` bounds what is inside.
fn sum(random: &mut Random, depth: u32, can_be_zero: bool) -> String {
    let mut text = product(random, depth, can_be_zero);
    for _ in 0..random.below(3) {
        let sign = random.pick(&[" + ", " - ", "+", " -"]);
        text += &format!("{sign}{}", product(random, depth, can_be_zero));
    }
    text
}

fn product(random: &mut Random, depth: u32, can_be_zero: bool) -> String {
    let mut text = if random.once_in(6) { "-".to_owned() } else { String::new() };
    text += &power(random, depth, can_be_zero);
    for _ in 0..random.below(3) {
        text += &match random.below(5) {
            0 => format!("//{}", divisor(random, depth, can_be_zero)),
            1 => format!(" mod {}", divisor(random, depth, can_be_zero)),
            2 => format!(" % {}", divisor(random, depth, can_be_zero)),
            _ => format!("*{}", power(random, depth, can_be_zero)),
        };
    }
    text
}

fn power(random: &mut Random, depth: u32, can_be_zero: bool) -> String {
    let base = primary(random, depth, can_be_zero);
    match random.below(12) {
        0 => format!("{base}^{}", random.below(5)),
        1 => format!("{base} ** {}", random.below(4)),
        _ => base,
    }
}

/// What may be divided by: a positive number or a size, or anything where it may be zero.
fn divisor(random: &mut Random, depth: u32, can_be_zero: bool) -> String {
    match random.below(if can_be_zero { 4 } else { 3 }) {
        0 => (1 + random.below(16)).to_string(),
        1 => format!("({}+{})", random.pick(&NAMES), 1 + random.below(4)),
        2 => random.pick(&NAMES).to_owned(),
        _ => primary(random, depth, can_be_zero),
    }
}

fn primary(random: &mut Random, depth: u32, can_be_zero: bool) -> String {
    if depth == 0 {
        return match random.below(3) {
            0 if random.once_in(8) => random.any_length().to_string(),
            0 => random.below(20).to_string(),
            _ => random.pick(&NAMES).to_owned(),
        };
    }
    let depth = depth - 1;
    let inner = |random: &mut Random| sum(random, depth, can_be_zero);
    match random.below(9) {
        0 => format!("({})", inner(random)),
        1 => format!("min({}, {})", inner(random), inner(random)),
        2 => format!("Max({},{}, 1)", inner(random), inner(random)),
        3 | 4 => {
            let name = random.pick(&["floor", "ceil", "ceiling"]);
            // Remainders of fractions are not in the grammar, so the dividend is simple.
            let dividend = format!("{}*{}", random.pick(&NAMES), 1 + random.below(6));
            let half = random.pick(&["", " - 1/2", " + 3/4", "+ 5"]);
            format!("{name}({dividend}/{}{half})", divisor(random, 0, can_be_zero))
        }
        5 => {
            let name = random.pick(&["FloorDiv", "CleanDiv", "CeilDiv", "Mod", "PythonMod", "mod"]);
            format!("{name}({}, {})", inner(random), divisor(random, depth, can_be_zero))
        }
        _ => primary(random, 0, can_be_zero),
    }
}

/// The text with a character removed, doubled or replaced.
fn changed(random: &mut Random, text: &str) -> String {
    const SIGNS: [char; 20] = [
        '(', ')', '+', '*', '/', ',', '^', '%', '`', '\\', '0', '7', 'x', '_', '.', ' ', '\t', '?',
        'é', '\u{a0}',
    ];
    let mut letters: Vec<char> = text.chars().collect();
    let at = random.index(letters.len());
    match random.below(3) {
        0 => _ = letters.remove(at),
        1 => letters.insert(at, letters[at]),
        _ => letters[at] = random.pick(&SIGNS),
    }
    letters.into_iter().collect()
}
