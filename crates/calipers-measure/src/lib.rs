//! Parameters, cost, memory, KV caches and layers of a model.
//!
//! Every pass takes the model with its types ([`calipers_infer::Typed`]) and fills its part of the report:
//! `parameters` separates learned weights from all else that is stored, `cost` and `memory` evaluate
//! formulas at the sizes that [`assume`] finds for free dimensions.
#![forbid(unsafe_code)]

pub mod assume;
pub mod bindings;
pub mod cost;
pub mod experts;
mod fingerprint;
pub mod graph;
pub mod layers;
pub mod memory;
pub mod model;
pub mod parameters;
mod scopes;
pub mod shapes;
mod sweep;
pub mod weights;
mod without_graph;

use std::collections::BTreeMap;

use calipers_infer::{BindError, Bindings, Typed};
use calipers_ir::{GraphOrigin, Model};
use calipers_report::{
    Assumption, Binding, Cost, GraphFacts, Memory, ModelFacts, Parameters, ShapeFacts, Unknown,
};
pub use fingerprint::fingerprint;
pub use layers::{LayerOrder, LayerQuery, layers};
pub use shapes::shapes;
pub use sweep::{Sweep, SweepError, sweep};
pub use weights::{
    MAX_BYTES as MAX_WEIGHT_BYTES, Weights, read as read_weights,
    read_within as read_weights_within,
};

/// Every figure that follows from the file and its types: the output of [`measure`].
pub struct Measured {
    /// The file and what it says of itself.
    pub file: ModelFacts,
    /// Inputs, outputs and operators.
    pub graph: GraphFacts,
    /// Stored tensors by what they are for.
    pub parameters: Parameters,
    /// The node that each learned tensor belongs to.
    pub owners: parameters::Owners,
    /// Keys and values that the model keeps from step to step.
    pub caches: memory::Caches,
    /// Sizes assumed for free dimensions.
    pub sizes: assume::Sizes,
    /// Weights, activations and caches, in bytes.
    pub memory: Memory,
    /// Arithmetic and traffic of one run.
    pub cost: Cost,
    /// How many values have known types and shapes.
    pub shapes: ShapeFacts,
    /// Named dimensions of the inputs, and what they are bound to.
    pub bindings: BTreeMap<String, Binding>,
    /// What the figures rest on.
    pub assumptions: Vec<Assumption>,
    /// Figures that are unknown, and why.
    pub unknown: Vec<Unknown>,
}

/// Measures a model whose values were inferred under `bindings`. `context` is the sequence length
/// to assume where the model leaves it free.
///
/// # Errors
///
/// [`BindError::NoSequence`] if `context` is given and the model has no free sequence length.
pub fn measure(
    model: &Model,
    typed: &Typed,
    bindings: &Bindings,
    context: Option<u64>,
) -> Result<Measured, BindError> {
    let (mut unknown, mut assumptions) = (Vec::new(), Vec::new());
    let (parameters, owners) = parameters::measure(model, &mut unknown, &mut assumptions);
    let graph = graph::describe(model, typed, &mut unknown);
    let caches = memory::Caches::find(model, typed);
    let length = context.map(|length| i64::try_from(length).unwrap_or(i64::MAX));
    let sizes = assume::sizes(model, typed, &caches, length);
    if let Some(given) = context.filter(|_| !sizes.values().any(assume::Assumed::is_length)) {
        return Err(BindError::NoSequence { given });
    }
    assume::report(&sizes, &mut assumptions);
    let known = memory::Known { typed, sizes: &sizes, caches: &caches };
    let stored = parameters.stored_bytes;
    let memory = memory::measure(model, &known, stored, &mut unknown, &mut assumptions);
    let file = model::describe(model, &parameters, &mut unknown);
    let cost = cost::summarize(model, typed, &sizes, &owners, &mut unknown);
    let (cost, memory) = match model.header.graph_origin {
        GraphOrigin::Absent => without_graph::figures(memory.weights_bytes, &mut unknown),
        GraphOrigin::Built | GraphOrigin::Stored => (cost, memory),
    };
    without_graph::state_origin(model, &mut assumptions);
    let shapes = shapes::summarize(model, typed);
    let bindings = bindings::describe(model, bindings);
    Ok(Measured {
        file,
        graph,
        parameters,
        owners,
        caches,
        sizes,
        memory,
        cost,
        shapes,
        bindings,
        assumptions,
        unknown,
    })
}

/// Records that a figure is unknown, and why.
fn not_known(unknown: &mut Vec<Unknown>, what: &str, reason: impl Into<String>) {
    unknown.push(Unknown { what: what.to_owned(), reason: reason.into() });
}
