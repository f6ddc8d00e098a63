//! Which weights of two models belong together.

use calipers_ir::{Model, NodeId, TensorId, ValueId};
use calipers_ops::{InputRole, Lowering, Operator};
use hashbrown::{HashMap, HashSet};

use super::operand::{Operand, Origin, Tracer, is_dequantizer, is_transposed, stored_tensor};
use crate::align::{Alignment, Differences, Pair, TensorPair};

/// Two weights at the same place of the two models.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) a: Operand,
    pub(super) b: Operand,
    /// The node that reads it, in the first model.
    pub(super) node: Option<NodeId>,
    /// Whether training changes it: not a shape, an index or a scale.
    pub(super) is_learned: bool,
}

/// Two weights that cannot be compared.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) tensors: TensorPair,
    pub(super) reason: String,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) candidates: Vec<Candidate>,
    pub(super) refused: Vec<Refusal>,
    /// Learned tensors that only one of the models has.
    pub(super) unmatched: (u64, u64),
}

/// Finds the weights that belong together.
pub(super) fn find(a: &Model, b: &Model, alignment: &Alignment) -> Found {
    let mut finder = Finder {
        a: Tracer { model: a, free: alignment.removed.iter().copied().collect() },
        b: Tracer { model: b, free: alignment.added.iter().copied().collect() },
        seen: HashSet::new(),
        found: Found::default(),
    };
    let mut misplaced = HashSet::new();
    for pair in &alignment.pairs {
        if pair.differences.operator {
            misplaced.extend(finder.same_inputs(pair));
        }
        finder.add_pair(pair);
    }
    for pair in finder.replaced(alignment) {
        finder.add_pair(&pair);
    }
    let readers = readers(a);
    for tensors in alignment.tensors.iter().filter(|tensors| !misplaced.contains(*tensors)) {
        let reader = readers.get(&tensors.a);
        let is_learned = reader.is_some_and(|reader| {
            is_learned(finder.a.row(reader.node), usize::try_from(reader.slot).unwrap_or(0))
        });
        let [left, right] =
            [(a, tensors.a), (b, tensors.b)].map(|(model, id)| Operand::stored(model, id));
        match (left, right) {
            (Ok(left), Ok(right)) => {
                finder.add(left, right, reader.map(|reader| reader.node), is_learned);
            }
            (Err(reason), _) | (_, Err(reason)) => finder.refuse(*tensors, reason),
        }
    }
    let sides = finder.seen.iter().map(|pair| (pair.a, pair.b)).unzip();
    let (mut seen_a, mut seen_b): (HashSet<TensorId>, HashSet<TensorId>) = sides;
    for candidate in &finder.found.candidates {
        seen_a.extend(super::tensors(&candidate.a));
        seen_b.extend(super::tensors(&candidate.b));
    }
    finder.found.unmatched = (unmatched(&finder.a, &seen_a), unmatched(&finder.b, &seen_b));
    finder.found
}

struct Finder<'a> {
    a: Tracer<'a>,
    b: Tracer<'a>,
    seen: HashSet<TensorPair>,
    found: Found,
}

impl Finder<'_> {
    /// Stored tensors at the same inputs. Where the operator is another one, these differ in
    /// meaning.
    fn same_inputs(&self, pair: &Pair) -> Vec<TensorPair> {
        let count = self.a.model.inputs(pair.a).len();
        let tensors = (0..count).filter_map(|slot| {
            Some(TensorPair { a: self.a.tensor(pair.a, slot)?, b: self.b.tensor(pair.b, slot)? })
        });
        tensors.collect()
    }

    fn add_pair(&mut self, pair: &Pair) {
        let (row_a, row_b) = (self.a.row(pair.a), self.b.row(pair.b));
        if let (Some(left), Some(right)) = (row_a, row_b)
            && is_dequantizer(left)
            && is_dequantizer(right)
        {
            let (left, right) =
                (self.a.dequantized(pair.a, left), self.b.dequantized(pair.b, right));
            self.add_origins(left, right, pair, true);
        }
        for (slot_a, slot_b) in self.slots(pair, row_a, row_b) {
            let left = self.a.origin(pair.a, slot_a);
            let right = self.b.origin(pair.b, slot_b);
            self.add_origins(left, right, pair, is_learned(row_a, slot_a));
        }
    }

    /// Contractions of the first model without a counterpart, with those of the second that hold
    /// weights of the same shape in another format: quantizers replace operators, and sometimes
    /// every node around them.
    ///
    /// Quantizers keep the order of nodes, and append to the names of weights. Pairs by name come
    /// first; the rest of a shape is paired in order where both models have as many.
    fn replaced(&self, alignment: &Alignment) -> Vec<Pair> {
        let mut groups: HashMap<Key, (Vec<Replaced>, Vec<Replaced>)> = HashMap::new();
        // Nodes matched with another operator that shares no input count too.
        let (mut removed, mut added) = (alignment.removed.clone(), alignment.added.clone());
        for pair in alignment.pairs.iter().filter(|pair| pair.differences.operator) {
            if self.slots(pair, self.a.row(pair.a), self.b.row(pair.b)).is_empty() {
                removed.push(pair.a);
                added.push(pair.b);
            }
        }
        for replaced in contractions(&self.a, &removed) {
            groups.entry(replaced.key.clone()).or_default().0.push(replaced);
        }
        for replaced in contractions(&self.b, &added) {
            groups.entry(replaced.key.clone()).or_default().1.push(replaced);
        }
        let mut pairs = Vec::new();
        for (mut left, mut right) in groups.into_values() {
            if left.is_empty() || right.is_empty() {
                continue;
            }
            by_name(&self.a, &mut left, &self.b, &mut right, &mut pairs);
            if left.len() == right.len() {
                pairs.extend(left.iter().zip(&right).map(|(a, b)| (a.node, b.node)));
            }
        }
        // Groups come in any order.
        pairs.sort_unstable();
        let differences = Differences { operator: true, ..Differences::default() };
        pairs.into_iter().map(|(a, b)| Pair::new(a, b, differences)).collect()
    }

    /// Inputs of two matched nodes that mean the same.
    fn slots(
        &self,
        pair: &Pair,
        row_a: Option<&Operator>,
        row_b: Option<&Operator>,
    ) -> Vec<(usize, usize)> {
        let counts = (self.a.model.inputs(pair.a).len(), self.b.model.inputs(pair.b).len());
        if !pair.differences.operator {
            let count = counts.0.min(counts.1);
            let is_swapped = count == 2
                && row_a.is_some_and(|row| row.traits.is_commutative)
                && self.is_swapped(pair);
            return match is_swapped {
                true => vec![(0, 1), (1, 0)],
                false => (0..count).map(|slot| (slot, slot)).collect(),
            };
        }
        match (row_a, row_b) {
            (Some(left), Some(right)) if plain(left) == plain(right) || is_product(left, right) => {
                let left = plain_inputs(left, counts.0);
                left.into_iter().zip(plain_inputs(right, counts.1)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether two commutative nodes have their weights at different inputs.
    fn is_swapped(&self, pair: &Pair) -> bool {
        let weights = |tracer: &Tracer<'_>, node| {
            [0, 1].map(|slot| !matches!(tracer.origin(node, slot), Origin::Other))
        };
        let (left, right) = (weights(&self.a, pair.a), weights(&self.b, pair.b));
        left[0] != left[1] && left[0] == right[1] && left[1] == right[0]
    }

    fn add_origins(&mut self, left: Origin, right: Origin, pair: &Pair, is_learned: bool) {
        match (left, right) {
            (Origin::Stored(mut left), Origin::Stored(mut right)) => {
                let flags = [(&self.a, pair.a, &left), (&self.b, pair.b, &right)].map(
                    |(tracer, node, side)| {
                        side.axes.len() == 2 && is_transposed(tracer.model, node)
                    },
                );
                // One of two products reads its weights transposed.
                if flags == [true, false] {
                    turn(&mut left);
                } else if flags == [false, true] {
                    turn(&mut right);
                }
                self.add(*left, *right, Some(pair.a), is_learned);
            }
            (Origin::Stored(left), Origin::Refused(right, reason)) => {
                self.refuse(TensorPair { a: left.tensor, b: right }, reason);
            }
            (Origin::Refused(left, reason), Origin::Stored(right)) => {
                self.refuse(TensorPair { a: left, b: right.tensor }, reason);
            }
            (Origin::Refused(left, reason), Origin::Refused(right, _)) => {
                self.refuse(TensorPair { a: left, b: right }, reason);
            }
            (Origin::Other, _) | (_, Origin::Other) => {}
        }
    }

    fn add(&mut self, a: Operand, b: Operand, node: Option<NodeId>, is_learned: bool) {
        if self.seen.insert(TensorPair { a: a.tensor, b: b.tensor }) {
            self.found.candidates.push(Candidate { a, b, node, is_learned });
        }
    }

    fn refuse(&mut self, tensors: TensorPair, reason: String) {
        if self.seen.insert(tensors) {
            self.found.refused.push(Refusal { tensors, reason });
        }
    }
}

/// The plain operator and the shape of its weights.
type Key = (&'static str, Vec<u64>);

/// A contraction without a counterpart.
struct Replaced {
    node: NodeId,
    weight: TensorId,
    key: Key,
}

/// Contractions with stored weights among these nodes, in the order of execution.
fn contractions(tracer: &Tracer<'_>, nodes: &[NodeId]) -> Vec<Replaced> {
    let mut found = Vec::new();
    for node in nodes {
        let Some(row) = tracer.row(*node) else { continue };
        let Some(slot) = row.traits.contraction.and_then(|part| part.weights.first().copied())
        else {
            continue;
        };
        let Origin::Stored(mut operand) = tracer.origin(*node, slot) else { continue };
        let plain = if plain(row) == "Gemm" { "MatMul" } else { plain(row) };
        if operand.axes.len() == 2 && is_transposed(tracer.model, *node) {
            turn(&mut operand);
        }
        let key = (plain, operand.lengths());
        found.push(Replaced { node: *node, weight: operand.tensor, key });
    }
    // Ids of nodes follow the order of the file.
    found.sort_by_key(|replaced| replaced.node);
    found
}

/// Takes out the pairs whose weights have one name, perhaps with something appended.
fn by_name(
    a: &Tracer<'_>,
    left: &mut Vec<Replaced>,
    b: &Tracer<'_>,
    right: &mut Vec<Replaced>,
    pairs: &mut Vec<(NodeId, NodeId)>,
) {
    let (names_a, names_b) = (Names::new(a.model, left), Names::new(b.model, right));
    let (mut taken_a, mut taken_b) = (HashSet::new(), HashSet::new());
    // Either model can be the quantized one: its names are the longer ones.
    let forward = right.iter().enumerate();
    let forward = forward.filter_map(|(at, replaced)| {
        Some((names_a.shorter(b.model.name(b.model.tensor(replaced.weight).name))?, at))
    });
    let backward = left.iter().enumerate();
    let backward = backward.filter_map(|(at, replaced)| {
        Some((at, names_b.shorter(a.model.name(a.model.tensor(replaced.weight).name))?))
    });
    for (place, other) in forward.chain(backward) {
        if !taken_a.contains(&place) && !taken_b.contains(&other) {
            taken_a.insert(place);
            taken_b.insert(other);
            pairs.push((left[place].node, right[other].node));
        }
    }
    let keep = |all: &mut Vec<Replaced>, taken: &HashSet<usize>| {
        let mut at = 0;
        all.retain(|_| {
            at += 1;
            !taken.contains(&(at - 1))
        });
    };
    keep(left, &taken_a);
    keep(right, &taken_b);
}

/// Bytes that a quantizer appends to a name, at most.
const MAX_APPENDED: usize = 64;

/// Places of weights by name. A name that several have names none.
struct Names<'m>(HashMap<&'m str, Option<usize>>);

impl<'m> Names<'m> {
    fn new(model: &'m Model, all: &[Replaced]) -> Self {
        let mut named = HashMap::new();
        for (at, replaced) in all.iter().enumerate() {
            let name = model.name(model.tensor(replaced.weight).name);
            named.entry(name).and_modify(|place| *place = None).or_insert(Some(at));
        }
        Self(named)
    }

    /// The weight of this name, or of the longest start of it.
    fn shorter(&self, name: &str) -> Option<usize> {
        let least = name.len().saturating_sub(MAX_APPENDED).max(1);
        let found = |length: usize| self.0.get(name.get(..length)?).copied().flatten();
        (least..=name.len()).rev().find_map(found)
    }
}

fn turn(operand: &mut Operand) {
    operand.axes.reverse();
    operand.through.push("transposed".to_owned());
}

/// The operator of the standard that a row is a variant of.
fn plain(row: &Operator) -> &'static str {
    row.traits.lowering.contraction().unwrap_or(row.name)
}

/// Whether both are matrix products: `Gemm` is one with a bias.
fn is_product(left: &Operator, right: &Operator) -> bool {
    [left, right].iter().all(|row| matches!(plain(row), "Gemm" | "MatMul"))
}

/// The inputs of a row in the order of the plain operator: data, weights, bias.
fn plain_inputs(row: &Operator, count: usize) -> Vec<usize> {
    match row.traits.lowering {
        Lowering::As(_, inputs) => inputs.to_vec(),
        Lowering::MatMul { factors, bias, .. } => factors.into_iter().chain(bias).collect(),
        _ => (0..count).collect(),
    }
}

/// Whether an input holds what training changes.
fn is_learned(row: Option<&Operator>, slot: usize) -> bool {
    row.is_none_or(|row| {
        !matches!(row.role(slot), InputRole::Scale | InputRole::Setting | InputRole::Data)
    })
}

/// The first node that reads each stored tensor.
fn readers(model: &Model) -> HashMap<TensorId, calipers_ir::Consumer> {
    let mut readers = HashMap::new();
    for (value, _) in model.values() {
        let (Some(tensor), Some(reader)) =
            (stored_tensor(model, value), model.consumers(value).first())
        else {
            continue;
        };
        readers.entry(tensor).or_insert(*reader);
    }
    readers
}

/// Names of stored tensors: their own, or those of the values they fill.
pub(super) fn names(model: &Model) -> HashMap<TensorId, ValueId> {
    let unnamed = |id: TensorId| model.name(model.tensor(id).name).is_empty();
    let values =
        model.values().filter_map(|(value, _)| Some((stored_tensor(model, value)?, value)));
    values.filter(|(tensor, _)| unnamed(*tensor)).collect()
}

/// Learned tensors of a model that are not among those seen.
fn unmatched(tracer: &Tracer<'_>, seen: &HashSet<TensorId>) -> u64 {
    let model = tracer.model;
    let mut counted = HashSet::new();
    for (value, _) in model.values() {
        let Some(tensor) = stored_tensor(model, value) else { continue };
        let dtype = model.tensor(tensor).dtype;
        let is_weight = dtype.is_float() || dtype.is_narrow_integer();
        let is_read = || {
            model.consumers(value).iter().any(|reader| {
                let slot = usize::try_from(reader.slot).unwrap_or(usize::MAX);
                is_learned(tracer.row(reader.node), slot)
            })
        };
        if is_weight && !seen.contains(&tensor) && is_read() {
            counted.insert(tensor);
        }
    }
    counted.len() as u64
}
