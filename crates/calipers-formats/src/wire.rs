//! The protobuf wire format, borrowed: fields are found, their contents are borrowed, nothing is copied.
//!
//! A [`Message`] is a segment of the file, or several: protobuf says that a message field given
//! twice means the two together, so readers here take all parts and read them as one.
//!
//! ```
//! use calipers_formats::wire::{Message, Payload};
//!
//! let message = Message::new(&[0x08, 0x96, 0x01, 0x12, 0x02, b'h', b'i'], 0);
//! let fields: Vec<_> = message.fields().collect::<Result<_, _>>().unwrap();
//! assert_eq!(fields[0].payload, Payload::Varint(150));
//! assert!(matches!(fields[1].payload, Payload::Bytes(part) if part.bytes() == Ok(b"hi")));
//! ```

use std::fmt;

use calipers_ir::{Source, Span};

/// A segment of the file. Of a file that is read in ranges, it need not be at hand.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// Its first bytes; all of them where the file is in memory.
    at_hand: &'a [u8],
    /// Where it starts in the file.
    start: u64,
    length: u64,
    /// Where the other bytes are.
    source: Option<&'a Source>,
}

impl<'a> Part<'a> {
    /// The part in these bytes, which start at `start` in the file.
    pub fn new(bytes: &'a [u8], start: u64) -> Self {
        Self { at_hand: bytes, start, length: bytes.len() as u64, source: None }
    }

    /// All of a file.
    pub fn of_source(source: &'a Source) -> Self {
        match source.whole() {
            Some(bytes) => Self::new(bytes, 0),
            None => Self { at_hand: &[], start: 0, length: source.size(), source: Some(source) },
        }
    }

    /// Where it starts in the file.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Its bytes in number.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Its place in the file.
    pub fn span(&self) -> Span {
        Span { start: self.start, end: self.start + self.length }
    }

    /// Its bytes.
    ///
    /// # Errors
    ///
    /// [`WireErrorKind::Unavailable`] if they cannot be fetched.
    pub fn bytes(&self) -> Result<&'a [u8], WireError> {
        self.first(self.length)
    }

    /// Its first bytes, at most `most`.
    ///
    /// # Errors
    ///
    /// Those of [`Part::bytes`].
    pub fn first(&self, most: u64) -> Result<&'a [u8], WireError> {
        let wanted = self.length.min(most);
        let unavailable = WireError { at: self.start, kind: WireErrorKind::Unavailable };
        let wanted = usize::try_from(wanted).map_err(|_| unavailable)?;
        if let Some(bytes) = self.at_hand.get(..wanted) {
            return Ok(bytes);
        }
        let fetched = self.source.and_then(|source| source.window(self.start, wanted as u64));
        fetched.and_then(|bytes| bytes.get(..wanted)).ok_or(unavailable)
    }
}

impl PartialEq for Part<'_> {
    /// Whether two parts are the same place of one file.
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.length, self.at_hand) == (other.start, other.length, other.at_hand)
    }
}

impl Eq for Part<'_> {}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part({} bytes at {})", self.length, self.start)
    }
}

/// A message: one part, mostly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    first: Part<'a>,
    // An empty vector allocates nothing, and real files never fill it.
    more: Vec<Part<'a>>,
}

impl<'a> Message<'a> {
    /// The message in these bytes, which start at `start` in the file.
    pub fn new(bytes: &'a [u8], start: u64) -> Self {
        Self::from(Part::new(bytes, start))
    }

    /// Takes another part into a message that may not have begun yet.
    pub fn merge(slot: &mut Option<Self>, part: Part<'a>) {
        match slot {
            Some(message) => message.more.push(part),
            None => *slot = Some(Self::from(part)),
        }
    }

    /// Place of the first part.
    pub fn span(&self) -> Span {
        self.first.span()
    }

    /// Its fields, in the order of the file. After an error there are no more.
    pub fn fields(&self) -> Fields<'a, '_> {
        Fields { wire: Wire::new(self.first), rest: self.more.iter() }
    }
}

impl<'a> From<Part<'a>> for Message<'a> {
    fn from(first: Part<'a>) -> Self {
        Self { first, more: Vec::new() }
    }
}

/// Fields of a message.
pub struct Fields<'a, 'm> {
    wire: Wire<'a>,
    rest: std::slice::Iter<'m, Part<'a>>,
}

impl<'a> Iterator for Fields<'a, '_> {
    type Item = Result<Field<'a>, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.wire.field().transpose() {
                Some(Err(error)) => {
                    self.wire.position = self.wire.part.length;
                    self.rest = [].iter();
                    return Some(Err(error));
                }
                Some(field) => return Some(field),
                None => self.wire = Wire::new(*self.rest.next()?),
            }
        }
    }
}

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its number.
    pub number: u32,
    /// Where its tag is in the file.
    pub at: u64,
    /// What it holds.
    pub payload: Payload<'a>,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// An integer of variable length.
    Varint(u64),
    /// Eight bytes.
    Fixed64(u64),
    /// Text, bytes, a message, or packed numbers.
    Bytes(Part<'a>),
    /// Four bytes.
    Fixed32(u32),
    /// An old-style group, which no format here uses: its contents were passed over.
    Group,
}

/// A place where the bytes are no protobuf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireError {
    /// Byte of the file.
    pub at: u64,
    /// What is wrong there.
    pub kind: WireErrorKind,
}

/// What is wrong with some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireErrorKind {
    /// A number does not end.
    UnendingVarint,
    /// A field says it is longer than what is left of the message.
    PastEnd {
        /// Bytes it needs.
        needed: u64,
        /// Bytes there are.
        left: u64,
    },
    /// Field number 0, or one beyond the format's limit.
    FieldNumber,
    /// One of the two kinds of field that do not exist.
    WireType(u8),
    /// A group ends that did not begin.
    GroupEnd,
    /// The bytes cannot be fetched; the source has the reason.
    Unavailable,
}

impl fmt::Display for WireErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnendingVarint => f.write_str("unterminated varint"),
            Self::PastEnd { needed, left } => {
                write!(f, "a field needs {needed} bytes, {left} remain")
            }
            Self::FieldNumber => f.write_str("invalid field number"),
            Self::WireType(kind) => write!(f, "invalid wire type {kind}"),
            Self::GroupEnd => f.write_str("unexpected end of a group"),
            Self::Unavailable => f.write_str("the bytes cannot be fetched"),
        }
    }
}

/// A cursor over one part.
struct Wire<'a> {
    part: Part<'a>,
    /// Bytes of the part before the cursor.
    position: u64,
    /// Bytes that are at hand, and where they begin in the part.
    window: &'a [u8],
    window_start: u64,
}

/// Bytes of the longest varint.
const MAX_VARINT: u64 = 10;

/// Largest field number that protobuf allows.
const MAX_FIELD_NUMBER: u64 = (1 << 29) - 1;

impl<'a> Wire<'a> {
    fn new(part: Part<'a>) -> Self {
        Self { part, position: 0, window: part.at_hand, window_start: 0 }
    }

    fn at(&self) -> u64 {
        self.part.start + self.position
    }

    fn error<T>(&self, kind: WireErrorKind) -> Result<T, WireError> {
        Err(WireError { at: self.at(), kind })
    }

    fn left(&self) -> u64 {
        self.part.length - self.position
    }

    /// What is at hand from the cursor on: at least `least` bytes, or all that is left.
    fn rest(&mut self, least: u64) -> Result<&'a [u8], WireError> {
        let least = least.min(self.left());
        if let Some(rest) = self.at_hand(least) {
            return Ok(rest);
        }
        let fetched = self.part.source.and_then(|source| source.window(self.at(), least));
        let Some(window) = fetched else { return self.error(WireErrorKind::Unavailable) };
        let most = usize::try_from(self.left()).unwrap_or(usize::MAX).min(window.len());
        (self.window, self.window_start) = (&window[..most], self.position);
        Ok(self.window)
    }

    #[inline]
    fn at_hand(&self, least: u64) -> Option<&'a [u8]> {
        let skipped = usize::try_from(self.position.checked_sub(self.window_start)?).ok()?;
        self.window.get(skipped..).filter(|rest| rest.len() as u64 >= least)
    }

    fn field(&mut self) -> Result<Option<Field<'a>>, WireError> {
        if self.position == self.part.length {
            return Ok(None);
        }
        let at = self.at();
        let (number, wire_type) = self.tag()?;
        let payload = match wire_type {
            3 => self.skip_group(number)?,
            4 => return Err(WireError { at, kind: WireErrorKind::GroupEnd }),
            other => self.payload(at, other)?,
        };
        Ok(Some(Field { number, at, payload }))
    }

    fn tag(&mut self) -> Result<(u32, u8), WireError> {
        let at = self.at();
        let tag = self.varint()?;
        match u32::try_from(tag >> 3) {
            Ok(number) if number > 0 && u64::from(number) <= MAX_FIELD_NUMBER => {
                Ok((number, (tag & 7) as u8))
            }
            _ => Err(WireError { at, kind: WireErrorKind::FieldNumber }),
        }
    }

    /// What follows a tag that is at `at`.
    fn payload(&mut self, at: u64, wire_type: u8) -> Result<Payload<'a>, WireError> {
        Ok(match wire_type {
            0 => Payload::Varint(self.varint()?),
            1 => Payload::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = self.varint()?;
                Payload::Bytes(self.take(length)?)
            }
            5 => Payload::Fixed32(u32::from_le_bytes(self.array()?)),
            other => return Err(WireError { at, kind: WireErrorKind::WireType(other) }),
        })
    }

    /// Passes over a group and everything nested in it, keeping its own stack.
    fn skip_group(&mut self, number: u32) -> Result<Payload<'a>, WireError> {
        let mut open = vec![number];
        while let Some(innermost) = open.last() {
            let at = self.at();
            match self.tag()? {
                (number, 3) => open.push(number),
                (number, 4) if number == *innermost => {
                    open.pop();
                }
                (_, 4) => return Err(WireError { at, kind: WireErrorKind::GroupEnd }),
                (_, other) => {
                    self.payload(at, other)?;
                }
            }
        }
        Ok(Payload::Group)
    }

    fn varint(&mut self) -> Result<u64, WireError> {
        match varint(self.rest(MAX_VARINT)?) {
            Some((value, length)) => {
                self.position += length as u64;
                Ok(value)
            }
            None => self.error(WireErrorKind::UnendingVarint),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let bytes = self.take(N as u64)?.bytes()?;
        let mut array = [0; N];
        array.copy_from_slice(bytes);
        Ok(array)
    }

    /// The next bytes as a part, without fetching them.
    fn take(&mut self, needed: u64) -> Result<Part<'a>, WireError> {
        let left = self.left();
        if needed > left {
            return self.error(WireErrorKind::PastEnd { needed, left });
        }
        let rest = self.at_hand(0).unwrap_or_default();
        let at_hand = &rest[..usize::try_from(needed).unwrap_or(usize::MAX).min(rest.len())];
        let part = Part { at_hand, start: self.at(), length: needed, source: self.part.source };
        self.position += needed;
        Ok(part)
    }
}

/// The integer that these bytes begin with, and its length; `None` when it does not end within
/// the ten bytes that protobuf allows.
pub fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().take(10).enumerate() {
        // Bits past the 64th are dropped, as every protobuf reader does.
        value |= u64::from(byte & 0x7f).checked_shl(7 * u32::try_from(index).ok()?).unwrap_or(0);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_error(bytes: &[u8]) -> WireError {
        Message::new(bytes, 100).fields().find_map(Result::err).expect("an error")
    }

    #[test]
    fn each_failure_has_its_kind_and_place() {
        assert_eq!(first_error(&[0x80]).kind, WireErrorKind::UnendingVarint);
        assert_eq!(first_error(&[0xff; 16]).kind, WireErrorKind::UnendingVarint);
        assert_eq!(first_error(&[0x00]).kind, WireErrorKind::FieldNumber);
        assert_eq!(first_error(&[0x0e]).kind, WireErrorKind::WireType(6));
        assert_eq!(first_error(&[0x0c]).kind, WireErrorKind::GroupEnd);
        let past = first_error(&[0x08, 0x01, 0x12, 0x05, b'a']);
        assert_eq!(past.kind, WireErrorKind::PastEnd { needed: 5, left: 1 });
        assert_eq!(past.at, 104);
        let huge = first_error(&[0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
        assert_eq!(huge.kind, WireErrorKind::PastEnd { needed: u64::MAX, left: 0 });
    }

    #[test]
    fn groups_are_passed_over_at_any_depth() {
        let deep = 1_000_000;
        let mut bytes = vec![0x0b; deep];
        bytes.extend(vec![0x0c; deep]);
        bytes.extend([0x10, 0x07]);
        let message = Message::new(&bytes, 0);
        let fields: Vec<_> = message.fields().map(Result::unwrap).collect();
        assert_eq!(fields[0].payload, Payload::Group);
        assert_eq!(fields[1].payload, Payload::Varint(7));
        assert_eq!(first_error(&[0x0b, 0x14]).kind, WireErrorKind::GroupEnd);
    }

    #[test]
    fn parts_read_as_one_message() {
        let mut message = None;
        Message::merge(&mut message, Part::new(&[0x08, 0x01], 0));
        Message::merge(&mut message, Part::new(&[], 9));
        Message::merge(&mut message, Part::new(&[0x08, 0x02], 20));
        let message = message.unwrap();
        let fields: Vec<_> = message.fields().map(Result::unwrap).collect();
        assert_eq!(fields.len(), 2);
        assert_eq!(fields[1].at, 20);
    }
}
