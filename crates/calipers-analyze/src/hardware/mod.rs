//! Where the model will run, and how fast.

mod activations;
mod estimate;
mod kernels;

use calipers_ir::Model;

use crate::blocks;
use crate::infer::{Bindings, BindError};
use crate::net::Net;

/// Kernels at bound sizes, a line each: for fitting constants on measurements.
pub fn kernel_lines(model: &Model, bindings: &Bindings) -> Result<Vec<String>, BindError> {
    let typed = crate::infer(model, bindings)?;
    let mut net = Net::build(model, &typed);
    blocks::recognise(&mut net);
    let number = |expr: &calipers_sym::Expr| expr.as_const().map_or(-1, |value| value);
    Ok(kernels::find(&net)
        .iter()
        .map(|kernel| {
            format!(
                "{:?},{},{},{},{},{},{},{}",
                kernel.kind,
                number(&kernel.macs),
                number(&kernel.other_flops),
                number(&kernel.activations),
                number(&kernel.weights),
                number(&kernel.depth),
                number(&kernel.results),
                model.node_label(kernel.node),
            )
        })
        .collect())
}
