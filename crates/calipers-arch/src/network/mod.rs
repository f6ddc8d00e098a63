//! The network inside a graph, as a person would draw it.
//!
//! A file says how a network is computed: with casts, with quantized operators, with a hundred
//! nodes that work out shapes, with one node where another exporter writes ten. The [`Network`] keeps
//! what carries data. Casts, identities and quantization are looked through; quantized and fused
//! operators are written as the plain ones they represent; functions and branches are entered; what
//! follows from constants and shapes alone is left out.
//!
//! It consists of [`NetworkOp`]s joined by [`Val`]s, in an order of execution. Patterns in
//! [`blocks`](crate::blocks) fold units into larger ones, so it ends as a tree of blocks.

mod block_kind;
mod build;
mod details;
mod fold;
mod lower;
mod op;
mod outline;
mod query;

use std::cell::OnceCell;

pub use block_kind::{BlockKind, BlockProperties};
use calipers_infer::Typed;
use calipers_ir::{Model, NodeId, ValueId};
use calipers_ops::{Class, Movement, Operator, Traits, canonical_domain};
use calipers_sym::Expr;
pub use details::*;
pub use fold::Found;
use hashbrown::HashMap;
pub use op::{NORMS, Op, OpSet, Ops, With};

/// A value of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Val(u32);

/// A unit of the network. A smaller one runs earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(u32);

impl Val {
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl OpId {
    /// The place in the order of execution, counted with units that were folded.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a value follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The file alone: weights, and what is computed from them.
    Constant,
    /// Shapes of the inputs, and constants.
    Shape,
    /// The range of some data, for quantizing it as it comes.
    Range,
    /// The data.
    Data,
}

/// An operation or, after recognition, a block of operations.
#[derive(Clone, Debug)]
pub struct NetworkOp {
    /// The operator that it represents, or the kind of a block.
    pub op: Op,
    /// The row of that operator; `None` for a block, and for an operator that is not known.
    pub operator: Option<&'static Operator>,
    /// What it reads; `None` for an input that is left out.
    pub inputs: Vec<Option<Val>>,
    /// What it gives.
    pub outputs: Vec<Val>,
    /// The node it comes from; for a block, the node of its last unit.
    pub node: NodeId,
    /// What a block is made of, in order; empty for an operation.
    pub parts: Vec<NetworkOp>,
    details: Option<Box<Details>>,
    /// Whether it still is in the network and not in a block.
    alive: bool,
}

#[derive(Debug)]
struct ValInfo {
    origin: Origin,
    producer: Option<OpId>,
    /// The value of the model whose type and shape it has.
    like: Option<ValueId>,
    /// Its dimensions, where they are in another order than those of that value.
    reordered: Option<Vec<Expr>>,
    uses: Vec<OpId>,
    /// How often it is an output of the network.
    given: u32,
}

/// The network.
pub struct Network<'a> {
    /// The model it was built from.
    pub model: &'a Model,
    /// The inferred types and shapes of the model.
    pub typed: &'a Typed,
    units: Vec<NetworkOp>,
    vals: Vec<ValInfo>,
    /// Units of each operator or kind, the dead among them.
    by_op: HashMap<Op, Vec<OpId>>,
    /// Units of each operator or kind, inside blocks too, counted when that is first asked.
    counts: OnceCell<HashMap<Op, i64>>,
    /// Inputs of the model that are not weights.
    pub inputs: Vec<Val>,
    /// Outputs of the model.
    pub outputs: Vec<Val>,
}

impl NetworkOp {
    /// Whether it is one of these operators or kinds.
    pub fn is(&self, set: impl OpSet) -> bool {
        set.has_unit(self)
    }

    /// The kind of a block; `None` for an operator.
    pub fn block(&self) -> Option<BlockKind> {
        self.op.block()
    }

    /// What a pattern found out about a block; `None` for operators and kinds without details.
    pub fn details(&self) -> Option<&Details> {
        self.details.as_deref()
    }

    /// The traits of its operator; `None` for a block.
    pub fn traits(&self) -> Option<&'static Traits> {
        self.operator.map(|operator| &operator.traits)
    }

    /// Whether it is an operator whose traits pass a test.
    pub fn has_trait(&self, test: impl FnOnce(&Traits) -> bool) -> bool {
        self.traits().is_some_and(test)
    }

    /// Whether it is a norm: a block of [`BlockKind::is_norm`] or [`BlockKind::L2Norm`], or an
    /// operator of the same family that no pattern folded.
    pub fn is_normalization(&self) -> bool {
        match self.op {
            Op::Block(kind) => kind.is_norm() || kind == BlockKind::L2Norm,
            Op::Operator(_) => self.has_trait(|traits| traits.norm().is_some()),
            Op::Unknown => false,
        }
    }

    /// Whether it takes ranges, or elements at given indices, of its first input.
    pub fn is_cut(&self) -> bool {
        matches!(self.movement(), Some(Movement::Gather | Movement::Slice))
    }

    /// Whether it is an operator of this class.
    pub fn is_class(&self, class: Class) -> bool {
        self.traits().is_some_and(|traits| traits.class == class)
    }

    /// Whether it is an operator that sums products.
    pub fn is_contraction(&self) -> bool {
        self.traits().is_some_and(Traits::is_contraction)
    }

    /// How it moves its first input, if it is an operator that does nothing else.
    pub fn movement(&self) -> Option<Movement> {
        self.traits()?.movement
    }

    /// Whether it is an operator that changes how data is arranged and nothing else.
    pub fn is_layout(&self) -> bool {
        self.movement().is_some_and(Movement::is_layout)
    }

    /// An input that is there.
    pub fn input(&self, index: usize) -> Option<Val> {
        self.inputs.get(index).copied().flatten()
    }

    /// The first output.
    pub fn output(&self) -> Val {
        self.outputs[0]
    }

    /// The details under their names, in the order of the report.
    pub fn entries(&self) -> Entries {
        self.details().map(Details::entries).unwrap_or_default()
    }

    /// A figure of a block of whatever kind.
    pub fn number(&self, key: DetailKey) -> Option<i64> {
        self.details().and_then(|details| details.entries().get_number(key))
    }

    /// The convolution that it is, by itself or with the norm and the activation that follow it.
    pub fn folded_convolution(&self) -> Option<&Convolution> {
        match self.details()? {
            Details::Convolution(convolution) => Some(convolution),
            Details::ConvNormAct(folded) => Some(&folded.convolution),
            _ => None,
        }
    }

    /// How many matrix products, convolutions and the like are inside.
    pub fn contractions(&self) -> usize {
        let inside = self.walk().filter(|unit| unit.parts.is_empty());
        inside.filter(|unit| unit.is_contraction()).count()
    }

    /// Every unit inside, this one first, parts before what follows them.
    pub fn walk(&self) -> impl Iterator<Item = &NetworkOp> {
        // Most units have no parts, and then nothing is allocated.
        let (mut first, mut stack) = (Some(self), Vec::new());
        std::iter::from_fn(move || {
            let unit = first.take().or_else(|| stack.pop())?;
            stack.extend(unit.parts.iter().rev());
            Some(unit)
        })
    }
}

impl<'a> Network<'a> {
    /// The row of a node's operator as the file writes it, before lowering.
    pub fn written_operator(&self, node: NodeId) -> Option<&'static Operator> {
        let node = self.model.node(node);
        let domain = canonical_domain(self.model.name(node.domain));
        calipers_ops::find(domain, self.model.name(node.op))
    }

    /// The unit. A dead one is empty: its parts are in the block that took it.
    pub fn unit(&self, id: OpId) -> &NetworkOp {
        &self.units[id.index()]
    }

    /// Every unit that is in the network, in order of execution.
    pub fn units(&self) -> impl Iterator<Item = (OpId, &NetworkOp)> {
        let numbered = self.units.iter().enumerate();
        numbered.filter(|(_, unit)| unit.alive).map(|(index, unit)| (unit_id(index), unit))
    }

    /// Units of an operator or kind, in order of execution.
    pub fn of_op(&self, op: impl Into<Op>) -> Vec<OpId> {
        let op = op.into();
        let mut ids = self.by_op.get(&op).cloned().unwrap_or_default();
        ids.retain(|id| self.is_alive(*id, op));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Every unit of the network and inside its blocks.
    pub fn all(&self) -> impl Iterator<Item = &NetworkOp> {
        self.units().flat_map(|(_, unit)| unit.walk())
    }

    /// How many units of a kind there are, inside blocks too.
    pub fn count(&self, op: impl Into<Op>) -> i64 {
        let counts = self.counts.get_or_init(|| {
            let mut counts: HashMap<Op, i64> = HashMap::new();
            for unit in self.all() {
                *counts.entry(unit.op).or_default() += 1;
            }
            counts
        });
        counts.get(&op.into()).copied().unwrap_or(0)
    }

    /// How many units of a set there are, inside blocks too.
    pub fn count_in(&self, set: impl OpSet) -> i64 {
        let count = self.all().filter(|unit| unit.is(&set)).count();
        i64::try_from(count).unwrap_or(i64::MAX)
    }

    fn is_alive(&self, id: OpId, op: Op) -> bool {
        let unit = self.unit(id);
        unit.alive && unit.op == op
    }
}

/// Arenas are bounded by the number of nodes that are looked at, which 32 bits count.
fn unit_id(index: usize) -> OpId {
    OpId(u32::try_from(index).unwrap_or(u32::MAX))
}
