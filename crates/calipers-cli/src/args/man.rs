//! What `calipers man` is given.

use clap::error::ErrorKind;
use clap::{Args, CommandFactory};

use super::Cli;
use crate::commands::Man;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers man | man -l -
  calipers man inspect > calipers-inspect.1";

#[derive(Args, Debug)]
pub(super) struct ManArgs {
    /// Command to print the page of; without it, the page of calipers itself
    command: Option<String>,
}

impl ManArgs {
    pub(super) fn resolve(self) -> Result<Man, clap::Error> {
        let mut root = Cli::command();
        // Gives every command its full name and the options that hold everywhere.
        root.build();
        let mut root = root.mut_subcommand("help", |help| help.hide(true));
        let Some(name) = self.command else { return Ok(Man { page: Box::new(root) }) };
        if let Some(subcommand) = root.find_subcommand(&name) {
            return Ok(Man { page: Box::new(subcommand.clone()) });
        }
        let message =
            format!("unknown command '{name}'; expected one of: {}", Cli::subcommands().join(", "));
        Err(root.error(ErrorKind::InvalidValue, message))
    }
}
