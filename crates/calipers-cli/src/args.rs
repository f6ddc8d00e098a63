//! Arguments: as they are typed, and as the commands take them.
//!
//! [`Cli`] is the one definition of them all; the parser, the help, the man pages and the
//! completions come from it. [`Cli::resolve`] turns what was typed into a [`Task`], with every
//! default filled in, and the commands see nothing else.

mod bench;
mod bind;
mod calibrate;
mod card;
mod compare;
mod completions;
mod demo;
mod devices;
mod diagram;
mod examples;
mod findings;
mod format;
mod graph;
mod hardware;
mod index;
mod inspect;
mod layers;
mod man;
mod mistake;
mod reading;
mod report;
#[cfg(feature = "apply")]
mod run;
#[cfg(not(feature = "apply"))]
#[path = "args/no_run.rs"]
mod run;
mod runtime;
mod scan;
mod schema;
mod shapes;
mod summary;
mod sweep;
mod verify;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser};

use self::bench::BenchArgs;
use self::bind::BindArgs;
use self::calibrate::CalibrateArgs;
use self::card::CardArgs;
use self::compare::CompareArgs;
pub(crate) use self::compare::ComparisonFormat;
use self::completions::CompletionsArgs;
use self::demo::DemoArgs;
use self::devices::DevicesArgs;
use self::diagram::DiagramArgs;
pub(crate) use self::diagram::DiagramFormat;
use self::findings::{CheckArgs, ExplainArgs};
use self::format::{Offer, ends_in, refuse_unknown_ending};
use self::graph::GraphArgs;
pub(crate) use self::graph::GraphFormat;
use self::hardware::HardwareArgs;
use self::index::IndexArgs;
use self::inspect::InspectArgs;
use self::layers::LayersArgs;
use self::man::ManArgs;
use self::report::ReportArgs;
use self::run::RunArgs;
pub(crate) use self::runtime::Execution;
use self::scan::ScanArgs;
use self::schema::SchemaArgs;
pub(crate) use self::schema::SchemaOf;
use self::shapes::ShapesArgs;
use self::sweep::SweepArgs;
use self::verify::VerifyArgs;
use crate::commands::{
    Bench, Calibrate, Card, Check, Compare, Completions, Demo, Devices, Diagram, Explain, Graph,
    Hardware, Index, Inspect, Layers, Man, ReportPage, Run, Scan, Schema, Shapes, Sweeping, Verify,
};

/// Report what a neural-network file is, what it costs, where it runs and what is risky about it.
///
/// Calipers reads the graph, not the weights: a 100 GB model takes as long as a 1 MB one.
#[derive(Debug, Parser)]
#[command(
    name = "calipers",
    version,
    override_usage = "calipers [OPTIONS] <MODEL>\n       calipers [OPTIONS] <COMMAND>",
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = examples::EXAMPLES
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    subcommand: Option<Subcommand>,

    #[command(flatten)]
    inspect: InspectArgs,

    /// When to use color; `auto` follows the terminal, NO_COLOR and CLICOLOR_FORCE
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    color: ColorChoice,

    /// Replace output files that Calipers did not write, and symbolic links
    #[arg(long, global = true)]
    force: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Subcommand {
    /// Report on a model; `calipers MODEL` does the same
    #[command(after_help = inspect::EXAMPLES)]
    Inspect(InspectArgs),
    /// Write a model card with charts, or one per model plus an index
    #[command(after_help = card::EXAMPLES)]
    Card(Box<CardArgs>),
    /// List findings only; a gate for CI
    #[command(after_help = findings::CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Compare models: what changed, whether one can replace the other, gates for CI
    #[command(after_help = compare::EXAMPLES)]
    Compare(Box<CompareArgs>),
    /// Explain a finding: what it checks, why it matters, how to fix it
    #[command(after_help = findings::EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// List the type and shape of every value
    #[command(after_help = shapes::EXAMPLES)]
    Shapes(ShapesArgs),
    /// List every node with its shapes, parameters and cost
    #[command(after_help = layers::EXAMPLES)]
    Layers(LayersArgs),
    /// Compute the cost at several input sizes
    #[command(after_help = sweep::EXAMPLES)]
    Sweep(SweepArgs),
    /// Write the architecture diagram (Mermaid)
    #[command(after_help = diagram::EXAMPLES)]
    Diagram(DiagramArgs),
    /// Write the graph as an image, for Graphviz, or as a page
    #[command(after_help = graph::EXAMPLES)]
    Graph(GraphArgs),
    /// Write an interactive HTML report
    #[command(after_help = report::EXAMPLES)]
    Report(ReportArgs),
    /// Estimate memory fit, latency and requirements
    #[command(after_help = hardware::EXAMPLES)]
    Hardware(HardwareArgs),
    /// Execute a model and compare every type and shape with what was inferred
    #[command(after_help = verify::EXAMPLES)]
    Verify(Box<VerifyArgs>),
    /// Use a model: on texts, an image, a sound or tensors
    #[command(after_help = run::EXAMPLES)]
    Run(Box<RunArgs>),
    /// Measure latency, throughput and memory, beside the predicted latency
    #[command(after_help = bench::EXAMPLES)]
    Bench(Box<BenchArgs>),
    /// Measure this machine and write a device file that `--device auto` uses
    #[command(after_help = calibrate::EXAMPLES)]
    Calibrate(CalibrateArgs),
    /// Write a dataset of many models: Parquet, CSV or JSON lines
    #[command(after_help = scan::EXAMPLES)]
    Scan(Box<ScanArgs>),
    /// Write a page of the models in a dataset, to search, filter and sort
    #[command(after_help = index::EXAMPLES)]
    Index(IndexArgs),
    /// List devices, show one, or detect this machine
    #[command(after_help = devices::EXAMPLES)]
    Devices(DevicesArgs),
    /// Print the JSON Schema of the report or of a command's output
    #[command(after_help = schema::EXAMPLES)]
    Schema(SchemaArgs),
    /// Try Calipers on a built-in model
    #[command(after_help = demo::EXAMPLES)]
    Demo(DemoArgs),
    /// Generate shell completions
    #[command(after_help = completions::EXAMPLES)]
    Completions(CompletionsArgs),
    /// Print a man page
    #[command(after_help = man::EXAMPLES)]
    Man(ManArgs),
}

/// What to do, with nothing left to decide.
#[derive(Debug)]
pub(crate) enum Task {
    Inspect(Inspect),
    Card(Box<Card>),
    Check(Check),
    Compare(Box<Compare>),
    Explain(Explain),
    Shapes(Shapes),
    Layers(Layers),
    Sweep(Sweeping),
    Hardware(Hardware),
    Verify(Box<Verify>),
    Run(Box<Run>),
    Bench(Box<Bench>),
    Calibrate(Calibrate),
    Scan(Box<Scan>),
    Index(Index),
    Devices(Devices),
    Diagram(Diagram),
    Graph(Graph),
    Report(ReportPage),
    Schema(Schema),
    Demo(Demo),
    Completions(Completions),
    Man(Man),
}

impl Cli {
    /// What was typed.
    pub(crate) fn read(arguments: &[OsString]) -> Result<Self, clap::Error> {
        // A negative number is a value that an argument refuses with a reason, not a flag.
        let matches = with_negative_numbers(Self::command()).try_get_matches_from(arguments);
        matches.and_then(|matches| Self::from_arg_matches(&matches)).map_err(|error| {
            mistake::explain(arguments.get(1).and_then(|first| first.to_str()), error)
        })
    }

    /// When to use color.
    pub(crate) fn color(&self) -> ColorChoice {
        self.color
    }

    /// Whether files that Calipers did not write may be replaced.
    pub(crate) fn force(&self) -> bool {
        self.force
    }

    /// Settles the defaults, and refuses what cannot go together.
    pub(crate) fn resolve(self) -> Result<Task, clap::Error> {
        let Some(subcommand) = self.subcommand else {
            return self.inspect.resolve().map(Task::Inspect);
        };
        if self.inspect.is_given() {
            let message = "put the command first and its arguments after it\n\n  \
                to read a file that has the name of a command, write ./inspect";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        match subcommand {
            Subcommand::Inspect(args) => args.resolve().map(Task::Inspect),
            Subcommand::Card(args) => args.resolve().map(|card| Task::Card(Box::new(card))),
            Subcommand::Check(args) => args.resolve().map(Task::Check),
            Subcommand::Compare(args) => {
                args.resolve().map(|compare| Task::Compare(Box::new(compare)))
            }
            Subcommand::Explain(args) => args.resolve().map(Task::Explain),
            Subcommand::Shapes(args) => args.resolve().map(Task::Shapes),
            Subcommand::Layers(args) => args.resolve().map(Task::Layers),
            Subcommand::Sweep(args) => args.resolve().map(Task::Sweep),
            Subcommand::Diagram(args) => args.resolve().map(Task::Diagram),
            Subcommand::Graph(args) => args.resolve().map(Task::Graph),
            Subcommand::Report(args) => args.resolve().map(Task::Report),
            Subcommand::Hardware(args) => args.resolve().map(Task::Hardware),
            Subcommand::Bench(args) => args.resolve().map(|bench| Task::Bench(Box::new(bench))),
            Subcommand::Calibrate(args) => Ok(Task::Calibrate(args.resolve())),
            Subcommand::Verify(args) => args.resolve().map(|verify| Task::Verify(Box::new(verify))),
            Subcommand::Run(args) => args.resolve().map(|run| Task::Run(Box::new(run))),
            Subcommand::Scan(args) => args.resolve().map(|scan| Task::Scan(Box::new(scan))),
            Subcommand::Index(args) => Ok(Task::Index(args.resolve())),
            Subcommand::Devices(args) => args.resolve().map(Task::Devices),
            Subcommand::Schema(args) => Ok(Task::Schema(args.resolve())),
            Subcommand::Demo(args) => Ok(Task::Demo(args.resolve())),
            Subcommand::Completions(args) => Ok(Task::Completions(args.resolve())),
            Subcommand::Man(args) => args.resolve().map(Task::Man),
        }
    }

    /// Names of the commands, in the order of the help.
    pub(crate) fn subcommands() -> Vec<String> {
        let visible = |subcommand: &&clap::Command| !subcommand.is_hide_set();
        let command = Self::command();
        command
            .get_subcommands()
            .filter(visible)
            .map(|subcommand| subcommand.get_name().to_owned())
            .collect()
    }
}

/// The command with every option that takes a value also taking a negative number.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let takes_values = |arg: &clap::Arg| !arg.is_positional() && arg.get_action().takes_values();
    command
        .mut_args(|arg| match takes_values(&arg) {
            true => arg.allow_negative_numbers(true),
            false => arg,
        })
        .mut_subcommands(with_negative_numbers)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn resolved(args: &[&str]) -> Result<Task, clap::Error> {
        Cli::try_parse_from([&["calipers"], args].concat()).and_then(Cli::resolve)
    }

    fn inspect(args: &[&str]) -> Inspect {
        match resolved(args) {
            Ok(Task::Inspect(inspect)) => inspect,
            other => panic!("{args:?} gives {other:?}"),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn examples_fit_a_narrow_screen() {
        let root = Cli::command();
        for command in root.get_subcommands().chain([&root]) {
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in after.lines() {
                assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
            }
        }
    }

    #[test]
    fn a_bare_model_is_inspected() {
        for args in [&["m.onnx"][..], &["inspect", "m.onnx"], &["--color", "never", "m.onnx"]] {
            assert_eq!(inspect(args).model, Path::new("m.onnx"));
        }
        assert_eq!(inspect(&["./inspect"]).model, Path::new("./inspect"));
        assert_eq!(inspect(&["inspect", "schema"]).model, Path::new("schema"));
        assert_eq!(inspect(&["--", "inspect"]).model, Path::new("inspect"));
    }

    #[test]
    fn the_file_name_selects_the_format() {
        assert_eq!(inspect(&["m"]).format.id, "text");
        assert_eq!(inspect(&["m", "-o", "r.txt"]).format.id, "text");
        assert_eq!(inspect(&["m", "-o", "r.JSON"]).format.id, "json");
        assert_eq!(inspect(&["m", "-o", "r.md"]).format.id, "markdown");
        assert_eq!(inspect(&["m", "-o", "r.json", "--format", "text"]).format.id, "text");
        assert_eq!(inspect(&["m", "-o", "r"]).format.id, "text");
    }

    #[test]
    fn an_unknown_ending_names_the_command_to_run() {
        let cases = [
            (&["m", "-o", "r.html"][..], "calipers report"),
            (&["check", "m", "-o", "c.html"], "calipers report"),
            (&["layers", "m", "-o", "l.xlsx"], "calipers layers MODEL -o FILE.csv"),
            (&["diagram", "m", "-o", "d.svg"], "calipers graph"),
            (&["graph", "m", "-o", "g.jpeg"], ".png"),
            (&["report", "m", "-o", "r.pdf"], "print the page"),
        ];
        for (args, wanted) in cases {
            let error = resolved(args).map(|_| ()).unwrap_err().to_string();
            assert!(
                error.contains("unknown file name ending") && error.contains(wanted),
                "{error}"
            );
        }
    }

    #[test]
    fn findings_of_weights_need_the_weights_read() {
        let kind = |args: &[&str]| resolved(args).map(|_| ()).map_err(|error| error.kind());
        for subcommand in ["check", "inspect"] {
            let alone = kind(&[subcommand, "m", "--select", "weights"]);
            assert_eq!(alone, Err(ErrorKind::MissingRequiredArgument), "{subcommand}");
            assert_eq!(
                kind(&[subcommand, "m", "--select", "weights", "--weights"]),
                Ok(()),
                "{subcommand}"
            );
        }
    }

    #[test]
    fn color_may_be_before_and_after_a_command() {
        for args in [["--color", "always", "schema"], ["schema", "--color", "always"]] {
            let cli = Cli::try_parse_from([&["calipers"][..], &args].concat()).unwrap();
            assert_eq!(cli.color(), ColorChoice::Always);
        }
    }

    #[test]
    fn a_model_and_a_command_do_not_go_together() {
        for args in [&["m.onnx", "schema"][..], &["-o", "x", "demo"], &["--format", "json", "demo"]]
        {
            let kind = resolved(args).map(|_| ()).map_err(|error| error.kind());
            assert_eq!(kind, Err(ErrorKind::ArgumentConflict), "{args:?}");
        }
    }
}
