//! Reading a header from start to end, in either order of bytes.

use std::borrow::Cow;

use calipers_ir::{Source, Span};

use crate::Error;

/// Bytes that a header may have. The largest vocabularies take a tenth of it.
const MAX_HEADER: u64 = 1 << 28;

/// Bytes of a name or a key.
const MAX_NAME: u64 = (1 << 16) - 1;

/// Bytes of a text that are kept.
pub(super) const MAX_TEXT: u64 = 64 * 1024;

/// Bytes that are read before the pages of those before them are let go.
const CHUNK: u64 = 1 << 20;

/// A position in a header.
pub(super) struct Cursor<'a> {
    source: &'a Source,
    /// The position.
    pub(super) at: u64,
    /// Where the bytes that were read and not yet let go begin.
    released: u64,
    /// Bytes at hand from the position on.
    ahead: &'a [u8],
    /// Whether numbers begin with their highest byte.
    pub(super) is_big_endian: bool,
    /// Whether counts and lengths have 32 bits, as in the first version.
    pub(super) is_short: bool,
}

/// Bytes of a text: those that are kept, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub(super) start: &'a [u8],
    pub(super) bytes: u64,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { source, at: 0, released: 0, ahead: &[], is_big_endian: false, is_short: false }
    }

    fn past_end(&self, what: &str) -> Error {
        Error::Malformed {
            at: self.at,
            path: "the header".to_owned(),
            problem: format!("the file ends in {what}"),
            hint: Some(format!(
                "the file has {} bytes and is truncated or damaged: download it again",
                self.source.size()
            )),
        }
    }

    /// An error at this position.
    pub(super) fn damaged(&self, path: &str, problem: &str) -> Error {
        Error::damaged(self.at, path, problem)
    }

    /// Has at least this many bytes at hand.
    fn want(&mut self, count: u64, what: &str) -> Result<(), Error> {
        if (self.ahead.len() as u64) < count {
            let window = self.source.window(self.at, count);
            let window = window.ok_or_else(|| self.past_end(what))?;
            // What is passed over further is checked against the bound, and let go.
            let most = MAX_HEADER.saturating_sub(self.at).min(CHUNK.max(count));
            self.ahead = usize::try_from(most).ok().and_then(|n| window.get(..n)).unwrap_or(window);
            if self.at - self.released >= CHUNK {
                self.source.release(Span { start: self.released, end: self.at });
                self.released = self.at;
            }
        }
        Ok(())
    }

    fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Error> {
        self.want(N as u64, what)?;
        let Some((taken, rest)) = self.ahead.split_first_chunk::<N>() else {
            return Err(self.past_end(what));
        };
        self.ahead = rest;
        self.at += N as u64;
        Ok(*taken)
    }

    /// Passes over bytes of the file without touching them.
    pub(super) fn skip(&mut self, count: u64, what: &str) -> Result<(), Error> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.source.size());
        let end = end.ok_or_else(|| self.past_end(what))?;
        if end > MAX_HEADER {
            let problem = format!("{what} makes it longer than {MAX_HEADER} bytes");
            return Err(self.damaged("the header", &problem));
        }
        self.ahead = usize::try_from(count).ok().and_then(|n| self.ahead.get(n..)).unwrap_or(&[]);
        self.at = end;
        Ok(())
    }

    /// Passes over texts.
    pub(super) fn skip_texts(&mut self, mut count: u64, what: &str) -> Result<(), Error> {
        while count > 0 {
            self.skip_texts_at_hand(&mut count);
            if count > 0 {
                let length = self.count(what)?;
                self.skip(length, what)?;
                count -= 1;
            }
        }
        Ok(())
    }

    /// Passes over the texts whose bytes are at hand: vocabularies have 100,000 and more.
    fn skip_texts_at_hand(&mut self, count: &mut u64) {
        let mut ahead = self.ahead;
        while *count > 0 {
            let split = match self.is_short {
                true => ahead.split_first_chunk::<4>().map(|(bytes, rest)| {
                    let length = u32::from_le_bytes(*bytes);
                    let length = if self.is_big_endian { length.swap_bytes() } else { length };
                    (u64::from(length), rest)
                }),
                false => ahead.split_first_chunk::<8>().map(|(bytes, rest)| {
                    let length = u64::from_le_bytes(*bytes);
                    (if self.is_big_endian { length.swap_bytes() } else { length }, rest)
                }),
            };
            let next = split.and_then(|(length, rest)| rest.get(usize::try_from(length).ok()?..));
            let Some(next) = next else { break };
            ahead = next;
            *count -= 1;
        }
        self.at += (self.ahead.len() - ahead.len()) as u64;
        self.ahead = ahead;
    }

    pub(super) fn u8(&mut self, what: &str) -> Result<u8, Error> {
        Ok(u8::from_le_bytes(self.take(what)?))
    }

    pub(super) fn u16(&mut self, what: &str) -> Result<u16, Error> {
        let bytes = self.take(what)?;
        Ok(if self.is_big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32, Error> {
        let bytes = self.take(what)?;
        Ok(if self.is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    pub(super) fn u64(&mut self, what: &str) -> Result<u64, Error> {
        let bytes = self.take(what)?;
        Ok(if self.is_big_endian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
    }

    /// A count, or a length.
    pub(super) fn count(&mut self, what: &str) -> Result<u64, Error> {
        if self.is_short { self.u32(what).map(u64::from) } else { self.u64(what) }
    }

    /// A name or a key.
    pub(super) fn name(&mut self, what: &str) -> Result<Cow<'a, str>, Error> {
        let length = self.count(what)?;
        if length > MAX_NAME {
            let problem = format!("{what} has {length} bytes");
            return Err(self.damaged("the header", &problem));
        }
        let text = self.bytes(length, what)?;
        Ok(String::from_utf8_lossy(text))
    }

    /// A text; no more than [`MAX_TEXT`] bytes of it are kept.
    pub(super) fn text(&mut self, what: &str) -> Result<Text<'a>, Error> {
        let bytes = self.count(what)?;
        let start = self.bytes(bytes.min(MAX_TEXT), what)?;
        self.skip(bytes.saturating_sub(MAX_TEXT), what)?;
        Ok(Text { start, bytes })
    }

    fn bytes(&mut self, count: u64, what: &str) -> Result<&'a [u8], Error> {
        self.want(count, what)?;
        let bytes = usize::try_from(count).ok().and_then(|count| self.ahead.get(..count));
        let bytes = bytes.ok_or_else(|| self.past_end(what))?;
        self.skip(count, what)?;
        Ok(bytes)
    }

    /// Says that about this many bytes are read next.
    pub(super) fn expect(&self, count: u64) {
        const MOST: u64 = 4 << 20;
        let end = self.at.saturating_add(count.min(MOST)).min(self.source.size());
        self.source.expect(Span { start: self.at, end });
    }
}
