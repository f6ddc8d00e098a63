//! The `calipers` command: arguments, exit statuses and progress. What it says of a model, the
//! libraries say.
//!
//! One file to a command under `commands/`; each takes resolved arguments and returns an
//! [`ExitStatus`] or an error that [`problem::report`] puts into words.
#![deny(unsafe_code)]

mod args;
mod commands;
mod exit;
mod files;
mod output;
mod privacy;
mod problem;
mod progress;
mod remote;
mod screen;
mod system;

use std::io::Write;
use std::process::ExitCode;

use crate::args::{Cli, Task};
use crate::exit::ExitStatus;

fn main() -> ExitCode {
    system::on_interrupt(files::remove_leftovers);
    calipers_formats::catch_shortened_files();
    let task = match Cli::read() {
        Ok(cli) => {
            screen::choose_color(cli.color());
            files::choose_force(cli.force());
            cli.resolve()
        }
        Err(error) => Err(error),
    };
    match task {
        Ok(task) => run(&task).unwrap_or_else(|error| problem::report(&error)),
        Err(error) => explain(&error),
    }
    .into()
}

fn run(task: &Task) -> anyhow::Result<ExitStatus> {
    match task {
        Task::Inspect(inspect) => inspect.run(),
        Task::Card(card) => card.run(),
        Task::Shapes(shapes) => shapes.run(),
        Task::Check(check) => check.run(),
        Task::Compare(compare) => compare.run(),
        Task::Explain(explain) => explain.run(),
        Task::Layers(layers) => layers.run(),
        Task::Sweep(sweep) => sweep.run(),
        Task::Hardware(hardware) => hardware.run(),
        Task::Bench(bench) => bench.run(),
        Task::Calibrate(calibrate) => calibrate.run(),
        Task::Verify(verify) => verify.run(),
        Task::Run(run) => run.run(),
        Task::Scan(scan) => scan.run(),
        Task::Devices(devices) => devices.run(),
        Task::Diagram(diagram) => diagram.run(),
        Task::Graph(graph) => graph.run(),
        Task::Report(report) => report.run(),
        Task::Schema(schema) => schema.run(),
        Task::Demo(demo) => demo.run(),
        Task::Completions(completions) => completions.run(),
        Task::Man(man) => man.run(),
    }
}

/// Prints help and the version, which the parser hands over as errors, or what is wrong with the
/// arguments.
fn explain(error: &clap::Error) -> ExitStatus {
    let hidden = |argument: &str| argument.chars().any(calipers_render::text::is_hidden);
    let secret = |argument: &str| privacy::masked(argument) != argument;
    let unsafe_to_show = std::env::args_os().any(|argument| {
        let argument = argument.to_string_lossy();
        hidden(&argument) || secret(&argument)
    });
    if !error.use_stderr() {
        // Help and the version are output like any other.
        return match output::check_stdout().and_then(|()| Ok(error.print()?)) {
            Ok(()) => ExitStatus::Done,
            Err(error) => problem::report(&error),
        };
    }
    // A terminal that is gone changes nothing about the status.
    if unsafe_to_show {
        let text = error.render().to_string();
        let lines: Vec<String> = text.lines().map(problem::printable).collect();
        let _ = writeln!(std::io::stderr().lock(), "{}", lines.join("\n"));
    } else {
        let _ = error.print();
    }
    ExitStatus::Usage
}
