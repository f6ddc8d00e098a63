//! Where a model's bytes are, without saying how they got there.

use std::fmt;
use std::sync::Arc;

use crate::{DType, Tensor};

/// A segment of the model file, in bytes from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl Span {
    /// Length in bytes.
    pub fn len(self) -> u64 {
        self.end - self.start
    }

    /// Whether it covers no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// Something that lends the bytes of a model file: a buffer, a memory map, or ranges that are fetched when
/// they are asked for.
pub trait Bytes: Send + Sync {
    /// How many there are.
    fn size(&self) -> u64;

    /// All of them; `None` where only ranges can be had.
    fn whole(&self) -> Option<&[u8]>;

    /// The bytes from `start` on: at least `least` of them, and more where they are at hand. `None` where
    /// the file ends before, or where they cannot be fetched; then [`Bytes::failure`] has the reason.
    fn window(&self, start: u64, least: u64) -> Option<&[u8]> {
        let bytes = self.whole()?.get(usize::try_from(start).ok()?..)?;
        (bytes.len() as u64 >= least).then_some(bytes)
    }

    /// Says that a segment is about to be read from start to end, so that it can be fetched in one
    /// go.
    fn expect(&self, _span: Span) {}

    /// Says that a segment was read and is not needed soon, so that a memory map can let its pages
    /// go. The bytes stay readable.
    fn release(&self, _span: Span) {}

    /// Whether bytes that were read were gone, since another process shortened the file. They read
    /// as zeros then.
    fn is_shortened(&self) -> bool {
        false
    }

    /// Why bytes that were asked for could not be fetched. Whatever was read since is incomplete.
    fn failure(&self) -> Option<String> {
        None
    }
}

impl Bytes for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn whole(&self) -> Option<&[u8]> {
        Some(self)
    }
}

/// The bytes of a model file: a memory map, a buffer, or ranges of a remote file. Cloning shares them.
#[derive(Clone)]
pub struct Source(Arc<dyn Bytes>);

impl Source {
    /// Wraps anything that lends bytes.
    pub fn new(bytes: impl Bytes + 'static) -> Self {
        Self(Arc::new(bytes))
    }

    /// How many bytes there are.
    pub fn size(&self) -> u64 {
        self.0.size()
    }

    /// All the bytes; `None` where only ranges can be had.
    pub fn whole(&self) -> Option<&[u8]> {
        self.0.whole()
    }

    /// The bytes from `start` on, at least `least` of them, see [`Bytes::window`].
    pub fn window(&self, start: u64, least: u64) -> Option<&[u8]> {
        self.0.window(start, least)
    }

    /// The bytes of a span; `None` when it lies outside the file, or cannot be fetched.
    pub fn slice(&self, span: Span) -> Option<&[u8]> {
        let length = span.end.checked_sub(span.start)?;
        self.window(span.start, length)?.get(..usize::try_from(length).ok()?)
    }

    /// Says that a segment is about to be read from start to end.
    pub fn expect(&self, span: Span) {
        self.0.expect(span);
    }

    /// Says that a segment is not needed soon.
    pub fn release(&self, span: Span) {
        self.0.release(span);
    }

    /// Whether bytes that were read were gone, since another process shortened the file.
    pub fn is_shortened(&self) -> bool {
        self.0.is_shortened()
    }

    /// Why bytes that were asked for could not be fetched.
    pub fn failure(&self) -> Option<String> {
        self.0.failure()
    }
}

impl Default for Source {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({} bytes)", self.size())
    }
}

/// Reads the elements of a stored tensor. Each format knows how it wrote them.
pub trait Decoder: fmt::Debug + Send + Sync {
    /// The elements as little-endian bytes, packed, at most `limit` elements.
    fn packed(&self, source: &Source, tensor: &Tensor, limit: u64) -> Result<Vec<u8>, DecodeError>;

    /// The elements of an integer or truth-value tensor, at most `limit` of them.
    fn integers(
        &self,
        source: &Source,
        tensor: &Tensor,
        limit: u64,
    ) -> Result<Vec<i64>, DecodeError>;

    /// The elements of a floating-point tensor of 16 bits or more, at most `limit` of them.
    fn floats(&self, source: &Source, tensor: &Tensor, limit: u64)
    -> Result<Vec<f64>, DecodeError>;
}

/// Why a tensor's elements could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// It has more elements than the caller wants to hold.
    TooMany {
        /// Elements it has.
        elements: u64,
    },
    /// Its size cannot be determined.
    Size(crate::SizeError),
    /// Its elements are outside the model file.
    External,
    /// Elements of this type cannot be given in the form asked for.
    Type(DType),
    /// The stored bytes are fewer than the shape needs.
    Short,
    /// The file has no elements for it.
    Absent,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { elements } => write!(f, "it has {elements} elements"),
            Self::Size(error) => error.fmt(f),
            Self::External => f.write_str("its elements are in another file"),
            Self::Type(dtype) => write!(f, "elements of type {dtype} cannot be read this way"),
            Self::Short => f.write_str("its data is shorter than its shape"),
            Self::Absent => f.write_str("it has no data"),
        }
    }
}

impl std::error::Error for DecodeError {}
