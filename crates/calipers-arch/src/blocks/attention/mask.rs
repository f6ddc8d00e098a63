//! What is added to the attention scores: masks, causal ones above all, and learned biases.

use std::collections::VecDeque;

use calipers_ir::{Data, Producer, Span, ValueId};
use calipers_ops::{Class, Movement};
use hashbrown::HashSet;

use crate::network::{BlockKind, Network, Val};

/// Steps of a mask's computation that are looked at.
const MAX_STEPS: usize = 600;

/// Elements of a mask that are decoded where the file does not store their bytes in one piece.
const MAX_FIELDS: u64 = 1 << 21;

/// What masks and biases say.
#[derive(Default)]
pub(super) struct Masks {
    /// No position sees later ones.
    pub(super) causal: bool,
    /// Each head has a bias of its own.
    pub(super) relative: bool,
}

/// Looks at everything that is joined with the scores.
pub(super) fn find(net: &Network<'_>, others: &[Val], heads: Option<i64>) -> Masks {
    let mut masks = Masks::default();
    for other in others {
        if net.rank(*other).is_none_or(|rank| rank >= 2) {
            masks.causal = masks.causal || is_causal(net, *other);
            masks.relative = masks.relative || is_per_head(net, *other, heads);
        }
    }
    masks
}

/// Whether a bias differs between heads.
fn is_per_head(net: &Network<'_>, bias: Val, heads: Option<i64>) -> bool {
    let Some(heads) = heads.filter(|heads| *heads > 1) else { return false };
    let mut units = Vec::new();
    let bias = net.behind_views(bias, &mut units, 6);
    let Some(mut value) = net.value(bias) else { return false };
    // What only repeats a mask for every head says nothing.
    for _ in 0..6 {
        match producer(net, value) {
            Some((op, inputs)) if op == "Expand" || op == "Reshape" => match inputs.first() {
                Some(Some(input)) => value = *input,
                _ => break,
            },
            _ => break,
        }
    }
    let Some(shape) = shape(net, value) else { return false };
    let at = shape.len().checked_sub(3);
    at.and_then(|at| shape.get(at)?.as_const()) == Some(heads) && is_learned(net, bias, heads)
}

/// Whether a bias is computed by layers, or comes from stored numbers for each head.
fn is_learned(net: &Network<'_>, bias: Val, heads: i64) -> bool {
    walk(net, bias, |step| match step {
        Step::Operator(op, _) => is_layer(op),
        Step::Stored(value) => net.stored_tensor(value).is_some_and(|tensor| {
            let tensor = net.model.tensor(tensor);
            let number = tensor.dtype.is_float() || tensor.dtype.is_narrow_integer();
            number && tensor.dims.contains(&heads)
        }),
    })
}

/// Whether a mask is made of a triangle.
fn is_causal(net: &Network<'_>, mask: Val) -> bool {
    walk(net, mask, |step| match step {
        Step::Operator(op, inputs) => op == "Trilu" || compares_positions(net, op, inputs),
        Step::Stored(value) => is_triangle(net, value),
    })
}

/// A step of a mask's computation: an operator, with its inputs where all follow from shapes and
/// constants; or a stored tensor.
enum Step<'a> {
    Operator(&'a str, &'a [Option<ValueId>]),
    Stored(ValueId),
}

enum At {
    Network(Val),
    Model(ValueId),
}

/// Whether something is found among what a value is computed from, short of other layers.
fn walk<'a>(net: &'a Network<'_>, val: Val, found: impl Fn(Step<'a>) -> bool) -> bool {
    let mut queue = VecDeque::from([At::Network(val)]);
    let (mut vals, mut values) = (HashSet::new(), HashSet::new());
    while let Some(at) = queue.pop_front() {
        if vals.len() + values.len() > MAX_STEPS {
            return false;
        }
        let value = match at {
            At::Network(val) if net.is_data(val) => {
                let Some(unit) = net.producer(val).map(|unit| net.unit(unit)) else { continue };
                if found(Step::Operator(unit.op.id(), &[])) {
                    return true;
                }
                if vals.insert(val) && !stops(unit.op.id()) {
                    queue.extend(unit.inputs.iter().flatten().map(|input| At::Network(*input)));
                }
                continue;
            }
            At::Network(val) => match net.value(val) {
                Some(value) => value,
                None => continue,
            },
            At::Model(value) => value,
        };
        if !values.insert(value) {
            continue;
        }
        if found(Step::Stored(value)) {
            return true;
        }
        let Some((op, inputs)) = producer(net, value) else { continue };
        if found(Step::Operator(op, inputs)) {
            return true;
        }
        if !stops(op) {
            queue.extend(picked(op, inputs).iter().flatten().map(|input| At::Model(*input)));
        }
    }
    false
}

/// The inputs that an operator takes elements of. Indices only choose among them: the buckets of
/// relative positions are a triangle of numbers, and not a mask.
fn picked<'a>(op: &str, inputs: &'a [Option<ValueId>]) -> &'a [Option<ValueId>] {
    let row = calipers_ops::find_by_name(op);
    let gathers = row.is_some_and(|row| row.traits.movement == Some(Movement::Gather));
    if gathers { inputs.get(..1).unwrap_or_default() } else { inputs }
}

/// Whether this is a layer: an operator of the file, or a unit of the network.
fn is_layer(op: &str) -> bool {
    let row = calipers_ops::find_by_name(op);
    row.is_some_and(|row| row.traits.is_contraction()) || op == BlockKind::Linear.id()
}

/// What a mask's own computation begins after. A shape says nothing about what has it.
fn stops(op: &str) -> bool {
    let row = calipers_ops::find_by_name(op);
    is_layer(op) || row.is_some_and(|row| row.traits.class == Class::ShapeQuery)
}

fn producer<'a>(net: &'a Network<'_>, value: ValueId) -> Option<(&'a str, &'a [Option<ValueId>])> {
    let Producer::Node { node, .. } = net.model.value(value).producer else { return None };
    Some((net.model.name(net.model.node(node).op), net.model.inputs(node)))
}

fn shape<'a>(net: &'a Network<'_>, value: ValueId) -> Option<&'a [calipers_sym::Expr]> {
    net.typed.fact(value).as_tensor()?.dims()
}

/// Whether an operator compares a row of positions with a column of them.
fn compares_positions(net: &Network<'_>, op: &str, inputs: &[Option<ValueId>]) -> bool {
    if !["Greater", "GreaterOrEqual", "Less", "LessOrEqual"].contains(&op) {
        return false;
    }
    let [Some(a), Some(b)] = *inputs else { return false };
    let is_column = |value| {
        shape(net, value).is_some_and(|shape| match shape {
            [.., rows, columns] => columns.as_const() == Some(1) && rows.as_const() != Some(1),
            _ => false,
        })
    };
    let is_row = |value| {
        let last = shape(net, value).and_then(<[_]>::last);
        last.is_some_and(|columns| columns.as_const() != Some(1))
    };
    is_column(a) && is_row(b) || is_column(b) && is_row(a)
}

/// Whether a stored tensor is a triangle: its last two axes hold one value up to the diagonal that
/// ends in the last corner, and others after it. A few rows are looked at.
fn is_triangle(net: &Network<'_>, value: ValueId) -> bool {
    let Some(id) = net.stored_tensor(value) else { return false };
    let tensor = net.model.tensor(id);
    let [.., rows, columns] = *tensor.dims else { return false };
    let (Ok(rows), Ok(columns)) = (usize::try_from(rows), usize::try_from(columns)) else {
        return false;
    };
    let Some(offset) = columns.checked_sub(rows).filter(|_| rows >= 2) else { return false };
    let Some(size) = tensor.dtype.bits().filter(|bits| bits % 8 == 0) else { return false };
    let size = size as usize / 8;
    let packed = match tensor.data {
        Data::Raw(_) => None,
        Data::Fields { .. } | Data::Inline(_) => net.model.packed(id, MAX_FIELDS).ok(),
        Data::Absent | Data::External(_) => return false,
    };
    // Rows are read one by one: the tensor may be large, and remote.
    let row = |row: usize| {
        let start = row.checked_mul(columns)?.checked_mul(size)?;
        let end = start.checked_add(columns.checked_mul(size)?)?;
        match (&tensor.data, &packed) {
            (Data::Raw(span), _) => {
                let (first, last) = (span.start + start as u64, span.start + end as u64);
                let inside = Some(Span { start: first, end: last }).filter(|it| it.end <= span.end);
                net.model.source.slice(inside?)
            }
            (_, packed) => packed.as_ref()?.get(start..end),
        }
    };
    let Some(first) = row(0) else { return false };
    let (seen, hidden) = (&first[..size], &first[first.len() - size..]);
    seen != hidden
        && [0, 1, rows / 2, rows - 1].into_iter().all(|at| {
            row(at).is_some_and(|elements| {
                elements.chunks_exact(size).enumerate().all(|(column, element)| {
                    element == if column <= at + offset { seen } else { hidden }
                })
            })
        })
}
