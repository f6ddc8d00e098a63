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

    use pyo3::exceptions::PyRuntimeError;
    use pyo3::prelude::*;
    use pyo3::types::PyBytes;

    use crate::error::raised;
    #[pymodule_export]
    use crate::model::Model;
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

    /// The devices of the catalog, with those of a file, as `calipers devices` lists them.
    #[pyfunction]
    #[pyo3(signature = (file=None))]
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 passes owned values")]
    fn devices(py: Python<'_>, file: Option<PathBuf>) -> PyResult<Bound<'_, PyAny>> {
        let list = calipers_cli::embed::devices(file.as_deref()).map_err(|it| raised(py, &it))?;
        Ok(pythonize::pythonize(py, &list)?)
    }

    /// The report on a path or on bytes, as JSON: one call, without objects in between.
    #[pyfunction]
    #[pyo3(signature = (source, name, options=None))]
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 passes owned values")]
    fn report_json(
        py: Python<'_>,
        source: Input,
        name: &str,
        options: Option<PyRef<'_, Options>>,
    ) -> PyResult<String> {
        let default;
        let options = match &options {
            Some(options) => &**options,
            None => {
                default = Options::new(py, Vec::new())?;
                &default
            }
        };
        let model = Model::read(py, source, name)?;
        let report = py.detach(|| model.analyze(options));
        let report = report.map_err(|failure| raised(py, &failure))?;
        Ok(py.detach(|| calipers_render::json::to_string(&report)))
    }

    /// The JSON Schema of `report` or `comparison`.
    #[pyfunction]
    fn schema(name: &str) -> PyResult<String> {
        let schema = match name {
            "report" => calipers_report::schema(),
            "comparison" => calipers_report::comparison_schema(),
            _ => return Err(PyRuntimeError::new_err("expected `report` or `comparison`")),
        };
        Ok(format!("{schema:#}\n"))
    }
}
