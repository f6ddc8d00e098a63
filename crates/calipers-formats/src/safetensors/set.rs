//! Putting the tensors of a file, or of all shards of a set, into one model.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use calipers_ir::assembly::Assembly;
use calipers_ir::{
    Data, DataFileState, GraphId, Model, ModelBuilder, NameId, Source, Span, TensorId,
};

use super::configs::Configs;
use super::header::{self, Entry, Header, MAX_TENSORS};
use super::index::{self, Index};
use super::{describe, packing};
use crate::Error;
use crate::elements::StoredElements;
use crate::external::{self, DataFiles, Reference};
use crate::folder::Folder;
use crate::misstated::{Misstated, Places};
use crate::parts::Part;

/// Ends beyond this are of no file, and would overflow where they are added to.
const MAX_END: u64 = 1 << 62;

/// A model on its way: tensors of one file or of several.
pub(super) struct Set {
    pub(super) builder: ModelBuilder,
    graph: GraphId,
    folder: Option<Arc<dyn Folder>>,
    files: DataFiles,
    names: HashSet<NameId>,
    /// Free metadata that was added.
    pairs: HashSet<(String, String)>,
    stored: Vec<TensorId>,
    misstated: Misstated,
}

/// Where the tensors of a header are.
#[derive(Clone, Copy)]
enum Holder {
    /// In the model file.
    Model,
    /// In a data file.
    File(usize),
}

impl Set {
    pub(super) fn new(source: &Source, folder: Option<Arc<dyn Folder>>) -> Result<Self, Error> {
        let mut builder = ModelBuilder::default();
        builder.source = source.clone();
        builder.decoder = Some(&StoredElements);
        let graph = builder.add_main_graph()?;
        Ok(Self {
            builder,
            graph,
            folder,
            files: DataFiles::default(),
            names: HashSet::new(),
            pairs: HashSet::new(),
            stored: Vec::new(),
            misstated: Misstated::default(),
        })
    }

    /// Adds the tensors of the model file.
    pub(super) fn add_file(&mut self, source: &Source, name: &str) -> Result<(), Error> {
        let header = header::read(source)?;
        self.add_metadata(&header.metadata);
        self.add_header(&header, name, source.size(), Holder::Model)?;
        if let Some(part) = Part::parse(name).filter(|part| part.count > 1) {
            let Part { number, count, .. } = part;
            let place = format!("{number} of {count}");
            self.builder.header.metadata.push(("shard".to_owned(), place));
            self.misstated.note("shard", || {
                format!(
                    "{name} is shard {number} of {count}: tensors of the other shards are not \
                     counted; open the index of the set, or its folder"
                )
            });
        }
        Ok(())
    }

    /// Adds the tensors of all shards that an index names.
    pub(super) fn add_index(&mut self, source: &Source) -> Result<(), Error> {
        let index = index::read(source)?;
        self.add_metadata(&index.metadata);
        let locations: Vec<NameId> =
            index.shards.iter().map(|shard| self.builder.names.intern(shard)).collect();
        let files: Vec<usize> =
            locations.iter().map(|name| self.files.file(*name, &self.builder.names)).collect();
        if let Some(folder) = self.folder.clone() {
            self.files.check_files(&*folder, &self.builder.names);
        }
        // Tensors of the index that no header was seen to have.
        let mut expected: Vec<HashSet<&str>> = vec![HashSet::new(); index.shards.len()];
        for (name, shard) in &index.tensors {
            if let Some(names) = expected.get_mut(*shard) {
                names.insert(name.as_ref());
            }
        }
        let mut is_read = vec![false; index.shards.len()];
        for (place, shard) in index.shards.iter().enumerate() {
            let Some(names) = expected.get_mut(place) else { continue };
            let file = files.get(place).copied().unwrap_or_default();
            let read = self.add_shard(shard, file, names)?;
            if let Some(is_read) = is_read.get_mut(place) {
                *is_read = read;
            }
        }
        self.note_absent(&index, &expected, &is_read);
        if is_read.iter().all(|read| *read) {
            self.check_total(&index);
        }
        Ok(())
    }

    /// Adds the tensors of a shard and removes their names from `expected`. Whether it was read.
    fn add_shard(
        &mut self,
        name: &str,
        file: usize,
        expected: &mut HashSet<&str>,
    ) -> Result<bool, Error> {
        let is_present = self
            .files
            .files
            .get(file)
            .is_some_and(|file| matches!(file.state, DataFileState::Present(_)));
        let Some(folder) = self.folder.clone().filter(|_| is_present) else { return Ok(false) };
        let source = match external::open(&*folder, name) {
            Ok(source) => source,
            Err(error) => {
                self.misstated.note("unread", || format!("{name} cannot be read: {error}"));
                return Ok(false);
            }
        };
        let header = header::read(&source);
        crate::check_complete(&source)?;
        let header = match header {
            Ok(header) => header,
            Err(error) => {
                self.misstated.note("damaged", || format!("{name}: {error}"));
                return Ok(false);
            }
        };
        for tensor in &header.tensors {
            if !expected.remove(tensor.name.as_ref()) {
                self.misstated.note("unlisted", || {
                    format!("{name} has {:?}, which the index does not place there", tensor.name)
                });
            }
        }
        self.add_metadata(&header.metadata);
        self.add_header(&header, name, source.size(), Holder::File(file))?;
        Ok(true)
    }

    /// Notes the tensors of an index that no header describes.
    fn note_absent(&mut self, index: &Index<'_>, expected: &[HashSet<&str>], is_read: &[bool]) {
        let unread = |place: &usize| is_read.get(*place) == Some(&false);
        let absent: Vec<usize> = (0..index.shards.len()).filter(unread).collect();
        let count = |place: &usize| expected.get(*place).map_or(0, HashSet::len);
        if let [first, ..] = absent.as_slice() {
            let tensors: usize = absent.iter().map(count).sum();
            let first = index.shards.get(*first).map_or("", |name| name.as_ref());
            self.builder
                .header
                .metadata
                .push(("tensors in missing shards".to_owned(), tensors.to_string()));
            self.misstated.note("missing", || {
                format!(
                    "{} of {} shards could not be read, the first {first}: the types and shapes \
                     of {tensors} tensors of the index, and so their parameters, are not known",
                    absent.len(),
                    index.shards.len()
                )
            });
        }
        for (place, shard) in index.shards.iter().enumerate().filter(|(place, _)| !unread(place)) {
            let Some(name) = expected.get(place).and_then(|names| names.iter().min()) else {
                continue;
            };
            let others = count(&place).saturating_sub(1);
            self.misstated.note("not in its shard", || {
                format!("the index places {name:?} and {others} other tensors in {shard}, which does not have them")
            });
        }
    }

    /// Holds the size that an index states against the tensors.
    fn check_total(&mut self, index: &Index<'_>) {
        let stated = index.metadata.iter().find(|(key, _)| key == "total_size");
        let Some(stated) = stated.and_then(|(_, text)| text.parse::<u64>().ok()) else { return };
        let bytes = |id: &TensorId| self.builder.tensor(*id).bytes();
        let total = self.stored.iter().try_fold(0_u64, |sum, id| sum.checked_add(bytes(id)?));
        if let Some(total) = total.filter(|total| *total != stated) {
            self.misstated.note("total", || {
                format!(
                    "the index states a total size of {stated} bytes, and the tensors have {total}"
                )
            });
        }
    }

    /// Adds free metadata. Shards repeat what the others have.
    fn add_metadata(&mut self, pairs: &[(String, String)]) {
        const MAX_PAIRS: usize = 4096;
        for pair in pairs {
            if self.pairs.len() < MAX_PAIRS && self.pairs.insert(pair.clone()) {
                self.builder.header.metadata.push(pair.clone());
            }
        }
    }

    fn add_header(
        &mut self,
        header: &Header<'_>,
        file: &str,
        size: u64,
        holder: Holder,
    ) -> Result<(), Error> {
        let mut spans = Vec::with_capacity(header.tensors.len());
        for entry in &header.tensors {
            let span = self.span_of(entry, header.data_from);
            spans.extend(span.map(|span| (entry.name.as_ref(), span)));
            self.check_entry(entry);
            let name = self.builder.names.intern(&entry.name);
            if !self.names.insert(name) {
                self.misstated.note("twice", || {
                    format!("{:?} is described twice: the first one is shown", entry.name)
                });
                continue;
            }
            if self.stored.len() >= MAX_TENSORS {
                let problem = format!("the set has more than {MAX_TENSORS} tensors");
                return Err(Error::damaged(0, file, &problem));
            }
            let data = match (span, holder) {
                (None, _) => Data::Absent,
                (Some(span), Holder::Model) => Data::Raw(span),
                (Some(span), Holder::File(file)) => self.external(file, span),
            };
            let dtype = entry.dtype.as_ref().copied().unwrap_or_default();
            let mut assembly = Assembly::new(&mut self.builder, self.graph);
            self.stored.push(assembly.add_stored(name, dtype, &entry.dims, data)?);
        }
        let places = Places { file, size, data_from: header.data_from, padding: 0, tensors: spans };
        places.check(&mut self.misstated);
        Ok(())
    }

    /// The place of a tensor in its file.
    fn span_of(&mut self, entry: &Entry<'_>, data_from: u64) -> Option<Span> {
        let [start, end] = entry.offsets.map(|offset| data_from.checked_add(offset));
        let span = start.zip(end).filter(|(start, end)| start <= end && *end <= MAX_END);
        if span.is_none() {
            self.misstated.note("place", || {
                let [start, end] = entry.offsets;
                format!("{:?} has its data from {start} to {end}, where no data can be", entry.name)
            });
        }
        span.map(|(start, end)| Span { start, end })
    }

    /// Holds the size of a tensor against its type and shape.
    fn check_entry(&mut self, entry: &Entry<'_>) {
        let dtype = match &entry.dtype {
            Ok(dtype) => *dtype,
            Err(written) => {
                self.misstated.note("type", || {
                    format!(
                        "{:?} has the type {written:?}, which the format does not define",
                        entry.name
                    )
                });
                return;
            }
        };
        let elements = || {
            let zero = entry.dims.contains(&0);
            let product =
                || entry.dims.iter().try_fold(1_u64, |n, dim| n.checked_mul(dim.unsigned_abs()));
            if zero { Some(0) } else { product() }
        };
        let needed = elements().and_then(|elements| dtype.bytes(elements));
        let [start, end] = entry.offsets;
        if needed.is_none() || end.checked_sub(start) != needed {
            self.misstated.note("bytes", || {
                let needed = needed.map_or("more than 2^64".to_owned(), |bytes| bytes.to_string());
                let stored = end.saturating_sub(start);
                format!(
                    "the shape of {:?} takes {needed} bytes, and its data has {stored}",
                    entry.name
                )
            });
        }
    }

    fn external(&mut self, file: usize, span: Span) -> Data {
        let location = self.files.files.get(file).map(|file| file.location);
        let reference = Reference {
            location,
            offset: Some(span.start.to_string()),
            length: Some(span.len().to_string()),
            unknown_keys: Vec::new(),
        };
        let mut external = self.files.resolve(reference, &self.builder.names);
        external.problem = self.files.range_problem(&external);
        Data::External(Box::new(external))
    }

    /// Finds what each tensor is, reads the descriptions next to the file, and returns the model.
    pub(super) fn finish(self) -> Result<Model, Error> {
        let Self { mut builder, graph, folder, files, stored, mut misstated, names, pairs } = self;
        drop((names, pairs));
        let configs = match folder {
            Some(folder) => Configs::read(&*folder, &mut misstated)?,
            None => Configs::default(),
        };
        builder.data_files = files.files;
        builder.stored_weights = packing::weights(&builder, &stored, &configs);
        let mut assembly = Assembly::new(&mut builder, graph);
        describe::describe(&mut assembly, &configs, &stored)?;
        builder.hazards.extend(misstated.hazards());
        Ok(builder.finish()?)
    }
}

/// Tensors by name.
pub(super) fn by_name(builder: &ModelBuilder, stored: &[TensorId]) -> HashMap<NameId, TensorId> {
    stored.iter().map(|id| (builder.tensor(*id).name, *id)).collect()
}
