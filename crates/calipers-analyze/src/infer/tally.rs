//! Adding up what nodes cost while they are looked at.
//!
//! Costs are counted during the walk, since a function's body has different shapes at every call,
//! and a loop's body runs as often as the loop repeats.

use std::sync::Arc;

use calipers_ir::DType;
use calipers_ops::{Fact, Operator, Shape, Traffic, Work, bytes};
use calipers_sym::Expr;
use hashbrown::HashMap;

/// What some nodes cost together. Nodes that could not be costed are not in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Multiply-accumulates of contractions.
    pub macs: Expr,
    /// Other arithmetic.
    pub other_flops: Expr,
    /// Bytes read and written.
    pub bytes_moved: Expr,
}

impl Default for Tally {
    fn default() -> Self {
        Self { macs: Expr::ZERO, other_flops: Expr::ZERO, bytes_moved: Expr::ZERO }
    }
}

impl Tally {
    /// The cost of one call, when its bytes can be told.
    pub(super) fn of(work: Work, bytes_moved: Expr) -> Self {
        Self { macs: work.macs, other_flops: work.other_flops, bytes_moved }
    }

    /// This and another, one after the other.
    pub(crate) fn add(&mut self, other: &Self) {
        self.macs += &other.macs;
        self.other_flops += &other.other_flops;
        self.bytes_moved += &other.bytes_moved;
    }

    /// This, so many times.
    pub(super) fn times(&self, count: &Expr) -> Self {
        Self {
            macs: &self.macs * count,
            other_flops: &self.other_flops * count,
            bytes_moved: &self.bytes_moved * count,
        }
    }

    fn is_const(&self) -> bool {
        self.macs.is_const() && self.other_flops.is_const() && self.bytes_moved.is_const()
    }

    /// The dearer of two, figure by figure.
    pub(super) fn dearer(&self, other: &Self) -> Self {
        Self {
            macs: Expr::max(&self.macs, &other.macs),
            other_flops: Expr::max(&self.other_flops, &other.other_flops),
            bytes_moved: Expr::max(&self.bytes_moved, &other.bytes_moved),
        }
    }
}

/// A sum of many tallies. Networks repeat their layers, so equal ones are counted and added once:
/// adding polynomials is what costs time here.
#[derive(Debug, Default)]
pub(super) struct Sum {
    numbers: Tally,
    formulas: HashMap<Tally, i64>,
}

impl Sum {
    pub(super) fn add(&mut self, tally: &Tally) {
        if tally.is_const() {
            self.numbers.add(tally);
        } else {
            *self.formulas.entry_ref(tally).or_insert(0) += 1;
        }
    }

    pub(super) fn finish(self) -> Tally {
        let mut total = self.numbers;
        // The sum is the same in whatever order the map gives them: it is canonical.
        for (tally, times) in self.formulas {
            total.add(&tally.times(&Expr::from(times)));
        }
        total
    }
}

impl From<&Tally> for Tally {
    fn from(tally: &Tally) -> Self {
        tally.clone()
    }
}

/// Bytes of shapes that were met before: a shape is shared by all the values that keep it, so the
/// same ones are asked for again and again.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    // The shape is held beside its size, so that its address stays its own.
    known: HashMap<(usize, DType), (Shape, Expr)>,
}

/// Shapes that are remembered at once.
const MAX_KNOWN: usize = 1024;

impl Sizes {
    /// Bytes of a value when it is read or written; `None` when they cannot be told.
    fn of(&mut self, fact: &Fact) -> Option<Expr> {
        let tensor = match fact {
            Fact::Tensor(tensor) | Fact::SparseTensor(tensor) => tensor,
            // Sequences and maps are handed over, not copied.
            _ => return Some(Expr::ZERO),
        };
        let shape = tensor.shape.as_ref().ok()?;
        let key = (Arc::as_ptr(shape).cast::<Expr>() as usize, tensor.dtype);
        if let Some((_, size)) = self.known.get(&key) {
            return Some(size.clone());
        }
        let size = bytes(tensor)?;
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(key, (Arc::clone(shape), size.clone()));
        Some(size)
    }

    /// Bytes that a call reads and writes, as far as its operands' sizes are known.
    pub(super) fn moved(
        &mut self,
        row: &Operator,
        inputs: &[Option<Fact>],
        outputs: &[Fact],
    ) -> Option<Expr> {
        let mut sum = |facts: &mut dyn Iterator<Item = &Fact>| -> Option<Expr> {
            let mut sum = Expr::ZERO;
            for fact in facts {
                sum += &self.of(fact)?;
            }
            Some(sum)
        };
        match row.traffic {
            Traffic::Nothing => Some(Expr::ZERO),
            Traffic::Whole => sum(&mut inputs.iter().flatten().chain(outputs)),
            Traffic::Gathered => {
                let written = sum(&mut outputs.iter())?;
                Some(sum(&mut inputs.iter().skip(1).flatten())? + &written + &written)
            }
        }
    }
}
