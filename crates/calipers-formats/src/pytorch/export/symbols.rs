//! Expressions of SymPy, as `torch.export` writes them, in the form that dimensions have here.
//!
//! `Mul(Integer(2), Symbol('s0', positive=True))` is `2*s0`. Those of earlier versions are in that
//! form already.

/// How deep calls may be in each other.
const MAX_DEPTH: usize = 16;

/// Longest text that is read.
const MAX_TEXT: usize = 1 << 12;

/// The expression; `None` where it has a function that dimensions do not have.
pub(super) fn infix(text: &str) -> Option<String> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let mut parser = Parser { rest: text.trim() };
    let found = parser.expression(0)?;
    match parser.rest.is_empty() {
        true => Some(found),
        // An expression in operators, as earlier versions write it.
        false => Some(text.trim().to_owned()).filter(|text| !text.contains(['\'', '=', '.'])),
    }
}

struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    fn word(&mut self) -> &'t str {
        let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '-';
        let end = self.rest.find(|it| !is_part(it)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn take(&mut self, wanted: char) -> bool {
        match self.rest.trim_start().strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expression(&mut self, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        let name = self.word();
        if !self.take('(') {
            return (!name.is_empty()).then(|| name.to_owned());
        }
        if name == "Symbol" {
            let after = self.rest.strip_prefix('\'')?;
            let (symbol, rest) = after.split_once('\'')?;
            // What is assumed of the symbol follows.
            let (_, rest) = rest.split_once(')')?;
            self.rest = rest;
            return Some(symbol.to_owned());
        }
        let mut operands = Vec::new();
        while !self.take(')') {
            operands.push(self.expression(depth + 1)?);
            if !self.take(',') && !self.rest.starts_with(')') {
                return None;
            }
        }
        let joined = |with: &str| {
            let parts: Vec<String> = operands.iter().map(|it| parenthesized(it)).collect();
            parts.join(with)
        };
        let all = || operands.join(", ");
        match (name, operands.as_slice()) {
            ("Integer", [value]) => Some(value.clone()),
            ("Mul", [_, _, ..]) => Some(joined("*")),
            ("Add", [_, _, ..]) => Some(joined(" + ")),
            ("Pow", [base, power]) => {
                let power: usize = power.parse().ok().filter(|power| (1..=8).contains(power))?;
                Some(vec![parenthesized(base); power].join("*"))
            }
            ("FloorDiv" | "CleanDiv", [left, right]) => {
                Some(format!("floor({}/{})", parenthesized(left), parenthesized(right)))
            }
            ("Max", [_, ..]) => Some(format!("max({})", all())),
            ("Min", [_, ..]) => Some(format!("min({})", all())),
            _ => None,
        }
    }
}

fn parenthesized(text: &str) -> String {
    let is_plain = text.chars().all(|it| it.is_alphanumeric() || it == '_');
    if is_plain { text.to_owned() } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_turned_around() {
        let symbol = "Symbol('s27', positive=True, integer=True)";
        for (text, expected) in [
            (symbol.to_owned(), Some("s27")),
            (format!("Mul(Integer(2), {symbol})"), Some("2*s27")),
            (format!("Add({symbol}, Integer(-1))"), Some("s27 + (-1)")),
            (format!("Mul(Integer(4), Pow({symbol}, Integer(2)))"), Some("4*(s27*s27)")),
            (format!("FloorDiv({symbol}, Integer(2))"), Some("floor(s27/2)")),
            ("s0".to_owned(), Some("s0")),
            ("2*s0 + 1".to_owned(), Some("2*s0 + 1")),
            ("Mystery(Integer(2))".to_owned(), None),
            ("Mul(".repeat(1000), None),
        ] {
            assert_eq!(infix(&text).as_deref(), expected, "{text}");
        }
    }
}
