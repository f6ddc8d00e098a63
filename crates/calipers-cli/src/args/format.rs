//! Formats that several commands write in, and what the name of the output calls for.

use std::path::Path;

use clap::ValueEnum;

use crate::output::Target;

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For a terminal.
    Text,
    /// For a program.
    Json,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// For a terminal.
    Text,
    /// For a program.
    Json,
    /// For a spreadsheet.
    Csv,
}

/// The format asked for, or the one that the output's name calls for.
pub(super) fn format_for(asked: Option<Format>, output: &Target) -> Format {
    asked.unwrap_or_else(|| match output {
        Target::File(path) if ends_in(path, "json") => Format::Json,
        _ => Format::Text,
    })
}

/// The format asked for, or the one that the output's name calls for.
pub(super) fn table_format_for(asked: Option<TableFormat>, output: &Target) -> TableFormat {
    asked.unwrap_or_else(|| match output {
        Target::File(path) if ends_in(path, "json") => TableFormat::Json,
        Target::File(path) if ends_in(path, "csv") => TableFormat::Csv,
        _ => TableFormat::Text,
    })
}

pub(super) fn ends_in(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}
