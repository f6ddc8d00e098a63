//! What a Core ML model starts with. Protobuf has no mark of its own, so the first fields must be
//! those of `CoreML.Specification.Model`, as no other message has them.

use crate::Start;
use crate::wire::varint;

/// Versions of the specification; the newest is 10.
const VERSIONS: std::ops::RangeInclusive<u64> = 1..=12;

/// Fields of `ModelDescription`, all of them messages or texts.
const DESCRIPTION_FIELDS: [u64; 8] = [1, 10, 11, 12, 13, 20, 50, 100];

/// Whether the file is a model, or part of a compiled one.
pub(super) fn is_core_ml(start: &Start<'_>) -> bool {
    is_specification(start.bytes) || is_compiled(start)
}

/// Whether the file is part of a `.mlmodelc` folder.
pub(super) fn is_compiled(start: &Start<'_>) -> bool {
    let is_named = start.name == "coremldata.bin" || start.name == "model.mil";
    let is_program = start.bytes.starts_with(b"program(") && contains(start.bytes, b"func ");
    start.has_extension("mlmodelc") && !is_specification(start.bytes)
        || is_named && !start.bytes.is_empty()
        || is_program
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// The specification's version, then the description. In ONNX the second field is the name of a
/// tool, which as a message would have other fields.
fn is_specification(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(&[0x08]) else { return false };
    let Some((version, rest)) = number(rest) else { return false };
    let Some(rest) = rest.strip_prefix(&[0x12]) else { return false };
    let Some((length, rest)) = number(rest) else { return false };
    if !VERSIONS.contains(&version) {
        return false;
    }
    if length == 0 {
        return starts_kind(rest);
    }
    let whole = usize::try_from(length).ok().and_then(|length| rest.get(..length));
    is_description(whole.unwrap_or(rest), whole.is_none(), length)
}

/// Whether a field of the model's kinds is next.
fn starts_kind(bytes: &[u8]) -> bool {
    number(bytes).is_some_and(|(tag, _)| tag & 7 == 2 && (200..=3000).contains(&(tag >> 3)))
}

/// Whether bytes are the fields of a description, which are cut off where the file goes on.
fn is_description(mut bytes: &[u8], is_cut: bool, length: u64) -> bool {
    let mut left = length;
    let mut first = true;
    while !bytes.is_empty() {
        let before = bytes.len();
        let Some((tag, rest)) = number(bytes) else { return is_cut && !first };
        if tag & 7 != 2 || !DESCRIPTION_FIELDS.contains(&(tag >> 3)) {
            return false;
        }
        let Some((size, rest)) = number(rest) else { return is_cut && !first };
        let Some(after) = left.checked_sub((before - rest.len()) as u64) else { return false };
        if size > after {
            return false;
        }
        let field = usize::try_from(size).ok().and_then(|size| rest.get(..size));
        let start = field.unwrap_or(rest);
        // A feature begins with its name, a description or a type; metadata with a text of it.
        let begins = start.first().is_none_or(|tag| matches!(tag, 0x0a | 0x12 | 0x1a | 0x22));
        let is_message = !matches!(tag >> 3, 11 | 12);
        if is_message && !begins && !(tag >> 3 == 100 && start.starts_with(&[0xa2, 0x06])) {
            return false;
        }
        let Some(field) = field else { return is_cut };
        left = after - size;
        bytes = rest.get(field.len()..).unwrap_or_default();
        first = false;
    }
    true
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (value, length) = varint(bytes)?;
    Some((value, bytes.get(length..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sniffed(bytes: &[u8], name: &str) -> bool {
        is_core_ml(&Start { bytes, name })
    }

    #[test]
    fn models_are_recognized_and_onnx_is_not() {
        // Version 6; a description with an input "x"; a program.
        assert!(sniffed(b"\x08\x06\x12\x05\x0a\x03\x0a\x01x\xb2\x1f\x00", "m.mlmodel"));
        // No description, then a neural network.
        assert!(sniffed(b"\x08\x04\x12\x00\xa2\x1f\x00", "m"));
        // ONNX: a version, then the names of tools.
        for producer in ["pytorch", "tf2onnx", "backend-test", "skl2onnx", "ZETIC", "bb", "j", ""] {
            let mut bytes = vec![0x08, 0x08, 0x12, u8::try_from(producer.len()).unwrap()];
            bytes.extend(producer.as_bytes());
            bytes.extend(b"\x1a\x031.2\x3a\x00");
            assert!(!sniffed(&bytes, "m.onnx"), "{producer}");
        }
        assert!(!sniffed(b"\x08\x08\x3a\x00", "m.onnx"));
        assert!(!sniffed(b"", "m.mlmodel"));
        assert!(!sniffed(b"\x08\x40\x12\x05\x0a\x03\x0a\x01x", "m"));
    }

    #[test]
    fn long_descriptions_are_cut_at_any_byte() {
        let mut bytes = b"\x08\x06\x12\xff\x7f".to_vec();
        for _ in 0..400 {
            bytes.extend(b"\x0a\x09\x0a\x07feature");
        }
        for end in 20..bytes.len() {
            assert!(sniffed(&bytes[..end], "m"), "{end}");
        }
    }

    #[test]
    fn parts_of_compiled_models_are_recognized() {
        assert!(sniffed(b"program(1.0)\n{\n    func main<ios15>(", "model.mil"));
        assert!(sniffed(&[0x33, 0, 0, 0], "coremldata.bin"));
        assert!(sniffed(&[0x33, 0, 0, 0], "Net.mlmodelc"));
    }
}
