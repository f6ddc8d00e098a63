//! `calipers schema`: the report's JSON Schema.

use crate::exit::ExitStatus;
use crate::output::write_stdout;

/// Nothing to choose.
#[derive(Debug)]
pub(crate) struct Schema;

impl Schema {
    /// Prints the schema.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        write_stdout(format!("{:#}\n", calipers_report::schema()).as_bytes())?;
        Ok(ExitStatus::Done)
    }
}
