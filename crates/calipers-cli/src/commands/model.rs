//! What every command that reads a model does first.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use calipers::{Error, Model, Options};
use calipers_formats::model_in_folder;
use calipers_report::suggestions;

use crate::args::Cli;
use crate::output::Target;
use crate::privacy::{may_name_files, model_path};
use crate::problem::{Problem, printable, reason};
use crate::progress::{Bar, Progress};
use crate::remote;

/// Makes sure that the model can be read, and that the output would not be written over it.
pub(crate) fn check(model: &Path, output: &Target) -> anyhow::Result<()> {
    // A file on a server is checked when it is opened.
    if remote::address(model).is_some() {
        return Ok(());
    }
    let facts = check_model(model)?;
    if let Target::File(path) = output {
        check_output(path, model, &facts)?;
    }
    Ok(())
}

/// Reads the model.
pub(crate) fn open(path: &Path) -> Result<Model, Problem> {
    if let Some(address) = remote::address(path) {
        return remote::open(address);
    }
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
        return analyze(&model, &options).map_err(|error| unusable(path, &error));
    }
    // One sign of life at a time.
    drop(spinner);
    let bar = Arc::new(Bar::start("reading weights"));
    let shown = Arc::clone(&bar);
    let options = options.weights(true).progress(move |bytes, total| shown.add(bytes, total));
    analyze(&model, &options).map_err(|error| unusable(path, &error))
}

/// The options with a limit on the bytes of weights that are read, where one was given.
pub(crate) fn with_limit(options: Options, max_bytes: Option<u64>) -> Options {
    match max_bytes {
        Some(bytes) => options.max_weight_bytes(bytes),
        None => options,
    }
}

/// A model that cannot be analyzed as asked.
pub(crate) fn unusable(path: &Path, error: &Error) -> anyhow::Error {
    match error {
        Error::Read(_) => Problem::unreadable(path, error, error.hint()).into(),
        Error::Cycle { .. } => Problem::invalid(error, error.hint()).into(),
        _ => Problem::unusable(error).into(),
    }
}

/// A sign of life while a model is read and looked at.
pub(crate) fn progress(path: &Path) -> Progress {
    Progress::start(format!("reading {}", printable(&model_path(path))))
}

/// Checks a path before a reader sees it, and never opens what is not a regular file: a pipe might
/// never answer.
fn check_model(path: &Path) -> Result<Metadata, Problem> {
    let facts = std::fs::metadata(path).map_err(|error| missing(path, &error))?;
    if facts.is_dir()
        && let Some(inside) = model_in_folder(path)
    {
        return check_model(&inside);
    }
    if facts.is_dir() {
        return Err(Problem::unreadable(path, &"it is a folder", Some(folder_hint(path))));
    }
    if !facts.is_file() {
        let hint = "save it to a file first: a model is read at several offsets";
        return Err(Problem::unreadable(path, &"it is not a regular file", Some(hint.to_owned())));
    }
    File::open(path).map_err(|error| missing(path, &error))?;
    Ok(facts)
}

fn missing(path: &Path, error: &io::Error) -> Problem {
    let looks_like_a_command = path.components().count() == 1 && path.extension().is_none();
    let hint = match error.kind() {
        io::ErrorKind::NotFound if looks_like_a_command => {
            let commands = Cli::subcommands();
            let name = path.to_string_lossy();
            let near = suggestions::nearest(&name, commands.iter().map(String::as_str));
            near_file(path).or(near.map(str::to_owned)).map_or_else(
                || Some(format!("commands: {}", commands.join(", "))),
                |near| Some(format!("did you mean `{near}`?")),
            )
        }
        io::ErrorKind::NotFound => near_file(path).map(|near| format!("did you mean `{near}`?")),
        io::ErrorKind::PermissionDenied => Some("read permission is required".to_owned()),
        _ => None,
    };
    let why = match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => reason(error),
    };
    Problem::unreadable(path, &why, hint)
}

/// What to give instead of a folder: the command that converts it, or the model inside it.
fn folder_hint(folder: &Path) -> String {
    let has = |name: &str| folder.join(name).exists();
    let shown = model_path(folder);
    if has("saved_model.pbtxt") {
        return "it is a TensorFlow SavedModel in text form; save it again with \
                `tf.saved_model.save`"
            .to_owned();
    }
    if !may_name_files() {
        return "expected a model file".to_owned();
    }
    let models = models_in(folder);
    match models.as_slice() {
        [] if has("Manifest.json") && ends_in(folder, "mlpackage") => {
            "it is a Core ML package without its model file; export it again".to_owned()
        }
        [] if has("config.json") => format!(
            "it is a model repository without weights or an ONNX file; export it with \
             `optimum-cli export onnx --model {shown} onnx/`"
        ),
        [] => "expected a model file; the folder has none".to_owned(),
        [one] => format!("read the model inside it: {}", folder.join(one).display()),
        [first, ..] => format!(
            "it has {} models; read one, e.g. {}, or all with `calipers card {shown} -o cards`",
            models.len(),
            folder.join(first).display()
        ),
    }
}

/// Names of the `.onnx` files in a folder, sorted.
fn models_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        file_names(folder).filter(|name| name.ends_with(".onnx")).collect();
    names.sort();
    names
}

/// A file in the same folder with a similar name.
fn near_file(path: &Path) -> Option<String> {
    may_name_files().then_some(())?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let names: Vec<String> = file_names(folder.unwrap_or(Path::new("."))).collect();
    let wanted = path.file_name()?.to_str()?;
    let near = suggestions::nearest(wanted, names.iter().map(String::as_str))?;
    Some(
        folder.map_or(Path::new(near).to_owned(), |folder| folder.join(near)).display().to_string(),
    )
}

/// Names of files in a folder that are text; a folder may hold millions.
fn file_names(folder: &Path) -> impl Iterator<Item = String> {
    const MOST: usize = 2_000;
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MOST);
    entries.filter_map(|entry| entry.file_name().into_string().ok())
}

fn ends_in(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|it| it.eq_ignore_ascii_case(ending))
}

/// Refuses to write the report over the model.
fn check_output(output: &Path, model: &Path, model_facts: &Metadata) -> anyhow::Result<()> {
    let Ok(facts) = std::fs::metadata(output) else { return Ok(()) };
    if is_same_file(output, &facts, model, model_facts) {
        let error = io::Error::other("it is the model itself");
        bail!(Problem::unwritable(output, &error).hint("choose another file with -o"));
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
