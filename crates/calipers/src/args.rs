//! Arguments: as they are typed, and as the commands take them.
//!
//! [`Cli`] is the one definition of them all; the parser, the help, the man pages and the
//! completions come from it. [`Cli::resolve`] turns what was typed into a [`Task`], with every
//! default filled in, and the commands see nothing else.

mod devices;
mod examples;
mod findings;
mod graph;
mod hardware;
mod report;

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, ColorChoice, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use calipers_analyze::{Bindings, LayerOrder, LayerQuery, Sweep};

use self::devices::DevicesArgs;
use self::findings::{CheckArgs, ExplainArgs, GateArgs};
use self::graph::GraphArgs;
use self::hardware::{HardwareArgs, WantedArgs};
use self::report::ReportArgs;
use crate::commands::{
    Check, Completions, Demo, Devices, Diagram, Explain, Graph, Hardware, Inspect, Layers, Man,
    ReportPage, Schema, Shapes, Sweeping,
};
use crate::output::Target;

pub(crate) use findings::{CheckFormat, ExplainFormat};
pub(crate) use graph::GraphFormat;

use examples::{
    COMPLETIONS_EXAMPLES, DEMO_EXAMPLES, DIAGRAM_EXAMPLES, EXAMPLES, INSPECT_EXAMPLES,
    LAYERS_EXAMPLES, MAN_EXAMPLES, SCHEMA_EXAMPLES, SHAPES_EXAMPLES, SWEEP_EXAMPLES,
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
    after_help = EXAMPLES
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,

    #[command(flatten)]
    inspect: InspectArgs,

    /// When to use colour; `auto` heeds the terminal, NO_COLOR and CLICOLOR_FORCE
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    color: ColorChoice,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Say what a model is: `calipers MODEL` is short for it
    #[command(after_help = INSPECT_EXAMPLES)]
    Inspect(InspectArgs),
    /// Say what is risky about a model, and nothing else
    #[command(after_help = findings::CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Print what a finding means, why it matters and what to do
    #[command(after_help = findings::EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// Print every value's type and shape
    #[command(after_help = SHAPES_EXAMPLES)]
    Shapes(ShapesArgs),
    /// Print every node with its shapes, parameters and cost
    #[command(after_help = LAYERS_EXAMPLES)]
    Layers(LayersArgs),
    /// Print what a model costs at several sizes of its inputs
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(SweepArgs),
    /// Draw the network as boxes and arrows
    #[command(after_help = DIAGRAM_EXAMPLES)]
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
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema {
        /// Whose JSON it describes
        #[arg(value_name = "COMMAND", default_value = "inspect")]
        of: SchemaOf,
    },
    /// Show it all on a model that is built in
    #[command(after_help = DEMO_EXAMPLES)]
    Demo(DemoArgs),
    /// Print a shell's completions
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell to complete in
        shell: Shell,
    },
    /// Print a man page
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// Command to print the page of; without it, the page of calipers itself
        command: Option<String>,
    },
}

#[derive(Args, Debug)]
struct InspectArgs {
    /// The model file
    // Optional only because a command may stand in its place.
    #[arg(required = true)]
    model: Option<PathBuf>,

    /// How to write the report; without it, `json` into a file that ends in .json, else `text`
    #[arg(long)]
    format: Option<Format>,

    /// File to write to, made or replaced; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Also give the file's SHA-256, which reads every byte of it
    #[arg(long)]
    sha256: bool,

    /// Also read every weight: NaN, dead filters, duplicates, ranges
    #[arg(long)]
    weights: bool,

    #[command(flatten)]
    wanted: WantedArgs,
    #[command(flatten)]
    gate: GateArgs,

    #[command(flatten)]
    bind: BindArgs,
}

#[derive(Args, Debug)]
struct ShapesArgs {
    /// The model file
    model: PathBuf,

    /// How to write the shapes; without it, `json` into a file that ends in .json, else `text`
    #[arg(long)]
    format: Option<Format>,

    /// File to write to, made or replaced; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    #[command(flatten)]
    bind: BindArgs,
}

#[derive(Args, Debug)]
struct LayersArgs {
    /// The model file
    model: PathBuf,

    /// How to write the nodes; without it, what the file's name ends in, else `text`
    #[arg(long)]
    format: Option<TableFormat>,

    /// File to write to, made or replaced; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Only the first N nodes; without `--sort`, those with most MACs
    #[arg(long, value_name = "N", conflicts_with = "tree")]
    top: Option<usize>,

    /// What comes first; without it, the order of execution
    #[arg(long, value_name = "BY")]
    sort: Option<Sort>,

    /// Add nodes up by the modules they belong to
    #[arg(long)]
    tree: bool,

    /// Modules down to this depth only
    #[arg(long, value_name = "N", requires = "tree")]
    depth: Option<usize>,

    #[command(flatten)]
    bind: BindArgs,
}

#[derive(Args, Debug)]
struct SweepArgs {
    /// The model file
    model: PathBuf,

    /// How to write the table; without it, what the file's name ends in, else `text`
    #[arg(long)]
    format: Option<TableFormat>,

    /// File to write to, made or replaced; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Sizes of a free dimension to take in turn; may be given for each
    #[arg(long = "dim", value_name = "NAME=N,N,…", value_parser = parse_dims)]
    #[arg(required_unless_present = "inputs")]
    dims: Vec<(String, Vec<i64>)>,

    /// Shapes of an input to take in turn, as NAME=1x3x320x320,1x3x640x640; may be given for each
    #[arg(long = "input", value_name = "NAME=SHAPE,SHAPE,…", value_parser = parse_inputs)]
    inputs: Vec<(String, Vec<Vec<i64>>)>,
}

#[derive(Args, Debug)]
struct DiagramArgs {
    /// The model file
    model: PathBuf,

    /// Draw which operators feed which, and how often, instead of the network's blocks
    #[arg(long)]
    flow: bool,

    /// How to write the drawing; without it, what the file's name ends in, else `mermaid`
    #[arg(long)]
    format: Option<DiagramFormat>,

    /// File to write to, made or replaced; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    #[command(flatten)]
    bind: BindArgs,
}

/// What the rows of a table are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// Most multiply-accumulates first.
    Macs,
    /// Most parameters first.
    Params,
    /// Most bytes moved first.
    Bytes,
    /// The order of execution.
    Order,
}

#[derive(Args, Debug)]
struct BindArgs {
    /// Size of a free dimension; may be given for each
    #[arg(long = "dim", value_name = "NAME=N", value_parser = parse_dim)]
    dims: Vec<(String, i64)>,

    /// Whole shape of an input, as NAME=1x3x224x224 or NAME=scalar; may be given for each
    #[arg(long = "input", value_name = "NAME=SHAPE", value_parser = parse_input)]
    inputs: Vec<(String, Vec<i64>)>,
}

impl BindArgs {
    fn is_given(&self) -> bool {
        !self.dims.is_empty() || !self.inputs.is_empty()
    }

    /// The bindings; a name that is given twice must be given the same.
    fn resolve(self) -> Result<Bindings, clap::Error> {
        let twice = |name: &str| {
            let message = format!("{name:?} is given two different sizes");
            Cli::command().error(ErrorKind::ArgumentConflict, message)
        };
        let mut bindings = Bindings::default();
        for (name, size) in self.dims {
            if bindings.dims.insert(name.clone(), size).is_some_and(|first| first != size) {
                return Err(twice(&name));
            }
        }
        for (name, shape) in self.inputs {
            let first = bindings.inputs.insert(name.clone(), shape.clone());
            if first.is_some_and(|first| first != shape) {
                return Err(twice(&name));
            }
        }
        Ok(bindings)
    }
}

fn parse_dim(text: &str) -> Result<(String, i64), String> {
    let (name, size) = text.rsplit_once('=').ok_or("it is written as NAME=N")?;
    Ok((name.to_owned(), parse_size(size)?))
}

fn parse_dims(text: &str) -> Result<(String, Vec<i64>), String> {
    let (name, sizes) = text.rsplit_once('=').ok_or("it is written as NAME=128,256")?;
    Ok((name.to_owned(), sizes.split(',').map(parse_size).collect::<Result<_, _>>()?))
}

fn parse_inputs(text: &str) -> Result<(String, Vec<Vec<i64>>), String> {
    let (name, shapes) = text.rsplit_once('=').ok_or("it is written as NAME=1x3x320x320")?;
    Ok((name.to_owned(), shapes.split(',').map(parse_shape).collect::<Result<_, _>>()?))
}

fn parse_input(text: &str) -> Result<(String, Vec<i64>), String> {
    let (name, shape) = text.rsplit_once('=').ok_or("it is written as NAME=1x3x224x224")?;
    Ok((name.to_owned(), parse_shape(shape)?))
}

fn parse_shape(text: &str) -> Result<Vec<i64>, String> {
    match text {
        "scalar" => Ok(Vec::new()),
        shape => shape.split('x').map(parse_size).collect(),
    }
}

fn parse_size(text: &str) -> Result<i64, String> {
    match text.parse() {
        Ok(size) if size >= 0 => Ok(size),
        _ => Err(format!("{text:?} is no size of a dimension")),
    }
}

#[derive(Args, Debug)]
struct DemoArgs {
    /// Folder to leave the model and its report in, as model.onnx and report.json
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For a terminal.
    Text,
    /// For a program.
    Json,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// For a terminal.
    Text,
    /// For a program.
    Json,
    /// For a spreadsheet.
    Csv,
}

/// A command that writes JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// The report.
    Inspect,
    /// The findings.
    Check,
    /// The table of nodes.
    Layers,
    /// The graph as rooms.
    Graph,
    /// The answers about hardware.
    Hardware,
    /// The table of sizes.
    Sweep,
    /// The table of values.
    Shapes,
}

/// How a drawing is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiagramFormat {
    /// As a Mermaid flowchart.
    Mermaid,
    /// For a program.
    Json,
}

/// What to do, with nothing left to decide.
#[derive(Debug)]
pub(crate) enum Task {
    Inspect(Inspect),
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
    /// When to use colour.
    pub(crate) fn color(&self) -> ColorChoice {
        self.color
    }

    /// Settles the defaults, and refuses what cannot go together.
    pub(crate) fn resolve(self) -> Result<Task, clap::Error> {
        let Some(verb) = self.verb else { return self.inspect.resolve().map(Task::Inspect) };
        if self.inspect.is_given() {
            let message = "a command comes first, and its arguments after it\n\n  \
                a file that is named like a command is given with its folder, as ./inspect";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        match verb {
            Verb::Inspect(args) => args.resolve().map(Task::Inspect),
            Verb::Check(args) => args.resolve().map(Task::Check),
            Verb::Explain(args) => args.resolve().map(Task::Explain),
            Verb::Shapes(args) => args.resolve().map(Task::Shapes),
            Verb::Layers(args) => args.resolve().map(Task::Layers),
            Verb::Sweep(args) => Ok(Task::Sweep(args.resolve())),
            Verb::Diagram(args) => args.resolve().map(Task::Diagram),
            Verb::Graph(args) => args.resolve().map(Task::Graph),
            Verb::Report(args) => args.resolve().map(Task::Report),
            Verb::Hardware(args) => args.resolve().map(Task::Hardware),
            Verb::Devices(args) => Ok(Task::Devices(args.resolve())),
            Verb::Schema { of } => Ok(Task::Schema(Schema { of })),
            Verb::Demo(args) => Ok(Task::Demo(Demo { folder: args.output })),
            Verb::Completions { shell } => Ok(Task::Completions(Completions { shell })),
            Verb::Man { command } => resolve_man(command.as_deref()).map(Task::Man),
        }
    }

    /// Names of the commands, in the order of the help.
    pub(crate) fn verbs() -> Vec<String> {
        let visible = |verb: &&clap::Command| !verb.is_hide_set();
        let command = Self::command();
        command.get_subcommands().filter(visible).map(|verb| verb.get_name().to_owned()).collect()
    }
}

impl InspectArgs {
    fn is_given(&self) -> bool {
        self.model.is_some()
            || self.format.is_some()
            || self.output.is_some()
            || self.sha256
            || self.wanted.is_given()
            || self.gate.is_given()
            || self.weights
            || self.bind.is_given()
    }

    fn resolve(self) -> Result<Inspect, clap::Error> {
        let Some(model) = self.model else {
            let message = "a model file is needed";
            return Err(Cli::command().error(ErrorKind::MissingRequiredArgument, message));
        };
        let output = Target::new(self.output);
        let format = format_for(self.format, &output);
        let (gate, bindings) = (self.gate.resolve()?, self.bind.resolve()?);
        let (sha256, weights) = (self.sha256, self.weights);
        let wanted = self.wanted.resolve();
        Ok(Inspect { model, format, output, sha256, weights, gate, bindings, wanted })
    }
}

impl ShapesArgs {
    fn resolve(self) -> Result<Shapes, clap::Error> {
        let output = Target::new(self.output);
        let format = format_for(self.format, &output);
        Ok(Shapes { model: self.model, format, output, bindings: self.bind.resolve()? })
    }
}

impl LayersArgs {
    fn resolve(self) -> Result<Layers, clap::Error> {
        let output = Target::new(self.output);
        let format = table_format_for(self.format, &output);
        // Who asks for a few nodes wants the dearest.
        let order = match (self.sort, self.top) {
            (Some(Sort::Macs), _) | (None, Some(_)) => LayerOrder::Macs,
            (Some(Sort::Params), _) => LayerOrder::Parameters,
            (Some(Sort::Bytes), _) => LayerOrder::Bytes,
            (Some(Sort::Order), _) | (None, None) => LayerOrder::Execution,
        };
        let tree = self.tree.then(|| self.depth.unwrap_or(usize::MAX));
        let query = LayerQuery { order, top: self.top, tree };
        let bindings = self.bind.resolve()?;
        Ok(Layers { model: self.model, format, output, query, bindings })
    }
}

impl SweepArgs {
    fn resolve(self) -> Sweeping {
        let output = Target::new(self.output);
        let format = table_format_for(self.format, &output);
        let sweep = Sweep { dims: joined(self.dims), inputs: joined(self.inputs) };
        Sweeping { model: self.model, format, output, sweep }
    }
}

impl DiagramArgs {
    fn resolve(self) -> Result<Diagram, clap::Error> {
        let output = Target::new(self.output);
        let format = self.format.unwrap_or_else(|| match &output {
            Target::File(path) if ends_in(path, "json") => DiagramFormat::Json,
            _ => DiagramFormat::Mermaid,
        });
        let bindings = self.bind.resolve()?;
        Ok(Diagram { model: self.model, flow: self.flow, format, output, bindings })
    }
}

/// Lists that are given for one name become one list.
fn joined<T>(lists: Vec<(String, Vec<T>)>) -> Vec<(String, Vec<T>)> {
    let mut all: Vec<(String, Vec<T>)> = Vec::new();
    for (name, list) in lists {
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => known.extend(list),
            None => all.push((name, list)),
        }
    }
    all
}

/// The format asked for, or the one that the output's name calls for.
fn table_format_for(asked: Option<TableFormat>, output: &Target) -> TableFormat {
    asked.unwrap_or_else(|| match output {
        Target::File(path) if ends_in(path, "json") => TableFormat::Json,
        Target::File(path) if ends_in(path, "csv") => TableFormat::Csv,
        _ => TableFormat::Text,
    })
}

/// The format asked for, or the one that the output's name calls for.
fn format_for(asked: Option<Format>, output: &Target) -> Format {
    asked.unwrap_or_else(|| match output {
        Target::File(path) if ends_in(path, "json") => Format::Json,
        _ => Format::Text,
    })
}

fn resolve_man(command: Option<&str>) -> Result<Man, clap::Error> {
    let mut root = Cli::command();
    // Gives every command its full name and the options that hold everywhere.
    root.build();
    let mut root = root.mut_subcommand("help", |help| help.hide(true));
    let Some(name) = command else { return Ok(Man { page: Box::new(root) }) };
    if let Some(verb) = root.find_subcommand(name) {
        return Ok(Man { page: Box::new(verb.clone()) });
    }
    let message = format!("there is no command '{name}'; there are {}", Cli::verbs().join(", "));
    Err(root.error(ErrorKind::InvalidValue, message))
}

fn ends_in(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

#[cfg(test)]
mod tests {
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
    fn a_bare_model_is_inspected() {
        for args in [&["m.onnx"][..], &["inspect", "m.onnx"], &["--color", "never", "m.onnx"]] {
            assert_eq!(inspect(args).model, Path::new("m.onnx"));
        }
        assert_eq!(inspect(&["./inspect"]).model, Path::new("./inspect"));
        assert_eq!(inspect(&["inspect", "schema"]).model, Path::new("schema"));
        assert_eq!(inspect(&["--", "inspect"]).model, Path::new("inspect"));
    }

    #[test]
    fn the_file_name_decides_the_format_unless_told() {
        assert_eq!(inspect(&["m"]).format, Format::Text);
        assert_eq!(inspect(&["m", "-o", "r.txt"]).format, Format::Text);
        assert_eq!(inspect(&["m", "-o", "r.JSON"]).format, Format::Json);
        assert_eq!(inspect(&["m", "-o", "r.json", "--format", "text"]).format, Format::Text);
    }

    #[test]
    fn color_may_stand_before_and_after_a_command() {
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
