//! HDF5: the structure of a file, and never its data.
//!
//! Groups, datasets and the texts in attributes are read, in the forms that the library has written
//! since 1998: superblocks 0 to 3, object headers 1 and 2, members in tables, messages or heaps. The
//! format is described at <https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html>.
//!
//! A file may refer to itself in circles, or state that tables overlap: each object is read once,
//! and the bytes that are read of a file are at most a small multiple of its size.

mod attribute;
mod bytes;
mod datatype;
mod dense;
mod group;
mod header;
mod object;

use std::collections::HashSet;

pub(crate) use attribute::Attribute;
use attribute::Texts;
pub(crate) use bytes::Problem;
use bytes::Store;
use calipers_ir::{Source, Span};
pub(crate) use datatype::{ElementKind, ElementType, Place};
use group::Target;
use object::Draft;

/// What a file begins with.
pub(crate) const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Groups inside groups.
const MAX_DEPTH: usize = 64;

/// Objects of a file.
const MAX_OBJECTS: usize = 1 << 18;

/// Bytes of all paths.
const MAX_PATHS: usize = 32 << 20;

/// Where a signature may be: at the start, or behind a block of the user's.
const STARTS: [u64; 4] = [0, 512, 1024, 2048];

/// Where the signature of an HDF5 file is among its first bytes.
pub(crate) fn signature_at(bytes: &[u8]) -> Option<u64> {
    let is_there = |start: &u64| {
        let start = usize::try_from(*start).unwrap_or(usize::MAX);
        bytes.get(start..).is_some_and(|bytes| bytes.starts_with(SIGNATURE))
    };
    STARTS.into_iter().find(is_there)
}

/// What a file has.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// Groups and datasets, each before what is in it.
    pub(crate) objects: Vec<Object>,
    /// Files that it refers to, where something else of it is.
    pub(crate) other_files: Vec<String>,
    /// What the superblock states as the size, where the file is smaller.
    pub(crate) stated_size: Option<u64>,
}

/// A group or a dataset.
#[derive(Debug, Default)]
pub(crate) struct Object {
    /// Its path, without a slash before; that of the first group is empty.
    pub(crate) path: String,
    /// Attributes that hold texts.
    pub(crate) attributes: Vec<Attribute>,
    /// The dataset, where it is one.
    pub(crate) dataset: Option<Dataset>,
}

/// A dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dataset {
    /// Type of the elements.
    pub(crate) element: ElementType,
    /// Dimensions; `None` for one without elements.
    pub(crate) dims: Option<Vec<u64>>,
    /// Where the elements are.
    pub(crate) place: Place,
    /// The bytes of the elements in the source, where they are one after another inside the file.
    pub(crate) span: Option<Span>,
}

impl Object {
    /// The texts of an attribute.
    pub(crate) fn texts(&self, name: &str) -> Option<&[String]> {
        let attribute = self.attributes.iter().find(|attribute| attribute.name == name)?;
        Some(&attribute.texts)
    }

    /// The text of an attribute that holds one.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.texts(name)?.first().map(String::as_str)
    }
}

/// Reads the structure of the HDF5 file in this part of a source.
pub(crate) fn read(source: &Source, window: Span) -> Result<Contents, Problem> {
    let mut store = Store::new(source.clone(), window);
    let mut contents = Contents::default();
    let root = superblock(&mut store, &mut contents)?;
    let texts = Texts::new();
    let mut seen = HashSet::new();
    let mut paths = MAX_PATHS;
    // Objects to be read, the next one last: path, address, depth.
    let mut open = vec![(String::new(), root, 0)];
    while let Some((path, address, depth)) = open.pop() {
        if !seen.insert(address) {
            continue;
        }
        let at = store.place(address).unwrap_or(address);
        if depth > MAX_DEPTH || contents.objects.len() >= MAX_OBJECTS {
            return Err(Problem::new(at, "the file has more groups than any model"));
        }
        let mut draft = Draft::default();
        draft.read(&store, &texts, address)?;
        draft.read_dense(&store, &texts)?;
        contents.other_files.extend(draft.other_file(&path));
        let links = std::mem::take(&mut draft.links);
        let mut members = Vec::with_capacity(links.len());
        for link in links {
            match link.target {
                Target::Object(address) => {
                    let length = path.len() + link.name.len() + 1;
                    let Some(left) = paths.checked_sub(length) else {
                        return Err(Problem::new(at, "the paths of the file are too long"));
                    };
                    paths = left;
                    let inside = match path.is_empty() {
                        true => link.name,
                        false => format!("{path}/{}", link.name),
                    };
                    members.push((inside, address, depth + 1));
                }
                Target::OtherFile(file) => contents.other_files.push(file),
                Target::Path => {}
            }
        }
        contents.objects.push(draft.finish(&store, path));
        open.extend(members.into_iter().rev());
    }
    Ok(contents)
}

/// Reads the superblock, and returns the address of the first group.
fn superblock(store: &mut Store, contents: &mut Contents) -> Result<u64, Problem> {
    let mut start = None;
    for place in STARTS {
        if store.up_to(place, 8)?.rest() == SIGNATURE {
            start = Some(place);
            break;
        }
    }
    let Some(start) = start else {
        return Err(Problem::new(0, "the signature of HDF5 is missing"));
    };
    let mut head = store.up_to(start, 128)?;
    head.skip(8)?;
    let version = head.u8()?;
    let is_first = version < 2;
    head.skip(if is_first { 4 } else { 0 })?;
    let (offsets, lengths) = (head.u8()?, head.u8()?);
    let [offsets, lengths] = [usize::from(offsets), usize::from(lengths)];
    if version > 3 || ![2, 4, 8].contains(&offsets) || ![2, 4, 8].contains(&lengths) {
        return Err(head.problem("the superblock is of a version that is not known"));
    }
    // Behind the sizes: widths of trees and flags in older files, flags in newer ones.
    let skipped = match version {
        0 => 9,
        1 => 13,
        _ => 1,
    };
    head.skip(skipped)?;
    let base = head.uint(offsets)?;
    head.skip(offsets)?;
    let end = head.uint(offsets)?;
    if is_first {
        // The driver's block, then the entry of the first group: its name, its header.
        head.skip(2 * offsets)?;
    }
    let root = head.uint(offsets)?;
    store.base = base;
    store.offsets = offsets;
    store.lengths = lengths;
    if end > store.size() {
        contents.stated_size = Some(end);
    }
    Ok(root)
}
