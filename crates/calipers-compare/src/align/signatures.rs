//! Numbers for what is before, behind and around a node, up to nodes that are matched already.

use calipers_ir::ValueId;
use hashbrown::HashMap;

use super::hash::mix;
use super::network::{NONE, Network, Source};

/// What decides the numbers of one of the two graphs.
pub(crate) struct Seen<'a> {
    pub(crate) net: &'a Network<'a>,
    /// Numbers of the nodes by themselves.
    pub(crate) label: &'a [u64],
    /// The number of a pair that a node belongs to; 0 for nodes that are not matched.
    pub(crate) pair: &'a [u64],
    /// Numbers of the graph's inputs and outputs, and of values around it.
    pub(crate) ports: &'a Ports<'a>,
}

/// Numbers of what connects a graph to the rest: equal where the two graphs correspond.
#[derive(Debug)]
pub(crate) struct Ports<'v> {
    pub(crate) inputs: Vec<u64>,
    pub(crate) outputs: Vec<u64>,
    /// Of values of graphs around it.
    pub(crate) outer: &'v HashMap<ValueId, u64>,
}

impl Ports<'_> {
    /// The number of a source that is not a node.
    pub(crate) fn number(&self, source: Source) -> u64 {
        match source {
            Source::Input(place) => self.inputs.get(place as usize).copied().unwrap_or(0),
            Source::Outer(value) => self.outer.get(&value).copied().unwrap_or(5),
            // Stored tensors are part of the label.
            Source::Absent => 2,
            Source::Stored(_) | Source::Sparse(_) => 3,
            Source::Undefined(_) => 4,
            Source::Node { .. } => 0,
        }
    }
}

/// Numbers of all nodes by what they are computed from.
pub(crate) fn forward(seen: &Seen<'_>) -> Vec<u64> {
    let mut numbers = vec![0; seen.net.len()];
    for place in seen.net.places() {
        let at = place as usize;
        let before = seen.net.inputs(place).iter();
        let commutes = seen.net.commutes(place);
        let mut hash = seen.label[at];
        let mut sum = 0_u64;
        for source in before {
            let number = match *source {
                Source::Node { place: from, slot } => {
                    let from = from as usize;
                    let number = match seen.pair[from] {
                        0 => numbers[from],
                        pair => pair,
                    };
                    mix(number, u64::from(slot))
                }
                other => seen.ports.number(other),
            };
            match commutes {
                true => sum = sum.wrapping_add(mix(number, 7)),
                false => hash = mix(hash, number),
            }
        }
        numbers[at] = mix(hash, sum);
    }
    numbers
}

/// Numbers of all nodes by what is computed from them.
pub(crate) fn backward(seen: &Seen<'_>) -> Vec<u64> {
    let mut numbers = vec![0; seen.net.len()];
    for place in seen.net.places().rev() {
        let at = place as usize;
        let mut sum = 0_u64;
        for reader in seen.net.readers(place) {
            let behind = match reader.place {
                NONE => seen.ports.outputs.get(reader.slot as usize).copied().unwrap_or(1),
                behind => {
                    let behind = behind as usize;
                    let number = match seen.pair[behind] {
                        0 => numbers[behind],
                        pair => pair,
                    };
                    let slot = if seen.net.commutes(reader.place) { 0 } else { reader.slot };
                    mix(number, u64::from(slot))
                }
            };
            sum = sum.wrapping_add(mix(behind, u64::from(reader.output)));
        }
        numbers[at] = mix(seen.label[at], sum);
    }
    numbers
}

/// Numbers of all nodes by their neighbors up to a distance. A matched node's neighbors do not
/// count: its pair says it all.
pub(crate) fn around(seen: &Seen<'_>, distance: usize) -> Vec<u64> {
    let own = |at: usize| match seen.pair[at] {
        0 => seen.label[at],
        pair => pair,
    };
    let mut numbers: Vec<u64> = (0..seen.net.len()).map(own).collect();
    for _ in 0..distance {
        let mut next = numbers.clone();
        for place in seen.net.places() {
            let at = place as usize;
            if seen.pair[at] != 0 {
                continue;
            }
            let commutes = seen.net.commutes(place);
            let mut sum = 0_u64;
            for (slot, source) in (0_u64..).zip(seen.net.inputs(place)) {
                let number = match *source {
                    Source::Node { place: from, slot } => {
                        mix(numbers[from as usize], u64::from(slot))
                    }
                    other => seen.ports.number(other),
                };
                sum = sum.wrapping_add(mix(number, if commutes { 0 } else { slot }));
            }
            for reader in seen.net.readers(place) {
                let number = match reader.place {
                    NONE => seen.ports.outputs.get(reader.slot as usize).copied().unwrap_or(1),
                    behind => {
                        let slot = if seen.net.commutes(behind) { 0 } else { reader.slot };
                        mix(numbers[behind as usize], u64::from(slot))
                    }
                };
                sum = sum.wrapping_add(mix(number, 1 << 20 | u64::from(reader.output)));
            }
            next[at] = mix(numbers[at], sum);
        }
        numbers = next;
    }
    numbers
}
