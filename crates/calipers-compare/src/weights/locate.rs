//! Where the bytes of stored tensors are.

use std::fmt::Display;

use calipers_ir::{DType, Data, Model, Source, Span, TensorId};
use calipers_weights::{Elements, Location, MAX_UNPACKED};
use hashbrown::HashMap;

use super::form::Stored;

/// Scales that are multiplied to those of a bias. A bias has one per output channel.
const MAX_PRODUCTS: u64 = 1 << 20;

/// Bytes of each part of a tensor that its digest covers.
const SAMPLE: u64 = 8 << 10;

/// The bytes of a tensor.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) dtype: DType,
    pub(super) source: Source,
    pub(super) span: Span,
}

impl Located {
    pub(super) fn elements(&self) -> Elements<'_> {
        Elements { dtype: self.dtype, source: &self.source, span: self.span }
    }

    fn held(dtype: DType, bytes: Vec<u8>) -> Self {
        let span = Span { start: 0, end: bytes.len() as u64 };
        Self { dtype, source: Source::new(bytes), span }
    }
}

/// Whether reading a tensor unpacks it into memory.
pub(super) fn is_unpacked(model: &Model, id: TensorId) -> bool {
    matches!(model.tensor(id).data, Data::Fields { .. })
}

/// Where a tensor's bytes are, or why they cannot be read. Tensors kept in fields are unpacked.
pub(super) fn locate<E: Display>(
    model: &Model,
    files: &[Result<Source, E>],
    id: TensorId,
) -> Result<Located, String> {
    let dtype = model.tensor(id).dtype;
    match calipers_weights::locate(model, files, id)? {
        Location::Run { source, span } => Ok(Located { dtype, source: source.clone(), span }),
        Location::Fields => {
            let bytes = model.packed(id, MAX_UNPACKED).map_err(|error| error.to_string())?;
            Ok(Located::held(dtype, bytes))
        }
    }
}

/// The bytes of scales or zero points.
pub(super) fn parameter<E: Display>(
    model: &Model,
    files: &[Result<Source, E>],
    stored: &Stored,
) -> Result<Located, String> {
    let found = locate(model, files, stored.tensor)?;
    let Some(times) = stored.times else {
        return Ok(Located { dtype: stored.dtype, ..found });
    };
    let count = |id| model.tensor(id).elements().unwrap_or(u64::MAX);
    let elements = count(stored.tensor).max(count(times));
    if elements > MAX_PRODUCTS {
        return Err(format!("{elements} scales are too many to multiply"));
    }
    let mut factors = [Vec::new(), Vec::new()];
    for (factor, located) in factors.iter_mut().zip([found, locate(model, files, times)?]) {
        if located.dtype != DType::Float32 {
            return Err("its scales are not float32".to_owned());
        }
        let bytes = located.source.slice(located.span).unwrap_or_default();
        *factor = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    }
    let [left, right] = factors;
    let product = left.iter().cycle().zip(right.iter().cycle()).map(|(left, right)| left * right);
    let elements = usize::try_from(elements).unwrap_or(usize::MAX);
    let bytes = product.take(elements).flat_map(f32::to_le_bytes).collect();
    Ok(Located::held(DType::Float32, bytes))
}

/// A number for each stored tensor, of its type, its dimensions and parts of its bytes: the
/// start, the middle and the end. Equal tensors have equal numbers; tensors that differ elsewhere
/// may. Tensors that cannot be read have none.
pub fn sample_digests<E: Display>(
    model: &Model,
    files: &[Result<Source, E>],
) -> HashMap<TensorId, u64> {
    let digest = |id: TensorId| {
        let tensor = model.tensor(id);
        let mut header = tensor.dtype.to_string().into_bytes();
        header.extend(tensor.dims.iter().flat_map(|dim| dim.to_le_bytes()));
        // Unpacking all of a large tensor for a few of its bytes would not be cheap.
        if is_unpacked(model, id) && tensor.bytes().is_none_or(|bytes| bytes > 3 * SAMPLE) {
            return None;
        }
        let located = locate(model, files, id).ok()?;
        let Span { start, end } = located.span;
        let middle = start + (end - start) / 2;
        let parts = if end - start <= 3 * SAMPLE {
            vec![(start, end)]
        } else {
            vec![(start, start + SAMPLE), (middle, middle + SAMPLE), (end - SAMPLE, end)]
        };
        for (start, end) in parts {
            header.extend_from_slice(located.source.slice(Span { start, end })?);
        }
        // A kernel may map megabytes around each part.
        located.source.release(located.span);
        let digest = calipers_weights::digest_bytes(&header);
        digest.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes))
    };
    model.tensors().filter_map(|(id, _)| Some((id, digest(id)?))).collect()
}
