//! Any text as expressions of dimensions, one to a line: parsed, combined, evaluated and printed.

use std::hint::black_box;

use calipers_sym::{Expr, parse, parse_at_least};

/// Expressions that are combined, each with the one before it.
const LINES: usize = 4;

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut last: Option<Expr> = None;
    for line in text.lines().take(LINES) {
        let Ok(expression) = parse(line) else {
            black_box(Expr::from_dimension(line, 1).to_string());
            continue;
        };
        check(&expression);
        if let Some(other) = last {
            for combined in [
                &expression + &other,
                &expression - &other,
                &expression * &other,
                expression.floor_div(&other),
                expression.ceil_div(&other),
                expression.modulo(&other),
                Expr::min(&expression, &other),
                Expr::max(&expression, &other),
            ] {
                check(&combined);
            }
            black_box((expression.exact_div(&other), expression.compare(&other)));
        }
        last = Some(expression);
    }
}

/// What is printed parses to the same expression, and bounds hold at any value.
fn check(expression: &Expr) {
    let printed = expression.to_string();
    assert!(!printed.contains(|c: char| c.is_control()), "{printed:?} holds a control character");
    if expression.is_undefined() {
        return;
    }
    if let Ok(again) = parse_at_least(&printed, 0) {
        assert_eq!(again.to_string(), printed, "printing what was parsed changes nothing");
    }
    for value in [0, 1, 7, i64::from(u32::MAX), i64::MAX] {
        let Ok(result) = expression.evaluate(|_| Some(value)) else { continue };
        let result = i128::from(result);
        assert!(expression.lower_bound().is_none_or(|lower| lower <= result), "{printed}");
        assert!(expression.upper_bound().is_none_or(|upper| result <= upper), "{printed}");
    }
}
