//! The tables of a dataset: their columns, and rows as Arrow arrays.
//!
//! A column's type and description come from the JSON Schema of its row's type, so each is written once.

use std::sync::{Arc, OnceLock};

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use serde_json::Value;

use crate::{Error, Rows};

/// A table of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// A row for each model.
    Models,
    /// A row for each node of a main graph.
    Layers,
    /// A row for each stored tensor.
    Tensors,
    /// A row for each finding.
    Findings,
    /// A row for each value of a main graph.
    Shapes,
}

/// What the cells of a column hold. Each may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A text.
    Text,
    /// A whole number of 64 bits.
    Integer,
    /// A number.
    Float,
    /// True or false.
    Flag,
    /// A list of texts.
    Texts,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What its cells hold.
    pub kind: ColumnKind,
    /// What they say.
    pub description: String,
}

impl ColumnKind {
    /// The name of the type, as SQL spells it.
    pub fn display_name(self) -> &'static str {
        match self {
            Self::Text => "varchar",
            Self::Integer => "bigint",
            Self::Float => "double",
            Self::Flag => "boolean",
            Self::Texts => "varchar[]",
        }
    }
}

const MODELS: &[&str] = &[
    "path",
    "error",
    "version",
    "format",
    "bytes",
    "title",
    "kind",
    "style",
    "family",
    "variant",
    "task",
    "precision",
    "quantization",
    "license",
    "producer",
    "opset",
    "nodes",
    "parameters",
    "weights_bytes",
    "macs",
    "flops",
    "lower_bound",
    "peak_activation_bytes",
    "kv_cache_bytes_per_token",
    "device",
    "latency_ms",
    "memory_bytes",
    "errors",
    "warnings",
    "infos",
    "findings",
    "architecture_digest",
    "weights_digest",
    "shape_signature",
    "card",
];
const LAYERS: &[&str] = &[
    "path",
    "index",
    "node",
    "op",
    "domain",
    "scope",
    "inputs",
    "outputs",
    "weight_dtype",
    "parameters",
    "macs",
    "other_flops",
    "bytes_moved",
];
const TENSORS: &[&str] =
    &["path", "name", "dtype", "shape", "elements", "bytes", "stored_in", "external"];
const FINDINGS: &[&str] = &["path", "id", "severity", "title", "detail", "recommendation"];
const SHAPES: &[&str] = &["path", "value", "dtype", "shape", "rank"];

impl Table {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Models, Self::Layers, Self::Tensors, Self::Findings, Self::Shapes];

    /// Its name, which is that of its folder.
    pub fn id(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::Layers => "layers",
            Self::Tensors => "tensors",
            Self::Findings => "findings",
            Self::Shapes => "shapes",
        }
    }

    /// The table of this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.id() == id)
    }

    /// Its columns, in order.
    pub fn columns(self) -> &'static [Column] {
        static COLUMNS: [OnceLock<Vec<Column>>; 5] = [const { OnceLock::new() }; 5];
        let make = || match self {
            Self::Models => columns(self, MODELS),
            Self::Layers => columns(self, LAYERS),
            Self::Tensors => columns(self, TENSORS),
            Self::Findings => columns(self, FINDINGS),
            Self::Shapes => columns(self, SHAPES),
        };
        COLUMNS[self as usize].get_or_init(make)
    }

    /// Its rows of one model, as JSON objects.
    ///
    /// # Errors
    ///
    /// A row that JSON cannot express, which no row is.
    pub fn rows(self, rows: &Rows) -> serde_json::Result<Vec<Value>> {
        fn all<T: serde::Serialize>(rows: &[T]) -> serde_json::Result<Vec<Value>> {
            rows.iter().map(serde_json::to_value).collect()
        }
        match self {
            Self::Models => Ok(vec![serde_json::to_value(&rows.model)?]),
            Self::Layers => all(&rows.layers),
            Self::Tensors => all(&rows.tensors),
            Self::Findings => all(&rows.findings),
            Self::Shapes => all(&rows.shapes),
        }
    }

    /// Its columns as Arrow has them.
    pub(crate) fn schema(self) -> Arc<Schema> {
        let field = |column: &Column| Field::new(column.name, data_type(column.kind), true);
        Arc::new(Schema::new(self.columns().iter().map(field).collect::<Vec<_>>()))
    }
}

fn data_type(kind: ColumnKind) -> DataType {
    match kind {
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Integer => DataType::Int64,
        ColumnKind::Float => DataType::Float64,
        ColumnKind::Flag => DataType::Boolean,
        ColumnKind::Texts => DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))),
    }
}

fn columns(table: Table, names: &'static [&'static str]) -> Vec<Column> {
    let schema = calipers_schema::row(table.id()).unwrap_or_default();
    let column = |name: &&'static str| {
        let field = &schema["properties"][*name];
        let words = field["description"].as_str().unwrap_or_default();
        Column { name, kind: kind(field), description: words.replace('\n', " ") }
    };
    names.iter().map(column).collect()
}

/// What a field of a JSON Schema holds; names of closed sets are texts.
fn kind(field: &Value) -> ColumnKind {
    let is = |name: &str| match &field["type"] {
        Value::String(text) => text == name,
        Value::Array(list) => list.iter().any(|text| text == name),
        _ => false,
    };
    match () {
        () if is("integer") => ColumnKind::Integer,
        () if is("number") => ColumnKind::Float,
        () if is("boolean") => ColumnKind::Flag,
        () if is("array") => ColumnKind::Texts,
        () => ColumnKind::Text,
    }
}

/// The columns of a table as Markdown, under a heading: what the guide lists.
pub fn columns_markdown(table: Table) -> String {
    let mut text =
        format!("### `{}`\n\n| column | type | description |\n|---|---|---|\n", table.id());
    for column in table.columns() {
        let words = column.description.replace('|', "\\|");
        text += &format!("| `{}` | {} | {words} |\n", column.name, column.kind.display_name());
    }
    text
}

/// Rows of a table, each a JSON object, as Arrow arrays.
///
/// # Errors
///
/// [`Error::Write`] if the arrays do not make a batch.
pub fn record_batch(table: Table, rows: &[Value]) -> Result<RecordBatch, Error> {
    let cells = |name: &'static str| rows.iter().map(move |row| row.get(name));
    let arrays = table.columns().iter().map(|column| -> ArrayRef {
        let cells = cells(column.name);
        match column.kind {
            ColumnKind::Text => Arc::new(cells.map(|it| it?.as_str()).collect::<StringArray>()),
            ColumnKind::Integer => Arc::new(cells.map(|it| it?.as_i64()).collect::<Int64Array>()),
            ColumnKind::Float => Arc::new(cells.map(|it| it?.as_f64()).collect::<Float64Array>()),
            ColumnKind::Flag => Arc::new(cells.map(|it| it?.as_bool()).collect::<BooleanArray>()),
            ColumnKind::Texts => {
                let mut lists = ListBuilder::new(StringBuilder::new());
                for cell in cells {
                    let texts = cell.and_then(Value::as_array).into_iter().flatten();
                    texts.for_each(|text| lists.values().append_option(text.as_str()));
                    lists.append(cell.is_some_and(Value::is_array));
                }
                Arc::new(lists.finish())
            }
        }
    });
    RecordBatch::try_new(table.schema(), arrays.collect())
        .map_err(|error| Error::Write(error.to_string()))
}

#[cfg(test)]
mod tests {
    use calipers_report::{FindingRow, LayerRow, ShapeRow, TensorRow};

    use super::*;

    /// Every field of a row is a column, and every column is described.
    #[test]
    fn columns_are_the_fields_of_their_rows() {
        let rows = Rows {
            layers: vec![LayerRow::default()],
            tensors: vec![TensorRow::default()],
            findings: vec![FindingRow::default()],
            shapes: vec![ShapeRow::default()],
            ..Rows::default()
        };
        for table in Table::ALL {
            let row = table.rows(&rows).unwrap().remove(0);
            let mut fields: Vec<&str> =
                row.as_object().unwrap().keys().map(String::as_str).collect();
            let mut names: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
            fields.sort_unstable();
            names.sort_unstable();
            assert_eq!(names, fields, "{table:?}");
            assert_eq!(table.columns()[0].name, "path");
            assert!(
                table.columns().iter().all(|column| !column.description.is_empty()),
                "{table:?}"
            );
            assert_eq!(Table::from_id(table.id()), Some(table));
        }
        let kind = |name: &str| {
            Table::Models.columns().iter().find(|it| it.name == name).map(|column| column.kind)
        };
        assert_eq!(kind("family"), Some(ColumnKind::Text));
        assert_eq!(kind("macs"), Some(ColumnKind::Integer));
        assert_eq!(kind("latency_ms"), Some(ColumnKind::Float));
        assert_eq!(kind("lower_bound"), Some(ColumnKind::Flag));
        assert_eq!(kind("findings"), Some(ColumnKind::Texts));
    }
}
