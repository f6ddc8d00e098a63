//! Tables that any library with the Arrow PyCapsule interface takes without a copy.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder};
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array,
};
use arrow_schema::{ArrowError, Schema};
use calipers_report::{Dimension, Layer, LayerTable, Operand, ShapeTable, ValueShape};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A table in memory, in the layout of Apache Arrow.
#[pyclass(frozen, module = "calipers._calipers")]
pub(crate) struct Table(RecordBatch);

impl Table {
    pub(crate) fn new(batch: RecordBatch) -> Self {
        Self(batch)
    }
}

#[pymethods]
impl Table {
    /// The table as an Arrow stream of one batch. A requested schema is not looked at: whoever
    /// asks converts.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = [Ok::<_, ArrowError>(self.0.clone())];
        let reader = RecordBatchIterator::new(batches, self.0.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The names and types of the columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema_ref().as_ref()).map_err(broken)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let schema: &Schema = self.0.schema_ref();
        schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        let columns = self.column_names().join(", ");
        format!("<Table of {} rows: {columns}>", self.0.num_rows())
    }
}

/// A value: its graph, which is empty for the main graph, its name, and its type and shape.
type NamedShape<'a> = (&'a str, &'a str, &'a ValueShape);

/// The values of a model, those of subgraphs after those of the main graph.
pub(crate) fn shapes(table: &ShapeTable) -> PyResult<Table> {
    let main = table.values.iter().map(|(name, value)| ("", name.as_str(), value));
    let inner = table.subgraphs.iter().flat_map(|(graph, values)| {
        values.iter().map(move |(name, value)| (graph.as_str(), name.as_str(), value))
    });
    let rows: Vec<NamedShape<'_>> = main.chain(inner).collect();
    let text = |value: &dyn Fn(&NamedShape<'_>) -> Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<StringArray>())
    };
    batch(vec![
        ("graph", text(&|(graph, ..)| Some((*graph).to_owned()))),
        ("value", text(&|(_, name, _)| Some((*name).to_owned()))),
        (
            "kind",
            text(&|(.., value)| Some(value.kind.map_or("tensor", |kind| kind.id()).to_owned())),
        ),
        ("dtype", text(&|(.., value)| value.dtype.map(|dtype| dtype.to_string()))),
        ("shape", dimensions(rows.iter().map(|(.., value)| value.shape.as_deref()))),
        ("sizes", sizes(rows.iter().map(|(.., value)| value.shape.as_deref()))),
        ("reason", text(&|(.., value)| value.reason.clone())),
    ])
}

/// The nodes of a model, in the order that was asked for.
pub(crate) fn layers(table: &LayerTable) -> PyResult<Table> {
    let rows = &table.layers;
    let text = |value: &dyn Fn(&Layer) -> Option<&str>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<StringArray>())
    };
    let number = |value: &dyn Fn(&Layer) -> Option<u64>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<UInt64Array>())
    };
    let real = |value: &dyn Fn(&Layer) -> Option<f64>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<Float64Array>())
    };
    batch(vec![
        ("index", number(&|layer| Some(layer.index))),
        ("node", text(&|layer| Some(&layer.node))),
        ("op", text(&|layer| Some(&layer.op))),
        ("domain", text(&|layer| Some(&layer.domain))),
        ("scope", text(&|layer| Some(&layer.scope))),
        ("inputs", operands(rows.iter().map(|layer| layer.inputs.as_slice()))),
        ("outputs", operands(rows.iter().map(|layer| layer.outputs.as_slice()))),
        ("output_dtype", {
            let dtype = |layer: &Layer| first(layer)?.value.dtype.map(|dtype| dtype.to_string());
            Arc::new(rows.iter().map(dtype).collect::<StringArray>())
        }),
        ("output_shape", dimensions(rows.iter().map(|layer| first(layer)?.value.shape.as_deref()))),
        ("parameters", number(&|layer| layer.parameters)),
        ("macs", number(&|layer| layer.cost.work.macs)),
        ("flops", number(&|layer| layer.cost.work.flops())),
        ("other_flops", number(&|layer| layer.cost.work.other_flops)),
        ("bytes_moved", number(&|layer| layer.cost.work.bytes_moved)),
        ("macs_percent", real(&|layer| layer.cost.macs_percent)),
        ("intensity", real(&|layer| layer.cost.intensity)),
        ("macs_formula", text(&|layer| layer.cost.formula.get("macs"))),
        ("reason", text(&|layer| layer.reason.as_deref())),
    ])
}

/// The first output that a node has.
fn first(layer: &Layer) -> Option<&Operand> {
    layer.outputs.iter().flatten().next()
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> PyResult<Table> {
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).map(Table).map_err(broken)
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of `map_err`")]
fn broken(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// Shapes as lists of texts: sizes, names and expressions; null where there is neither.
fn dimensions<'a>(shapes: impl Iterator<Item = Option<&'a [Dimension]>>) -> ArrayRef {
    let mut list = ListBuilder::new(StringBuilder::new());
    for shape in shapes {
        for dimension in shape.unwrap_or_default() {
            match dimension {
                Dimension::Size(size) => list.values().append_value(size.to_string()),
                Dimension::Symbol(name) => list.values().append_value(name),
                Dimension::Unknown => list.values().append_null(),
            }
        }
        list.append(shape.is_some());
    }
    Arc::new(list.finish())
}

/// Shapes as lists of numbers; null where a dimension is none.
fn sizes<'a>(shapes: impl Iterator<Item = Option<&'a [Dimension]>>) -> ArrayRef {
    let mut list = ListBuilder::new(Int64Builder::new());
    for shape in shapes {
        for dimension in shape.unwrap_or_default() {
            match dimension {
                Dimension::Size(size) => list.values().append_value(*size),
                Dimension::Symbol(_) | Dimension::Unknown => list.values().append_null(),
            }
        }
        list.append(shape.is_some());
    }
    Arc::new(list.finish())
}

/// Names of inputs or outputs; null where an optional one is left out.
fn operands<'a>(rows: impl Iterator<Item = &'a [Option<Operand>]>) -> ArrayRef {
    let mut list = ListBuilder::new(StringBuilder::new());
    for operands in rows {
        for operand in operands {
            list.values().append_option(operand.as_ref().map(|operand| operand.name.as_str()));
        }
        list.append(true);
    }
    Arc::new(list.finish())
}
