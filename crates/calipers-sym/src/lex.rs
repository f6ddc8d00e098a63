//! Dimension strings as tokens.

use std::iter::Peekable;
use std::str::CharIndices;

use crate::parse::{ParseError, Problem};

/// One piece of a dimension string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Number(i128),
    /// An identifier.
    Name(String),
    /// A name in backquotes, which is never a function.
    Quoted(String),
    Plus,
    Minus,
    Times,
    Power,
    Over,
    FloorOver,
    Percent,
    Open,
    Close,
    Comma,
}

pub(crate) fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(crate) fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | ':')
}

/// All tokens with the byte offsets where they start.
///
/// With `joined`, `/` and `-` between two names, without spaces and outside of parentheses, belong
/// to one name: exporters name dimensions after nodes (`Reshape/encoder/out_dim_1`) and write
/// `batch-size`, while they put spaces around a minus sign and write quotients as `//` or within
/// `floor(...)`.
pub(crate) fn tokens(text: &str, joined: bool) -> Result<Vec<(usize, Token)>, ParseError> {
    let mut tokens = Vec::new();
    let mut open = 0_usize;
    let mut chars = text.char_indices().peekable();
    while let Some(&(at, c)) = chars.peek() {
        if c.is_whitespace() {
            chars.next();
            continue;
        }
        let token = if c.is_ascii_digit() {
            number(at, &mut chars)?
        } else if starts_name(c) {
            let mut name = String::new();
            loop {
                while let Some((_, c)) = chars.next_if(|(_, c)| continues_name(*c)) {
                    name.push(c);
                }
                match chars.peek().copied() {
                    Some((_, c)) if joined && open == 0 && joins(c, &chars) => {
                        name.push(c);
                        chars.next();
                    }
                    _ => break,
                }
            }
            Token::Name(name)
        } else {
            chars.next();
            match c {
                '`' => quoted(at, &mut chars)?,
                '+' => Token::Plus,
                '-' => Token::Minus,
                '*' if chars.next_if(|(_, c)| *c == '*').is_some() => Token::Power,
                '*' => Token::Times,
                '^' => Token::Power,
                '/' if chars.next_if(|(_, c)| *c == '/').is_some() => Token::FloorOver,
                '/' => Token::Over,
                '%' => Token::Percent,
                '(' => {
                    open += 1;
                    Token::Open
                }
                ')' => {
                    open = open.saturating_sub(1);
                    Token::Close
                }
                ',' => Token::Comma,
                _ => return Err(ParseError::new(at, Problem::Unexpected)),
            }
        };
        tokens.push((at, token));
    }
    Ok(tokens)
}

type Chars<'a> = Peekable<CharIndices<'a>>;

/// Whether the next character, `c`, joins what is before it with a name after it.
fn joins(c: char, chars: &Chars<'_>) -> bool {
    matches!(c, '/' | '-') && chars.clone().nth(1).is_some_and(|(_, next)| starts_name(next))
}

fn number(at: usize, chars: &mut Chars<'_>) -> Result<Token, ParseError> {
    let mut value: i128 = 0;
    while let Some((_, c)) = chars.next_if(|(_, c)| c.is_ascii_digit()) {
        let digit = c.to_digit(10).map_or(0, i128::from);
        let next = value.checked_mul(10).and_then(|tens| tens.checked_add(digit));
        value = next.ok_or_else(|| ParseError::new(at, Problem::NumberTooLarge))?;
    }
    // `2x` and `1.5` are names of something, not numbers.
    match chars.peek() {
        Some(&(at, c)) if continues_name(c) => Err(ParseError::new(at, Problem::Unexpected)),
        _ => Ok(Token::Number(value)),
    }
}

fn quoted(at: usize, chars: &mut Chars<'_>) -> Result<Token, ParseError> {
    let unclosed = ParseError::new(at, Problem::Unclosed);
    let mut name = String::new();
    loop {
        match chars.next().ok_or(unclosed)?.1 {
            '`' => return Ok(Token::Quoted(name)),
            '\\' => match chars.next().ok_or(unclosed)? {
                (_, c @ ('`' | '\\')) => name.push(c),
                (at, 'u') => name.push(escape(at, chars)?),
                (at, _) => return Err(ParseError::new(at, Problem::Unexpected)),
            },
            c => name.push(c),
        }
    }
}

/// The character of `{hex}` after `\u`.
fn escape(at: usize, chars: &mut Chars<'_>) -> Result<char, ParseError> {
    let malformed = ParseError::new(at, Problem::Unexpected);
    chars.next_if(|(_, c)| *c == '{').ok_or(malformed)?;
    let mut code: u32 = 0;
    while let Some((_, c)) = chars.next_if(|(_, c)| c.is_ascii_hexdigit()) {
        let digit = c.to_digit(16).unwrap_or(0);
        code = code.checked_mul(16).ok_or(malformed)? + digit;
    }
    chars.next_if(|(_, c)| *c == '}').ok_or(malformed)?;
    char::from_u32(code).ok_or(malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Token> {
        tokens(text, false).unwrap().into_iter().map(|(_, token)| token).collect()
    }

    #[test]
    fn pieces() {
        let name = |name: &str| Token::Name(name.to_owned());
        assert_eq!(kinds("2*s0"), [Token::Number(2), Token::Times, name("s0")]);
        assert_eq!(kinds("a//b"), [name("a"), Token::FloorOver, name("b")]);
        assert_eq!(kinds("a ** b"), [name("a"), Token::Power, name("b")]);
        assert_eq!(kinds("unk__492 x.y:0"), [name("unk__492"), name("x.y:0")]);
        assert_eq!(kinds("`a \\` \\u{41}`"), [Token::Quoted("a ` A".to_owned())]);
    }

    #[test]
    fn what_is_no_token_is_refused() {
        for text in ["?", "a\"", "2x", "1.5", "`open", "`\\q`", "`\\u{110000}`", "`\\u41`", "a;"] {
            assert!(tokens(text, false).is_err(), "{text:?}");
        }
        assert!(tokens(&"9".repeat(60), false).is_err());
    }
}
