//! Reading the structure of a file: numbers, addresses and texts, within a budget of bytes.

use std::cell::Cell;

use calipers_ir::{Source, Span};

use crate::Error;

/// Bytes of structure that are read, however large the file: attributes, names, tables.
const MAX_STRUCTURE: u64 = 64 << 20;

/// Bytes that may be read more than once, for each byte of the file: tables refer to each other, and
/// nothing but this stops those that overlap.
const READINGS: u64 = 2;

/// What is wrong with a file, and where.
#[derive(Debug)]
pub(crate) struct Problem {
    at: u64,
    what: String,
}

impl Problem {
    pub(super) fn new(at: u64, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }

    /// What is wrong, with its place.
    pub(crate) fn describe(&self) -> String {
        format!("byte {}: {}", self.at, self.what)
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::damaged(problem.at, "the HDF5 file", &problem.what)
    }
}

/// The bytes of an HDF5 file: a whole source, or a part of one.
#[derive(Debug)]
pub(super) struct Store {
    source: Source,
    window: Span,
    /// Where addresses count from.
    pub(super) base: u64,
    /// Bytes of an address.
    pub(super) offsets: usize,
    /// Bytes of a length.
    pub(super) lengths: usize,
    left: Cell<u64>,
}

impl Store {
    pub(super) fn new(source: Source, window: Span) -> Self {
        let size = window.end.saturating_sub(window.start);
        let left = Cell::new(size.min(MAX_STRUCTURE) * READINGS + 4096);
        Self { source, window, base: 0, offsets: 8, lengths: 8, left }
    }

    /// Bytes of the file.
    pub(super) fn size(&self) -> u64 {
        self.window.end.saturating_sub(self.window.start)
    }

    /// Where an address is in the source.
    pub(super) fn place(&self, address: u64) -> Option<u64> {
        self.window.start.checked_add(self.base)?.checked_add(address)
    }

    /// The span of a source that begins at an address; `None` where the file ends before it does.
    pub(super) fn span(&self, address: u64, length: u64) -> Option<Span> {
        let start = self.place(address)?;
        let end = start.checked_add(length)?;
        (end <= self.window.end).then_some(Span { start, end })
    }

    /// The bytes at an address.
    pub(super) fn block(&self, address: u64, length: u64) -> Result<Cursor<'_>, Problem> {
        let at = self.place(address).unwrap_or(address);
        let Some(left) = self.left.get().checked_sub(length) else {
            return Err(Problem::new(at, "the tables of the file overlap, or lead in a circle"));
        };
        let bytes = self.span(address, length).and_then(|span| self.source.slice(span));
        let Some(bytes) = bytes else {
            let what = format!("{length} bytes are expected here, and the file ends before");
            return Err(Problem::new(at, what));
        };
        self.left.set(left);
        Ok(Cursor { bytes, at, offsets: self.offsets, lengths: self.lengths })
    }

    /// As many of the bytes at an address as there are, at most this many.
    pub(super) fn up_to(&self, address: u64, most: u64) -> Result<Cursor<'_>, Problem> {
        let start = self.place(address).unwrap_or(u64::MAX);
        self.block(address, self.window.end.saturating_sub(start).min(most))
    }
}

/// A place in a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: u64,
    offsets: usize,
    lengths: usize,
}

impl<'a> Cursor<'a> {
    /// Where it is in the source.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Bytes left.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes left.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn problem(&self, what: impl Into<String>) -> Problem {
        Problem::new(self.at, what)
    }

    /// The next bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Problem> {
        let Some((taken, rest)) = self.bytes.split_at_checked(count) else {
            return Err(self.problem(format!(
                "{count} bytes are expected, and {} are left of the block",
                self.bytes.len()
            )));
        };
        self.bytes = rest;
        self.at = self.at.saturating_add(count as u64);
        Ok(taken)
    }

    /// The next bytes as a place of their own.
    pub(super) fn part(&mut self, count: usize) -> Result<Cursor<'a>, Problem> {
        let at = self.at;
        let bytes = self.take(count)?;
        Ok(Cursor { bytes, at, ..*self })
    }

    pub(super) fn skip(&mut self, count: usize) -> Result<(), Problem> {
        self.take(count).map(|_| ())
    }

    /// An unsigned number of up to eight bytes, the lowest first.
    pub(super) fn uint(&mut self, width: usize) -> Result<u64, Problem> {
        let bytes = self.take(width.min(8))?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    pub(super) fn u8(&mut self) -> Result<u8, Problem> {
        Ok(self.take(1)?.first().copied().unwrap_or_default())
    }

    pub(super) fn u16(&mut self) -> Result<u16, Problem> {
        Ok(u16::try_from(self.uint(2)?).unwrap_or_default())
    }

    /// A count or size of 16 or 32 bits, to count with.
    pub(super) fn count(&mut self, width: usize) -> Result<usize, Problem> {
        Ok(usize::try_from(self.uint(width)?).unwrap_or(usize::MAX))
    }

    /// An address; `None` for the one that is not defined.
    pub(super) fn address(&mut self) -> Result<Option<u64>, Problem> {
        let width = self.offsets;
        let number = self.uint(width)?;
        let undefined = u64::MAX >> (64 - 8 * width.clamp(1, 8));
        Ok((number != undefined).then_some(number))
    }

    /// A length.
    pub(super) fn length(&mut self) -> Result<u64, Problem> {
        let width = self.lengths;
        self.uint(width)
    }

    /// Expects a mark.
    pub(super) fn mark(&mut self, mark: &[u8], what: &str) -> Result<(), Problem> {
        let start = *self;
        match self.take(mark.len()) {
            Ok(bytes) if bytes == mark => Ok(()),
            _ => Err(start.problem(format!("{what} is expected here"))),
        }
    }
}
