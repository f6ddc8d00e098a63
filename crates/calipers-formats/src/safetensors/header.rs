//! The header of a SafeTensors file: JSON that names each tensor, its type, shape and place.
//!
//! The format is described at <https://huggingface.co/docs/safetensors>.

use std::borrow::Cow;
use std::fmt;

use calipers_ir::{DType, Source, Span};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

use super::json::{Key, Scalar, Texts, check_depth, damaged_json};
use crate::Error;

/// The longest header that the format allows.
const MAX_HEADER: u64 = 100_000_000;

/// Bytes of a header that are fetched at once.
const MAX_EXPECTED: u64 = 16 << 20;

/// Bytes of the length before the header.
const LENGTH: u64 = 8;

/// Tensors that a file, or a set of files, may have: models with hundreds of quantized experts in each
/// layer have more than 200,000.
pub(super) const MAX_TENSORS: usize = 1 << 18;

/// Dimensions that a tensor may have.
const MAX_DIMS: usize = 64;

/// A header that was read.
#[derive(Debug, Default)]
pub(super) struct Header<'a> {
    /// The tensors, in the order of the header.
    pub(super) tensors: Vec<Entry<'a>>,
    /// What `__metadata__` has.
    pub(super) metadata: Vec<(String, String)>,
    /// Where the data begins: offsets are counted from here.
    pub(super) data_from: u64,
}

/// A tensor as the header describes it.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) name: Cow<'a, str>,
    /// The type, and its name where the format does not define it.
    pub(super) dtype: Result<DType, String>,
    pub(super) dims: Box<[i64]>,
    /// First byte, and one past the last, from where the data begins.
    pub(super) offsets: [u64; 2],
}

/// Whether a file that starts so has a header of SafeTensors.
pub(super) fn is_header(start: &[u8]) -> bool {
    let Some((length, json)) = start.split_first_chunk::<8>() else { return false };
    let is_object = json.first() == Some(&b'{')
        && json
            .get(1)
            .is_some_and(|byte| matches!(byte, b'"' | b'}' | b' ' | b'\n' | b'\r' | b'\t'));
    // Longer ones than the format allows are read too, for an error that says so.
    is_object && (2..1 << 40).contains(&u64::from_le_bytes(*length))
}

/// Reads the header of a file.
pub(super) fn read(source: &Source) -> Result<Header<'_>, Error> {
    let truncated = |problem: String| Error::Malformed {
        at: 0,
        path: "the header".to_owned(),
        problem,
        hint: Some(format!(
            "the file has {} bytes and is truncated or damaged: download it again",
            source.size()
        )),
    };
    let length = source.slice(Span { start: 0, end: LENGTH }).and_then(<[u8]>::first_chunk);
    let length = length.ok_or_else(|| truncated("the file ends in the length".to_owned()))?;
    let length = u64::from_le_bytes(*length);
    if length > MAX_HEADER {
        let problem = format!("its length is {length} bytes, and the format allows {MAX_HEADER}");
        return Err(Error::damaged(0, "the header", &problem));
    }
    let span = Span { start: LENGTH, end: LENGTH + length };
    // Longer ones are rare, and read as their pages are touched.
    source.expect(Span { start: 0, end: span.end.min(source.size()).min(MAX_EXPECTED) });
    let json = source.slice(span).ok_or_else(|| {
        truncated(format!("its length is {length} bytes, and the file ends before"))
    })?;
    check_depth(json, span.start, "the header")?;
    let mut from = serde_json::Deserializer::from_slice(json);
    let header = HeaderVisitor.deserialize(&mut from).and_then(|header| {
        from.end()?;
        Ok(header)
    });
    let header = header.map_err(|error| damaged_json(json, span.start, "the header", &error))?;
    Ok(Header { data_from: span.end, ..header })
}

struct HeaderVisitor;

impl<'de> DeserializeSeed<'de> for HeaderVisitor {
    type Value = Header<'de>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut header = Header::default();
        while let Some(Key(name)) = map.next_key()? {
            if name == "__metadata__" {
                header.metadata = map.next_value::<Texts>()?.0;
                continue;
            }
            if header.tensors.len() >= MAX_TENSORS {
                return Err(de::Error::custom(format!("more than {MAX_TENSORS} tensors")));
            }
            let Info { dtype, shape: Dims(dims), data_offsets: offsets } = map.next_value()?;
            let dtype = dtype_of(&dtype.0).ok_or_else(|| dtype.0.chars().take(40).collect());
            header.tensors.push(Entry { name, dtype, dims, offsets });
        }
        Ok(header)
    }
}

/// The description of a tensor.
#[derive(Deserialize)]
struct Info {
    dtype: Scalar,
    shape: Dims,
    data_offsets: [u64; 2],
}

struct Dims(Box<[i64]>);

impl<'de> Deserialize<'de> for Dims {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(DimsVisitor)
    }
}

struct DimsVisitor;

impl<'de> Visitor<'de> for DimsVisitor {
    type Value = Dims;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of dimensions")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Dims, A::Error> {
        let mut dims = Vec::new();
        while let Some(dim) = seq.next_element::<u64>()? {
            if dims.len() >= MAX_DIMS {
                return Err(de::Error::custom(format!("more than {MAX_DIMS} dimensions")));
            }
            let dim = i64::try_from(dim);
            dims.push(dim.map_err(|_| de::Error::custom("a dimension is 2^63 or more"))?);
        }
        Ok(Dims(dims.into()))
    }
}

/// The type of a name in the header.
pub(super) fn dtype_of(name: &str) -> Option<DType> {
    Some(match name {
        "F64" => DType::Float64,
        "F32" => DType::Float32,
        "F16" => DType::Float16,
        "BF16" => DType::Bfloat16,
        "I64" => DType::Int64,
        "I32" => DType::Int32,
        "I16" => DType::Int16,
        "I8" => DType::Int8,
        "U64" => DType::Uint64,
        "U32" => DType::Uint32,
        "U16" => DType::Uint16,
        "U8" => DType::Uint8,
        "BOOL" => DType::Bool,
        "C64" => DType::Complex64,
        "F8_E4M3" => DType::Float8E4M3Fn,
        "F8_E4M3FNUZ" => DType::Float8E4M3Fnuz,
        "F8_E5M2" => DType::Float8E5M2,
        "F8_E5M2FNUZ" => DType::Float8E5M2Fnuz,
        "F8_E8M0" => DType::Float8E8M0,
        "F6_E2M3" => DType::Float6E2M3,
        "F6_E3M2" => DType::Float6E3M2,
        "F4" => DType::Float4E2M1,
        _ => return None,
    })
}
