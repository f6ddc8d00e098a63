//! Every value with its type and shape.

use calipers_report::{ShapeTable, ValueShape};

use super::data_dependent;
use crate::table::{Column, Row, Table, Tone, Value};
use crate::value::{Spans, dtype_text};

/// The values, a row each; those of a subgraph under the node and attribute that hold it.
pub fn shapes(table: &ShapeTable) -> Table {
    let shape = Column { wraps: true, ..Column::text("shape", "shape").limits(usize::MAX, 8) };
    let mut set = Table::new(
        "shapes",
        vec![
            Column::data("subgraph"),
            Column::text("name", "name").limits(usize::MAX, 20),
            Column::text("dtype", "type").limits(usize::MAX, 20).tone(Tone::Quiet),
            shape,
            Column::data("reason"),
        ],
    );
    set.has_headings = false;
    for (name, value) in &table.values {
        add("", name, value, &mut set);
    }
    for (place, values) in &table.subgraphs {
        set.rows.push(Row::Group(Value::name(place)));
        for (name, value) in values {
            add(place, name, value, &mut set);
        }
    }
    set.note(Some("Decided by the data"), data_dependent(&table.data_dependent));
    set
}

fn add(place: &str, name: &str, value: &ValueShape, set: &mut Table) {
    set.row(vec![
        Value::name(place),
        Value::name(name),
        Value::name(dtype_text(value)),
        Value::known(value.shape.clone(), Value::Shape),
        Value::optional(value.reason.clone(), Value::Prose),
    ]);
    if let Some(reason) = &value.reason {
        set.note_row(Spans::toned(Tone::Quiet, Value::prose(reason)));
    }
}

#[cfg(test)]
mod tests {
    use calipers_report::{DType, Dimension, ValueKind};

    use super::*;
    use crate::{Style, csv, terminal};

    fn value(dtype: DType, dims: Vec<Dimension>) -> ValueShape {
        ValueShape { dtype: Some(dtype), shape: Some(dims), ..ValueShape::default() }
    }

    fn table() -> ShapeTable {
        let symbol = |name: &str| Dimension::Symbol(name.into());
        let unknown = ValueShape {
            kind: Some(ValueKind::Unknown),
            reason: Some("Calipers does not know the operator Fancy".into()),
            ..ValueShape::default()
        };
        ShapeTable {
            values: vec![
                ("x".into(), value(DType::Float32, vec![symbol("batch"), Dimension::Size(3)])),
                ("long\u{1b}".into(), value(DType::Int64, vec![])),
                ("y".into(), unknown),
            ],
            ..ShapeTable::default()
        }
    }

    #[test]
    fn a_line_each_in_columns() {
        assert_eq!(
            terminal::table(&shapes(&table()), &Style::plain(80)),
            "  x           float32  [batch, 3]\n  long\\u{1b}  int64    []\n  y           unknown  \
             unknown\n              Calipers does not know the operator Fancy\n"
        );
    }

    #[test]
    fn a_long_shape_continues_beneath_its_column() {
        let dims = (0..16).map(|size| Dimension::Size(1000 + size)).collect();
        let long = ShapeTable {
            values: vec![("x".into(), value(DType::Float32, dims))],
            ..ShapeTable::default()
        };
        let screen = terminal::table(&shapes(&long), &Style::plain(70));
        let lines: Vec<&str> = screen.lines().collect();
        assert!(lines.len() > 1 && lines[0].starts_with("  x  float32  [1000, 1001,"), "{screen}");
        assert!(lines[1].starts_with(&" ".repeat(14)), "{screen}");
    }

    #[test]
    fn a_spreadsheet_has_types_and_reasons() {
        let sheet = csv::table(&shapes(&table()));
        assert!(
            sheet.starts_with("subgraph,name,dtype,shape,reason\n,x,float32,\"[batch, 3]\",\n")
        );
    }
}
