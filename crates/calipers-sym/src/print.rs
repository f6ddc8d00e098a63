//! How an expression is written for people, in a form that [`parse`](crate::parse) reads back.
//!
//! Terms come in the canonical order: higher degree first, then by name, the constant last. A
//! name that is not an identifier, or that means something in an expression, is put in
//! backquotes, with `\` escapes for a backquote, a backslash and characters that do not show.

use std::fmt::{self, Display, Formatter, Write};

use crate::atom::{Atom, Division};
use crate::expr::Expr;
use crate::parse;
use crate::poly::View;

/// How tightly an expression must hold together where it is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Alone, or between commas or parentheses.
    Free,
    /// On the left of a division sign, where products need no parentheses.
    Numerator,
    /// Next to an operator that binds tighter than products.
    Tight,
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_expr(self, f)
    }
}

fn write_expr(expr: &Expr, f: &mut Formatter<'_>) -> fmt::Result {
    if let Some(reason) = expr.undefined_reason() {
        return write!(f, "undefined: {reason}");
    }
    if let Some(value) = expr.as_wide_const() {
        return write!(f, "{value}");
    }
    if let Some(atom @ Atom::Modulo(_)) = expr.as_atom() {
        return write_atom(atom, Place::Free, f);
    }
    for (index, (coefficient, powers)) in expr.terms().enumerate() {
        write_term(index == 0, coefficient, powers, f)?;
    }
    Ok(())
}

fn write_term(
    first: bool,
    coefficient: i128,
    powers: &[(Atom, u32)],
    f: &mut Formatter<'_>,
) -> fmt::Result {
    let flips = powers.iter().filter(|(atom, power)| rounds_up(atom) && power % 2 == 1).count();
    let negative = (coefficient < 0) != (flips % 2 == 1);
    f.write_str(match (first, negative) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    })?;
    let size = coefficient.unsigned_abs();
    if size != 1 || powers.is_empty() {
        write!(f, "{size}")?;
    }
    for (index, (atom, power)) in powers.iter().enumerate() {
        if index > 0 || size != 1 {
            f.write_char('*')?;
        }
        write_atom(atom, Place::Tight, f)?;
        if *power > 1 {
            write!(f, "^{power}")?;
        }
    }
    Ok(())
}

/// Whether the atom `floor(-a/d)` is written `-ceil(a/d)`, for a symbolic `d`.
fn rounds_up(atom: &Atom) -> bool {
    match atom {
        Atom::FloorDiv(division) => {
            !division.divisor().is_const()
                && division.dividend().view().is_some_and(|view| view.leads_negative())
        }
        _ => false,
    }
}

/// Writes an atom; one that rounds up is written without its sign.
fn write_atom(atom: &Atom, place: Place, f: &mut Formatter<'_>) -> fmt::Result {
    match atom {
        Atom::Symbol(symbol) => write_name(symbol.name(), f),
        Atom::FloorDiv(division) => write_quotient(division, rounds_up(atom), f),
        Atom::Modulo(division) => {
            let (open, close) = if place == Place::Free { ("", "") } else { ("(", ")") };
            f.write_str(open)?;
            write_operand(division.dividend(), Place::Tight, f)?;
            f.write_str(" mod ")?;
            write_operand(division.divisor(), Place::Tight, f)?;
            f.write_str(close)
        }
        Atom::Min(list) => write_call("min", list, f),
        Atom::Max(list) => write_call("max", list, f),
    }
}

fn write_quotient(division: &Division, negate: bool, f: &mut Formatter<'_>) -> fmt::Result {
    let (dividend, divisor) = (division.dividend(), division.divisor());
    let constant = dividend.view().map_or(0, |view| view.constant);
    let (name, dividend) = match divisor.as_wide_const() {
        // floor((a + k - 1)/k) is a quotient rounded up.
        Some(by) if by > 1 && constant == by - 1 => ("ceil", dividend - Expr::wide(Some(constant))),
        _ if negate => ("ceil", -dividend),
        _ => ("floor", dividend.clone()),
    };
    write!(f, "{name}(")?;
    write_operand(&dividend, Place::Numerator, f)?;
    f.write_char('/')?;
    write_operand(divisor, Place::Tight, f)?;
    f.write_char(')')
}

/// The operands, the constant last.
fn write_call(name: &str, operands: &[Expr], f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{name}(")?;
    let (constants, others): (Vec<_>, Vec<_>) = operands.iter().partition(|o| o.is_const());
    for (index, operand) in others.into_iter().chain(constants).enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        write_expr(operand, f)?;
    }
    f.write_char(')')
}

/// Writes an operand, in parentheses where it would not hold together.
fn write_operand(expr: &Expr, place: Place, f: &mut Formatter<'_>) -> fmt::Result {
    if holds_together(expr, place) {
        return write_expr(expr, f);
    }
    f.write_char('(')?;
    write_expr(expr, f)?;
    f.write_char(')')
}

fn holds_together(expr: &Expr, place: Place) -> bool {
    match expr.view() {
        Some(View { terms: [], constant }) => constant >= 0,
        Some(View { terms: [term], constant: 0 }) => match term.monomial.as_atom() {
            Some(Atom::Modulo(_)) if term.coefficient == 1 => false,
            Some(atom) if rounds_up(atom) => false,
            Some(_) if term.coefficient == 1 => true,
            _ => place == Place::Numerator && term.coefficient > 0,
        },
        _ => false,
    }
}

fn write_name(name: &str, f: &mut Formatter<'_>) -> fmt::Result {
    if parse::is_identifier(name) && !parse::is_reserved(name) {
        return f.write_str(name);
    }
    f.write_char('`')?;
    for c in name.chars() {
        match c {
            '`' | '\\' => write!(f, "\\{c}")?,
            _ if is_invisible(c) => write!(f, "\\u{{{:x}}}", u32::from(c))?,
            _ => f.write_char(c)?,
        }
    }
    f.write_char('`')
}

/// Characters that would not show, or would change how their neighbors show.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atom::Symbol;
    use crate::testing::{a, e, k};

    #[track_caller]
    fn shows(text: &str, shown: &str) {
        let expr = e(text);
        assert_eq!(expr.to_string(), shown);
        assert_eq!(e(shown), expr);
    }

    #[test]
    fn polynomials() {
        shows("sequence_length + past_sequence_length", "past_sequence_length + sequence_length");
        shows("sequence*2*batch", "2*batch*sequence");
        shows("1 + b + a*b - a^2*3", "-3*a^2 + a*b + b + 1");
        shows("-s0 - 1", "-s0 - 1");
        shows("5 - 5", "0");
        shows("-7", "-7");
    }

    #[test]
    fn quotients() {
        shows("floor((W + 2)/4) + 1", "floor((W + 2)/4) + 1");
        shows("floor((W + 2)/2) + 1", "floor(W/2) + 2");
        shows("8*floor((L + 7)/8)", "8*ceil(L/8)");
        shows("ceil(L/8)", "ceil(L/8)");
        shows("3*ceil(a/b) - ceil(a/b)^2", "-ceil(a/b)^2 + 3*ceil(a/b)");
        shows("a*floor(2*b/(3*c))", "a*floor(2*b/(3*c))");
        shows("floor(floor((2 - a)/b)/(a - 5))", "floor((-ceil((a - 2)/b))/(a - 5))");
    }

    #[test]
    fn remainders_and_extrema() {
        shows("(a + b) mod 4", "(a + b) mod 4");
        shows("L % 8", "L mod 8");
        shows("3*(L mod 8) + 1", "3*(L mod 8) + 1");
        shows("-(L mod 8)", "-(L mod 8)");
        shows("(-L) mod 8", "(-L) mod 8");
        shows("(L mod 8)^2", "(L mod 8)^2");
        shows("floor((L mod 8)/3)", "floor((L mod 8)/3)");
        shows("(L mod 8) mod S", "(L mod 8) mod S");
        shows("Max(b, a)", "max(a, b)");
        shows("Max(2, a)", "max(a, 2)");
        shows("min(a + 1, 2*b)", "min(a + 1, 2*b)");
    }

    #[test]
    fn names_that_are_not_identifiers_are_quoted() {
        let show = |name: &str| Expr::from(Symbol::new(name)).to_string();
        assert_eq!(show("sequence length"), "`sequence length`");
        assert_eq!(show("mod"), "`mod`");
        assert_eq!(show("floor"), "`floor`");
        assert_eq!(show("партия"), "партия");
        assert_eq!(show(""), "``");
        assert_eq!(show("a`b\\c\n\u{202e}"), "`a\\`b\\\\c\\u{a}\\u{202e}`");
        for name in ["", "`", "\\", "a b", "1", "mod", "a`b\\c\n\u{202e}", "2*a", "\\u{41}"] {
            let symbol = Expr::from(Symbol::new(name));
            assert_eq!(e(&symbol.to_string()), symbol, "{name:?}");
        }
    }

    #[test]
    fn undefined_says_why() {
        assert_eq!(a().floor_div(&k(0)).to_string(), "undefined: division by zero");
        assert_eq!(format!("{:?}", k(3)), "Expr(3)");
    }
}
