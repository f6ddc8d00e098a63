//! `calipers completions SHELL`: what a shell needs to complete arguments.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::ExitStatus;
use crate::output::write_stdout;

/// The shell.
#[derive(Debug)]
pub(crate) struct Completions {
    pub(crate) shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        // Into memory first: the generator panics where it cannot write.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "calipers", &mut script);
        write_stdout(&script)?;
        Ok(ExitStatus::Done)
    }
}
