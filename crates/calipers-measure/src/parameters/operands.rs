//! What holds of the inputs of a node, seen from one of them.

use calipers_ir::{Model, ValueId};

use super::parts::{self, Part};
use super::uses::Origin;

/// Operands of a sum that are searched for the one that a bias is added to.
const COMPARED: usize = 64;

/// What holds of the inputs of a node, added up once: a node may have thousands.
pub(super) struct Operands {
    /// Every value, how often it is an input, and where it comes from; sorted by value.
    values: Vec<(ValueId, usize, Origin)>,
    not_fixed: usize,
    scales: usize,
    after_weights: usize,
    /// The greatest part with its value, and the greatest of all other values.
    parts: (Part, Option<ValueId>, Part),
}

/// What holds of the inputs of a node other than one.
pub(super) struct Others {
    /// All come from stored tensors alone.
    pub(super) fixed: bool,
    /// One is a scale that is found while the model runs.
    pub(super) scale: bool,
    /// A weighted layer is somewhere before one of them.
    pub(super) after_weights: bool,
    /// The greatest part.
    pub(super) part: Part,
}

impl Operands {
    pub(super) fn new(origins: &[Origin], inputs: &[Option<ValueId>]) -> Self {
        let mut values: Vec<(ValueId, usize, Origin)> =
            inputs.iter().flatten().map(|value| (*value, 1, origins[value.index()])).collect();
        values.sort_unstable_by_key(|value| value.0);
        values.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        let count = |test: fn(&Origin) -> bool| {
            values.iter().filter(|value| test(&value.2)).map(|value| value.1).sum()
        };
        let mut parts = (Part::default(), None, Part::default());
        for (value, _, origin) in &values {
            let (most, of, next) = &mut parts;
            if of.is_none() || origin.part > *most {
                (*next, *most, *of) = (*most, origin.part, Some(*value));
            } else {
                *next = (*next).max(origin.part);
            }
        }
        Self {
            not_fixed: count(|origin| !origin.fixed),
            scales: count(|origin| origin.scale),
            after_weights: count(|origin| origin.after_weights),
            parts,
            values,
        }
    }

    pub(super) fn without(&self, value: ValueId) -> Others {
        let found = self.values.binary_search_by_key(&value, |value| value.0);
        let (count, origin) =
            found.map_or((0, Origin::default()), |at| (self.values[at].1, self.values[at].2));
        let rest = |all: usize, own: bool| all > if own { count } else { 0 };
        let (most, of, next) = self.parts;
        Others {
            fixed: !rest(self.not_fixed, !origin.fixed),
            scale: rest(self.scales, origin.scale),
            after_weights: rest(self.after_weights, origin.after_weights),
            part: if of == Some(value) { next } else { most },
        }
    }

    /// Whether a value other than this is the only output of a layer.
    pub(super) fn has_single_output_without(&self, model: &Model, value: ValueId) -> bool {
        let others = self.values.iter().filter(|other| other.0 != value).take(COMPARED);
        others.into_iter().any(|other| parts::is_single_output(model, other.0))
    }
}
