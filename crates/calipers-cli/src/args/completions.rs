//! What `calipers completions` is given.

use clap::Args;
use clap_complete::Shell;

use crate::commands::Completions;

pub(super) const EXAMPLES: &str = "\
Examples:
  source <(calipers completions bash)
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
