//! Reading the elements of a small tensor, when a question needs them.

use std::borrow::Cow;

use calipers_ir::DType::{Bfloat16, Float16, Float32, Float64};
use calipers_ir::{DType, Data, DecodeError, Decoder, Source, Tensor};
use half::{bf16, f16};

use crate::onnx::packed_integers;
use crate::wire::{Message, Payload};

/// Reads elements as little-endian bytes, and as the fields of `TensorProto` store them.
#[derive(Debug)]
pub(crate) struct StoredElements;

impl Decoder for StoredElements {
    fn packed(&self, source: &Source, tensor: &Tensor, limit: u64) -> Result<Vec<u8>, DecodeError> {
        let count = check_count(tensor, limit)?;
        let bytes = tensor.dtype.bytes(count as u64).and_then(|bytes| usize::try_from(bytes).ok());
        let wanted = bytes.ok_or(DecodeError::Type(tensor.dtype))?;
        exactly(stored(source, tensor, count)?.into_owned(), wanted)
    }

    fn integers(
        &self,
        source: &Source,
        tensor: &Tensor,
        limit: u64,
    ) -> Result<Vec<i64>, DecodeError> {
        let count = check_count(tensor, limit)?;
        if !is_integer(tensor.dtype) {
            return Err(DecodeError::Type(tensor.dtype));
        }
        exactly(raw_integers(&stored(source, tensor, count)?, tensor.dtype, count), count)
    }

    fn floats(
        &self,
        source: &Source,
        tensor: &Tensor,
        limit: u64,
    ) -> Result<Vec<f64>, DecodeError> {
        let count = check_count(tensor, limit)?;
        if !matches!(tensor.dtype, Float16 | Bfloat16 | Float32 | Float64) {
            return Err(DecodeError::Type(tensor.dtype));
        }
        exactly(raw_floats(&stored(source, tensor, count)?, tensor.dtype, count), count)
    }
}

fn check_count(tensor: &Tensor, limit: u64) -> Result<usize, DecodeError> {
    let elements = tensor.elements().map_err(DecodeError::Size)?;
    match usize::try_from(elements) {
        Ok(count) if elements <= limit => Ok(count),
        _ => Err(DecodeError::TooMany { elements }),
    }
}

fn exactly<T>(mut elements: Vec<T>, count: usize) -> Result<Vec<T>, DecodeError> {
    if elements.len() < count {
        return Err(DecodeError::Short);
    }
    elements.truncate(count);
    Ok(elements)
}

fn is_integer(dtype: DType) -> bool {
    use DType::*;
    matches!(
        dtype,
        Uint8
            | Int8
            | Uint16
            | Int16
            | Int32
            | Int64
            | Bool
            | Uint32
            | Uint64
            | Uint4
            | Int4
            | Uint2
            | Int2
    )
}

/// Little-endian elements; at most `count` of them.
pub(crate) fn raw_integers(bytes: &[u8], dtype: DType, count: usize) -> Vec<i64> {
    use DType::*;
    fn wide<const N: usize>(bytes: &[u8], count: usize, read: fn([u8; N]) -> i64) -> Vec<i64> {
        bytes.as_chunks::<N>().0.iter().take(count).map(|chunk| read(*chunk)).collect()
    }
    match dtype {
        Int8 => wide(bytes, count, |b| i64::from(i8::from_le_bytes(b))),
        Uint8 => wide(bytes, count, |[b]| i64::from(b)),
        Bool => wide(bytes, count, |[b]| i64::from(b != 0)),
        Int16 => wide(bytes, count, |b| i64::from(i16::from_le_bytes(b))),
        Uint16 => wide(bytes, count, |b| i64::from(u16::from_le_bytes(b))),
        Int32 => wide(bytes, count, |b| i64::from(i32::from_le_bytes(b))),
        Uint32 => wide(bytes, count, |b| i64::from(u32::from_le_bytes(b))),
        Int64 => wide(bytes, count, i64::from_le_bytes),
        // Above 2^63 an unsigned element has no i64; such sizes and indices do not exist.
        Uint64 => wide(bytes, count, |b| i64::try_from(u64::from_le_bytes(b)).unwrap_or(i64::MAX)),
        narrow => narrow_integers(bytes, narrow, count),
    }
}

/// Elements of four or two bits, the first in the lowest bits of its byte.
fn narrow_integers(bytes: &[u8], dtype: DType, count: usize) -> Vec<i64> {
    let (bits, signed) = match dtype {
        DType::Int4 => (4, true),
        DType::Uint4 => (4, false),
        DType::Int2 => (2, true),
        _ => (2, false),
    };
    let per_byte = 8 / bits;
    let element = |index: usize| {
        let raw =
            i64::from(bytes[index / per_byte] >> (index % per_byte * bits)) & ((1 << bits) - 1);
        if signed && raw >> (bits - 1) == 1 { raw - (1 << bits) } else { raw }
    };
    (0..count.min(bytes.len().saturating_mul(per_byte))).map(element).collect()
}

/// The elements as `raw_data` holds them, wherever they are; of those in typed fields, no more
/// than `count`.
fn stored<'a>(
    source: &'a Source,
    tensor: &'a Tensor,
    count: usize,
) -> Result<Cow<'a, [u8]>, DecodeError> {
    match &tensor.data {
        Data::Raw(span) => source.slice(*span).map(Cow::Borrowed).ok_or(DecodeError::Short),
        Data::Inline(bytes) => Ok(Cow::Borrowed(bytes)),
        Data::Fields { .. } => field_bytes(source, tensor, count).map(Cow::Owned),
        Data::External(_) => Err(DecodeError::External),
        Data::Absent if count == 0 => Ok(Cow::default()),
        Data::Absent => Err(DecodeError::Absent),
    }
}

/// The field of `TensorProto` for elements of a type, and the bytes of each number there that
/// count. Narrow elements are packed into bytes first, and each byte is a number.
fn field_of(dtype: DType) -> (u32, usize) {
    use DType::*;
    match dtype {
        Float32 => (4, 4),
        Float64 => (10, 8),
        Int64 => (7, 8),
        Uint64 => (11, 8),
        Uint32 => (11, 4),
        Int32 => (5, 4),
        Int16 | Uint16 | Float16 | Bfloat16 => (5, 2),
        _ => (5, 1),
    }
}

fn field_bytes(source: &Source, tensor: &Tensor, count: usize) -> Result<Vec<u8>, DecodeError> {
    let (wanted, width) = field_of(tensor.dtype);
    // A file may hold far more elements than its shape says; they are not gathered.
    let enough = count.saturating_mul(width);
    let mut bytes = Vec::new();
    let mut add = |number: &[u8]| {
        if bytes.len() < enough {
            bytes.extend_from_slice(&number[..width]);
        }
    };
    each_field(source, tensor, |field, payload| match (field, payload) {
        (field, _) if field != wanted => {}
        (5 | 7 | 11, Payload::Varint(value)) => add(&value.to_le_bytes()),
        (5 | 7 | 11, Payload::Bytes(part)) => {
            // What is not a number ends the elements, and then they are too few.
            let _ = packed_integers(part, |number| add(&number.to_le_bytes()));
        }
        (4, Payload::Fixed32(bits)) => add(&bits.to_le_bytes()),
        (10, Payload::Fixed64(bits)) => add(&bits.to_le_bytes()),
        (4 | 10, Payload::Bytes(part)) => {
            part.bytes().unwrap_or_default().chunks_exact(width).for_each(&mut add);
        }
        _ => {}
    })?;
    Ok(bytes)
}

fn each_field(
    source: &Source,
    tensor: &Tensor,
    mut visit: impl FnMut(u32, Payload<'_>),
) -> Result<(), DecodeError> {
    let bytes = source.slice(tensor.described_at).ok_or(DecodeError::Short)?;
    for field in Message::new(bytes, 0).fields() {
        let field = field.map_err(|_| DecodeError::Short)?;
        visit(field.number, field.payload);
    }
    Ok(())
}

/// Little-endian elements; at most `count` of them.
fn raw_floats(bytes: &[u8], dtype: DType, count: usize) -> Vec<f64> {
    fn wide<const N: usize>(bytes: &[u8], count: usize, read: impl Fn([u8; N]) -> f64) -> Vec<f64> {
        bytes.as_chunks::<N>().0.iter().take(count).map(|chunk| read(*chunk)).collect()
    }
    match dtype {
        Float32 => wide(bytes, count, |b| f64::from(f32::from_le_bytes(b))),
        Float64 => wide(bytes, count, f64::from_le_bytes),
        Bfloat16 => wide(bytes, count, |b| bf16::from_le_bytes(b).to_f64()),
        _ => wide(bytes, count, |b| f16::from_le_bytes(b).to_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_what_ieee_says() {
        // 0x3c00 = 1, 0xc000 = -2, 0x7bff = 65504, 0x0001 = 2^-24 (IEEE 754, table of half values)
        for (bits, value) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 2_f64.powi(-24)), (0, 0.0)]
        {
            assert_eq!(raw_floats(&u16::to_le_bytes(bits), DType::Float16, 1), [value]);
        }
        assert_eq!(raw_floats(&[0x80, 0x3f], DType::Bfloat16, 1), [1.0]);
        assert!(raw_floats(&[0x00, 0x7e], DType::Float16, 1)[0].is_nan());
    }

    #[test]
    fn narrow_elements_come_lowest_bits_first() {
        // 0x21 holds 1 then 2; 0x8f holds -1 then -8 when signed.
        assert_eq!(raw_integers(&[0x21, 0x8f], DType::Uint4, 4), [1, 2, 15, 8]);
        assert_eq!(raw_integers(&[0x21, 0x8f], DType::Int4, 3), [1, 2, -1]);
        // 0b11_10_01_00
        assert_eq!(raw_integers(&[0xe4], DType::Uint2, 4), [0, 1, 2, 3]);
        assert_eq!(raw_integers(&[0xe4], DType::Int2, 4), [0, 1, -2, -1]);
    }
}
