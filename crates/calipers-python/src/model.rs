//! A model that was read.

use std::path::{Path, PathBuf};

use calipers::Compared;
use calipers_cli::embed::{self, Failure};
use calipers_render::{json, page};
use pyo3::prelude::*;

use crate::error::raised;
use crate::report::{Options, Report};
use crate::source::Input;
use crate::tables::{Table, layers, shapes};

/// A model that was read from a file or from bytes. It never changes, so threads can share it.
#[pyclass(frozen, module = "calipers._calipers")]
pub(crate) struct Model {
    model: calipers::Model,
    /// The path, or the name of bytes.
    name: PathBuf,
}

/// What a model is compared with.
#[derive(FromPyObject)]
enum Other<'py> {
    Model(PyRef<'py, Model>),
    Report(PyRef<'py, Report>),
}

#[pymethods]
impl Model {
    /// Reads the model in a file, or in bytes that have this name.
    #[new]
    pub(crate) fn read(py: Python<'_>, source: Input, name: &str) -> PyResult<Self> {
        let read = py.detach(|| match source {
            Input::Path(path) => Ok(Self { model: embed::open(&path)?, name: path }),
            Input::Bytes(source) => {
                Ok(Self { model: embed::read(source, name)?, name: PathBuf::from(name) })
            }
        });
        read.map_err(|failure: Failure| raised(py, &failure))
    }

    /// The path, the URL without its query, or the name of bytes.
    #[getter]
    fn name(&self) -> String {
        embed::shown(&self.name)
    }

    /// The report.
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 passes owned values")]
    fn report(&self, py: Python<'_>, options: PyRef<'_, Options>) -> PyResult<Report> {
        let options = &*options;
        let report = py.detach(|| self.analyze(options));
        report.map(Report).map_err(|failure| raised(py, &failure))
    }

    /// The page with the graph.
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 passes owned values")]
    fn html(&self, py: Python<'_>, options: PyRef<'_, Options>) -> PyResult<String> {
        let options = &*options;
        let page = py.detach(|| {
            let (report, view) = options.explore(&self.model, &self.name)?;
            Ok(page::html(&report, &view))
        });
        page.map_err(|failure: Failure| raised(py, &failure))
    }

    /// The type and shape of every value, a row each.
    fn shapes(&self, py: Python<'_>, arguments: Vec<String>) -> PyResult<Table> {
        let table = py.detach(|| embed::shapes(&self.model, &self.name, arguments));
        shapes(&table.map_err(|failure| raised(py, &failure))?)
    }

    /// Every node with its shapes, parameters and cost, a row each.
    fn layers(&self, py: Python<'_>, arguments: Vec<String>) -> PyResult<Table> {
        let table = py.detach(|| embed::layers(&self.model, &self.name, arguments));
        layers(&table.map_err(|failure| raised(py, &failure))?)
    }

    /// What changes from this model to another, as JSON.
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 passes owned values")]
    fn compare(
        &self,
        py: Python<'_>,
        other: Other<'_>,
        arguments: Vec<String>,
    ) -> PyResult<String> {
        let report_name;
        let (other, name): (Compared<'_>, &Path) = match &other {
            Other::Model(other) => ((&other.model).into(), &other.name),
            Other::Report(other) => {
                report_name = PathBuf::from(&other.0.model.file);
                ((&other.0).into(), &report_name)
            }
        };
        let compared = py.detach(|| {
            let compared =
                embed::compare(((&self.model).into(), &self.name), (other, name), arguments)?;
            Ok(json::to_string(&compared))
        });
        compared.map_err(|failure: Failure| raised(py, &failure))
    }
}

impl Model {
    pub(crate) fn analyze(&self, options: &Options) -> Result<calipers_report::Report, Failure> {
        options.report(&self.model, &self.name)
    }
}
