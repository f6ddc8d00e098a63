//! Memory of one run: weights, activations at their peak, the cache of keys and values.
//!
//! **As written.** Every value that depends on an input has a place of its own. The caller's inputs
//! are there from the first node on; a value comes with its node and goes after the last node that
//! reads it, or stays to the end when it is an output of the model; one that nobody reads goes after
//! its own node. What a subgraph reads is read by the node that holds the subgraph. At a node its
//! inputs and its outputs are both there; the peak is the first node at which most bytes are. What
//! is computed from constants alone is a constant and does not count. Texts, maps and sequences of
//! unknown length have no size and do not count either; an assumption says so.
//!
//! **With reuse.** The same, but views share their input's place, and an element-wise result takes
//! the place of an input of as many bytes that nothing reads afterwards, see `reuse`.
//!
//! **Subgraphs.** At a node with subgraphs, the peak inside the most expensive of them is next to what
//! is alive outside. Of `If`, whose outputs are made inside, they are counted once; a loop's outputs
//! are there next to the values of its body.
//!
//! **Bounds.** Where the size of a value is unknown, the peak of the others is a lower bound. Where a
//! router decides the sizes, those of an expert that gets every token make an upper bound.
//!
//! **Free dimensions.** Numbers are at the sizes of [`crate::assume`]; the formula is that of the
//! node where the peak is at those sizes. At others, another node may lead.

mod cache;
mod flow;
mod liveness;
mod reuse;

use std::cmp::Reverse;
use std::sync::Arc;

pub use cache::{Caches, Lengths};
use calipers_infer::Typed;
use calipers_infer::walk::{ResolvedKind, ResolvedOps};
use calipers_ir::{DType, Model, ValueId};
use calipers_ops::Fact;
use calipers_report::{Assumption, LargeGroup, LargeValue, LiveRange, Memory, Unknown};
use calipers_sym::Expr;
use hashbrown::HashMap;
use reuse::{Reuse, reuse_of};

use crate::assume::{self, Sizes};
use crate::experts::Experts;
use crate::not_known;

/// Activations that the report names.
const NAMED: usize = 10;

/// Activations that a group of equal ones names.
const GROUP_NAMES: usize = 32;

/// What a value takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// This many bytes.
    Bytes(u64),
    /// Nothing that could be counted: text, a map.
    Uncounted,
    /// It cannot be determined, for this reason.
    Unknown(String),
}

/// What the other passes found out.
pub struct Known<'a> {
    /// Types and shapes of all values.
    pub typed: &'a Typed,
    /// Sizes assumed for free dimensions.
    pub sizes: &'a Sizes,
    /// KV caches of the model.
    pub caches: &'a Caches,
}

/// The memory's section of the report. `stored_bytes` is what all stored tensors take.
pub fn measure(
    model: &Model,
    found: &Known<'_>,
    stored_bytes: Option<u64>,
    unknown: &mut Vec<Unknown>,
    assumptions: &mut Vec<Assumption>,
) -> Memory {
    let &Known { typed, sizes, caches } = found;
    let resolved = ResolvedOps::find(model);
    let depends = liveness::depends(model, &resolved);
    let live_ranges =
        liveness::Lives::find(model, &depends, &|value| size(typed.fact(value), sizes));
    let plain = live_ranges.trace(model, None);
    let reused = live_ranges.trace(model, Some(&resolved));
    let mut memory = Memory {
        weights_bytes: stored_bytes,
        largest: largest(model, typed, &live_ranges),
        largest_groups: largest_groups(model, typed, &live_ranges),
        kv_cache: caches.describe(model, typed, sizes, unknown),
        ..Memory::default()
    };
    if stored_bytes.is_none() {
        not_known(unknown, "memory.weights_bytes", "see parameters.stored_bytes");
    }
    let peak_at = plain.peak_place.map(|place| model.node_label(model.main().order[place]));
    let is_known = check_known(model, &live_ranges, plain.peak)
        .and_then(|()| check_outputs(model, found, &depends, plain.peak.unwrap_or(0)));
    if let Err(error) = is_known {
        not_known(unknown, "memory.peak_activation_bytes", error.to_string());
        not_known(unknown, "memory.peak_activation_in_place_bytes", error.to_string());
        if let PeakError::UnknownSize { known, .. } = error {
            memory.peak_activation_lower_bound_bytes = Some(known).filter(|known| *known > 0);
            memory.peak_activation_upper_bound_bytes = upper_bound(model, found, &depends);
        }
        return memory;
    }
    memory.peak_activation_bytes = plain.peak;
    memory.peak_activation_in_place_bytes = reused.peak;
    memory.formula = plain.peak_place.and_then(|place| formula(typed, &live_ranges, place));
    memory.peak_at = peak_at;
    memory.timeline = plain.timeline;
    report_left_out(model, &resolved, &live_ranges, assumptions);
    memory
}

/// The peak if a router sent every token to every expert; `None` where there is none, or where
/// other sizes are unknown.
fn upper_bound(model: &Model, known: &Known<'_>, depends: &[bool]) -> Option<u64> {
    let sizes = Experts::find(model, known.typed).largest_sizes(known.sizes)?;
    let live_ranges =
        liveness::Lives::find(model, depends, &|value| size(known.typed.fact(value), &sizes));
    let peak = live_ranges.trace(model, None).peak;
    check_known(model, &live_ranges, peak).ok()?;
    peak
}

/// Why the peak of activations is unknown, or has no formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeakError {
    /// The main graph has a cycle.
    #[error("the graph has a cycle, so it has no execution order")]
    Cycle,
    /// The sum of the activations is above 2⁶⁴ - 1 bytes.
    #[error("the sum does not fit in 64 bits")]
    TooLarge,
    /// An activation has no known size.
    #[error("size of {value:?} unknown: {reason}; the other activations peak at {known} bytes")]
    UnknownSize {
        /// The activation.
        value: String,
        /// Why its size is unknown.
        reason: String,
        /// The peak of the others, in bytes.
        known: u64,
    },
    /// The peak includes activations of subgraphs, which have no live ranges here.
    #[error("it includes activations inside subgraphs")]
    InSubgraph,
    /// The size of an activation has no formula.
    #[error("an activation has no formula")]
    NoFormula,
    /// An activation with a size is a sequence, a map or an optional.
    #[error("an activation is not a tensor")]
    NotTensor,
}

/// Returns when each activation of the main graph is alive, with its bytes in the free dimensions.
///
/// # Errors
/// When the peak cannot be found from that at other sizes.
pub fn live_ranges(
    model: &Model,
    typed: &Typed,
    sizes: &Sizes,
) -> Result<Vec<LiveRange>, PeakError> {
    let resolved = ResolvedOps::find(model);
    let depends = liveness::depends(model, &resolved);
    let live_ranges =
        liveness::Lives::find(model, &depends, &|value| size(typed.fact(value), sizes));
    check_known(model, &live_ranges, Some(0))?;
    let order = &model.main().order;
    if (0..order.len()).any(|place| live_ranges.inner(place) > 0) {
        return Err(PeakError::InSubgraph);
    }
    let mut numbers: HashMap<ValueId, usize> = HashMap::new();
    // Each formula once: most activations have the size of another.
    let mut formulas: HashMap<Expr, Arc<str>> = HashMap::new();
    let mut reported = Vec::new();
    for life in live_ranges.main() {
        let bytes = match typed.fact(life.value) {
            Fact::Tensor(tensor) if tensor.dtype != DType::String => {
                calipers_ops::bytes(tensor).ok_or(PeakError::NoFormula)?
            }
            _ if life.bytes > 0 => return Err(PeakError::NotTensor),
            _ => Expr::ZERO,
        };
        let formula = formulas.entry(bytes);
        let bytes = formula.or_insert_with_key(|bytes| Arc::from(bytes.to_string()));
        let bytes = Arc::clone(bytes);
        let number = |value: &ValueId| numbers.get(value).copied();
        let (mut view_of, mut may_take) = (None, Vec::new());
        if let Some(node) = order.get(life.from).filter(|_| !life.input) {
            let inputs = model.inputs(*node);
            match reuse_of(model, &resolved, *node) {
                Reuse::Never => {}
                Reuse::View => view_of = inputs.first().and_then(|it| number(it.as_ref()?)),
                Reuse::Overwrite => {
                    may_take = inputs.iter().flatten().filter_map(number).collect();
                }
            }
        }
        numbers.insert(life.value, reported.len());
        let (from, until) = (life.from as u64, life.until as u64);
        reported.push(LiveRange { from, until, bytes, borrowed: life.input, view_of, may_take });
    }
    Ok(reported)
}

/// Returns the peak of live activation bytes where every value takes what `size` says; `None` where
/// the size of one is not known.
pub fn peak(model: &Model, size: &dyn Fn(ValueId) -> Size) -> Option<u64> {
    let depends = liveness::depends(model, &ResolvedOps::find(model));
    let live_ranges = liveness::Lives::find(model, &depends, size);
    let peak = live_ranges.trace(model, None).peak;
    check_known(model, &live_ranges, peak).ok()?;
    peak
}

/// Checks that the peak is known.
fn check_known(
    model: &Model,
    live_ranges: &liveness::Lives,
    peak: Option<u64>,
) -> Result<(), PeakError> {
    if !model.main().cyclic.is_empty() {
        return Err(PeakError::Cycle);
    }
    let known = peak.ok_or(PeakError::TooLarge)?;
    let Some((value, reason)) = live_ranges.first_unknown() else { return Ok(()) };
    let value = model.name(model.value(value).name).to_owned();
    Err(PeakError::UnknownSize { value, reason: reason.to_string(), known })
}

/// Checks outputs that are computed from constants alone. They are not activations, but the caller gets
/// them: one of unknown size may take all memory.
fn check_outputs(
    model: &Model,
    found: &Known<'_>,
    depends: &[bool],
    known: u64,
) -> Result<(), PeakError> {
    for output in model.main().outputs.iter().filter(|output| !depends[output.index()]) {
        if let Size::Unknown(reason) = size(found.typed.fact(*output), found.sizes) {
            let value = model.name(model.value(*output).name).to_owned();
            return Err(PeakError::UnknownSize { value, reason, known });
        }
    }
    Ok(())
}

/// What the peak leaves out.
fn report_left_out(
    model: &Model,
    resolved: &ResolvedOps,
    live_ranges: &liveness::Lives,
    assumptions: &mut Vec<Assumption>,
) {
    if live_ranges.has_uncounted() {
        assumptions.push(Assumption {
            what: "activations that are strings, maps or sequences".to_owned(),
            value: "0 bytes".to_owned(),
            why: "their elements have no fixed size".to_owned(),
        });
    }
    let calls =
        |node: &calipers_ir::NodeId| matches!(resolved.get(*node).kind, ResolvedKind::Call(_));
    if model.main().order.iter().any(calls) {
        assumptions.push(Assumption {
            what: "activations inside model functions".to_owned(),
            value: "0 bytes".to_owned(),
            why: "a function call counts with its inputs and outputs only".to_owned(),
        });
    }
}

/// What a value takes when free dimensions have these sizes.
pub fn size(fact: &Fact, sizes: &Sizes) -> Size {
    let tensor = match fact {
        Fact::Tensor(tensor) => tensor,
        Fact::Unknown(reason) => return Size::Unknown(reason.to_string()),
        Fact::Sequence(sequence) => {
            let Some(items) = &sequence.items else { return Size::Uncounted };
            let mut sum = 0_u64;
            for item in items.iter() {
                match size(item, sizes) {
                    Size::Bytes(bytes) => sum = sum.saturating_add(bytes),
                    other => return other,
                }
            }
            return Size::Bytes(sum);
        }
        Fact::Optional(inner) => return size(inner, sizes),
        Fact::SparseTensor(_) | Fact::Map { .. } | Fact::Opaque => return Size::Uncounted,
    };
    match tensor.dtype {
        DType::String => return Size::Uncounted,
        DType::Undefined => return Size::Unknown("its data type is unknown".to_owned()),
        _ => {}
    }
    let dims = match &tensor.shape {
        Ok(dims) => dims,
        Err(reason) => return Size::Unknown(reason.to_string()),
    };
    let mut elements = 1_u64;
    for dim in dims.iter() {
        let Some(size) = assume::evaluate(dim, sizes) else {
            return Size::Unknown(format!("dimension {dim} depends on the data"));
        };
        let Ok(size) = u64::try_from(size) else {
            return Size::Unknown(format!("dimension {dim} would be {size} at the assumed sizes"));
        };
        let Some(product) = elements.checked_mul(size) else {
            return Size::Unknown("its size does not fit in 64 bits".to_owned());
        };
        elements = product;
    }
    match tensor.dtype.bytes(elements) {
        Some(bytes) => Size::Bytes(bytes),
        None => Size::Unknown("its size does not fit in 64 bits".to_owned()),
    }
}

fn largest(model: &Model, typed: &Typed, live_ranges: &liveness::Lives) -> Vec<LargeValue> {
    let mut values: Vec<(u64, ValueId)> =
        live_ranges.main().map(|life| (life.bytes, life.value)).collect();
    // Stable, so equals stay in order of execution.
    values.sort_by_key(|(bytes, _)| Reverse(*bytes));
    values.truncate(NAMED);
    let large = |(bytes, value): (u64, ValueId)| LargeValue {
        name: model.name(model.value(value).name).to_owned(),
        type_text: typed.fact(value).to_string(),
        bytes,
    };
    values.into_iter().map(large).collect()
}

/// Activations of one type and shape together, the largest first.
fn largest_groups(model: &Model, typed: &Typed, live_ranges: &liveness::Lives) -> Vec<LargeGroup> {
    let mut values: Vec<(u64, ValueId)> =
        live_ranges.main().map(|life| (life.bytes, life.value)).collect();
    // Stable, so equals stay in order of execution.
    values.sort_by_key(|(bytes, _)| Reverse(*bytes));
    let mut groups: Vec<LargeGroup> = vec![];
    for (bytes, value) in values {
        let is_smaller = groups.last().is_some_and(|group| bytes < group.bytes);
        if bytes == 0 || is_smaller && groups.len() >= NAMED {
            break;
        }
        let type_text = typed.fact(value).to_string();
        let same = |group: &LargeGroup| group.bytes == bytes && group.type_text == type_text;
        let place = match groups.iter().rposition(same) {
            Some(place) => place,
            None if groups.len() >= NAMED => continue,
            None => {
                groups.push(LargeGroup { type_text, bytes, ..LargeGroup::default() });
                groups.len() - 1
            }
        };
        let group = &mut groups[place];
        group.count += 1;
        if group.names.len() < GROUP_NAMES {
            group.names.push(model.name(model.value(value).name).to_owned());
        }
    }
    groups
}

/// Bytes alive at a node of the main graph in the free dimensions; `None` when none is free, or
/// when a subgraph has a part in them.
fn formula(typed: &Typed, live_ranges: &liveness::Lives, place: usize) -> Option<String> {
    if live_ranges.inner(place) > 0 {
        return None;
    }
    let mut sum = Expr::ZERO;
    for life in live_ranges.main().filter(|life| life.from <= place && place <= life.until) {
        match typed.fact(life.value) {
            Fact::Tensor(tensor) if life.bytes > 0 => sum += calipers_ops::bytes(tensor)?,
            _ if life.bytes > 0 => return None,
            _ => {}
        }
    }
    (!sum.is_const()).then(|| sum.to_string())
}
