//! The index of a checkpoint: a sorted table of the tensors and where their bytes are.
//!
//! The table has the format of LevelDB: blocks of keys in order, each key without what it shares
//! with the one before, an index of the blocks, and a footer:
//! <https://github.com/google/leveldb/blob/main/doc/table_format.md>. The values are
//! `BundleEntryProto` of `tensor_bundle.proto`.

use std::collections::HashMap;

use calipers_ir::{DType, Source, Span};

use super::message::{dtype, integer, shape};
use crate::error::Trace;
use crate::wire::{Message, Part, Payload, varint};

/// Last bytes of a table.
const MAGIC: u64 = 0xdb47_7524_8b80_fb57;

/// Two places of blocks, padding, and [`MAGIC`].
const FOOTER: u64 = 48;

/// Bytes after a block: how it is compressed, and a checksum.
const TRAILER: u64 = 5;

/// Largest index that is read.
const MAX_BYTES: u64 = 1 << 28;

/// Tensors that a checkpoint may have, and bytes of all their names: names share their beginnings,
/// so a small table can hold very long ones.
const MAX_ENTRIES: usize = 1 << 20;
const MAX_KEYS: usize = 1 << 25;

/// Where a tensor of a checkpoint is.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) dtype: DType,
    pub(super) dims: Vec<i64>,
    pub(super) shard: i64,
    pub(super) offset: i64,
    pub(super) size: i64,
}

/// The tensors of a checkpoint.
#[derive(Debug, Default)]
pub(super) struct Bundle {
    /// Files that hold the bytes.
    pub(super) shards: i64,
    pub(super) entries: HashMap<String, Entry>,
    keys: usize,
}

/// Reads an index, or says what is wrong with it.
pub(super) fn read(source: &Source) -> Result<Bundle, String> {
    let size = source.size();
    if size > MAX_BYTES {
        return Err(format!("it has {size} bytes, more than any index"));
    }
    let Some(bytes) = source.slice(Span { start: 0, end: size }) else {
        return Err("its bytes cannot be read".to_owned());
    };
    let table = Table { bytes };
    let mut bundle = Bundle::default();
    for handle in table.index()? {
        let block = table.block(handle)?;
        each(block, |key, value| bundle.add(key, value))?;
    }
    Ok(bundle)
}

impl Bundle {
    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<(), String> {
        let damaged = |trace: Trace| trace.finish("", 0).to_string();
        let value = Part::new(value, 0);
        if key.is_empty() {
            self.shards = header(value).map_err(damaged)?;
            return Ok(());
        }
        self.keys += key.len();
        if self.entries.len() >= MAX_ENTRIES || self.keys > MAX_KEYS {
            return Err("it has more tensors than any checkpoint".to_owned());
        }
        let entry = entry(value).map_err(damaged)?;
        self.entries.insert(String::from_utf8_lossy(key).into_owned(), entry);
        Ok(())
    }
}

/// `BundleHeaderProto`: the number of files.
fn header(value: Part<'_>) -> Result<i64, Trace> {
    let mut shards = 0;
    for field in Message::from(value).fields() {
        let field = field?;
        if let (1, Payload::Varint(value)) = (field.number, field.payload) {
            shards = integer(value);
        }
    }
    Ok(shards)
}

/// `BundleEntryProto`.
fn entry(value: Part<'_>) -> Result<Entry, Trace> {
    let mut entry =
        Entry { dtype: DType::Undefined, dims: Vec::new(), shard: 0, offset: 0, size: 0 };
    for field in Message::from(value).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Varint(value)) => entry.dtype = dtype(integer(value)),
            (2, Payload::Bytes(part)) => entry.dims = shape(part)?.unwrap_or_default(),
            (3, Payload::Varint(value)) => entry.shard = integer(value),
            (4, Payload::Varint(value)) => entry.offset = integer(value),
            (5, Payload::Varint(value)) => entry.size = integer(value),
            _ => {}
        }
    }
    Ok(entry)
}

/// The place of a block.
#[derive(Clone, Copy)]
struct Handle {
    offset: u64,
    size: u64,
}

struct Table<'a> {
    bytes: &'a [u8],
}

impl<'a> Table<'a> {
    /// The places of the blocks that hold tensors.
    fn index(&self) -> Result<Vec<Handle>, String> {
        let footer = (self.bytes.len() as u64)
            .checked_sub(FOOTER)
            .and_then(|at| self.bytes.get(usize::try_from(at).ok()?..));
        let Some(footer) = footer else { return Err("it is too short".to_owned()) };
        let magic = footer.last_chunk::<8>().map(|magic| u64::from_le_bytes(*magic));
        if magic != Some(MAGIC) {
            return Err("it does not end as a table does".to_owned());
        }
        let (_, rest) = handle(footer)?;
        let (index, _) = handle(rest)?;
        let mut blocks: Vec<Handle> = Vec::new();
        let mut end = 0;
        each(self.block(index)?, |_, value| {
            let (block, _) = handle(value)?;
            // Blocks follow each other, so all that is read is at most the file.
            if block.offset < end {
                return Err("its blocks overlap".to_owned());
            }
            end = block.offset.saturating_add(block.size);
            blocks.push(block);
            Ok(())
        })?;
        Ok(blocks)
    }

    fn block(&self, at: Handle) -> Result<&'a [u8], String> {
        let end = at.offset.checked_add(at.size).and_then(|end| end.checked_add(TRAILER));
        let slice = end.and_then(|end| {
            self.bytes.get(usize::try_from(at.offset).ok()?..usize::try_from(end).ok()?)
        });
        let Some(slice) = slice else { return Err("a block reaches past its end".to_owned()) };
        let size = usize::try_from(at.size).unwrap_or(0);
        match (slice.get(..size), slice.get(size)) {
            (Some(block), Some(0)) => Ok(block),
            _ => Err("a block is compressed, which is not read".to_owned()),
        }
    }
}

fn handle(bytes: &[u8]) -> Result<(Handle, &[u8]), String> {
    let (offset, rest) = number(bytes)?;
    let (size, rest) = number(rest)?;
    Ok((Handle { offset, size }, rest))
}

fn number(bytes: &[u8]) -> Result<(u64, &[u8]), String> {
    let read = varint(bytes).and_then(|(value, length)| Some((value, bytes.get(length..)?)));
    read.ok_or_else(|| "a number does not end".to_owned())
}

/// The keys and values of a block.
fn each(
    block: &[u8],
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let short = || "a block is damaged".to_owned();
    let split = block.len().checked_sub(4).ok_or_else(short)?;
    let (rest, count) = block.split_at(split);
    let count = count.first_chunk::<4>().map_or(0, |count| u32::from_le_bytes(*count));
    // Places where a key is stored whole, for searches.
    let restarts = usize::try_from(count).ok().and_then(|count| count.checked_mul(4));
    let entries = restarts.and_then(|bytes| rest.len().checked_sub(bytes)).ok_or_else(short)?;
    let mut rest = rest.get(..entries).ok_or_else(short)?;
    let mut key: Vec<u8> = Vec::new();
    let mut copied = 0_usize;
    while !rest.is_empty() {
        let (shared, after) = number(rest)?;
        let (own, after) = number(after)?;
        let (length, after) = number(after)?;
        let own = usize::try_from(own).map_err(|_| short())?;
        let length = usize::try_from(length).map_err(|_| short())?;
        let (suffix, after) = after.split_at_checked(own).ok_or_else(short)?;
        let (value, after) = after.split_at_checked(length).ok_or_else(short)?;
        let shared = usize::try_from(shared).map_err(|_| short())?;
        if shared > key.len() {
            return Err(short());
        }
        key.truncate(shared);
        key.extend_from_slice(suffix);
        copied = copied.saturating_add(key.len());
        if copied > MAX_KEYS {
            return Err("its names are longer than those of any checkpoint".to_owned());
        }
        visit(&key, value)?;
        rest = after;
    }
    Ok(())
}
