//! The network as nested parts, down to nodes of the file, from which the graph view is built.
//!
//! Unlike the tree of the report, it is complete, and every repeat has parts of its own.

use calipers_ir::NodeId;
use calipers_report::{CompositeKind, PartKind};

use super::labels::{label, title};
use super::repeats::{name, units};
use super::structure::{Item, Structure};
use crate::network::{Network, NetworkOp};

/// A part of the network.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub name: String,
    pub detail: String,
    /// Its kind; none for a block of an unknown operator.
    pub kind: Option<PartKind>,
    /// The number of repeats, of a run of repeats.
    pub times: Option<u64>,
    /// What is in it, in order.
    pub inside: Vec<Inside>,
}

/// What is in a part.
#[derive(Debug)]
pub(crate) enum Inside {
    Part(Part),
    /// A node that may be in a subgraph or in a function.
    Node(NodeId),
}

/// Parts nested deeper than this are flattened.
const MAX_DEPTH: usize = 12;

/// The parts of a network.
pub(crate) fn parts(net: &Network<'_>, structure: &Structure) -> Vec<Inside> {
    let writer = Writer { net, structure };
    let mut inside = Vec::new();
    if !structure.side.is_empty() {
        let side = structure.side.iter().map(|id| writer.unit(net.unit(*id), MAX_DEPTH));
        inside.push(Inside::Part(Part {
            name: "Input preparation".to_owned(),
            kind: Some(CompositeKind::Preparation.into()),
            inside: side.flatten().collect(),
            ..Part::default()
        }));
    }
    inside.extend(structure.items.iter().map(|item| Inside::Part(writer.item(item))));
    inside
}

struct Writer<'a> {
    net: &'a Network<'a>,
    structure: &'a Structure,
}

impl Writer<'_> {
    fn item(&self, item: &Item) -> Part {
        match item {
            Item::Segment(number) => {
                let ids = self.structure.units(*number);
                let units: Vec<&NetworkOp> = ids.iter().map(|id| self.net.unit(*id)).collect();
                let inside = units.iter().flat_map(|unit| self.unit(unit, 0)).collect();
                self.titled(&units, inside)
            }
            Item::Run(turns) => self.run(turns),
        }
    }

    fn run(&self, turns: &[Vec<Item>]) -> Part {
        let turn = |(number, turn): (usize, &Vec<Item>)| {
            let mut part = match &turn[..] {
                [one] => self.item(one),
                several => {
                    let inside = several.iter().map(|item| Inside::Part(self.item(item)));
                    self.titled(&units(self.net, self.structure, several), inside.collect())
                }
            };
            part.name = match part.times {
                Some(_) => format!("Stage {}: {}", number + 1, part.name),
                None => format!("{} {}", part.name, number + 1),
            };
            Inside::Part(part)
        };
        let first = turns.first().map_or(&[][..], Vec::as_slice);
        let title = title(self.net, &units(self.net, self.structure, first));
        let label = name(self.net, self.structure, turns);
        Part {
            name: format!("{} × {label}", turns.len()),
            detail: title.detail,
            kind: Some(title.kind),
            times: Some(turns.len() as u64),
            inside: turns.iter().enumerate().map(turn).collect(),
        }
    }

    fn titled(&self, units: &[&NetworkOp], inside: Vec<Inside>) -> Part {
        // A block around a single block adds nothing.
        let mut inside = inside;
        if let [Inside::Part(_)] = inside[..]
            && let Some(Inside::Part(part)) = inside.pop()
        {
            return part;
        }
        let title = title(self.net, units);
        Part {
            name: title.label,
            detail: title.detail,
            kind: Some(title.kind),
            times: None,
            inside,
        }
    }

    /// A unit: its node, or a part with what it is made of.
    fn unit(&self, unit: &NetworkOp, depth: usize) -> Vec<Inside> {
        match &unit.parts[..] {
            [] => vec![Inside::Node(unit.node)],
            [only] => self.unit(only, depth),
            several if depth < MAX_DEPTH => {
                let inside: Vec<Inside> =
                    several.iter().flat_map(|part| self.unit(part, depth + 1)).collect();
                vec![Inside::Part(Part {
                    name: label(unit.op).to_owned(),
                    detail: super::labels::figures(unit),
                    kind: Some(unit.op.id()).filter(|id| !id.is_empty()).map(PartKind::from),
                    times: None,
                    inside,
                })]
            }
            _ => {
                let leaves = unit.walk().filter(|part| part.parts.is_empty());
                leaves.map(|leaf| Inside::Node(leaf.node)).collect()
            }
        }
    }
}
