//! Values that are assigned to a name such as `password`.

use super::{EXAMINED, LONG_PART, Secret, SecretKind, is_mixed, longest_part};
use crate::DType;

/// How much a name says of its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    /// The value is a secret unless it is a word, a number or a placeholder.
    Password,
    /// The value may be many things, so it must look random.
    Token,
    /// Almost anything is called so: it must be base64 of some length.
    Key,
}

/// Names of secrets without separators, with their strength and description. A name ends with one:
/// `DB_PASSWORD`, `clientSecret`. Longer names come first.
const NAMES: [(&str, Strength, &str); 17] = [
    ("secretaccesskey", Strength::Password, "AWS secret key"),
    ("connectionstring", Strength::Token, "connection string"),
    ("clientsecret", Strength::Password, "secret"),
    ("encryptionkey", Strength::Token, "secret key"),
    ("privatekey", Strength::Token, "secret key"),
    ("passphrase", Strength::Password, "password"),
    ("signingkey", Strength::Token, "secret key"),
    ("secretkey", Strength::Password, "secret key"),
    ("accesskey", Strength::Token, "secret key"),
    ("password", Strength::Password, "password"),
    ("apikey", Strength::Password, "API key"),
    ("passwd", Strength::Password, "password"),
    ("authkey", Strength::Token, "secret key"),
    ("secret", Strength::Password, "secret"),
    ("token", Strength::Token, "token"),
    ("pwd", Strength::Password, "password"),
    ("key", Strength::Key, "secret key"),
];

/// Characters of a name that are looked at.
const NAME: usize = 48;

/// Fewer characters than this are not a password.
const MIN_PASSWORD: usize = 6;

/// Fewer characters than this are not a random token.
const MIN_TOKEN: usize = 16;

/// Fewer characters than this are not a random key.
const MIN_KEY: usize = 20;

/// The value that is assigned by the `=` or `:` here.
pub(super) fn assigned(text: &str, at: usize) -> Option<Secret> {
    let before = name_before(text, at)?;
    let (strength, description) = classified(before)?;
    let start = after_separator(text, at + 1);
    judged(text, start, strength, description)
}

/// The value after a space: of an option of a command line (`--password hunter2`), or of a
/// scheme of an `Authorization` header (`Bearer …`).
pub(super) fn after_space(text: &str, at: usize) -> Option<Secret> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(NAME);
    let length = bytes[from..at].iter().rev().take_while(|byte| is_name(**byte)).count();
    let word = &bytes[at - length..at];
    let start = at + 1;
    if word.eq_ignore_ascii_case(b"bearer") {
        let examined = &bytes[start..bytes.len().min(start + EXAMINED)];
        let run = examined.iter().take_while(|byte| is_value(**byte)).count();
        let run = &examined[..run];
        let is_token = run.len() >= MIN_TOKEN && is_mixed(run) && longest_part(run) >= LONG_PART;
        return is_token
            .then(|| Secret { kind: SecretKind::Header, hidden: start..value_end(text, start) });
    }
    if !word.starts_with(b"--") {
        return None;
    }
    let (strength, description) = classified(&text[at - length..at])?;
    judged(text, start, strength, description)
}

/// The kind of a value by the key of its entry: the whole value is one secret.
pub(super) fn value_of_key(key: &str, value: &str) -> Option<SecretKind> {
    let tail = key.len().saturating_sub(NAME);
    let tail = (tail..=key.len()).find(|at| key.is_char_boundary(*at))?;
    let (strength, description) = classified(&key[tail..])?;
    let value = value.trim();
    let examined = &value.as_bytes()[..value.len().min(EXAMINED)];
    let is_one_word = !examined.iter().any(u8::is_ascii_whitespace);
    (is_one_word && is_secret(examined, strength)).then_some(SecretKind::Assigned(description))
}

/// The name before a separator: `api_key`, `"api_key"`, `api_key `.
fn name_before(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(NAME);
    let gap = |byte: &u8| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b']' | b'\\');
    let skipped = bytes[from..at].iter().rev().take(4).take_while(|byte| gap(byte)).count();
    let end = at - skipped;
    let length = bytes[from.min(end)..end].iter().rev().take_while(|byte| is_name(**byte)).count();
    // Names are ASCII, so both ends lie between characters.
    (length > 0).then(|| &text[end - length..end])
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// What a name says of its value.
fn classified(name: &str) -> Option<(Strength, &'static str)> {
    let bytes = name.as_bytes();
    NAMES.iter().find_map(|(wanted, strength, description)| {
        let start = ends_with(bytes, wanted.as_bytes())?;
        // `monkey` and `tokenizer` are other words; `apiKey` and `API_KEY` are two.
        let is_word = match bytes[..start].last() {
            None => true,
            Some(before) if !before.is_ascii_alphanumeric() => true,
            Some(before) => {
                before.is_ascii_digit()
                    || before.is_ascii_lowercase() && bytes[start].is_ascii_uppercase()
                    // Few words end so, and a password is worth more than they are.
                    || wanted.len() > 5 && *strength == Strength::Password
            }
        };
        is_word.then_some((*strength, *description))
    })
}

/// Where a name ends with these letters, whatever separates them and whichever are capitals.
fn ends_with(name: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut letters = name.iter().enumerate().rev();
    let mut start = name.len();
    for letter in wanted.iter().rev() {
        let (at, found) = letters.by_ref().find(|(_, byte)| !matches!(byte, b'_' | b'-' | b'.'))?;
        if found.to_ascii_lowercase() != *letter {
            return None;
        }
        start = at;
    }
    Some(start)
}

/// Where the value starts: behind spaces, a second `=` or `>`, and a quote.
fn after_separator(text: &str, at: usize) -> usize {
    let rest = text.as_bytes()[at..].iter().take(8);
    at + rest
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'=' | b'>' | b'"' | b'\'' | b'\\'))
        .count()
}

/// The value that starts here, if it is a secret.
fn judged(
    text: &str,
    start: usize,
    strength: Strength,
    description: &'static str,
) -> Option<Secret> {
    let bytes = text.as_bytes();
    let examined = &bytes[start.min(bytes.len())..bytes.len().min(start + EXAMINED)];
    let length = examined.iter().take_while(|byte| is_value(**byte)).count();
    is_secret(&examined[..length], strength).then(|| Secret {
        kind: SecretKind::Assigned(description),
        hidden: start..value_end(text, start),
    })
}

/// Whether a byte belongs to a value: it ends at spaces, quotes, commas and brackets.
fn is_value(byte: u8) -> bool {
    !matches!(
        byte,
        0..=b' '
            | b'"'
            | b'\''
            | b'`'
            | b','
            | b';'
            | b')'
            | b']'
            | b'}'
            | b'>'
            | b'<'
            | b'\\'
            | 127
    )
}

fn value_end(text: &str, start: usize) -> usize {
    start + text.as_bytes()[start..].iter().take_while(|byte| is_value(**byte)).count()
}

fn is_secret(value: &[u8], strength: Strength) -> bool {
    let Some(first) = value.first() else { return false };
    // Placeholders, paths and references: `<token>`, `${TOKEN}`, `***`, `/run/secrets/db`.
    let is_reference =
        matches!(first, b'<' | b'[' | b'(' | b'{' | b'$' | b'%' | b'*' | b'/' | b'.')
            || matches!(first, b'~' | b'@' | b'-' | 0x80..)
            || value.contains(&b'(');
    if is_reference || is_type(value) {
        return false;
    }
    let has = |test: fn(&u8) -> bool| value.iter().any(test);
    match strength {
        Strength::Password => {
            // A word is a description; a number is a length.
            let marks = |byte: &u8| b"!@#$%^&*+=?~|".contains(byte);
            value.len() >= MIN_PASSWORD
                && has(u8::is_ascii_alphabetic)
                && (has(u8::is_ascii_digit) || has(marks))
        }
        Strength::Token => value.len() >= MIN_TOKEN && is_random(value),
        Strength::Key => {
            let is_hex = value.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
            let mixes = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
            value.len() >= MIN_KEY && mixes && !is_hex && is_random(value)
        }
    }
}

/// Whether letters and digits, or small letters and capitals, take turns as in no word.
fn is_random(value: &[u8]) -> bool {
    let kind = |byte: &u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let turns = value.windows(2).filter(|pair| kind(&pair[0]) != kind(&pair[1])).count();
    let letters = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+/=.~".contains(byte);
    is_mixed(value)
        && value.iter().all(letters)
        && longest_part(value) >= LONG_PART
        && turns * 5 >= value.len()
}

/// Whether a value is the name of an element type: `float32`, `float8e4m3fn`, `tensor(int64)`.
fn is_type(value: &[u8]) -> bool {
    std::str::from_utf8(value).is_ok_and(|text| text.to_ascii_lowercase().parse::<DType>().is_ok())
}
