//! What `calipers completions` is given.

use clap::Args;
use clap_complete::Shell;

use crate::commands::Completions;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers completions bash > ~/.local/share/bash-completion/completions/calipers
  calipers completions fish > ~/.config/fish/completions/calipers.fish";

#[derive(Args, Debug)]
pub(super) struct CompletionsArgs {
    /// The shell to complete in
    shell: Shell,
}

impl CompletionsArgs {
    pub(super) fn resolve(self) -> Completions {
        Completions { shell: self.shell }
    }
}
