//! Failures as exceptions of `calipers._errors`.

use calipers_cli::embed::{Failure, FailureKind, call};
use pyo3::prelude::*;

/// Does the work while other threads of Python run. Ctrl-C ends the wait for it.
pub(crate) fn detached<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let done = py.detach(|| call(work, || Python::attach(|py| py.check_signals())))?;
    done.map_err(|failure| raised(py, &failure))
}

/// The exception for a failure, with the text and the hint that the command prints.
fn raised(py: Python<'_>, failure: &Failure) -> PyErr {
    let class = match failure.kind {
        FailureKind::Read => "ReadError",
        FailureKind::Option => "OptionError",
        FailureKind::Internal => "InternalError",
    };
    let exception = py
        .import("calipers._errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call1((&failure.message, &failure.hint)));
    match exception {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
