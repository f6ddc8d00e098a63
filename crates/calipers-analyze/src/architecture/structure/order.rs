//! An order of execution in which branches stand one after another.
//!
//! Files order nodes as they like, with two towers interleaved at worst. Here the deepest way to an
//! output comes first and each other way follows where it joins, so that an encoder stands before
//! its decoder and a tower is not cut by another.

use hashbrown::{HashMap, HashSet};

use super::weigh::is_heavy;
use crate::net::{Net, UnitId};

/// Units of the network proper in order, and those before it.
pub(super) struct Order {
    pub(super) main: Vec<UnitId>,
    pub(super) side: Vec<UnitId>,
}

/// Orders a network.
pub(super) fn order(net: &Net<'_>) -> Order {
    let mut depths: HashMap<UnitId, usize> = HashMap::new();
    let mut main_units = HashSet::new();
    let any_heavy = net.units().any(|(_, unit)| is_heavy(net, unit));
    for (id, unit) in net.units() {
        let before = || unit.inputs.iter().flatten().filter_map(|val| net.producer(*val));
        let depth = before().filter_map(|unit| depths.get(&unit)).max().map_or(0, |most| most + 1);
        depths.insert(id, depth);
        if !any_heavy || before().any(|unit| main_units.contains(&unit)) || is_heavy(net, unit) {
            main_units.insert(id);
        }
    }
    let depth = |unit: &UnitId| depths.get(unit).copied().unwrap_or(0);
    let producers = |unit: UnitId| {
        let inputs = net.unit(unit).inputs.iter().flatten();
        let mut found: Vec<UnitId> = inputs.filter_map(|val| net.producer(*val)).collect();
        found.sort_by_key(|unit| std::cmp::Reverse(depth(unit)));
        found
    };
    let mut ends: Vec<UnitId> = net.outputs.iter().filter_map(|val| net.producer(*val)).collect();
    ends.sort_by_key(|unit| std::cmp::Reverse(depth(unit)));
    // What leads to no output comes last.
    ends.extend(net.units().map(|(id, _)| id));
    let mut order = Order { main: Vec::new(), side: Vec::new() };
    let mut seen = HashSet::new();
    for end in ends {
        if !seen.insert(end) {
            continue;
        }
        let mut stack = vec![(end, producers(end).into_iter())];
        while let Some((unit, before)) = stack.last_mut() {
            match before.find(|unit| !seen.contains(unit)) {
                Some(next) => {
                    seen.insert(next);
                    stack.push((next, producers(next).into_iter()));
                }
                None => {
                    let to =
                        if main_units.contains(unit) { &mut order.main } else { &mut order.side };
                    to.push(*unit);
                    stack.pop();
                }
            }
        }
    }
    order
}
