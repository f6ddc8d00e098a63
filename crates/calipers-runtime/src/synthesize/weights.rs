//! Contents of data files that are missing.

use std::sync::Arc;

use calipers_ir::{AttributeValue, DType, Data, DataFileState, Model, Producer, Tensor, ValueId};
use calipers_ops::{Class, canonical_domain, find};
use half::{bf16, f16};
use hashbrown::HashMap;

use super::random::Random;
use crate::{DataFiles, Error};

/// Weights above this size are not synthesized: most machines do not have the memory.
const MOST_BYTES: u64 = 8_000_000_000;

/// Random numbers that are drawn once and repeated in another order.
const DRAWN: usize = 1 << 16;

/// Returns contents for the data files that are missing, by their locations.
///
/// Floats have the mean 0 and the variance 1 / fan-in; scales of normalizations are near 1, variances
/// and quantization scales positive, zero points equal, indices inside their tables.
///
/// # Errors
///
/// [`Error::Request`] if they would take too much memory or the file does not say where a tensor is.
pub fn weights(model: &Model) -> Result<DataFiles, Error> {
    let missing: Vec<usize> = (0..model.data_files.len())
        .filter(|file| {
            let state = &model.data_files[*file].state;
            matches!(state, DataFileState::Missing | DataFileState::Unchecked)
        })
        .collect();
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    let uses = first_uses(model);
    let drawn: Vec<f32> = {
        let mut random = Random::new(7);
        (0..DRAWN).map(|_| random.normal()).collect()
    };
    let mut files = Vec::new();
    let mut total = 0_u64;
    for file in missing {
        let location = model.name(model.data_files[file].location).to_owned();
        let spans = spans(model, file)?;
        let end = spans.iter().map(|(_, start, bytes)| start.saturating_add(*bytes)).max();
        total = total.saturating_add(end.unwrap_or_default());
        if total > MOST_BYTES {
            return Err(Error::Request(format!(
                "the missing weights take {:.1} GB; at most {:.0} GB are synthesized",
                gigabytes(total),
                gigabytes(MOST_BYTES)
            )));
        }
        let end = usize::try_from(end.unwrap_or_default()).unwrap_or(usize::MAX);
        let mut contents = vec![0_u8; end];
        for (number, (tensor, start, bytes)) in spans.into_iter().enumerate() {
            let (Ok(start), Ok(bytes)) = (usize::try_from(start), usize::try_from(bytes)) else {
                continue;
            };
            let kind = uses.get(&tensor).copied().unwrap_or(Kind::Plain);
            let described = model.tensor(tensor);
            fill(&mut contents[start..start + bytes], described, kind, &drawn, number);
        }
        files.push((location, Arc::from(contents)));
    }
    Ok(files)
}

#[expect(clippy::cast_precision_loss, reason = "for a message")]
fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

type Spans = Vec<(calipers_ir::TensorId, u64, u64)>;

/// The tensors of a data file with their first byte and their size.
fn spans(model: &Model, file: usize) -> Result<Spans, Error> {
    let mut found = Vec::new();
    for (id, tensor) in model.tensors() {
        let Data::External(external) = &tensor.data else { continue };
        if external.file != file {
            continue;
        }
        let place = external.offset.zip(tensor.bytes().or(external.length));
        let Some((start, bytes)) = place.filter(|_| external.problem.is_none()) else {
            let name = model.name(tensor.name);
            return Err(Error::Request(format!("the place of the tensor `{name}` is not known")));
        };
        found.push((id, start, bytes));
    }
    Ok(found)
}

/// What a tensor is for, as far as its numbers depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Anything else: random numbers of a deviation that follows from the fan-in.
    Plain,
    /// Its first dimension is the fan-in.
    RowsFirst,
    /// A scale near 1.
    Scale,
    /// Positive numbers near 1.
    Variance,
    /// A small positive scale of a quantization.
    QuantizationScale,
    /// Indices below a limit.
    Index(u64),
}

/// What reads each stored tensor first.
fn first_uses(model: &Model) -> HashMap<calipers_ir::TensorId, Kind> {
    let mut uses = HashMap::new();
    for (id, value) in model.values() {
        let Some(tensor) = value.initializer else { continue };
        let kinds = model.consumers(id).iter().map(|reader| kind(model, reader, tensor));
        let kind = kinds.fold(Kind::Plain, |known, kind| match (known, kind) {
            (Kind::Index(a), Kind::Index(b)) => Kind::Index(a.min(b)),
            (Kind::Plain, other) => other,
            (known, _) => known,
        });
        uses.insert(tensor, kind);
    }
    uses
}

fn kind(model: &Model, reader: &calipers_ir::Consumer, tensor: calipers_ir::TensorId) -> Kind {
    let node = model.node(reader.node);
    let op = model.name(node.op);
    let slot = reader.slot as usize;
    let dims = &model.tensor(tensor).dims;
    let is_float = model.tensor(tensor).dtype.is_float();
    let Some(row) = find(canonical_domain(model.name(node.domain)), op) else { return Kind::Plain };
    let is_quantized = row.traits.class == Class::Quantization
        || op.contains("QLinear")
        || op.contains("Integer")
        || op.contains("Quant")
        || op.contains("NBits");
    match row.traits.class {
        _ if is_quantized && is_float => Kind::QuantizationScale,
        Class::Normalization(_) if slot == 4 => Kind::Variance,
        Class::Normalization(_) if slot == 1 || slot == 2 && op.starts_with("Skip") => Kind::Scale,
        Class::Movement if slot == 1 && !is_float => index_limit(model, reader.node),
        // Norms that are written out multiply by their gain; a divisor near 0 would be infinity.
        Class::Elementwise
            if is_float && dims.len() <= 1 && matches!(op, "Mul" | "Div" | "Pow") =>
        {
            Kind::Scale
        }
        Class::Elementwise if op == "Sqrt" => Kind::Variance,
        Class::Contraction if slot == 1 && dims.len() == 2 => {
            let transposed =
                matches!(model.attribute(reader.node, "transB"), Some(AttributeValue::Int(1)));
            if transposed { Kind::Plain } else { Kind::RowsFirst }
        }
        _ => Kind::Plain,
    }
}

/// Rows of the table that a Gather reads; 1 where it is not stored.
fn index_limit(model: &Model, node: calipers_ir::NodeId) -> Kind {
    let axis = match model.attribute(node, "axis") {
        Some(AttributeValue::Int(axis)) => *axis,
        _ => 0,
    };
    let table = model.inputs(node).first().copied().flatten();
    let dims = table.and_then(|table| stored_dims(model, table));
    let rows = dims.and_then(|dims| {
        let axis = if axis < 0 { axis + i64::try_from(dims.len()).ok()? } else { axis };
        dims.get(usize::try_from(axis).ok()?).copied()
    });
    Kind::Index(rows.and_then(|rows| u64::try_from(rows).ok()).unwrap_or(1).max(1))
}

/// The dimensions of a value that the file stores.
pub(super) fn stored_dims(model: &Model, value: ValueId) -> Option<&[i64]> {
    let described = model.value(value);
    match described.producer {
        Producer::Initializer | Producer::Input => Some(&model.tensor(described.initializer?).dims),
        _ => None,
    }
}

fn fill(to: &mut [u8], tensor: &Tensor, kind: Kind, drawn: &[f32], number: usize) {
    let fan_in = |dims: &[i64]| -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let product = |dims: &[i64]| dims.iter().map(|dim| (*dim).max(1) as f32).product::<f32>();
        match (kind, dims) {
            (_, [] | [_]) => 2500.0,
            (Kind::RowsFirst, [rows, _]) => product(&[*rows]),
            (_, [_, rest @ ..]) => product(rest),
        }
    };
    let deviation = 1.0 / fan_in(&tensor.dims).max(1.0).sqrt();
    // Each tensor walks through the drawn numbers with its own odd step.
    let mut place = number.wrapping_mul(40_503);
    let step = 2 * (number % 1000) + 1;
    let mut normal = || {
        place = place.wrapping_add(step);
        drawn[place % drawn.len()]
    };
    let mut float = || match kind {
        Kind::Scale => 1.0 + 0.02 * normal(),
        Kind::Variance => 1.0 + 0.1 * normal().abs(),
        Kind::QuantizationScale => 0.01 + 0.002 * normal().abs(),
        _ => deviation * normal(),
    };
    let limit = match kind {
        Kind::Index(limit) => limit,
        _ => 1,
    };
    let mut random = Random::new(number as u64 + 1);
    let is_vector = tensor.dims.len() <= 1;
    match tensor.dtype {
        DType::Float32 => each(to, || float().to_le_bytes()),
        DType::Float64 => each(to, || f64::from(float()).to_le_bytes()),
        DType::Float16 => each(to, || f16::from_f32(float()).to_le_bytes()),
        DType::Bfloat16 => each(to, || bf16::from_f32(float()).to_le_bytes()),
        // Zero points of a tensor must be equal in some kernels; weights need not.
        DType::Uint8 if is_vector => to.fill(128),
        DType::Int8 if is_vector => to.fill(0),
        DType::Bool => to.fill(1),
        DType::Int64 | DType::Uint64 => each(to, || random.below(limit).to_le_bytes()),
        DType::Int32 | DType::Uint32 => {
            #[expect(clippy::cast_possible_truncation, reason = "tables have fewer rows")]
            each(to, || (random.below(limit) as u32).to_le_bytes());
        }
        _ => each(to, || random.next().to_le_bytes()),
    }
}

/// Fills bytes with elements of a size.
fn each<const N: usize>(to: &mut [u8], mut element: impl FnMut() -> [u8; N]) {
    for chunk in to.chunks_mut(N) {
        let element = element();
        chunk.copy_from_slice(&element[..chunk.len()]);
    }
}
