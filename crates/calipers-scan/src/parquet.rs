//! Rows of a table in Parquet and back.
//!
//! Columns are written and read by `parquet` itself. Its `arrow` feature writes any nested type, and would take a tenth
//! of the Python wheel for the five kinds of columns that tables have.

use std::fs::File;
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use serde_json::{Value, json};

use crate::cells::Cells;
use crate::table::{Column, ColumnKind, Table};

/// Definition levels: how much of a cell is there.
const PRESENT: i16 = 1;
const LIST_IS_EMPTY: i16 = 1;
const ITEM_IS_NULL: i16 = 2;
const ITEM_IS_PRESENT: i16 = 3;

/// The rows as a Parquet file, in one row group.
pub(crate) fn encode(table: Table, rows: &Cells) -> Result<Vec<u8>> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer =
        SerializedFileWriter::new(Vec::new(), Arc::new(schema(table)?), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (place, column) in table.columns().iter().enumerate() {
        let Some(mut writer) = group.next_column()? else {
            return Err(ParquetError::General(format!("no column for {}", column.name)));
        };
        let cells = rows.column(place);
        match column.kind {
            ColumnKind::Text => write::<ByteArrayType>(
                &mut writer,
                cells.map(|it| it.as_str().map(ByteArray::from)),
            ),
            ColumnKind::Integer => write::<Int64Type>(&mut writer, cells.map(Value::as_i64)),
            ColumnKind::Float => write::<DoubleType>(&mut writer, cells.map(Value::as_f64)),
            ColumnKind::Flag => write::<BoolType>(&mut writer, cells.map(Value::as_bool)),
            ColumnKind::Texts => write_lists(&mut writer, cells),
        }?;
        writer.close()?;
    }
    group.close()?;
    writer.into_inner()
}

/// The rows of a Parquet file with the columns of a table. Columns that are absent are null.
pub(crate) fn decode(file: File, table: Table) -> Result<Cells> {
    let reader = SerializedFileReader::new(file)?;
    let mut all = Cells::new(table);
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group)?;
        let (mut columns, mut rows) = (Vec::new(), None);
        let leaves = group.metadata().schema_descr().columns().to_vec();
        for column in table.columns() {
            let is_named = |leaf: &_| {
                parquet::schema::types::ColumnDescriptor::path(leaf).parts()[0] == column.name
            };
            let Some(place) = leaves.iter().position(|leaf| is_named(leaf)) else {
                columns.push(None);
                continue;
            };
            let levels = leaves[place].max_def_level();
            let cells = cells(group.get_column_reader(place)?, column, levels)?;
            if *rows.get_or_insert(cells.len()) != cells.len() {
                return Err(wrong(column, "has another number of rows"));
            }
            columns.push(Some(cells));
        }
        all.push_columns(columns, rows.unwrap_or_default());
    }
    Ok(all)
}

fn schema(table: Table) -> Result<Type> {
    let fields = table.columns().iter().map(|column| {
        let (physical, logical) = match column.kind {
            ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnKind::Integer => (Physical::INT64, None),
            ColumnKind::Float => (Physical::DOUBLE, None),
            ColumnKind::Flag => (Physical::BOOLEAN, None),
            ColumnKind::Texts => return list(column.name),
        };
        optional(column.name, physical, logical)
    });
    let fields = fields.collect::<Result<_>>()?;
    Type::group_type_builder(table.id()).with_fields(fields).build()
}

fn optional(name: &str, physical: Physical, logical: Option<LogicalType>) -> Result<Arc<Type>> {
    let builder = Type::primitive_type_builder(name, physical);
    Ok(Arc::new(builder.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build()?))
}

/// A list as the format's specification lays it out: three levels with these names.
fn list(name: &str) -> Result<Arc<Type>> {
    let element = optional("element", Physical::BYTE_ARRAY, Some(LogicalType::String))?;
    let items = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![element])
        .build()?;
    let list = Type::group_type_builder(name)
        .with_repetition(Repetition::OPTIONAL)
        .with_converted_type(ConvertedType::LIST)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(items)])
        .build()?;
    Ok(Arc::new(list))
}

fn write<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    cells: impl Iterator<Item = Option<T::T>>,
) -> Result<usize> {
    let cells: Vec<Option<T::T>> = cells.collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    writer.typed::<T>().write_batch(&values, Some(&levels), None)
}

fn write_lists<'a>(
    writer: &mut SerializedColumnWriter<'_>,
    cells: impl Iterator<Item = &'a Value>,
) -> Result<usize> {
    let (mut values, mut levels, mut repeats) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells {
        let Some(items) = cell.as_array().filter(|items| !items.is_empty()) else {
            levels.push(if cell.is_array() { LIST_IS_EMPTY } else { 0 });
            repeats.push(0);
            continue;
        };
        for (place, item) in items.iter().enumerate() {
            let text = item.as_str().map(ByteArray::from);
            levels.push(if text.is_some() { ITEM_IS_PRESENT } else { ITEM_IS_NULL });
            repeats.push(i16::from(place > 0));
            values.extend(text);
        }
    }
    writer.typed::<ByteArrayType>().write_batch(&values, Some(&levels), Some(&repeats))
}

/// The cells of one column.
fn cells(reader: ColumnReader, column: &Column, levels: i16) -> Result<Vec<Value>> {
    let expected = if column.kind == ColumnKind::Texts { ITEM_IS_PRESENT } else { PRESENT };
    if levels != expected {
        return Err(wrong(column, "has another type"));
    }
    match (column.kind, reader) {
        (ColumnKind::Text, ColumnReader::ByteArrayColumnReader(reader)) => {
            read(reader, |value| text(&value))
        }
        (ColumnKind::Integer, ColumnReader::Int64ColumnReader(reader)) => {
            read(reader, |value| Ok(json!(value)))
        }
        (ColumnKind::Float, ColumnReader::DoubleColumnReader(reader)) => {
            read(reader, |value| Ok(json!(value)))
        }
        (ColumnKind::Flag, ColumnReader::BoolColumnReader(reader)) => {
            read(reader, |value| Ok(json!(value)))
        }
        (ColumnKind::Texts, ColumnReader::ByteArrayColumnReader(reader)) => read_lists(reader),
        _ => Err(wrong(column, "has another type")),
    }
}

fn read<T: DataType>(
    reader: ColumnReaderImpl<T>,
    value: impl Fn(T::T) -> Result<Value>,
) -> Result<Vec<Value>> {
    let Read { values, levels, .. } = all(reader)?;
    let mut values = values.into_iter().map(value);
    let cell = |level| match level {
        PRESENT => values.next().unwrap_or(Ok(Value::Null)),
        _ => Ok(Value::Null),
    };
    levels.into_iter().map(cell).collect()
}

/// A list that is null and one without items are the same to those who read rows.
fn read_lists(reader: ColumnReaderImpl<ByteArrayType>) -> Result<Vec<Value>> {
    let Read { values, levels, repeats } = all(reader)?;
    let mut values = values.into_iter();
    let mut lists: Vec<Vec<Value>> = Vec::new();
    for (level, repeat) in levels.into_iter().zip(repeats) {
        if repeat == 0 {
            lists.push(Vec::new());
        }
        if level == ITEM_IS_PRESENT
            && let (Some(list), Some(value)) = (lists.last_mut(), values.next())
        {
            list.push(text(&value)?);
        }
    }
    Ok(lists.into_iter().map(Value::Array).collect())
}

struct Read<T> {
    values: Vec<T>,
    levels: Vec<i16>,
    repeats: Vec<i16>,
}

fn all<T: DataType>(mut reader: ColumnReaderImpl<T>) -> Result<Read<T::T>> {
    let mut read = Read { values: Vec::new(), levels: Vec::new(), repeats: Vec::new() };
    loop {
        let (levels, repeats) = (Some(&mut read.levels), Some(&mut read.repeats));
        if reader.read_records(usize::MAX, levels, repeats, &mut read.values)?.0 == 0 {
            return Ok(read);
        }
    }
}

fn text(value: &ByteArray) -> Result<Value> {
    Ok(json!(value.as_utf8()?))
}

fn wrong(column: &Column, how: &str) -> ParquetError {
    ParquetError::General(format!("column {} {how}", column.name))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn encoded(table: Table, rows: &[Value]) -> Vec<u8> {
        let mut cells = Cells::new(table);
        rows.iter().for_each(|row| cells.push_object(row.as_object().unwrap().clone()));
        encode(table, &cells).unwrap()
    }

    fn decoded(bytes: &[u8], table: Table) -> Result<Vec<Value>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Ok(decode(file, table)?.objects().collect())
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let models = [
            json!({"path": "a.onnx", "macs": 4_113_000_000_i64, "latency_ms": 0.25, "findings": ["unused", "é"]}),
            json!({"path": "b.onnx", "error": "truncated", "lower_bound": true, "findings": []}),
            json!({"path": "", "macs": -1, "lower_bound": false, "findings": [""]}),
        ];
        let read = decoded(&encoded(Table::Models, &models), Table::Models).unwrap();
        assert_eq!(read.len(), models.len());
        for (read, written) in read.iter().zip(&models) {
            for column in Table::Models.columns() {
                assert_eq!(read[column.name], written[column.name], "{}", column.name);
            }
        }
    }

    #[test]
    fn a_null_list_has_no_items() {
        let rows = [json!({"path": "a.onnx"}), json!({"path": "b.onnx", "findings": ["unused"]})];
        let read = decoded(&encoded(Table::Models, &rows), Table::Models).unwrap();
        assert_eq!((&read[0]["findings"], &read[1]["findings"]), (&json!([]), &json!(["unused"])));
    }

    #[test]
    fn more_rows_than_a_page_holds_are_read() {
        let row =
            |index: i64| json!({"path": "m.onnx", "index": index, "op": format!("Op{index}")});
        let rows: Vec<Value> = (0..50_000).map(row).collect();
        let read = decoded(&encoded(Table::Layers, &rows), Table::Layers).unwrap();
        let matches = |(read, row): (&Value, &Value)| {
            read["index"] == row["index"] && read["op"] == row["op"]
        };
        assert!(read.len() == rows.len() && read.iter().zip(&rows).all(matches));
    }

    #[test]
    fn no_rows_are_a_file_too() {
        let bytes = encoded(Table::Shapes, &[]);
        assert!(decoded(&bytes, Table::Shapes).unwrap().is_empty());
    }

    #[test]
    fn a_file_that_was_cut_is_refused() {
        let bytes = encoded(Table::Shapes, &[json!({"path": "a.onnx", "shape": "[1]"})]);
        for length in 0..bytes.len() {
            assert!(decoded(&bytes[..length], Table::Shapes).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn a_column_of_another_type_is_refused() {
        let rank = optional("rank", Physical::BYTE_ARRAY, Some(LogicalType::String)).unwrap();
        let schema = Type::group_type_builder("shapes").with_fields(vec![rank]).build().unwrap();
        let mut writer =
            SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        write::<ByteArrayType>(&mut column, [Some(ByteArray::from("2"))].into_iter()).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        let error = decoded(&writer.into_inner().unwrap(), Table::Shapes).unwrap_err();
        assert!(error.to_string().contains("column rank has another type"), "{error}");
    }
}
