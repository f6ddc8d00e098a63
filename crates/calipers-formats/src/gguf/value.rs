//! Values of the metadata. Arrays are passed over: a vocabulary has 100,000 texts and more.

use calipers_ir::Span;
use calipers_networks::Meta;

use super::cursor::{Cursor, Text};
use crate::Error;

/// Arrays inside arrays.
const MAX_NESTING: usize = 8;

/// Texts and arrays in arrays, which are passed over one by one.
const MAX_ELEMENTS: u64 = 1 << 22;

/// Whole numbers of an array that are kept, such as one for each layer; and of all arrays.
const MAX_INTS: u64 = 1024;
const MAX_KEPT: usize = 1 << 16;

/// What may still be read of a file.
#[derive(Debug)]
pub(super) struct Left {
    /// Texts and arrays in arrays.
    elements: u64,
    /// Whole numbers of arrays.
    ints: usize,
}

impl Default for Left {
    fn default() -> Self {
        Self { elements: MAX_ELEMENTS, ints: MAX_KEPT }
    }
}

/// A value of the metadata.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    Int(i64),
    /// Above all of `Int`.
    Large(u64),
    Single(f32),
    Double(f64),
    Bool(bool),
    Text(Text<'a>),
    Array {
        /// The type of the elements, by number.
        element: u32,
        /// How many there are.
        count: u64,
        /// Where they are.
        span: Span,
        /// The elements, where they are whole numbers and few.
        ints: Box<[i64]>,
    },
}

/// Numbers of the types.
mod number {
    pub(super) const STRING: u32 = 8;
    pub(super) const ARRAY: u32 = 9;
}

/// The name of a type, and the bytes of a value where all have the same.
pub(super) fn type_of(number: u32) -> Option<(&'static str, Option<u64>)> {
    Some(match number {
        0 => ("uint8", Some(1)),
        1 => ("int8", Some(1)),
        2 => ("uint16", Some(2)),
        3 => ("int16", Some(2)),
        4 => ("uint32", Some(4)),
        5 => ("int32", Some(4)),
        6 => ("float32", Some(4)),
        7 => ("bool", Some(1)),
        number::STRING => ("string", None),
        number::ARRAY => ("array", None),
        10 => ("uint64", Some(8)),
        11 => ("int64", Some(8)),
        12 => ("float64", Some(8)),
        _ => return None,
    })
}

/// Reads a value of a type. Of arrays no more than `left` is read.
pub(super) fn read<'a>(
    from: &mut Cursor<'a>,
    number: u32,
    left: &mut Left,
) -> Result<Value<'a>, Error> {
    const WHAT: &str = "a value of the metadata";
    Ok(match number {
        0 => Value::Int(from.u8(WHAT)?.into()),
        1 => Value::Int(from.u8(WHAT)?.cast_signed().into()),
        2 => Value::Int(from.u16(WHAT)?.into()),
        3 => Value::Int(from.u16(WHAT)?.cast_signed().into()),
        4 => Value::Int(from.u32(WHAT)?.into()),
        5 => Value::Int(from.u32(WHAT)?.cast_signed().into()),
        6 => Value::Single(f32::from_bits(from.u32(WHAT)?)),
        7 => Value::Bool(from.u8(WHAT)? != 0),
        number::STRING => Value::Text(from.text(WHAT)?),
        number::ARRAY => {
            let element = from.u32(WHAT)?;
            let count = from.count(WHAT)?;
            let start = from.at;
            let ints = ints(from, element, count, left)?;
            if ints.is_empty() {
                skip_elements(from, element, count, 1, left)?;
            }
            Value::Array { element, count, span: Span { start, end: from.at }, ints }
        }
        10 => match from.u64(WHAT)? {
            value @ 0..=0x7fff_ffff_ffff_ffff => Value::Int(value.cast_signed()),
            value => Value::Large(value),
        },
        11 => Value::Int(from.u64(WHAT)?.cast_signed()),
        12 => Value::Double(f64::from_bits(from.u64(WHAT)?)),
        _ => return Err(unknown(from, number)),
    })
}

fn unknown(from: &Cursor<'_>, number: u32) -> Error {
    from.damaged("the metadata", &format!("a value has the type {number}, which is not defined"))
}

/// The elements of an array where they are whole numbers and few; none otherwise.
fn ints(
    from: &mut Cursor<'_>,
    element: u32,
    count: u64,
    left: &mut Left,
) -> Result<Box<[i64]>, Error> {
    let is_whole = matches!(element, 0..=5 | 10 | 11);
    let kept = usize::try_from(count).ok().filter(|_| is_whole && count <= MAX_INTS);
    let Some(rest) = kept.and_then(|kept| left.ints.checked_sub(kept)) else {
        return Ok(Box::default());
    };
    left.ints = rest;
    let element = |_| match read(from, element, left)? {
        Value::Int(value) => Ok(value),
        _ => Ok(i64::MAX),
    };
    (0..count).map(element).collect()
}

/// Passes over the elements of an array.
fn skip_elements(
    from: &mut Cursor<'_>,
    element: u32,
    count: u64,
    nesting: usize,
    left: &mut Left,
) -> Result<(), Error> {
    const WHAT: &str = "an array of the metadata";
    if let (_, Some(width)) = type_of(element).ok_or_else(|| unknown(from, element))? {
        // What does not fit 64 bits does not fit the file.
        return from.skip(count.saturating_mul(width), WHAT);
    }
    left.elements = left.elements.checked_sub(count).ok_or_else(|| {
        let problem = format!("its arrays have more than {MAX_ELEMENTS} texts");
        from.damaged("the metadata", &problem)
    })?;
    if element == number::STRING {
        // The texts of vocabularies have about this many bytes, with their lengths.
        from.expect(count.saturating_mul(16));
        from.skip_texts(count, WHAT)?;
        return Ok(());
    }
    if nesting >= MAX_NESTING {
        let problem = format!("its arrays are nested deeper than {MAX_NESTING}");
        return Err(from.damaged("the metadata", &problem));
    }
    for _ in 0..count {
        let inner = from.u32(WHAT)?;
        let inner_count = from.count(WHAT)?;
        skip_elements(from, inner, inner_count, nesting + 1, left)?;
    }
    Ok(())
}

impl Value<'_> {
    /// The value for a description of the network.
    pub(super) fn meta(&self) -> Meta<'_> {
        match *self {
            Self::Int(value) => Meta::Int(value),
            // No description has such a number; it is above all limits.
            Self::Large(_) => Meta::Int(i64::MAX),
            Self::Single(value) => Meta::Float(value.into()),
            Self::Double(value) => Meta::Float(value),
            Self::Bool(value) => Meta::Bool(value),
            Self::Text(text) => Meta::Text(std::str::from_utf8(text.start).unwrap_or_default()),
            Self::Array { count, ref ints, .. } => Meta::Array { len: count, ints },
        }
    }

    /// The value for people. `elements` reads those of a short array.
    pub(super) fn shown(&self, elements: impl FnOnce(u32, u64, Span) -> Option<String>) -> String {
        match *self {
            Self::Int(value) => value.to_string(),
            Self::Large(value) => value.to_string(),
            Self::Single(value) => value.to_string(),
            Self::Double(value) => value.to_string(),
            Self::Bool(value) => value.to_string(),
            Self::Text(text) => {
                let start = String::from_utf8_lossy(text.start);
                match text.start.len() as u64 == text.bytes {
                    true => start.into_owned(),
                    false => format!("{start}… ({} bytes in all)", text.bytes),
                }
            }
            Self::Array { element, count, span, .. } => {
                let name = type_of(element).map_or("unknown", |(name, _)| name);
                elements(element, count, span).unwrap_or_else(|| format!("{count} × {name}"))
            }
        }
    }
}

/// The elements of an array from here on; `None` where they are arrays, or damaged.
pub(super) fn list<'a>(from: &mut Cursor<'a>, element: u32, count: u64) -> Option<Vec<Value<'a>>> {
    if element == number::ARRAY {
        return None;
    }
    let mut left = Left::default();
    (0..count).map(|_| read(from, element, &mut left).ok()).collect()
}
