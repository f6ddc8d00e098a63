//! Output formats: the table of them, and what each of them renders.
//!
//! A renderer declares its [`Format`] in its own file; [`FORMATS`] lists them, and every command
//! whose answer has the form that a format renders offers it.
//!
//! ```
//! use calipers_render::output::{Answer, find};
//! use calipers_render::{Style, tables};
//!
//! let layers = calipers_report::LayerTable::default();
//! let answer = Answer::table(&layers, tables::layers(&layers));
//! let csv = find("csv").unwrap();
//! assert!(csv.render(&answer, &Style::plain(80)).starts_with("index,node,op,"));
//! ```

use calipers_report::{FindingRule, FindingTable};
use serde::Serialize;

use crate::document::Document;
use crate::table::Table;
use crate::{Style, csv, html, json, jsonl, markdown, sarif, terminal};

/// Every output format, the default first.
pub static FORMATS: &[&Format] = &[
    &terminal::FORMAT,
    &json::FORMAT,
    &csv::FORMAT,
    &jsonl::FORMAT,
    &markdown::FORMAT,
    &html::FORMAT,
    &sarif::FORMAT,
];

/// Returns the format of this id, or of this file name extension.
pub fn find(id: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.id == id || format.extensions.contains(&id))
}

/// A form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A part of the report.
    Data,
    /// Rows and columns.
    Tables,
    /// Sections; an answer that is tables alone has them as sections too.
    Documents,
    /// A page of its own.
    Page,
    /// Findings with the place of the model.
    Findings,
}

/// An output format.
#[derive(Debug)]
pub struct Format {
    /// The value of `--format`: `csv`.
    pub id: &'static str,
    /// File name extensions that select it, without the dot.
    pub extensions: &'static [&'static str],
    /// What it is for, as `--help` prints it.
    pub description: &'static str,
    /// The form of an answer that it renders.
    pub needs: Form,
    /// Renders an answer. Formats for files and programs ignore the style.
    pub(crate) render: fn(&Answer<'_>, &Style) -> String,
}

impl Format {
    /// Renders an answer.
    pub fn render(&self, answer: &Answer<'_>, style: &Style) -> String {
        (self.render)(answer, style)
    }

    /// Whether it is laid out for a terminal, in color where that has any.
    pub fn is_terminal(&self) -> bool {
        self.id == terminal::FORMAT.id
    }
}

/// Two formats are equal when their ids are.
impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Format {}

/// Builds a value when a format needs it.
type Build<'a, T> = Box<dyn Fn() -> T + 'a>;

/// What a command found, in the forms that formats render.
pub struct Answer<'a> {
    json: Build<'a, String>,
    tables: Vec<Table>,
    screen: Option<Build<'a, Vec<Document>>>,
    page: Option<Build<'a, Vec<Document>>>,
    html: Option<Build<'a, String>>,
    findings: Option<Build<'a, String>>,
}

impl<'a> Answer<'a> {
    /// A part of the report, as JSON alone.
    pub fn new<T: Serialize>(data: &'a T) -> Self {
        let json = Box::new(|| json::to_string(data));
        Self { json, tables: vec![], screen: None, page: None, html: None, findings: None }
    }

    /// A part of the report that is one table.
    pub fn table<T: Serialize>(data: &'a T, table: Table) -> Self {
        Self::new(data).tables(vec![table])
    }

    /// This answer as tables.
    #[must_use]
    pub fn tables(mut self, tables: Vec<Table>) -> Self {
        self.tables = tables;
        self
    }

    /// This answer as documents.
    #[must_use]
    pub fn documents(mut self, build: impl Fn() -> Vec<Document> + 'a) -> Self {
        self.screen = Some(Box::new(build));
        self
    }

    /// This answer with another document for pages than for terminals.
    #[must_use]
    pub fn page(mut self, build: impl Fn() -> Document + 'a) -> Self {
        self.page = Some(Box::new(move || vec![build()]));
        self
    }

    /// This answer as an HTML page that is made when it is asked for.
    #[must_use]
    pub fn html(mut self, build: impl Fn() -> String + 'a) -> Self {
        self.html = Some(Box::new(build));
        self
    }

    /// Its HTML page; empty where it has none.
    pub(crate) fn as_html(&self) -> String {
        self.html.as_ref().map(|build| build()).unwrap_or_default()
    }

    /// This answer as findings: of these rules, in the model at this place.
    #[must_use]
    pub fn findings(
        mut self,
        table: &'a FindingTable,
        rules: &'a [FindingRule],
        place: &'a str,
    ) -> Self {
        self.findings = Some(Box::new(move || sarif::findings(table, rules, place)));
        self
    }

    /// This answer as SARIF that is made when it is asked for.
    #[must_use]
    pub fn sarif(mut self, build: impl Fn() -> String + 'a) -> Self {
        self.findings = Some(Box::new(build));
        self
    }

    /// Its findings as SARIF; empty where it has none of that form.
    pub(crate) fn as_sarif(&self) -> String {
        self.findings.as_ref().map(|build| build()).unwrap_or_default()
    }

    /// The part of the report as JSON.
    pub(crate) fn as_json(&self) -> String {
        (self.json)()
    }

    /// Its tables, for formats that have nothing else.
    pub(crate) fn as_tables(&self) -> &[Table] {
        &self.tables
    }

    /// Its documents for a terminal; none where it is tables.
    pub(crate) fn for_screen(&self) -> Option<Vec<Document>> {
        self.screen.as_ref().map(|build| build())
    }

    /// Its documents for a page; none where it is tables.
    pub(crate) fn for_page(&self) -> Option<Vec<Document>> {
        self.page.as_ref().or(self.screen.as_ref()).map(|build| build())
    }
}

/// Texts with an empty line between them.
pub(crate) fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_extensions_are_unique() {
        for (i, format) in FORMATS.iter().enumerate() {
            assert_eq!(find(format.id), Some(*format));
            for other in &FORMATS[i + 1..] {
                assert_ne!(format.id, other.id);
                assert!(format.extensions.iter().all(|it| !other.extensions.contains(it)));
            }
        }
    }
}
