//! The `calipers` command: arguments, exit statuses and progress. What it says of a model, the
//! libraries say.
//!
//! [`main_with`] is the whole command, for its own program and for others that ship it; [`embed`]
//! has its options and messages for programs that call it as a library.
//!
//! One file to a command under `commands/`; each takes resolved arguments and returns an
//! `ExitStatus` or an error that `problem::report` puts into words.
#![deny(unsafe_code)]

mod args;
mod commands;
pub mod embed;
mod exit;
mod files;
mod output;
mod privacy;
mod problem;
mod progress;
mod remote;
mod screen;
mod system;

use std::ffi::OsString;
use std::io::Write;

use crate::args::{Cli, Task};
use crate::exit::ExitStatus;

/// Runs the command and returns its exit status. The first argument is the program's name.
///
/// It takes over the signals of the process, so it is called once, before there are other threads,
/// and nothing but the end of the process comes after it.
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = system::keep_arguments(arguments.into_iter().collect());
    system::on_interrupt(files::remove_leftovers);
    calipers_formats::catch_shortened_files();
    let task = match Cli::read(arguments) {
        Ok(cli) => {
            screen::choose_color(cli.color());
            files::choose_force(cli.force());
            remote::choose_offline(arguments.iter().any(|argument| argument == "--offline"));
            cli.resolve()
        }
        Err(error) => Err(error),
    };
    let status = match task {
        Ok(task) => run(&task).unwrap_or_else(|error| problem::report(&error)),
        Err(error) => explain(&error),
    };
    status as u8
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
        Task::Index(index) => index.run(),
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
    let unsafe_to_show = system::arguments().iter().any(|argument| {
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
