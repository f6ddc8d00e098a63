//! Adding up what nodes cost while they are looked at.
//!
//! Costs are counted during the walk, since a function's body has different shapes at every call,
//! and a loop's body runs as often as the loop repeats.

use calipers_ops::{Fact, Operator, Traffic, Work, bytes};
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

/// Bytes that a call reads and writes, as far as its operands' sizes are known.
pub(super) fn bytes_moved(
    row: &Operator,
    inputs: &[Option<Fact>],
    outputs: &[Fact],
) -> Option<Expr> {
    let of = |facts: &mut dyn Iterator<Item = &Fact>| -> Option<Expr> {
        let mut sum = Expr::ZERO;
        for fact in facts {
            match fact {
                Fact::Tensor(tensor) | Fact::SparseTensor(tensor) => sum += &bytes(tensor)?,
                // Sequences and maps are handed over, not copied.
                _ => {}
            }
        }
        Some(sum)
    };
    let written = || of(&mut outputs.iter());
    match row.traffic {
        Traffic::Nothing => Some(Expr::ZERO),
        Traffic::Whole => Some(of(&mut inputs.iter().flatten())? + written()?),
        Traffic::Gathered => {
            let written = written()?;
            Some(of(&mut inputs.iter().skip(1).flatten())? + &written + &written)
        }
    }
}
