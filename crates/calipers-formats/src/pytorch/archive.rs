//! The archives that PyTorch writes: their folder, their records, and their pickles.

use std::borrow::Cow;
use std::collections::HashMap;

use calipers_ir::{Bytes, Hazard, Source, Span};

use super::hazards::Hazards;
use crate::Error;
use crate::archive::Archive;
use crate::pickle::may_start;

/// Largest record that is unpacked.
const MAX_UNPACKED: u64 = 1 << 25;

/// Compressed records whose first bytes are looked at.
const MAX_PEEKED: usize = 1 << 10;

/// An archive with the folder that everything is in.
pub(super) struct Records {
    source: Source,
    archive: Archive,
    index: HashMap<String, usize>,
    /// The folder's name with a slash; empty where there is none.
    pub(super) folder: String,
}

/// A record whose bytes can be read.
pub(super) struct Record {
    pub(super) source: Source,
    pub(super) span: Span,
    /// Whether that source is the file.
    pub(super) is_in_file: bool,
}

impl Records {
    pub(super) fn open(source: &Source) -> Result<Self, Error> {
        let archive = Archive::open(source)?;
        let mut index = HashMap::new();
        for (place, member) in archive.members().iter().enumerate() {
            // Of two of the same name the first is found, as PyTorch does.
            index.entry(member.name.clone()).or_insert(place);
        }
        let folder = folder_of(archive.members().iter().map(|member| member.name.as_str()));
        Ok(Self { source: source.clone(), archive, index, folder })
    }

    /// An archive that is a record of another.
    pub(super) fn inside_of(record: &Record) -> Result<Self, Error> {
        Self::open(&Source::new(Part { source: record.source.clone(), span: record.span }))
    }

    /// The names of all records, with their folder.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.archive.members().iter().map(|member| member.name.as_str())
    }

    /// The names of records below the folder.
    pub(super) fn inside(&self) -> impl Iterator<Item = &str> {
        self.names().filter_map(|name| name.strip_prefix(self.folder.as_str()))
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.index.get(&format!("{}{name}", self.folder)).copied()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// Where a record below the folder is in the file: `None` if there is none, `Some(None)` if it is
    /// compressed.
    pub(super) fn span(&self, name: &str) -> Option<Option<Span>> {
        Some(self.archive.members().get(self.place(name)?)?.stored)
    }

    /// The bytes of a record below the folder.
    pub(super) fn read(&mut self, name: &str) -> Result<Option<Record>, Error> {
        match self.place(name) {
            Some(place) => self.read_at(place).map(Some),
            None => Ok(None),
        }
    }

    fn read_at(&mut self, place: usize) -> Result<Record, Error> {
        let stored = self.archive.members().get(place).and_then(|member| member.stored);
        if let Some(span) = stored {
            return Ok(Record { source: self.source.clone(), span, is_in_file: true });
        }
        let source = Source::new(self.archive.read(place, MAX_UNPACKED)?);
        let span = Span { start: 0, end: source.size() };
        Ok(Record { source, span, is_in_file: false })
    }

    /// A short text that is a record of its own, such as the version.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let record = self.read(name).ok()??;
        let bytes = record.source.slice(record.span).filter(|bytes| bytes.len() <= 256)?;
        Some(std::str::from_utf8(bytes).ok()?.trim().to_owned())
    }

    /// Checks every pickle that is not the main one: a program can load any of them.
    pub(super) fn check_others(&mut self, main: &[&str], hazards: &mut Hazards) {
        let mut unpacked = 0;
        for place in 0..self.archive.members().len() {
            let Some(member) = self.archive.members().get(place) else { continue };
            let name = member.name.clone();
            let inside = name.strip_prefix(self.folder.as_str()).unwrap_or(&name);
            if main.contains(&inside) || is_storage(inside) || member.size < 2 {
                continue;
            }
            let is_named = [".pkl", ".pickle", ".p"].iter().any(|ending| name.ends_with(ending));
            if member.stored.is_none() {
                unpacked += 1;
                if unpacked > MAX_PEEKED || member.size > MAX_UNPACKED {
                    continue;
                }
            }
            match self.read_at(place) {
                Ok(record) if is_named || record.starts_pickle() => {
                    hazards.check(&record.source, record.span);
                }
                Ok(_) => {}
                Err(error) if is_named => {
                    let problem = format!("{name} cannot be read: {error}");
                    hazards.push(Hazard::BrokenPickle { problem });
                }
                Err(_) => {}
            }
        }
    }
}

impl Record {
    /// All its bytes.
    pub(super) fn bytes(&self) -> Option<Cow<'_, [u8]>> {
        self.source.slice(self.span).map(Cow::Borrowed)
    }

    fn starts_pickle(&self) -> bool {
        let end = self.span.end.min(self.span.start.saturating_add(2));
        let start = self.source.slice(Span { start: self.span.start, end });
        start.is_some_and(may_start)
    }
}

/// A segment of a source as a source.
struct Part {
    source: Source,
    span: Span,
}

impl Bytes for Part {
    fn size(&self) -> u64 {
        self.span.len()
    }

    fn whole(&self) -> Option<&[u8]> {
        self.source.slice(self.span)
    }

    fn window(&self, start: u64, least: u64) -> Option<&[u8]> {
        let start = self.span.start.checked_add(start)?;
        let left = self.span.end.checked_sub(start).filter(|left| *left >= least)?;
        let bytes = self.source.window(start, least)?;
        bytes.get(..bytes.len().min(usize::try_from(left).ok()?))
    }
}

/// Whether a record holds the elements of tensors.
fn is_storage(name: &str) -> bool {
    let Some((folder, last)) = name.rsplit_once('/') else { return false };
    match folder {
        "data" | "constants" => last.bytes().all(|byte| byte.is_ascii_digit()),
        "data/weights" | "data/constants" => {
            last.starts_with("weight_") || last.starts_with("tensor_")
        }
        _ => false,
    }
}

/// The folder that has the main pickle or the version, with its slash; what is highest counts.
fn folder_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MARKS: &[&str] = &[
        "data.pkl",
        "version",
        "constants.pkl",
        "archive_format",
        "serialized_exported_program.json",
    ];
    let marked = names.filter_map(|name| match name.rsplit_once('/') {
        Some((folder, last)) => MARKS.contains(&last).then_some(folder),
        None => MARKS.contains(&name).then_some(""),
    });
    let highest = marked.min_by_key(|folder| match folder.is_empty() {
        true => 0,
        false => 1 + folder.matches('/').count(),
    });
    match highest {
        Some("") | None => String::new(),
        Some(folder) => format!("{folder}/"),
    }
}
