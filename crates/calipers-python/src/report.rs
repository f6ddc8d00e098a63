//! Reports, and the options they are made with.

use std::path::Path;

use calipers_cli::embed::{self, Failure, ReportOptions};
use calipers_render::{html, json, markdown, page, sections};
use calipers_report::GraphView;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::raised;

/// Options of a report: the arguments of `calipers inspect`, parsed once.
#[pyclass(frozen, module = "calipers._calipers")]
pub(crate) struct Options(pub(crate) ReportOptions);

#[pymethods]
impl Options {
    /// The options for these arguments.
    #[new]
    #[pyo3(signature = (arguments=Vec::new()))]
    pub(crate) fn new(py: Python<'_>, arguments: Vec<String>) -> PyResult<Self> {
        let parsed = py.detach(|| ReportOptions::parse(arguments));
        parsed.map(Self).map_err(|failure| raised(py, &failure))
    }
}

impl Options {
    pub(crate) fn report(
        &self,
        model: &calipers::Model,
        name: &Path,
    ) -> Result<calipers_report::Report, Failure> {
        self.0.report(model, name)
    }

    pub(crate) fn explore(
        &self,
        model: &calipers::Model,
        name: &Path,
    ) -> Result<(calipers_report::Report, GraphView), Failure> {
        self.0.explore(model, name)
    }
}

/// A report, from which every form of it is written.
#[pyclass(frozen, module = "calipers._calipers")]
pub(crate) struct Report(pub(crate) calipers_report::Report);

#[pymethods]
impl Report {
    /// The report in a JSON text.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let report = py.detach(|| serde_json::from_str(text));
        report.map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The JSON text, as `calipers inspect --format json` writes it.
    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| json::to_string(&self.0))
    }

    /// The report as dictionaries and lists.
    fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(pythonize::pythonize(py, &self.0)?)
    }

    /// The model card as Markdown, for the arguments of `calipers card`.
    fn card(&self, py: Python<'_>, arguments: Vec<String>) -> PyResult<String> {
        let card = py.detach(|| embed::card(&self.0, arguments));
        card.map_err(|failure| raised(py, &failure))
    }

    /// The page, without the graph.
    fn html(&self, py: Python<'_>) -> String {
        py.detach(|| page::html(&self.0, &GraphView::default()))
    }

    /// The key facts as Markdown.
    fn facts_markdown(&self, py: Python<'_>) -> String {
        py.detach(|| markdown::document(&sections::short(&self.0, true), &[]))
    }

    /// The key facts as HTML without style and script.
    fn facts_html(&self, py: Python<'_>) -> String {
        py.detach(|| html::document(&sections::short(&self.0, true)).into_string())
    }
}
