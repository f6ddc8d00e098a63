//! Scanning: every model once, in parallel, with its rows safe as soon as they are there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use calipers::Options;

use crate::dataset::{Dataset, Format, Identity, SCHEMA_VERSION};
use crate::journal::Journal;
use crate::panics::{STACK_BYTES, reporting};
use crate::rows::{Rows, rows, unread};
use crate::writer::{Writer, writing};
use crate::{Error, Place, Table};

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

/// Scans models into the dataset in a folder.
///
/// A model whose path and version are in the dataset is not analyzed again; rows of other versions are replaced. A
/// finished model is in the journal before its thread finishes another one, so a process that is killed loses at most
/// the models that it was analyzing, and the next scan goes on behind those that were finished. A model that cannot be
/// read, or whose analysis panics, is a row with its error.
///
/// # Errors
///
/// An [`Error`] if the dataset cannot be written, is being written by another process, or has other options.
pub fn scan<P: Place + 'static>(
    places: Vec<P>,
    folder: &Path,
    options: &ScanOptions,
    progress: &dyn Fn(Progress),
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
    let total = places.len();
    let job = Job { places, finished, options: options.clone(), next: AtomicUsize::new(0) };
    let counts = writing(dataset, journal, pending, |writer| {
        writer.progress.total = total;
        summary.unchanged += run(job, writer, progress)?;
        Ok(writer.progress)
    })?;
    summary.done = counts.done;
    summary.failed = counts.failed;
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

/// What the threads of a scan share.
struct Job<P> {
    places: Vec<(P, Option<String>)>,
    /// Versions of the models that the dataset has.
    finished: BTreeMap<String, Option<String>>,
    options: ScanOptions,
    /// The place that is next.
    next: AtomicUsize,
}

/// What became of a place.
enum Outcome {
    /// Its rows, and their line in the journal; and its path where the dataset has an older version.
    Scanned(Box<Rows>, Result<Vec<u8>, Error>, Option<String>),
    /// The dataset has this version.
    Unchanged,
    /// The analysis of the place at this position panicked, and its thread is lost.
    Panicked(usize, String),
}

/// Scans the places, and returns how many were unchanged.
fn run<P: Place + 'static>(
    job: Job<P>,
    writer: &mut Writer,
    progress: &dyn Fn(Progress),
) -> Result<usize, Error> {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads = if job.options.threads == 0 { cores } else { job.options.threads };
    let job = Arc::new(job);
    // Without room for finished models: a thread waits with one until the ones before are in the journal.
    let (sender, receiver) = sync_channel(0);
    for _ in 0..threads.min(job.places.len()) {
        start(&job, &sender)?;
    }
    let mut unchanged = 0;
    for _ in 0..job.places.len() {
        let Ok(outcome) = receiver.recv() else { break };
        match outcome {
            Outcome::Scanned(rows, line, replaces) => writer.add(*rows, &line?, replaces)?,
            Outcome::Unchanged => {
                unchanged += 1;
                writer.progress.total -= 1;
            }
            Outcome::Panicked(at, message) => {
                start(&job, &sender)?;
                let (rows, replaces) = job.unread(at, message);
                let line = Journal::line(&rows)?;
                writer.add(rows, &line, replaces)?;
            }
        }
        progress(writer.progress);
    }
    Ok(unchanged)
}

/// Starts a thread that scans places until none is left.
fn start<P: Place + 'static>(job: &Arc<Job<P>>, sender: &SyncSender<Outcome>) -> Result<(), Error> {
    let (job, sender) = (Arc::clone(job), sender.clone());
    let work = move || {
        loop {
            let at = job.next.fetch_add(1, Ordering::Relaxed);
            if at >= job.places.len() {
                return;
            }
            let lost = sender.clone();
            let report = move |message| drop(lost.send(Outcome::Panicked(at, message)));
            let outcome = reporting(report, || job.scanned(at));
            // Nobody receives after an error.
            if sender.send(outcome).is_err() {
                return;
            }
        }
    };
    let thread = thread::Builder::new().name("scan".to_owned()).stack_size(STACK_BYTES);
    thread.spawn(work).map(drop).map_err(Error::Thread)
}

impl<P: Place> Job<P> {
    /// Analyzes a place unless the dataset has this version.
    fn scanned(&self, at: usize) -> Outcome {
        let (place, _) = &self.places[at];
        let (path, known) = (place.address(), self.known(place));
        if let Some(Some(known)) = known
            && place.current_version().as_ref() == Some(known)
        {
            return Outcome::Unchanged;
        }
        let rows = match place.open() {
            Ok(opened) => rows(&opened.model, path, opened.version, &self.options.analysis),
            Err(error) => unread(path, place.version(), error),
        };
        let rows = rows.of_tables(&self.options.tables);
        let line = Journal::line(&rows);
        Outcome::Scanned(Box::new(rows), line, known.map(|_| path.to_owned()))
    }

    /// The rows of a place that cannot be analyzed, and its path where the dataset has an older version.
    fn unread(&self, at: usize, error: String) -> (Rows, Option<String>) {
        let (place, _) = &self.places[at];
        let path = place.address();
        (unread(path, place.version(), error), self.known(place).map(|_| path.to_owned()))
    }

    /// The version that the dataset has of a place whose own has to be asked for; others were compared before.
    fn known(&self, place: &P) -> Option<&Option<String>> {
        self.finished.get(place.address()).filter(|_| place.version().is_none())
    }
}
