//! Fields of protobuf messages, as the messages of Core ML use them.

use crate::error::Trace;
use crate::onnx::packed_integers;
use crate::wire::{Message, Part, Payload};

/// Texts longer than this are cut: no author writes so much, and a report would not show it.
const MAX_TEXT: u64 = 64 * 1024;

/// A text for people: made valid, and cut when absurdly long.
pub(super) fn text(part: Part<'_>) -> String {
    let start = String::from_utf8_lossy(part.first(MAX_TEXT).unwrap_or_default()).into_owned();
    match part.len() <= MAX_TEXT {
        true => start,
        false => format!("{start}… ({} bytes in all)", part.len()),
    }
}

/// An integer field. Protobuf writes negative ones as 64 bits, whatever their width.
pub(super) fn integer(value: u64) -> i64 {
    value.cast_signed()
}

/// A key and a value: an entry of a map.
pub(super) fn entry(part: Part<'_>) -> Result<(String, Option<Part<'_>>), Trace> {
    let (mut key, mut value) = (String::new(), None);
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Bytes(part)) => key = text(part),
            (2, Payload::Bytes(part)) => value = Some(part),
            _ => {}
        }
    }
    Ok((key, value))
}

/// The last message in a field.
pub(super) fn message<'a>(part: Part<'a>, number: u32) -> Result<Option<Part<'a>>, Trace> {
    let mut found = None;
    for field in Message::from(part).fields() {
        let field = field?;
        if let (true, Payload::Bytes(part)) = (field.number == number, field.payload) {
            found = Some(part);
        }
    }
    Ok(found)
}

/// Adds the integers of a repeated field, packed or not.
pub(super) fn add_integers(payload: Payload<'_>, integers: &mut Vec<i64>) -> Result<(), Trace> {
    match payload {
        Payload::Varint(value) => integers.push(integer(value)),
        Payload::Bytes(part) => packed_integers(part, |value| integers.push(value))?,
        _ => {}
    }
    Ok(())
}

/// Adds the numbers of a repeated field, packed or not.
pub(super) fn add_floats(payload: Payload<'_>, floats: &mut Vec<f32>) -> Result<(), Trace> {
    match payload {
        Payload::Fixed32(bits) => floats.push(f32::from_bits(bits)),
        Payload::Bytes(part) => {
            let chunks = part.bytes()?.as_chunks::<4>().0.iter();
            floats.extend(chunks.map(|chunk| f32::from_le_bytes(*chunk)));
        }
        _ => {}
    }
    Ok(())
}
