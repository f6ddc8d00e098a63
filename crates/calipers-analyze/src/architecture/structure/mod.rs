//! The network as a sequence of segments, and what repeats in it.
//!
//! ```text
//! units, branch after branch      [`order`]
//!   → segments between cuts       [`segments`]: a residual block, a convolution with its activation
//!   → items with repeats          [`items`]: 12 × (attention, feed-forward)
//! ```
//!
//! A cut is a place that only one value crosses: all that comes later sees what came before through
//! it. Everything here goes by structure. Names are not looked at.

mod differs;
mod items;
mod order;
mod segments;
mod weigh;

use hashbrown::HashMap;

use crate::net::{Net, UnitId, Val};

pub(super) use differs::differences;
pub(super) use items::{Item, all_segments, is_one_stage};
pub(super) use segments::Segment;
pub(super) use weigh::{is_heavy, weight};

/// The network in order, cut into segments, with its repeats.
pub(super) struct Structure {
    /// Units that the data passes on its way, in an order that keeps branches together.
    pub(super) main: Vec<UnitId>,
    /// Place of a unit in `main`.
    place: HashMap<UnitId, usize>,
    /// Units before the network proper, such as those that make a mask of an input.
    pub(super) side: Vec<UnitId>,
    pub(super) segments: Vec<Segment>,
    pub(super) items: Vec<Item>,
}

impl Structure {
    /// Finds the structure of a network.
    pub(super) fn of(net: &Net<'_>) -> Self {
        let order::Order { main, side } = order::order(net);
        let place = main.iter().enumerate().map(|(place, unit)| (*unit, place)).collect();
        let mut structure = Self { main, place, side, segments: Vec::new(), items: Vec::new() };
        structure.segments = segments::cut(net, &structure);
        structure.items = items::collapse(net, &structure);
        structure
    }

    /// Where a unit stands; `None` for those at the side.
    pub(super) fn place(&self, unit: UnitId) -> Option<usize> {
        self.place.get(&unit).copied()
    }

    /// Units of a segment.
    pub(super) fn units(&self, segment: usize) -> &[UnitId] {
        self.segments.get(segment).map_or(&[], |segment| &self.main[segment.from..segment.to])
    }

    /// Places at which a value is read.
    pub(super) fn read_at(&self, net: &Net<'_>, val: Val) -> Vec<usize> {
        net.uses(val).filter_map(|unit| self.place(unit)).collect()
    }

    /// Whether something past the end of these segments reads a value made inside them.
    pub(super) fn is_read_past(&self, net: &Net<'_>, segments: &[usize], end: usize) -> bool {
        let units = segments.iter().flat_map(|segment| self.units(*segment));
        let mut vals = units.flat_map(|unit| &net.unit(*unit).outputs);
        vals.any(|val| net.uses(*val).any(|unit| self.place(unit).is_some_and(|at| at >= end)))
    }
}
