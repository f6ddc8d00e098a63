//! What every command that reads a model does first.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use calipers::{Error, Model, Options};

use crate::args::Cli;
use crate::output::Target;
use crate::problem::{Problem, printable, reason};
use crate::progress::{Bar, Progress};

/// Makes sure that the model can be read, and that the output would not be written over it.
pub(crate) fn check(model: &Path, output: &Target) -> anyhow::Result<()> {
    let facts = check_model(model)?;
    if let Target::File(path) = output {
        check_output(path, model, &facts)?;
    }
    Ok(())
}

/// Reads the model.
pub(crate) fn open(path: &Path) -> Result<Model, Problem> {
    Model::open(path).map_err(|error| Problem::unreadable(path, &error, error.hint()))
}

/// Reads the model and takes it through `analyze`, with signs of life.
pub(crate) fn with_progress<T>(
    path: &Path,
    options: Options,
    weights: bool,
    analyze: impl FnOnce(&Model, &Options) -> Result<T, Error>,
) -> anyhow::Result<T> {
    let spinner = progress(path);
    let model = open(path)?;
    if !weights {
        return analyze(&model, &options).map_err(|error| unusable(&error));
    }
    // One sign of life at a time.
    drop(spinner);
    let bar = Arc::new(Bar::start("reading weights"));
    let shown = Arc::clone(&bar);
    let options = options.weights(true).progress(move |bytes, total| shown.add(bytes, total));
    analyze(&model, &options).map_err(|error| unusable(&error))
}

/// A model that cannot be analyzed as asked.
pub(crate) fn unusable(error: &Error) -> anyhow::Error {
    match error {
        Error::Redact(_) => anyhow::anyhow!("{error}"),
        _ => Problem::unusable(error).into(),
    }
}

/// A sign of life while a model is read and looked at.
pub(crate) fn progress(path: &Path) -> Progress {
    Progress::start(format!("reading {}", printable(&path.display().to_string())))
}

/// Says in our own words what is wrong with a path before a reader sees it, and never opens what
/// is no file: a pipe might never answer.
fn check_model(path: &Path) -> Result<Metadata, Problem> {
    let facts = std::fs::metadata(path).map_err(|error| missing(path, &error))?;
    if facts.is_dir() {
        let hint = "give the model file inside it".to_owned();
        return Err(Problem::unreadable(path, &"it is a folder", Some(hint)));
    }
    if !facts.is_file() {
        let hint = "a model is read at several places at once, so save it to a file first";
        return Err(Problem::unreadable(path, &"it is not a regular file", Some(hint.to_owned())));
    }
    File::open(path).map_err(|error| missing(path, &error))?;
    Ok(facts)
}

fn missing(path: &Path, error: &io::Error) -> Problem {
    let looks_like_a_command = path.components().count() == 1 && path.extension().is_none();
    let hint = match error.kind() {
        io::ErrorKind::NotFound if looks_like_a_command => {
            Some(format!("if you meant a command, there are {}", Cli::subcommands().join(", ")))
        }
        io::ErrorKind::PermissionDenied => Some("you need the right to read it".to_owned()),
        _ => None,
    };
    let why = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => reason(error),
    };
    Problem::unreadable(path, &why, hint)
}

/// Refuses to write the report over the model.
fn check_output(output: &Path, model: &Path, model_facts: &Metadata) -> anyhow::Result<()> {
    let Ok(facts) = std::fs::metadata(output) else { return Ok(()) };
    if is_same_file(output, &facts, model, model_facts) {
        let error = io::Error::other("it is the model itself");
        bail!(Problem::unwritable(output, &error).hint("give another place with -o"));
    }
    Ok(())
}

#[cfg(unix)]
fn is_same_file(_: &Path, one: &Metadata, _: &Path, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(one: &Path, _: &Metadata, other: &Path, _: &Metadata) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
