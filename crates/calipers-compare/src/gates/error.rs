//! What is wrong with an expression, and where.

use std::fmt;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

/// The reason that an expression is not a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateError {
    /// The expression as it was given; its beginning where it is too long.
    pub expression: String,
    /// The bytes of the expression that are wrong; empty where something is missing.
    pub at: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl GateError {
    /// Returns two lines: the expression, and `^^^` beneath what is wrong.
    ///
    /// ```
    /// # use calipers_compare::gates::Gate;
    /// let error = Gate::parse("macs <= 5%", "command line", &[]).unwrap_err();
    /// assert_eq!(error.pointer(), "macs <= 5%\n        ^^");
    /// ```
    pub fn pointer(&self) -> String {
        let columns = |text: Option<&str>| -> usize {
            text.unwrap_or_default().chars().map(|c| printable(c).width().unwrap_or(1)).sum()
        };
        let before = columns(self.expression.get(..self.at.start));
        let marked = columns(self.expression.get(self.at.clone())).max(1);
        format!("{}\n{}{}", self.shown(), " ".repeat(before), "^".repeat(marked))
    }

    /// The expression in characters that a terminal prints.
    fn shown(&self) -> String {
        self.expression.chars().map(printable).collect()
    }
}

impl fmt::Display for GateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gate `{}`: {}", self.shown(), self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for GateError {}

/// Returns the character, or one in its place where a terminal prints nothing or moves its cursor.
pub(super) fn printable(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        c if c.width().unwrap_or(0) == 0 => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_change_the_direction_are_replaced() {
        let hidden =
            ['\u{61c}', '\u{200e}', '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{1b}'];
        assert!(hidden.into_iter().all(|c| printable(c) == char::REPLACEMENT_CHARACTER));
        assert_eq!(['\t', 'a', 'é'].map(printable), [' ', 'a', 'é']);
    }
}
