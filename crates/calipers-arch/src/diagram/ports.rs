//! The inputs and outputs of a diagram. Those of one kind that go to one place share a box: a cache
//! of 32 layers is not 64 boxes.

use calipers_ir::{DType, ValueId};
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
    outputs: usize,
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
    pub(super) fn find(net: &Network<'_>, structure: &Structure) -> Self {
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
        Self { inputs, outputs: net.outputs.len(), sources }
    }

    /// Boxes that inputs and outputs take at most.
    pub(super) fn least(&self) -> usize {
        self.inputs.len().min(MAX_GROUPS) + self.outputs.min(MAX_GROUPS)
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
        let port = |(number, (val, parts)): (usize, (&Val, Vec<usize>))| Port {
            val: *val,
            value: builder.net.value(*val),
            parts,
            inputs: vec![number],
        };
        groups(builder, ports.map(port).collect(), &BoxKind::Input)
    }

    pub(super) fn outputs(&self, builder: &DiagramBuilder<'_>) -> Vec<Group> {
        // The network looks through identities and casts at its end; the model's outputs have names
        // and types of their own.
        let port = |(val, value): (Val, ValueId)| {
            let parts = builder.part_giving(val).into_iter().collect();
            let number = self.inputs.iter().position(|input| *input == val);
            let side = builder.net.producer(val).and_then(|unit| self.sources.get(&unit));
            let inputs = side.cloned().unwrap_or_default().into_iter().chain(number).collect();
            Port { val, value: Some(value), parts, inputs }
        };
        groups(builder, builder.net.given_outputs().map(port).collect(), &BoxKind::Output)
    }
}

/// An input or an output of the model.
struct Port {
    /// Its value in the network.
    val: Val,
    /// The value of the model.
    value: Option<ValueId>,
    /// Parts that it leads to, or comes from.
    parts: Vec<usize>,
    /// Numbers of the inputs that it is, or comes from without a part between.
    inputs: Vec<usize>,
}

impl Port {
    fn name(&self, net: &Network<'_>) -> String {
        match self.value.map_or("", |value| net.model.name(net.model.value(value).name)) {
            "" => "(unnamed)".to_owned(),
            name => shortened(name, MAX_NAME),
        }
    }

    fn dtype(&self, net: &Network<'_>) -> Option<DType> {
        let known = self.value.and_then(|value| Some(net.typed.fact(value).as_tensor()?.dtype));
        known.or_else(|| net.dtype(self.val))
    }
}

/// Puts ports of one type that go to the same parts together, where there are several.
fn groups(builder: &DiagramBuilder<'_>, ports: Vec<Port>, kind: &BoxKind) -> Vec<Group> {
    let net = builder.net;
    let mut grouped: Vec<Vec<Port>> = Vec::new();
    let mut places = HashMap::new();
    for port in ports {
        let key = (port.dtype(net), net.rank(port.val), port.parts.clone());
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
    let sample = group.first()?;
    let dtype = sample.dtype(net).map(|dtype| dtype.to_string()).unwrap_or_default();
    let (label, detail) = match group {
        [one] => (one.name(net), dtype),
        [first, .., last] => {
            let detail = format!("{} … {}", first.name(net), last.name(net));
            (format!("{} {}s", group.len(), kind.id()), detail)
        }
        [] => return None,
    };
    let mut parts: Vec<usize> = group.iter().flat_map(|port| port.parts.iter().copied()).collect();
    parts.sort_unstable();
    parts.dedup();
    let inputs = group.iter().flat_map(|port| port.inputs.iter().copied()).collect();
    let drawn = DiagramBox { label, detail, kind: kind.clone(), times: 1 };
    Some(Group { drawn, parts, sample: sample.val, inputs })
}
