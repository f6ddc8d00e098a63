//! `calipers schema`: the JSON Schema of what a command writes.

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
        let schema = match self.of {
            SchemaOf::Inspect => calipers_report::schema(),
            SchemaOf::Graph => calipers_report::view_schema(),
            SchemaOf::Hardware => calipers_report::hardware_schema(),
            SchemaOf::Card => calipers_report::figures_schema(),
            SchemaOf::Check => calipers_report::findings_schema(),
            SchemaOf::Compare => calipers_report::comparison_schema(),
            SchemaOf::CompareTable => calipers_report::comparison_table_schema(),
            SchemaOf::Layers => calipers_report::layers_schema(),
            SchemaOf::Sweep => calipers_report::sweep_schema(),
            SchemaOf::Shapes => calipers_report::shapes_schema(),
            SchemaOf::Bench => calipers_report::benchmark_schema(),
            SchemaOf::Run => calipers_report::run_schema(),
            SchemaOf::Verify => calipers_report::verification_schema(),
        };
        write_stdout(format!("{schema:#}\n").as_bytes())?;
        Ok(ExitStatus::Done)
    }
}
