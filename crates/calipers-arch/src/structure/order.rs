//! An order of execution in which branches are one after another.
//!
//! Files order nodes as they like, with two towers interleaved at worst. Here the deepest way to an
//! output comes first and each other way follows where it joins, so that an encoder is before
//! its decoder and a tower is not cut by another.

use std::cmp::Reverse;

use super::cost::is_heavy;
use crate::network::{Network, OpId};

/// Units of the network proper in order, and those before it.
pub(super) struct Order {
    pub(super) main: Vec<OpId>,
    pub(super) side: Vec<OpId>,
}

/// What is known of each unit, by its number.
struct Marks {
    /// How many units are before it on the longest way.
    depth: Vec<u32>,
    /// Whether it is of the network proper.
    is_main: Vec<bool>,
}

/// Orders a network.
pub(super) fn order(net: &Network<'_>) -> Order {
    let marks = Marks::find(net);
    let depth = |unit: &OpId| Reverse(marks.depth[unit.index()]);
    let mut ends: Vec<OpId> = net.outputs.iter().filter_map(|val| net.producer(*val)).collect();
    ends.sort_by_key(depth);
    // What leads to no output comes last.
    ends.extend(net.units().map(|(id, _)| id));
    let mut order = Order { main: Vec::new(), side: Vec::new() };
    let mut seen = vec![false; marks.depth.len()];
    // Units to enter, and those that were entered and come after all they need.
    let mut stack: Vec<(OpId, bool)> = Vec::new();
    let mut before: Vec<OpId> = Vec::new();
    for end in ends {
        stack.push((end, false));
        while let Some((unit, is_entered)) = stack.pop() {
            if is_entered {
                let is_main = marks.is_main[unit.index()];
                if is_main { &mut order.main } else { &mut order.side }.push(unit);
            } else if !std::mem::replace(&mut seen[unit.index()], true) {
                stack.push((unit, true));
                let inputs = net.unit(unit).inputs.iter().flatten();
                before.extend(inputs.filter_map(|val| net.producer(*val)));
                before.retain(|unit| !seen[unit.index()]);
                // The deepest is entered first, so it goes on the stack last.
                before.sort_by_key(depth);
                stack.extend(before.drain(..).rev().map(|unit| (unit, false)));
            }
        }
    }
    order
}

impl Marks {
    fn find(net: &Network<'_>) -> Self {
        let count = net.units().map(|(id, _)| id.index() + 1).max().unwrap_or(0);
        let mut marks = Self { depth: vec![0; count], is_main: vec![false; count] };
        let any_heavy = net.units().any(|(_, unit)| is_heavy(net, unit));
        for (id, unit) in net.units() {
            let before = || unit.inputs.iter().flatten().filter_map(|val| net.producer(*val));
            let deepest = before().map(|unit| marks.depth[unit.index()] + 1).max();
            let follows = before().any(|unit| marks.is_main[unit.index()]);
            marks.depth[id.index()] = deepest.unwrap_or(0);
            marks.is_main[id.index()] = follows || !any_heavy || is_heavy(net, unit);
        }
        marks
    }
}
