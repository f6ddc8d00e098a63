//! One file: its metadata, and the tensors that it describes.
//!
//! The format is described at <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.

use std::borrow::Cow;

use calipers_ir::{DType, Source, Span};
use calipers_networks::Meta;

use super::cursor::Cursor;
use super::types::dtype_of;
use super::value::{self, Left, Value};
use crate::Error;

/// Pairs of metadata; files have less than 100.
const MAX_PAIRS: u64 = 1 << 14;

/// Tensors that a file, or a set of files, may have; the experts of a layer are one.
pub(super) const MAX_TENSORS: usize = 1 << 16;

/// Dimensions of a tensor, as ggml has them.
const MAX_DIMS: u32 = 4;

/// The alignment of tensors where the file states none.
const DEFAULT_ALIGNMENT: u64 = 32;

/// Where tensors of the format begin a file.
pub(super) const MAGIC: &[u8] = b"GGUF";

/// A file whose header was read.
#[derive(Debug)]
pub(super) struct File<'a> {
    pub(super) version: u32,
    pub(super) is_big_endian: bool,
    pub(super) metadata: Vec<(Cow<'a, str>, Value<'a>)>,
    pub(super) tensors: Vec<Info<'a>>,
    /// The alignment that is stated, where tensors cannot be aligned so.
    pub(super) bad_alignment: Option<String>,
    pub(super) alignment: u64,
    /// Where the data begins: offsets are counted from here.
    pub(super) data_from: u64,
}

/// A tensor as the file describes it.
#[derive(Debug)]
pub(super) struct Info<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) dtype: DType,
    /// Dimensions, the slowest first, as other formats have them.
    pub(super) dims: Box<[i64]>,
    pub(super) offset: u64,
}

impl Info<'_> {
    /// Bytes that it takes: a row is a whole number of blocks. `None` where the type is not known,
    /// or where they do not fit 64 bits.
    pub(super) fn bytes(&self) -> Option<u64> {
        if self.dims.contains(&0) {
            return Some(0);
        }
        let (columns, rows) = self.dims.split_last().unwrap_or((&1, &[]));
        let row = self.dtype.bytes(columns.unsigned_abs())?;
        rows.iter().try_fold(row, |bytes, dim| bytes.checked_mul(dim.unsigned_abs()))
    }

    /// Numbers that it holds; `None` where they do not fit 64 bits.
    pub(super) fn elements(&self) -> Option<u64> {
        if self.dims.contains(&0) {
            return Some(0);
        }
        self.dims.iter().try_fold(1_u64, |product, dim| product.checked_mul(dim.unsigned_abs()))
    }

    /// Whether its rows are whole numbers of blocks.
    pub(super) fn is_whole(&self) -> bool {
        let DType::Block(format) = self.dtype else { return true };
        let columns = self.dims.last().map_or(1, |dim| dim.unsigned_abs());
        columns.is_multiple_of(format.block_elements())
    }
}

impl<'a> File<'a> {
    /// Reads the header of a file.
    pub(super) fn read(source: &'a Source) -> Result<Self, Error> {
        let mut from = Cursor::new(source);
        from.expect(1 << 16);
        from.skip(MAGIC.len() as u64, "its mark")?;
        let version = read_version(&mut from)?;
        let tensor_count = from.count("the count of tensors")?;
        let pair_count = from.count("the count of metadata")?;
        for (what, count, most) in [
            ("pairs of metadata", pair_count, MAX_PAIRS),
            ("tensors", tensor_count, MAX_TENSORS as u64),
        ] {
            if count > most {
                let problem = format!("it states {count} {what}, and at most {most} are read");
                return Err(from.damaged("the header", &problem));
            }
        }
        let mut metadata = Vec::new();
        let mut left = Left::default();
        for _ in 0..pair_count {
            let key = from.name("a key of the metadata")?;
            let number = from.u32("a value of the metadata")?;
            metadata.push((key, value::read(&mut from, number, &mut left)?));
        }
        let mut tensors = Vec::new();
        for _ in 0..tensor_count {
            tensors.push(read_info(&mut from)?);
        }
        let mut file = Self {
            version,
            is_big_endian: from.is_big_endian,
            metadata,
            tensors,
            bad_alignment: None,
            alignment: DEFAULT_ALIGNMENT,
            data_from: 0,
        };
        match file.find("general.alignment").map(Value::meta) {
            None => {}
            Some(Meta::Int(stated)) if stated.count_ones() == 1 && stated > 0 => {
                file.alignment = stated.unsigned_abs();
            }
            Some(stated) => file.bad_alignment = Some(format!("{stated:?}")),
        }
        file.data_from = from.at.checked_next_multiple_of(file.alignment).unwrap_or(u64::MAX);
        Ok(file)
    }

    /// A value of the metadata.
    pub(super) fn find(&self, key: &str) -> Option<&Value<'a>> {
        self.metadata.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// A number of the metadata.
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        match self.find(key)?.meta() {
            Meta::Int(value) => u64::try_from(value).ok(),
            _ => None,
        }
    }

    /// A text of the metadata.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match self.find(key)?.meta() {
            Meta::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A place in the header, to read it again.
    pub(super) fn cursor<'s>(&self, source: &'s Source, at: u64) -> Option<Cursor<'s>> {
        let mut cursor = Cursor::new(source);
        cursor.is_big_endian = self.is_big_endian;
        cursor.is_short = self.version == 1;
        cursor.skip(at, "the header").ok()?;
        Some(cursor)
    }

    /// The place of a tensor in the file.
    pub(super) fn span_of(&self, info: &Info<'_>) -> Option<Span> {
        // Ends beyond this are of no file, and would overflow where they are added to.
        const MAX_END: u64 = 1 << 62;
        let start = self.data_from.checked_add(info.offset)?;
        let end = start.checked_add(info.bytes()?)?;
        (end <= MAX_END).then_some(Span { start, end })
    }
}

/// Reads the version, which shows the order of bytes: no version is larger than 16 bits.
fn read_version(from: &mut Cursor<'_>) -> Result<u32, Error> {
    let mut version = from.u32("the version")?;
    if version & 0xffff == 0 {
        from.is_big_endian = true;
        version = version.swap_bytes();
    }
    if !(1..=3).contains(&version) {
        let problem = format!("the version is {version}, and versions 1 to 3 are read");
        return Err(Error::damaged(4, "the header", &problem));
    }
    from.is_short = version == 1;
    Ok(version)
}

fn read_info<'a>(from: &mut Cursor<'a>) -> Result<Info<'a>, Error> {
    const WHAT: &str = "the description of a tensor";
    let name = from.name("the name of a tensor")?;
    let rank = from.u32(WHAT)?;
    if rank > MAX_DIMS {
        let problem =
            format!("{name:?} has {rank} dimensions, and the format has up to {MAX_DIMS}");
        return Err(from.damaged("the header", &problem));
    }
    let mut dims = Vec::new();
    for _ in 0..rank {
        let dim = from.count(WHAT)?;
        let dim = i64::try_from(dim);
        dims.push(dim.map_err(|_| {
            from.damaged("the header", &format!("{name:?} has a dimension of 2^63 or more"))
        })?);
    }
    dims.reverse();
    let dtype = dtype_of(from.u32(WHAT)?);
    let offset = from.u64(WHAT)?;
    Ok(Info { name, dtype, dims: dims.into(), offset })
}
