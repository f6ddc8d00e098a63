//! Weights in files next to the model: a record of 64 bytes says where the elements of each are.
//!
//! The record is described in `StorageFormat.hpp` of coremltools: a mark, the type of the elements,
//! their bytes and the byte that they begin at. Without the file, elements begin after the record.

use std::collections::HashMap;
use std::sync::Arc;

use calipers_ir::{Data, External, Names, Source, Span};

use crate::external::{DataFiles, Reference, open};
use crate::folder::Folder;

/// What a record begins with.
const MARK: u32 = 0xDEAD_BEEF;

/// Bytes of a record.
const RECORD: u64 = 64;

/// Files whose records are read. Packages have one.
const MAX_OPENED: usize = 64;

/// How a model calls the folder that it is in.
const FOLDER: &str = "@model_path/";

/// The files of weights that a model refers to.
pub(super) struct Blobs {
    pub(super) files: DataFiles,
    pub(super) folder: Option<Arc<dyn Folder>>,
    opened: HashMap<usize, Option<Source>>,
}

/// What a record states.
struct Record {
    bytes: u64,
    start: u64,
}

impl Blobs {
    pub(super) fn new(folder: Option<Arc<dyn Folder>>) -> Self {
        Self { files: DataFiles::default(), folder, opened: HashMap::new() }
    }

    /// The elements whose record is at a byte of a file. `bytes` is what their type takes.
    pub(super) fn place(
        &mut self,
        names: &mut Names,
        file: &str,
        at: u64,
        bytes: Option<u64>,
    ) -> Data {
        let location = file.strip_prefix(FOLDER).unwrap_or(file);
        let reference =
            Reference { location: Some(names.intern(location)), ..Reference::default() };
        let mut external = self.files.resolve(reference, names);
        external.offset = at.checked_add(RECORD);
        external.length = bytes;
        if external.offset.is_none() {
            external.problem = Some(format!("the record at byte {at} is outside any file"));
        } else if let Some(source) = self.source(external.file, location) {
            apply(&mut external, record(&source, at), at);
        }
        Data::External(Box::new(external))
    }

    fn source(&mut self, file: usize, location: &str) -> Option<Source> {
        if let Some(source) = self.opened.get(&file) {
            return source.clone();
        }
        if self.opened.len() >= MAX_OPENED {
            return None;
        }
        let source = self.folder.as_deref().and_then(|folder| open(folder, location).ok());
        self.opened.insert(file, source.clone());
        source
    }
}

/// Takes the place that a record states, or what is wrong with it.
fn apply(external: &mut External, record: Option<Record>, at: u64) {
    match record {
        None => {
            external.problem = Some(format!("byte {at} does not start a record of a weight"));
        }
        Some(record) => {
            external.offset = Some(record.start);
            match external.length {
                Some(bytes) if bytes != record.bytes => {
                    external.problem = Some(format!(
                        "the record at byte {at} states {} bytes, and the elements take {bytes}",
                        record.bytes
                    ));
                }
                _ => external.length = Some(record.bytes),
            }
        }
    }
}

fn record(source: &Source, at: u64) -> Option<Record> {
    let end = at.checked_add(RECORD).filter(|end| *end <= source.size())?;
    let bytes = source.slice(Span { start: at, end })?;
    let mark = u32::from_le_bytes(*bytes.first_chunk()?);
    let wide = |from: usize| Some(u64::from_le_bytes(*bytes.get(from..)?.first_chunk()?));
    (mark == MARK).then_some(())?;
    Some(Record { bytes: wide(8)?, start: wide(16)? })
}
