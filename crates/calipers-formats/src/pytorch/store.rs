//! Tensors of a checkpoint as tensors of the model: where their bytes are, and what they are for.

use std::collections::{BTreeMap, HashMap, HashSet};

use calipers_ir::assembly::Assembly;
use calipers_ir::{DType, Data, Span, StoredIn, StoredWeight, Tensor, TooLarge, WeightRole};

use super::flatten::{Kind, Named};
use super::rebuilt::{Elements, Rebuilt};
use crate::roles::role_of;

/// Where the storages of a checkpoint are in the file.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// By key; `None` where the archive compresses one.
    pub(super) storages: HashMap<String, Option<Span>>,
    /// Whether the pickle itself is in the file as it is, so that bytes in it are.
    pub(super) is_plain: bool,
    /// Whether numbers have their highest byte first.
    pub(super) is_big_endian: bool,
}

/// Adds tensors to a model, and notes what the file states of them that is not so.
#[derive(Debug, Default)]
pub(super) struct Storer {
    /// Ranges of storages that are counted, by their start.
    counted: HashMap<String, BTreeMap<u64, u64>>,
    /// Tensors whose storage is missing, or smaller than they are.
    missing: u64,
    total: u64,
}

/// What a tensor covers of its storage, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    start: u64,
    end: u64,
    /// Whether each byte belongs to one element.
    is_dense: bool,
}

impl Storer {
    /// Adds tensors.
    pub(super) fn add(
        &mut self,
        assembly: &mut Assembly<'_>,
        tensors: &[Named],
        places: &Places,
    ) -> Result<(), TooLarge> {
        let names: HashSet<&str> = tensors.iter().map(|named| named.name.as_str()).collect();
        for named in tensors {
            let tensor = &named.tensor;
            let extent = extent(tensor);
            let data = self.data(tensor, extent, places);
            let name = assembly.name(&named.name);
            if !named.is_of_model || !self.is_first(tensor, extent) {
                // It is in the file, and no tensor of the model that is not counted yet.
                assembly.builder.add_tensor(Tensor {
                    name,
                    dtype: tensor.dtype,
                    dims: tensor.dims.clone().into(),
                    data,
                    described_at: Span::default(),
                    stored_in: StoredIn::Initializer,
                    segment: None,
                })?;
                continue;
            }
            let id = assembly.add_stored(name, tensor.dtype, &tensor.dims, data)?;
            if let Some(affine) = tensor.affine {
                assembly.add_affine(name, affine);
            }
            let elements = assembly.builder.tensor(id).elements().unwrap_or(0);
            let role = role(named, &names);
            let weight = StoredWeight { tensor: id, role, elements, dtype: tensor.dtype };
            assembly.builder.stored_weights.push(weight);
        }
        Ok(())
    }

    /// Where one tensor is.
    pub(super) fn place(&mut self, tensor: &Rebuilt, places: &Places) -> Data {
        self.data(tensor, extent(tensor), places)
    }

    /// How many tensors are not whole in the file.
    pub(super) fn missing(&self) -> u64 {
        self.missing
    }

    /// What the file states and does not have.
    pub(super) fn misstated(&self) -> Option<String> {
        let (missing, total) = (self.missing, self.total);
        (missing > 0).then(|| {
            format!("{missing} of {total} tensors have a storage that is missing or too small")
        })
    }

    fn data(&mut self, tensor: &Rebuilt, extent: Option<Extent>, places: &Places) -> Data {
        let bytes = extent.map_or(0, |extent| extent.end - extent.start);
        let elsewhere = || Data::Fields { bytes, elements: None };
        let is_plain = extent.is_some_and(|extent| extent.is_dense)
            && (!places.is_big_endian || tensor.dtype.bits() == Some(8));
        let (storage, is_readable) = match &tensor.elements {
            Elements::Nowhere => return Data::Absent,
            Elements::Bytes(span) => (Some(Some(*span)), places.is_plain),
            Elements::Storage { key, .. } => (places.storages.get(key).copied(), true),
        };
        self.total += 1;
        let place = match (storage, extent) {
            // A compressed storage is there, and its elements have no place in the file.
            (Some(None), Some(_)) => return elsewhere(),
            (Some(Some(span)), Some(extent)) => place(span, extent),
            _ => None,
        };
        match place {
            Some(span) if is_plain && is_readable => Data::Raw(span),
            Some(_) => elsewhere(),
            None => {
                self.missing += 1;
                Data::Absent
            }
        }
    }

    /// Whether no tensor before has a part of what this one covers.
    fn is_first(&mut self, tensor: &Rebuilt, extent: Option<Extent>) -> bool {
        let Elements::Storage { key, .. } = &tensor.elements else { return true };
        let Some(Extent { start, end, .. }) = extent.filter(|extent| extent.end > extent.start)
        else {
            return true;
        };
        let ranges = self.counted.entry(key.clone()).or_default();
        // The ranges do not overlap each other, so only the last one that begins before can.
        let before = ranges.range(..end).next_back();
        if before.is_some_and(|(_, before_end)| *before_end > start) {
            return false;
        }
        ranges.insert(start, end);
        true
    }
}

fn place(storage: Span, extent: Extent) -> Option<Span> {
    let start = storage.start.checked_add(extent.start)?;
    let end = storage.start.checked_add(extent.end)?;
    (end <= storage.end).then_some(Span { start, end })
}

/// What a tensor covers of its storage; `None` where its sizes make no sense.
fn extent(tensor: &Rebuilt) -> Option<Extent> {
    let offset = match &tensor.elements {
        Elements::Storage { offset, .. } => u64::try_from(*offset).ok()?,
        Elements::Bytes(_) | Elements::Nowhere => 0,
    };
    let mut count = 1_u64;
    for dim in &tensor.dims {
        count = count.checked_mul(u64::try_from(*dim).ok()?)?;
    }
    let span = match &tensor.strides {
        _ if count == 0 => 0,
        None => count,
        Some(strides) if strides.len() == tensor.dims.len() => {
            let mut last = 0_u64;
            for (dim, stride) in tensor.dims.iter().zip(strides) {
                let steps = u64::try_from(*dim).ok()?.checked_sub(1)?;
                last = last.checked_add(steps.checked_mul(u64::try_from(*stride).ok()?)?)?;
            }
            last.checked_add(1)?
        }
        Some(_) => return None,
    };
    let start = bytes(tensor.dtype, offset)?;
    let end = start.checked_add(bytes(tensor.dtype, span)?)?;
    Some(Extent { start, end, is_dense: span == count })
}

fn bytes(dtype: DType, elements: u64) -> Option<u64> {
    dtype.bytes(elements)
}

/// What a tensor is for: by the module that has it, by its name, by the tensors next to it.
fn role(named: &Named, names: &HashSet<&str>) -> WeightRole {
    let by_name = role_of(&named.name, named.tensor.dtype, &named.tensor.dims);
    match (named.kind, by_name) {
        (Kind::Buffer, WeightRole::Weight) => WeightRole::Constant,
        (Kind::Parameter, WeightRole::Constant | WeightRole::Statistic) => WeightRole::Weight,
        (_, WeightRole::Weight) if is_scale(&named.name, names) => WeightRole::Quantization,
        (_, role) => role,
    }
}

/// Whether this is the scale of a quantized module, which has a zero point next to it.
fn is_scale(name: &str, names: &HashSet<&str>) -> bool {
    let module = name.strip_suffix("scale").filter(|rest| rest.is_empty() || rest.ends_with('.'));
    module.is_some_and(|module| names.contains(format!("{module}zero_point").as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(dims: &[i64], strides: &[i64], offset: i64) -> Rebuilt {
        Rebuilt {
            dtype: DType::Float32,
            dims: dims.to_vec(),
            strides: Some(strides.to_vec()),
            elements: Elements::Storage { key: "0".to_owned(), offset },
            is_parameter: false,
            affine: None,
        }
    }

    #[test]
    fn extents_follow_strides() {
        let of = |dims: &[i64], strides: &[i64], offset| extent(&tensor(dims, strides, offset));
        let dense = |start, end| Some(Extent { start, end, is_dense: true });
        assert_eq!(of(&[2, 3], &[3, 1], 0), dense(0, 24));
        // Columns first: the same bytes.
        assert_eq!(of(&[2, 3], &[1, 2], 5), dense(20, 44));
        assert_eq!(of(&[], &[], 1), dense(4, 8));
        assert_eq!(of(&[0, 9], &[9, 1], 2), dense(8, 8));
        // One row, repeated: 3 elements for 12.
        let repeated = Some(Extent { start: 0, end: 12, is_dense: false });
        assert_eq!(of(&[4, 3], &[0, 1], 0), repeated);
        for (dims, strides, offset) in
            [(vec![-1], vec![1], 0), (vec![2], vec![-1], 0), (vec![2], vec![i64::MAX], 0)]
        {
            assert_eq!(of(&dims, &strides, offset), None);
        }
    }

    #[test]
    fn what_is_covered_counts_once() {
        let mut storer = Storer::default();
        let mut first = |dims: &[i64], strides: &[i64], offset| {
            let tensor = tensor(dims, strides, offset);
            storer.is_first(&tensor, extent(&tensor))
        };
        assert!(first(&[4], &[1], 0));
        assert!(!first(&[2, 2], &[2, 1], 0));
        assert!(first(&[4], &[1], 4));
        assert!(!first(&[8], &[1], 0));
        assert!(!first(&[2], &[1], 7));
        assert!(first(&[2], &[1], 8));
    }
}
