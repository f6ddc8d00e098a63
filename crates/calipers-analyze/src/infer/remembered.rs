//! Costs of calls that were met before.
//!
//! Networks repeat their layers, and what a call costs follows from its operator, its attributes
//! and its operands alone. Working a cost out means multiplying polynomials; looking one up means
//! comparing a few dimensions, which are shared and so mostly the same address.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use calipers_ir::{Model, NodeId};
use calipers_ops::{Fact, Operator, TensorFact, Traffic};
use calipers_sym::Expr;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::tally::Tally;

/// Calls that are remembered; a model of more kinds than this is no network of layers.
const MAX_REMEMBERED: usize = 4096;

/// Elements beyond which operands are not compared: a cost hangs on a length or two.
const MAX_COMPARED: usize = 8;

/// What a call cost, and whether its bytes could be told.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) tally: Arc<Tally>,
    pub(super) with_bytes: bool,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    node: NodeId,
    known: Known,
}

/// Calls of the main graph that were met. What they were given and gave is found again in the
/// facts, which do not change there; inside functions and loops they do.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    entries: HashTable<Entry>,
    hasher: DefaultHashBuilder,
}

impl Remembered {
    /// A number that equal calls share; `None` for a call that is not worth remembering.
    pub(super) fn hash(
        &self,
        row: &Operator,
        inputs: &[Option<Fact>],
        outputs: &[Fact],
    ) -> Option<u64> {
        let facts = || inputs.iter().flatten().chain(outputs);
        // Numbers multiply faster than they are looked up, and what moves nothing is no work.
        if row.traffic == Traffic::Nothing || !facts().any(is_symbolic) {
            return None;
        }
        let mut hasher = self.hasher.build_hasher();
        std::ptr::from_ref(row).hash(&mut hasher);
        for fact in facts() {
            let Fact::Tensor(tensor) = fact else { return None };
            if tensor.value.as_ref().is_some_and(|value| value.len() > MAX_COMPARED) {
                return None;
            }
            hash_dims(tensor.dims()?, &mut hasher);
        }
        Some(hasher.finish())
    }

    /// What an equal call cost.
    pub(super) fn find(
        &self,
        hash: u64,
        node: NodeId,
        model: &Model,
        facts: &[Fact],
    ) -> Option<Known> {
        let equal = |entry: &Entry| entry.hash == hash && same(model, facts, entry.node, node);
        self.entries.find(hash, equal).map(|entry| entry.known.clone())
    }

    pub(super) fn insert(&mut self, hash: u64, node: NodeId, known: Known) {
        if self.entries.len() < MAX_REMEMBERED {
            self.entries.insert_unique(hash, Entry { hash, node, known }, |entry| entry.hash);
        }
    }
}

/// Whether two nodes of one graph are the same call.
fn same(model: &Model, facts: &[Fact], a: NodeId, b: NodeId) -> bool {
    let kind = |id: NodeId| (model.node(id).op, model.node(id).domain);
    let alike = |a: &[Option<calipers_ir::ValueId>], b: &[Option<calipers_ir::ValueId>]| {
        let fact = |value: &Option<calipers_ir::ValueId>| value.map(|value| &facts[value.index()]);
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| fact(a) == fact(b))
    };
    kind(a) == kind(b)
        && alike(model.inputs(a), model.inputs(b))
        && alike(model.outputs(a), model.outputs(b))
        && model.attributes(a) == model.attributes(b)
}

fn is_symbolic(fact: &Fact) -> bool {
    fact.as_tensor().and_then(TensorFact::dims).is_some_and(has_symbol)
}

/// Whether a dimension is no number.
pub(super) fn has_symbol(dims: &[Expr]) -> bool {
    !dims.iter().all(Expr::is_const)
}

/// Hashes what tells most shapes apart without reading names.
pub(super) fn hash_dims(dims: &[Expr], hasher: &mut impl Hasher) {
    for dim in dims {
        let leading = dim.terms().next();
        leading.map(|(coefficient, powers)| (coefficient, powers.len())).hash(hasher);
    }
}
