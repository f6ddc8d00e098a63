//! Errors as people see them: one line that says what and why, and one that says what to do.
//!
//! ```text
//! error: cannot read mnist.onnx: it is a folder
//! hint: give the model file inside it
//! ```

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use calipers_render::text::Charset;

use crate::exit::ExitStatus;
use crate::privacy::{masked, model_path};

/// Why a command stopped.
#[derive(Debug)]
pub(crate) struct Problem {
    message: String,
    /// Lines beneath the message, such as an expression with a mark under the wrong place.
    lines: Vec<String>,
    hint: Option<String>,
    status: ExitStatus,
}

impl Problem {
    /// The model at `path` cannot be read.
    pub(crate) fn unreadable(path: &Path, why: &impl fmt::Display, hint: Option<String>) -> Self {
        let message = format!("cannot read {}: {why}", model_path(path));
        Self { message, lines: Vec::new(), hint, status: ExitStatus::Unreadable }
    }

    /// A model was read, and is not one that this can be asked of.
    pub(crate) fn invalid(why: &impl fmt::Display, hint: Option<String>) -> Self {
        let status = ExitStatus::Unreadable;
        Self { message: why.to_string(), lines: Vec::new(), hint, status }
    }

    /// The output cannot be written to `place`.
    pub(crate) fn unwritable(place: &Path, why: &io::Error) -> Self {
        let message = format!("cannot write {}: {}", place.display(), reason(why));
        Self { message, lines: Vec::new(), hint: None, status: ExitStatus::Usage }
    }

    /// The arguments do not fit the model.
    pub(crate) fn unusable(why: &impl fmt::Display) -> Self {
        Self { message: why.to_string(), lines: Vec::new(), hint: None, status: ExitStatus::Usage }
    }

    /// The program was built without what this needs.
    #[cfg(not(all(feature = "apply", feature = "png")))]
    pub(crate) fn not_built(what: &str, feature: &str) -> Self {
        Self::unusable(&format!("this build of Calipers has no {what}")).hint(&format!(
            "build it with the feature `{feature}`, e.g. `cargo install --path crates/calipers-cli`"
        ))
    }

    /// The model does not pass what was asked of it.
    pub(crate) fn gate(why: &impl fmt::Display) -> Self {
        Self {
            message: why.to_string(),
            lines: Vec::new(),
            hint: None,
            status: ExitStatus::GateFailed,
        }
    }

    /// The lines beneath its message.
    pub(crate) fn further_lines(&self) -> &[String] {
        &self.lines
    }

    /// What to do about it, where that is known.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// How the command ends.
    pub(crate) fn status(&self) -> ExitStatus {
        self.status
    }

    /// The same problem with lines beneath its message.
    pub(crate) fn lines(mut self, text: &str) -> Self {
        self.lines = text.lines().map(str::to_owned).collect();
        self
    }

    /// The same problem with a hint.
    pub(crate) fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// Prints on standard error what went wrong, and returns the exit status.
///
/// A reader of the output that went away (`calipers x | head -1`) does not count as an error.
pub(crate) fn report(error: &anyhow::Error) -> ExitStatus {
    if error.chain().filter_map(|cause| cause.downcast_ref()).any(is_broken_pipe) {
        return ExitStatus::Done;
    }
    let problem = error.downcast_ref::<Problem>();
    let mut lines = format!("\x1b[1;31merror:\x1b[0m {}\n", printable(&format!("{error:#}")));
    for line in problem.into_iter().flat_map(|problem| &problem.lines) {
        lines += &format!("  {}\n", printable(line));
    }
    if let Some(hint) = problem.and_then(|problem| problem.hint.as_deref()) {
        lines += &format!("\x1b[1;36mhint:\x1b[0m {}\n", printable(hint));
    }
    // Nothing is left to do when this fails; the status still shows it.
    let _ = anstream::stderr().lock().write_all(lines.as_bytes());
    problem.map_or(ExitStatus::Usage, |problem| problem.status)
}

/// Prints a line on standard error that is neither a warning nor an error.
pub(crate) fn inform(line: &str) {
    // Nothing is left to do when this fails.
    let _ = writeln!(anstream::stderr().lock(), "{}", printable(line));
}

/// Prints on standard error what did not stop the command, a line each.
pub(crate) fn warn(lines: &[String]) {
    let lines: Vec<String> = lines
        .iter()
        .map(|line| format!("\x1b[1;33mwarning:\x1b[0m {}\n", printable(line)))
        .collect();
    // Nothing is left to do when this fails.
    let _ = anstream::stderr().lock().write_all(lines.concat().as_bytes());
}

/// What is wrong with a model, for a message that names its path already.
pub(crate) fn why(error: &anyhow::Error, path: &Path) -> String {
    let text = format!("{error:#}");
    let known = format!("cannot read {}: ", model_path(path));
    text.strip_prefix(&known).map_or_else(|| text.clone(), str::to_owned)
}

/// Whether whoever reads the output went away.
pub(crate) fn is_broken_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// An error of the system without its number, where it is a common one.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        io::ErrorKind::NotADirectory => "a part of the path is not a folder".to_owned(),
        io::ErrorKind::AlreadyExists => "a file of that name exists".to_owned(),
        io::ErrorKind::StorageFull => "no space left on device".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        _ => error.to_string(),
    }
}

/// Text that cannot steer a terminal: what moves the cursor, changes colors, turns the direction
/// of writing or cannot be seen is escaped, as `\u{1b}`. Secrets in it are masked.
pub(crate) fn printable(text: &str) -> String {
    calipers_render::text::name(&masked(text), Charset::Unicode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("a\x1b[31mb\nc\u{9b}d"), r"a\u{1b}[31mb\nc\u{9b}d");
        assert_eq!(printable("gpj.\u{202e}xnno"), r"gpj.\u{202e}xnno");
    }

    #[test]
    fn ordinary_text_of_any_language_stays() {
        let text = r"modèle 数字 C:\models\größe.onnx";
        assert_eq!(printable(text), text);
    }

    #[test]
    fn a_broken_pipe_is_not_an_error() {
        let error = anyhow::Error::new(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(report(&error.context("cannot write")), ExitStatus::Done);
    }
}
