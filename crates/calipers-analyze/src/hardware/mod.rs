//! Where the model will run, and how fast.
//!
//! `kernels` finds what a framework launches, `estimate` says how long that takes on a device,
//! `activations` how much memory it needs meanwhile. `subject` holds the model at any batch and
//! length; `room`, `scaling`, `generation` and `requirements` each answer a question about it, and
//! `answer` puts the section together.

mod activations;
mod answer;
mod estimate;
mod generation;
mod kernels;
mod requirements;
mod resolution;
mod roofline;
mod room;
mod scaling;
mod subject;

pub use answer::{Question, WELL_KNOWN};
pub(crate) use answer::{answer, span};
pub use kernels::kernel_of_shape;
pub(crate) use room::Room as MemoryRoom;
pub(crate) use scaling::rate;
pub(crate) use subject::{At, Batch, Running, Subject, choose};

use calipers_ir::Model;

use crate::blocks;
use crate::infer::{BindError, Bindings};
use crate::net::Net;

/// Kernels at bound sizes, a line each, for fitting constants on measurements: kind,
/// multiply-accumulates, other operations, elements of activations and of weights, products for one
/// result, results, rounds that wait for each other, and the node.
pub fn kernel_lines(model: &Model, bindings: &Bindings) -> Result<Vec<String>, BindError> {
    let typed = crate::infer(model, bindings)?;
    let mut net = Net::build(model, &typed);
    blocks::recognise(&mut net);
    let number = |expr: &calipers_sym::Expr| expr.as_const().map_or(-1, |value| value);
    Ok(kernels::find(&net)
        .iter()
        .map(|kernel| {
            format!(
                "{},{},{},{},{},{},{},{},{}",
                kernel.kind_at(i128::from(number(&kernel.rows))).id(),
                number(&kernel.macs),
                number(&kernel.other_flops),
                number(&kernel.activations),
                number(&kernel.weights),
                number(&kernel.depth),
                number(&kernel.results),
                number(&kernel.steps),
                model.node_label(kernel.node),
            )
        })
        .collect())
}
