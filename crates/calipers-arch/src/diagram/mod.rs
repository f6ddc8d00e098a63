//! The network as boxes and arrows, as a person would draw it.
//!
//! Boxes are segments of the order of execution: a run of likes, or a few segments. Since the order
//! is one of execution, arrows between segments never make a ring. At most about 25 boxes are
//! drawn; where there would be more, the smallest neighbors share one.

mod flow;
mod parts;
mod ports;

use std::collections::BTreeMap;

use calipers_report::units::shortened;
use calipers_report::{Architecture, Arrow, Diagram, DiagramBox};
use calipers_sym::Expr;
use parts::Part;
use ports::Ports;

use crate::network::{Network, OpId, Val};
use crate::structure::Structure;

/// Boxes of a diagram, inputs and outputs among them.
const MAX_BOXES: usize = 25;
/// Characters of a label; a longer one is cut in the middle.
const MAX_LABEL: usize = 90;
/// Characters of a dimension; longer formulas are left out.
const MAX_DIM: usize = 16;

/// Draws the network, and the flow between operators, into the report.
pub(super) fn draw(net: &Network<'_>, structure: &Structure, architecture: &mut Architecture) {
    architecture.block_diagram = block_diagram(net, structure);
    architecture.flow_diagram = flow::flow(net.model);
}

fn block_diagram(net: &Network<'_>, structure: &Structure) -> Diagram {
    let ports = Ports::find(net, structure);
    let parts = parts::parts(net, structure, MAX_BOXES.saturating_sub(ports.least()));
    let mut builder = DiagramBuilder {
        net,
        structure,
        part_of: part_of(structure, &parts),
        boxes: Vec::new(),
        arrows: BTreeMap::new(),
    };
    builder.paint(&parts, &ports);
    let DiagramBuilder { boxes, arrows, .. } = builder;
    let arrows = arrows.into_iter().map(|((from, to), label)| Arrow { from, to, label }).collect();
    Diagram { boxes, arrows }
}

/// For each place of the order, the part it lies in.
fn part_of(structure: &Structure, parts: &[Part]) -> Vec<usize> {
    let mut of = vec![0; structure.main.len()];
    for (number, part) in parts.iter().enumerate() {
        for segment in part.segments.clone() {
            if let Some(segment) = structure.segments.get(segment) {
                of[segment.from..segment.to].fill(number);
            }
        }
    }
    of
}

struct DiagramBuilder<'a> {
    net: &'a Network<'a>,
    structure: &'a Structure,
    part_of: Vec<usize>,
    boxes: Vec<DiagramBox>,
    arrows: BTreeMap<(usize, usize), String>,
}

impl DiagramBuilder<'_> {
    fn paint(&mut self, parts: &[Part], ports: &Ports) {
        let inputs = ports.inputs(self);
        let outputs = ports.outputs(self);
        let first = inputs.len();
        let last = first + parts.len();
        self.boxes.extend(inputs.iter().map(|group| group.drawn.clone()));
        self.boxes.extend(parts.iter().map(Part::drawn));
        self.boxes.extend(outputs.iter().map(|group| group.drawn.clone()));
        for (number, group) in inputs.iter().enumerate() {
            for part in &group.parts {
                self.arrow(number, first + part, group.sample);
            }
        }
        for place in 0..self.structure.main.len() {
            let unit = self.structure.main[place];
            let to = self.part_of[place];
            for input in self.net.unit(unit).inputs.iter().flatten() {
                if let Some(from) = self.part_giving(*input).filter(|from| *from != to) {
                    self.arrow(first + from, first + to, *input);
                }
            }
        }
        for (number, group) in outputs.iter().enumerate() {
            for part in &group.parts {
                self.arrow(first + part, last + number, group.sample);
            }
            for input in inputs.iter().enumerate().filter(|(_, from)| from.feeds(group)) {
                self.arrow(input.0, last + number, group.sample);
            }
        }
    }

    /// The part that gives a value.
    fn part_giving(&self, val: Val) -> Option<usize> {
        let place = self.structure.place(self.net.producer(val)?)?;
        self.part_of.get(place).copied()
    }

    /// The part that a unit lies in.
    fn part(&self, unit: OpId) -> Option<usize> {
        self.part_of.get(self.structure.place(unit)?).copied()
    }

    fn arrow(&mut self, from: usize, to: usize, val: Val) {
        let label = shape_words(self.net.shape(val));
        let held = self.arrows.entry((from, to)).or_default();
        if held.is_empty() {
            *held = label;
        }
    }
}

/// A shape as is on an arrow: `batch × 3 × 224 × 224`.
fn shape_words(shape: Option<&[Expr]>) -> String {
    let Some(shape) = shape else { return String::new() };
    let dim = |dim: &Expr| {
        let text = if dim.is_undefined() { "?".to_owned() } else { dim.to_string() };
        if text.chars().nth(MAX_DIM).is_none() {
            text
        } else if dim.as_symbol().is_some() {
            shortened(&text, MAX_DIM)
        } else {
            "…".to_owned()
        }
    };
    match shape {
        [] => "scalar".to_owned(),
        shape => shape.iter().take(8).map(dim).collect::<Vec<_>>().join(" × "),
    }
}
