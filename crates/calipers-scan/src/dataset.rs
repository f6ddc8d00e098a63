//! The folder of a dataset: its description, its lock, its manifest, its parts.
//!
//! ```text
//! dataset.json     format, tables and options; written once
//! manifest.jsonl   a line for each commit: its parts, its models with their versions, the commits it replaces
//! journal.jsonl    a line for each model that was scanned since the last commit
//! journal-previous.jsonl   the journal of the commit that is being written
//! models/part-….parquet, layers/…, tensors/…, findings/…, shapes/…
//! ```
//!
//! A line of the manifest makes parts valid. Parts that no line names are left over from a process that was
//! killed, and are removed when the next scan begins.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cells::Cells;
use crate::part;
use crate::table::Table;
use crate::{Error, Rows};

/// A file format of parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Apache Parquet.
    #[default]
    Parquet,
    /// Comma-separated values.
    Csv,
    /// A JSON object per line.
    Jsonl,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Parquet, Self::Csv, Self::Jsonl];

    /// The ending of its files, which is also its name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
        }
    }
}

/// What a dataset is, in `dataset.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) schema_version: u32,
    pub(crate) format: Format,
    pub(crate) tables: Vec<String>,
    /// The options that rows depend on.
    pub(crate) options: String,
}

/// The version of the tables.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// A line of the manifest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Commit {
    /// Its number.
    pub(crate) id: u64,
    /// Its parts: table to file name.
    pub(crate) parts: BTreeMap<String, String>,
    /// Its models with their versions.
    pub(crate) models: BTreeMap<String, Option<String>>,
    /// Commits whose models it has, or that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) replaces: Vec<u64>,
}

/// A dataset that this process writes to.
pub(crate) struct Dataset {
    folder: PathBuf,
    identity: Identity,
    commits: BTreeMap<u64, Commit>,
    manifest: File,
    // Released by the system when the process ends, however it ends.
    _lock: File,
}

impl Dataset {
    /// Opens a dataset, or begins one.
    pub(crate) fn open(folder: &Path, identity: Identity) -> Result<Self, Error> {
        let is_new = !folder.join("dataset.json").exists();
        if is_new && fs::read_dir(folder).is_ok_and(|mut entries| entries.any(|it| !is_ours(it))) {
            return Err(Error::NotADataset(folder.to_owned()));
        }
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let lock = lock(folder)?;
        let described = folder.join("dataset.json");
        match fs::read(&described) {
            Ok(text) => {
                let known: Identity = serde_json::from_slice(&text)
                    .map_err(|error| Error::damaged(&described, &error))?;
                if known != identity {
                    return Err(other_options(folder, &known, &identity));
                }
            }
            Err(_) => write_whole(
                &described,
                &serde_json::to_vec_pretty(&identity)
                    .map_err(|error| Error::Write(error.to_string()))?,
            )?,
        }
        let path = folder.join("manifest.jsonl");
        let (commits, length) = commits(&path)?;
        let manifest = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(Error::io(&path))?;
        // A line that was not finished is not a commit.
        manifest.set_len(length).map_err(Error::io(&path))?;
        drop(manifest);
        let manifest = OpenOptions::new().append(true).open(&path).map_err(Error::io(&path))?;
        let dataset = Self { folder: folder.to_owned(), identity, commits, manifest, _lock: lock };
        dataset.remove_leftovers()?;
        Ok(dataset)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The models that are in it, with their versions.
    pub(crate) fn models(&self) -> BTreeMap<&str, Option<&str>> {
        let models = self.commits.values().flat_map(|commit| &commit.models);
        models.map(|(path, version)| (path.as_str(), version.as_deref())).collect()
    }

    fn tables(&self) -> impl Iterator<Item = Table> {
        let tables = self.identity.tables.clone();
        Table::ALL.into_iter().filter(move |table| tables.iter().any(|id| id == table.id()))
    }

    /// Adds models.
    pub(crate) fn commit(&mut self, rows: &[Rows]) -> Result<(), Error> {
        let mut commit = Commit { id: self.next_id(), ..Commit::default() };
        for rows in rows {
            let figures = &rows.model.figures;
            commit.models.insert(figures.path.clone(), rows.model.version.clone());
        }
        for table in self.tables().collect::<Vec<_>>() {
            let mut cells = Cells::new(table);
            for rows in rows {
                cells.add(table, rows).map_err(|error| Error::Write(error.to_string()))?;
            }
            let name = part::write(&self.folder, table, self.identity.format, &cells)?;
            commit.parts.insert(table.id().to_owned(), name);
        }
        self.append(commit)
    }

    /// Takes models out: the parts that hold them are written again without them.
    pub(crate) fn remove(&mut self, paths: &BTreeSet<String>) -> Result<(), Error> {
        let concerned = |commit: &&Commit| commit.models.keys().any(|path| paths.contains(path));
        let concerned: Vec<Commit> = self.commits.values().filter(concerned).cloned().collect();
        for old in concerned {
            let mut commit =
                Commit { id: self.next_id(), replaces: vec![old.id], ..Commit::default() };
            let kept = old.models.iter().filter(|(path, _)| !paths.contains(*path));
            commit.models = kept.map(|(path, version)| (path.clone(), version.clone())).collect();
            for table in self.tables().collect::<Vec<_>>() {
                let Some(name) = old.parts.get(table.id()).filter(|_| !commit.models.is_empty())
                else {
                    continue;
                };
                let format = self.identity.format;
                let name = part::without(&self.folder, table, format, name, paths)?;
                commit.parts.insert(table.id().to_owned(), name);
            }
            self.append(commit)?;
        }
        self.remove_leftovers()
    }

    fn next_id(&self) -> u64 {
        self.commits.keys().next_back().map_or(1, |last| last + 1)
    }

    fn append(&mut self, commit: Commit) -> Result<(), Error> {
        let mut line =
            serde_json::to_vec(&commit).map_err(|error| Error::Write(error.to_string()))?;
        line.push(b'\n');
        let path = self.folder.join("manifest.jsonl");
        self.manifest.write_all(&line).map_err(Error::io(&path))?;
        self.manifest.sync_data().map_err(Error::io(&path))?;
        for replaced in &commit.replaces {
            self.commits.remove(replaced);
        }
        self.commits.insert(commit.id, commit);
        Ok(())
    }

    /// Removes parts that no commit names.
    fn remove_leftovers(&self) -> Result<(), Error> {
        for table in Table::ALL {
            let folder = self.folder.join(table.id());
            let named = self.commits.values().filter_map(|commit| commit.parts.get(table.id()));
            let named: BTreeSet<&str> = named.map(String::as_str).collect();
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let is_part = name.starts_with("part-") || name.starts_with(".part-");
                if is_part && !named.contains(name.as_str()) {
                    fs::remove_file(entry.path()).map_err(Error::io(&entry.path()))?;
                }
            }
        }
        Ok(())
    }
}

fn is_ours(entry: std::io::Result<fs::DirEntry>) -> bool {
    // A process may end before the description is written.
    entry.is_ok_and(|entry| {
        entry.file_name() == ".lock" || entry.file_name().to_string_lossy().starts_with(".tmp")
    })
}

fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(".lock");
    let options = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = options.map_err(Error::io(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Locked(folder.to_owned())),
        Err(TryLockError::Error(source)) => Err(Error::Io { path, source }),
    }
}

fn other_options(folder: &Path, was: &Identity, now: &Identity) -> Error {
    let shown = |identity: &Identity| {
        let Identity { schema_version, format, tables, options } = identity;
        format!(
            "version {schema_version}, {}, tables {}, {options}",
            format.extension(),
            tables.join(",")
        )
    };
    Error::OtherOptions { folder: folder.to_owned(), was: shown(was), now: shown(now) }
}

fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file =
        tempfile::Builder::new().prefix(".tmp").tempfile_in(folder).map_err(Error::io(folder))?;
    file.write_all(bytes).map_err(Error::io(path))?;
    file.as_file().sync_data().map_err(Error::io(path))?;
    part::readable_by_all(file.as_file());
    file.persist(path).map_err(|error| Error::Io { path: path.to_owned(), source: error.error })?;
    Ok(())
}

/// The commits that are valid, and the bytes of the lines that are whole.
fn commits(path: &Path) -> Result<(BTreeMap<u64, Commit>, u64), Error> {
    let mut text = Vec::new();
    match File::open(path) {
        Ok(mut file) => file.read_to_end(&mut text).map_err(Error::io(path))?,
        Err(_) => 0,
    };
    let mut commits = BTreeMap::new();
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    for line in text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let commit: Commit =
            serde_json::from_slice(line).map_err(|error| Error::damaged(path, &error))?;
        for replaced in &commit.replaces {
            commits.remove(replaced);
        }
        commits.insert(commit.id, commit);
    }
    Ok((commits, whole as u64))
}

/// The paths of the valid parts of a table, in the order of their commits, without taking the lock.
pub(crate) fn parts(folder: &Path, table: Table) -> Result<Vec<PathBuf>, Error> {
    let manifest = folder.join("manifest.jsonl");
    if !manifest.exists() {
        return Err(Error::NoDataset(folder.to_owned()));
    }
    let (commits, _) = commits(&manifest)?;
    let names = commits.values().filter_map(|commit| commit.parts.get(table.id()));
    Ok(names.map(|name| folder.join(table.id()).join(name)).collect())
}

/// A JSON value that a reader expects to be an object.
pub(crate) fn model_row(path: &Path, value: Value) -> Result<calipers_report::ModelRow, Error> {
    serde_json::from_value(value).map_err(|error| Error::damaged(path, &error))
}
