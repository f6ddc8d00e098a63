//! What the weights hold, element by element. Nothing here runs unless it is asked for.
//!
//! [`read`] finds where every stored tensor is, has `calipers-weights` go over them, and looks which
//! are the same. [`Weights`] goes into the report and to the rules about weights.

mod same;
mod summary;

use std::fmt::Display;

use calipers_ir::{AttributeValue, DType, Model, Source, Span, TensorId};
use calipers_ops::WeightFormat;
use calipers_weights::{
    Channels, Item, Location, MAX_UNPACKED, Scanned, digest_bytes, locate, scan, scan_bytes,
};

use crate::parameters::{self, Role, Stored};

/// How often each byte may be read. Tensors may overlap, and a file may say that a million of them
/// are the same gigabyte, each a byte further on.
const MAX_READINGS: u64 = 10;

/// What reading the weights showed.
#[derive(Debug, Default)]
pub struct Weights {
    /// Every tensor that was read.
    pub tensors: Vec<Seen>,
    /// Tensors that could not be read, with the reason.
    pub unread: Vec<(String, String)>,
    /// Tensors of the same bytes, by their place in `tensors`; groups of two and more.
    pub same: Vec<Vec<usize>>,
}

/// A tensor that was read.
#[derive(Debug)]
pub struct Seen {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub dtype: DType,
    /// Its shape.
    pub dims: Box<[i64]>,
    /// Its logical elements.
    pub elements: u64,
    /// Its stored bytes.
    pub bytes: u64,
    /// What it is for.
    pub role: Role,
    /// The axis of its output channels.
    pub channels: Channels,
    /// Its statistics.
    pub found: Scanned,
}

impl Weights {
    /// Whether every tensor was read, so that shares are shares of the model.
    pub fn is_whole(&self) -> bool {
        self.unread.is_empty()
    }
}

impl Seen {
    /// Whether it was learned.
    pub fn is_learned(&self) -> bool {
        matches!(self.role, Role::Weight | Role::Statistic)
    }

    /// How many of its axes are longer than 1.
    pub fn axes(&self) -> usize {
        self.dims.iter().filter(|dim| **dim != 1).count()
    }
}

/// Where the elements of a tensor are.
enum Place<'a> {
    /// In one piece, in this file.
    Run { source: &'a Source, span: Span },
    /// They were unpacked; this distinguishes them.
    Unpacked([u8; 32]),
}

/// Bytes that are read unless more are asked for: a model of 70 billion parameters in 16 bits takes
/// 140 GB. A sparse file claims any size for nothing.
pub const MAX_BYTES: u64 = 200_000_000_000;

/// Reads every stored tensor, up to [`MAX_BYTES`]; see [`read_within`].
pub fn read<E: Display>(
    model: &Model,
    files: &[Result<Source, E>],
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Weights {
    read_within(model, files, MAX_BYTES, progress)
}

/// Reads the stored tensors, in order, up to `limit` bytes. A tensor that would exceed it is listed
/// as not read. `files` are the model's data files in its order, or why they cannot
/// be read; `progress` is called from any thread with the bytes read since the last call and the total.
pub fn read_within<E: Display>(
    model: &Model,
    files: &[Result<Source, E>],
    limit: u64,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Weights {
    let mut weights = Weights::default();
    let mut places = Vec::new();
    let sources = files.iter().flatten().chain([&model.source]);
    let held = sources.map(|source| source.size()).fold(0, u64::saturating_add);
    let mut left = held.saturating_mul(MAX_READINGS);
    let mut budget = limit;
    for stored in parameters::all(model) {
        let Some(id) = stored.tensor else { continue };
        let tensor = model.tensor(id);
        if tensor.dtype == DType::String || tensor.elements() == Ok(0) {
            continue;
        }
        let mut seen = Seen {
            name: shown(model, &stored),
            channels: channels(model, &stored, &tensor.dims),
            dtype: tensor.dtype,
            dims: tensor.dims.clone(),
            elements: tensor.elements().unwrap_or(0),
            bytes: tensor.bytes().unwrap_or(0),
            role: stored.role,
            found: Scanned::default(),
        };
        match place(model, files, id, &mut seen) {
            Ok(_) if seen.bytes > left => {
                let reason = "its bytes overlap those of other tensors".to_owned();
                weights.unread.push((seen.name, reason));
            }
            Ok(Place::Run { .. }) if seen.bytes > budget => {
                let reason = format!(
                    "it exceeds the limit of {} bytes to read, which `--max-bytes` sets",
                    calipers_report::units::integer(limit)
                );
                weights.unread.push((seen.name, reason));
            }
            Ok(place) => {
                left -= seen.bytes;
                budget = budget.saturating_sub(seen.bytes);
                places.push(place);
                weights.tensors.push(seen);
            }
            Err(reason) => weights.unread.push((seen.name, reason)),
        }
    }
    read_all(&mut weights.tensors, &places, progress);
    weights.same = same::groups(&weights.tensors, &places);
    weights
}

/// A name to show: a tensor in a `Constant` has none of its own, and goes by what the node gives.
fn shown(model: &Model, stored: &Stored) -> String {
    match stored.value {
        Some(value) if stored.name.is_empty() => model.name(model.value(value).name).to_owned(),
        _ => stored.name.clone(),
    }
}

/// Goes over all tensors that are in one piece.
fn read_all(tensors: &mut [Seen], places: &[Place<'_>], progress: &(dyn Fn(u64, u64) + Sync)) {
    let (mut runs, mut items) = (Vec::new(), Vec::new());
    for (at, (seen, place)) in tensors.iter().zip(places).enumerate() {
        if let Place::Run { source, span } = place {
            let Seen { dtype, elements, channels, .. } = *seen;
            items.push(Item { dtype, elements, source, span: *span, channels });
            runs.push(at);
        }
    }
    let total = items.iter().map(|item| item.span.len()).fold(0, u64::saturating_add);
    for (at, found) in runs.into_iter().zip(scan(&items, &|bytes| progress(bytes, total))) {
        tensors[at].found = found;
    }
}

/// Where a tensor's elements are, or why they cannot be read. Those in fields are looked at now.
fn place<'a, E: Display>(
    model: &'a Model,
    files: &'a [Result<Source, E>],
    id: TensorId,
    seen: &mut Seen,
) -> Result<Place<'a>, String> {
    match locate(model, files, id)? {
        Location::Run { source, span } => Ok(Place::Run { source, span }),
        Location::Fields => {
            let bytes = model.packed(id, MAX_UNPACKED).map_err(|error| error.to_string())?;
            let digest = digest_bytes(&bytes);
            seen.found = scan_bytes(bytes, seen.dtype, seen.elements, seen.channels);
            Ok(Place::Unpacked(digest))
        }
    }
}

/// How a tensor's elements belong to output channels, by the node that uses it.
fn channels(model: &Model, stored: &Stored, dims: &[i64]) -> Channels {
    let Some(consumer) = stored.value.and_then(|value| model.consumers(value).first()) else {
        return Channels::None;
    };
    let size = |dim: Option<&i64>| dim.and_then(|dim| u64::try_from(*dim).ok()).unwrap_or(0);
    let transposed = || matches!(model.attribute(consumer.node, "transB"), Some(AttributeValue::Int(flag)) if *flag != 0);
    let node = model.node(consumer.node);
    let Some(row) = calipers_ops::find(model.name(node.domain), model.name(node.op)) else {
        return Channels::None;
    };
    let traits = &row.traits;
    let is_weight = traits.contraction.is_some_and(|contraction| {
        contraction.format == WeightFormat::Float
            && contraction.weights.first() == usize::try_from(consumer.slot).ok().as_ref()
    });
    // Weights that are stored in blocks of channels have no channel in one piece.
    if !is_weight || row.domain == calipers_ops::NCHWC {
        return Channels::None;
    }
    let plain = traits.lowering.contraction().unwrap_or(row.name);
    match (plain, dims.len()) {
        ("Conv", 3..) => Channels::Rows(size(dims.first())),
        ("Gemm" | "MatMul", 2) if transposed() => Channels::Rows(size(dims.first())),
        ("Gemm" | "MatMul", 2) => Channels::Columns(size(dims.last())),
        _ => Channels::None,
    }
}

#[cfg(test)]
mod tests;
