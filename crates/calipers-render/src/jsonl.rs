//! Tables as JSON lines: an object for each row, its keys the ids of the columns, every figure
//! exact and `null` where it is not known.
//!
//! ```
//! use calipers_render::jsonl;
//! use calipers_render::table::{Column, Table, Value};
//!
//! let mut table = Table::new("nodes", vec![Column::figures("macs", "MACs")]);
//! table.row(vec![Value::Magnitude(1_573_120)]);
//! assert_eq!(jsonl::table(&table), "{\"macs\":1573120}\n");
//! ```

use crate::json::{escape_hidden, line};
use crate::output::{Form, Format};
use crate::table::Table;
use crate::value::Datum;

/// JSON lines.
pub const FORMAT: Format = Format {
    id: "jsonl",
    extensions: &["jsonl", "ndjson"],
    description: "For a program that reads rows: an object per line",
    needs: Form::Tables,
    render: |answer, _| tables(answer.as_tables()),
};

/// The rows of a table, a line each.
pub fn table(table: &Table) -> String {
    tables(std::slice::from_ref(table))
}

/// The rows of several tables, a line each.
pub fn tables(tables: &[Table]) -> String {
    let mut text = String::new();
    for table in tables {
        let keys: Vec<String> = table.data_columns().map(|column| line(&column.id)).collect();
        for row in table.data_rows() {
            let members: Vec<String> =
                keys.iter().zip(row).map(|(key, it)| format!("{key}:{}", datum(&it))).collect();
            text += &escape_hidden(&format!("{{{}}}", members.join(",")));
            text.push('\n');
        }
    }
    text
}

fn datum(datum: &Datum) -> String {
    match datum {
        Datum::Null => "null".to_owned(),
        Datum::Flag(value) => value.to_string(),
        Datum::Integer(value) => value.to_string(),
        Datum::Float(value) => line(value),
        Datum::Text(text) => line(text),
    }
}
