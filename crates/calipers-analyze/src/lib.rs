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

mod architecture;
mod assume;
mod bindings;
mod blocks;
mod cost;
mod findings;
mod fingerprint;
mod graph;
mod hardware;
mod infer;
mod layers;
mod memory;
mod model;
mod net;
mod parameters;
mod quantization;
mod redact;
mod scope;
mod scopes;
mod shapes;
pub mod summary;
mod sweep;
mod view;
mod walk;
mod weights;

use calipers_ir::Model;
use calipers_report::{GraphView, Report, Unknown};

pub use architecture::{outline, recognise};
pub use findings::{Selection, SelectionError, any_as_severe, finding_table, rules};
pub use fingerprint::fingerprint;
use hardware::{Batch, Subject, choose};
pub use hardware::{Question, WELL_KNOWN, kernel_lines, kernel_of_shape};
pub use layers::{LayerOrder, LayerQuery, layers};
pub use redact::{NotRedacted, Redactor};
pub use shapes::shapes;
pub use sweep::{Sweep, SweepError, sweep};
pub use weights::{Weights, read as read_weights};

pub use infer::{
    BindError, Bindings, Contradiction, FreshDimension, Tally, Typed, infer, infer_shapes,
};

/// Everything that can be said of a model with its dimensions left free.
pub fn analyze(model: &Model) -> Report {
    analyze_bound(model, &Bindings::default()).unwrap_or_default()
}

/// Everything that can be said of a model with these dimensions bound.
pub fn analyze_bound(model: &Model, bindings: &Bindings) -> Result<Report, BindError> {
    analyze_for(model, bindings, &Question::default())
}

/// The same, with an answer to this question about hardware.
pub fn analyze_for(
    model: &Model,
    bindings: &Bindings,
    question: &Question,
) -> Result<Report, BindError> {
    analyze_with(model, bindings, question, None)
}

/// The same, with what [`read_weights`] showed.
pub fn analyze_with(
    model: &Model,
    bindings: &Bindings,
    question: &Question,
    weights: Option<&Weights>,
) -> Result<Report, BindError> {
    let mut bindings = bindings.clone();
    bind_batch(model, &mut bindings, question)?;
    report(model, &bindings, Some(question), weights, None)
}

/// The same, with the graph as rooms to look around in.
pub fn explore(
    model: &Model,
    bindings: &Bindings,
    question: &Question,
    weights: Option<&Weights>,
) -> Result<(Report, GraphView), BindError> {
    let mut bindings = bindings.clone();
    bind_batch(model, &mut bindings, question)?;
    let mut view = GraphView::default();
    let report = report(model, &bindings, Some(question), weights, Some(&mut view))?;
    Ok((report, view))
}

/// Binds the batch that is asked for, where the file leaves it free.
fn bind_batch(
    model: &Model,
    bindings: &mut Bindings,
    question: &Question,
) -> Result<(), BindError> {
    let Some(asked) = question.batch.and_then(|batch| i64::try_from(batch).ok()) else {
        return Ok(());
    };
    let bound = bindings.sizes(model);
    for name in Batch::find(model, bindings).symbols {
        match bound.get(&name) {
            Some(first) if *first != asked => {
                return Err(BindError::Twice { name, first: *first, second: asked });
            }
            Some(_) => {}
            None => _ = bindings.dims.insert(name, asked),
        }
    }
    Ok(())
}

fn report(
    model: &Model,
    bindings: &Bindings,
    question: Option<&Question>,
    weights: Option<&Weights>,
    view: Option<&mut GraphView>,
) -> Result<Report, BindError> {
    let typed = infer(model, bindings)?;
    let mut unknown = Vec::new();
    let mut assumptions = Vec::new();
    let (parameters, owners) = parameters::measure(model, &mut unknown, &mut assumptions);
    let graph = graph::describe(model, &typed, &mut unknown);
    let caches = memory::Caches::find(model, &typed);
    let context = question.and_then(|question| question.context);
    let length = context.map(|length| i64::try_from(length).unwrap_or(i64::MAX));
    let sizes = assume::sizes(model, &typed, &caches, length);
    if let Some(given) = context.filter(|_| !sizes.values().any(assume::Assumed::is_length)) {
        return Err(BindError::NoSequence { given });
    }
    assume::tell(&sizes, &mut assumptions);
    let stored = parameters.stored_bytes;
    let known = memory::Known { typed: &typed, sizes: &sizes, caches: &caches };
    let memory = memory::measure(model, &known, stored, &mut unknown, &mut assumptions);
    let architecture::Described { net, architecture, task, quantization, running, structure } =
        architecture::describe(model, &typed, &parameters, &memory, &sizes);
    let hardware = question.map(|question| {
        let subject = Subject {
            model,
            bindings,
            typed: &typed,
            sizes: &sizes,
            caches: &caches,
            parameters: &parameters,
            architecture: &architecture,
            running: &running,
            batch: Batch::find(model, bindings),
            choice: choose(question.precision, &architecture, &quantization),
        };
        if let Some(view) = view {
            *view = view::describe(&view::Seen {
                model,
                typed: &typed,
                sizes: &sizes,
                net: &net,
                structure: &structure,
                memory: &memory,
                owners: &owners,
                subject: &subject,
                question,
            });
        }
        hardware::answer(&subject, question)
    });
    let file = model::describe(model, &parameters, &mut unknown);
    let cost = cost::summarize(model, &typed, &sizes, &owners, &mut unknown);
    let risks = findings::check(&findings::Evidence {
        model,
        typed: &typed,
        sizes: &sizes,
        net: &net,
        graph: &graph,
        parameters: &parameters,
        cost: &cost,
        architecture: &architecture,
        quantization: &quantization,
        weights,
    });
    let weights = weights.map(|weights| weights.summarize(&mut unknown));
    let mut report = Report {
        weights,
        model: file,
        bindings: bindings::of(model, bindings),
        graph,
        shapes: shapes::summarize(model, &typed),
        cost,
        parameters,
        memory,
        architecture,
        task,
        quantization,
        hardware,
        risks,
        assumptions,
        unknown,
        ..Report::default()
    };
    report.summary = Some(summary::summarize(&report));
    Ok(report)
}

/// Notes that a figure is not known.
fn not_known(unknown: &mut Vec<Unknown>, what: &str, reason: impl Into<String>) {
    unknown.push(Unknown { what: what.to_owned(), reason: reason.into() });
}
