//! Putting the tensors of a file, or of all parts of a split one, into one model.

use std::collections::HashSet;
use std::sync::Arc;

use calipers_ir::assembly::Assembly;
use calipers_ir::{
    DType, Data, DataFileState, GraphId, Hazard, Model, ModelBuilder, NameId, Source, Span,
    StoredIn, StoredWeight, Tensor, TensorId, WeightRole,
};

use super::big_endian::BigEndianElements;
use super::file::{File, Info, MAX_TENSORS};
use super::{describe, metadata};
use crate::Error;
use crate::elements::StoredElements;
use crate::external::{self, DataFiles, Reference};
use crate::folder::Folder;
use crate::misstated::{Misstated, Places};
use crate::parts::Part;

/// Parts that a split file may have.
const MAX_PARTS: u64 = 1024;

/// A model on its way.
pub(super) struct Set<'a> {
    pub(super) builder: ModelBuilder,
    graph: GraphId,
    folder: Option<Arc<dyn Folder>>,
    files: DataFiles,
    names: HashSet<NameId>,
    stored: Vec<TensorId>,
    misstated: Misstated,
    file: &'a File<'a>,
}

impl<'a> Set<'a> {
    pub(super) fn new(
        source: &Source,
        folder: Option<Arc<dyn Folder>>,
        file: &'a File<'a>,
    ) -> Result<Self, Error> {
        let mut builder = ModelBuilder::default();
        builder.source = source.clone();
        builder.decoder = match file.is_big_endian {
            true => Some(&BigEndianElements),
            false => Some(&StoredElements),
        };
        let graph = builder.add_main_graph()?;
        Ok(Self {
            builder,
            graph,
            folder,
            files: DataFiles::default(),
            names: HashSet::new(),
            stored: Vec::new(),
            misstated: Misstated::default(),
            file,
        })
    }

    /// Adds the tensors of the model file, and of the parts that belong to it.
    pub(super) fn add(&mut self, source: &Source, name: &str) -> Result<(), Error> {
        self.add_tensors(self.file, name, source.size(), None)?;
        let count = self.file.number("split.count").unwrap_or(1);
        if count > 1 {
            match self.file.number("split.no") {
                Some(0) => self.add_parts(name, count)?,
                number => {
                    let place = number
                        .map_or("?".to_owned(), |number| number.saturating_add(1).to_string());
                    self.misstated.note("part", || {
                        format!(
                            "{name} is part {place} of {count}: tensors of the other parts are not \
                             counted; open the first part"
                        )
                    });
                }
            }
        }
        Ok(())
    }

    /// Adds the tensors of the other parts.
    fn add_parts(&mut self, name: &str, count: u64) -> Result<(), Error> {
        let part =
            Part::parse(name).filter(|part| part.number == 1 && u64::from(part.count) == count);
        let Some(part) = part.filter(|_| count <= MAX_PARTS) else {
            self.misstated.note("part", || {
                format!(
                    "{name} is the first of {count} parts, and its name does not say so: tensors \
                     of the other parts are not counted"
                )
            });
            return Ok(());
        };
        let names: Vec<String> = (2..=part.count).map(|number| part.name_of(number)).collect();
        let mut files = Vec::with_capacity(names.len());
        for name in &names {
            let location = self.builder.names.intern(name);
            files.push(self.files.file(location, &self.builder.names));
        }
        if let Some(folder) = self.folder.clone() {
            self.files.check_files(&*folder, &self.builder.names);
        }
        let mut absent = Vec::new();
        for (name, file) in names.iter().zip(files) {
            if !self.add_part(name, file)? {
                absent.push(name);
            }
        }
        let stated = self.file.number("split.tensors.count");
        let read = self.stored.len() as u64;
        if let Some(first) = absent.first() {
            let missing = stated.and_then(|stated| stated.checked_sub(read));
            let missing = missing.map_or("their".to_owned(), |missing| format!("{missing}"));
            self.builder
                .header
                .metadata
                .push(("tensors in missing parts".to_owned(), missing.clone()));
            self.misstated.note("missing", || {
                format!(
                    "{} of {count} parts could not be read, the first {first}: {missing} tensors \
                     are not counted",
                    absent.len()
                )
            });
        } else if let Some(stated) = stated.filter(|stated| *stated != read) {
            self.misstated.note("count", || {
                format!("{stated} tensors are stated for all parts, and they have {read}")
            });
        }
        Ok(())
    }

    /// Adds the tensors of one part. Whether it was read.
    fn add_part(&mut self, name: &str, file: usize) -> Result<bool, Error> {
        let state = self.files.files.get(file).map(|file| &file.state);
        let is_present = matches!(state, Some(DataFileState::Present(_)));
        let Some(folder) = self.folder.clone().filter(|_| is_present) else { return Ok(false) };
        let source = match external::open(&*folder, name) {
            Ok(source) => source,
            Err(error) => {
                self.misstated.note("unread", || format!("{name} cannot be read: {error}"));
                return Ok(false);
            }
        };
        let part = super::read_file(&source);
        crate::check_complete(&source)?;
        match part {
            Ok(part) => {
                self.add_tensors(&part, name, source.size(), Some(file))?;
                Ok(true)
            }
            Err(error) => {
                self.misstated.note("damaged", || format!("{name}: {error}"));
                Ok(false)
            }
        }
    }

    fn add_tensors(
        &mut self,
        file: &File<'_>,
        name: &str,
        size: u64,
        part: Option<usize>,
    ) -> Result<(), Error> {
        if let Some(stated) = &file.bad_alignment {
            self.misstated.note("alignment", || {
                format!("{name} states the alignment {stated}, which is not a power of two")
            });
        }
        let mut spans = Vec::with_capacity(file.tensors.len());
        for info in &file.tensors {
            let span = file.span_of(info);
            spans.extend(span.map(|span| (info.name.as_ref(), span)));
            self.check_info(file, info, span);
            let id = self.builder.names.intern(&info.name);
            if !self.names.insert(id) {
                self.misstated.note("twice", || {
                    format!("{:?} is described twice: the first one is shown", info.name)
                });
                continue;
            }
            if self.stored.len() >= MAX_TENSORS {
                let problem = format!("the set has more than {MAX_TENSORS} tensors");
                return Err(Error::damaged(0, name, &problem));
            }
            let data = match (span, part) {
                (None, _) => Data::Absent,
                (Some(span), Some(part)) => self.external(part, span, file.is_big_endian),
                (Some(span), None) if file.is_big_endian => {
                    Data::Fields { bytes: span.len(), elements: info.elements() }
                }
                (Some(span), None) => Data::Raw(span),
            };
            let tensor = self.builder.add_tensor(Tensor {
                name: id,
                dtype: info.dtype,
                dims: info.dims.clone(),
                described_at: match data {
                    Data::Raw(span) => span,
                    Data::Fields { .. } => span.unwrap_or_default(),
                    _ => Span::default(),
                },
                data,
                stored_in: StoredIn::Initializer,
                segment: None,
            })?;
            self.builder.graph_mut(self.graph).initializers.push(tensor);
            self.stored.push(tensor);
            if let Ok(elements) = self.builder.tensor(tensor).elements() {
                let role = WeightRole::Weight;
                let weight = StoredWeight { tensor, role, elements, dtype: info.dtype };
                self.builder.stored_weights.push(weight);
            }
        }
        let padding = file.alignment - 1;
        let data_from = file.data_from;
        Places { file: name, size, data_from, padding, tensors: spans }.check(&mut self.misstated);
        Ok(())
    }

    fn check_info(&mut self, file: &File<'_>, info: &Info<'_>, span: Option<Span>) {
        let name = &info.name;
        if let DType::Unknown(number) = info.dtype {
            self.misstated.note("type", || {
                format!("{name:?} has the type {number}, whose size is not known")
            });
        } else if span.is_none() {
            self.misstated.note("place", || {
                format!("{name:?} is stated at {}, where no data of its size can be", info.offset)
            });
        }
        if !info.is_whole() {
            self.misstated
                .note("row", || format!("rows of {name:?} are not whole blocks of {}", info.dtype));
        }
        if !info.offset.is_multiple_of(file.alignment) {
            self.misstated.note("offset", || {
                format!("{name:?} is at {}, not aligned to {}", info.offset, file.alignment)
            });
        }
    }

    fn external(&mut self, file: usize, span: Span, is_big_endian: bool) -> Data {
        let reference = Reference {
            location: self.files.files.get(file).map(|file| file.location),
            offset: Some(span.start.to_string()),
            length: Some(span.len().to_string()),
            unknown_keys: Vec::new(),
        };
        let mut external = self.files.resolve(reference, &self.builder.names);
        external.problem = self.files.range_problem(&external);
        if is_big_endian && external.problem.is_none() {
            external.problem = Some("its elements have their highest byte first".to_owned());
        }
        Data::External(Box::new(external))
    }

    /// Adds what the metadata says, and returns the model.
    pub(super) fn finish(self, source: &Source) -> Result<Model, Error> {
        let Self { mut builder, graph, files, stored, misstated, names, file, .. } = self;
        drop(names);
        builder.data_files = files.files;
        metadata::add(&mut builder, graph, file, source);
        let mut assembly = Assembly::new(&mut builder, graph);
        describe::describe(&mut assembly, file, &stored)?;
        builder.hazards.extend(misstated.hazards());
        builder.hazards.extend(template_hazard(file));
        Ok(builder.finish()?)
    }
}

/// A chat template that reaches for the inside of Python, which no conversation needs.
fn template_hazard(file: &File<'_>) -> Option<Hazard> {
    const INSIDE: &[&str] = &[
        "__class__",
        "__subclasses__",
        "__globals__",
        "__builtins__",
        "__import__",
        "__mro__",
        "__base__",
        "__init__",
    ];
    let template = file.text("tokenizer.chat_template")?;
    let name = INSIDE.iter().find(|name| template.contains(*name))?;
    let what = format!("the chat template uses `{name}`, which leads out of the template");
    Some(Hazard::CallsOut { what })
}
