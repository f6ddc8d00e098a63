//! Characters to names, numbers and texts.

use std::borrow::Cow;

use crate::Error;

/// Graphs and types that may be nested: each level is a call.
const MAX_DEPTH: usize = 64;

/// A text that is being parsed.
pub(super) struct Tokens<'t> {
    text: &'t [u8],
    at: usize,
    depth: usize,
}

/// A value that is written out.
#[derive(Debug, PartialEq)]
pub(super) enum Literal<'t> {
    Int(&'t str),
    Float(&'t str),
    Text(Cow<'t, [u8]>),
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    pub(super) fn error(&self, problem: &str) -> Error {
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Error::damaged(self.at as u64, &format!("line {line}"), problem)
    }

    fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Passes over white space and comments, which end with their line.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let space = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b);
            self.at += space.count();
            if self.rest().first() != Some(&b'#') {
                return;
            }
            self.at += self.rest().iter().take_while(|byte| **byte != b'\n').count();
        }
    }

    /// The next character.
    pub(super) fn next(&mut self) -> Option<u8> {
        self.skip();
        self.rest().first().copied()
    }

    /// Takes a character if it is next.
    pub(super) fn takes(&mut self, wanted: u8) -> bool {
        let is_next = self.next() == Some(wanted);
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes a character that must be next.
    pub(super) fn expect(&mut self, wanted: u8) -> Result<(), Error> {
        match self.takes(wanted) {
            true => Ok(()),
            false => Err(self.error(&format!("{:?} is expected", char::from(wanted)))),
        }
    }

    /// Takes the arrow between inputs and outputs.
    pub(super) fn expect_arrow(&mut self) -> Result<(), Error> {
        self.expect(b'=')?;
        match self.rest().first() {
            Some(b'>') => {
                self.at += 1;
                Ok(())
            }
            _ => Err(self.error("\"=>\" is expected")),
        }
    }

    /// The identifier that is next, without taking it; empty where there is none.
    pub(super) fn peek(&mut self) -> &'t str {
        self.skip();
        let rest = self.rest();
        let starts = rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
        let length = if starts { length.count() } else { 0 };
        std::str::from_utf8(rest.get(..length).unwrap_or_default()).unwrap_or_default()
    }

    /// An identifier, if one is next.
    pub(super) fn optional_word(&mut self) -> Option<&'t str> {
        let word = self.peek();
        self.at += word.len();
        Some(word).filter(|word| !word.is_empty())
    }

    /// An identifier.
    pub(super) fn word(&mut self) -> Result<&'t str, Error> {
        self.optional_word().ok_or_else(|| self.error("a name is expected"))
    }

    /// A name, which may be in quotation marks, if one is next.
    pub(super) fn optional_name(&mut self) -> Result<Option<Cow<'t, [u8]>>, Error> {
        if self.next() == Some(b'"') {
            return self.text().map(Some);
        }
        Ok(self.optional_word().map(|word| Cow::Borrowed(word.as_bytes())))
    }

    /// A name, which may be in quotation marks.
    pub(super) fn name(&mut self) -> Result<Cow<'t, [u8]>, Error> {
        self.optional_name()?.ok_or_else(|| self.error("a name is expected"))
    }

    /// A text in quotation marks; a backslash takes the next character as it is.
    pub(super) fn text(&mut self) -> Result<Cow<'t, [u8]>, Error> {
        self.expect(b'"')?;
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.iter().position(|byte| {
            let ends = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        });
        let Some(end) = end else { return Err(self.error("a text does not end")) };
        self.at += end + 1;
        let inside = rest.get(..end).unwrap_or_default();
        if !inside.contains(&b'\\') {
            return Ok(Cow::Borrowed(inside));
        }
        let mut plain = Vec::with_capacity(inside.len());
        let mut bytes = inside.iter();
        while let Some(byte) = bytes.next() {
            plain.extend(if *byte == b'\\' { bytes.next() } else { Some(byte) });
        }
        Ok(Cow::Owned(plain))
    }

    /// A number or a text.
    pub(super) fn literal(&mut self) -> Result<Literal<'t>, Error> {
        if self.next() == Some(b'"') {
            return self.text().map(Literal::Text);
        }
        let rest = self.rest();
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = rest.get(sign..).unwrap_or_default();
        let is_word = digits.first().is_some_and(u8::is_ascii_alphabetic);
        let (length, is_float) = match is_word {
            true => (digits.iter().take_while(|byte| byte.is_ascii_alphabetic()).count(), true),
            false => number(digits),
        };
        let token = rest.get(..sign + length).and_then(|token| std::str::from_utf8(token).ok());
        let token = token.filter(|_| length > 0);
        match token {
            Some(token) if !is_word || is_special(&token[sign..]) => {
                self.at += token.len();
                Ok(if is_float { Literal::Float(token) } else { Literal::Int(token) })
            }
            _ => Err(self.error("a value is expected")),
        }
    }

    /// Whether a number that is a word, such as `nan`, is next.
    pub(super) fn next_is_special(&mut self) -> bool {
        is_special(self.peek())
    }

    /// A whole number.
    pub(super) fn int(&mut self) -> Result<i64, Error> {
        match self.literal()? {
            Literal::Int(token) => token.parse().map_err(|_| self.error("a number is too large")),
            _ => Err(self.error("a whole number is expected")),
        }
    }

    /// A whole number without a sign.
    pub(super) fn uint(&mut self) -> Result<u64, Error> {
        match self.literal()? {
            Literal::Int(token) => token.parse().map_err(|_| self.error("a number is too large")),
            _ => Err(self.error("a whole number is expected")),
        }
    }

    /// A number.
    pub(super) fn float(&mut self) -> Result<f64, Error> {
        match self.literal()? {
            Literal::Int(token) | Literal::Float(token) => self.parsed(token),
            Literal::Text(_) => Err(self.error("a number is expected")),
        }
    }

    /// The number that a token is.
    pub(super) fn parsed(&self, token: &str) -> Result<f64, Error> {
        token.parse().map_err(|_| self.error("a number cannot be read"))
    }

    /// Goes one graph or type deeper.
    pub(super) fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error("graphs or types are nested deeper than in any model"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }
}

/// The length of a number, and whether it has a point or an exponent.
fn number(digits: &[u8]) -> (usize, bool) {
    if !digits.first().is_some_and(u8::is_ascii_digit) {
        return (0, false);
    }
    let mut is_float = false;
    let mut length = 0;
    while let Some(byte) = digits.get(length) {
        match byte {
            b'0'..=b'9' => {}
            b'.' if !is_float => is_float = true,
            _ => break,
        }
        length += 1;
    }
    if matches!(digits.get(length), Some(b'e' | b'E')) {
        is_float = true;
        length += 1;
        length += usize::from(matches!(digits.get(length), Some(b'+' | b'-')));
        let exponent = digits.get(length..).unwrap_or_default();
        length += exponent.iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    (length, is_float)
}

fn is_special(word: &str) -> bool {
    ["inf", "infinity", "nan"].iter().any(|special| word.eq_ignore_ascii_case(special))
}
