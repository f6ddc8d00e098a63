//! The stored weights of two models, compared element by element.
//!
//! ```text
//! alignment → pairs      weights that matched nodes read at the same place
//!           → operand    through inserted nodes: stored tensor, scales, order of axes
//!           → locate     bytes in the model file or its data files
//!           → calipers-weights
//!           → summary    totals, by depth, how one set of weights comes from the other
//! ```

mod form;
mod locate;
mod operand;
mod pairs;
mod relation;
mod summary;

use std::fmt::Display;

use calipers_ir::{Model, Source, TensorId};
use calipers_report::{UncomparedTensor, WeightChanges};
use calipers_weights::{Axis, Difference, Parameter, Quantization, Stream, differences, is_number};
use form::Form;
pub use locate::sample_digests;
use locate::{Located, is_unpacked, locate, parameter};
use operand::Operand;
use pairs::Candidate;

use crate::align::{Alignment, TensorPair};

/// How often each byte may be read. Tensors may overlap, and a file may say that a million of them
/// are the same gigabyte, each a byte further on.
const MAX_READINGS: u64 = 10;

/// Pairs that could not be compared and are named.
const MAX_UNCOMPARED: usize = 50;

/// One of two models, with its data files in its order, or why they cannot be read.
#[derive(Debug)]
pub struct Side<'a, E> {
    /// The model.
    pub model: &'a Model,
    /// Its data files.
    pub files: &'a [Result<Source, E>],
}

impl<E> Clone for Side<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Side<'_, E> {}

/// What comparing the weights showed.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// For the comparison.
    pub changes: WeightChanges,
    /// Stored tensors of one type that differ: nodes that read them are changed.
    pub differing: Vec<TensorPair>,
}

/// A pair that was compared.
#[derive(Debug)]
struct Measured {
    candidate: Candidate,
    difference: Difference,
    bytes: u64,
}

impl Measured {
    /// Whether exactly one of the two is dequantized.
    fn is_quantized(&self) -> bool {
        self.candidate.a.form.is_some() != self.candidate.b.form.is_some()
    }

    /// Whether it belongs to what training changes, as numbers: integers without a scale do not.
    fn is_weight(&self) -> bool {
        let is_number = |operand: &Operand| operand.form.is_some() || operand.dtype.is_float();
        self.candidate.is_learned && is_number(&self.candidate.a) && is_number(&self.candidate.b)
    }
}

/// Compares the weights of two models, up to `limit` bytes of both. `progress` is called from any
/// thread with the bytes read since the last call and the total.
pub fn compare<E: Display + Sync>(
    a: Side<'_, E>,
    b: Side<'_, E>,
    alignment: &Alignment,
    limit: u64,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Compared {
    let found = pairs::find(a.model, b.model, alignment);
    let mut refused: Vec<(TensorPair, String)> =
        found.refused.into_iter().map(|refusal| (refusal.tensors, refusal.reason)).collect();
    let mut jobs: Vec<Job> = Vec::new();
    let mut budget = Budget::new(a, b, limit);
    for candidate in found.candidates {
        let tensors = TensorPair { a: candidate.a.tensor, b: candidate.b.tensor };
        let bytes = bytes(a.model, &candidate.a).saturating_add(bytes(b.model, &candidate.b));
        // What is missing is not read, so it takes nothing of what may be.
        let is_there = readable(a, &candidate.a).and_then(|()| readable(b, &candidate.b));
        let accepted = is_there
            .and_then(|()| axes(&candidate))
            .and_then(|axes| Ok((axes, budget.take(bytes)?)));
        match accepted {
            Ok((axes, ())) if axes.iter().all(|axis| axis.length > 0) => {
                jobs.push(Job { candidate, axes, bytes });
            }
            Err(reason) if candidate.is_learned => refused.push((tensors, reason)),
            // An empty tensor, or a setting: these are read with the graph.
            _ => {}
        }
    }
    let total = jobs.iter().map(|job| job.bytes).fold(0, u64::saturating_add);
    let (measured, unread) = run(a, b, jobs, &|bytes| progress(bytes, total));
    refused.extend(unread);
    let differing = measured
        .iter()
        .filter(|pair| is_same_kind(&pair.candidate) && !pair.difference.is_none())
        .map(|pair| TensorPair { a: pair.candidate.a.tensor, b: pair.candidate.b.tensor });
    let differing = differing.collect();
    let (names_a, names_b) = (pairs::names(a.model), pairs::names(b.model));
    let name_a = |id: TensorId| shown(a.model, id, names_a.get(&id));
    let name_b = |id: TensorId| shown(b.model, id, names_b.get(&id));
    let mut changes = summary::summarize(a.model, &measured, refused.len() as u64, name_a, name_b);
    changes.not_compared = refused.len() as u64;
    changes.unmatched = found.unmatched;
    let named = refused.into_iter().take(MAX_UNCOMPARED);
    changes.uncompared_tensors = named
        .map(|(pair, reason)| UncomparedTensor { a: name_a(pair.a), b: name_b(pair.b), reason })
        .collect();
    Compared { changes, differing }
}

/// Whether both are read without conversion from one type: what differs are the stored elements,
/// or their scales.
fn is_same_kind(candidate: &Candidate) -> bool {
    let Candidate { a, b, .. } = candidate;
    a.dtype == b.dtype && a.form.is_some() == b.form.is_some() && a.through == b.through
}

fn shown(model: &Model, id: TensorId, value: Option<&calipers_ir::ValueId>) -> String {
    match (model.name(model.tensor(id).name), value) {
        ("", Some(value)) => model.name(model.value(*value).name).to_owned(),
        (name, _) => name.to_owned(),
    }
}

/// A pair to compare.
struct Job {
    candidate: Candidate,
    axes: Vec<Axis>,
    bytes: u64,
}

/// What may still be read.
struct Budget {
    limit: u64,
    left: u64,
    readings: u64,
}

impl Budget {
    fn new<E>(a: Side<'_, E>, b: Side<'_, E>, limit: u64) -> Self {
        let sources = [a, b]
            .into_iter()
            .flat_map(|side| side.files.iter().flatten().chain([&side.model.source]));
        let held = sources.map(|source| source.size()).fold(0, u64::saturating_add);
        Self { limit, left: limit, readings: held.saturating_mul(MAX_READINGS) }
    }

    fn take(&mut self, bytes: u64) -> Result<(), String> {
        if bytes > self.readings {
            return Err("its bytes overlap those of other tensors".to_owned());
        }
        if bytes > self.left {
            return Err(format!(
                "it exceeds the limit of {} bytes to read, which `--max-bytes` sets",
                calipers_report::units::integer(self.limit)
            ));
        }
        self.left -= bytes;
        self.readings -= bytes;
        Ok(())
    }
}

/// Stored tensors that reading an operand reads.
fn tensors(operand: &Operand) -> impl Iterator<Item = TensorId> {
    let form = operand.form.as_ref();
    let parts = form.into_iter().flat_map(|form| [Some(form.scale), form.zero_point]).flatten();
    let parts = parts.flat_map(|part| [Some(part.tensor), part.times]).flatten();
    [operand.tensor].into_iter().chain(parts)
}

/// Whether the stored tensors of an operand are there, or why not.
fn readable<E: Display>(side: Side<'_, E>, operand: &Operand) -> Result<(), String> {
    let mut mapped = tensors(operand).filter(|id| !is_unpacked(side.model, *id));
    mapped.try_for_each(|id| locate(side.model, side.files, id).map(|_| ()))
}

fn bytes(model: &Model, operand: &Operand) -> u64 {
    // A size that is not known is refused when the tensor is located.
    let sizes = tensors(operand).map(|id| model.tensor(id).bytes().unwrap_or(0));
    sizes.fold(0, u64::saturating_add)
}

/// The axes of two operands side by side, or why they do not fit.
fn axes(candidate: &Candidate) -> Result<Vec<Axis>, String> {
    let Candidate { a, b, .. } = candidate;
    for dtype in [a.dtype, b.dtype] {
        if !is_number(dtype) {
            return Err(format!("elements of type {dtype} are not compared"));
        }
    }
    // Integers without a scale mean nothing next to numbers.
    let is_number = |operand: &Operand| operand.form.is_some() || operand.dtype.is_float();
    if is_number(a) != is_number(b) {
        let integers = if is_number(a) { b.dtype } else { a.dtype };
        return Err(format!("the scale of its {integers} elements is not known"));
    }
    let (left, right) = (a.lengths(), b.lengths());
    if left == right && !a.is_flat && !b.is_flat {
        let axes = a.axes.iter().zip(&b.axes);
        return Ok(axes.map(|(a, b)| Axis { length: a.0, a: a.1, b: b.1 }).collect());
    }
    let is_reshaped = (a.is_flat || b.is_flat) && a.is_in_order() && b.is_in_order();
    if is_reshaped && a.elements() == b.elements() {
        return Ok(calipers_weights::in_order(a.elements()));
    }
    Err(format!("shapes differ: {left:?} and {right:?}"))
}

/// Compares pairs. Those in files are read together, on every core; those that have to be unpacked
/// one after the other, so that only one of them is in memory.
fn run<E: Display>(
    a: Side<'_, E>,
    b: Side<'_, E>,
    jobs: Vec<Job>,
    progress: &(dyn Fn(u64) + Sync),
) -> (Vec<Measured>, Vec<(TensorPair, String)>) {
    let is_lazy = |job: &Job| {
        tensors(&job.candidate.a).any(|id| is_unpacked(a.model, id))
            || tensors(&job.candidate.b).any(|id| is_unpacked(b.model, id))
    };
    let mut results: Vec<Result<Difference, String>> = Vec::with_capacity(jobs.len());
    let mut located = Vec::new();
    for (at, job) in jobs.iter().enumerate() {
        let not_read = || "its elements or scales are not all there".to_owned();
        let parts = Parts::new(a, &job.candidate.a)
            .and_then(|left| Ok((left, Parts::new(b, &job.candidate.b)?)));
        match parts {
            Ok((left, right)) if is_lazy(job) => {
                let pair = [(&left, &right, job)].map(as_pair);
                let found = differences(&pair, &|_| {}).pop().flatten();
                results.push(found.ok_or_else(not_read));
                progress(job.bytes);
            }
            Ok((left, right)) => {
                located.push((at, left, right));
                results.push(Err(not_read()));
            }
            Err(reason) => {
                results.push(Err(reason));
                progress(job.bytes);
            }
        }
    }
    let pairs: Vec<_> =
        located.iter().map(|(at, left, right)| as_pair((left, right, &jobs[*at]))).collect();
    for ((at, ..), found) in located.iter().zip(differences(&pairs, progress)) {
        if let Some(found) = found {
            results[*at] = Ok(found);
        }
    }
    let (mut measured, mut refused) = (Vec::new(), Vec::new());
    for (job, result) in jobs.into_iter().zip(results) {
        let tensors = TensorPair { a: job.candidate.a.tensor, b: job.candidate.b.tensor };
        match result {
            Ok(difference) => {
                measured.push(Measured { candidate: job.candidate, difference, bytes: job.bytes });
            }
            Err(reason) => refused.push((tensors, reason)),
        }
    }
    (measured, refused)
}

fn as_pair<'p>(
    (left, right, job): (&'p Parts, &'p Parts, &Job),
) -> calipers_weights::TensorPair<'p> {
    calipers_weights::TensorPair { a: left.stream(), b: right.stream(), axes: job.axes.clone() }
}

/// The bytes of an operand and its parameters.
struct Parts {
    elements: Located,
    form: Option<(Form, Located, Option<Located>)>,
}

impl Parts {
    fn new<E: Display>(side: Side<'_, E>, operand: &Operand) -> Result<Self, String> {
        let found = locate(side.model, side.files, operand.tensor)?;
        let elements = Located { dtype: operand.dtype, ..found };
        let Some(form) = &operand.form else { return Ok(Self { elements, form: None }) };
        let scale = parameter(side.model, side.files, &form.scale)?;
        let zero_point = match &form.zero_point {
            Some(stored) => Some(parameter(side.model, side.files, stored)?),
            None => None,
        };
        Ok(Self { elements, form: Some((form.clone(), scale, zero_point)) })
    }

    fn stream(&self) -> Stream<'_> {
        let quantization = self.form.as_ref().map(|(form, scale, zero_point)| Quantization {
            axis: form.axis,
            inner: form.inner,
            block: form.block,
            scale: Parameter {
                elements: scale.elements(),
                outer: form.scale.outer,
                axis: form.scale.axis,
                inner: form.scale.inner,
            },
            zero_point: form.zero_point.zip(zero_point.as_ref()).map(|(stored, found)| Parameter {
                elements: found.elements(),
                outer: stored.outer,
                axis: stored.axis,
                inner: stored.inner,
            }),
            implied_zero_point: form.implied_zero_point,
        });
        Stream { elements: self.elements.elements(), quantization }
    }
}

#[cfg(test)]
mod tests;
