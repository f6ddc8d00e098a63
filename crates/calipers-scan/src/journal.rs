//! The journal: models that were scanned and are not in a part yet.
//!
//! Each is one line, written with one call, so it is there when the process is killed at any later time. A line that was
//! not finished is ignored. While a part is written, its lines are in the previous journal, and the journal takes new ones.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::{Error, Rows};

pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    previous: PathBuf,
}

impl Journal {
    /// Opens the journal of a dataset, and returns what it and the previous one hold: of each model the rows that came
    /// last.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Vec<Rows>), Error> {
        let (path, previous) = (folder.join("journal.jsonl"), previous(folder));
        let mut latest = BTreeMap::new();
        match File::open(&previous) {
            Ok(mut file) => _ = read(&mut file, &previous, &mut latest)?,
            Err(error) if error.kind() == ErrorKind::NotFound => (),
            Err(error) => return Err(Error::io(&previous)(error)),
        }
        let mut file = appended(&path)?;
        let whole = read(&mut file, &path, &mut latest)?;
        file.set_len(whole).map_err(Error::io(&path))?;
        Ok((Self { file, path, previous }, latest.into_values().collect()))
    }

    /// The line of a model.
    pub(crate) fn line(rows: &Rows) -> Result<Vec<u8>, Error> {
        let mut line = serde_json::to_vec(rows).map_err(|error| Error::Write(error.to_string()))?;
        line.push(b'\n');
        Ok(line)
    }

    /// Adds the line of a model.
    pub(crate) fn add(&mut self, line: &[u8]) -> Result<(), Error> {
        self.file.write_all(line).map_err(Error::io(&self.path))
    }

    /// Whether there is a previous journal.
    pub(crate) fn has_previous(&self) -> bool {
        self.previous.exists()
    }

    /// Makes it the previous journal, and begins a new one. The previous one must be gone.
    pub(crate) fn rotate(&mut self) -> Result<(), Error> {
        fs::rename(&self.path, &self.previous).map_err(Error::io(&self.path))?;
        self.file = appended(&self.path)?;
        Ok(())
    }

    /// Removes the previous journal, once its models are in parts.
    pub(crate) fn remove_previous(folder: &Path) -> Result<(), Error> {
        let path = previous(folder);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(&path)(error)),
            _ => Ok(()),
        }
    }

    /// Empties both, once their models are in parts.
    pub(crate) fn clear(&mut self) -> Result<(), Error> {
        self.file.set_len(0).and_then(|()| self.file.rewind()).map_err(Error::io(&self.path))?;
        Self::remove_previous(self.path.parent().unwrap_or(Path::new(".")))
    }
}

fn previous(folder: &Path) -> PathBuf {
    folder.join("journal-previous.jsonl")
}

fn appended(path: &Path) -> Result<File, Error> {
    let file = OpenOptions::new().read(true).create(true).append(true).open(path);
    file.map_err(Error::io(path))
}

/// Adds the models of a journal, and returns the bytes of the lines that are whole.
fn read(file: &mut File, path: &Path, latest: &mut BTreeMap<String, Rows>) -> Result<u64, Error> {
    let mut text = Vec::new();
    file.read_to_end(&mut text).map_err(Error::io(path))?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    for line in text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let rows: Rows =
            serde_json::from_slice(line).map_err(|error| Error::damaged(path, &error))?;
        latest.insert(rows.model.figures.path.clone(), rows);
    }
    Ok(whole as u64)
}
