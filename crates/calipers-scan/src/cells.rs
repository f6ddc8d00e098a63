//! Rows of a table, cell by cell, in the order of its columns.

use serde::Serialize;
use serde::ser::{Error as _, Impossible, SerializeMap, SerializeStruct, Serializer};
use serde_json::{Error, Map, Result, Value};

use crate::Rows;
use crate::table::{Column, Table};

/// The cells of many rows, without a name at each.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    columns: &'static [Column],
    cells: Vec<Value>,
}

impl Cells {
    pub(crate) fn new(table: Table) -> Self {
        Self { columns: table.columns(), cells: Vec::new() }
    }

    /// Adds the rows that a model has in the table.
    pub(crate) fn add(&mut self, table: Table, rows: &Rows) -> Result<()> {
        match table {
            Table::Models => self.push(&rows.model),
            Table::Layers => rows.layers.iter().try_for_each(|row| self.push(row)),
            Table::Tensors => rows.tensors.iter().try_for_each(|row| self.push(row)),
            Table::Findings => rows.findings.iter().try_for_each(|row| self.push(row)),
            Table::Shapes => rows.shapes.iter().try_for_each(|row| self.push(row)),
        }
    }

    /// Adds a struct that has the columns as its fields.
    fn push(&mut self, row: &impl Serialize) -> Result<()> {
        let start = self.cells.len();
        self.cells.resize(start + self.columns.len(), Value::Null);
        row.serialize(Row { columns: self.columns, cells: &mut self.cells[start..], next: 0 })
    }

    /// Adds a JSON object. A column that it has not is null.
    pub(crate) fn push_object(&mut self, mut row: Map<String, Value>) {
        let cells = self.columns.iter().map(|column| row.remove(column.name).unwrap_or_default());
        self.cells.extend(cells);
    }

    /// Adds rows that are given by columns of one length. A column that is not there is null.
    pub(crate) fn push_columns(&mut self, columns: Vec<Option<Vec<Value>>>, rows: usize) {
        let mut columns: Vec<_> =
            columns.into_iter().map(|cells| cells.map(Vec::into_iter)).collect();
        for _ in 0..rows {
            let cells = columns.iter_mut().map(|cells| cells.as_mut()?.next());
            self.cells.extend(cells.map(Option::unwrap_or_default));
        }
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[Value]> {
        self.cells.chunks(self.columns.len())
    }

    /// The cells of a column.
    pub(crate) fn column(&self, place: usize) -> impl Iterator<Item = &Value> {
        self.rows().map(move |row| &row[place])
    }

    /// Removes the rows of these models; the path is the first column of every table.
    pub(crate) fn without(&self, is_removed: impl Fn(&str) -> bool) -> Self {
        let kept = self.rows().filter(|row| !row[0].as_str().is_some_and(&is_removed));
        Self { columns: self.columns, cells: kept.flatten().cloned().collect() }
    }

    /// The rows as JSON objects. A cell that is null is left out.
    pub(crate) fn objects(self) -> impl Iterator<Item = Value> {
        let columns = self.columns;
        let mut cells = self.cells.into_iter();
        let rows = cells.len() / columns.len();
        (0..rows).map(move |_| {
            let row: Vec<Value> = cells.by_ref().take(columns.len()).collect();
            let named = columns.iter().zip(row).filter(|(_, cell)| !cell.is_null());
            let named = named.map(|(column, cell)| (column.name.to_owned(), cell));
            Value::Object(named.collect())
        })
    }
}

/// Puts the fields of one struct into the cells of its columns.
struct Row<'a> {
    columns: &'static [Column],
    cells: &'a mut [Value],
    /// The column after the last one: mostly, fields have the order of columns.
    next: usize,
}

impl Row<'_> {
    fn put<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let count = self.columns.len();
        let mut places = (0..count).map(|step| (self.next + step) % count);
        if let Some(place) = places.find(|place| self.columns[*place].name == name) {
            self.cells[place] = serde_json::to_value(value)?;
            self.next = place + 1;
        }
        Ok(())
    }
}

impl SerializeStruct for Row<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.put(key, value)
    }

    fn end(self) -> Result<()> {
        Ok(())
    }
}

/// What serde makes of a struct with flattened fields.
impl SerializeMap for Row<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<()> {
        Err(not_a_row())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<()> {
        Err(not_a_row())
    }

    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result<()> {
        let key = serde_json::to_value(key)?;
        self.put(key.as_str().ok_or_else(not_a_row)?, value)
    }

    fn end(self) -> Result<()> {
        Ok(())
    }
}

fn not_a_row() -> Error {
    Error::custom("a row is a struct")
}

macro_rules! refuse {
    ($($name:ident($($kind:ty),*) $(-> $out:ident)?;)*) => {
        $(fn $name(self, $(_: $kind),*) -> Result<refuse!(@ $($out)?)> { Err(not_a_row()) })*
    };
    (@) => { () };
    (@ $out:ident) => { Self::$out };
}

impl Serializer for Row<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeStruct = Self;
    type SerializeMap = Self;
    type SerializeSeq = Impossible<(), Error>;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self> {
        Ok(self)
    }

    refuse! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
        serialize_seq(Option<usize>) -> SerializeSeq;
        serialize_tuple(usize) -> SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> SerializeTupleVariant;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> SerializeStructVariant;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<()> {
        Err(not_a_row())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<()> {
        Err(not_a_row())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<()> {
        Err(not_a_row())
    }
}

#[cfg(test)]
mod tests {
    use calipers_report::{FindingRow, LayerRow, ModelRow, ShapeRow, TensorRow};

    use super::*;

    /// The same as through JSON objects.
    #[test]
    fn cells_are_those_of_the_objects() {
        let rows = Rows {
            model: ModelRow {
                findings: vec!["unused".into()],
                opset: Some(17),
                ..ModelRow::default()
            },
            layers: vec![LayerRow { index: 3, macs: Some(7), ..LayerRow::default() }; 2],
            tensors: vec![TensorRow { external: true, ..TensorRow::default() }],
            findings: vec![FindingRow { id: "graph-cycle".into(), ..FindingRow::default() }],
            shapes: vec![ShapeRow { rank: Some(4), ..ShapeRow::default() }],
        };
        for table in Table::ALL {
            let mut cells = Cells::new(table);
            cells.add(table, &rows).unwrap();
            let objects = table.rows(&rows).unwrap();
            assert_eq!(cells.rows().count(), objects.len());
            for (row, object) in cells.rows().zip(&objects) {
                let named = table.columns().iter().map(|column| &object[column.name]);
                assert!(named.eq(row.iter()), "{table:?}: {row:?}");
            }
            assert_eq!(cells.clone().objects().count(), objects.len());
            assert_eq!(cells.without(str::is_empty).rows().count(), 0);
        }
    }

    #[test]
    fn what_has_no_fields_is_not_a_row() {
        let mut cells = Cells::new(Table::Shapes);
        for error in
            [cells.push(&1_u8), cells.push(&"text"), cells.push(&[1_u8]), cells.push(&Some(()))]
        {
            assert!(error.unwrap_err().to_string().contains("a row is a struct"));
        }
    }
}
