//! The header of an array: a Python literal with the type, the order and the shape.
//!
//! See <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use calipers_ir::DType;

/// What an array begins with.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Bytes that hold the header of almost any array.
pub(super) const USUAL: u64 = 4096;

/// Dimensions that an array may have: NumPy has no more.
const MAX_RANK: usize = 64;

/// What a header states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) elements: Elements,
    /// Bytes of an element.
    pub(super) item_size: u64,
    /// Whether the lowest byte comes first.
    pub(super) is_little: bool,
    /// Whether the first index varies fastest.
    pub(super) is_fortran: bool,
    pub(super) dims: Vec<u64>,
    /// Bytes of the header, what is before it included.
    pub(super) size: u64,
}

/// What elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elements {
    Numbers(DType),
    Texts,
    /// Objects of Python: the data is a pickle.
    Objects,
    Others,
}

impl Header {
    /// Reads a header from the first bytes of an array.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("its magic bytes are missing")?;
        let (version, rest) = rest.split_at_checked(2).ok_or("its version is missing")?;
        let width = if version.first() == Some(&1) { 2 } else { 4 };
        let (length, rest) = rest.split_at_checked(width).ok_or("its length is missing")?;
        let length = length.iter().rev().fold(0_u64, |length, byte| length << 8 | u64::from(*byte));
        let text = usize::try_from(length).ok().and_then(|length| rest.get(..length));
        let text = text.ok_or_else(|| format!("its header of {length} bytes is cut off"))?;
        let text = String::from_utf8_lossy(text);
        let value = |key: &str| value(&text, key).ok_or_else(|| format!("its header lacks {key}"));
        let (elements, item_size, is_little) = elements(value("descr")?);
        Ok(Self {
            elements,
            item_size,
            is_little,
            is_fortran: value("fortran_order")?.starts_with("True"),
            dims: shape(value("shape")?).ok_or("its shape is not a tuple of sizes")?,
            size: 8 + width as u64 + length,
        })
    }
}

/// The text from the value of a key on.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    ['\'', '"'].iter().find_map(|quote| {
        let (_, after) = text.split_once(&format!("{quote}{key}{quote}"))?;
        Some(after.trim_start().strip_prefix(':')?.trim_start())
    })
}

/// A text in quotes.
fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    text.get(1..)?.split(quote).next()
}

fn elements(descr: &str) -> (Elements, u64, bool) {
    let Some(code) = quoted(descr) else {
        // A list of fields: the data is a pickle where one of them is an object.
        let list = descr.split_once(']').map_or(descr, |(list, _)| list);
        let has_objects = ["'|O'", "'O'", "\"|O\""].iter().any(|code| list.contains(code));
        let elements = if has_objects { Elements::Objects } else { Elements::Others };
        return (elements, 0, true);
    };
    let is_little = !code.starts_with('>');
    let code = code.trim_start_matches(['<', '>', '|', '=']);
    let mut letters = code.chars();
    let kind = letters.next().unwrap_or_default();
    let size: u64 = letters.as_str().parse().unwrap_or(0);
    let number = match (kind, size) {
        ('f', 2) => DType::Float16,
        ('f', 4) => DType::Float32,
        ('f', 8) => DType::Float64,
        ('i', 1) => DType::Int8,
        ('i', 2) => DType::Int16,
        ('i', 4) => DType::Int32,
        ('i', 8) => DType::Int64,
        ('u', 1) => DType::Uint8,
        ('u', 2) => DType::Uint16,
        ('u', 4) => DType::Uint32,
        ('u', 8) => DType::Uint64,
        ('b', 1) => DType::Bool,
        ('c', 8) => DType::Complex64,
        ('c', 16) => DType::Complex128,
        // Types that NumPy has no code for: brain floats are the only such weights of two bytes.
        ('V', 2) => DType::Bfloat16,
        ('U', size) => return (Elements::Texts, size.saturating_mul(4), is_little),
        ('S' | 'a', size) => return (Elements::Texts, size, is_little),
        ('O', _) => return (Elements::Objects, 0, is_little),
        (_, size) => return (Elements::Others, size, is_little),
    };
    (Elements::Numbers(number), size, is_little)
}

/// A tuple of sizes.
fn shape(text: &str) -> Option<Vec<u64>> {
    let (inside, _) = text.strip_prefix('(')?.split_once(')')?;
    let parts = inside.split(',').map(str::trim).filter(|part| !part.is_empty());
    let sizes: Option<Vec<u64>> = parts
        .take(MAX_RANK + 1)
        // The second version of Python writes long numbers so.
        .map(|part| part.trim_end_matches('L').parse().ok())
        .collect();
    sizes.filter(|sizes| sizes.len() <= MAX_RANK)
}
