//! Failures as exceptions of `calipers._errors`.

use calipers_cli::embed::Failure;
use pyo3::prelude::*;

/// The exception for a failure, with the text and the hint that the command prints.
pub(crate) fn raised(py: Python<'_>, failure: &Failure) -> PyErr {
    let class = if failure.is_of_model { "ReadError" } else { "OptionError" };
    let exception = py
        .import("calipers._errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call1((&failure.message, &failure.hint)));
    match exception {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
