//! `SavedModel`: which of its graphs is the model, and what that computes.

use std::collections::BTreeMap;
use std::sync::Arc;

use calipers_ir::assembly::Assembly;
use calipers_ir::{Format, Model, ModelBuilder};

use super::graph::Graph;
use super::hazards;
use super::library::{Library, TOP};
use super::message::{entry, integer, parts, shape, text};
use super::node::Node;
use super::objects::Objects;
use super::variables::{Checkpoint, Variables};
use super::walk::{Output, Walk, is_variable};
use crate::Error;
use crate::elements::StoredElements;
use crate::error::Trace;
use crate::folder::Folder;
use crate::input::Input;
use crate::wire::{Message, Part, Payload};

/// Tensors of a signature, and signatures, that are read.
const MAX_TENSORS: usize = 1 << 12;

/// Tensors inside tensors: a ragged tensor has two or three.
const MAX_COMPONENTS: usize = 64;

/// One of the graphs of a SavedModel.
#[derive(Default)]
struct MetaGraph<'a> {
    tags: Vec<&'a str>,
    version: &'a str,
    graph: Option<Message<'a>>,
    signatures: Vec<(&'a str, Part<'a>)>,
    objects: Option<Message<'a>>,
}

/// A signature: what is fed and what is fetched.
#[derive(Default)]
struct Signature<'a> {
    method: &'a str,
    inputs: Vec<Tensor<'a>>,
    outputs: Vec<Tensor<'a>>,
}

/// A tensor of a signature.
struct Tensor<'a> {
    key: String,
    /// The output of a node of the graph.
    name: &'a str,
    dtype: i64,
    dims: Option<Vec<i64>>,
}

pub(super) fn read(input: Input) -> Result<Model, Error> {
    let source = input.source.clone();
    let mut builder = ModelBuilder::default();
    builder.source = input.source;
    builder.decoder = Some(&StoredElements);
    builder.header.format = Format::SavedModel;
    builder.header.file_name = input.name;
    builder.header.bytes = source.size();
    let whole = Message::from(Part::of_source(&source));
    match fill(&mut builder, &whole, input.folder) {
        Ok(true) => Ok(builder.finish()?),
        Ok(false) => {
            Err(Error::NoGraph { hint: "the SavedModel has no MetaGraph with a graph".to_owned() })
        }
        Err(trace) => Err(trace.finish("SavedModel", source.size())),
    }
}

/// Reads the model; false where there is none.
fn fill<'a>(
    builder: &mut ModelBuilder,
    whole: &Message<'a>,
    folder: Option<Arc<dyn Folder>>,
) -> Result<bool, Trace> {
    let mut metas = Vec::new();
    for field in whole.fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Varint(version)) => builder.header.ir_version = Some(integer(version)),
            (2, Payload::Bytes(part)) if metas.len() < MAX_TENSORS => {
                let meta = MetaGraph::read(part)
                    .map_err(|trace| trace.within_nth("meta_graphs", metas.len()))?;
                metas.push(meta);
            }
            _ => {}
        }
    }
    let count = metas.len();
    let served = metas.iter().position(|meta| meta.tags.contains(&"serve"));
    let Some(meta) = metas.into_iter().nth(served.unwrap_or(0)) else { return Ok(false) };
    let Some(graph) = &meta.graph else { return Ok(false) };
    let place =
        |trace: Trace| trace.within("graph_def").within_nth("meta_graphs", served.unwrap_or(0));
    let library = Library::read(graph).map_err(place)?;
    builder.hazards.extend(hazards::find(&library).map_err(place)?);
    let checkpoint = Checkpoint::open(folder.as_ref(), &mut builder.hazards);
    let objects = match &meta.objects {
        Some(message) => {
            let mut objects =
                Objects::read(message).map_err(|trace| trace.within("object_graph_def"))?;
            objects.name_keys(checkpoint.bundle());
            objects
        }
        None => Objects::default(),
    };
    let (name, signature) = meta.choose()?;
    describe(builder, &meta, &library, count, (name, &signature));
    let id = builder.add_main_graph()?;
    let variables = Variables::new(checkpoint);
    let mut graph = Graph::new(Assembly::new(builder, id), Walk::new(library), variables);
    add_variables(&mut graph, &objects).map_err(place)?;
    compute(&mut graph, &signature).map_err(place)?;
    let mut files = graph.variables.checkpoint.files;
    if let Some(folder) = folder {
        files.check_files(&*folder, &builder.names);
        for external in builder.externals_mut().filter(|it| it.problem.is_none()) {
            external.problem = files.range_problem(external);
        }
    }
    builder.data_files = files.files;
    Ok(true)
}

/// What the file says of itself.
fn describe(
    builder: &mut ModelBuilder,
    meta: &MetaGraph<'_>,
    library: &Library<'_>,
    count: usize,
    (name, signature): (&str, &Signature<'_>),
) {
    "tensorflow".clone_into(&mut builder.header.producer_name);
    meta.version.clone_into(&mut builder.header.producer_version);
    let mut add = |key: &str, value: String| {
        if !value.is_empty() {
            builder.header.metadata.push((key.to_owned(), value));
        }
    };
    let others = meta.signatures.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    add("tags", meta.tags.join(", "));
    add("signature", name.to_owned());
    add("signatures", others.join(", "));
    add("method", signature.method.to_owned());
    if count > 1 {
        add("meta graphs", count.to_string());
    }
    if library.functions() > 0 {
        add("functions", library.functions().to_string());
    }
    add("graph producer", library.producer.map_or(String::new(), |it| it.to_string()));
}

impl<'a> MetaGraph<'a> {
    fn read(part: Part<'a>) -> Result<Self, Trace> {
        let mut meta = Self::default();
        parts(part, |number, part| {
            match number {
                1 => parts(part, |number, part| {
                    match number {
                        4 => meta.tags.push(text(part)?),
                        5 => meta.version = text(part)?,
                        _ => {}
                    }
                    Ok(())
                })?,
                2 => Message::merge(&mut meta.graph, part),
                5 if meta.signatures.len() < MAX_TENSORS => meta.signatures.push(entry(part)?),
                7 => Message::merge(&mut meta.objects, part),
                _ => {}
            }
            Ok(())
        })?;
        Ok(meta)
    }

    /// The signature for serving; otherwise the first that computes something.
    fn choose(&self) -> Result<(&'a str, Signature<'a>), Trace> {
        let mut signatures = BTreeMap::new();
        for (name, part) in &self.signatures {
            signatures.insert(*name, Signature::read(*part)?);
        }
        const SERVING: &str = "serving_default";
        if let Some(signature) = signatures.remove(SERVING) {
            return Ok((SERVING, signature));
        }
        let order = self.signatures.iter().map(|(name, _)| *name);
        for name in order.filter(|name| *name != "__saved_model_init_op") {
            if let Some(signature) = signatures.remove(name)
                && !signature.outputs.is_empty()
            {
                return Ok((name, signature));
            }
        }
        Ok(("", Signature::default()))
    }
}

impl<'a> Signature<'a> {
    fn read(part: Part<'a>) -> Result<Self, Trace> {
        let mut signature = Self::default();
        parts(part, |number, part| {
            let tensors = match number {
                1 => &mut signature.inputs,
                2 => &mut signature.outputs,
                3 => {
                    signature.method = text(part)?;
                    return Ok(());
                }
                _ => return Ok(()),
            };
            if tensors.len() < MAX_TENSORS {
                let (key, info) = entry(part)?;
                tensor(key, info, tensors)?;
            }
            Ok(())
        })?;
        // A map has no order; the keys have one.
        signature.inputs.sort_by(|one, other| one.key.cmp(&other.key));
        signature.outputs.sort_by(|one, other| one.key.cmp(&other.key));
        Ok(signature)
    }
}

/// `TensorInfo`: one tensor, or those that a sparse or composite one has.
fn tensor<'a>(key: &str, part: Part<'a>, tensors: &mut Vec<Tensor<'a>>) -> Result<(), Trace> {
    let (mut name, mut dtype, mut dims) = ("", 0, None);
    let mut components: Vec<(String, Part<'a>)> = Vec::new();
    let mut names: Vec<(String, &'a str)> = Vec::new();
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Bytes(part)) => name = text(part)?,
            (2, Payload::Varint(value)) => dtype = integer(value),
            (3, Payload::Bytes(part)) => dims = shape(part)?,
            (4, Payload::Bytes(part)) => parts(part, |number, part| {
                const OF: [&str; 3] = ["values", "indices", "dense_shape"];
                let of = (number as usize).checked_sub(1).and_then(|place| OF.get(place));
                if let (Some(of), true) = (of, names.len() < MAX_COMPONENTS) {
                    names.push((format!("{key}/{of}"), text(part)?));
                }
                Ok(())
            })?,
            (5, Payload::Bytes(part)) => parts(part, |number, part| {
                if number == 2 && components.len() < MAX_COMPONENTS {
                    components.push((format!("{key}/{}", components.len()), part));
                }
                Ok(())
            })?,
            _ => {}
        }
    }
    if !name.is_empty() {
        tensors.push(Tensor { key: key.to_owned(), name, dtype, dims });
    }
    for (key, name) in names {
        tensors.push(Tensor { key, name, dtype: 0, dims: None });
    }
    // Components are single tensors; those inside them are not looked into.
    for (key, part) in components {
        let mut name = "";
        let (mut dtype, mut dims) = (0, None);
        for field in Message::from(part).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => name = text(part)?,
                (2, Payload::Varint(value)) => dtype = integer(value),
                (3, Payload::Bytes(part)) => dims = shape(part)?,
                _ => {}
            }
        }
        if !name.is_empty() {
            tensors.push(Tensor { key, name, dtype, dims });
        }
    }
    Ok(())
}

/// Adds all variables: those of the object graph, or, where it has none, those of the graph.
fn add_variables<'a>(graph: &mut Graph<'_, 'a>, objects: &Objects<'a>) -> Result<(), Trace> {
    graph.variables.add_objects(&mut graph.assembly, objects)?;
    let body = graph.walk.library.body(TOP)?;
    for place in 0..u32::try_from(body.len()).unwrap_or(u32::MAX) {
        let (_, op) = body.head(place)?;
        let has_none = objects.variables.is_empty();
        if has_none && matches!(op, "VarHandleOp" | "VariableV2" | "Variable") {
            let at = Output { frame: 0, node: place, port: 0 };
            let node = body.node(place)?;
            graph.variables.add_node(&mut graph.assembly, at, &node)?;
        }
        if matches!(op, "StatefulPartitionedCall" | "PartitionedCall") {
            let node = body.node(place)?;
            captured(graph, objects, &node)?;
        }
    }
    graph.constants_are_given = !graph.variables.is_empty();
    graph.taken.extend(graph.variables.names());
    Ok(())
}

/// Finds which objects the nodes are that a call hands to a function in addition to its arguments.
fn captured<'a>(
    graph: &mut Graph<'_, 'a>,
    objects: &Objects<'a>,
    call: &Node<'a>,
) -> Result<(), Trace> {
    let Some(function) = call.function("f") else { return Ok(()) };
    let captures = objects.captures(function);
    let Some(from) = call.inputs.len().checked_sub(captures.len()) else { return Ok(()) };
    for (input, object) in call.inputs.iter().skip(from).zip(captures) {
        let Ok(object) = usize::try_from(*object) else { continue };
        let Some(at) = graph.walk.resolve(0, input)? else { continue };
        if at.frame == 0 && is_variable(&*graph.walk.node(0, at.node)?) {
            graph.variables.objects.entry(at.node).or_insert(object);
        }
    }
    Ok(())
}

/// Adds what the signature computes.
fn compute<'a>(graph: &mut Graph<'_, 'a>, signature: &Signature<'a>) -> Result<(), Trace> {
    let mut fed = std::collections::HashSet::new();
    for input in &signature.inputs {
        if let Some(at) = graph.walk.resolve(0, input.name)?
            && fed.insert(at)
        {
            graph.add_input(at, &input.key, input.dtype, input.dims.as_deref())?;
        }
    }
    let mut outputs = Vec::new();
    for output in &signature.outputs {
        if let Some(at) = graph.walk.resolve(0, output.name)? {
            graph.name_output(at, &output.key)?;
            outputs.push((at, output));
        }
    }
    let ends: Vec<Output> = outputs.iter().map(|(at, _)| *at).collect();
    let instances = graph.walk.reach(&ends, |at| fed.contains(at))?;
    graph.add_all(&instances)?;
    for (at, output) in outputs {
        graph.add_output(at, output.dtype, output.dims.as_deref())?;
    }
    Ok(())
}
