//! How files are written: all at once, or not at all.
//!
//! Every output is written to a temporary folder next to where it goes, synced, and renamed. When
//! the disk is full, or the command is interrupted, files that were there before are unchanged and
//! nothing else remains.
//!
//! A file that Calipers did not write is not replaced without `--force` (see [`own`]), and neither
//! is a symbolic link, nor is one written through.

mod own;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

use crate::problem::{Problem, is_broken_pipe};
use crate::system;

/// Whether `--force` was given.
static FORCE: AtomicBool = AtomicBool::new(false);

/// Makes `--force` hold for everything that is written from now on.
pub(crate) fn choose_force(force: bool) {
    FORCE.store(force, Ordering::Relaxed);
}

fn is_forced() -> bool {
    FORCE.load(Ordering::Relaxed)
}

/// Writes a file, or replaces one. The folder must exist. Devices and pipes are written directly.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_special(path) {
        return write_special(path, bytes);
    }
    let changes = Changes::next_to(path)?;
    changes.write(path, bytes)?;
    changes.commit()
}

/// Files that appear together, or not at all. They are dropped unless they are committed.
pub(crate) struct Changes {
    pending: Mutex<Pending>,
}

/// What was prepared.
struct Pending {
    /// Holds the new files until they are committed.
    staging: PathBuf,
    /// New files by where they go.
    files: Vec<(PathBuf, PathBuf)>,
}

impl Changes {
    /// Prepares to write next to a file, in a folder that exists.
    pub(crate) fn next_to(path: &Path) -> anyhow::Result<Self> {
        let changes = Self::start(&mut leftovers(), folder_of(path), Vec::new());
        changes.map_err(|error| unwritable(path, &error).into())
    }

    /// Prepares to write into a folder, which is created with those above it if it is missing.
    pub(crate) fn in_folder(folder: &Path) -> anyhow::Result<Self> {
        // An interrupt waits until the new folders are known, so that it can remove them.
        let mut leftovers = leftovers();
        let mut folders = Vec::new();
        let made = make_folders(folder, &mut folders).and_then(|()| {
            let changes = Self::start(&mut leftovers, folder, folders.clone());
            changes.map_err(|error| unwritable(folder, &error).into())
        });
        if made.is_err() {
            remove_folders(&folders);
        }
        made
    }

    fn start(
        leftovers: &mut Vec<Leftover>,
        folder: &Path,
        folders: Vec<PathBuf>,
    ) -> io::Result<Self> {
        let staging = tempfile::Builder::new().prefix(".calipers-").tempdir_in(folder);
        // Removed by us, or by the thread that waits for signals.
        let staging = staging.map(TempDir::keep).map_err(|error| match error.get_ref() {
            // Without the path of the temporary folder, which means nothing to anybody.
            Some(_) => io::Error::from(error.kind()),
            None => error,
        })?;
        leftovers.push(Leftover { staging: staging.clone(), folders });
        Ok(Self { pending: Mutex::new(Pending { staging, files: Vec::new() }) })
    }

    /// Creates a folder inside the one that is written to, unless it exists. A symbolic link in its
    /// place is refused.
    pub(crate) fn make_folder(&self, path: &Path) -> anyhow::Result<()> {
        // An interrupt waits until the new folder is known, so that it can remove it.
        let mut leftovers = leftovers();
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            if !is_forced() {
                return Err(refused_link(path).into());
            }
            fs::remove_file(path).map_err(|error| unwritable(path, &error))?;
        }
        match fs::create_dir(path) {
            Ok(()) => {
                let staging = &self.pending().staging;
                let mut known = leftovers.iter_mut();
                if let Some(leftover) = known.find(|leftover| leftover.staging == *staging) {
                    leftover.folders.push(path.to_owned());
                }
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            Err(error) => Err(unwritable(path, &error).into()),
        }
    }

    /// Prepares a file in a folder that exists.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let before = check_replaceable(path, bytes)?;
        let staged = {
            let mut pending = self.pending();
            let staged = pending.staging.join(pending.files.len().to_string());
            pending.files.push((staged.clone(), path.to_owned()));
            staged
        };
        stage(&staged, bytes, before.as_ref()).map_err(|error| unwritable(path, &error).into())
    }

    /// Makes all files appear.
    pub(crate) fn commit(self) -> anyhow::Result<()> {
        // An interrupt waits until every file is in its place.
        let mut leftovers = leftovers();
        let mut pending = self.pending();
        pending.sync()?;
        for (staged, path) in std::mem::take(&mut pending.files) {
            fs::rename(&staged, &path).map_err(|error| unwritable(&path, &error))?;
        }
        leftovers.retain(|leftover| leftover.staging != pending.staging);
        // What is empty now; a failure leaves an empty folder behind.
        let _ = fs::remove_dir(&pending.staging);
        Ok(())
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A private folder for files that other libraries write, removed with all that is in it when this
/// is dropped, and on an interrupt.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Creates the folder among the system's temporary files.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let mut leftovers = leftovers();
        let made = tempfile::Builder::new().prefix("calipers-").tempdir();
        let folder = made.map(TempDir::keep).map_err(|error| {
            Problem::unwritable(&std::env::temp_dir(), &io::Error::from(error.kind()))
        })?;
        leftovers.push(Leftover { staging: folder.clone(), folders: Vec::new() });
        Ok(Self(folder))
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let mut leftovers = leftovers();
        if let Some(at) = leftovers.iter().position(|leftover| leftover.staging == self.0) {
            leftovers.swap_remove(at).remove();
        }
    }
}

/// Files up to this number are synced one by one.
const FEW: usize = 16;

impl Pending {
    /// Waits until the new files are on the disk, before they replace others.
    fn sync(&self) -> anyhow::Result<()> {
        // Thousands of cards would wait for the disk thousands of times.
        if self.files.len() > FEW {
            let folder = File::open(&self.staging);
            let synced = folder.and_then(|folder| system::sync_file_system(&folder));
            if synced.map_err(|error| unwritable(&self.staging, &error))? {
                return Ok(());
            }
        }
        for (staged, path) in &self.files {
            let synced = File::open(staged).and_then(|file| file.sync_all());
            synced.map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        let staging = self.pending().staging.clone();
        let mut leftovers = leftovers();
        if let Some(at) = leftovers.iter().position(|leftover| leftover.staging == staging) {
            leftovers.swap_remove(at).remove();
        }
    }
}

/// What must go if the command does not end well.
struct Leftover {
    staging: PathBuf,
    /// Folders that were created, in order.
    folders: Vec<PathBuf>,
}

impl Leftover {
    fn remove(&self) {
        // Other threads may still add files. Under another name they do not find the folder.
        let removed = self.staging.with_extension("removed");
        let staging = match fs::rename(&self.staging, &removed) {
            Ok(()) => &removed,
            Err(_) => &self.staging,
        };
        // One file may have been on its way.
        for _ in 0..3 {
            if fs::remove_dir_all(staging).is_ok() {
                break;
            }
        }
        remove_folders(&self.folders);
    }
}

static LEFTOVERS: Mutex<Vec<Leftover>> = Mutex::new(Vec::new());

fn leftovers() -> MutexGuard<'static, Vec<Leftover>> {
    LEFTOVERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what was prepared and not committed; for an interrupt. Nothing is committed afterwards:
/// the lock is kept.
pub(crate) fn remove_leftovers() {
    let leftovers = leftovers();
    leftovers.iter().for_each(Leftover::remove);
    std::mem::forget(leftovers);
}

/// Creates a folder and those above it, and lists those that are new.
fn make_folders(folder: &Path, made: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|path| !path.exists()).collect();
    for path in missing.into_iter().rev().filter(|path| !path.as_os_str().is_empty()) {
        match fs::create_dir(path) {
            Ok(()) => made.push(path.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(error) => return Err(unwritable_folder(path, &error).into()),
        }
    }
    match folder.is_dir() || folder.as_os_str().is_empty() {
        true => Ok(()),
        false => {
            let error = io::Error::from(io::ErrorKind::AlreadyExists);
            Err(unwritable_folder(folder, &error).into())
        }
    }
}

/// Removes folders that are empty, the last one first.
fn remove_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

/// Checks what is at a path, and returns the file that would be replaced.
fn check_replaceable(path: &Path, bytes: &[u8]) -> anyhow::Result<Option<Metadata>> {
    let before = match fs::symlink_metadata(path) {
        Ok(before) => before,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unwritable(path, &error).into()),
    };
    if before.is_dir() {
        let error = io::Error::from(io::ErrorKind::IsADirectory);
        return Err(unwritable(path, &error).into());
    }
    if before.is_symlink() {
        return if is_forced() { Ok(None) } else { Err(refused_link(path).into()) };
    }
    let refused = |why: &str| {
        let hint = "use --force to replace it, or choose another file with -o";
        Problem::unwritable(path, &io::Error::other(why.to_owned())).hint(hint)
    };
    if is_forced() {
        return Ok(Some(before));
    }
    if before.permissions().readonly() {
        return Err(refused("it is read-only").into());
    }
    if !own::is_own(path, bytes).map_err(|error| unwritable(path, &error))? {
        return Err(refused("Calipers did not write the file that exists").into());
    }
    Ok(Some(before))
}

/// Writes a new file with the permissions and the owner of the one that it replaces.
fn stage(path: &Path, bytes: &[u8], before: Option<&Metadata>) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    if let Some(before) = before {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // Only root may give a file away; otherwise it is ours already, or stays ours.
            let _ = fchown(&file, Some(before.uid()), Some(before.gid()));
        }
        file.set_permissions(before.permissions())?;
    }
    Ok(())
}

/// Whether a path is a device, a pipe, or a name for an open file.
fn is_special(path: &Path) -> bool {
    let is_device = |found: &Metadata| !found.is_file() && !found.is_dir();
    (path.starts_with("/dev") || path.starts_with("/proc"))
        || fs::metadata(path).is_ok_and(|found| is_device(&found))
}

fn write_special(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    // Appended, since the path may be another name of a file that is open for appending.
    let file = OpenOptions::new().append(true).open(path);
    match file.and_then(|mut file| file.write_all(bytes)) {
        // Such as `-o /dev/stderr` with a reader that has gone.
        Err(error) if is_broken_pipe(&error) => Err(error.into()),
        Err(error) => Err(unwritable(path, &error).into()),
        Ok(()) => Ok(()),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn refused_link(path: &Path) -> Problem {
    let target = fs::read_link(path).map(|target| target.display().to_string());
    let why = format!("it is a symbolic link to {}", target.unwrap_or_default());
    Problem::unwritable(path, &io::Error::other(why))
        .hint("write to the file it points to, or use --force to replace the link")
}

fn unwritable(path: &Path, error: &io::Error) -> Problem {
    let problem = Problem::unwritable(path, error);
    match error.kind() {
        io::ErrorKind::NotFound => problem.hint("create the folder first"),
        io::ErrorKind::IsADirectory => problem.hint("add a file name"),
        _ => problem,
    }
}

fn unwritable_folder(path: &Path, error: &io::Error) -> Problem {
    let problem = Problem::unwritable(path, error);
    match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            problem.hint("-o names a folder here; use another name, or one that ends in .md")
        }
        _ => problem,
    }
}

#[cfg(test)]
mod tests;
