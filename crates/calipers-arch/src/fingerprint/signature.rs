//! The signature of a network: the shapes of its weights in order of execution.

use calipers_ir::{DType, GraphOrigin, Model, NodeId, WeightRole};
use calipers_ops::{Class, Movement};
use hashbrown::{HashMap, HashSet};

use super::library::{Library, ShapeId};
use super::shape::{VOCABULARY, WeightShape};
use crate::network::{Network, NetworkOp, Origin, Val};

/// Weights that are compared. A network with more is compared by its first ones.
const MAX_WEIGHTS: usize = 100_000;

/// Shapes of a network's weights, numbered as the library numbers them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signature {
    /// What it computes with, in order of execution.
    pub weights: Vec<ShapeId>,
    /// Places of weights that were used before, in order. A list of parameters has them once.
    pub repeated: Vec<usize>,
    /// What it looks up or adds.
    pub others: Vec<ShapeId>,
    /// Whether it looks words up in a table.
    pub vocabulary: bool,
    /// Numbers that were given; those of shapes that the library lacks follow its own.
    numbers: HashMap<WeightShape, ShapeId>,
    /// What a weight is compared as, and how often: 0 times for a vector.
    pieces: HashMap<WeightShape, (ShapeId, usize)>,
    unknown: Vec<WeightShape>,
    known: usize,
}

impl Signature {
    /// The signature of a network whose blocks are not folded yet.
    pub(crate) fn new(net: &Network<'_>, library: Library) -> Self {
        let mut signature = Self { known: library.shapes(), ..Self::default() };
        let mut tables: Vec<WeightShape> = Vec::new();
        let mut used: HashSet<Val> = HashSet::with_capacity(net.units().count());
        for (_, unit) in net.units() {
            if signature.weights.len() >= MAX_WEIGHTS {
                break;
            }
            signature.read(net, library, unit, &mut tables, &mut used);
        }
        if net.model.header.graph_origin == GraphOrigin::Absent {
            signature.read_stored(net.model, library);
        }
        for shape in folded(net) {
            let id = signature.number(library, shape);
            signature.others.push(id);
        }
        // A table that also gives the scores of words is one weight.
        for table in tables {
            let id = signature.number(library, table);
            signature.others.push(id);
        }
        signature
    }

    /// The weights of a file without a graph, in its order: that of the modules they belong to.
    fn read_stored(&mut self, model: &Model, library: Library) {
        let stated = model.stored_weights().iter();
        let weights = stated.filter(|weight| weight.role == WeightRole::Weight);
        for weight in weights.take(MAX_WEIGHTS) {
            let dims = &model.tensor(weight.tensor).dims;
            let Some(shape) = WeightShape::new(dims) else { continue };
            // Tables of words have as many rows as words, and are looked up.
            if matches!(**dims, [rows, _] if rows >= VOCABULARY) {
                self.vocabulary = true;
                let id = self.number(library, shape);
                self.others.push(id);
            } else {
                self.push(library, shape, true);
            }
        }
    }

    fn read(
        &mut self,
        net: &Network<'_>,
        library: Library,
        unit: &NetworkOp,
        tables: &mut Vec<WeightShape>,
        used: &mut HashSet<Val>,
    ) {
        let stored = |at: usize| unit.input(at).filter(|val| net.origin(*val) == Origin::Constant);
        // Some exporters cut a weight by sizes that they read from the data.
        let weights = |at: usize| unit.input(at).filter(|val| net.origin(*val) <= Origin::Shape);
        if unit.is_class(Class::Recurrent) {
            for weights in [1, 2].into_iter().filter_map(stored) {
                let Some(dims) = dims(net, weights) else { continue };
                let [directions, layer @ ..] = &dims[..] else { continue };
                let Some(shape) = WeightShape::new(layer) else { continue };
                let is_first = used.insert(weights);
                for _ in 0..(*directions).clamp(1, 2) {
                    self.push(library, shape, is_first);
                }
            }
        } else if unit.is_contraction() {
            let weights = (0..unit.inputs.len()).filter_map(|at| weights(at).map(|val| (at, val)));
            for (at, weights) in weights {
                if is_batched(net, unit, weights) {
                    self.add_constant(net, library, weights);
                    continue;
                }
                let Some(shape) = product(net, unit, at, weights) else { continue };
                let is_first = used.insert(weights);
                let is_cut = net.origin(weights) == Origin::Shape;
                for shape in is_cut.then(|| halves(shape)).flatten().unwrap_or_else(|| vec![shape])
                {
                    self.push(library, shape, is_first);
                }
            }
        } else if unit.movement() == Some(Movement::Gather) {
            let Some(table) = stored(0) else { return };
            let Some(dims) = dims(net, table) else { return };
            let Some(shape) = WeightShape::new(&dims) else { return };
            self.vocabulary |= dims.first().is_some_and(|rows| *rows >= VOCABULARY);
            if !tables.contains(&shape) {
                tables.push(shape);
            }
        } else {
            for constant in (0..unit.inputs.len()).filter_map(weights) {
                self.add_constant(net, library, constant);
            }
        }
    }

    /// Adds what the network looks up or adds. Learned tokens are repeated for each item of a batch
    /// of unknown size, which is left out.
    fn add_constant(&mut self, net: &Network<'_>, library: Library, constant: Val) {
        let Some(shape) = net.shape(constant) else { return };
        let dims: Vec<i64> = shape.iter().map(|dim| dim.as_const().unwrap_or(1)).collect();
        if let Some(shape) = WeightShape::new(&dims).filter(|shape| shape.is_matrix()) {
            let id = self.number(library, shape);
            self.others.push(id);
        }
    }

    fn push(&mut self, library: Library, shape: WeightShape, is_first: bool) {
        let (id, times) = match self.pieces.get(&shape) {
            Some(known) => *known,
            None => {
                let (piece, times) = shape.split();
                let id = self.number(library, piece);
                let times = if piece.is_matrix() { times } else { 0 };
                self.pieces.insert(shape, (id, times));
                (id, times)
            }
        };
        if times == 0 {
            return self.others.push(id);
        }
        let start = self.weights.len();
        self.weights.extend(std::iter::repeat_n(id, times));
        if !is_first {
            self.repeated.extend(start..self.weights.len());
        }
    }

    /// The number of a shape, a new one where the library lacks it.
    fn number(&mut self, library: Library, shape: WeightShape) -> ShapeId {
        let Self { numbers, unknown, known, .. } = self;
        *numbers.entry(shape).or_insert_with(|| {
            library.id(shape).unwrap_or_else(|| {
                unknown.push(shape);
                ShapeId::try_from(*known + unknown.len() - 1).unwrap_or(ShapeId::MAX)
            })
        })
    }

    /// The signature of a network of the library.
    #[cfg(test)]
    pub(crate) fn of_entry(library: Library, entry: super::library::Entry) -> Self {
        Self {
            weights: entry.weights(),
            others: entry.others(),
            vocabulary: entry.has_vocabulary(),
            known: library.shapes(),
            ..Self::default()
        }
    }

    /// Replaces a weight by one of another shape.
    #[cfg(test)]
    pub(crate) fn replace(&mut self, library: Library, at: usize, dims: &[i64]) {
        let shape = WeightShape::new(dims).unwrap();
        self.weights[at] = self.number(library, shape);
    }

    /// The shapes of the weights in order, as text.
    pub(crate) fn text(&self, library: Library) -> Vec<String> {
        let shapes = self.weights.iter().filter_map(|id| self.shape(library, *id));
        let written =
            |dims: Vec<i64>| dims.iter().map(i64::to_string).collect::<Vec<_>>().join("x");
        shapes.map(|shape| written(shape.dims())).collect()
    }

    /// The shape of a number.
    pub(crate) fn shape(&self, library: Library, id: ShapeId) -> Option<WeightShape> {
        let unknown = (id as usize).checked_sub(self.known);
        unknown.map_or_else(|| library.shape(id), |at| self.unknown.get(at).copied())
    }
}

/// The projections to keys and to values, where one weight is both: it was cut from the projection
/// to queries, keys and values.
fn halves(shape: WeightShape) -> Option<Vec<WeightShape>> {
    match shape.dims()[..] {
        [narrow, wide] if narrow.checked_mul(2) == Some(wide) => {
            Some(vec![WeightShape::new(&[narrow, narrow])?; 2])
        }
        _ => None,
    }
}

/// Weights of layers that read no data, such as a network that computes position biases. Some
/// exporters fold them into what they result in, so they are only a hint.
fn folded(net: &Network<'_>) -> Vec<WeightShape> {
    let mut computed = vec![false; net.model.nodes().len()];
    for (_, unit) in net.units() {
        computed[unit.node.index()] = true;
    }
    let is_layer = |node: &NodeId| {
        net.written_operator(*node).is_some_and(|operator| operator.traits.is_contraction())
    };
    let constant = net.model.nodes().map(|(node, _)| node).filter(|node| !computed[node.index()]);
    let mut shapes = Vec::new();
    for node in constant.filter(is_layer) {
        let inputs = net.model.inputs(node).iter().flatten();
        let stored = inputs.filter_map(|value| net.stored_tensor(*value));
        let dims = stored.map(|tensor| &net.model.tensor(tensor).dims[..]);
        shapes.extend(dims.filter_map(WeightShape::new).filter(|shape| shape.is_matrix()));
    }
    shapes
}

/// The dimensions of a value, when all are numbers.
fn dims(net: &Network<'_>, val: Val) -> Option<Vec<i64>> {
    net.shape(val)?.iter().map(calipers_sym::Expr::as_const).collect()
}

/// Whether a product has another matrix for each place of a batch: positions, or experts. The weight
/// of a layer is one matrix for all.
fn is_batched(net: &Network<'_>, unit: &NetworkOp, weights: Val) -> bool {
    let shape = net.shape(weights).unwrap_or_default();
    let is_stack = shape.iter().filter(|dim| dim.as_const() != Some(1)).count() > 2;
    is_stack && unit.is(["MatMul", "Einsum"]) && net.dtype(weights).is_some_and(DType::is_float)
}

/// The shape of a weight of a product or a convolution. Weights of few bits are packed, so the
/// widths of what is multiplied go first.
fn product(net: &Network<'_>, unit: &NetworkOp, at: usize, weights: Val) -> Option<WeightShape> {
    let stored = dims(net, weights)?;
    // Only integers are packed.
    let is_float = net.dtype(weights).is_some_and(DType::is_float);
    let multiplies = unit.is(["Gemm", "MatMul"]) && at == 1 && !is_float;
    if !multiplies {
        // The third one is a bias.
        return (at < 2).then(|| WeightShape::new(&stored)).flatten();
    }
    let transposed = unit.is("Gemm") && net.int(unit, "transA") == Some(1);
    let wide = net.dim(unit.input(0)?, if transposed { -2 } else { -1 });
    let out = net.dim(unit.output(), -1);
    match (wide, out, &stored[..]) {
        (Some(wide), Some(out), [_, _]) => WeightShape::new(&[wide, out]),
        (_, _, [_, _]) => WeightShape::new(&stored),
        // Packed in blocks: rows × blocks × bytes.
        (Some(wide), Some(out), [rows, ..]) if *rows == out => WeightShape::new(&[wide, out]),
        _ => WeightShape::new(&stored),
    }
}
