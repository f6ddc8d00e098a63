//! The command's options and messages, for programs that use it as a library.
//!
//! An analysis takes the arguments that the command takes, so that both refuse the same and explain
//! it in the same words. Nothing is printed, and no signal is caught.

mod call;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use calipers::{Compared, HardwareQuery, LayerQuery, Model, Options};
use calipers_ir::Source;
use calipers_report::{Comparison, DeviceList, GraphView, LayerTable, Report, ShapeTable};
use calipers_scan::{Opened, Rows};
pub use call::call;

use crate::args::{Cli, Task};
use crate::commands::{Layers, Reading, devices, model, saved, scan};
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::{Problem, printable};
use crate::remote;

/// Why the command would have stopped.
#[derive(Debug)]
pub struct Failure {
    /// What went wrong, as the command prints it after `error:`.
    pub message: String,
    /// What to do about it, as the command prints it after `hint:`.
    pub hint: Option<String>,
    /// What is wrong.
    pub kind: FailureKind,
}

/// What is wrong where the command would have stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A model or a report cannot be read.
    Read,
    /// An option is wrong, or the model does not take it.
    Option,
    /// Calipers is.
    Internal,
}

impl Failure {
    fn new(error: &anyhow::Error) -> Self {
        let problem = error.downcast_ref::<Problem>();
        let mut message = printable(&format!("{error:#}"));
        for line in problem.into_iter().flat_map(Problem::further_lines) {
            message += &format!("\n  {}", printable(line));
        }
        Self {
            message,
            hint: problem.and_then(Problem::advice).map(printable),
            kind: match problem.map(Problem::status) {
                Some(ExitStatus::Unreadable) => FailureKind::Read,
                _ => FailureKind::Option,
            },
        }
    }

    /// An argument that the parser refuses: its first paragraph is the message, and the second the
    /// hint unless it is about the command's help.
    fn of_argument(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let is_advice = |paragraph: &&str| {
            !paragraph.starts_with("Usage:") && !paragraph.starts_with("For more information")
        };
        let lines = |paragraph: &str| {
            paragraph.lines().map(|line| printable(line.trim())).collect::<Vec<_>>().join("\n")
        };
        let mut paragraphs = text.split("\n\n").map(str::trim).filter(|it| !it.is_empty());
        Self {
            message: lines(paragraphs.next().unwrap_or_default()),
            hint: paragraphs.find(is_advice).map(lines),
            kind: FailureKind::Option,
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::new(&error)
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::new(&problem.into())
    }
}

/// Reads the model in a file.
///
/// # Errors
///
/// Those of `calipers inspect` for the file.
pub fn open(path: &Path) -> Result<Model, Failure> {
    model::check(path, &Target::Stdout)?;
    Ok(model::open(path)?)
}

/// A path or an address as it may be shown: an address has neither credentials nor a query.
pub fn shown(path: &Path) -> String {
    match remote::address(path) {
        Some(address) => remote::shown(address),
        None => path.to_string_lossy().into_owned(),
    }
}

/// Reads the model in these bytes. Messages and the report call it by this name.
///
/// # Errors
///
/// Those of `calipers inspect` for a file with these bytes.
pub fn read(source: Source, name: &str) -> Result<Model, Failure> {
    let unreadable = |error: calipers::Error| {
        Failure::from(Problem::unreadable(Path::new(name), &error, error.hint()))
    };
    Model::read_source(source, name, None).map_err(unreadable)
}

/// Reads a report that was saved as JSON.
///
/// # Errors
///
/// Those of `calipers compare` for a file with this text.
pub fn saved_report(json: &str) -> Result<Report, Failure> {
    // Whoever has the text has its secrets.
    saved::report(json.as_bytes(), true).map_err(|why| {
        let problem = Problem::invalid(&format!("cannot read the report: {why}"), None);
        problem.hint(saved::HINT).into()
    })
}

/// What a report is to contain: the options of `calipers inspect`.
#[derive(Debug)]
pub struct ReportOptions {
    reading: Reading,
    question: HardwareQuery,
}

impl ReportOptions {
    /// The options for these arguments, e.g. `--device`, `l4`.
    ///
    /// # Errors
    ///
    /// Those of the command for the arguments.
    pub fn parse(arguments: Vec<String>) -> Result<Self, Failure> {
        let reading = match arguments.is_empty() {
            // Building the parser takes longer than reading a small model.
            true => Reading::default(),
            false => match parse("inspect", &["model"], arguments)? {
                Task::Inspect(inspect) => inspect.reading,
                _ => Reading::default(),
            },
        };
        let question = reading.wanted.question()?;
        Ok(Self { reading, question })
    }

    fn options(&self) -> Options {
        self.reading.options(&self.question).weights(self.reading.weights)
    }

    /// The report. Messages call the model by `name`.
    ///
    /// # Errors
    ///
    /// Those of `calipers inspect`.
    pub fn report(&self, model: &Model, name: &Path) -> Result<Report, Failure> {
        model.analyze(&self.options()).map_err(|error| model::unusable(name, &error).into())
    }

    /// The report with the collapsible graph for the HTML page.
    ///
    /// # Errors
    ///
    /// Those of `calipers report`.
    pub fn explore(&self, model: &Model, name: &Path) -> Result<(Report, GraphView), Failure> {
        model.explore(&self.options()).map_err(|error| model::unusable(name, &error).into())
    }
}

/// The addresses of every model that is meant: files, folders, patterns, URLs and bucket prefixes.
///
/// # Errors
///
/// Those of `calipers scan`.
pub fn addresses(given: Vec<PathBuf>) -> Result<Vec<String>, Failure> {
    let places = scan::places(given).map_err(|error| Failure::new(&error))?;
    let mut addresses: Vec<String> =
        places.iter().map(|place| place.location().to_owned()).collect();
    addresses.sort();
    addresses.dedup();
    Ok(addresses)
}

/// The rows of a dataset for the model at an address, or in bytes that have it as their name. A model that
/// cannot be read has its error.
pub fn rows(source: Option<Source>, address: &str, options: &ReportOptions) -> Rows {
    let opened = match source {
        None => scan::opened(address),
        Some(source) => Model::read_source(source, address, None)
            .map(|model| Opened { model, version: None })
            .map_err(|error| error.to_string()),
    };
    let path = scan::shown_path(address, options.reading.privacy);
    match opened {
        Ok(Opened { model, version }) => {
            calipers_scan::rows(&model, &path, version, &options.options())
        }
        Err(error) => calipers_scan::unread(&path, None, error),
    }
}

/// The type and shape of every value, for the arguments of `calipers shapes`.
///
/// # Errors
///
/// Those of `calipers shapes`.
pub fn shapes(model: &Model, name: &Path, arguments: Vec<String>) -> Result<ShapeTable, Failure> {
    let options = match parse("shapes", &["model"], arguments)? {
        Task::Shapes(shapes) => options_of(&shapes.bindings, shapes.privacy),
        _ => Options::new(),
    };
    model.shapes(&options).map_err(|error| model::unusable(name, &error).into())
}

/// Every node with its shapes, parameters and cost, for the arguments of `calipers layers`.
///
/// # Errors
///
/// Those of `calipers layers`.
pub fn layers(model: &Model, name: &Path, arguments: Vec<String>) -> Result<LayerTable, Failure> {
    let (options, query) = match parse("layers", &["model"], arguments)? {
        Task::Layers(Layers { bindings, privacy, query, .. }) => {
            (options_of(&bindings, privacy), query)
        }
        _ => (Options::new(), LayerQuery::default()),
    };
    model.layers(&options, &query).map_err(|error| model::unusable(name, &error).into())
}

/// What changed from the first to the second, for the arguments of `calipers compare`. Gates are
/// judged; `calipers.toml` is read only where `--config` names it.
///
/// # Errors
///
/// Those of `calipers compare`, except that a failed gate is no error.
pub fn compare(
    (a, name_a): (Compared<'_>, &Path),
    (b, name_b): (Compared<'_>, &Path),
    arguments: Vec<String>,
) -> Result<Comparison, Failure> {
    let names = [name_a.to_owned(), name_b.to_owned()];
    // A name that looks like an option is no argument of the user's.
    match parse("compare", &["a", "b"], arguments)? {
        Task::Compare(mut compare) => {
            compare.models = names.to_vec();
            Ok(compare.pair(a, b)?)
        }
        _ => Err(anyhow::anyhow!("the arguments are not those of a comparison").into()),
    }
}

/// The model card as Markdown, for the arguments of `calipers card`. No chart is written.
///
/// # Errors
///
/// Those of `calipers card` for the arguments.
pub fn card(report: &Report, arguments: Vec<String>) -> Result<String, Failure> {
    match parse("card", &["model"], arguments)? {
        Task::Card(card) => Ok(card.text(report)?),
        _ => Err(anyhow::anyhow!("the arguments are not those of a card").into()),
    }
}

/// The built-in devices, with those of a file.
///
/// # Errors
///
/// Those of `calipers devices` for the file.
pub fn devices(file: Option<&Path>) -> Result<DeviceList, Failure> {
    Ok(devices::catalog(file)?.select(&calipers::devices::Filter::default()).list())
}

fn options_of(bindings: &calipers::Bindings, privacy: crate::privacy::Privacy) -> Options {
    Options::new()
        .bindings(bindings.clone())
        .redact_names(privacy.redact_names)
        .show_secrets(privacy.show_secrets)
}

/// The task of a command line.
fn parse(command: &str, models: &[&str], arguments: Vec<String>) -> Result<Task, Failure> {
    let fixed = ["calipers", command].into_iter().chain(models.iter().copied()).map(OsString::from);
    let line: Vec<OsString> = fixed.chain(arguments.into_iter().map(OsString::from)).collect();
    let task = Cli::read(&line).and_then(Cli::resolve);
    task.map_err(|error| Failure::of_argument(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(arguments: &[&str]) -> Failure {
        let arguments = arguments.iter().map(|&text| text.to_owned()).collect();
        ReportOptions::parse(arguments).unwrap_err()
    }

    #[test]
    fn an_argument_is_refused_in_the_words_of_the_command() {
        let wrong = failure(&["--batch", "0"]);
        assert_eq!(wrong.message, "invalid value '0' for '--batch <N>': must be an integer >= 1");
        assert_eq!((wrong.hint, wrong.kind), (None, FailureKind::Option));
        let unread = failure(&["--select", "weights"]);
        assert_eq!(unread.message, "the selected findings require reading the weights");
        assert_eq!(unread.hint.as_deref(), Some("add --weights"));
    }

    #[test]
    fn an_unknown_device_comes_with_the_nearest() {
        let unknown = failure(&["--device", "rtx4091"]);
        assert!(unknown.message.contains("rtx4091"), "{unknown:?}");
        assert_eq!(unknown.kind, FailureKind::Option);
        assert!(unknown.hint.is_some_and(|hint| hint.contains("rtx-4090")));
    }

    #[test]
    fn bytes_that_are_no_model_are_refused_by_name() {
        let failure = read(Source::new(b"<html>".to_vec()), "page\u{1b}.onnx").unwrap_err();
        assert_eq!(
            failure.message,
            r"cannot read page\u{1b}.onnx: this is an HTML page, not a model that Calipers reads"
        );
        assert_eq!(failure.kind, FailureKind::Read);
    }

    #[test]
    fn a_report_is_read_as_it_was_saved() {
        let model = read(Source::new(calipers_samples::digits()), "model.onnx").unwrap();
        let options = ReportOptions::parse(Vec::new()).unwrap();
        let report = options.report(&model, Path::new("model.onnx")).unwrap();
        let json = calipers_render::json::to_string(&report);
        let saved = saved_report(&json).unwrap();
        assert_eq!(calipers_render::json::to_string(&saved), json);
        let other = saved_report(&json.replacen("calipers", "other", 1)).unwrap_err();
        assert_eq!(
            other.message,
            "cannot read the report: it is JSON, and not a report of Calipers"
        );
        assert_eq!((other.hint.as_deref(), other.kind), (Some(saved::HINT), FailureKind::Read));
    }

    #[test]
    fn a_model_is_reported_as_the_command_reports_it() {
        let model = read(Source::new(calipers_samples::digits()), "model.onnx").unwrap();
        let options = ReportOptions::parse(vec!["--device=l4".to_owned()]).unwrap();
        let report = options.report(&model, Path::new("model.onnx")).unwrap();
        assert_eq!(report.model.file, "model.onnx");
        assert!(report.hardware.is_some_and(|hardware| hardware.device.is_some()));
    }
}
