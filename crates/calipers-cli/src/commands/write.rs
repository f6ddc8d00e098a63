//! From a format to its renderer: the one place that knows which renderer writes which format.

use calipers_render::table::Table;
use calipers_render::{Style, csv, json, terminal};
use serde::Serialize;

use crate::args::{Format, TableFormat};
use crate::output::Target;

/// What a command found, in the forms that renderers take.
pub(crate) struct Answer<'a, T> {
    /// The part of the report, for JSON.
    pub(crate) data: &'a T,
    /// The same as tables, for formats that have nothing else.
    pub(crate) tables: Vec<Table>,
    /// A screen of its own for terminals; the tables where there is none.
    pub(crate) screen: Option<&'a dyn Fn(&Style) -> String>,
}

impl<'a, T: Serialize> Answer<'a, T> {
    /// A part of the report that is one table.
    pub(crate) fn table(data: &'a T, table: Table) -> Self {
        Self { data, tables: vec![table], screen: None }
    }

    /// Writes it in a format.
    pub(crate) fn write(&self, format: TableFormat, output: &Target) -> anyhow::Result<()> {
        match format {
            TableFormat::Text => output.write_screen(|style| self.screen(style)),
            TableFormat::Json => output.write(&json::to_string(self.data)),
            TableFormat::Csv => output.write(&csv::tables(&self.tables)),
        }
    }

    fn screen(&self, style: &Style) -> String {
        match self.screen {
            Some(screen) => screen(style),
            None => {
                let tables: Vec<String> =
                    self.tables.iter().map(|table| terminal::table(table, style)).collect();
                tables.join("\n")
            }
        }
    }
}

impl From<Format> for TableFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
        }
    }
}
