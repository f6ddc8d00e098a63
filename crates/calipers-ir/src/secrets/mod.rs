//! Secrets in the texts of a model: how they are recognized, and how they are masked.
//!
//! | form | example, with what is shown |
//! |---|---|
//! | token of a known service | `sk-proj-…(32 characters)` |
//! | assignment | `password = …(14 characters)`, `AWS_SECRET_ACCESS_KEY=…(40 characters)` |
//! | header | `Authorization: Bearer …(36 characters)` |
//! | password in a URL | `https://user:…(8 characters)@host` |
//! | private key | `-----BEGIN RSA PRIVATE KEY-----…(1,600 characters)` |
//!
//! A false alarm hides a name that a reader needs, so a value must look like a secret: `password =
//! required`, `token = int64` and digests are left alone. The time is in proportion to the text,
//! whatever is in it.

mod assignment;
mod masks;

use std::ops::Range;

pub use masks::{Masks, mask};

/// The kind of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecretKind {
    /// A token in the format of a known service.
    Token(&'static str),
    /// A value that is assigned to a name such as `password`.
    Assigned(&'static str),
    /// A token in an `Authorization` header.
    Header,
    /// A password in a URL.
    Url,
    /// A private key.
    PrivateKey,
}

impl SecretKind {
    /// The description of the kind: `GitHub token`, `password`.
    pub fn description(self) -> &'static str {
        match self {
            Self::Token(description) | Self::Assigned(description) => description,
            Self::Header => "authorization header",
            Self::Url => "password in a URL",
            Self::PrivateKey => "private key",
        }
    }
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The kind.
    pub kind: SecretKind,
    /// The bytes of the text that must not be shown. What is before them says what the secret is.
    pub hidden: Range<usize>,
}

/// Characters after a prefix that are examined: enough to recognize every form, and few enough that
/// a hostile text of one long token takes no longer than another.
const EXAMINED: usize = 128;

/// Which characters a token consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    /// Capitals and digits.
    Capitals,
    /// Letters and digits.
    Plain,
    /// Letters, digits, hyphens and underscores.
    Dashed,
    /// Those and dots: three parts of base64.
    Dotted,
}

impl Letters {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Plain => byte.is_ascii_alphanumeric(),
            Self::Dashed => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
        }
    }
}

/// Prefixes of the tokens of known services, the characters after them, how many at least, and the
/// description. Longer prefixes come first.
const TOKENS: [(&str, Letters, usize, &str); 24] = [
    ("AKIA", Letters::Capitals, 16, "AWS access key"),
    ("ASIA", Letters::Capitals, 16, "AWS access key"),
    ("AIza", Letters::Dashed, 35, "Google API key"),
    ("dckr_pat_", Letters::Dashed, 20, "Docker token"),
    ("eyJ", Letters::Dotted, 40, "JSON web token"),
    ("ghp_", Letters::Plain, 36, "GitHub token"),
    ("gho_", Letters::Plain, 36, "GitHub token"),
    ("ghu_", Letters::Plain, 36, "GitHub token"),
    ("ghs_", Letters::Plain, 36, "GitHub token"),
    ("ghr_", Letters::Plain, 36, "GitHub token"),
    ("github_pat_", Letters::Dashed, 50, "GitHub token"),
    ("glpat-", Letters::Dashed, 20, "GitLab token"),
    ("hf_", Letters::Plain, 30, "Hugging Face token"),
    ("npm_", Letters::Plain, 36, "npm token"),
    ("pypi-", Letters::Dashed, 50, "PyPI token"),
    ("sk-ant-", Letters::Dashed, 32, "API key"),
    ("sk-proj-", Letters::Dashed, 24, "API key"),
    ("sk-", Letters::Dashed, 32, "API key"),
    ("sk_live_", Letters::Plain, 20, "Stripe key"),
    ("rk_live_", Letters::Plain, 20, "Stripe key"),
    ("xoxb-", Letters::Dashed, 20, "Slack token"),
    ("xoxp-", Letters::Dashed, 20, "Slack token"),
    ("xoxa-", Letters::Dashed, 20, "Slack token"),
    ("xapp-", Letters::Dashed, 20, "Slack token"),
];

/// Letters and digits in a row that a dashed token has somewhere; hyphenated prose has shorter words.
const LONG_PART: usize = 12;

/// Returns the secrets in a text, in order. They do not overlap.
pub fn find(text: &str) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let mut secrets = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let found = match bytes[at] {
            b'A' | b'd' | b'e' | b'g' | b'h' | b'n' | b'p' | b'r' | b's' | b'x' => token(bytes, at),
            b':' | b'=' => password_in_url(text, at).or_else(|| assignment::assigned(text, at)),
            b' ' | b'\t' => assignment::after_space(text, at),
            b'-' => private_key(text, at),
            _ => None,
        };
        at = match found {
            Some(secret) => {
                let end = secret.hidden.end;
                secrets.push(secret);
                end.max(at + 1)
            }
            None => at + 1,
        };
    }
    secrets
}

/// Returns the secrets in the value of an entry whose key may say what it is: `password`.
pub fn find_in_entry(key: &str, value: &str) -> Vec<Secret> {
    let found = find(value);
    if !found.is_empty() {
        return found;
    }
    let whole = assignment::value_of_key(key, value);
    whole.map(|kind| Secret { kind, hidden: 0..value.len() }).into_iter().collect()
}

/// A token of a known service that starts here.
fn token(bytes: &[u8], at: usize) -> Option<Secret> {
    // A token does not start in the middle of a word.
    if at > 0 && bytes[at - 1].is_ascii_alphanumeric() {
        return None;
    }
    let rest = &bytes[at..];
    let fits = |row: &&(&str, Letters, usize, &str)| rest.starts_with(row.0.as_bytes());
    let (prefix, letters, least, description) = TOKENS.iter().find(fits)?;
    let rest = &rest[prefix.len()..];
    let examined = &rest[..rest.len().min(EXAMINED)];
    let length = examined.iter().take_while(|byte| letters.has(**byte)).count();
    let run = &examined[..length];
    if length < *least || !is_mixed(run) {
        return None;
    }
    let dots = || run.iter().filter(|byte| **byte == b'.').count();
    let is_plausible = match letters {
        // A longer word of letters and digits is something else.
        Letters::Capitals => {
            length == *least && !rest.get(length).is_some_and(u8::is_ascii_alphanumeric)
        }
        Letters::Plain => true,
        Letters::Dashed => longest_part(run) >= LONG_PART,
        Letters::Dotted => (1..=4).contains(&dots()),
    };
    if !is_plausible {
        return None;
    }
    let start = at + prefix.len();
    let end = start + rest.iter().take_while(|byte| letters.has(**byte)).count();
    Some(Secret { kind: SecretKind::Token(description), hidden: start..end })
}

/// The password of `scheme://user:password@host`, where the `:` of `://` is here.
fn password_in_url(text: &str, at: usize) -> Option<Secret> {
    let bytes = text.as_bytes();
    if !bytes[at..].starts_with(b"://") {
        return None;
    }
    let start = at + 3;
    let examined = &bytes[start..bytes.len().min(start + 2 * EXAMINED)];
    let ends = |byte: &u8| matches!(byte, b'/' | b'"' | b'\'' | b'<' | b'>' | b'`' | 0..=b' ');
    let length = examined.iter().position(ends).unwrap_or(examined.len());
    let authority = &examined[..length];
    let host = authority.iter().rposition(|byte| *byte == b'@')?;
    let colon = authority[..host].iter().position(|byte| *byte == b':')?;
    let password = &authority[colon + 1..host];
    // `{password}` and `<password>` are placeholders.
    if password.is_empty() || matches!(password[0], b'{' | b'$' | b'%' | b'*') {
        return None;
    }
    Some(Secret { kind: SecretKind::Url, hidden: start + colon + 1..start + host })
}

/// A private key whose header starts here; all of it up to its footer is secret.
fn private_key(text: &str, at: usize) -> Option<Secret> {
    const BEGIN: &str = "-----BEGIN ";
    const KEY: &str = "PRIVATE KEY-----";
    let rest = &text.as_bytes()[at..];
    if !rest.starts_with(BEGIN.as_bytes()) {
        return None;
    }
    let head = &rest[..rest.len().min(EXAMINED)];
    let key = head.windows(KEY.len()).position(|part| part == KEY.as_bytes())?;
    let start = at + key + KEY.len();
    let end = text[start..].find("-----END ").map_or(text.len(), |end| start + end);
    Some(Secret { kind: SecretKind::PrivateKey, hidden: start..end })
}

/// Whether there are letters and digits.
fn is_mixed(run: &[u8]) -> bool {
    run.iter().any(u8::is_ascii_digit) && run.iter().any(u8::is_ascii_alphabetic)
}

/// The most letters and digits in a row.
fn longest_part(run: &[u8]) -> usize {
    run.split(|byte| !byte.is_ascii_alphanumeric()).map(<[u8]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
