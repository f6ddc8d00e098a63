//! Scanning: every model once, in parallel, with its rows safe as soon as they are there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use calipers::Options;

use crate::dataset::{Dataset, Format, Identity, SCHEMA_VERSION};
use crate::journal::Journal;
use crate::rows::{Rows, rows, unread};
use crate::{Error, Place, Table};

/// Models that a part holds at most, and bytes of the journal after which a part is written.
const MODELS: usize = 1_000;
const BYTES: usize = 16 << 20;

/// What a scan writes, and how.
#[derive(Clone, Debug)]
pub struct ScanOptions {
    /// The options of each analysis.
    pub analysis: Options,
    /// The same in words: datasets with other options are not mixed.
    pub label: String,
    /// The tables to write; `models` is always among them.
    pub tables: Vec<Table>,
    /// The format of the parts.
    pub format: Format,
    /// Threads; 0 for one per core.
    pub threads: usize,
    /// Whether models that are in the dataset and not among the places are taken out.
    pub prune: bool,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            analysis: Options::new(),
            label: "default options".to_owned(),
            tables: Table::ALL.to_vec(),
            format: Format::default(),
            threads: 0,
            prune: false,
        }
    }
}

/// How far a scan is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Models that are done in this run.
    pub done: usize,
    /// Models to be done in this run.
    pub total: usize,
    /// Of those done, the ones that could not be read.
    pub failed: usize,
}

/// What a scan did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Models that were analyzed.
    pub done: usize,
    /// Of those, the ones that could not be read.
    pub failed: usize,
    /// Models that were in the dataset already.
    pub unchanged: usize,
    /// Models that were taken out.
    pub removed: usize,
}

/// Rows that are in the journal and not in a part.
struct Writer {
    dataset: Dataset,
    journal: Journal,
    pending: Vec<Rows>,
    /// Paths of the pending rows that replace rows of the dataset.
    stale: BTreeSet<String>,
    bytes: usize,
    progress: Progress,
    failure: Option<Error>,
}

impl Writer {
    /// Adds the rows of a model. `replaces` is its path where older rows are pending or in the dataset.
    fn add(&mut self, rows: Rows, line: &[u8], replaces: Option<String>) -> Result<(), Error> {
        if let Some(path) = replaces {
            self.pending.retain(|rows| rows.model.figures.path != path);
            self.stale.insert(path);
        }
        self.progress.done += 1;
        self.progress.failed += usize::from(rows.model.figures.error.is_some());
        self.journal.add(line)?;
        self.bytes += line.len();
        self.pending.push(rows);
        if self.pending.len() >= MODELS || self.bytes >= BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        // Before the new rows: whoever is killed in between finds those in the journal.
        if !self.stale.is_empty() {
            self.dataset.remove(&self.stale)?;
            self.stale.clear();
        }
        if !self.pending.is_empty() {
            // A dataset of the same models is the same, whichever thread was first.
            self.pending
                .sort_by(|one, other| one.model.figures.path.cmp(&other.model.figures.path));
            self.dataset.commit(&self.pending)?;
            self.pending.clear();
        }
        self.bytes = 0;
        self.journal.clear()
    }
}

/// Scans models into the dataset in a folder.
///
/// A model whose path and version are in the dataset is not analyzed again; rows of other versions are replaced. Every
/// finished model is in the journal before the next one begins, so a process that is killed loses at most the
/// models that it was analyzing, and the next scan goes on behind those that were finished. A model that cannot be read
/// is a row with its error.
///
/// # Errors
///
/// An [`Error`] if the dataset cannot be written, is being written by another process, or has other options.
pub fn scan<P: Place>(
    places: Vec<P>,
    folder: &Path,
    options: &ScanOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Summary, Error> {
    let mut tables: Vec<Table> = options.tables.clone();
    tables.push(Table::Models);
    tables.sort_unstable();
    tables.dedup();
    let mut dataset = Dataset::open(
        folder,
        Identity {
            schema_version: SCHEMA_VERSION,
            format: options.format,
            tables: tables.iter().map(|table| table.id().to_owned()).collect(),
            options: options.label.clone(),
        },
    )?;
    let (journal, mut pending) = Journal::open(dataset.folder())?;
    // A process that was killed after a commit left its lines in the journal.
    let known: BTreeMap<String, Option<String>> = owned(&dataset.models());
    pending.retain(|rows| {
        let figures = &rows.model.figures;
        known.get(&figures.path) != Some(&rows.model.version)
    });
    let mut summary = Summary::default();
    let mut places: Vec<(P, Option<String>)> = distinct(places);
    let given: BTreeSet<&str> = places.iter().map(|(place, _)| place.address()).collect();
    let is_gone = |path: &str| options.prune && !given.contains(path);
    let mut stale: BTreeSet<String> = known.keys().filter(|path| is_gone(path)).cloned().collect();
    summary.removed = stale.len();
    pending.retain(|rows| !is_gone(&rows.model.figures.path));
    let mut finished: BTreeMap<String, Option<String>> = known.clone();
    for rows in &pending {
        finished.insert(rows.model.figures.path.clone(), rows.model.version.clone());
    }
    let before = places.len();
    places.retain(|(place, version)| {
        // Of a server, the version is known when the file is opened.
        let same = |known: &Option<String>| version.is_some() && known == version;
        !finished.get(place.address()).is_some_and(same)
    });
    summary.unchanged = before - places.len();
    let changed = places.iter().map(|(place, _)| place.address());
    let local = changed.zip(&places).filter(|(_, (_, version))| version.is_some());
    stale.extend(
        local.map(|(path, _)| path).filter(|path| known.contains_key(*path)).map(str::to_owned),
    );
    stale.extend(
        pending
            .iter()
            .map(|rows| rows.model.figures.path.clone())
            .filter(|path| known.contains_key(path)),
    );
    dataset.remove(&stale)?;
    // Rows of the journal for files that changed since are older than those to come. Whether a file of a server changed is
    // not known yet.
    let local = places.iter().filter(|(_, version)| version.is_some());
    let changed: BTreeSet<&str> = local.map(|(place, _)| place.address()).collect();
    pending.retain(|rows| !changed.contains(rows.model.figures.path.as_str()));
    let writer = Mutex::new(Writer {
        dataset,
        journal,
        pending,
        stale: BTreeSet::new(),
        bytes: 0,
        progress: Progress { total: places.len(), ..Progress::default() },
        failure: None,
    });
    run(&places, &finished, options, &writer, progress, &mut summary);
    let mut writer = writer.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(failure) = writer.failure.take() {
        return Err(failure);
    }
    writer.flush()?;
    summary.done = writer.progress.done;
    summary.failed = writer.progress.failed;
    Ok(summary)
}

fn owned(models: &BTreeMap<&str, Option<&str>>) -> BTreeMap<String, Option<String>> {
    let own =
        |(path, version): (&&str, &Option<&str>)| ((*path).to_owned(), version.map(str::to_owned));
    models.iter().map(own).collect()
}

/// Each address once, in order, with its version where that is known.
fn distinct<P: Place>(mut places: Vec<P>) -> Vec<(P, Option<String>)> {
    places.sort_by(|one, other| one.address().cmp(other.address()));
    places.dedup_by(|one, other| one.address() == other.address());
    places
        .into_iter()
        .map(|place| {
            let version = place.version();
            (place, version)
        })
        .collect()
}

fn run<P: Place>(
    places: &[(P, Option<String>)],
    finished: &BTreeMap<String, Option<String>>,
    options: &ScanOptions,
    writer: &Mutex<Writer>,
    progress: &(dyn Fn(Progress) + Sync),
    summary: &mut Summary,
) {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads = if options.threads == 0 { cores } else { options.threads };
    let (next, unchanged) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some((place, _)) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = scanned(place, finished, options);
            let line = found.as_ref().map_or(Ok(Vec::new()), |(rows, _)| Journal::line(rows));
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            if writer.failure.is_some() {
                return;
            }
            let written = match found {
                Some((rows, replaces)) => line.and_then(|line| writer.add(rows, &line, replaces)),
                None => {
                    unchanged.fetch_add(1, Ordering::Relaxed);
                    writer.progress.total -= 1;
                    Ok(())
                }
            };
            if let Err(error) = written {
                writer.failure = Some(error);
                return;
            }
            let now = writer.progress;
            drop(writer);
            progress(now);
        }
    };
    thread::scope(|scope| {
        let spawned =
            (1..threads.min(places.len().max(1))).map(|_| scope.spawn(work)).collect::<Vec<_>>();
        work();
        drop(spawned);
    });
    summary.unchanged += unchanged.into_inner();
}

/// The rows of a model, and its path where the dataset has an older version; `None` where the dataset has this version.
fn scanned<P: Place>(
    place: &P,
    finished: &BTreeMap<String, Option<String>>,
    options: &ScanOptions,
) -> Option<(Rows, Option<String>)> {
    let path = place.address();
    // Versions that are known without asking were compared before.
    let known = finished.get(path).filter(|_| place.version().is_none());
    if let Some(Some(known)) = known
        && place.current_version().as_ref() == Some(known)
    {
        return None;
    }
    let stale = known.map(|_| path.to_owned());
    let found = match place.open() {
        Ok(opened) => rows(&opened.model, path, opened.version, &options.analysis),
        Err(error) => unread(path, place.version(), error),
    };
    Some((found.of_tables(&options.tables), stale))
}
