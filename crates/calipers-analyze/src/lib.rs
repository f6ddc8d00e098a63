//! Passes over a model that answer the report's questions.
//!
//! [`analyze`] runs them all and gives the [`Report`]. Each pass is a module: `model` and `graph`
//! write down what the file says, `parameters` tells learned weights from everything else that is
//! stored, `findings` says what is wrong.
//!
//! ```
//! let bytes = vec![0x3a, 0x00]; // a graph without nodes
//! let model = calipers_formats::read(bytes, "tiny.onnx").unwrap();
//! let report = calipers_analyze::analyze(&model);
//! assert_eq!(report.graph.nodes, 0);
//! assert_eq!(report.parameters.total, Some(0));
//! ```
#![forbid(unsafe_code)]

mod bindings;
mod findings;
mod graph;
mod model;
mod parameters;
mod walk;

use calipers_ir::Model;
use calipers_report::{Report, Unknown};

/// Everything that can be said of a model.
pub fn analyze(model: &Model) -> Report {
    let mut unknown = Vec::new();
    let mut assumptions = Vec::new();
    let parameters = parameters::measure(model, &mut unknown, &mut assumptions);
    let graph = graph::describe(model, &mut unknown);
    Report {
        model: model::describe(model, &parameters, &mut unknown),
        bindings: bindings::free_dimensions(model),
        graph,
        parameters,
        risks: findings::check(model),
        assumptions,
        unknown,
        ..Report::default()
    }
}

/// Notes that a figure is not known.
fn not_known(unknown: &mut Vec<Unknown>, what: &str, reason: impl Into<String>) {
    unknown.push(Unknown { what: what.to_owned(), reason: reason.into() });
}
