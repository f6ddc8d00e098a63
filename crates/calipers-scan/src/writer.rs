//! Writing what was scanned: at once to the journal, and in parts while the scan goes on.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use crate::dataset::Dataset;
use crate::journal::Journal;
use crate::panics::STACK_BYTES;
use crate::{Error, Progress, Rows};

/// Models that a part holds at most, and bytes of the journal after which a part is written.
const MODELS: usize = 1_000;
const BYTES: usize = 16 << 20;

/// Rows that go into a part of each table.
struct Batch {
    rows: Vec<Rows>,
    /// Paths whose rows in the dataset are replaced or removed.
    stale: BTreeSet<String>,
}

/// Writes a dataset. Parts are written by another thread, one after the other.
pub(crate) struct Writer {
    journal: Journal,
    /// Rows that are in the journal and not in a part.
    batch: Batch,
    bytes: usize,
    pub(crate) progress: Progress,
    batches: SyncSender<Batch>,
    written: Receiver<Result<(), Error>>,
    is_writing: bool,
}

/// Does the work with a writer of the dataset, and returns its result when everything is in parts. `rows` are those
/// of the journal.
pub(crate) fn writing<T>(
    mut dataset: Dataset,
    mut journal: Journal,
    rows: Vec<Rows>,
    work: impl FnOnce(&mut Writer) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut batch = Batch { rows, stale: BTreeSet::new() };
    if journal.has_previous() {
        // The process was killed while it wrote a part.
        commit(&mut dataset, &mut batch)?;
        journal.clear()?;
        batch.rows.clear();
    }
    thread::scope(|scope| {
        let (batches, received) = sync_channel::<Batch>(0);
        let (sender, written) = channel();
        let write_parts = move || {
            for mut batch in received {
                let result = commit(&mut dataset, &mut batch)
                    .and_then(|()| Journal::remove_previous(dataset.folder()));
                if sender.send(result).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("parts".to_owned()).stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, write_parts).map_err(Error::Thread)?;
        let progress = Progress::default();
        let mut writer =
            Writer { journal, batch, bytes: 0, progress, batches, written, is_writing: false };
        let result = work(&mut writer)?;
        writer.flush()?;
        writer.wait()?;
        Ok(result)
    })
}

impl Writer {
    /// Adds the rows of a model. `replaces` is its path where older rows are pending or in the dataset.
    pub(crate) fn add(
        &mut self,
        rows: Rows,
        line: &[u8],
        replaces: Option<String>,
    ) -> Result<(), Error> {
        if let Some(path) = replaces {
            self.batch.rows.retain(|rows| rows.model.figures.path != path);
            self.batch.stale.insert(path);
        }
        self.progress.done += 1;
        self.progress.failed += usize::from(rows.model.figures.error.is_some());
        self.journal.add(line)?;
        self.bytes += line.len();
        self.batch.rows.push(rows);
        if self.batch.rows.len() >= MODELS || self.bytes >= BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Passes what is pending to the thread that writes parts, once that has written the part before.
    fn flush(&mut self) -> Result<(), Error> {
        self.wait()?;
        self.journal.rotate()?;
        self.bytes = 0;
        let rows = std::mem::take(&mut self.batch.rows);
        let stale = std::mem::take(&mut self.batch.stale);
        self.batches.send(Batch { rows, stale }).map_err(|_| ended())?;
        self.is_writing = true;
        Ok(())
    }

    fn wait(&mut self) -> Result<(), Error> {
        if !std::mem::take(&mut self.is_writing) {
            return Ok(());
        }
        self.written.recv().map_err(|_| ended())?
    }
}

fn ended() -> Error {
    Error::Write("the thread that writes parts ended".to_owned())
}

fn commit(dataset: &mut Dataset, batch: &mut Batch) -> Result<(), Error> {
    // Before the new rows are added: after a kill in between, the journal still has them.
    if !batch.stale.is_empty() {
        dataset.remove(&batch.stale)?;
    }
    if !batch.rows.is_empty() {
        // A dataset of the same models is the same, whichever thread was first.
        batch.rows.sort_by(|one, other| one.model.figures.path.cmp(&other.model.figures.path));
        dataset.commit(&batch.rows)?;
    }
    Ok(())
}
