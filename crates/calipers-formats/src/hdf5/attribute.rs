//! Attributes that hold texts: names, versions, and descriptions of networks.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::bytes::{Cursor, Problem, Store};
use super::datatype::{ElementKind, ElementType, dimensions, element_type};

/// Bytes of all texts that are kept of a file.
const MAX_TEXTS: usize = 16 << 20;

/// Bytes that one text costs next to its own.
const PER_TEXT: usize = 32;

/// The objects of a global heap: where they are, and how large.
type Heap = HashMap<u64, (u64, u64)>;

/// Texts that attributes hold, and how many bytes of them may still be kept.
pub(super) struct Texts {
    left: Cell<usize>,
    heaps: RefCell<HashMap<u64, Heap>>,
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    /// Its name.
    pub(crate) name: String,
    /// Its texts: one for a scalar.
    pub(crate) texts: Vec<String>,
}

impl Texts {
    pub(super) fn new() -> Self {
        Self { left: Cell::new(MAX_TEXTS), heaps: RefCell::new(HashMap::new()) }
    }

    /// A text of the file, cut at its first zero byte.
    pub(super) fn keep(&self, bytes: &[u8], at: &Cursor<'_>) -> Result<String, Problem> {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let text = bytes.get(..end).unwrap_or_default();
        let Some(left) = self.left.get().checked_sub(text.len() + PER_TEXT) else {
            return Err(at.problem("the file has more names and texts than any model"));
        };
        self.left.set(left);
        Ok(String::from_utf8_lossy(text).into_owned())
    }
}

/// The parts of an attribute message.
struct Parts<'a> {
    name: Cursor<'a>,
    datatype: Cursor<'a>,
    dataspace: Cursor<'a>,
    data: Cursor<'a>,
}

fn parts<'a>(mut body: Cursor<'a>) -> Result<Option<Parts<'a>>, Problem> {
    let version = body.u8()?;
    let flags = body.u8()?;
    let sizes = [body.count(2)?, body.count(2)?, body.count(2)?];
    match version {
        1 | 2 => {}
        3 => body.skip(1)?,
        _ => return Ok(None),
    }
    // Types that many attributes share are in an object of their own; none with texts are.
    if version > 1 && flags & 3 != 0 {
        return Ok(None);
    }
    let mut part = |size: usize| {
        let part = body.part(size)?;
        let padded = if version == 1 { size.next_multiple_of(8) } else { size };
        body.skip((padded - size).min(body.len()))?;
        Ok(part)
    };
    let [name, datatype, dataspace] = [part(sizes[0])?, part(sizes[1])?, part(sizes[2])?];
    Ok(Some(Parts { name, datatype, dataspace, data: body }))
}

/// Reads an attribute message; `None` for an attribute that holds no texts.
pub(super) fn attribute(
    store: &Store,
    texts: &Texts,
    body: Cursor<'_>,
) -> Result<Option<Attribute>, Problem> {
    let Some(parts) = parts(body)? else { return Ok(None) };
    let element = element_type(parts.datatype)?;
    if !matches!(element.kind, ElementKind::FixedText | ElementKind::HeapText) {
        return Ok(None);
    }
    let Some(dims) = dimensions(parts.dataspace)? else { return Ok(None) };
    let count = dims.iter().try_fold(1_u64, |count, dim| count.checked_mul(*dim));
    let Some(count) = count else {
        return Err(parts.data.problem("an attribute has more elements than fit 64 bits"));
    };
    let name = texts.keep(parts.name.rest(), &parts.name)?;
    let texts = elements(store, texts, parts.data, element, count)?;
    Ok(Some(Attribute { name, texts }))
}

fn elements(
    store: &Store,
    texts: &Texts,
    mut data: Cursor<'_>,
    element: ElementType,
    count: u64,
) -> Result<Vec<String>, Problem> {
    let mut found = Vec::new();
    let size = usize::try_from(element.size).unwrap_or(usize::MAX);
    for _ in 0..count {
        let mut one = data.part(size)?;
        let text = match element.kind {
            ElementKind::FixedText => texts.keep(one.rest(), &one)?,
            _ => {
                let length = one.count(4)?;
                let address = one.address()?;
                let index = one.uint(4)?;
                match address {
                    Some(address) if length > 0 => {
                        let object = heap_object(store, texts, address, index)?;
                        let text = object.rest().get(..length).unwrap_or(object.rest());
                        texts.keep(text, &object)?
                    }
                    _ => texts.keep(b"", &one)?,
                }
            }
        };
        found.push(text);
    }
    Ok(found)
}

/// An object of a global heap.
fn heap_object<'s>(
    store: &'s Store,
    texts: &Texts,
    address: u64,
    index: u64,
) -> Result<Cursor<'s>, Problem> {
    let mut heaps = texts.heaps.borrow_mut();
    let heap = match heaps.entry(address) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(place) => place.insert(heap(store, address)?),
    };
    match heap.get(&index) {
        Some((data, size)) => store.block(*data, *size),
        None => {
            let at = store.place(address).unwrap_or(address);
            Err(Problem::new(at, format!("object {index} of a global heap is missing")))
        }
    }
}

/// Reads where the objects of a global heap are. Only their heads are read.
fn heap(store: &Store, address: u64) -> Result<Heap, Problem> {
    let head_size = 8 + store.lengths as u64;
    let mut head = store.block(address, head_size)?;
    head.mark(b"GCOL", "a global heap")?;
    head.skip(4)?;
    let size = head.length()?;
    let mut objects = Heap::new();
    let mut at = address.saturating_add(head_size);
    let end = address.saturating_add(size);
    while at.saturating_add(head_size) <= end {
        let mut object = store.block(at, head_size)?;
        let index = object.uint(2)?;
        object.skip(6)?;
        let size = object.length()?;
        if index == 0 {
            break;
        }
        let data = at.saturating_add(head_size);
        objects.insert(index, (data, size));
        at = data.saturating_add(size.checked_next_multiple_of(8).unwrap_or(u64::MAX));
    }
    Ok(objects)
}
