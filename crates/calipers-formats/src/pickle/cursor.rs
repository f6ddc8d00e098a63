//! A position in a pickle.

use calipers_ir::{Source, Span};

/// Bytes that are asked for at once.
const WINDOW: u64 = 1 << 16;

/// Longest line of protocol 0 that is read.
const MAX_LINE: u64 = 1 << 20;

/// What keeps a pickle from being read on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// In words.
    pub(crate) what: String,
    /// Whether the bytes end too early.
    pub(crate) is_end: bool,
}

impl Problem {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_end: false }
    }

    fn end() -> Self {
        Self { what: "the bytes end inside it".to_owned(), is_end: true }
    }
}

/// A position in a segment of a source.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    source: &'a Source,
    at: u64,
    end: u64,
    /// Bytes at hand, from `at` on.
    window: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// The start of a segment.
    pub(crate) fn new(source: &'a Source, span: Span) -> Self {
        let end = span.end.min(source.size());
        Self { source, at: span.start.min(end), end, window: &[] }
    }

    /// Where it is, in bytes from the start of the source.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Bytes that are left.
    pub(crate) fn left(&self) -> u64 {
        self.end - self.at
    }

    /// The next bytes.
    pub(crate) fn take(&mut self, count: u64) -> Result<&'a [u8], Problem> {
        self.fill(count)?;
        let count = usize::try_from(count).map_err(|_| Problem::end())?;
        let (taken, rest) = self.window.split_at_checked(count).ok_or_else(Problem::end)?;
        self.window = rest;
        self.at += taken.len() as u64;
        Ok(taken)
    }

    /// Passes over bytes, whose place is returned. They are not looked at.
    pub(crate) fn skip(&mut self, count: u64) -> Result<Span, Problem> {
        let start = self.at;
        let end = start.checked_add(count).filter(|end| *end <= self.end);
        let end = end.ok_or_else(Problem::end)?;
        let inside = usize::try_from(count).ok();
        self.window = inside.and_then(|count| self.window.get(count..)).unwrap_or_default();
        self.at = end;
        Ok(Span { start, end })
    }

    /// A fixed number of bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let bytes = self.take(N as u64)?;
        bytes.first_chunk::<N>().copied().ok_or_else(Problem::end)
    }

    /// A byte.
    pub(crate) fn byte(&mut self) -> Result<u8, Problem> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// A line, without its end.
    pub(crate) fn line(&mut self) -> Result<&'a [u8], Problem> {
        let mut wanted = 64_u64;
        loop {
            let reach = wanted.min(self.left());
            self.fill(reach)?;
            let here = usize::try_from(reach.max(1)).unwrap_or(usize::MAX);
            let seen = &self.window[..self.window.len().min(here)];
            if let Some(length) = seen.iter().position(|byte| *byte == b'\n') {
                let line = self.take(length as u64)?;
                self.skip(1)?;
                return Ok(line.strip_suffix(b"\r").unwrap_or(line));
            }
            if reach == self.left() {
                return Err(Problem::end());
            }
            if wanted >= MAX_LINE {
                return Err(Problem::new("a line is longer than any that is read"));
            }
            wanted *= 4;
        }
    }

    /// Has at least this many bytes at hand.
    fn fill(&mut self, count: u64) -> Result<(), Problem> {
        if self.window.len() as u64 >= count {
            return Ok(());
        }
        if count > self.left() {
            return Err(Problem::end());
        }
        let wanted = WINDOW.max(count).min(self.left());
        let bytes = self.source.window(self.at, wanted).ok_or_else(Problem::end)?;
        let reach = usize::try_from(self.left()).unwrap_or(usize::MAX);
        self.window = &bytes[..bytes.len().min(reach)];
        Ok(())
    }
}
