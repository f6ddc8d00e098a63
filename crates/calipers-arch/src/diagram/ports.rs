//! The inputs and outputs of a diagram. Those of one kind that go to one place share a box: a cache
//! of 32 layers is not 64 boxes.

use calipers_report::units::shortened;
use calipers_report::{BoxKind, DiagramBox};
use hashbrown::{HashMap, HashSet};

use super::DiagramBuilder;
use crate::network::{Network, OpId, Val};
use crate::structure::Structure;

/// Boxes for inputs, and as many for outputs.
const MAX_GROUPS: usize = 5;
/// Ports of one kind from this number on share a box.
const SHARED: usize = 4;
/// Characters of a name.
const MAX_NAME: usize = 40;
/// Inputs that one value at the side is traced to.
const MAX_TRACED: usize = 8;

/// Inputs and outputs of the network, and what the side units make of inputs.
pub(super) struct Ports {
    inputs: Vec<Val>,
    outputs: Vec<Val>,
    /// For units at the side, the inputs that they come from.
    sources: HashMap<OpId, Vec<usize>>,
}

/// Inputs, or outputs, that share a box.
pub(super) struct Group {
    pub(super) drawn: DiagramBox,
    /// Parts that it leads to, or comes from.
    pub(super) parts: Vec<usize>,
    /// One of its values.
    pub(super) sample: Val,
    /// Numbers of the inputs in it; of outputs, those it comes from without a part between.
    inputs: Vec<usize>,
}

impl Group {
    /// Whether the inputs of this group lead to an output without any part between.
    pub(super) fn feeds(&self, output: &Group) -> bool {
        self.inputs.iter().any(|input| output.inputs.contains(input))
    }
}

impl Ports {
    pub(super) fn of(net: &Network<'_>, structure: &Structure) -> Self {
        let inputs = net.inputs.clone();
        let numbers: HashMap<Val, usize> =
            inputs.iter().enumerate().map(|(number, val)| (*val, number)).collect();
        let mut sources: HashMap<OpId, Vec<usize>> = HashMap::new();
        for id in &structure.side {
            let mut from: Vec<usize> = Vec::new();
            for val in net.unit(*id).inputs.iter().flatten() {
                let before = net.producer(*val).and_then(|unit| sources.get(&unit));
                from.extend(before.into_iter().flatten());
                from.extend(numbers.get(val));
            }
            from.sort_unstable();
            from.dedup();
            from.truncate(MAX_TRACED);
            sources.insert(*id, from);
        }
        Self { inputs, outputs: net.outputs.clone(), sources }
    }

    /// Boxes that inputs and outputs take at most.
    pub(super) fn least(&self) -> usize {
        self.inputs.len().min(MAX_GROUPS) + self.outputs.len().min(MAX_GROUPS)
    }

    pub(super) fn inputs(&self, builder: &DiagramBuilder<'_>) -> Vec<Group> {
        // Parts that each input is read by, itself or as what the side made of it.
        let mut read_by: Vec<HashSet<usize>> = vec![HashSet::new(); self.inputs.len()];
        let mut reads = |val: Val, numbers: &[usize]| {
            let parts: Vec<usize> =
                builder.net.uses(val).filter_map(|unit| builder.part(unit)).collect();
            for number in numbers {
                if let Some(read_by) = read_by.get_mut(*number) {
                    read_by.extend(&parts);
                }
            }
        };
        for (number, val) in self.inputs.iter().enumerate() {
            reads(*val, &[number]);
        }
        for (unit, numbers) in &self.sources {
            for val in &builder.net.unit(*unit).outputs {
                reads(*val, numbers);
            }
        }
        let read_by = read_by.into_iter().map(|parts| {
            let mut parts: Vec<usize> = parts.into_iter().collect();
            parts.sort_unstable();
            parts
        });
        let ports = self.inputs.iter().zip(read_by).enumerate();
        let ports = ports.map(|(number, (val, parts))| (*val, parts, vec![number])).collect();
        groups(builder, ports, &BoxKind::Input)
    }

    pub(super) fn outputs(&self, builder: &DiagramBuilder<'_>) -> Vec<Group> {
        let port = |val: &Val| {
            let parts = builder.part_giving(*val).into_iter().collect();
            let number = self.inputs.iter().position(|input| input == val);
            let side = builder.net.producer(*val).and_then(|unit| self.sources.get(&unit));
            let inputs = side.cloned().unwrap_or_default().into_iter().chain(number).collect();
            (*val, parts, inputs)
        };
        groups(builder, self.outputs.iter().map(port).collect(), &BoxKind::Output)
    }
}

type Port = (Val, Vec<usize>, Vec<usize>);

/// Puts ports of one type that go to the same parts together, where there are several.
fn groups(builder: &DiagramBuilder<'_>, ports: Vec<Port>, kind: &BoxKind) -> Vec<Group> {
    let net = builder.net;
    let mut grouped: Vec<Vec<Port>> = Vec::new();
    let mut places = HashMap::new();
    for port in ports {
        let key = (net.dtype(port.0), net.rank(port.0), port.1.clone());
        let place = *places.entry(key).or_insert(grouped.len());
        match grouped.get_mut(place) {
            Some(group) => group.push(port),
            None => grouped.push(vec![port]),
        }
    }
    // A few have their own boxes.
    let apart = |group: Vec<Port>| match group.len() < SHARED {
        true => group.into_iter().map(|port| vec![port]).collect::<Vec<_>>(),
        false => vec![group],
    };
    let mut grouped: Vec<Vec<Port>> = grouped.into_iter().flat_map(apart).collect();
    if grouped.len() > MAX_GROUPS {
        let rest = grouped.split_off(MAX_GROUPS - 1);
        grouped.push(rest.into_iter().flatten().collect());
    }
    grouped.into_iter().filter_map(|group| drawn(net, &group, kind)).collect()
}

fn drawn(net: &Network<'_>, group: &[Port], kind: &BoxKind) -> Option<Group> {
    let (sample, ..) = group.first()?;
    let name = |port: &Port| match net.name(port.0) {
        "" => "(unnamed)".to_owned(),
        name => shortened(name, MAX_NAME),
    };
    let dtype = net.dtype(*sample).map(|dtype| dtype.to_string()).unwrap_or_default();
    let (label, detail) = match group {
        [one] => (name(one), dtype),
        [first, .., last] => {
            (format!("{} {}s", group.len(), kind.id()), format!("{} … {}", name(first), name(last)))
        }
        [] => return None,
    };
    let mut parts: Vec<usize> = group.iter().flat_map(|port| port.1.iter().copied()).collect();
    parts.sort_unstable();
    parts.dedup();
    let inputs = group.iter().flat_map(|port| port.2.iter().copied()).collect();
    let drawn = DiagramBox { label, detail, kind: kind.clone(), times: 1 };
    Some(Group { drawn, parts, sample: *sample, inputs })
}
