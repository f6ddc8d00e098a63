//! Learned weights, distinguished from everything else that a file stores.
//!
//! No file says which of its tensors were learned; the graph shows it by how it uses them. Three
//! steps: `uses` finds for every value what becomes of it, `role` decides from those uses and
//! from the tensor's type and size what it is, `count` adds up.

mod content;
mod count;
mod operands;
mod owners;
mod parts;
mod role;
mod stored;
#[cfg(test)]
mod tests;
mod uses;

use calipers_infer::walk::ResolvedOps;
use calipers_ir::Model;
use calipers_report::{Assumption, Parameters, Unknown};
pub use owners::Owners;
pub use role::Role;
pub use stored::Stored;

/// The parameters' section of the report, and which node of the main graph uses what first.
pub fn measure(
    model: &Model,
    unknown: &mut Vec<Unknown>,
    assumptions: &mut Vec<Assumption>,
) -> (Parameters, Owners) {
    let resolved = ResolvedOps::find(model);
    let stored = stored(model, &resolved);
    let parameters = count::count(model, &stored, unknown, assumptions);
    (parameters, Owners::find(model, &resolved, &stored))
}

/// Everything stored, and what it is.
pub fn all(model: &Model) -> Vec<Stored> {
    stored(model, &ResolvedOps::find(model))
}

fn stored(model: &Model, resolved: &ResolvedOps) -> Vec<Stored> {
    let uses = uses::find(model, resolved);
    stored::list(model, resolved, &uses)
}
