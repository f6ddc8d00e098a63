//! Tables as comma-separated values, quoted according to RFC 4180, for spreadsheets and scripts.
//!
//! The first line names the columns; lines end in a line feed; a figure that is not known is an
//! empty cell. A spreadsheet takes a text that begins with `=`, `+`, `-` or `@` for a formula and
//! runs it, so such a text gets an apostrophe before it, which spreadsheets do not show.
//! Invisible characters are written as escapes.
//!
//! ```
//! use calipers_render::{csv, tables};
//!
//! let table = tables::layers(&calipers_report::LayerTable::default());
//! assert!(csv::table(&table).starts_with("index,node,op,"));
//! ```

use crate::output::{Form, Format};
use crate::table::Table;
use crate::text;
use crate::value::Datum;

/// Comma-separated values.
pub const FORMAT: Format = Format {
    id: "csv",
    extensions: &["csv"],
    description: "For a spreadsheet",
    needs: Form::Tables,
    render: |answer, _| tables(answer.as_tables()),
};

/// The rows of a table, a line each.
pub fn table(table: &Table) -> String {
    tables(std::slice::from_ref(table))
}

/// The rows of several tables whose data columns are the same, under one line of headings.
pub fn tables(tables: &[Table]) -> String {
    let mut sheet = Sheet::default();
    for (i, table) in tables.iter().enumerate() {
        if i == 0 {
            table.data_columns().for_each(|column| sheet.word(&column.id));
            sheet.end();
        }
        for row in table.data_rows() {
            row.for_each(|datum| sheet.datum(&datum));
            sheet.end();
        }
    }
    sheet.text
}

/// Rows of JSON values under one line of headings: of a list, its elements with spaces between them.
pub fn values<'a>(
    headings: &[&str],
    rows: impl Iterator<Item = &'a [serde_json::Value]>,
) -> String {
    use serde_json::Value;
    let mut sheet = Sheet::default();
    headings.iter().for_each(|heading| sheet.word(heading));
    sheet.end();
    for row in rows {
        for value in row {
            match value {
                Value::Null => sheet.cell(""),
                Value::String(text) => sheet.word(text),
                Value::Array(list) => {
                    let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                    sheet.word(&texts.join(" "));
                }
                other => sheet.cell(&other.to_string()),
            }
        }
        sheet.end();
    }
    sheet.text
}

/// A text as [`values`] writes it in a cell.
pub fn cell(text: &str) -> String {
    let mut sheet = Sheet::default();
    sheet.word(text);
    sheet.text
}

/// The first cell of a line, as it is written.
pub fn first_cell(line: &str) -> &str {
    let Some(quoted) = line.strip_prefix('"') else {
        return line.split(',').next().unwrap_or_default();
    };
    let mut rest = quoted;
    while let Some(quote) = rest.find('"') {
        let after = &rest[quote + 1..];
        match after.strip_prefix('"') {
            // Two quotes are one of the text.
            Some(next) => rest = next,
            None => return &line[..line.len() - after.len()],
        }
    }
    line
}

/// Lines of cells.
#[derive(Default)]
struct Sheet {
    text: String,
    has_cells: bool,
}

impl Sheet {
    fn end(&mut self) {
        self.text.push('\n');
        self.has_cells = false;
    }

    fn cell(&mut self, text: &str) {
        if std::mem::replace(&mut self.has_cells, true) {
            self.text.push(',');
        }
        if text.contains(['"', ',', '\n', '\r']) {
            self.text.push('"');
            self.text.push_str(&text.replace('"', "\"\""));
            self.text.push('"');
        } else {
            self.text.push_str(text);
        }
    }

    fn datum(&mut self, datum: &Datum) {
        match datum {
            Datum::Null => self.cell(""),
            Datum::Flag(value) => self.cell(&value.to_string()),
            Datum::Integer(value) => self.cell(&value.to_string()),
            Datum::Float(value) => self.cell(&value.to_string()),
            Datum::Text(text) => self.word(text),
        }
    }

    /// A text that may come out of a model.
    fn word(&mut self, raw: &str) {
        let clean = text::whole(raw);
        // A spreadsheet also skips blanks and quotes at the start.
        let first = clean.trim_start_matches([' ', '"']).chars().next();
        if first.is_some_and(|c| matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠'))
        {
            self.cell(&format!("'{clean}"));
        } else {
            self.cell(&clean);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Value};

    fn line(name: &str) -> String {
        let columns = vec![Column::figures("index", "index"), Column::text("node", "node")];
        let mut sheet = Table::new("test", columns);
        sheet.row(vec![Value::Integer(0), Value::name(name)]);
        table(&sheet).lines().nth(1).unwrap().to_owned()
    }

    #[test]
    fn what_would_break_a_line_is_quoted() {
        assert_eq!(line("plain/name.0"), "0,plain/name.0");
        assert_eq!(line("a,b"), "0,\"a,b\"");
        assert_eq!(line("a\"b"), "0,\"a\"\"b\"");
        assert_eq!(line("a\nb"), r"0,a\nb", "a line break is an escape");
    }

    #[test]
    fn what_a_spreadsheet_would_run_is_made_harmless() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\"=1"] {
            let line = line(text);
            assert!(line.starts_with("0,'") || line.starts_with("0,\"'"), "{line}");
        }
        assert_eq!(line("\t=1"), r"0,\t=1", "a tab is an escape");
        assert_eq!(line("a=b"), "0,a=b");
    }

    #[test]
    fn the_first_cell_of_a_line_is_found() {
        for text in ["a.onnx", "a,b", "a\"b", "\"", "\",\"", "a\nb", "=1,2", ""] {
            let row = [text.into(), "x,\"y\"".into()];
            let written = values(&["path", "error"], [row.as_slice()].into_iter());
            assert_eq!(first_cell(written.lines().nth(1).unwrap()), cell(text), "{text:?}");
        }
    }

    #[test]
    fn a_figure_is_exact_and_a_negative_one_stays_a_number() {
        let columns = ["a", "b", "c", "d"].map(|id| Column::figures(id, id)).to_vec();
        let mut sheet = Table::new("test", columns);
        sheet.row(vec![
            Value::Signed(-1),
            Value::Percent(33.33),
            Value::Missing(None),
            Value::AtLeast(Box::new(Value::Bytes(1_234_567))),
        ]);
        assert_eq!(table(&sheet), "a,b,c,d\n-1,33.33,,1234567\n");
    }
}
