//! ZIP archives over a source of bytes: what is in them, where it is, and small members unpacked.

use std::io::{Error as IoError, ErrorKind, Read, Result as IoResult, Seek, SeekFrom};

use calipers_ir::{Source, Span};
use zip::read::{ArchiveOffset, Config};
use zip::{CompressionMethod, ZipArchive};

use crate::Error;

/// Members that an archive may have: checkpoints have one per tensor.
const MAX_MEMBERS: usize = 1 << 18;

/// An archive whose directory was read.
pub(crate) struct Archive {
    zip: ZipArchive<Cursor>,
    members: Vec<Member>,
}

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its path in the archive.
    pub(crate) name: String,
    /// Its size, unpacked, as the directory states it.
    pub(crate) size: u64,
    /// Where its bytes are in the archive; `None` where they are compressed or encrypted.
    pub(crate) stored: Option<Span>,
}

impl Archive {
    /// Reads the directory of an archive.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] where there is none, or where it is damaged.
    pub(crate) fn open(source: &Source) -> Result<Self, Error> {
        let open = |archive_offset| {
            let cursor = Cursor { source: source.clone(), at: 0 };
            ZipArchive::with_config(Config { archive_offset }, cursor)
        };
        // Most archives begin where the file does. Looking for where one begins first can take the
        // second entry of its directory for the first: PyTorch writes records for large archives
        // that small ones do not need, and the directory does not end where it is expected to.
        let zip = open(ArchiveOffset::Known(0)).or_else(|_| open(ArchiveOffset::Detect));
        let mut zip = zip.map_err(|error| damaged(&error))?;
        if zip.len() > MAX_MEMBERS {
            return Err(malformed("the archive has more members than any model"));
        }
        let mut members = Vec::with_capacity(zip.len());
        for index in 0..zip.len() {
            let file = zip.by_index_raw(index).map_err(|error| damaged(&error))?;
            let plain = file.compression() == CompressionMethod::Stored && !file.encrypted();
            let start = file.data_start().filter(|_| plain);
            let end = start.and_then(|start| start.checked_add(file.size()));
            let stored = start.zip(end).filter(|(_, end)| *end <= source.size());
            members.push(Member {
                name: file.name().map_err(|error| damaged(&error))?.into_owned(),
                size: file.size(),
                stored: stored.map(|(start, end)| Span { start, end }),
            });
        }
        Ok(Self { zip, members })
    }

    /// The members, in the order of the directory.
    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The place of a member by its whole path.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name == name)
    }

    /// The bytes of a member, unpacked. No more than `limit` are: a small archive can state, or
    /// hold, terabytes.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] where it is larger, damaged, or compressed in a way that is not read.
    pub(crate) fn read(&mut self, index: usize, limit: u64) -> Result<Vec<u8>, Error> {
        let file = self.zip.by_index(index).map_err(|error| damaged(&error))?;
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| malformed(&format!("a member of the archive is damaged: {error}")))?;
        if bytes.len() as u64 > limit {
            return Err(malformed(&format!(
                "a member of the archive has more than {limit} bytes, where a description is expected"
            )));
        }
        Ok(bytes)
    }

    /// The first bytes of a member, unpacked: at most `limit` of them.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] where it is damaged, or compressed in a way that is not read.
    pub(crate) fn read_start(&mut self, index: usize, limit: u64) -> Result<Vec<u8>, Error> {
        let file = self.zip.by_index(index).map_err(|error| damaged(&error))?;
        let mut bytes = Vec::new();
        file.take(limit)
            .read_to_end(&mut bytes)
            .map_err(|error| malformed(&format!("a member of the archive is damaged: {error}")))?;
        Ok(bytes)
    }
}

fn malformed(problem: &str) -> Error {
    Error::damaged(0, "the archive", problem)
}

fn damaged(error: &zip::result::ZipError) -> Error {
    malformed(&error.to_string())
}

/// Reads a source as the `zip` crate does: from a position on.
struct Cursor {
    source: Source,
    at: u64,
}

impl Read for Cursor {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        let left = self.source.size().saturating_sub(self.at);
        let wanted = left.min(buffer.len() as u64);
        if wanted == 0 {
            return Ok(0);
        }
        let span = Span { start: self.at, end: self.at + wanted };
        let bytes = self.source.slice(span).ok_or_else(|| {
            IoError::new(ErrorKind::UnexpectedEof, "the bytes could not be fetched")
        })?;
        buffer[..bytes.len()].copy_from_slice(bytes);
        self.at += wanted;
        Ok(bytes.len())
    }
}

impl Seek for Cursor {
    fn seek(&mut self, to: SeekFrom) -> IoResult<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.source.size().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
