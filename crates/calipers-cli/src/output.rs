//! Where a command's result goes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use calipers_render::Style;
use calipers_render::output::{Answer, Format};

use crate::files::write_file;
use crate::problem::{self, Problem, is_broken_pipe};
use crate::{screen, system};

/// Where a result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Standard output.
    Stdout,
    /// A file, created or overwritten.
    File(PathBuf),
}

impl Target {
    /// Where `-o` points: `-`, `/dev/stdout` and no `-o` at all are standard output.
    pub(crate) fn new(path: Option<PathBuf>) -> Self {
        match path {
            Some(path) if path.as_os_str() != "-" && path.as_os_str() != "/dev/stdout" => {
                Self::File(path)
            }
            _ => Self::Stdout,
        }
    }

    /// Writes the whole result, byte for byte, and names the file on standard error.
    pub(crate) fn write(&self, text: &str) -> anyhow::Result<()> {
        self.write_bytes(text.as_bytes())
    }

    /// Like [`Target::write`], for what is not text.
    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Stdout => write_stdout(bytes),
            Self::File(path) => {
                write_file(path, bytes)?;
                problem::inform(&format!("Wrote {}", path.display()));
                Ok(())
            }
        }
    }

    /// Writes an answer in a format; for a terminal, as wide and colored as this one.
    pub(crate) fn write_answer(&self, answer: &Answer<'_>, format: &Format) -> anyhow::Result<()> {
        match format.is_terminal() {
            true => self.write_screen(|style| format.render(answer, style)),
            false => self.write(&format.render(answer, &screen::style_for_file())),
        }
    }

    /// Writes a text that is made for the screen, or the file, that it goes to.
    pub(crate) fn write_screen(&self, set: impl FnOnce(&Style) -> String) -> anyhow::Result<()> {
        match self {
            Self::Stdout => {
                let style = screen::style_for_stdout();
                write_styled(&set(&style), style.color)
            }
            Self::File(_) => self.write(&set(&screen::style_for_file())),
        }
    }
}

/// Writes to standard output, all of it or an error.
pub(crate) fn write_stdout(bytes: &[u8]) -> anyhow::Result<()> {
    check_stdout()?;
    put(io::stdout().lock(), bytes)
}

/// Refuses to write to standard output that is closed: the result would go nowhere.
pub(crate) fn check_stdout() -> anyhow::Result<()> {
    match system::stdout_is_closed() {
        true => {
            let error = io::Error::other("it is closed");
            Err(Problem::unwritable(Path::new("to standard output"), &error).into())
        }
        false => Ok(()),
    }
}

/// Writes text that may carry colors; where there are to be none, none get through.
fn write_styled(text: &str, color: bool) -> anyhow::Result<()> {
    check_stdout()?;
    let stdout = io::stdout().lock();
    if color {
        put(anstream::AutoStream::always(stdout), text.as_bytes())
    } else {
        put(anstream::AutoStream::never(stdout), text.as_bytes())
    }
}

fn put(mut stream: impl Write, bytes: &[u8]) -> anyhow::Result<()> {
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(error) if !is_broken_pipe(&error) => {
            Err(Problem::unwritable(Path::new("to standard output"), &error).into())
        }
        written => Ok(written?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_output() {
        assert_eq!(Target::new(None), Target::Stdout);
        assert_eq!(Target::new(Some("-".into())), Target::Stdout);
        assert_eq!(Target::new(Some("/dev/stdout".into())), Target::Stdout);
        assert_eq!(Target::new(Some("./-".into())), Target::File("./-".into()));
    }
}
