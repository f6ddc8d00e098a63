//! Tables whose columns line up in the source too.
//!
//! ```text
//! | operator | nodes |
//! | :------- | ----: |
//! | `Conv`   |   104 |
//! ```

use super::value::{cell, inline};
use crate::table::{Align, Row, Table, Tone, Value, Zero};
use crate::text;

/// Columns of a cell beyond which a table does not line up.
const WIDEST: usize = 80;
/// Columns of the line beneath a heading, at least.
const RULE: usize = 3;

/// The table as Markdown, ending in a newline, with its notes beneath it; nothing where it has no
/// rows and nothing to say about that.
pub fn table(table: &Table) -> String {
    let mut blocks = Vec::new();
    match &table.empty {
        Some(words) if table.is_empty() => blocks.push(inline(words)),
        _ => blocks.push(set(table)),
    }
    for notes in &table.notes {
        blocks.extend(notes.title.as_ref().map(|title| format!("**{title}**")));
        let lines: Vec<String> =
            notes.lines.iter().map(|note| format!("- {}", inline(note))).collect();
        blocks.push(lines.join("\n"));
    }
    blocks.join("\n\n") + "\n"
}

/// The rows alone, without a newline at the end.
pub(crate) fn set(table: &Table) -> String {
    let places = table.document_columns();
    let mut grid = Grid::default();
    for i in &places {
        let column = &table.columns[*i];
        grid.headings.push((cell(&column.document_title(), Zero::Shown), column.align));
    }
    for row in &table.rows {
        grid.rows.push(match row {
            Row::Group(title) => {
                // A blank, not the dash of a cell that has nothing to say.
                let mut texts = vec![" ".to_owned(); places.len()];
                if let Some(first) = texts.first_mut() {
                    *first = format!("**{}**", cell(title, Zero::Shown));
                }
                texts
            }
            Row::Cells { cells, note, .. } => {
                let text = |i: &usize| {
                    let text = cell(&cells[*i].value, table.columns[*i].zero);
                    match cells[*i].tone {
                        Some(Tone::Strong) if !text.is_empty() => format!("**{text}**"),
                        _ => text,
                    }
                };
                let mut texts: Vec<String> = places.iter().map(text).collect();
                if let (Some(note), Some(last)) = (note, texts.last_mut()) {
                    *last = format!("{last} ({})", inline(note));
                }
                texts
            }
        });
    }
    for cells in &table.footer {
        let text = |i: &usize| match cells.get(*i).map(|cell| &cell.value) {
            None | Some(Value::Blank) => String::new(),
            Some(value) => cell(value, table.columns[*i].zero),
        };
        grid.rows.push(places.iter().map(text).collect());
    }
    grid.set()
}

/// Rows of Markdown beneath headings.
#[derive(Default)]
struct Grid {
    headings: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// The lines, without a newline at the end. Columns line up unless a cell is so long that this
    /// would only push the others out of sight.
    fn set(&self) -> String {
        let widest = |i: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(i));
            cells.map(|cell| text::width(cell)).max().unwrap_or(0)
        };
        let lines_up = (0..self.headings.len()).all(|i| widest(i) <= WIDEST);
        let widths: Vec<usize> = self
            .headings
            .iter()
            .enumerate()
            .map(|(i, (heading, _))| match lines_up {
                true => widest(i).max(text::width(heading)).max(RULE),
                false => 0,
            })
            .collect();
        let columns =
            || self.headings.iter().zip(&widths).map(|((_, align), width)| (*align, *width));
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let mut line = "|".to_owned();
            for (align, width) in columns() {
                // A blank could be taken for a mistake; a dash says that there is nothing to say.
                let cell = cells.next().filter(|cell| !cell.is_empty()).unwrap_or("–");
                let blanks = " ".repeat(width.saturating_sub(text::width(cell)));
                line += &match align {
                    Align::Left => format!(" {cell}{blanks} |"),
                    Align::Right | Align::Decimal => format!(" {blanks}{cell} |"),
                };
            }
            line
        };
        let mut lines = vec![line(&mut self.headings.iter().map(|(heading, _)| heading.as_str()))];
        lines.push(columns().fold("|".to_owned(), |rule, (align, width)| match align {
            Align::Left => format!("{rule} {} |", "-".repeat(width.max(RULE))),
            Align::Right | Align::Decimal => {
                format!("{rule} {}: |", "-".repeat(width.max(RULE) - 1))
            }
        }));
        lines.extend(self.rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    #[test]
    fn a_long_cell_makes_no_other_long() {
        let columns = vec![Column::text("property", "property"), Column::text("value", "value")];
        let mut table = Table::new("test", columns);
        table.row(vec![Value::text("a"), Value::text("x".repeat(81))]);
        table.row(vec![Value::text("b"), Value::text("y")]);
        let wanted =
            format!("| Property | Value |\n| --- | --- |\n| a | {} |\n| b | y |", "x".repeat(81));
        assert_eq!(set(&table), wanted);
    }

    #[test]
    fn columns_line_up_and_empty_ones_go() {
        let columns = vec![
            Column::text("op", "operator"),
            Column::text("why", "why"),
            Column::figures("nodes", "nodes"),
            Column::data("index"),
        ];
        let mut table = Table::new("test", columns).without_empty_columns();
        table.row(vec![Value::name("Conv"), Value::Blank, Value::Integer(104), Value::Integer(1)]);
        table.row(vec![Value::text("×"), Value::Blank, Value::Blank, Value::Integer(2)]);
        assert_eq!(
            set(&table),
            "| Operator | Nodes |\n| -------- | ----: |\n| `Conv`   |   104 |\n| ×        |     – |"
        );
    }
}
