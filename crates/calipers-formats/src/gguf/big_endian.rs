//! Elements of files that machines with the highest byte first wrote.

use calipers_ir::{Data, DecodeError, Decoder, Source, Tensor};

use crate::elements::StoredElements;

/// Reads elements whose bytes are reversed. Those of blocks cannot be: their scales are between them.
#[derive(Debug)]
pub(super) struct BigEndianElements;

impl Decoder for BigEndianElements {
    fn packed(&self, source: &Source, tensor: &Tensor, limit: u64) -> Result<Vec<u8>, DecodeError> {
        StoredElements.packed(source, &swapped(source, tensor, limit)?, limit)
    }

    fn integers(
        &self,
        source: &Source,
        tensor: &Tensor,
        limit: u64,
    ) -> Result<Vec<i64>, DecodeError> {
        StoredElements.integers(source, &swapped(source, tensor, limit)?, limit)
    }

    fn floats(
        &self,
        source: &Source,
        tensor: &Tensor,
        limit: u64,
    ) -> Result<Vec<f64>, DecodeError> {
        StoredElements.floats(source, &swapped(source, tensor, limit)?, limit)
    }
}

/// The tensor with its elements in the order that packed ones have.
fn swapped(source: &Source, tensor: &Tensor, limit: u64) -> Result<Tensor, DecodeError> {
    let elements = tensor.elements().map_err(DecodeError::Size)?;
    if elements > limit {
        return Err(DecodeError::TooMany { elements });
    }
    let bits = tensor.dtype.bits().ok_or(DecodeError::Type(tensor.dtype))?;
    let width = usize::try_from(bits / 8).unwrap_or(1).max(1);
    let bytes = source.slice(tensor.described_at).ok_or(DecodeError::Short)?;
    let bytes = bytes.chunks_exact(width).flat_map(|element| element.iter().rev().copied());
    Ok(Tensor { data: Data::Inline(bytes.collect()), ..tensor.clone() })
}
