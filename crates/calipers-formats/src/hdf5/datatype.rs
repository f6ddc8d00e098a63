//! Types, dimensions and places of datasets.

use calipers_ir::DType;

use super::bytes::{Cursor, Problem};

/// Dimensions that a dataset may have: HDF5 has no more.
const MAX_RANK: usize = 32;

/// Members of an enumeration that are looked at, to find the truth values among them.
const TRUTH_VALUES: usize = 2;

/// A type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElementType {
    /// What the elements are.
    pub(crate) kind: ElementKind,
    /// Bytes of an element.
    pub(crate) size: u64,
    /// Whether the lowest byte comes first.
    pub(crate) is_little: bool,
}

/// What elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementKind {
    /// Numbers.
    Number(DType),
    /// Texts of one length.
    FixedText,
    /// Texts in a heap.
    HeapText,
    /// Bytes without a meaning: NumPy stores types of others so.
    Opaque,
    /// Anything else.
    Other,
}

/// Reads a datatype message.
pub(super) fn element_type(mut body: Cursor<'_>) -> Result<ElementType, Problem> {
    let class_and_version = body.u8()?;
    let bits = body.uint(3)?;
    let size = body.uint(4)?;
    let is_little = bits & 1 == 0;
    let kind = match class_and_version & 0x0f {
        0 => integer(size, bits & 8 != 0),
        1 => float(size, body),
        3 => ElementKind::FixedText,
        5 => ElementKind::Opaque,
        6 => complex(size, bits & 0xffff, body),
        8 => enumeration(body, class_and_version >> 4, bits & 0xffff)?,
        9 if bits & 0x0f == 1 => ElementKind::HeapText,
        _ => ElementKind::Other,
    };
    Ok(ElementType { kind, size, is_little })
}

fn integer(size: u64, is_signed: bool) -> ElementKind {
    ElementKind::Number(match (size, is_signed) {
        (1, true) => DType::Int8,
        (1, false) => DType::Uint8,
        (2, true) => DType::Int16,
        (2, false) => DType::Uint16,
        (4, true) => DType::Int32,
        (4, false) => DType::Uint32,
        (8, true) => DType::Int64,
        (8, false) => DType::Uint64,
        _ => return ElementKind::Other,
    })
}

/// Floats by their size and by the bits of their exponents: two types have 16 bits.
fn float(size: u64, mut body: Cursor<'_>) -> ElementKind {
    let exponent = body.skip(5).and_then(|()| body.u8()).unwrap_or_default();
    ElementKind::Number(match (size, exponent) {
        (2, 8) => DType::Bfloat16,
        (2, _) => DType::Float16,
        (4, _) => DType::Float32,
        (8, _) => DType::Float64,
        _ => return ElementKind::Other,
    })
}

/// Two members of one size are how NumPy's complex numbers are stored.
fn complex(size: u64, members: u64, body: Cursor<'_>) -> ElementKind {
    let names_parts = body.rest().starts_with(b"r\0");
    match (size, members) {
        (8, 2) if names_parts => ElementKind::Number(DType::Complex64),
        (16, 2) if names_parts => ElementKind::Number(DType::Complex128),
        _ => ElementKind::Other,
    }
}

/// NumPy's truth values are an enumeration over bytes; others are integers.
fn enumeration(mut body: Cursor<'_>, version: u8, members: u64) -> Result<ElementKind, Problem> {
    let base = base_integer(&mut body)?;
    let mut names = 0;
    for wanted in [&b"FALSE\0"[..], b"TRUE\0"] {
        if body.rest().starts_with(wanted) {
            names += 1;
            let padded = wanted.len().next_multiple_of(if version < 3 { 8 } else { 1 });
            body.skip(padded)?;
        }
    }
    let is_truth = names == TRUTH_VALUES && members == 2;
    Ok(if is_truth { ElementKind::Number(DType::Bool) } else { base })
}

/// The integer type below an enumeration: a message inside a message, of a fixed size.
fn base_integer(body: &mut Cursor<'_>) -> Result<ElementKind, Problem> {
    let class = body.u8()? & 0x0f;
    let bits = body.uint(3)?;
    let size = body.uint(4)?;
    if class != 0 {
        return Ok(ElementKind::Other);
    }
    body.skip(4)?;
    Ok(integer(size, bits & 8 != 0))
}

/// Reads a dataspace message: the dimensions; `None` for a space without elements.
pub(super) fn dimensions(mut body: Cursor<'_>) -> Result<Option<Vec<u64>>, Problem> {
    let version = body.u8()?;
    let rank = usize::from(body.u8()?);
    body.skip(1)?;
    match version {
        1 => body.skip(5)?,
        2 => {
            let kind = body.u8()?;
            if kind == 2 {
                return Ok(None);
            }
        }
        _ => return Err(body.problem("the version of a dataspace is not known")),
    }
    if rank > MAX_RANK {
        return Err(body.problem("a dataspace has more dimensions than HDF5 allows"));
    }
    let mut dims = Vec::with_capacity(rank);
    for _ in 0..rank {
        dims.push(body.length()?);
    }
    Ok(Some(dims))
}

/// Where the elements of a dataset are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nowhere yet: they were never written.
    Unwritten,
    /// One after another at an address.
    Contiguous {
        /// The address.
        address: u64,
        /// Bytes.
        size: u64,
    },
    /// In the header, at this place of the source.
    Compact {
        /// First byte, in the source.
        at: u64,
        /// Bytes.
        size: u64,
    },
    /// In pieces, perhaps compressed.
    Chunked,
    /// In datasets of other files.
    Virtual,
    /// In a way that is not known.
    Unknown,
}

/// Reads a layout message.
pub(super) fn layout(mut body: Cursor<'_>) -> Result<Place, Problem> {
    let version = body.u8()?;
    match version {
        1 | 2 => {
            let rank = usize::from(body.u8()?);
            let class = body.u8()?;
            body.skip(5)?;
            let address = if class == 0 { None } else { body.address()? };
            let mut size = 1_u64;
            for _ in 0..rank.min(MAX_RANK + 1) {
                size = size.saturating_mul(body.uint(4)?);
            }
            match (class, address) {
                (0, _) => {
                    let size = body.uint(4)?;
                    Ok(Place::Compact { at: body.at(), size })
                }
                // The sizes of older files are those of the elements alone: see the dataspace.
                (1, Some(address)) => Ok(Place::Contiguous { address, size: u64::MAX }),
                (2, Some(_)) => Ok(Place::Chunked),
                (1 | 2, None) => Ok(Place::Unwritten),
                _ => Ok(Place::Unknown),
            }
        }
        3 | 4 => match body.u8()? {
            0 => {
                let size = body.uint(2)?;
                Ok(Place::Compact { at: body.at(), size })
            }
            1 => match body.address()? {
                Some(address) => Ok(Place::Contiguous { address, size: body.length()? }),
                None => Ok(Place::Unwritten),
            },
            2 => Ok(Place::Chunked),
            3 => Ok(Place::Virtual),
            _ => Ok(Place::Unknown),
        },
        _ => Ok(Place::Unknown),
    }
}
