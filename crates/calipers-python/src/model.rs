//! A model that was read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use calipers::Compared;
use calipers_cli::embed::{self, Failure, ReportOptions};
use calipers_render::{json, page};
use calipers_report as report;
use pyo3::prelude::*;

use crate::error::detached;
use crate::report::{Options, Report};
use crate::source::Input;
use crate::tables::{Table, layers, shapes};

/// A model that was read from a file or from bytes. It never changes, so threads can share it.
#[pyclass(frozen, module = "calipers._calipers")]
pub(crate) struct Model(Arc<Named>);

/// A model and its name.
pub(crate) struct Named {
    model: calipers::Model,
    /// The path, or the name of bytes.
    name: PathBuf,
}

impl Named {
    pub(crate) fn read(source: Input, name: String) -> Result<Self, Failure> {
        Ok(match source {
            Input::Path(path) => Self { model: embed::open(&path)?, name: path },
            Input::Bytes(source) => {
                Self { model: embed::read(source, &name)?, name: PathBuf::from(name) }
            }
        })
    }

    pub(crate) fn report(&self, options: &ReportOptions) -> Result<report::Report, Failure> {
        options.report(&self.model, &self.name)
    }
}

/// What a model is compared with.
#[derive(FromPyObject)]
enum Other<'py> {
    Model(PyRef<'py, Model>),
    Report(PyRef<'py, Report>),
}

/// The same, without Python.
enum Shared {
    Model(Arc<Named>),
    Report(Arc<report::Report>),
}

#[pymethods]
impl Model {
    /// Reads the model in a file, or in bytes that have this name.
    #[new]
    fn new(py: Python<'_>, source: Input, name: String) -> PyResult<Self> {
        detached(py, move || Named::read(source, name)).map(|model| Self(Arc::new(model)))
    }

    /// The path, the URL without its query, or the name of bytes.
    #[getter]
    fn name(&self) -> String {
        embed::shown(&self.0.name)
    }

    /// The report.
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 passes owned values")]
    fn report(&self, py: Python<'_>, options: PyRef<'_, Options>) -> PyResult<Report> {
        let (model, options) = (self.0.clone(), options.0.clone());
        detached(py, move || model.report(&options)).map(Report::new)
    }

    /// The page with the graph.
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 passes owned values")]
    fn html(&self, py: Python<'_>, options: PyRef<'_, Options>) -> PyResult<String> {
        let (model, options) = (self.0.clone(), options.0.clone());
        detached(py, move || {
            let (report, view) = options.explore(&model.model, &model.name)?;
            Ok(page::html(&report, &view))
        })
    }

    /// The type and shape of every value, a row each.
    fn shapes(&self, py: Python<'_>, arguments: Vec<String>) -> PyResult<Table> {
        let model = self.0.clone();
        shapes(&detached(py, move || embed::shapes(&model.model, &model.name, arguments))?)
    }

    /// Every node with its shapes, parameters and cost, a row each.
    fn layers(&self, py: Python<'_>, arguments: Vec<String>) -> PyResult<Table> {
        let model = self.0.clone();
        layers(&detached(py, move || embed::layers(&model.model, &model.name, arguments))?)
    }

    /// What changes from this model to another, as JSON.
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 passes owned values")]
    fn compare(
        &self,
        py: Python<'_>,
        other: Other<'_>,
        arguments: Vec<String>,
    ) -> PyResult<String> {
        let model = self.0.clone();
        let other = match &other {
            Other::Model(other) => Shared::Model(other.0.clone()),
            Other::Report(other) => Shared::Report(other.0.clone()),
        };
        detached(py, move || {
            let (other, name): (Compared<'_>, &Path) = match &other {
                Shared::Model(other) => ((&other.model).into(), &other.name),
                Shared::Report(other) => ((&**other).into(), Path::new(&other.model.file)),
            };
            let compared =
                embed::compare(((&model.model).into(), &model.name), (other, name), arguments)?;
            Ok(json::to_string(&compared))
        })
    }
}
