//! Recognizes what a network is: its blocks, kind, family, task and quantization.
//!
//! [`recognize`] builds the [`Net`] from a measured model, lets the patterns of [`blocks`] fold it,
//! and asks in turn: `facts` for the figures, `kind` for kind, style and family, `task`, and
//! `quantization`. [`view`] lays the graph out as groups for the viewer.
#![forbid(unsafe_code)]

pub mod blocks;
mod census;
mod diagram;
mod facts;
mod kind;
mod labels;
pub mod net;
pub mod quantization;
mod repeats;
mod rooms;
mod structure;
mod task;
mod tree;
pub mod view;
mod words;

use calipers_infer::Typed;
use calipers_ir::Model;
use calipers_measure::Measured;
use calipers_report::{Architecture, Quantization, Task};
use census::Census;
pub use facts::is_norm_folded;
use net::Net;
use rooms::{Inside, Part, parts};
pub use structure::Structure;

/// What a model is: the output of [`recognize`].
pub struct Recognized<'a> {
    /// The network with its blocks recognized.
    pub net: Net<'a>,
    /// How the network is divided, and what repeats in it.
    pub structure: Structure,
    /// Kind, family, figures and diagrams.
    pub architecture: Architecture,
    /// What the model is for.
    pub task: Task,
    /// How its numbers are stored and computed.
    pub quantization: Quantization,
}

/// Recognizes a measured model.
pub fn recognize<'a>(model: &'a Model, typed: &'a Typed, measured: &Measured) -> Recognized<'a> {
    let Measured { parameters, memory, sizes, .. } = measured;
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
    Recognized { net, structure, architecture, task, quantization }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
