//! A table whose columns line up in the source too.
//!
//! ```text
//! | operator | nodes |
//! | :------- | ----: |
//! | `Conv`   |   104 |
//! ```

use crate::text;

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// Columns of a cell beyond which a table does not line up.
const WIDEST: usize = 80;
/// Columns of the line beneath a heading, at least.
const RULE: usize = 3;

/// Rows beneath headings. Cells are Markdown.
pub(crate) struct Table {
    headings: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(headings: &[(&str, Align)]) -> Self {
        let headings = headings.iter().map(|(text, align)| ((*text).to_owned(), *align)).collect();
        Self { headings, rows: Vec::new() }
    }

    /// A table of two columns: what, and what of it.
    pub(crate) fn facts() -> Self {
        Self::new(&[("Property", Align::Left), ("Value", Align::Left)])
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// A row of a table of facts, where there is something to say.
    pub(crate) fn fact(&mut self, what: &str, value: impl Into<Option<String>>) {
        if let Some(value) = value.into() {
            self.rows.push(vec![what.to_owned(), value]);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Leaves out columns in which no row says anything.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        let filled: Vec<bool> = (0..self.headings.len())
            .map(|i| self.rows.iter().any(|row| row.get(i).is_some_and(|cell| !cell.is_empty())))
            .collect();
        let keep = |i: usize| filled.get(i).copied().unwrap_or(false);
        let mut i = 0;
        self.headings.retain(|_| {
            i += 1;
            keep(i - 1)
        });
        for row in &mut self.rows {
            let mut i = 0;
            row.retain(|_| {
                i += 1;
                keep(i - 1)
            });
        }
        self
    }

    /// The lines, without a newline at the end. Columns line up unless a cell is so long that this
    /// would only push the others out of sight.
    pub(crate) fn set(&self) -> String {
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
                    Align::Right => format!(" {blanks}{cell} |"),
                };
            }
            line
        };
        let mut lines = vec![line(&mut self.headings.iter().map(|(heading, _)| heading.as_str()))];
        lines.push(columns().fold("|".to_owned(), |rule, (align, width)| match align {
            Align::Left => format!("{rule} {} |", "-".repeat(width.max(RULE))),
            Align::Right => format!("{rule} {}: |", "-".repeat(width.max(RULE) - 1)),
        }));
        lines.extend(self.rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_cell_makes_no_other_long() {
        let mut table = Table::facts();
        table.row(vec!["a".into(), "x".repeat(81)]);
        table.row(vec!["b".into(), "y".into()]);
        let wanted =
            format!("| Property | Value |\n| --- | --- |\n| a | {} |\n| b | y |", "x".repeat(81));
        assert_eq!(table.set(), wanted);
    }

    #[test]
    fn columns_line_up_and_empty_ones_go() {
        let mut table =
            Table::new(&[("operator", Align::Left), ("why", Align::Left), ("nodes", Align::Right)]);
        table.row(vec!["`Conv`".into(), String::new(), "104".into()]);
        table.row(vec!["×".into(), String::new()]);
        assert_eq!(
            table.without_empty_columns().set(),
            "| operator | nodes |\n| -------- | ----: |\n| `Conv`   |   104 |\n| ×        |     – |"
        );
    }
}
