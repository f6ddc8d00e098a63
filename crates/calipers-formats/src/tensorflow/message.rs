//! What all messages share: texts, entries of maps, types and shapes.

use calipers_ir::{DType, Dim};

use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// Longest name that is read.
const MAX_NAME: u64 = 1 << 16;

/// Dimensions of a shape that are read.
const MAX_RANK: usize = 256;

/// A name.
pub(super) fn text<'a>(part: Part<'a>) -> Result<&'a str, Trace> {
    if part.len() > MAX_NAME {
        return Err(Trace::new(part.start(), format!("a name has {} bytes", part.len())));
    }
    std::str::from_utf8(part.bytes()?)
        .map_err(|_| Trace::new(part.start(), "a name is not UTF-8".to_owned()))
}

/// An integer field.
pub(super) fn integer(value: u64) -> i64 {
    value.cast_signed()
}

/// The parts of a message's fields that hold bytes, with their numbers.
pub(super) fn parts<'a>(
    part: Part<'a>,
    mut visit: impl FnMut(u32, Part<'a>) -> Result<(), Trace>,
) -> Result<(), Trace> {
    for field in Message::from(part).fields() {
        let field = field?;
        if let Payload::Bytes(part) = field.payload {
            visit(field.number, part)?;
        }
    }
    Ok(())
}

/// The key and the value of an entry of a map.
pub(super) fn entry<'a>(part: Part<'a>) -> Result<(&'a str, Part<'a>), Trace> {
    let mut key = "";
    let mut value = Part::new(&[], part.start());
    parts(part, |number, part| {
        match number {
            1 => key = text(part)?,
            2 => value = part,
            _ => {}
        }
        Ok(())
    })?;
    Ok((key, value))
}

/// A type of TensorFlow.
pub(super) fn dtype(number: i64) -> DType {
    // References to variables have the number of their type, and 100.
    match if number > 100 { number - 100 } else { number } {
        1 => DType::Float32,
        2 => DType::Float64,
        3 | 13 => DType::Int32,
        4 | 12 => DType::Uint8,
        5 | 15 => DType::Int16,
        6 | 11 => DType::Int8,
        7 => DType::String,
        8 => DType::Complex64,
        9 => DType::Int64,
        10 => DType::Bool,
        14 => DType::Bfloat16,
        16 | 17 => DType::Uint16,
        18 => DType::Complex128,
        19 => DType::Float16,
        22 => DType::Uint32,
        23 => DType::Uint64,
        24 => DType::Float8E5M2,
        25 => DType::Float8E4M3Fn,
        26 => DType::Float8E4M3Fnuz,
        28 => DType::Float8E5M2Fnuz,
        29 => DType::Int4,
        30 => DType::Uint4,
        31 => DType::Int2,
        32 => DType::Uint2,
        33 => DType::Float4E2M1,
        // A resource, a variant, or a type that came later.
        _ => DType::Undefined,
    }
}

/// The number of a type in ONNX.
pub(super) fn onnx_number(dtype: DType) -> Option<i64> {
    (1..=28_i32).find(|number| DType::from_onnx(*number) == dtype).map(i64::from)
}

/// A `TensorShapeProto`: its dimensions, -1 where one is open; `None` where their number is.
pub(super) fn shape(part: Part<'_>) -> Result<Option<Vec<i64>>, Trace> {
    let mut dims = Vec::new();
    let mut known = true;
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (2, Payload::Bytes(dim)) => {
                if dims.len() >= MAX_RANK {
                    let problem = format!("a shape has more than {MAX_RANK} dimensions");
                    return Err(Trace::new(field.at, problem));
                }
                let mut size = 0;
                for field in Message::from(dim).fields() {
                    let field = field?;
                    if let (1, Payload::Varint(value)) = (field.number, field.payload) {
                        size = integer(value);
                    }
                }
                dims.push(size);
            }
            (3, Payload::Varint(value)) => known = value == 0,
            _ => {}
        }
    }
    Ok(known.then_some(dims))
}

/// Dimensions as a type has them.
pub(super) fn declared(dims: &[i64]) -> Vec<Dim> {
    dims.iter().map(|dim| if *dim < 0 { Dim::Unknown } else { Dim::Size(*dim) }).collect()
}
