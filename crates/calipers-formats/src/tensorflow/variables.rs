//! Variables: stored tensors, with their bytes in the files of a checkpoint.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use calipers_ir::assembly::Assembly;
use calipers_ir::{DType, Data, Hazard, NameId, StoredWeight, WeightRole};

use super::bundle::{self, Bundle};
use super::message::{dtype, shape};
use super::node::{Attr, Node};
use super::objects::Objects;
use super::tensor::elements;
use super::walk::Output;
use crate::error::Trace;
use crate::external::{self, DataFiles, Reference};
use crate::folder::Folder;

/// Where a SavedModel keeps its checkpoint, without the ending of a file.
const CHECKPOINT: &str = "variables/variables";

/// Tensors of a checkpoint whose misstated sizes are reported one by one.
const MAX_REPORTED: usize = 16;

/// The checkpoint of a SavedModel.
#[derive(Debug, Default)]
pub(super) struct Checkpoint {
    bundle: Bundle,
    pub(super) files: DataFiles,
    reported: usize,
}

/// What is stored of a variable.
struct Stated<'s> {
    name: &'s str,
    key: &'s str,
    dtype: DType,
    dims: &'s [i64],
    role: WeightRole,
}

/// The variables of a model, by what refers to them.
#[derive(Debug, Default)]
pub(super) struct Variables<'a> {
    pub(super) checkpoint: Checkpoint,
    /// Names and dimensions, by the objects of the object graph.
    by_object: HashMap<usize, (NameId, Arc<[i64]>)>,
    by_name: HashMap<&'a str, (NameId, Arc<[i64]>)>,
    /// Objects of the nodes of the top graph, by the functions that capture both.
    pub(super) objects: HashMap<u32, usize>,
    /// Variables that only nodes have.
    of_nodes: HashMap<Output, (NameId, Arc<[i64]>)>,
    taken: HashSet<String>,
}

impl Checkpoint {
    /// Reads the index next to a SavedModel. Without one, no variable has data.
    pub(super) fn open(folder: Option<&Arc<dyn Folder>>, hazards: &mut Vec<Hazard>) -> Self {
        let index = format!("{CHECKPOINT}.index");
        let source = folder.and_then(|folder| external::open(&**folder, &index).ok());
        let Some(source) = source else { return Self::default() };
        match bundle::read(&source) {
            Ok(bundle) => Self { bundle, ..Self::default() },
            Err(problem) => {
                let what = format!("the index of the checkpoint, {index}, is not read: {problem}");
                hazards.push(Hazard::Misstated { what });
                Self::default()
            }
        }
    }

    pub(super) fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Where the elements of a variable are.
    fn data(&mut self, assembly: &mut Assembly<'_>, stated: &Stated<'_>) -> Data {
        let Some(entry) = self.bundle.entries.get(stated.key) else { return Data::Absent };
        let expected = elements(stated.dims).and_then(|count| stated.dtype.bytes(count));
        let is_same = entry.dtype == stated.dtype && entry.dims == stated.dims;
        let size = u64::try_from(entry.size).ok();
        if (!is_same || expected.is_some() && expected != size) && self.reported < MAX_REPORTED {
            self.reported += 1;
            let what = format!(
                "the checkpoint has {} {:?} in {} bytes for the variable {}, which is {} {:?}",
                entry.dtype, entry.dims, entry.size, stated.name, stated.dtype, stated.dims
            );
            assembly.builder.hazards.push(Hazard::Misstated { what });
        }
        let location = format!("{CHECKPOINT}.data-{:05}-of-{:05}", entry.shard, self.bundle.shards);
        let reference = Reference {
            location: Some(assembly.name(&location)),
            offset: Some(entry.offset.to_string()),
            length: Some(entry.size.to_string()),
            unknown_keys: Vec::new(),
        };
        Data::External(Box::new(self.files.resolve(reference, &assembly.builder.names)))
    }
}

impl<'a> Variables<'a> {
    pub(super) fn new(checkpoint: Checkpoint) -> Self {
        Self { checkpoint, ..Self::default() }
    }

    /// Adds the variables of the object graph, optimizers' included.
    pub(super) fn add_objects(
        &mut self,
        assembly: &mut Assembly<'_>,
        objects: &Objects<'a>,
    ) -> Result<(), Trace> {
        for variable in &objects.variables {
            let role = role(variable.dtype, variable.is_trainable);
            let stated = Stated {
                name: variable.name,
                key: &variable.key,
                dtype: variable.dtype,
                dims: &variable.dims,
                role,
            };
            let added = self.add(assembly, &stated)?;
            self.by_object.insert(variable.object, added.clone());
            self.by_name.entry(variable.name).or_insert(added);
        }
        Ok(())
    }

    /// Adds a variable that only a node of the graph has.
    pub(super) fn add_node(
        &mut self,
        assembly: &mut Assembly<'_>,
        at: Output,
        node: &Node<'a>,
    ) -> Result<(NameId, Arc<[i64]>), Trace> {
        let dims = match node.attribute("shape") {
            Some(Attr::Shape(part)) => shape(part)?,
            _ => None,
        };
        let dtype = dtype(node.type_number("dtype").unwrap_or(0));
        let key = node.text("shared_name").filter(|name| !name.is_empty()).unwrap_or(node.name);
        // The graph leaves the shape open where a variable may change it; the checkpoint has one.
        let dims = dims.filter(|dims| dims.iter().all(|dim| *dim >= 0));
        let in_checkpoint = || self.checkpoint.bundle.entries.get(key).map(|it| it.dims.clone());
        let dims = dims.or_else(in_checkpoint).unwrap_or_else(|| vec![-1]);
        let stated = Stated { name: key, key, dtype, dims: &dims, role: role(dtype, true) };
        let added = self.add(assembly, &stated)?;
        self.by_name.entry(key).or_insert_with(|| added.clone());
        self.of_nodes.insert(at, added.clone());
        Ok(added)
    }

    fn add(
        &mut self,
        assembly: &mut Assembly<'_>,
        stated: &Stated<'_>,
    ) -> Result<(NameId, Arc<[i64]>), Trace> {
        let data = self.checkpoint.data(assembly, stated);
        // Metrics and optimizers have several variables of one name.
        let mut name = stated.name.to_owned();
        if self.taken.contains(&name) || name.is_empty() {
            name = stated.key.to_owned();
        }
        if self.taken.contains(&name) || name.is_empty() {
            name = format!("{} ({})", stated.name, self.taken.len());
        }
        let id = assembly.name(&name);
        self.taken.insert(name);
        let tensor = assembly.add_stored(id, stated.dtype, stated.dims, data)?;
        if let Some(elements) = elements(stated.dims) {
            let (role, dtype) = (stated.role, stated.dtype);
            assembly.builder.stored_weights.push(StoredWeight { tensor, role, elements, dtype });
        }
        Ok((id, Arc::from(stated.dims)))
    }

    /// The stored tensor of a node that is a variable.
    pub(super) fn name(
        &mut self,
        assembly: &mut Assembly<'_>,
        at: Output,
        node: &Node<'a>,
    ) -> Result<(NameId, Arc<[i64]>), Trace> {
        let object = self.objects.get(&at.node).filter(|_| at.frame == 0);
        let of_object = object.and_then(|object| self.by_object.get(object));
        let shared = node.text("shared_name").filter(|name| !name.is_empty()).unwrap_or(node.name);
        let known = of_object
            .or_else(|| self.of_nodes.get(&at))
            .or_else(|| self.by_name.get(shared))
            .or_else(|| self.by_name.get(node.name));
        match known {
            Some(known) => Ok(known.clone()),
            None => self.add_node(assembly, at, node),
        }
    }

    /// The names of their tensors.
    pub(super) fn names(&self) -> impl Iterator<Item = NameId> {
        self.by_object.values().chain(self.of_nodes.values()).map(|(name, _)| *name)
    }

    /// Whether there are any.
    pub(super) fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }
}

fn role(dtype: DType, is_trainable: bool) -> WeightRole {
    match (dtype.is_float(), is_trainable) {
        (true, true) => WeightRole::Weight,
        (true, false) => WeightRole::Statistic,
        (false, _) => WeightRole::Constant,
    }
}
