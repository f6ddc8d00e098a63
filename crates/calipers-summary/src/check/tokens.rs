//! A text cut into sentences, and a sentence into words, numbers and marks.

/// One piece of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// Letters, with hyphens, dots, slashes and digits inside: `feed-forward`, `YOLOv8`, `ai.onnx`.
    Word(&'a str),
    /// Digits with their separators: `22,565,376`, `0.47`, `1.0e-6`.
    Number(&'a str),
    /// Anything else that is not a space.
    Mark(char),
}

impl<'a> Token<'a> {
    /// The word, if it is one.
    pub(super) fn word(&self) -> Option<&'a str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether it is one of these marks.
    pub(super) fn is_mark(&self, marks: &[char]) -> bool {
        matches!(self, Self::Mark(mark) if marks.contains(mark))
    }
}

/// Words before a full stop that end no sentence.
const SHORTENED: &[&str] = &["e.g", "i.e", "vs", "approx", "ca", "z.B", "etc"];

/// The sentences of a text, without the space around them.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let ends = match c {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        let before = &text[start..at];
        let shortened = c == '.' && SHORTENED.iter().any(|word| before.ends_with(word));
        if ends && !shortened {
            sentences.push(text[start..at + c.len_utf8()].trim());
            start = at + c.len_utf8();
        }
    }
    sentences.push(text[start..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// The pieces of a sentence.
pub(super) fn tokens(sentence: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = sentence;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            c if c.is_whitespace() => {
                rest = &rest[c.len_utf8()..];
                continue;
            }
            c if c.is_ascii_digit() => number_length(rest),
            c if c.is_alphabetic() => word_length(rest),
            c => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        tokens.push(match first {
            c if c.is_ascii_digit() => Token::Number(piece),
            c if c.is_alphabetic() => Token::Word(piece),
            c => Token::Mark(c),
        });
        rest = after;
    }
    tokens
}

/// Marks that are between the digits of one number.
const SEPARATORS: &[char] = &[',', '.', '\'', '’', '\u{a0}', '\u{202f}', '\u{2009}'];

fn number_length(text: &str) -> usize {
    let mut length = 0;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let next = letters.peek().copied();
        let joins = SEPARATORS.contains(&c) && next.is_some_and(|next| next.is_ascii_digit());
        if !c.is_ascii_digit() && !joins {
            break;
        }
        length += c.len_utf8();
    }
    // An exponent, as in 1.0e-6.
    let tail = &text[length..];
    let exponent = tail.strip_prefix('e').map(|tail| tail.trim_start_matches(['-', '+']));
    match exponent {
        Some(digits) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            length + (tail.len() - digits.len()) + end
        }
        _ => length,
    }
}

fn word_length(text: &str) -> usize {
    let mut length = 0;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let next = letters.peek().copied();
        let inside = matches!(c, '-' | '_' | '.' | '/' | '\'' | '’' | '+');
        let joins = inside && next.is_some_and(char::is_alphanumeric);
        if !c.is_alphanumeric() && !joins && c != '_' {
            break;
        }
        length += c.len_utf8();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_and_abbreviations_end_no_sentence() {
        let text = "It has 22.57 M parameters, e.g. of BERT. It fits! Does it? Yes\nDone";
        assert_eq!(
            sentences(text),
            ["It has 22.57 M parameters, e.g. of BERT.", "It fits!", "Does it?", "Yes", "Done"]
        );
        assert!(sentences(" \n ").is_empty());
    }

    #[test]
    fn numbers_words_and_marks_are_reported_apart() {
        use Token::{Mark, Number, Word};
        assert_eq!(
            tokens("YOLOv8 at 640×640: 1.9 ms (1.6–2.3), 4-bit"),
            [
                Word("YOLOv8"),
                Word("at"),
                Number("640"),
                Mark('×'),
                Number("640"),
                Mark(':'),
                Number("1.9"),
                Word("ms"),
                Mark('('),
                Number("1.6"),
                Mark('–'),
                Number("2.3"),
                Mark(')'),
                Mark(','),
                Number("4"),
                Mark('-'),
                Word("bit"),
            ]
        );
        assert_eq!(tokens("1.0e-6 µs"), [Number("1.0e-6"), Word("µs")]);
        assert_eq!(tokens("12,300/s"), [Number("12,300"), Mark('/'), Word("s")]);
    }
}
