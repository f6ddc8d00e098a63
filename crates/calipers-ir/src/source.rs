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

/// Something that lends the bytes of a model file.
pub trait Bytes: Send + Sync {
    /// All of them.
    fn bytes(&self) -> &[u8];

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
}

impl Bytes for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// The bytes of a model file: a memory map, or a buffer. Cloning shares them.
#[derive(Clone)]
pub struct Source(Arc<dyn Bytes>);

impl Source {
    /// Wraps anything that lends bytes.
    pub fn new(bytes: impl Bytes + 'static) -> Self {
        Self(Arc::new(bytes))
    }

    /// All the bytes.
    pub fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    /// The bytes of a span; `None` when it lies outside the file.
    pub fn slice(&self, span: Span) -> Option<&[u8]> {
        let start = usize::try_from(span.start).ok()?;
        self.bytes().get(start..usize::try_from(span.end).ok()?)
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
}

impl Default for Source {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({} bytes)", self.bytes().len())
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
