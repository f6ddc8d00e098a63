//! Sizes assumed for free dimensions.
//!
//! A figure in bytes or operations needs a number for every dimension. Dimensions of the inputs that
//! are left free get one here, and the report's `assumptions` name each of them:
//!
//! - height and width of an image are 224: with 1 most networks could not run. Where one side is
//!   fixed, the other is as long; a line of text (height at most 64) is 20/3 as wide as high, rounded
//!   to a multiple of 32, which is 320 for 48;
//! - a video has 16 frames, a feature map of more than 16 channels 32 positions a side;
//! - a sound is one second: 16,000 samples, or 100 frames of a spectrogram;
//! - a sequence of tokens is 128 long, or as long as the model's shortest table of embeddings; a
//!   sequence of feature vectors is 128 long;
//! - a graph has 100 nodes and 400 edges, where an input lists edges as two rows of node numbers;
//! - channels and features are as many as the weights that read them have;
//! - a decoder that carries a cache takes one step: one new token, after as many as make up that
//!   length. This is what such a model does most of the time, and at its end the cache holds a whole
//!   sequence. Who wants the prompt instead binds the new tokens, and the past to 0;
//! - everything else, batches above all, is 1, and so are the elements of integer inputs from which
//!   shapes are computed.
//!
//! What an input is follows from its rank, its fixed sizes and what reads it
//! ([`calipers_infer::inputs`]).
//!
//! Nothing is assumed of a dimension that the data decides.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use calipers_infer::Typed;
use calipers_infer::inputs::{AxisRole, InputKind, InputLayout, layout};
use calipers_ir::{DType, Model, Producer, ValueId};
use calipers_ops::TensorFact;
use calipers_report::Assumption;
use calipers_sym::{Expr, Symbol};
use hashbrown::HashSet;

use crate::memory::{Caches, Lengths};

/// Length assumed of a sequence of tokens.
const TOKENS: i64 = 128;

/// Height and width assumed of an image.
const PIXELS: i64 = 224;

/// Height and width assumed of a feature map.
const POSITIONS: i64 = 32;

/// Frames assumed of a video.
const VIDEO_FRAMES: i64 = 16;

/// Samples assumed of a sound: one second at 16 kHz.
const SAMPLES: i64 = 16_000;

/// Frames assumed of a spectrogram: one second at 10 ms each.
const SOUND_FRAMES: i64 = 100;

/// Nodes and edges assumed of a graph.
const NODES: i64 = 100;
const EDGES: i64 = 400;

/// Tables with fewer rows are not position tables, but token types for example.
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
    /// Tokens or other steps of a sequence.
    Sequence,
    /// Samples or frames of a sound or a video.
    Time,
    /// A side of an image whose other side is fixed.
    Side,
    /// Channels or features that weights read.
    Features,
    /// An element of an integer input.
    Value,
    /// Anything else, batches above all.
    Other,
}

/// Assumed sizes by the names of dimensions.
pub type Sizes = BTreeMap<String, Assumed>;

const ONE: Assumed =
    Assumed { size: 1, why: "not set with --dim; default size", role: Role::Other };
const BATCH: Assumed =
    Assumed { size: 1, why: "not set with --dim; default batch size", role: Role::Other };
const VALUE: Assumed =
    Assumed { size: 1, why: "not set with --value; default value", role: Role::Value };
const NEW: Assumed =
    Assumed { size: 1, why: "not set with --dim; one decoding step", role: Role::New };
const WHY_IMAGE: &str = "not set with --dim; default image size";
const WHY_SQUARE: &str = "not set with --dim; square image";
const WHY_LINE: &str = "not set with --dim; default width of a text line of this height";
const WHY_MAP: &str = "not set with --dim; default feature map size";
const WHY_VIDEO: &str = "not set with --dim; default number of video frames";
const WHY_SAMPLES: &str = "not set with --dim; 1 s of audio at 16 kHz";
const WHY_FRAMES: &str = "not set with --dim; 1 s of audio at 100 frames per second";
const WHY_FEATURES: &str = "not set with --dim; size of the weights that read it";
const WHY_NODES: &str = "not set with --dim; default number of graph nodes";
const WHY_EDGES: &str = "not set with --dim; default number of graph edges";
const WHY_PAST: &str = "not set with --dim; default tokens in the KV cache";
const WHY_CAPACITY: &str = "not set with --dim; default capacity of the KV cache";
const WHY_SEQUENCE: &str = "not set with --dim; default sequence length";

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
        let by_layout = by_layout(model, input, tensor);
        for (axis, dim) in tensor.dims().unwrap_or_default().iter().enumerate() {
            let alone = dim.as_symbol().is_some();
            for symbol in dim.symbols() {
                let name = symbol.name();
                let fed = looked_up && axis == 1 && alone;
                if let Some(assumed) = step.assumed(name, fed, length.unwrap_or(TOKENS)) {
                    sizes.insert(name.to_owned(), assumed);
                    continue;
                }
                let hint = model.symbol_hint(name);
                let tokens = hint.judge(names_sequence) || fed;
                let shown = by_layout.get(axis).copied().flatten().filter(|_| alone);
                let assumed = match (length, shown) {
                    _ if hint.judge(names_batch) => BATCH,
                    (_, Some(shown)) if shown.role != Role::Sequence => shown,
                    (Some(size), _) if tokens => sequence(size),
                    (context, Some(_)) => sequence(context.unwrap_or(TOKENS)),
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
    graphs(model, typed, &mut sizes);
    values(model, typed, &mut sizes);
    sizes
}

/// Assumes how many nodes and edges a graph has, where an input lists its edges.
fn graphs(model: &Model, typed: &Typed, sizes: &mut Sizes) {
    let inputs = model.required_inputs();
    let shaped = || {
        let tensors =
            inputs.iter().filter_map(|input| Some((*input, typed.fact(*input).as_tensor()?)));
        tensors.filter_map(|(input, tensor)| Some((input, tensor, tensor.dims()?)))
    };
    let scatters = || {
        let mut nodes = model.nodes();
        nodes.any(|(_, node)| model.name(node.op).starts_with("Scatter"))
    };
    let edges: Vec<&Symbol> = shaped()
        .filter(|(_, tensor, _)| matches!(tensor.dtype, DType::Int32 | DType::Int64))
        .filter_map(|(input, _, dims)| {
            let [two, edges] = dims else { return None };
            let hint = model.hint(model.value(input).name);
            let is_named = || hint.judge(|name| name.to_lowercase().contains("edge"));
            let lists = two.as_const() == Some(2) && (is_named() || scatters());
            edges.as_symbol().filter(|_| lists)
        })
        .collect();
    let mut assume = |symbol: &Symbol, size, why| {
        sizes.insert(symbol.name().to_owned(), Assumed { size, why, role: Role::Other });
    };
    for symbol in &edges {
        assume(symbol, EDGES, WHY_EDGES);
    }
    if edges.is_empty() {
        return;
    }
    // Rows of features are those of nodes, where they are not those of edges.
    for (_, tensor, dims) in shaped() {
        if let [nodes, _] = dims
            && tensor.dtype.is_float()
            && let Some(symbol) = nodes.as_symbol()
            && !edges.contains(&symbol)
        {
            assume(symbol, NODES, WHY_NODES);
        }
    }
}

fn sequence(size: i64) -> Assumed {
    Assumed { size, why: WHY_SEQUENCE, role: Role::Sequence }
}

/// What the kind of an input shows of its free dimensions.
fn by_layout(model: &Model, input: ValueId, tensor: &TensorFact) -> Vec<Option<Assumed>> {
    let sizes: Vec<Option<i64>> =
        tensor.dims().unwrap_or_default().iter().map(Expr::as_const).collect();
    let layout = layout(model, input, tensor.dtype, &sizes);
    let roles = layout.axes.iter().enumerate();
    roles.map(|(axis, role)| axis_size(&layout, &sizes, axis, (*role)?)).collect()
}

fn axis_size(
    layout: &InputLayout,
    sizes: &[Option<i64>],
    axis: usize,
    role: AxisRole,
) -> Option<Assumed> {
    let assumed = |size, why, role| Some(Assumed { size, why, role });
    let fixed = |wanted: AxisRole| {
        let axis = layout.axes.iter().position(|role| *role == Some(wanted))?;
        sizes[axis]
    };
    sizes[axis].is_none().then_some(())?;
    match (role, layout.kind) {
        (AxisRole::Height | AxisRole::Width, InputKind::FeatureMap) => {
            assumed(POSITIONS, WHY_MAP, Role::Image)
        }
        (AxisRole::Width, InputKind::TextLine) => {
            assumed(line_width(fixed(AxisRole::Height)?), WHY_LINE, Role::Side)
        }
        (AxisRole::Height, _) => match fixed(AxisRole::Width) {
            Some(width) => assumed(width.max(1), WHY_SQUARE, Role::Side),
            None => assumed(PIXELS, WHY_IMAGE, Role::Image),
        },
        (AxisRole::Width, _) => match fixed(AxisRole::Height) {
            Some(height) => assumed(height.max(1), WHY_SQUARE, Role::Side),
            None => assumed(PIXELS, WHY_IMAGE, Role::Image),
        },
        (AxisRole::Frames, InputKind::Video) => assumed(VIDEO_FRAMES, WHY_VIDEO, Role::Time),
        (AxisRole::Frames, _) => assumed(SOUND_FRAMES, WHY_FRAMES, Role::Time),
        (AxisRole::Samples, _) => assumed(SAMPLES, WHY_SAMPLES, Role::Time),
        // How long sequences of tokens are is for the tables to say.
        (AxisRole::Sequence, InputKind::Tokens) => None,
        (AxisRole::Sequence, _) => assumed(TOKENS, WHY_SEQUENCE, Role::Sequence),
        (AxisRole::Channels | AxisRole::Features, _) => {
            assumed(layout.features.filter(|size| *size > 0)?, WHY_FEATURES, Role::Features)
        }
        (AxisRole::Batch, _) => assumed(1, BATCH.why, BATCH.role),
    }
}

/// The width assumed of a line of text: 20/3 of its height, rounded to a multiple of 32.
fn line_width(height: i64) -> i64 {
    ((height * 20 + 48) / 96 * 32).max(32)
}

/// Assumes elements of integer inputs from which a shape or a cost is computed.
fn values(model: &Model, typed: &Typed, sizes: &mut Sizes) {
    let inputs = model.required_inputs();
    let elements =
        inputs.iter().filter_map(|input| typed.fact(*input).as_tensor()?.value.as_deref());
    let symbols: BTreeSet<Symbol> = elements
        .flatten()
        .filter_map(|element| element.as_expr())
        .flat_map(Expr::symbols)
        .collect();
    if symbols.is_empty() {
        return;
    }
    let shapes = model.values().filter_map(|(id, _)| typed.fact(id).as_tensor()?.dims()).flatten();
    let total = &typed.total;
    let costs = [&total.macs, &total.other_flops, &total.bytes_moved];
    let used: BTreeSet<Symbol> =
        shapes.filter(|dim| !dim.is_const()).chain(costs).flat_map(Expr::symbols).collect();
    for symbol in symbols.intersection(&used) {
        sizes.insert(symbol.name().to_owned(), VALUE);
    }
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
    /// Lengths of caches that do not grow.
    capacity: HashSet<String>,
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
            let kind = if grows { &mut step.past } else { &mut step.capacity };
            kind.extend(past.as_symbol().map(|symbol| symbol.name().to_owned()));
            let grown = present.map(|present| present - *past);
            let grown = grown.as_ref().and_then(Expr::as_symbol);
            step.new.extend(grown.map(|symbol| symbol.name().to_owned()));
        }
        step
    }

    /// What is assumed of a dimension because of the step, when a sequence has `length` tokens.
    /// `fed` is whether it counts tokens that are looked up.
    fn assumed(&self, name: &str, fed: bool, length: i64) -> Option<Assumed> {
        // A cache that is bound to be empty is filled by a prompt.
        let is_new = self.has_past && (self.new.contains(name) || fed && self.new.is_empty());
        if self.past.contains(name) {
            Some(Assumed { size: (length - 1).max(1), why: WHY_PAST, role: Role::Past })
        } else if self.capacity.contains(name) {
            Some(Assumed { size: length, why: WHY_CAPACITY, role: Role::Capacity })
        } else {
            is_new.then_some(NEW)
        }
    }
}

/// Names the assumptions in the report, each once.
pub fn report(sizes: &Sizes, assumptions: &mut Vec<Assumption>) {
    let mut known: HashSet<Assumption> = assumptions.iter().cloned().collect();
    for (name, assumed) in sizes {
        let assumption = Assumption {
            what: match assumed.role {
                Role::Value => format!("value {name}"),
                _ => format!("dimension {name}"),
            },
            value: assumed.size.to_string(),
            why: assumed.why.to_owned(),
        };
        if known.insert(assumption.clone()) {
            assumptions.push(assumption);
        }
    }
}

/// The value of an expression at assumed sizes; `None` when the data decides it.
pub fn evaluate(expr: &Expr, sizes: &Sizes) -> Option<i64> {
    expr.as_const().or_else(|| expr.evaluate(|name| Some(sizes.get(name)?.size)).ok())
}

/// Whether a name is that of the tokens of one call, and not of those before them.
fn names_sequence(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("seq") && !name.contains("past")
}

/// Whether a name is that of a batch.
fn names_batch(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("batch") || matches!(&*name, "n" | "b" | "bs")
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
