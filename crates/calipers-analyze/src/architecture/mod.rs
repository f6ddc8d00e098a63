//! What the model is, from the blocks of its network.
//!
//! [`describe`] builds the [`Net`], lets the recognisers of [`blocks`](crate::blocks) fold it, and
//! asks in turn: `facts` for the figures, `kind` for kind, style and family, `task`, and
//! `quantization`.

mod census;
mod diagram;
mod facts;
mod kind;
mod labels;
mod repeats;
mod rooms;
mod structure;
mod task;
mod tree;
mod words;

use calipers_ir::Model;
use calipers_report::{Architecture, Memory, Parameters, Quantization, Task};

use census::Census;
pub(crate) use structure::Structure;

use crate::assume::Sizes;
use crate::hardware::Running;
use crate::infer::Typed;
use crate::net::Net;
use crate::{blocks, quantization};

pub(crate) use diagram::redraw;
pub(crate) use facts::is_norm_folded;
pub(crate) use rooms::{Inside, Part, parts};

/// What the model is.
pub(crate) struct Described<'a> {
    /// The network with its blocks recognised.
    pub(crate) net: Net<'a>,
    pub(crate) architecture: Architecture,
    pub(crate) task: Task,
    pub(crate) quantization: Quantization,
    pub(crate) running: Running,
    /// How the network is cut, and what repeats in it.
    pub(crate) structure: Structure,
}

/// Finds out what the model is.
pub(crate) fn describe<'a>(
    model: &'a Model,
    typed: &'a Typed,
    parameters: &Parameters,
    memory: &Memory,
    sizes: &Sizes,
) -> Described<'a> {
    let mut net = Net::build(model, typed);
    let quantization = quantization::describe(&net, parameters);
    blocks::recognise(&mut net);
    let mut architecture = Architecture {
        facts: facts::of(&net, parameters, memory),
        blocks: blocks::counts(&net),
        skips: blocks::skips(&net),
        ..Architecture::default()
    };
    let structure = Structure::of(&net);
    architecture.repeats = repeats::repeats(&net, &structure);
    architecture.tree = tree::tree(&net, &structure, sizes);
    diagram::draw(&net, &structure, &mut architecture);
    let census = Census::of(&net, &architecture.facts);
    kind::decide(&census, &mut architecture);
    let task = task::of(&census, &mut architecture);
    architecture.words = words::sentence(&architecture, &task);
    let running = Running::of(&net);
    Described { net, architecture, task, quantization, running, structure }
}

/// The network as text, a unit a line, its parts below it: for looking at what was recognised.
pub fn outline(model: &Model, typed: &Typed, recognised: bool) -> String {
    let mut net = Net::build(model, typed);
    if recognised {
        blocks::recognise(&mut net);
    }
    net.outline()
}

/// How many units recognition leaves of a network: for measuring how long that takes.
pub fn recognise(model: &Model, typed: &Typed) -> usize {
    let mut net = Net::build(model, typed);
    blocks::recognise(&mut net);
    net.units().count()
}

#[cfg(test)]
mod tests;
