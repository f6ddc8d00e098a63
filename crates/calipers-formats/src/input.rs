//! What a reader is given: bytes, a name, and perhaps the folder they came from.

use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use calipers_ir::{Bytes, Source, Span};

use crate::Error;
use crate::shortened::Guard;

/// A model file to be read.
pub(crate) struct Input {
    /// Its bytes.
    pub(crate) source: Source,
    /// Its name, without a folder.
    pub(crate) name: String,
    /// The folder where files that it refers to are.
    pub(crate) folder: Option<PathBuf>,
}

impl Input {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        // Checked before it is opened: opening a pipe waits for whoever writes to it.
        check_kind(&std::fs::metadata(path)?)?;
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        check_kind(&metadata)?;
        let source = if metadata.len() == 0 { Source::default() } else { map(file)? };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { source, name, folder: Some(folder_of(path)) })
    }
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn check_kind(metadata: &Metadata) -> Result<(), Error> {
    if metadata.is_dir() {
        return Err(Error::NotAFile("a folder"));
    }
    // A pipe or a device has no size and may never end.
    if !metadata.is_file() {
        return Err(Error::NotAFile("a device or a pipe"));
    }
    Ok(())
}

/// A file mapped into memory: what is never read never leaves the disk.
struct Map {
    // Dropped first, so that nothing is registered at addresses that are free again.
    guard: Guard,
    bytes: memmap2::Mmap,
    /// Asked for its size: what is missing from the last page reads as zeros without a signal.
    file: Option<Held>,
}

/// A file that stays open. A model may have more data files than a process may have open, so only
/// this many are held.
const MAX_HELD: usize = 256;

static HELD: AtomicUsize = AtomicUsize::new(0);

struct Held(File);

impl Held {
    fn new(file: File) -> Option<Self> {
        let held = HELD.fetch_add(1, Ordering::Relaxed);
        // Dropped where there are too many, which counts it out again.
        Some(Self(file)).filter(|_| held < MAX_HELD)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        HELD.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Bytes for Map {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn is_shortened(&self) -> bool {
        let is_smaller =
            |file: &Held| file.0.metadata().is_ok_and(|it| it.len() < self.bytes.len() as u64);
        self.guard.is_shortened() || self.file.as_ref().is_some_and(is_smaller)
    }

    /// Fetches pages that are to be read through: readers jump about otherwise, and the kernel was
    /// reported not to read ahead. A failure costs speed only.
    #[cfg(target_os = "linux")]
    fn expect(&self, span: Span) {
        let (Ok(start), Ok(end)) = (usize::try_from(span.start), usize::try_from(span.end)) else {
            return;
        };
        if start < end && end <= self.bytes.len() {
            let _ = self.bytes.advise_range(memmap2::Advice::WillNeed, start, end - start);
            let _ = self.bytes.advise_range(memmap2::Advice::PopulateRead, start, end - start);
        }
    }

    /// Lets pages go. A kernel maps a run of pages around each one that is touched, so hopping
    /// over thousands of weights would otherwise keep megabytes of them resident.
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "dropping pages is unsafe for maps that can be written")]
    fn release(&self, span: Span) {
        let (Ok(start), Ok(end)) = (usize::try_from(span.start), usize::try_from(span.end)) else {
            return;
        };
        if start < end && end <= self.bytes.len() {
            // SAFETY: the map is read-only and backed by a file: a page that is let go comes back
            // with the same contents when it is read again. A failure costs memory only.
            let _ = unsafe {
                let advice = memmap2::UncheckedAdvice::DontNeed;
                self.bytes.unchecked_advise_range(advice, start, end - start)
            };
        }
    }
}

#[expect(unsafe_code, reason = "mapping a file is unsafe by its nature")]
fn map(file: File) -> Result<Source, Error> {
    // SAFETY: the map is read-only. Bytes that another process changes under it are only ever
    // read as bytes, so they can make a report wrong but not memory; a file that is shortened
    // under it raises SIGBUS, which `shortened` catches where the program asks for it.
    let map = unsafe { memmap2::Mmap::map(&file) }?;
    #[cfg(unix)]
    // Readers jump from header to header over gigabytes of weights. A failure costs speed only.
    let _ = map.advise(memmap2::Advice::Random);
    let range = map.as_ptr_range();
    let guard = Guard::new(range.start as usize..range.end as usize);
    Ok(Source::new(Map { guard, bytes: map, file: Held::new(file) }))
}
