//! The size of an edit.

use super::matcher::{Matching, Sides};
use super::network::NONE;
use super::wiring::Wiring;

/// The size of an edit, most important first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Score {
    /// Nodes added, removed and changed.
    pub(crate) edits: usize,
    /// Nodes with weights among those added and removed.
    weights: usize,
    /// Kinds of changes in all.
    kinds: u32,
    /// Nodes with another name.
    renamed: usize,
}

impl Score {
    /// Returns the size of the edit at some nodes of the two graphs. Pairs count once, at the node of
    /// the first graph.
    pub(crate) fn new(
        sides: Sides<'_>,
        matching: &Matching,
        of_a: impl IntoIterator<Item = u32>,
        of_b: impl IntoIterator<Item = u32>,
    ) -> Self {
        let (labels_a, labels_b) = (&sides.a.labels, &sides.b.labels);
        let wiring = Wiring { sides, matching };
        let mut score = Self::default();
        for a in of_a {
            match matching.b(a) {
                NONE => {
                    score.edits += 1;
                    score.weights += usize::from(labels_a.weight[a as usize] != 0);
                }
                b => {
                    let differences = wiring.differences(a, b);
                    score.edits += usize::from(differences.any());
                    score.kinds += differences.count();
                    let is_renamed = labels_a.name[a as usize] != labels_b.name[b as usize];
                    score.renamed += usize::from(is_renamed);
                }
            }
        }
        for b in of_b.into_iter().filter(|b| matching.a(*b) == NONE) {
            score.edits += 1;
            score.weights += usize::from(labels_b.weight[b as usize] != 0);
        }
        score
    }
}
