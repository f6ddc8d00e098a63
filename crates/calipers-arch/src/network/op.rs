//! What an entry of the network is: an operator, or a recognized block.

use std::fmt;

use calipers_ops::{Class, ImageOp, Norm, Traits};

use super::build::plain_operator;
use super::{BlockKind, NetworkOp, block_kind};

/// What a [`NetworkOp`](super::NetworkOp) is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A plain operator, by its name.
    Operator(&'static str),
    /// A recognized block.
    Block(BlockKind),
    /// An operator that the operator tables do not have.
    Unknown,
}

impl Op {
    /// The operator of this name. A few operators are a block by themselves.
    pub(super) fn of_operator(name: &'static str) -> Self {
        block_kind::of_operator(name).map_or(Self::Operator(name), Self::Block)
    }

    /// The name of the operator or the id of the kind; empty for an unknown operator.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Operator(name) => name,
            Self::Block(kind) => kind.id(),
            Self::Unknown => "",
        }
    }

    /// The kind of a block.
    pub const fn block(self) -> Option<BlockKind> {
        match self {
            Self::Block(kind) => Some(kind),
            Self::Operator(_) | Self::Unknown => None,
        }
    }

    /// The name of an operator.
    pub const fn operator(self) -> Option<&'static str> {
        match self {
            Self::Operator(name) => Some(name),
            Self::Block(_) | Self::Unknown => None,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl From<BlockKind> for Op {
    fn from(kind: BlockKind) -> Self {
        Self::Block(kind)
    }
}

/// An operator by its name. A name of `block_kind::of_operator` is that block.
impl From<&'static str> for Op {
    fn from(name: &'static str) -> Self {
        let op = Self::of_operator(name);
        debug_assert!(op.block().is_some() || name.parse::<BlockKind>().is_err(), "a kind: {name}");
        op
    }
}

/// Operators and kinds of blocks, as a constant table.
#[derive(Clone, Copy, Debug)]
pub struct Ops {
    /// Kinds of blocks.
    pub blocks: &'static [BlockKind],
    /// Names of operators.
    pub operators: &'static [&'static str],
}

impl Ops {
    /// A table of kinds alone.
    pub const fn blocks(blocks: &'static [BlockKind]) -> Self {
        Self { blocks, operators: &[] }
    }

    /// A table of operators alone.
    pub const fn operators(operators: &'static [&'static str]) -> Self {
        Self { blocks: &[], operators }
    }

    /// Every entry, kinds first.
    pub fn iter(&self) -> impl Iterator<Item = Op> {
        let blocks = self.blocks.iter().copied().map(Op::Block);
        blocks.chain(self.operators.iter().copied().map(Op::Operator))
    }
}

/// The operators whose traits pass a test, as a set: `With(|traits| traits.pool().is_some())`.
#[derive(Clone, Copy, Debug)]
pub struct With(pub fn(&Traits) -> bool);

impl With {
    /// What makes probabilities of scores.
    pub const PROBABILITIES: Self = Self(Traits::is_probability);
    /// Recurrent layers.
    pub const RECURRENT: Self = Self(|traits| matches!(traits.class, Class::Recurrent));
    /// What crops, pools or resamples regions of images.
    pub const REGIONS: Self = Self(|traits| matches!(traits.image(), Some(ImageOp::Regions)));
    /// Interpolation to another resolution.
    pub const RESIZES: Self = Self(|traits| matches!(traits.image(), Some(ImageOp::Resize)));
    /// Selection among overlapping boxes.
    pub const SUPPRESSIONS: Self = Self(|traits| matches!(traits.image(), Some(ImageOp::Suppress)));
    /// Pooling over windows that are smaller than the channel.
    pub const WINDOW_POOLS: Self =
        Self(|traits| traits.pool().is_some_and(|pool| !pool.is_global()));
}

/// Layers that normalize by the statistics of their input, as blocks and as operators.
pub const NORMS: (&[BlockKind], With) =
    (BlockKind::NORMS, With(|traits| traits.norm().is_some_and(Norm::is_layer)));

/// A set of operators and kinds, written as a name, a kind, a trait, a table, or several of them:
/// `"Conv"`, `BlockKind::Linear`, `["Gemm", "MatMul"]`, `(BlockKind::Linear, ["Gemm", "MatMul"])`.
pub trait OpSet {
    /// Whether the set has this one.
    fn has(&self, op: Op) -> bool;

    /// Whether the set has the operator or the kind of a unit.
    fn has_unit(&self, unit: &NetworkOp) -> bool {
        self.has(unit.op)
    }
}

impl OpSet for With {
    fn has(&self, op: Op) -> bool {
        op.operator().and_then(plain_operator).is_some_and(|row| self.0(&row.traits))
    }

    /// Answers from the row of the unit, without a search by name.
    fn has_unit(&self, unit: &NetworkOp) -> bool {
        unit.op.operator().is_some() && unit.has_trait(self.0)
    }
}

impl OpSet for str {
    fn has(&self, op: Op) -> bool {
        debug_assert!(op.block().is_none_or(|kind| kind.id() != self), "{self} is a kind of block");
        op.operator() == Some(self)
    }
}

impl OpSet for BlockKind {
    fn has(&self, op: Op) -> bool {
        op == Op::Block(*self)
    }
}

impl OpSet for Op {
    fn has(&self, op: Op) -> bool {
        op == *self
    }
}

impl OpSet for Ops {
    fn has(&self, op: Op) -> bool {
        match op {
            Op::Operator(name) => self.operators.contains(&name),
            Op::Block(kind) => self.blocks.contains(&kind),
            Op::Unknown => false,
        }
    }
}

impl<T: OpSet> OpSet for [T] {
    fn has(&self, op: Op) -> bool {
        self.iter().any(|one| one.has(op))
    }

    fn has_unit(&self, unit: &NetworkOp) -> bool {
        self.iter().any(|one| one.has_unit(unit))
    }
}

impl<T: OpSet, const N: usize> OpSet for [T; N] {
    fn has(&self, op: Op) -> bool {
        self.as_slice().has(op)
    }

    fn has_unit(&self, unit: &NetworkOp) -> bool {
        self.as_slice().has_unit(unit)
    }
}

impl<T: OpSet + ?Sized> OpSet for &T {
    fn has(&self, op: Op) -> bool {
        (**self).has(op)
    }

    fn has_unit(&self, unit: &NetworkOp) -> bool {
        (**self).has_unit(unit)
    }
}

impl<A: OpSet, B: OpSet> OpSet for (A, B) {
    fn has(&self, op: Op) -> bool {
        self.0.has(op) || self.1.has(op)
    }

    fn has_unit(&self, unit: &NetworkOp) -> bool {
        self.0.has_unit(unit) || self.1.has_unit(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::{BlockKind, NORMS, Op, OpSet as _, Ops, With};

    #[test]
    fn a_name_is_an_operator_and_a_kind_is_a_block() {
        let linear = Op::from(BlockKind::Linear);
        assert!(BlockKind::Linear.has(linear) && !BlockKind::Linear.has(Op::from("Gemm")));
        assert!("Gemm".has(Op::from("Gemm")) && !"Gemm".has(Op::Unknown));
        assert!((BlockKind::Linear, ["Gemm", "MatMul"]).has(Op::from("MatMul")));
        assert_eq!(Op::from("HardSwish"), Op::Block(BlockKind::HardSwish));
    }

    #[test]
    fn a_trait_has_the_operators_whose_rows_state_it() {
        let pools = With(|traits| traits.pool().is_some());
        assert!(pools.has(Op::from("MaxPool")) && !pools.has(Op::from("Relu")));
        assert!(!pools.has(Op::Unknown) && !pools.has(BlockKind::Relu.into()));
        assert!(NORMS.has(Op::from("LayerNormalization")) && NORMS.has(BlockKind::RmsNorm.into()));
        assert!(!NORMS.has(Op::from("LpNormalization")) && !NORMS.has(Op::from("LRN")));
    }

    #[test]
    fn a_table_has_both() {
        let table = Ops { blocks: &[BlockKind::Relu], operators: &["Relu"] };
        assert!(table.iter().all(|op| table.has(op)));
        assert!(!table.has(Op::Unknown) && !table.has(BlockKind::Gelu.into()));
    }
}
