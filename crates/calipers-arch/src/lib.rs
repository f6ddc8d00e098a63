//! Recognizes what a network is: its blocks, kind, family, task and quantization.
//!
//! [`recognize`] builds the [`Network`] from a measured model, lets the patterns of [`blocks`] fold it,
//! and asks in turn: `facts` for the figures, `fingerprint` for the public network that it is, `kind` for
//! kind, style and family, `task`, and `quantization`. [`view`] lays the graph out as groups for the viewer.
#![forbid(unsafe_code)]

pub mod blocks;
mod described;
mod descriptions;
mod diagram;
mod facts;
mod fingerprint;
mod generation;
mod given;
mod groups;
mod kind;
mod labels;
pub mod network;
pub mod quantization;
mod repeats;
mod stats;
mod structure;
mod task;
mod tree;
pub mod view;

use calipers_infer::Typed;
use calipers_ir::{GraphOrigin, Model};
use calipers_measure::Measured;
use calipers_report::{Architecture, ModelKind, Quantization, Style, Task};
pub use facts::is_norm_folded;
use fingerprint::Identity;
use groups::{Inside, Part, parts};
use network::Network;
use stats::NetworkStats;
pub use structure::Structure;

/// What a model is: the output of [`recognize`].
pub struct Recognized<'a> {
    /// The network with its blocks recognized.
    pub net: Network<'a>,
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
    let mut net = Network::build(model, typed);
    let quantization = quantization::describe(&net, parameters);
    let mut identity = Identity::find(&net);
    blocks::recognize(&mut net);
    let mut architecture = Architecture {
        facts: facts::measure(&net, parameters, memory),
        blocks: blocks::counts(&net),
        skips: blocks::skips(&net),
        ..Architecture::default()
    };
    let structure = Structure::find(&net);
    architecture.repeats = repeats::repeats(&net, &structure);
    architecture.tree = tree::tree(&net, &structure, sizes);
    diagram::draw(&net, &structure, &mut architecture);
    let stats = NetworkStats::new(&net, &architecture.facts).at(sizes);
    facts::measure_resolutions(&stats, &mut architecture.facts);
    if model.header.graph_origin == GraphOrigin::Absent {
        kind::without_graph(&mut identity, &mut architecture);
    } else {
        kind::decide(&stats, &mut identity, &mut architecture);
    }
    let task = task::recognize(&stats, &mut architecture);
    described::fill(model, &mut architecture);
    architecture.words = descriptions::sentence(&architecture, &task);
    Recognized { net, structure, architecture, task, quantization }
}

/// Returns the networks of the library that a network resembles, the best first, a line each.
///
/// Build the network and do not fold its blocks: the order of its weights counts.
pub fn resemblances(net: &Network<'_>) -> Vec<String> {
    fingerprint::resemblances(net)
}

/// Returns the networks of the library that a network matches, the best first: `timm:resnet50`.
///
/// Build the network and do not fold its blocks: the order of its weights counts.
pub fn references(net: &Network<'_>) -> Vec<String> {
    Identity::find(net).references
}

/// Returns why a model without a KV cache has none, in a few words: `encoder`.
pub fn why_no_kv_cache(architecture: &Architecture) -> &'static str {
    match (architecture.style, architecture.kind) {
        (Some(Style::Encoder | Style::DualEncoder | Style::Vision), _) => "encoder",
        (Some(Style::Decoder | Style::EncoderDecoder), _) => "exported without one",
        (None, Some(ModelKind::Rnn)) => "recurrent network",
        (None, Some(ModelKind::Transformer) | None) => "no cache inputs",
        _ => "not a sequence model",
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
