//! A sentence as words, marks and references.

use super::Fault;

/// A piece of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Letters of ASCII.
    Word(&'a str),
    /// A comma, a semicolon or a colon.
    Mark(char),
    /// A reference to a fact, by its index.
    Reference(usize),
}

impl Token<'_> {
    /// Whether this is the word, in any case.
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own.eq_ignore_ascii_case(word))
    }
}

/// Digits of an id.
const DIGITS: usize = 3;

/// The pieces of a sentence. A character that is not of the protocol is a fault: digits, quotes,
/// markup, letters of other alphabets, characters that cannot be seen.
pub(super) fn tokens(sentence: &str) -> Result<Vec<Token<'_>>, Fault> {
    let mut tokens = Vec::new();
    let mut rest = sentence;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ' ' | '\n' | '\r' | '\t' => 1,
            ',' | ';' | ':' => {
                tokens.push(Token::Mark(first));
                1
            }
            '{' => {
                let (index, length) = reference(rest).ok_or(Fault::UnknownFact)?;
                tokens.push(Token::Reference(index));
                length
            }
            c if c.is_ascii_alphabetic() => {
                let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                tokens.push(Token::Word(&rest[..end]));
                end
            }
            c => return Err(Fault::Character(c)),
        };
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// The index of the fact that `{f12}` refers to, and the length of the reference.
fn reference(text: &str) -> Option<(usize, usize)> {
    let inside = text.strip_prefix("{f")?;
    let end = inside.find('}').filter(|end| (1..=DIGITS).contains(end))?;
    let digits = &inside[..end];
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let id: usize = digits.parse().ok().filter(|_| is_number)?;
    Some((id - 1, end + 3))
}
