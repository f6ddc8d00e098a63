//! Rows of datasets, for engines that call one model at a time.

use std::path::PathBuf;

use calipers_cli::embed;
use calipers_scan::Table as Kind;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

use crate::error::detached;
use crate::report::Options;
use crate::source::Input;
use crate::tables::Table;

fn kind(table: &str) -> PyResult<Kind> {
    Kind::from_id(table).ok_or_else(|| {
        let ids: Vec<&str> = Kind::ALL.iter().map(|table| table.id()).collect();
        PyValueError::new_err(format!("no table {table:?}; the tables are {}", ids.join(", ")))
    })
}

/// The addresses of every model that is meant: files, folders, patterns, URLs and bucket prefixes.
#[pyfunction]
pub(crate) fn addresses(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<Vec<String>> {
    detached(py, || embed::addresses(paths))
}

/// Names and types of a table's columns, the types as SQL spells them.
#[pyfunction]
pub(crate) fn columns(table: &str) -> PyResult<Vec<(&'static str, &'static str)>> {
    let columns = kind(table)?.columns().iter();
    Ok(columns.map(|column| (column.name, column.kind.display_name())).collect())
}

/// The rows of one model in a table, a line of JSON each. A model that cannot be read is a row of `models` with its
/// error.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 passes owned values")]
pub(crate) fn rows(
    py: Python<'_>,
    source: Input,
    address: String,
    table: &str,
    options: PyRef<'_, Options>,
) -> PyResult<String> {
    let (kind, options) = (kind(table)?, options.0.clone());
    let lines = detached(py, move || {
        let source = match source {
            Input::Path(_) => None,
            Input::Bytes(source) => Some(source),
        };
        let rows = kind.rows(&embed::rows(source, &address, &options));
        Ok(rows.map(|rows| rows.iter().map(|row| format!("{row}\n")).collect::<String>()))
    })?;
    lines.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The table of rows that [`rows`] returned, in the order of their paths.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 passes owned values")]
pub(crate) fn table_of(py: Python<'_>, table: &str, texts: Vec<String>) -> PyResult<Table> {
    let kind = kind(table)?;
    let batch = py.detach(|| {
        let lines = texts.iter().flat_map(|text| text.lines());
        let mut rows = lines
            .map(serde_json::from_str::<Value>)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.to_string())?;
        rows.sort_by(|one, other| one["path"].as_str().cmp(&other["path"].as_str()));
        calipers_scan::record_batch(kind, &rows).map_err(|error| error.to_string())
    });
    batch.map(Table::new).map_err(PyValueError::new_err)
}
