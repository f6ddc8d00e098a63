//! What the header and the index share: keys, texts, and errors with their place.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::Error;

/// Bytes of a text that are kept.
const MAX_TEXT: usize = 64 * 1024;

/// Pairs of free metadata that are kept, and bytes of all their texts.
const MAX_TEXTS: usize = 4096;
const MAX_TEXT_BYTES: usize = 1 << 20;

/// An error of JSON at its place in the file. `from` is where the JSON begins.
pub(super) fn damaged_json(json: &[u8], from: u64, path: &str, error: &serde_json::Error) -> Error {
    let lines = json.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
    let before: usize = lines.map(<[u8]>::len).sum();
    let within = before.saturating_add(error.column()).min(json.len());
    let mut problem = error.to_string();
    if let Some(place) = problem.rfind(" at line ") {
        problem.truncate(place);
    }
    Error::damaged(from.saturating_add(within as u64), path, &problem)
}

/// Refuses JSON that is nested deeper than any header or index: it would cost memory for each level,
/// even where it is passed over.
pub(super) fn check_depth(json: &[u8], from: u64, path: &str) -> Result<(), Error> {
    const MAX_DEPTH: usize = 16;
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in json.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => depth += 1,
            b'}' | b']' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            let problem = format!("it is nested deeper than {MAX_DEPTH}");
            return Err(Error::damaged(from.saturating_add(at as u64), path, &problem));
        }
    }
    Ok(())
}

/// A key of an object, borrowed where it has no escapes.
pub(super) struct Key<'a>(pub(super) Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Key(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Key(Cow::Owned(text.to_owned())))
    }
}

/// A text, number or truth value, as text; anything else as an empty one.
pub(super) struct Scalar(pub(super) String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a number")
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar(cut(text)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar(number.to_string()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar(value.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar(String::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar(String::new()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar(String::new()))
    }
}

/// A text for people, cut when absurdly long.
fn cut(text: &str) -> String {
    match text.len() <= MAX_TEXT {
        true => text.to_owned(),
        false => {
            let start = &text[..text.floor_char_boundary(MAX_TEXT)];
            format!("{start}… ({} bytes in all)", text.len())
        }
    }
}

/// An object of texts: free metadata. What is beyond the bounds is left out.
#[derive(Default)]
pub(super) struct Texts(pub(super) Vec<(String, String)>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TextsVisitor)
    }
}

struct TextsVisitor;

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = Texts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of texts")
    }

    fn visit_unit<E>(self) -> Result<Texts, E> {
        Ok(Texts::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Texts, A::Error> {
        let (mut texts, mut bytes) = (Vec::new(), 0_usize);
        while let Some(Key(key)) = map.next_key()? {
            if key.len() > MAX_TEXT {
                return Err(A::Error::custom("a key of the metadata is longer than 64 kB"));
            }
            if texts.len() >= MAX_TEXTS || bytes >= MAX_TEXT_BYTES {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let Scalar(text) = map.next_value()?;
            bytes = bytes.saturating_add(key.len()).saturating_add(text.len());
            texts.push((key.into_owned(), text));
        }
        Ok(Texts(texts))
    }
}
