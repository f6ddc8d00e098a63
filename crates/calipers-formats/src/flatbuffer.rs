//! FlatBuffers, borrowed: tables and vectors are found by their offsets, and every offset is
//! checked against the file before it is followed.
//!
//! A table starts with the distance back to its list of fields; that list gives the place of each
//! field inside the table, zero for one that is left out. Vectors, texts and other tables are
//! reached by distances forward. Since any number of places may lead to the same part, a small file
//! can describe a huge tree: what is read is counted, and a file that has much more read than it
//! has bytes is refused.

use std::cell::Cell;
use std::collections::HashMap;

use calipers_ir::{NameId, Names, Source, Span};

use crate::error::Trace;
use crate::wire::{WireError, WireErrorKind};

/// Bytes that may be read of a file beyond twice its size.
const SPARE: u64 = 1 << 16;

/// Whether a file that starts so is a FlatBuffer with this identifier.
///
/// Four bytes of offset, then the identifier. In an ONNX file these four may be a version and the
/// length of the producer's name, and the name may begin like the identifier: only a small offset
/// distinguishes them.
pub(crate) fn has_identifier(bytes: &[u8], identifier: &[u8]) -> bool {
    bytes.get(2..4) == Some(&[0, 0])
        && bytes.get(4..).is_some_and(|rest| rest.starts_with(identifier))
}

/// A FlatBuffer in a file, or in a segment of it.
pub(crate) struct FlatBuffer<'a> {
    source: &'a Source,
    segment: Span,
    /// Bytes that may still be read.
    left: Cell<u64>,
}

impl<'a> FlatBuffer<'a> {
    /// The buffer that a file is.
    pub(crate) fn new(source: &'a Source) -> Self {
        Self::in_segment(source, Span { start: 0, end: source.size() })
    }

    /// The buffer in a segment of a file.
    pub(crate) fn in_segment(source: &'a Source, segment: Span) -> Self {
        let size = segment.end.saturating_sub(segment.start);
        let left = Cell::new(size.saturating_mul(2).saturating_add(SPARE));
        Self { source, segment, left }
    }

    /// The table that all others are reached from.
    pub(crate) fn root(&self) -> Result<Table<'_>, Trace> {
        self.table(self.follow(self.segment.start)?)
    }

    /// The bytes at a place.
    fn bytes(&self, start: u64, length: u64) -> Result<&'a [u8], Trace> {
        let span = self.span(start, length)?;
        let unavailable = WireError { at: start, kind: WireErrorKind::Unavailable };
        self.source.slice(span).ok_or_else(|| unavailable.into())
    }

    /// A segment, where it is inside the buffer.
    fn span(&self, start: u64, length: u64) -> Result<Span, Trace> {
        match start.checked_add(length) {
            Some(end) if start >= self.segment.start && end <= self.segment.end => {
                Ok(Span { start, end })
            }
            _ => {
                let left = self.segment.end.saturating_sub(start);
                let kind = WireErrorKind::PastEnd { needed: length, left };
                Err(WireError { at: start, kind }.into())
            }
        }
    }

    fn array<const N: usize>(&self, start: u64) -> Result<[u8; N], Trace> {
        let bytes = self.bytes(start, N as u64)?.first_chunk::<N>();
        bytes.copied().ok_or_else(|| Trace::new(start, "its bytes are not at hand".to_owned()))
    }

    fn u16(&self, start: u64) -> Result<u16, Trace> {
        self.array(start).map(u16::from_le_bytes)
    }

    fn u32(&self, start: u64) -> Result<u32, Trace> {
        self.array(start).map(u32::from_le_bytes)
    }

    /// Counts bytes as read.
    fn charge(&self, at: u64, bytes: u64) -> Result<(), Trace> {
        let Some(left) = self.left.get().checked_sub(bytes) else {
            let problem = "parts of the file are referred to over and over".to_owned();
            return Err(Trace::new(at, problem));
        };
        self.left.set(left);
        Ok(())
    }

    /// Where the distance at a place leads.
    fn follow(&self, at: u64) -> Result<u64, Trace> {
        let distance = u64::from(self.u32(at)?);
        at.checked_add(distance).ok_or_else(|| Trace::new(at, "an offset is too large".to_owned()))
    }

    fn table(&self, at: u64) -> Result<Table<'_>, Trace> {
        let back = i64::from(self.array(at).map(i32::from_le_bytes)?);
        let Some(fields) = at.checked_add_signed(-back) else {
            let problem = "the list of a table's fields is before the file".to_owned();
            return Err(Trace::new(at, problem));
        };
        let (length, size) = (self.u16(fields)?, self.u16(fields.saturating_add(2))?);
        self.charge(at, u64::from(size.max(4)))?;
        Ok(Table { buffer: self, at, fields, length })
    }

    fn vector(&self, at: u64, width: u64) -> Result<Vector<'_>, Trace> {
        let count = u64::from(self.u32(at)?);
        let start = at.saturating_add(4);
        self.span(start, count.saturating_mul(width))?;
        Ok(Vector { buffer: self, start, count, width })
    }
}

/// A table: fields by number; each may be left out.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    buffer: &'a FlatBuffer<'a>,
    at: u64,
    /// Where the list of its fields is.
    fields: u64,
    /// Bytes of that list.
    length: u16,
}

macro_rules! numbers {
    ($($(#[$meta:meta])+ $name:ident: $type:ty;)+) => {
        $(
            $(#[$meta])+
            pub(crate) fn $name(&self, field: u16, default: $type) -> Result<$type, Trace> {
                match self.place(field)? {
                    Some(at) => self.buffer.array(at).map(<$type>::from_le_bytes),
                    None => Ok(default),
                }
            }
        )+
    };
}

impl<'a> Table<'a> {
    /// Where it is in the file.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Where a field is; `None` where it is left out.
    fn place(&self, field: u16) -> Result<Option<u64>, Trace> {
        let entry = u64::from(field) * 2 + 4;
        if entry + 2 > u64::from(self.length) {
            return Ok(None);
        }
        let offset = self.buffer.u16(self.fields.saturating_add(entry))?;
        Ok((offset != 0).then(|| self.at.saturating_add(u64::from(offset))))
    }

    numbers! {
        /// A number of 8 bits.
        i8: i8;
        /// A number of 8 bits without a sign.
        u8: u8;
        /// A number of 32 bits.
        i32: i32;
        /// A number of 32 bits without a sign.
        u32: u32;
        /// A number of 64 bits.
        i64: i64;
        /// A number of 64 bits without a sign.
        u64: u64;
        /// A number.
        f32: f32;
    }

    /// A truth value.
    pub(crate) fn bool(&self, field: u16) -> Result<bool, Trace> {
        Ok(self.u8(field, 0)? != 0)
    }

    /// Another table.
    pub(crate) fn table(&self, field: u16) -> Result<Option<Table<'a>>, Trace> {
        let Some(at) = self.place(field)? else { return Ok(None) };
        let buffer = self.buffer;
        buffer.table(buffer.follow(at)?).map(Some)
    }

    /// A vector of elements of `width` bytes; an empty one where it is left out.
    pub(crate) fn vector(&self, field: u16, width: u64) -> Result<Vector<'a>, Trace> {
        Ok(self.given_vector(field, width)?.unwrap_or(Vector {
            buffer: self.buffer,
            start: self.at,
            count: 0,
            width,
        }))
    }

    /// A vector; `None` where it is left out.
    pub(crate) fn given_vector(&self, field: u16, width: u64) -> Result<Option<Vector<'a>>, Trace> {
        let Some(at) = self.place(field)? else { return Ok(None) };
        let buffer = self.buffer;
        buffer.vector(buffer.follow(at)?, width).map(Some)
    }

    /// A vector of tables or texts.
    pub(crate) fn references(&self, field: u16) -> Result<Vector<'a>, Trace> {
        self.vector(field, 4)
    }

    /// A text, or bytes; an empty one where it is left out.
    pub(crate) fn text(&self, field: u16) -> Result<Text<'a>, Trace> {
        self.vector(field, 1).map(Text)
    }
}

/// A vector of elements of one width.
#[derive(Clone, Copy)]
pub(crate) struct Vector<'a> {
    buffer: &'a FlatBuffer<'a>,
    start: u64,
    count: u64,
    width: u64,
}

impl<'a> Vector<'a> {
    /// How many elements it has.
    pub(crate) fn len(&self) -> u64 {
        self.count
    }

    /// Where its elements are.
    pub(crate) fn span(&self) -> Span {
        Span { start: self.start, end: self.start + self.count * self.width }
    }

    /// Its bytes, counted as read.
    pub(crate) fn bytes(&self) -> Result<&'a [u8], Trace> {
        self.buffer.charge(self.start, self.count * self.width)?;
        self.buffer.bytes(self.start, self.count * self.width)
    }

    /// Numbers of 32 bits.
    pub(crate) fn i32s(&self) -> Result<impl ExactSizeIterator<Item = i32> + use<'a>, Trace> {
        Ok(self.bytes()?.as_chunks::<4>().0.iter().map(|bytes| i32::from_le_bytes(*bytes)))
    }

    /// Numbers of 64 bits.
    pub(crate) fn i64s(&self) -> Result<impl ExactSizeIterator<Item = i64> + use<'a>, Trace> {
        Ok(self.bytes()?.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)))
    }

    /// Places of the elements, each counted as read.
    fn places(self) -> impl Iterator<Item = Result<u64, Trace>> + use<'a> {
        (0..self.count).map(move |index| {
            let at = self.start + index * self.width;
            self.buffer.charge(at, self.width)?;
            Ok(at)
        })
    }

    /// The tables that its elements lead to.
    pub(crate) fn tables(self) -> impl Iterator<Item = Result<Table<'a>, Trace>> + use<'a> {
        let buffer = self.buffer;
        self.places().map(move |at| buffer.table(buffer.follow(at?)?))
    }

    /// The texts that its elements lead to.
    pub(crate) fn texts(self) -> impl Iterator<Item = Result<Text<'a>, Trace>> + use<'a> {
        let buffer = self.buffer;
        self.places().map(move |at| buffer.vector(buffer.follow(at?)?, 1).map(Text))
    }

    /// The table that one element leads to.
    pub(crate) fn table(&self, index: u64) -> Result<Option<Table<'a>>, Trace> {
        if index >= self.count {
            return Ok(None);
        }
        let buffer = self.buffer;
        buffer.table(buffer.follow(self.start + index * self.width)?).map(Some)
    }
}

/// A text, or any bytes.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a>(Vector<'a>);

impl<'a> Text<'a> {
    /// Where it starts, which is the same for equal texts that are stored once.
    pub(crate) fn at(&self) -> u64 {
        self.0.start
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> u64 {
        self.0.count
    }

    /// Its bytes, counted as read.
    pub(crate) fn bytes(&self) -> Result<&'a [u8], Trace> {
        self.0.bytes()
    }

    /// Its first bytes as text for people: made valid, and cut when absurdly long.
    pub(crate) fn shown(&self, most: u64) -> Result<String, Trace> {
        let first = Vector { count: self.0.count.min(most), ..self.0 };
        let start = String::from_utf8_lossy(first.bytes()?).into_owned();
        Ok(match self.len() <= most {
            true => start,
            false => format!("{start}… ({} bytes in all)", self.len()),
        })
    }
}

/// Names longer than this are refused: cutting them could make two names one.
const MAX_NAME: u64 = 64 * 1024;

/// Names of a file by their place in it: one that is stored once is read once.
#[derive(Debug, Default)]
pub(crate) struct TextNames(HashMap<u64, NameId>);

impl TextNames {
    /// The id of a name.
    pub(crate) fn intern(&mut self, names: &mut Names, text: Text<'_>) -> Result<NameId, Trace> {
        if text.len() > MAX_NAME {
            let problem = format!("a name has {} bytes", text.len());
            return Err(Trace::new(text.at(), problem));
        }
        if text.len() == 0 {
            return Ok(names.empty());
        }
        if let Some(name) = self.0.get(&text.at()) {
            return Ok(*name);
        }
        let name = names.intern_bytes(text.bytes()?);
        self.0.insert(text.at(), name);
        Ok(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table at 12 with the fields 0 (i32, 7) and 2 (text "hi"); field 1 is left out.
    fn small() -> Vec<u8> {
        let mut bytes = vec![12, 0, 0, 0, b'T', b'E', b'S', b'T', 0, 0, 0, 0];
        bytes.extend_from_slice(&(-12_i32).to_le_bytes()); // the list is 12 bytes further on
        bytes.extend_from_slice(&7_i32.to_le_bytes());
        bytes.extend_from_slice(&14_u32.to_le_bytes()); // 20 + 14 = 34
        bytes.extend_from_slice(&[10, 0, 12, 0, 4, 0, 0, 0, 8, 0]);
        bytes.extend_from_slice(&[2, 0, 0, 0, b'h', b'i', 0]);
        bytes
    }

    #[test]
    fn fields_are_found_or_left_out() {
        let source = Source::new(small());
        let buffer = FlatBuffer::new(&source);
        let root = buffer.root().unwrap();
        assert_eq!((root.i32(0, 0).unwrap(), root.i32(1, 5).unwrap()), (7, 5));
        assert_eq!(root.text(2).unwrap().bytes().unwrap(), b"hi");
        assert_eq!(root.text(9).unwrap().len(), 0, "beyond the list");
        assert!(has_identifier(&small(), b"TEST"));
        assert!(!has_identifier(b"\x08\x08\x12\x09TEST", b"TEST"), "an ONNX file");
    }

    #[test]
    fn every_truncation_is_an_error_or_leaves_the_rest() {
        for length in 0..small().len() {
            let mut bytes = small();
            bytes.truncate(length);
            let source = Source::new(bytes);
            let buffer = FlatBuffer::new(&source);
            let text = buffer.root().and_then(|root| root.text(2)?.bytes().map(<[u8]>::to_vec));
            assert!(text.is_err() || length == 40, "{length}");
        }
    }

    #[test]
    fn what_is_read_over_and_over_ends() {
        let source = Source::new(small());
        let buffer = FlatBuffer::new(&source);
        let times = (0..).take_while(|_| buffer.root().is_ok()).count();
        // Twice the file's 41 bytes and the spare, in tables of 12 bytes.
        assert_eq!(times, (2 * 41 + 65536) / 12);
    }
}
