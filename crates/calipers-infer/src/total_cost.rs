//! Adding up what nodes cost while they are looked at.
//!
//! Costs are counted during the walk, since a function's body has different shapes at every call,
//! and a loop's body runs as often as the loop repeats.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use calipers_ops::{Fact, Operator, TensorFact, Traffic, Work, bytes};
use calipers_sym::Expr;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::remembered::{has_symbol, hash_dims};

/// What some nodes cost together. Nodes that could not be costed are not in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CostTotal {
    /// Multiply-accumulates of contractions.
    pub macs: Expr,
    /// Other arithmetic.
    pub other_flops: Expr,
    /// Bytes read and written.
    pub bytes_moved: Expr,
}

impl Default for CostTotal {
    fn default() -> Self {
        Self { macs: Expr::ZERO, other_flops: Expr::ZERO, bytes_moved: Expr::ZERO }
    }
}

impl CostTotal {
    /// The cost of one call, when its bytes can be determined.
    pub(super) fn new(work: Work, bytes_moved: Expr) -> Self {
        Self { macs: work.macs, other_flops: work.other_flops, bytes_moved }
    }

    /// This and another, one after the other.
    pub fn add(&mut self, other: &Self) {
        self.macs += &other.macs;
        self.other_flops += &other.other_flops;
        self.bytes_moved += &other.bytes_moved;
    }

    /// This cost, repeated.
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

    /// The more expensive of two, figure by figure.
    pub(super) fn max(&self, other: &Self) -> Self {
        Self {
            macs: Expr::max(&self.macs, &other.macs),
            other_flops: Expr::max(&self.other_flops, &other.other_flops),
            bytes_moved: Expr::max(&self.bytes_moved, &other.bytes_moved),
        }
    }
}

/// A sum of many totals. Nodes of repeated layers share theirs, which are counted and added once:
/// adding polynomials is what costs time here.
#[derive(Debug, Default)]
pub(super) struct Sum {
    numbers: CostTotal,
    // By address, which a total_cost keeps while it is held here.
    formulas: HashMap<*const CostTotal, (Arc<CostTotal>, i64)>,
}

impl Sum {
    pub(super) fn add(&mut self, total_cost: &Arc<CostTotal>) {
        if total_cost.is_const() {
            self.numbers.add(total_cost);
        } else {
            self.formulas
                .entry(Arc::as_ptr(total_cost))
                .or_insert_with(|| (Arc::clone(total_cost), 0))
                .1 += 1;
        }
    }

    pub(super) fn finish(self) -> CostTotal {
        // The sum is the same in whatever order the map gives them: it is canonical.
        let formulas: Vec<_> = self.formulas.into_values().collect();
        let all = |numbers: Expr, part: fn(&CostTotal) -> &Expr| -> Expr {
            let parts = formulas.iter().filter(|(total_cost, _)| part(total_cost) != &0);
            numbers + parts.map(|(total_cost, times)| part(total_cost) * *times).sum::<Expr>()
        };
        CostTotal {
            macs: all(self.numbers.macs, |total_cost| &total_cost.macs),
            other_flops: all(self.numbers.other_flops, |total_cost| &total_cost.other_flops),
            bytes_moved: all(self.numbers.bytes_moved, |total_cost| &total_cost.bytes_moved),
        }
    }
}

/// The inputs that are given, but for some.
fn except<'a>(inputs: &'a [Option<Fact>], left_out: &[usize]) -> impl Iterator<Item = &'a Fact> {
    let kept = inputs.iter().enumerate().filter(|(slot, _)| !left_out.contains(slot));
    kept.filter_map(|(_, input)| input.as_ref())
}

/// Bytes of symbolic shapes that were met before: a network has few, and multiplies them out once.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    known: HashTable<(u64, TensorFact, Expr)>,
    hasher: DefaultHashBuilder,
}

/// Shapes that are remembered.
const MAX_KNOWN: usize = 1024;

impl Sizes {
    /// Bytes that a call reads and writes; `None` when an operand's size is not known.
    pub(super) fn moved(
        &mut self,
        row: &Operator,
        inputs: &[Option<Fact>],
        outputs: &[Fact],
    ) -> Option<Expr> {
        match row.traffic {
            Traffic::Nothing => Some(Expr::ZERO),
            Traffic::Whole => self.sum(inputs.iter().flatten().chain(outputs)),
            Traffic::Gathered => {
                let written = self.sum(outputs)?;
                Some(self.sum(inputs.iter().skip(1).flatten())? + &written + &written)
            }
            Traffic::Without(unread) => {
                let read = except(inputs, unread);
                self.sum(read.chain(outputs))
            }
            Traffic::Rows(tables) => {
                let mut sum = self.sum(except(inputs, tables).chain(outputs))?;
                for table in tables.iter().filter_map(|table| inputs.get(*table)?.as_ref()) {
                    let mut rows = outputs.first()?.as_tensor()?.clone();
                    rows.dtype = table.as_tensor()?.dtype;
                    sum += &self.bytes(&rows)?;
                }
                Some(sum)
            }
        }
    }

    fn sum<'a>(&mut self, facts: impl IntoIterator<Item = &'a Fact>) -> Option<Expr> {
        let mut sum = Expr::ZERO;
        for fact in facts {
            // Sequences and maps are handed over, not copied.
            if let Some(tensor) = fact.as_tensor() {
                sum += &self.bytes(tensor)?;
            }
        }
        Some(sum)
    }

    fn bytes(&mut self, tensor: &TensorFact) -> Option<Expr> {
        let dims = tensor.dims()?;
        if !has_symbol(dims) {
            return bytes(tensor);
        }
        let mut hasher = self.hasher.build_hasher();
        hash_dims(dims, &mut hasher);
        let hash = hasher.finish();
        let equal = |known: &(u64, TensorFact, Expr)| {
            known.0 == hash && known.1.dtype == tensor.dtype && known.1.dims() == Some(dims)
        };
        if let Some((_, _, size)) = self.known.find(hash, equal) {
            return Some(size.clone());
        }
        let size = bytes(tensor)?;
        if self.known.len() < MAX_KNOWN {
            let entry = (hash, tensor.clone(), size.clone());
            self.known.insert_unique(hash, entry, |known| known.0);
        }
        Some(size)
    }
}
