//! One table: typed cells under columns, for every format that has tables.
//!
//! A table of the product is defined once, in [`crate::tables`]; [`crate::terminal`],
//! [`crate::csv`], [`crate::jsonl`], [`crate::markdown`] and [`crate::html`] each write any of
//! them. A cell holds a figure, not its text, so that a spreadsheet gets every digit and a reader
//! gets `22.95 G`.
//!
//! ```
//! use calipers_render::{Style, csv, markdown, terminal};
//! use calipers_render::table::{Column, Table, Value};
//!
//! let mut table = Table::new("top-nodes", vec![
//!     Column::text("node", "node"),
//!     Column::figures("macs", "MACs"),
//! ]);
//! table.row(vec![Value::Name("conv|1".into()), Value::Magnitude(22_949_658_624)]);
//! assert_eq!(csv::table(&table), "node,macs\nconv|1,22949658624\n");
//! assert!(terminal::table(&table, &Style::plain(80)).contains("conv|1  22.95 G"));
//! assert!(markdown::table(&table).contains("| <code>conv&#124;1</code> | 22.95 G |"));
//! ```

use calipers_report::Dimension;

use crate::text;
use crate::value::Spans;
pub use crate::value::{Tone, Value};

/// Where the cells of a column are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At the left edge: texts.
    Left,
    /// At the right edge: figures.
    Right,
    /// With decimal points in one place: figures of mixed precision.
    Decimal,
}

/// What people read for a figure that is zero; programs always read 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// `0`.
    Shown,
    /// Nothing.
    Blank,
    /// A dash.
    Dash,
}

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name in CSV and in JSON.
    pub id: String,
    /// Its heading for people: words of ours in lower case but for abbreviations, which documents
    /// capitalize, or a name.
    pub title: Value,
    /// A shorter heading for terminals.
    pub short: Option<String>,
    /// Where its cells are set.
    pub align: Align,
    /// Columns with the highest number go first where a terminal is too narrow; 0 always stays.
    pub priority: u8,
    /// Terminal columns that a cell takes at most; a longer text loses its middle.
    pub widest: usize,
    /// Terminal columns that a cell keeps before less needed columns have to go.
    pub preferred: usize,
    /// Whether a long cell continues on further lines of a terminal, as a shape does.
    pub wraps: bool,
    /// Whether its cells are bars, which a terminal shortens before it cuts texts.
    pub has_bars: bool,
    /// What people read for zero.
    pub zero: Zero,
    /// How its cells look unless a cell says otherwise.
    pub tone: Tone,
    /// Whether terminals show it.
    pub in_terminal: bool,
    /// Whether Markdown and HTML show it.
    pub in_document: bool,
    /// Whether CSV and JSON lines hold it.
    pub in_data: bool,
}

impl Column {
    /// A column of texts.
    pub fn text(id: &str, title: &str) -> Self {
        Self {
            id: id.to_owned(),
            title: Value::text(title),
            short: None,
            align: Align::Left,
            priority: 0,
            widest: 60,
            preferred: 20,
            wraps: false,
            has_bars: false,
            zero: Zero::Shown,
            tone: Tone::Plain,
            in_terminal: true,
            in_document: true,
            in_data: true,
        }
    }

    /// A column of figures, at the right edge and never cut.
    pub fn figures(id: &str, title: &str) -> Self {
        Self { align: Align::Right, widest: 28, preferred: 28, ..Self::text(id, title) }
    }

    /// A column of bars, only on terminals, which leave it out first.
    pub fn bars() -> Self {
        let column = Self { has_bars: true, ..Self::text("bar", "") };
        column.limits(24, 8).priority(9).tone(Tone::Accent).only_in_terminals()
    }

    /// A column that only programs read: CSV and JSON lines.
    pub fn data(id: &str) -> Self {
        Self { in_terminal: false, in_document: false, ..Self::text(id, id) }
    }

    /// This column with a shorter heading for terminals.
    #[must_use]
    pub fn short(mut self, title: &str) -> Self {
        self.short = Some(title.to_owned());
        self
    }

    /// This column, which goes before those of a lower number where a terminal is narrow.
    #[must_use]
    pub fn priority(mut self, priority: u8) -> Self {
        self.priority = priority;
        self
    }

    /// This column with limits: cells take at most `widest` terminal columns, and keep `preferred`
    /// of them before less needed columns have to go.
    #[must_use]
    pub fn limits(mut self, widest: usize, preferred: usize) -> Self {
        (self.widest, self.preferred) = (widest, preferred);
        self
    }

    /// This column with its figures aligned at the decimal point.
    #[must_use]
    pub fn decimal(mut self) -> Self {
        self.align = Align::Decimal;
        self
    }

    /// This column with another text for zero.
    #[must_use]
    pub fn zero(mut self, zero: Zero) -> Self {
        self.zero = zero;
        self
    }

    /// This column, whose long cells continue on further lines of a terminal.
    #[must_use]
    pub fn wrapping(mut self) -> Self {
        self.wraps = true;
        self
    }

    /// This column in another tone.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// This column for people alone: neither CSV nor JSON lines hold it.
    #[must_use]
    pub fn for_people(mut self) -> Self {
        self.in_data = false;
        self
    }

    /// This column for terminals, not for documents.
    #[must_use]
    pub fn not_in_documents(mut self) -> Self {
        self.in_document = false;
        self
    }

    /// This column for terminals alone.
    #[must_use]
    pub fn only_in_terminals(mut self) -> Self {
        (self.in_document, self.in_data) = (false, false);
        self
    }

    /// This column for documents and programs, not for terminals.
    #[must_use]
    pub fn not_in_terminals(mut self) -> Self {
        self.in_terminal = false;
        self
    }

    /// This column for documents alone.
    #[must_use]
    pub fn only_in_documents(mut self) -> Self {
        (self.in_terminal, self.in_data) = (false, false);
        self
    }

    /// The heading on a terminal.
    pub(crate) fn terminal_title(&self) -> Value {
        self.short.as_ref().map_or_else(|| self.title.clone(), Value::text)
    }

    /// The heading in a document.
    pub(crate) fn document_title(&self) -> Value {
        match &self.title {
            Value::Text(title) => Value::Text(text::capitalized(title)),
            other => other.clone(),
        }
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// What it holds.
    pub value: Value,
    /// How it looks, where that is not how its column does.
    pub tone: Option<Tone>,
}

impl Cell {
    /// A cell in its own tone.
    pub fn toned(value: Value, tone: Tone) -> Self {
        Self { value, tone: Some(tone) }
    }
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        Self { value, tone: None }
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// A heading over the rows after it; only for people.
    Group(Value),
    /// Cells, one for each column.
    Cells {
        /// The cells, in the order of the columns.
        cells: Vec<Cell>,
        /// What a terminal shows in place of every cell but the first: why there are no figures.
        instead: Option<Spans>,
        /// What people read beneath the row.
        note: Option<Spans>,
    },
}

/// Remarks beneath a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// A heading over them.
    pub title: Option<String>,
    /// The remarks, a line each.
    pub lines: Vec<Spans>,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// A name of ours, as an anchor or a file name may hold it.
    pub id: String,
    /// A heading over it.
    pub title: Option<String>,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Rows after a gap: sums, and what was left out. Only for people.
    pub footer: Vec<Vec<Cell>>,
    /// What the figures lack and rest on.
    pub notes: Vec<Notes>,
    /// What people read in place of a table without rows; its headings where there is none.
    pub empty: Option<Spans>,
    /// Whether people see the headings of the columns.
    pub has_headings: bool,
    /// Whether columns that hold nothing are left out of documents, as they always are on a
    /// terminal.
    pub drops_empty_columns: bool,
}

impl Table {
    /// A table without rows.
    pub fn new(id: &str, columns: Vec<Column>) -> Self {
        Self { id: id.to_owned(), columns, has_headings: true, ..Self::default() }
    }

    /// This table under a heading.
    #[must_use]
    pub fn titled(mut self, title: &str) -> Self {
        self.title = Some(title.to_owned());
        self
    }

    /// This table without the headings of its columns.
    #[must_use]
    pub fn without_headings(mut self) -> Self {
        self.has_headings = false;
        self
    }

    /// This table without the columns that hold nothing.
    #[must_use]
    pub fn without_empty_columns(mut self) -> Self {
        self.drops_empty_columns = true;
        self
    }

    /// Adds a row of values, one for each column.
    pub fn row(&mut self, values: Vec<Value>) {
        self.cells(values.into_iter().map(Cell::from).collect());
    }

    /// Adds a row of cells, one for each column.
    pub fn cells(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "a cell for each column of {}", self.id);
        self.rows.push(Row::Cells { cells, instead: None, note: None });
    }

    /// Adds a row of cells; a terminal shows the first cell and a sentence instead of the others.
    pub fn row_instead(&mut self, values: Vec<Value>, instead: Spans) {
        self.row(values);
        if let Some(Row::Cells { instead: place, .. }) = self.rows.last_mut() {
            *place = Some(instead);
        }
    }

    /// Adds a remark beneath the last row.
    pub fn note_row(&mut self, remark: Spans) {
        if let Some(Row::Cells { note, .. }) = self.rows.last_mut() {
            *note = Some(remark);
        }
    }

    /// Adds remarks, where there are any.
    pub fn note(&mut self, title: Option<&str>, lines: Vec<Spans>) {
        if !lines.is_empty() {
            self.notes.push(Notes { title: title.map(str::to_owned), lines });
        }
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Rows of cells, groups left out.
    pub(crate) fn cell_rows(&self) -> impl Iterator<Item = &Vec<Cell>> {
        self.rows.iter().filter_map(|row| match row {
            Row::Group(_) => None,
            Row::Cells { cells, .. } => Some(cells),
        })
    }

    /// The columns that data formats write.
    pub(crate) fn data_columns(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.in_data)
    }

    /// The values of those columns, row by row.
    pub(crate) fn data_rows(
        &self,
    ) -> impl Iterator<Item = impl Iterator<Item = crate::value::Datum>> {
        self.cell_rows().map(|cells| {
            let columns = self.columns.iter().zip(cells);
            columns.filter(|(column, _)| column.in_data).map(|(_, cell)| cell.value.data())
        })
    }

    /// Places of the columns that documents show.
    pub(crate) fn document_columns(&self) -> Vec<usize> {
        let is_filled = |i: usize| {
            !self.drops_empty_columns
                || self.cell_rows().chain(&self.footer).any(|cells| {
                    cells.get(i).is_some_and(|cell| !cell.value.is_blank(self.columns[i].zero))
                })
        };
        let shown = self.columns.iter().enumerate().filter(|(_, column)| column.in_document);
        shown.map(|(i, _)| i).filter(|i| is_filled(*i)).collect()
    }
}

/// A dimension in data formats: a number, an expression, or `?`.
pub(crate) fn dimension(dim: &Dimension) -> String {
    match dim {
        Dimension::Size(size) => size.to_string(),
        Dimension::Symbol(name) => name.clone(),
        Dimension::Unknown => "?".to_owned(),
    }
}
