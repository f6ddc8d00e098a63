//! `TensorProto`: what a constant is, and where its elements are.

use std::sync::Arc;

use calipers_ir::{DType, Data};

use super::message::{dtype, integer, shape};
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// Elements of a constant that are decoded where the file does not have them as bytes. Shapes and
/// axes are far smaller.
const MAX_DECODED: u64 = 1 << 10;

/// Bytes that are decoded over a whole file.
const MAX_DECODED_BYTES: u64 = 1 << 22;

/// A constant.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub(super) dtype: DType,
    pub(super) dims: Vec<i64>,
    pub(super) data: Data,
    /// Its elements where they are a few integers.
    pub(super) integers: Option<Vec<i64>>,
}

/// Integers that a mapping may ask for: axes, permutations, sizes.
const MAX_INTEGERS: u64 = 64;

/// Bytes that may still be decoded.
#[derive(Debug)]
pub(super) struct Budget(u64);

impl Default for Budget {
    fn default() -> Self {
        Self(MAX_DECODED_BYTES)
    }
}

/// The elements in the typed fields.
#[derive(Default)]
struct Typed<'a> {
    /// Bytes of the fields.
    bytes: u64,
    /// Elements as little-endian bytes of their width, as many as are kept.
    kept: Vec<u8>,
    /// Whether there were more.
    cut: bool,
    /// The one packed run there is.
    only: Option<Part<'a>>,
    runs: u32,
    texts: u64,
}

impl Constant {
    pub(super) fn read(part: Part<'_>, budget: &mut Budget) -> Result<Self, Trace> {
        let mut number = 0;
        let mut dims = None;
        let mut content: Option<Part<'_>> = None;
        for field in Message::from(part).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Varint(value)) => number = integer(value),
                (2, Payload::Bytes(part)) => dims = shape(part)?,
                (4, Payload::Bytes(part)) => content = Some(part),
                _ => {}
            }
        }
        let dtype = dtype(number);
        let dims = dims.unwrap_or_default();
        let elements = elements(&dims);
        if let Some(content) = content.filter(|content| !content.is_empty()) {
            let integers = match elements {
                Some(count) if count <= MAX_INTEGERS => integers(content.bytes()?, dtype, count),
                _ => None,
            };
            return Ok(Self { dtype, dims, data: Data::Raw(content.span()), integers });
        }
        let kept =
            elements.filter(|count| *count <= MAX_DECODED).and_then(|count| dtype.bytes(count));
        let kept = kept.filter(|bytes| *bytes <= budget.0);
        let typed = Typed::read(part, dtype, kept.unwrap_or(0))?;
        if dtype == DType::String {
            let data = Data::Fields { bytes: typed.bytes, elements: Some(typed.texts) };
            return Ok(Self { dtype, dims, data, integers: None });
        }
        // Packed numbers of four or eight bytes are as they are in memory.
        if let (Some(run), Some(count)) = (typed.only.filter(|_| typed.runs == 1), elements)
            && matches!(dtype, DType::Float32 | DType::Float64)
            && dtype.bytes(count) == Some(run.len())
        {
            return Ok(Self { dtype, dims, data: Data::Raw(run.span()), integers: None });
        }
        let Some(wanted) = kept.filter(|_| !typed.cut) else {
            let data = Data::Fields { bytes: typed.bytes, elements };
            return Ok(Self { dtype, dims, data, integers: None });
        };
        budget.0 = budget.0.saturating_sub(wanted);
        let bytes = typed.repeated(dtype, wanted);
        let integers = match elements {
            Some(count) if count <= MAX_INTEGERS => integers(&bytes, dtype, count),
            _ => None,
        };
        Ok(Self { dtype, dims, data: Data::Inline(Arc::from(bytes)), integers })
    }
}

impl<'a> Typed<'a> {
    fn read(part: Part<'a>, dtype: DType, kept: u64) -> Result<Self, Trace> {
        let mut typed = Self::default();
        let width = dtype.bytes(1).unwrap_or(0);
        for field in Message::from(part).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (5 | 9, Payload::Fixed32(bits)) => typed.add(&bits.to_le_bytes(), width, kept),
                (6 | 12, Payload::Fixed64(bits)) => typed.add(&bits.to_le_bytes(), width, kept),
                (5 | 6 | 9 | 12, Payload::Bytes(run)) => {
                    typed.only = Some(run);
                    typed.runs += 1;
                    typed.bytes += run.len();
                    let some = run.first(kept)?;
                    typed.kept.extend_from_slice(some);
                    typed.cut |= typed.kept.len() as u64 > kept || run.len() > kept;
                }
                (7 | 10 | 11 | 13 | 16 | 17, Payload::Varint(value)) => {
                    typed.add(&value.to_le_bytes(), width, kept);
                }
                (7 | 10 | 11 | 13 | 16 | 17, Payload::Bytes(run)) => {
                    typed.bytes += run.len();
                    // A number takes ten bytes at most, so what is longer holds more than are kept.
                    if run.len() > kept.saturating_mul(10) {
                        typed.cut = true;
                        continue;
                    }
                    let bytes = typed.bytes;
                    crate::onnx::packed_integers(run, |value| {
                        typed.add(&value.to_le_bytes(), width, kept);
                    })?;
                    typed.bytes = bytes;
                }
                (8, Payload::Bytes(text)) => {
                    typed.bytes += text.len();
                    typed.texts += 1;
                }
                _ => {}
            }
        }
        Ok(typed)
    }

    /// Adds the lower bytes of a number.
    fn add(&mut self, number: &[u8], width: u64, kept: u64) {
        self.bytes += 1;
        let number = usize::try_from(width).ok().and_then(|width| number.get(..width));
        match number {
            Some(number) if self.kept.len() as u64 + width <= kept => {
                self.kept.extend_from_slice(number);
            }
            _ => self.cut = true,
        }
    }

    /// The elements, the last one repeated for those that are left out: so `TensorProto` shortens
    /// runs of equal numbers.
    fn repeated(self, dtype: DType, wanted: u64) -> Vec<u8> {
        let width = dtype.bytes(1).and_then(|width| usize::try_from(width).ok()).unwrap_or(1);
        let mut bytes = self.kept;
        let last: Vec<u8> = match bytes.len().checked_sub(width).and_then(|at| bytes.get(at..)) {
            Some(last) => last.to_vec(),
            None => vec![0; width.max(1)],
        };
        let wanted = usize::try_from(wanted).unwrap_or(0);
        while bytes.len() < wanted && !last.is_empty() {
            bytes.extend_from_slice(&last);
        }
        bytes.truncate(wanted);
        bytes
    }
}

/// The product of dimensions.
pub(super) fn elements(dims: &[i64]) -> Option<u64> {
    if dims.contains(&0) {
        return Some(0);
    }
    dims.iter().try_fold(1_u64, |product, dim| product.checked_mul(u64::try_from(*dim).ok()?))
}

fn integers(bytes: &[u8], dtype: DType, count: u64) -> Option<Vec<i64>> {
    let count = usize::try_from(count).ok()?;
    let values: Vec<i64> = match dtype {
        DType::Int64 => bytes.as_chunks::<8>().0.iter().map(|it| i64::from_le_bytes(*it)).collect(),
        DType::Int32 => {
            bytes.as_chunks::<4>().0.iter().map(|it| i32::from_le_bytes(*it).into()).collect()
        }
        DType::Bool | DType::Uint8 => bytes.iter().map(|it| i64::from(*it)).collect(),
        _ => return None,
    };
    // Bytes that repeat one element are shortened in the same way.
    let last = *values.last().unwrap_or(&0);
    if values.is_empty() && count > 0 {
        return None;
    }
    let repeat = std::iter::repeat(last);
    Some(values.into_iter().chain(repeat).take(count).collect())
}
