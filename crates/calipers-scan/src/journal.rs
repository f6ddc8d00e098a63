//! The journal: models that were scanned and are not in a part yet.
//!
//! Each is one line, written with one call, so it is there when the process is killed at any later time. A line that was
//! not finished is ignored.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::{Error, Rows};

pub(crate) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens the journal of a dataset, and returns what it holds: of each model the rows that came last.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Vec<Rows>), Error> {
        let path = folder.join("journal.jsonl");
        let file = OpenOptions::new().read(true).create(true).append(true).open(&path);
        let mut file = file.map_err(Error::io(&path))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(Error::io(&path))?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        file.set_len(whole as u64).map_err(Error::io(&path))?;
        let lines = text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let mut latest: BTreeMap<String, Rows> = BTreeMap::new();
        for line in lines {
            let rows: Rows =
                serde_json::from_slice(line).map_err(|error| Error::damaged(&path, &error))?;
            latest.insert(rows.model.figures.path.clone(), rows);
        }
        Ok((Self { file, path }, latest.into_values().collect()))
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

    /// Empties it, once its models are in parts.
    pub(crate) fn clear(&mut self) -> Result<(), Error> {
        self.file.set_len(0).and_then(|()| self.file.rewind()).map_err(Error::io(&self.path))
    }
}
