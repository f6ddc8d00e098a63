//! `calipers schema`: the JSON Schema of what a command writes.

use anyhow::Context as _;
use clap::ValueEnum as _;

use crate::args::SchemaOf;
use crate::exit::ExitStatus;
use crate::output::write_stdout;

/// Whose JSON is described.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) of: SchemaOf,
}

impl Schema {
    /// Prints the schema.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let name = self.of.to_possible_value();
        let schema = name.as_ref().and_then(|name| calipers_schema::document(name.get_name()));
        let schema = schema.context("this build of Calipers lacks the schema")?;
        write_stdout(format!("{schema:#}\n").as_bytes())?;
        Ok(ExitStatus::Done)
    }
}
