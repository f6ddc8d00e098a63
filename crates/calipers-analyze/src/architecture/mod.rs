//! What the model is, from the blocks of its network.
//!
//! [`describe`] builds the [`Net`], lets the recognisers of [`blocks`](crate::blocks) fold it, and
//! asks in turn: `facts` for the figures, `kind` for kind, style and family, `task`, and
//! `quantization`.

mod diagram;
mod facts;
mod kind;
mod repeats;
mod structure;
mod task;
mod tree;
mod words;

use calipers_ir::Model;
use calipers_report::{Architecture, Memory, Parameters, Quantization, Task};

use crate::assume::Sizes;
use crate::blocks;
use crate::infer::Typed;
use crate::net::Net;

/// What the model is.
pub(crate) struct Described {
    pub(crate) architecture: Architecture,
    pub(crate) task: Task,
}

/// Finds out what the model is.
pub(crate) fn describe(
    model: &Model,
    typed: &Typed,
    parameters: &Parameters,
    memory: &Memory,
    quantization: &Quantization,
    sizes: &Sizes,
) -> Described {
    let mut net = Net::build(model, typed);
    blocks::recognise(&mut net);
    let mut architecture = Architecture {
        facts: facts::of(&net, parameters, memory),
        blocks: blocks::counts(&net),
        skips: blocks::skips(&net),
        ..Architecture::default()
    };
    let structure = structure::Structure::of(&net);
    architecture.repeats = repeats::repeats(&net, &structure);
    architecture.tree = tree::tree(&net, &structure, sizes);
    diagram::draw(&net, &structure, &mut architecture);
    let task = task::of(&net, &mut architecture, quantization);
    kind::decide(&net, &task, &mut architecture);
    Described { architecture, task }
}

/// The network as text, a unit a line, its parts below it: for looking at what was recognised.
pub fn outline(model: &Model, typed: &Typed, recognised: bool) -> String {
    let mut net = Net::build(model, typed);
    if recognised {
        blocks::recognise(&mut net);
    }
    net.outline()
}
