//! The `calipers` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    calipers_cli::main_with(std::env::args_os()).into()
}
