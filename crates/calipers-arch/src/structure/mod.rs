//! The network as a sequence of segments, and what repeats in it.
//!
//! ```text
//! units, branch after branch      [`order`]
//!   → segments between cuts       [`segments`]: a residual block, a convolution with its activation
//!   → items with repeats          [`items`]: 12 × (attention, feed-forward)
//! ```
//!
//! A cut is a place that only one value crosses: all that comes later sees what came before through
//! it. Everything here goes by structure; names are ignored. [`membership`] counts the nodes of parts.

mod cost;
mod differs;
mod items;
mod membership;
mod order;
mod segments;

pub(super) use cost::{is_heavy, weight};
pub(super) use differs::differences;
pub(super) use items::{Item, all_segments, is_one_stage};
use membership::Membership;
pub(super) use membership::{Span, leaf_count};
pub(super) use segments::Segment;

use crate::network::{Network, OpId};

/// The network in order, cut into segments, with its repeats.
pub struct Structure {
    /// Units that the data passes on its way, in an order that keeps branches together.
    pub(super) main: Vec<OpId>,
    /// Place of each unit in `main`, by its number; of others, the length of `main`.
    place: Vec<u32>,
    /// For each place, the last one at which what it gives is read.
    last_read: Vec<u32>,
    /// Units before the network proper, such as those that make a mask of an input.
    pub(super) side: Vec<OpId>,
    pub(super) segments: Vec<Segment>,
    pub(super) items: Vec<Item>,
    /// The nodes of the file that belong to each part.
    pub(super) membership: Membership,
}

impl Structure {
    /// Finds the structure of a network.
    pub(super) fn find(net: &Network<'_>) -> Self {
        let order::Order { main, side } = order::order(net);
        let count = main.iter().map(|unit| unit.index() + 1).max().unwrap_or(0);
        let mut place = vec![narrow(main.len()); count];
        for (at, unit) in main.iter().enumerate() {
            place[unit.index()] = narrow(at);
        }
        let last_read = Vec::new();
        let (segments, items) = (Vec::new(), Vec::new());
        let membership = Membership::default();
        let mut structure = Self { main, place, last_read, side, segments, items, membership };
        structure.membership = Membership::find(net, &structure);
        structure.last_read = structure.last_reads(net);
        structure.segments = segments::cut(net, &structure);
        structure.items = items::collapse(net, &structure);
        structure
    }

    /// Where a unit is; `None` for those at the side.
    pub(super) fn place(&self, unit: OpId) -> Option<usize> {
        let place = *self.place.get(unit.index())? as usize;
        (place < self.main.len()).then_some(place)
    }

    /// Units of a segment.
    pub(super) fn units(&self, segment: usize) -> &[OpId] {
        self.segments.get(segment).map_or(&[], |segment| &self.main[segment.from..segment.to])
    }

    /// The span of some items, which follow one another.
    pub(super) fn span(&self, items: &[Item]) -> Span {
        let segments = all_segments(items);
        let first = segments.first().and_then(|segment| self.segments.get(*segment));
        let last = segments.last().and_then(|segment| self.segments.get(*segment));
        self.membership.places(first.map_or(0, |it| it.from), last.map_or(0, |it| it.to))
    }

    /// The last place at which what a unit gives is read; its own where nothing reads it.
    pub(super) fn last_read(&self, place: usize) -> usize {
        self.last_read.get(place).map_or(place, |last| *last as usize)
    }

    /// Whether something past the end of these segments reads a value made inside them.
    pub(super) fn is_read_past(&self, segments: &[usize], end: usize) -> bool {
        let segments = segments.iter().filter_map(|segment| self.segments.get(*segment));
        let mut places = segments.flat_map(|segment| segment.from..segment.to);
        places.any(|place| self.last_read(place) >= end)
    }

    fn last_reads(&self, net: &Network<'_>) -> Vec<u32> {
        let mut last: Vec<u32> = (0..self.main.len()).map(narrow).collect();
        for (place, id) in self.main.iter().enumerate() {
            let givers = net.unit(*id).inputs.iter().flatten();
            for giver in givers.filter_map(|val| self.place(net.producer(*val)?)) {
                last[giver] = last[giver].max(narrow(place));
            }
        }
        last
    }
}

/// A place in 32 bits: there are no more units than those count.
fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
