//! Stored elements as floats, from any position on.

use calipers_ir::{DType, Source, Span};

use crate::stats::count;
use crate::vectors::vectorized;
use crate::{bytes, kernel};

/// Elements that are decoded together.
pub(crate) const BLOCK: usize = 2048;

/// Where the elements of a tensor are: little-endian, packed.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a> {
    /// Type of an element.
    pub dtype: DType,
    /// The file that holds them.
    pub source: &'a Source,
    /// Where in that file.
    pub span: Span,
}

impl<'a> Elements<'a> {
    /// Number of elements that the span holds; `None` where the type is not a number or the span
    /// lies outside the file.
    pub fn capacity(&self) -> Option<u64> {
        let bits = u64::from(self.dtype.bits().filter(|_| is_number(self.dtype))?);
        let bytes = self.source.slice(self.span)?.len() as u64;
        // Eight bits divide every width but those below a byte, which divide eight.
        Some(if bits < 8 { bytes.saturating_mul(8 / bits) } else { bytes / (bits / 8) })
    }

    pub(crate) fn reader(&self) -> Option<Reader<'a>> {
        let bytes = self.source.slice(self.span).filter(|_| is_number(self.dtype))?;
        Some(Reader { dtype: self.dtype, bytes, codes: Codes::new(self.dtype) })
    }
}

/// Whether elements of this type can be read as numbers.
pub fn is_number(dtype: DType) -> bool {
    bytes::is_byte(dtype) || kernel::stats(&[], dtype).is_some()
}

/// Whether every element of this type is a float32, exactly.
pub(crate) fn is_single(dtype: DType) -> bool {
    use DType::*;
    !matches!(dtype, Float64 | Int32 | Uint32 | Int64 | Uint64)
}

/// Reads runs of elements.
pub(crate) struct Reader<'a> {
    pub(crate) dtype: DType,
    pub(crate) bytes: &'a [u8],
    codes: Codes,
}

/// The elements in each byte, for types of a byte or less whose values are looked up.
enum Codes {
    None,
    One(Box<[[f32; 1]; 256]>),
    Two(Box<[[f32; 2]; 256]>),
    Four(Box<[[f32; 4]; 256]>),
}

impl Codes {
    fn new(dtype: DType) -> Self {
        match dtype.bits() {
            // Converting them is faster.
            _ if matches!(dtype, DType::Int8 | DType::Uint8) => Self::None,
            Some(8) if bytes::is_byte(dtype) => Self::One(bytes::table(dtype)),
            Some(4) => Self::Two(bytes::table(dtype)),
            Some(2) => Self::Four(bytes::table(dtype)),
            _ => Self::None,
        }
    }
}

impl Reader<'_> {
    /// Reads elements from `start` on as float32; wide types are rounded. Elements past the end
    /// are left as they are: callers check the length first.
    #[expect(clippy::cast_possible_truncation, reason = "wide elements are rounded to float32")]
    #[expect(clippy::cast_precision_loss, reason = "wide elements are rounded to float32")]
    pub(crate) fn singles(&self, start: usize, out: &mut [f32]) {
        use DType::*;
        match &self.codes {
            Codes::One(table) => return look_up(self.bytes, table, start, out),
            Codes::Two(table) => return look_up(self.bytes, table, start, out),
            Codes::Four(table) => return look_up(self.bytes, table, start, out),
            Codes::None => {}
        }
        match self.dtype {
            Float32 => read(self.bytes, start, out, f32::from_le_bytes),
            Float16 => {
                let halves = run::<2>(self.bytes, start);
                let length = halves.len().min(out.len());
                kernel::widen(&halves[..length], &mut out[..length]);
            }
            Bfloat16 => read(self.bytes, start, out, |bytes: [u8; 2]| {
                f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16)
            }),
            Int8 => signed_bytes(run::<1>(self.bytes, start), out),
            Uint8 => unsigned_bytes(run::<1>(self.bytes, start), out),
            Int16 => read(self.bytes, start, out, |bytes| f32::from(i16::from_le_bytes(bytes))),
            Uint16 => read(self.bytes, start, out, |bytes| f32::from(u16::from_le_bytes(bytes))),
            Int32 => read(self.bytes, start, out, |bytes| i32::from_le_bytes(bytes) as f32),
            Uint32 => read(self.bytes, start, out, |bytes| u32::from_le_bytes(bytes) as f32),
            Int64 => read(self.bytes, start, out, |bytes| i64::from_le_bytes(bytes) as f32),
            Uint64 => read(self.bytes, start, out, |bytes| u64::from_le_bytes(bytes) as f32),
            Float64 => read(self.bytes, start, out, |bytes| f64::from_le_bytes(bytes) as f32),
            _ => {}
        }
    }

    /// The same as float64; integers beyond 53 bits are rounded.
    #[expect(clippy::cast_precision_loss, reason = "figures are rounded to 53 bits")]
    pub(crate) fn doubles(&self, start: usize, out: &mut [f64]) {
        use DType::*;
        match self.dtype {
            Float64 => read(self.bytes, start, out, f64::from_le_bytes),
            Int32 => read(self.bytes, start, out, |bytes| f64::from(i32::from_le_bytes(bytes))),
            Uint32 => read(self.bytes, start, out, |bytes| f64::from(u32::from_le_bytes(bytes))),
            Int64 => read(self.bytes, start, out, |bytes| i64::from_le_bytes(bytes) as f64),
            Uint64 => read(self.bytes, start, out, |bytes| count(u64::from_le_bytes(bytes))),
            _ => {
                let mut buffer = [0.0; BLOCK];
                for (at, part) in out.chunks_mut(BLOCK).enumerate() {
                    let singles = &mut buffer[..part.len()];
                    self.singles(start + at * BLOCK, singles);
                    for (double, single) in part.iter_mut().zip(singles) {
                        *double = f64::from(*single);
                    }
                }
            }
        }
    }

    /// The bytes of a run of elements that begins and ends between bytes.
    pub(crate) fn run_bytes(&self, start: usize, length: usize) -> Option<&[u8]> {
        let bits = usize::try_from(self.dtype.bits()?).ok()?;
        let (from, to) = (start.checked_mul(bits)?, start.checked_add(length)?.checked_mul(bits)?);
        (from.is_multiple_of(8) && to.is_multiple_of(8)).then_some(())?;
        self.bytes.get(from / 8..to / 8)
    }
}

/// The elements from `start` on.
fn run<const N: usize>(bytes: &[u8], start: usize) -> &[[u8; N]] {
    let from = start.saturating_mul(N).min(bytes.len());
    bytes[from..].as_chunks::<N>().0
}

fn read<T, const N: usize>(
    bytes: &[u8],
    start: usize,
    out: &mut [T],
    convert: impl Fn([u8; N]) -> T,
) {
    for (out, bytes) in out.iter_mut().zip(run::<N>(bytes, start)) {
        *out = convert(*bytes);
    }
}

vectorized! {
    fn signed_bytes(bytes: &[[u8; 1]], out: &mut [f32]) {
        for (out, [byte]) in out.iter_mut().zip(bytes) {
            *out = f32::from(byte.cast_signed());
        }
    }
}

vectorized! {
    fn unsigned_bytes(bytes: &[[u8; 1]], out: &mut [f32]) {
        for (out, [byte]) in out.iter_mut().zip(bytes) {
            *out = f32::from(*byte);
        }
    }
}

/// Looks up elements from `start` on in a table of the elements of each byte.
fn look_up<const N: usize>(bytes: &[u8], table: &[[f32; N]; 256], start: usize, out: &mut [f32]) {
    let mut values = bytes.get(start / N..).unwrap_or_default().iter();
    let mut next = || values.next().map(|byte| &table[usize::from(*byte)]);
    let mut rest = out;
    if !start.is_multiple_of(N) {
        let Some(part) = next().map(|all| &all[start % N..]) else { return };
        let (head, left) = rest.split_at_mut(part.len().min(rest.len()));
        head.copy_from_slice(&part[..head.len()]);
        rest = left;
    }
    let (whole, tail) = rest.as_chunks_mut::<N>();
    for out in whole {
        let Some(all) = next() else { return };
        *out = *all;
    }
    if let Some(all) = next().filter(|_| !tail.is_empty()) {
        tail.copy_from_slice(&all[..tail.len()]);
    }
}
