//! Sizes for dimensions that nobody bound.
//!
//! A figure in bytes or operations needs a number for every dimension. Dimensions of the inputs that
//! are left free get one here, and the report's `assumptions` name each of them:
//!
//! - height and width of an image are 224: with 1 most networks could not run;
//! - a sequence of tokens is 128 long, or as long as the model's shortest table of embeddings;
//! - a decoder that carries a cache takes one step: one new token, after as many as make up that
//!   length. This is what such a model does most of the time, and at its end the cache holds a whole
//!   sequence. Who wants the prompt instead binds the new tokens, and the past to 0;
//! - everything else, batches above all, is 1.
//!
//! Nothing is assumed of a dimension that the data decides.

use std::collections::BTreeMap;

use calipers_infer::Typed;
use calipers_ir::{DType, Model, Producer, ValueId};
use calipers_ops::TensorFact;
use calipers_report::Assumption;
use calipers_sym::Expr;
use hashbrown::HashSet;

use crate::memory::{Caches, Lengths};

/// Length assumed of a sequence of tokens.
const TOKENS: i64 = 128;

/// Height and width assumed of an image.
const PIXELS: i64 = 224;

/// Tables with fewer rows hold no positions: token types, say.
const FEW_ROWS: i64 = 16;

/// A size assumed of a dimension, and why that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// The size.
    pub size: i64,
    /// Why this size.
    pub why: &'static str,
    /// What the dimension counts.
    pub role: Role,
}

impl Assumed {
    /// Whether it is the length of a sequence.
    pub fn is_length(&self) -> bool {
        matches!(self.role, Role::Past | Role::Capacity | Role::Sequence)
    }
}

/// What a dimension counts, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Pixels along a side of an image.
    Image,
    /// Tokens that a decoder takes in one step.
    New,
    /// Tokens in a cache before a step.
    Past,
    /// Tokens that a cache has capacity for.
    Capacity,
    /// Tokens of a sequence.
    Sequence,
    /// Anything else, batches above all.
    Other,
}

/// Assumed sizes by the names of dimensions.
pub type Sizes = BTreeMap<String, Assumed>;

const ONE: Assumed = Assumed { size: 1, why: "not set with `--dim`", role: Role::Other };
const IMAGE: Assumed = Assumed {
    size: PIXELS,
    why: "not set with `--dim`; default image side",
    role: Role::Image,
};
const NEW: Assumed = Assumed {
    size: 1,
    why: "not set with `--dim`; a decoder with a cache takes one token per step",
    role: Role::New,
};
const WHY_PAST: &str = "not set with `--dim`; default number of cached tokens";
const WHY_CAPACITY: &str = "not set with `--dim`; default cache capacity";
const WHY_SEQUENCE: &str = "not set with `--dim`; default sequence length";

/// A size for every dimension that the inputs leave free. A sequence is as long as `context` says,
/// where it says.
pub fn sizes(model: &Model, typed: &Typed, caches: &Caches, context: Option<i64>) -> Sizes {
    let mut sizes = Sizes::new();
    let inputs = model.required_inputs();
    let lookups = lookups(model, typed, &inputs);
    let length = context.or_else(|| lookups.shortest.map(|rows| rows.min(TOKENS)));
    let step = Step::find(&caches.lengths(typed));
    for input in inputs {
        let Some(tensor) = typed.fact(input).as_tensor() else { continue };
        let looked_up = lookups.inputs.contains(&input);
        for (axis, dim) in tensor.dims().unwrap_or_default().iter().enumerate() {
            let alone = dim.as_symbol().is_some();
            for symbol in dim.symbols() {
                let name = symbol.name();
                let fed = looked_up && axis == 1 && alone;
                if let Some(assumed) = step.assumed(name, fed, length.unwrap_or(TOKENS)) {
                    sizes.insert(name.to_owned(), assumed);
                    continue;
                }
                let tokens = says_sequence(name) || fed;
                let assumed = match length {
                    _ if is_side_of_image(tensor, axis) => IMAGE,
                    Some(size) if tokens => {
                        Assumed { size, why: WHY_SEQUENCE, role: Role::Sequence }
                    }
                    _ => ONE,
                };
                let known = sizes.entry(name.to_owned()).or_insert(assumed);
                // One input may show what a dimension is where another does not.
                if known.size < assumed.size || known.role == Role::Other {
                    *known = assumed;
                }
            }
        }
    }
    sizes
}

/// Rows of the model's table of positions, where it looks positions up in one: no sequence can be
/// longer.
pub fn positions(model: &Model, typed: &Typed) -> Option<u64> {
    let found = lookups(model, typed, &model.required_inputs());
    // The only table is that of the words.
    found.shortest.filter(|_| found.tables > 1).and_then(|rows| u64::try_from(rows).ok())
}

/// Dimensions of one step of a decoder that carries a cache.
#[derive(Debug, Default)]
struct Step {
    /// Lengths of caches that grow.
    past: HashSet<String>,
    /// Lengths of caches that keep theirs.
    group: HashSet<String>,
    /// Tokens that the caches grow by.
    new: HashSet<String>,
    /// Whether there is something in the caches.
    has_past: bool,
}

impl Step {
    fn find(lengths: &[Lengths<'_>]) -> Self {
        let mut step = Self::default();
        for Lengths { past, present } in lengths {
            step.has_past |= past.as_const() != Some(0);
            let grows = present.is_none_or(|present| !present.always_eq(past));
            let kind = if grows { &mut step.past } else { &mut step.group };
            kind.extend(past.as_symbol().map(|symbol| symbol.name().to_owned()));
            let grown = present.map(|present| present - *past);
            let grown = grown.as_ref().and_then(Expr::as_symbol);
            step.new.extend(grown.map(|symbol| symbol.name().to_owned()));
        }
        step
    }

    /// What is assumed of a dimension because of the step, when a sequence has `length` tokens.
    /// `fed` tells that it counts tokens that are looked up.
    fn assumed(&self, name: &str, fed: bool, length: i64) -> Option<Assumed> {
        // A cache that is bound to be empty is filled by a prompt.
        let is_new = self.has_past && (self.new.contains(name) || fed && self.new.is_empty());
        if self.past.contains(name) {
            Some(Assumed { size: (length - 1).max(1), why: WHY_PAST, role: Role::Past })
        } else if self.group.contains(name) {
            Some(Assumed { size: length, why: WHY_CAPACITY, role: Role::Capacity })
        } else {
            is_new.then_some(NEW)
        }
    }
}

/// Names the assumptions in the report, each once.
pub fn tell(sizes: &Sizes, assumptions: &mut Vec<Assumption>) {
    for (name, assumed) in sizes {
        let assumption = Assumption {
            what: format!("dimension {name}"),
            value: assumed.size.to_string(),
            why: assumed.why.to_owned(),
        };
        if !assumptions.contains(&assumption) {
            assumptions.push(assumption);
        }
    }
}

/// The value of an expression at assumed sizes; `None` when the data decides it.
pub fn evaluate(expr: &Expr, sizes: &Sizes) -> Option<i64> {
    expr.as_const().or_else(|| expr.evaluate(|name| Some(sizes.get(name)?.size)).ok())
}

/// Names that speak of the tokens of one call. What came before them is another matter.
fn says_sequence(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("seq") && !name.contains("past")
}

/// `[batch, channels, height, width]` or `[batch, height, width, channels]` with 1, 3 or 4 channels.
fn is_side_of_image(tensor: &TensorFact, axis: usize) -> bool {
    let Some([_, second, third, last]) = tensor.dims() else { return false };
    let channels = |dim: &Expr| matches!(dim.as_const(), Some(1 | 3 | 4));
    let free = |dim: &Expr| dim.as_const().is_none();
    match axis {
        2 | 3 if channels(second) => free(third) && free(last),
        1 | 2 if channels(last) => free(second) && free(third),
        _ => false,
    }
}

/// Tables whose rows an input's integers pick.
#[derive(Debug, Default)]
struct Lookups {
    /// Those inputs.
    inputs: HashSet<ValueId>,
    /// Rows of the shortest table that is as wide as one of theirs: of positions, mostly.
    shortest: Option<i64>,
    /// Tables of that width.
    tables: usize,
}

fn lookups(model: &Model, typed: &Typed, inputs: &[ValueId]) -> Lookups {
    let fed: HashSet<ValueId> = inputs.iter().copied().collect();
    let mut found = Lookups::default();
    let mut tables = Vec::new();
    let mut width = None;
    for node in &model.main().order {
        let &[Some(table), Some(indices), ..] = model.inputs(*node) else { continue };
        if model.name(model.node(*node).op) != "Gather" {
            continue;
        }
        let Some(tensor) = typed.fact(table).as_tensor() else { continue };
        let Some([rows, columns]) = tensor.dims() else { continue };
        let (Some(rows), Some(columns)) = (rows.as_const(), columns.as_const()) else { continue };
        if matches!(tensor.dtype, DType::Int64 | DType::Int32) || rows <= FEW_ROWS {
            continue;
        }
        tables.push((rows, columns));
        let source = before_moves(model, indices);
        if fed.contains(&source) {
            found.inputs.insert(source);
            width = Some(columns);
        }
    }
    let as_wide = tables.iter().filter(|table| Some(table.1) == width);
    found.tables = as_wide.clone().count();
    found.shortest = as_wide.map(|table| table.0).min();
    found
}

/// The value whose elements these are, before a few changes of type or shape.
fn before_moves(model: &Model, mut value: ValueId) -> ValueId {
    for _ in 0..4 {
        let Producer::Node { node, .. } = model.value(value).producer else { break };
        let (domain, op) = (model.node(node).domain, model.node(node).op);
        let row = calipers_ops::find(model.name(domain), model.name(op));
        match model.inputs(node).first() {
            Some(Some(input)) if row.is_some_and(|row| row.traits.keeps_order()) => value = *input,
            _ => break,
        }
    }
    value
}
