//! From a format to its renderer: the one place that knows which renderer writes which format.

use calipers_render::document::Document;
use calipers_render::table::Table;
use calipers_render::{Style, csv, json, jsonl, markdown, terminal};
use serde::Serialize;

use super::card::Listing;
use crate::args::{ExplainFormat, Format, ReportFormat, TableFormat};
use crate::output::Target;

/// Every format that an answer can be written in. Each command offers some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    Text,
    Json,
    Csv,
    Jsonl,
    Markdown,
}

/// Builds documents when a format needs them.
type Build<'a> = Box<dyn Fn() -> Vec<Document> + 'a>;

/// What a command found, in the forms that renderers take.
pub(crate) struct Answer<'a, T> {
    /// The part of the report, for JSON.
    data: &'a T,
    /// The same as tables, for formats that have nothing else.
    tables: Vec<Table>,
    /// Documents for a terminal; the tables where there are none.
    screen: Option<Build<'a>>,
    /// Documents for a page; those of the terminal where there are none.
    page: Option<Build<'a>>,
}

impl<'a, T: Serialize> Answer<'a, T> {
    /// A part of the report, as JSON alone.
    pub(crate) fn new(data: &'a T) -> Self {
        Self { data, tables: vec![], screen: None, page: None }
    }

    /// A part of the report that is one table.
    pub(crate) fn table(data: &'a T, table: Table) -> Self {
        Self::new(data).tables(vec![table])
    }

    /// This answer as tables.
    pub(crate) fn tables(mut self, tables: Vec<Table>) -> Self {
        self.tables = tables;
        self
    }

    /// This answer as documents.
    pub(crate) fn documents(mut self, build: impl Fn() -> Vec<Document> + 'a) -> Self {
        self.screen = Some(Box::new(build));
        self
    }

    /// This answer with another document for pages than for terminals.
    pub(crate) fn page(mut self, build: impl Fn() -> Document + 'a) -> Self {
        self.page = Some(Box::new(move || vec![build()]));
        self
    }

    /// Writes it in a format.
    pub(crate) fn write(
        &self,
        format: impl Into<OutputFormat>,
        output: &Target,
    ) -> anyhow::Result<()> {
        match format.into() {
            OutputFormat::Text => output.write_screen(|style| self.text(style)),
            OutputFormat::Json => output.write(&json::to_string(self.data)),
            OutputFormat::Csv => output.write(&csv::tables(&self.tables)),
            OutputFormat::Jsonl => {
                output.write(&self.tables.iter().map(jsonl::table).collect::<String>())
            }
            OutputFormat::Markdown => output.write(&self.markdown()),
        }
    }

    fn text(&self, style: &Style) -> String {
        match &self.screen {
            Some(build) => terminal::documents(&build(), style),
            None => joined(self.tables.iter().map(|table| terminal::table(table, style))),
        }
    }

    fn markdown(&self) -> String {
        match self.page.as_ref().or(self.screen.as_ref()) {
            Some(build) => joined(build().iter().map(|it| markdown::document(it, &[]))),
            None => joined(self.tables.iter().map(markdown::table)),
        }
    }
}

/// Texts with an empty line between them.
fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join("\n")
}

impl From<Format> for OutputFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
        }
    }
}

impl From<TableFormat> for OutputFormat {
    fn from(format: TableFormat) -> Self {
        match format {
            TableFormat::Text => Self::Text,
            TableFormat::Json => Self::Json,
            TableFormat::Csv => Self::Csv,
        }
    }
}

impl From<ReportFormat> for OutputFormat {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Text => Self::Text,
            ReportFormat::Json => Self::Json,
            ReportFormat::Markdown => Self::Markdown,
        }
    }
}

impl From<ExplainFormat> for OutputFormat {
    fn from(format: ExplainFormat) -> Self {
        match format {
            ExplainFormat::Text => Self::Text,
            ExplainFormat::Json => Self::Json,
            ExplainFormat::Markdown => Self::Markdown,
        }
    }
}

impl From<Listing> for OutputFormat {
    fn from(listing: Listing) -> Self {
        match listing {
            Listing::Jsonl => Self::Jsonl,
            Listing::Csv => Self::Csv,
        }
    }
}
