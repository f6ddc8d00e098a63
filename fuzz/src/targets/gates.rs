//! Any text as a gate and as a file of budgets.

use std::hint::black_box;

use calipers_compare::gates::{Budgets, Gate};

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Gate::parse(text, "fuzz", &["graph-cycle"]) {
        Ok(gate) => {
            let again = Gate::parse(gate.expression(), "fuzz", &["graph-cycle"]);
            assert_eq!(again.as_ref(), Ok(&gate), "the expression parses to the same gate");
        }
        Err(error) => {
            assert!(error.expression.get(error.at.clone()).is_some(), "{error:?}");
            assert_eq!(error.pointer().lines().count(), 2);
        }
    }
    match Budgets::parse(text, "fuzz", &["graph-cycle"]) {
        Ok(budgets) => drop(black_box(budgets.for_model("models/model.onnx"))),
        Err(error) => assert!(!error.to_string().contains(char::is_control)),
    }
}
