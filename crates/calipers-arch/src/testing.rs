//! Takes a model through the stages up to this one.

use calipers_infer::{Bindings, infer};
use calipers_ir::Model;
use calipers_report::Report;

/// The parts of the report that this crate fills.
pub(crate) fn report(model: &Model) -> Report {
    let bindings = Bindings::default();
    let typed = infer(model, &bindings).unwrap();
    let measured = calipers_measure::measure(model, &typed, &bindings, None).unwrap();
    let recognized = crate::recognize(model, &typed, &measured);
    Report {
        parameters: measured.parameters.clone(),
        architecture: recognized.architecture,
        task: recognized.task,
        quantization: recognized.quantization,
        ..Report::default()
    }
}
