//! The extension module `calipers._calipers`: models, reports and tables for Python.
//!
//! It converts, and computes nothing of its own. Arguments and messages are those of the command
//! (see [`calipers_cli::embed`]). Python code in `python/calipers` gives them their public form.
#![deny(unsafe_code)]

mod error;
mod model;
mod report;
mod scan;
mod source;
mod tables;

use pyo3::prelude::*;

/// The native part of the `calipers` package.
#[pymodule]
mod _calipers {
    use std::ffi::OsString;
    use std::path::PathBuf;
    use std::sync::Arc;

    use calipers_cli::embed::ReportOptions;
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use pyo3::types::PyBytes;

    use crate::error::detached;
    #[pymodule_export]
    use crate::model::Model;
    use crate::model::Named;
    #[pymodule_export]
    use crate::report::{Options, Report};
    #[pymodule_export]
    use crate::scan::{addresses, columns, rows, table_of};
    use crate::source::Input;
    #[pymodule_export]
    use crate::tables::Table;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python packages use")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Runs the command with these arguments, the program's name first; returns its exit status.
    #[pyfunction]
    fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| calipers_cli::main_with(arguments))
    }

    /// The bytes of the built-in model.
    #[pyfunction]
    fn demo(py: Python<'_>) -> Bound<'_, PyBytes> {
        PyBytes::new(py, &calipers_samples::digits())
    }

    /// The devices of the catalog, with those of a file, as `calipers devices --format json` lists them.
    #[pyfunction]
    #[pyo3(signature = (file=None))]
    fn devices(py: Python<'_>, file: Option<PathBuf>) -> PyResult<String> {
        detached(py, move || {
            Ok(calipers_render::json::to_string(&calipers_cli::embed::devices(file.as_deref())?))
        })
    }

    /// The report on a path or on bytes, as JSON: one call, without objects in between.
    #[pyfunction]
    #[pyo3(signature = (source, name, options=None))]
    fn report_json(
        py: Python<'_>,
        source: Input,
        name: String,
        options: Option<PyRef<'_, Options>>,
    ) -> PyResult<String> {
        let options = options.map(|options| options.0.clone());
        detached(py, move || {
            let options = match options {
                Some(options) => options,
                None => Arc::new(ReportOptions::parse(Vec::new())?),
            };
            let model = Named::read(source, name)?;
            Ok(calipers_render::json::to_string(&model.report(&options)?))
        })
    }

    /// The JSON Schema that `calipers schema` prints for this name.
    #[pyfunction]
    fn schema(name: &str) -> PyResult<String> {
        match calipers_schema::document(name) {
            Some(schema) => Ok(format!("{schema:#}\n")),
            None => Err(PyValueError::new_err(format!("no schema {name:?}"))),
        }
    }
}
