//! Values and types of a program: `Value`, `ValueType` and the messages inside them.

use std::sync::Arc;

use calipers_ir::{DType, Data, Dim, Span};
use half::f16;

use crate::coreml::blobs::Blobs;
use crate::coreml::fields::{add_floats, add_integers, integer, message, text};
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// Elements that settings of operators have at most.
const MAX_SETTING: usize = 64;

/// Types inside types that are looked into.
const MAX_NESTED: usize = 4;

/// The type of a value, as far as it is a tensor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Typed {
    pub(super) dtype: DType,
    /// `None` where the number of dimensions is open.
    pub(super) dims: Option<Vec<Dim>>,
    /// Whether it is a tensor, or a state that is one.
    pub(super) is_tensor: bool,
}

impl Typed {
    /// The dimensions, where all are fixed.
    pub(super) fn sizes(&self) -> Option<Vec<i64>> {
        let size = |dim: &Dim| match dim {
            Dim::Size(size) => Some(*size),
            Dim::Symbol(_) | Dim::Unknown => None,
        };
        self.dims.as_ref()?.iter().map(size).collect()
    }
}

/// A value that the file holds.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub(super) dtype: DType,
    pub(super) dims: Vec<i64>,
    pub(super) data: Data,
    pub(super) setting: Setting,
}

/// The elements of a small value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Setting {
    /// It is large, or in another file.
    #[default]
    None,
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    Texts(Vec<String>),
}

/// The type of elements by its number in `DataType`. Types of one, three and six bits are those of
/// indices into tables.
fn element_type(number: u64) -> DType {
    use DType::*;
    match number {
        1 => Bool,
        2 => String,
        10 => Float16,
        11 => Float32,
        12 => Float64,
        13 => Bfloat16,
        21 => Int8,
        22 => Int16,
        23 => Int32,
        24 => Int64,
        25 => Int4,
        31 => Uint8,
        32 => Uint16,
        33 => Uint32,
        34 => Uint64,
        35 => Uint4,
        36 => Uint2,
        37 => Block(calipers_ir::BlockFormat::Uint1),
        38 => Block(calipers_ir::BlockFormat::Uint6),
        39 => Block(calipers_ir::BlockFormat::Uint3),
        40 => Float8E4M3Fn,
        41 => Float8E5M2,
        _ => Undefined,
    }
}

/// `ValueType`. A state is the tensor that it wraps.
pub(super) fn value_type(part: Part<'_>) -> Result<Typed, Trace> {
    let mut next = Some(part);
    for _ in 0..MAX_NESTED {
        let Some(part) = next.take() else { break };
        for field in Message::from(part).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => return tensor_type(part),
                (5, Payload::Bytes(part)) => next = message(part, 1)?,
                _ => {}
            }
        }
    }
    Ok(Typed::default())
}

/// `TensorType`. A scalar has no dimensions; a rank without dimensions leaves them open.
fn tensor_type(part: Part<'_>) -> Result<Typed, Trace> {
    let (mut dtype, mut rank, mut dims) = (DType::Undefined, 0, Some(Vec::new()));
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Varint(number)) => dtype = element_type(number),
            (2, Payload::Varint(value)) => rank = integer(value),
            (3, Payload::Bytes(part)) => match (dimension(part)?, &mut dims) {
                (Some(dim), Some(dims)) => dims.push(dim),
                _ => dims = None,
            },
            _ => {}
        }
    }
    if dims.as_ref().is_some_and(Vec::is_empty) && rank != 0 {
        dims = None;
    }
    Ok(Typed { dtype, dims, is_tensor: true })
}

/// `Dimension`; `None` for any number of dimensions.
fn dimension(part: Part<'_>) -> Result<Option<Dim>, Trace> {
    let mut dim = Some(Dim::Unknown);
    for field in Message::from(part).fields() {
        let field = field?;
        let Payload::Bytes(part) = field.payload else { continue };
        let mut value = 0;
        for field in Message::from(part).fields() {
            let field = field?;
            if let (1, Payload::Varint(number)) = (field.number, field.payload) {
                value = number;
            }
        }
        dim = match field.number {
            1 => Some(Dim::Size(integer(value))),
            2 if value != 0 => None,
            2 => Some(Dim::Unknown),
            _ => continue,
        };
    }
    Ok(dim)
}

/// `NamedValueType`.
pub(super) fn named_type(part: Part<'_>) -> Result<(Part<'_>, Typed), Trace> {
    let (mut name, mut typed) = (Part::new(b"", part.start()), Typed::default());
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Bytes(part)) => name = part,
            (2, Payload::Bytes(part)) => typed = value_type(part)?,
            _ => {}
        }
    }
    Ok((name, typed))
}

/// `Value`; `None` for one that is not a tensor with fixed dimensions.
pub(super) fn value(
    part: Part<'_>,
    blobs: &mut Blobs,
    names: &mut calipers_ir::Names,
) -> Result<Option<Constant>, Trace> {
    let (mut typed, mut immediate, mut blob) = (Typed::default(), None, None);
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (2, Payload::Bytes(part)) => typed = value_type(part)?,
            (3, Payload::Bytes(part)) => immediate = Some(part),
            (5, Payload::Bytes(part)) => blob = Some(part),
            _ => {}
        }
    }
    let Some(dims) = typed.sizes().filter(|_| typed.is_tensor) else { return Ok(None) };
    let mut constant =
        Constant { dtype: typed.dtype, dims, data: Data::Absent, setting: Setting::None };
    if let Some(part) = blob {
        let (file, at) = blob_place(part)?;
        let bytes = elements(&constant.dims).and_then(|elements| typed.dtype.bytes(elements));
        constant.data = blobs.place(names, &file, at, bytes);
    } else if let Some(part) = immediate
        && let Some(part) = message(part, 1)?
    {
        (constant.data, constant.setting) = tensor_value(part, typed.dtype)?;
    }
    Ok(Some(constant))
}

/// The number of elements; `None` where it fits no integer.
pub(super) fn elements(dims: &[i64]) -> Option<u64> {
    let mut sizes = dims.iter().map(|dim| u64::try_from(*dim).ok());
    sizes.try_fold(1_u64, |product, size| product.checked_mul(size?))
}

/// `BlobFileValue`: a file, and the byte of a record in it.
fn blob_place(part: Part<'_>) -> Result<(String, u64), Trace> {
    let (mut file, mut at) = (String::new(), 0);
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Bytes(part)) => file = text(part),
            (2, Payload::Varint(value)) => at = value,
            _ => {}
        }
    }
    Ok((file, at))
}

/// `TensorValue`: where the elements are, and what they are where they are few.
fn tensor_value(part: Part<'_>, dtype: DType) -> Result<(Data, Setting), Trace> {
    let mut found = (Data::Absent, Setting::None);
    for field in Message::from(part).fields() {
        let field = field?;
        let Payload::Bytes(list) = field.payload else { continue };
        found = match field.number {
            1 => floats(list)?,
            2 | 3 | 5 => integers(list, dtype)?,
            4 => texts(list)?,
            6 => (single_run(list, 1)?.map_or(Data::Absent, Data::Raw), Setting::None),
            7 => packed_bytes(list, dtype)?,
            _ => continue,
        };
    }
    Ok(found)
}

/// The place of a field that is there once, as packed numbers are.
fn single_run(part: Part<'_>, number: u32) -> Result<Option<Span>, Trace> {
    let mut run = None;
    for field in Message::from(part).fields() {
        let field = field?;
        match field.payload {
            Payload::Bytes(part) if field.number == number && run.is_none() => {
                run = Some(part.span());
            }
            _ => return Ok(None),
        }
    }
    Ok(run)
}

/// `RepeatedFloats`.
fn floats(part: Part<'_>) -> Result<(Data, Setting), Trace> {
    let few = part.len() <= 8 * MAX_SETTING as u64;
    let mut values = Vec::new();
    if few {
        for field in Message::from(part).fields() {
            let field = field?;
            if field.number == 1 {
                add_floats(field.payload, &mut values)?;
            }
        }
    }
    let setting = if few { Setting::Floats(values.clone()) } else { Setting::None };
    Ok(match single_run(part, 1)? {
        Some(span) => (Data::Raw(span), setting),
        None if few => {
            (Data::Inline(values.iter().flat_map(|it| it.to_le_bytes()).collect()), setting)
        }
        None => (Data::Fields { bytes: part.len(), elements: None }, setting),
    })
}

/// `RepeatedInts`, `RepeatedLongInts` and `RepeatedBools`: integers of variable length.
fn integers(part: Part<'_>, dtype: DType) -> Result<(Data, Setting), Trace> {
    // An element takes at most ten bytes.
    if part.len() > 10 * MAX_SETTING as u64 {
        return Ok((Data::Fields { bytes: part.len(), elements: None }, Setting::None));
    }
    let mut values = Vec::new();
    for field in Message::from(part).fields() {
        let field = field?;
        if field.number == 1 {
            add_integers(field.payload, &mut values)?;
        }
    }
    let width = dtype.bits().map_or(0, |bits| bits.div_ceil(8) as usize);
    let bytes: Arc<[u8]> =
        values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(width)).collect();
    Ok((Data::Inline(bytes), Setting::Ints(values)))
}

/// `RepeatedStrings`.
fn texts(part: Part<'_>) -> Result<(Data, Setting), Trace> {
    let (mut texts, mut count, mut bytes) = (Vec::new(), 0_u64, 0);
    for field in Message::from(part).fields() {
        let field = field?;
        if let (1, Payload::Bytes(part)) = (field.number, field.payload) {
            count += 1;
            bytes += part.len();
            if texts.len() < MAX_SETTING {
                texts.push(text(part));
            }
        }
    }
    Ok((Data::Fields { bytes, elements: Some(count) }, Setting::Texts(texts)))
}

/// `RepeatedBytes`: little-endian elements.
fn packed_bytes(part: Part<'_>, dtype: DType) -> Result<(Data, Setting), Trace> {
    let mut values = None;
    for field in Message::from(part).fields() {
        let field = field?;
        if let (1, Payload::Bytes(part)) = (field.number, field.payload) {
            values = Some(part);
        }
    }
    let Some(values) = values else { return Ok((Data::Absent, Setting::None)) };
    let setting = match values.len() <= 8 * MAX_SETTING as u64 {
        true => unpacked(values.bytes()?, dtype),
        false => Setting::None,
    };
    Ok((Data::Raw(values.span()), setting))
}

fn unpacked(bytes: &[u8], dtype: DType) -> Setting {
    fn wide<const N: usize>(bytes: &[u8], read: fn([u8; N]) -> i64) -> Setting {
        Setting::Ints(bytes.as_chunks::<N>().0.iter().map(|chunk| read(*chunk)).collect())
    }
    match dtype {
        DType::Float16 => {
            let halves = bytes.as_chunks::<2>().0.iter();
            Setting::Floats(halves.map(|half| f16::from_le_bytes(*half).to_f32()).collect())
        }
        DType::Int8 => wide(bytes, |b| i64::from(i8::from_le_bytes(b))),
        DType::Uint8 | DType::Bool => wide(bytes, |[b]| i64::from(b)),
        DType::Int16 => wide(bytes, |b| i64::from(i16::from_le_bytes(b))),
        DType::Uint16 => wide(bytes, |b| i64::from(u16::from_le_bytes(b))),
        DType::Int32 => wide(bytes, |b| i64::from(i32::from_le_bytes(b))),
        DType::Uint32 => wide(bytes, |b| i64::from(u32::from_le_bytes(b))),
        DType::Int64 => wide(bytes, i64::from_le_bytes),
        _ => Setting::None,
    }
}
