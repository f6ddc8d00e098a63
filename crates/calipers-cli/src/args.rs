//! Arguments: as they are typed, and as the commands take them.
//!
//! [`Cli`] is the one definition of them all; the parser, the help, the man pages and the
//! completions come from it. [`Cli::resolve`] turns what was typed into a [`Task`], with every
//! default filled in, and the commands see nothing else.

mod bind;
mod card;
mod completions;
mod demo;
mod devices;
mod diagram;
mod examples;
mod findings;
mod format;
mod graph;
mod hardware;
mod inspect;
mod layers;
mod man;
mod reading;
mod report;
mod schema;
mod shapes;
mod summary;
mod sweep;

use std::ffi::OsStr;

use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, Parser};

use self::bind::BindArgs;
use self::card::CardArgs;
use self::completions::CompletionsArgs;
use self::demo::DemoArgs;
use self::devices::DevicesArgs;
use self::diagram::DiagramArgs;
pub(crate) use self::diagram::DiagramFormat;
use self::findings::{CheckArgs, ExplainArgs};
use self::format::{Offer, ends_in};
use self::graph::GraphArgs;
pub(crate) use self::graph::GraphFormat;
use self::hardware::HardwareArgs;
use self::inspect::InspectArgs;
use self::layers::LayersArgs;
use self::man::ManArgs;
use self::report::ReportArgs;
use self::schema::SchemaArgs;
pub(crate) use self::schema::SchemaOf;
use self::shapes::ShapesArgs;
use self::sweep::SweepArgs;
use crate::commands::{
    Card, Check, Completions, Demo, Devices, Diagram, Explain, Graph, Hardware, Inspect, Layers,
    Man, ReportPage, Schema, Shapes, Sweeping,
};

/// Reads a neural-network file and writes down what it is.
///
/// Only the graph is read, not the weights: a model of a hundred gigabytes answers as fast as one
/// of a megabyte.
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

    /// When to use color; `auto` heeds the terminal, NO_COLOR and CLICOLOR_FORCE
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    color: ColorChoice,
}

#[derive(Debug, clap::Subcommand)]
enum Subcommand {
    /// Say what a model is: `calipers MODEL` is short for it
    #[command(after_help = inspect::EXAMPLES)]
    Inspect(InspectArgs),
    /// Write a model's card: README.md with its charts; of many models, one each and an index
    #[command(after_help = card::EXAMPLES)]
    Card(Box<CardArgs>),
    /// Say what is risky about a model, and nothing else
    #[command(after_help = findings::CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Print what a finding means, why it matters and what to do
    #[command(after_help = findings::EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// Print every value's type and shape
    #[command(after_help = shapes::EXAMPLES)]
    Shapes(ShapesArgs),
    /// Print every node with its shapes, parameters and cost
    #[command(after_help = layers::EXAMPLES)]
    Layers(LayersArgs),
    /// Print what a model costs at several sizes of its inputs
    #[command(after_help = sweep::EXAMPLES)]
    Sweep(SweepArgs),
    /// Draw the network as boxes and arrows
    #[command(after_help = diagram::EXAMPLES)]
    Diagram(DiagramArgs),
    /// Draw the graph, its parts opened level by level
    #[command(after_help = graph::EXAMPLES)]
    Graph(GraphArgs),
    /// Write everything on one page to look around in
    #[command(after_help = report::EXAMPLES)]
    Report(ReportArgs),
    /// Say where a model will run: what fits, how fast, and what it needs
    #[command(after_help = hardware::EXAMPLES)]
    Hardware(HardwareArgs),
    /// List devices, show one in full, or find out what this machine is
    #[command(after_help = devices::EXAMPLES)]
    Devices(DevicesArgs),
    /// Print the JSON Schema of the report, or of a command's table
    #[command(after_help = schema::EXAMPLES)]
    Schema(SchemaArgs),
    /// Show it all on a model that is built in
    #[command(after_help = demo::EXAMPLES)]
    Demo(DemoArgs),
    /// Print a shell's completions
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
    Explain(Explain),
    Shapes(Shapes),
    Layers(Layers),
    Sweep(Sweeping),
    Hardware(Hardware),
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
    pub(crate) fn read() -> Result<Self, clap::Error> {
        Self::try_parse().map_err(|error| {
            let first = std::env::args_os().nth(1);
            let meant = first.as_deref().and_then(OsStr::to_str).and_then(misspelt);
            meant.filter(|_| error.kind() == ErrorKind::UnknownArgument).unwrap_or(error)
        })
    }

    /// When to use color.
    pub(crate) fn color(&self) -> ColorChoice {
        self.color
    }

    /// Settles the defaults, and refuses what cannot go together.
    pub(crate) fn resolve(self) -> Result<Task, clap::Error> {
        let Some(subcommand) = self.subcommand else {
            return self.inspect.resolve().map(Task::Inspect);
        };
        if self.inspect.is_given() {
            let message = "a command comes first, and its arguments after it\n\n  \
                a file that is named like a command is given with its folder, as ./inspect";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        match subcommand {
            Subcommand::Inspect(args) => args.resolve().map(Task::Inspect),
            Subcommand::Card(args) => args.resolve().map(|card| Task::Card(Box::new(card))),
            Subcommand::Check(args) => args.resolve().map(Task::Check),
            Subcommand::Explain(args) => args.resolve().map(Task::Explain),
            Subcommand::Shapes(args) => args.resolve().map(Task::Shapes),
            Subcommand::Layers(args) => args.resolve().map(Task::Layers),
            Subcommand::Sweep(args) => Ok(Task::Sweep(args.resolve())),
            Subcommand::Diagram(args) => args.resolve().map(Task::Diagram),
            Subcommand::Graph(args) => args.resolve().map(Task::Graph),
            Subcommand::Report(args) => args.resolve().map(Task::Report),
            Subcommand::Hardware(args) => args.resolve().map(Task::Hardware),
            Subcommand::Devices(args) => Ok(Task::Devices(args.resolve())),
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

/// What to say of a command that is not spelt right. The parser takes it for the model, and
/// complains of what is behind it.
fn misspelt(word: &str) -> Option<clap::Error> {
    let subcommands = Cli::subcommands();
    let meant =
        calipers_report::suggestions::nearest(word, subcommands.iter().map(String::as_str))?;
    let message = format!("there is no command '{word}'\n\n  did you mean '{meant}'?");
    (meant != word).then(|| Cli::command().error(ErrorKind::InvalidSubcommand, message))
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
    fn a_misspelt_command_is_reported_and_a_model_is_none() {
        let reported = misspelt("chekc").map(|error| error.to_string()).unwrap_or_default();
        assert!(reported.contains("did you mean 'check'?"), "{reported}");
        for word in ["check", "resnet50.onnx", "./chekc.onnx", "--select", ""] {
            assert!(misspelt(word).is_none(), "{word}");
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
    fn the_file_name_decides_the_format_unless_reported() {
        assert_eq!(inspect(&["m"]).format.id, "text");
        assert_eq!(inspect(&["m", "-o", "r.txt"]).format.id, "text");
        assert_eq!(inspect(&["m", "-o", "r.JSON"]).format.id, "json");
        assert_eq!(inspect(&["m", "-o", "r.md"]).format.id, "markdown");
        assert_eq!(inspect(&["m", "-o", "r.json", "--format", "text"]).format.id, "text");
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
    fn color_may_are_before_and_after_a_command() {
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
