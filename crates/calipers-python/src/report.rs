//! Reports, and the options they are made with.

use std::sync::Arc;

use calipers_cli::embed::{self, ReportOptions};
use calipers_render::{html, json, markdown, page, sections};
use calipers_report::GraphView;
use pyo3::prelude::*;

use crate::error::detached;

/// Options of a report: the arguments of `calipers inspect`, parsed once.
#[pyclass(frozen, module = "calipers._calipers")]
pub(crate) struct Options(pub(crate) Arc<ReportOptions>);

#[pymethods]
impl Options {
    /// The options for these arguments.
    #[new]
    #[pyo3(signature = (arguments=Vec::new()))]
    fn new(py: Python<'_>, arguments: Vec<String>) -> PyResult<Self> {
        detached(py, || ReportOptions::parse(arguments)).map(|options| Self(Arc::new(options)))
    }
}

/// A report, from which every form of it is written.
#[pyclass(frozen, module = "calipers._calipers")]
pub(crate) struct Report(pub(crate) Arc<calipers_report::Report>);

impl Report {
    pub(crate) fn new(report: calipers_report::Report) -> Self {
        Self(Arc::new(report))
    }

    /// What is written of the report.
    fn written(
        &self,
        py: Python<'_>,
        form: impl FnOnce(&calipers_report::Report) -> String + Send + 'static,
    ) -> PyResult<String> {
        let report = self.0.clone();
        detached(py, move || Ok(form(&report)))
    }
}

#[pymethods]
impl Report {
    /// The report in a JSON text.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: String) -> PyResult<Self> {
        detached(py, move || embed::saved_report(&text)).map(Self::new)
    }

    /// The JSON text, as `calipers inspect --format json` writes it.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        self.written(py, json::to_string)
    }

    /// The model card as Markdown, for the arguments of `calipers card`.
    fn card(&self, py: Python<'_>, arguments: Vec<String>) -> PyResult<String> {
        let report = self.0.clone();
        detached(py, move || embed::card(&report, arguments))
    }

    /// The page, without the graph.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        self.written(py, |report| page::html(report, &GraphView::default()))
    }

    /// The key facts as Markdown.
    fn facts_markdown(&self, py: Python<'_>) -> PyResult<String> {
        self.written(py, |report| markdown::document(&sections::notebook(report), &[]))
    }

    /// The key facts as HTML without style sheet and script.
    fn facts_html(&self, py: Python<'_>) -> PyResult<String> {
        self.written(py, |report| html::sheet(&sections::notebook(report)).into_string())
    }
}
