//! A whole model, linked: every name resolved, every value with its producer and consumers.

use std::collections::BTreeMap;

use crate::ids::IdRange;
use crate::renamed::Originals;
use crate::{
    Affine, Attribute, Consumer, DataFile, DecodeError, Decoder, Description, Format, Function,
    FunctionId, Graph, GraphId, GraphOrigin, Hazard, Hint, Issue, Layout, NameId, Names, Node,
    NodeId, Producer, Source, Span, SparseId, SparseTensor, StoredWeight, Tensor, TensorId, TypeId,
    Value, ValueId, ValueType,
};

/// A model in memory. Made by [`ModelBuilder::finish`](crate::ModelBuilder::finish).
#[derive(Debug)]
pub struct Model {
    /// What the file says of itself.
    pub header: Header,
    /// Every name.
    pub names: Names,
    /// Files that hold tensors outside the model file.
    pub data_files: Vec<DataFile>,
    /// What the standard forbids and this model does.
    pub issues: Vec<Issue>,
    /// The bytes of the file.
    pub source: Source,
    /// Parts of the file that the reader skipped because it does not know them.
    pub unknown_fields: UnknownFields,
    pub(crate) decoder: Option<&'static dyn Decoder>,
    pub(crate) graphs: Vec<Graph>,
    pub(crate) functions: Vec<Function>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) operands: Vec<Option<ValueId>>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) values: Vec<Value>,
    pub(crate) types: Vec<ValueType>,
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) sparse_tensors: Vec<SparseTensor>,
    /// Consumers of all values, those of value `v` at `consumer_starts[v]..consumer_starts[v + 1]`.
    pub(crate) consumers: Vec<Consumer>,
    pub(crate) consumer_starts: Vec<usize>,
    /// What subgraphs inside a node read from the graph that the node is in: sorted pairs.
    pub(crate) captures: Vec<(NodeId, ValueId)>,
    /// Metadata of nodes, in the order of the nodes.
    pub(crate) node_metadata: Vec<(NodeId, NameId, Span)>,
    /// Orders of operands, shared by the nodes that have them.
    pub(crate) layouts: Vec<Layout>,
    /// Quantization that the file states of values, sorted by value.
    pub(crate) affine: Vec<(ValueId, Affine)>,
    /// What each stored tensor is, where the graph does not say.
    pub(crate) stored_weights: Vec<StoredWeight>,
    /// What can do harm, or is not as the file states it.
    pub hazards: Vec<Hazard>,
    /// What the file has, where something else is shown.
    pub(crate) originals: Originals,
}

/// What a model says of itself.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// The format of the file.
    pub format: Format,
    /// Where the graph comes from.
    pub graph_origin: GraphOrigin,
    /// The network as the file describes it, where it stores no graph.
    pub description: Option<Box<Description>>,
    /// Name under which it was opened, without a folder.
    pub file_name: String,
    /// Size of the file.
    pub bytes: u64,
    /// Version of the format.
    pub ir_version: Option<i64>,
    /// Tool that wrote it.
    pub producer_name: String,
    /// Version of that tool.
    pub producer_version: String,
    /// Namespace of the model.
    pub domain: String,
    /// Version the author gave it.
    pub model_version: Option<i64>,
    /// What the author wrote about it.
    pub doc: String,
    /// Operator sets it uses, as written.
    pub opsets: Vec<OpsetImport>,
    /// Free metadata, in the file's order.
    pub metadata: Vec<(String, String)>,
    /// Training steps.
    pub training: Vec<TrainingStep>,
    /// Sets of devices that nodes can be placed on.
    pub device_configurations: Vec<DeviceConfiguration>,
    /// Nodes that are placed on such devices.
    pub placed_nodes: u64,
}

/// An operator set and its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpsetImport {
    /// Its domain as written; empty for the standard one.
    pub domain: NameId,
    /// Its version.
    pub version: i64,
}

/// The graphs of one training step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrainingStep {
    /// Sets the weights up.
    pub initialization: Option<GraphId>,
    /// Makes one step.
    pub algorithm: Option<GraphId>,
    /// Bindings of results to weights.
    pub bindings: u64,
}

/// A set of devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceConfiguration {
    /// Its name.
    pub name: String,
    /// How many devices.
    pub devices: i64,
    /// Their names.
    pub device_names: Vec<String>,
}

/// Fields the reader skipped: message and field number to how often.
pub type UnknownFields = BTreeMap<(&'static str, u32), u64>;

impl Model {
    /// The text of a name, as it is shown.
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    /// The text of a name in the file, for this crate alone.
    pub(crate) fn original_name(&self, id: NameId) -> &str {
        self.names.original(id)
    }

    /// What a name says in the file, for rules that use names as evidence.
    pub fn hint(&self, id: NameId) -> Hint<'_> {
        self.names.hint(id)
    }

    /// The main graph.
    pub fn main(&self) -> &Graph {
        &self.graphs[0]
    }

    /// Inputs of the main graph that a caller must feed: those that no initializer fills.
    pub fn required_inputs(&self) -> Vec<ValueId> {
        let filled = |value: &ValueId| {
            let value = self.value(*value);
            value.initializer.is_some() || value.sparse_initializer.is_some()
        };
        self.main().inputs.iter().copied().filter(|value| !filled(value)).collect()
    }

    /// The id of the main graph.
    pub fn main_id(&self) -> GraphId {
        GraphId::new(0).expect("0 is an index")
    }

    /// A graph.
    pub fn graph(&self, id: GraphId) -> &Graph {
        &self.graphs[id.index()]
    }

    /// All graphs: the main one first, then subgraphs, functions' bodies and training graphs as
    /// they were found.
    pub fn graphs(&self) -> impl ExactSizeIterator<Item = (GraphId, &Graph)> {
        numbered(&self.graphs, GraphId::new)
    }

    /// The functions that the model defines.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = (FunctionId, &Function)> {
        numbered(&self.functions, FunctionId::new)
    }

    /// A function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// Attributes of a function that have a default.
    pub fn function_defaults(&self, function: &Function) -> &[Attribute] {
        &self.attributes[function.defaults.indices()]
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Every node of every graph.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeId, &Node)> {
        numbered(&self.nodes, NodeId::new)
    }

    /// Inputs of a node; `None` where an optional one is left out.
    pub fn inputs(&self, id: NodeId) -> &[Option<ValueId>] {
        let [start, middle, _] = self.node(id).operands;
        &self.operands[start as usize..middle as usize]
    }

    /// Outputs of a node; `None` where an optional one is left out.
    pub fn outputs(&self, id: NodeId) -> &[Option<ValueId>] {
        let [_, middle, end] = self.node(id).operands;
        &self.operands[middle as usize..end as usize]
    }

    /// Attributes of a node.
    pub fn attributes(&self, id: NodeId) -> &[Attribute] {
        &self.attributes[self.node(id).attributes.indices()]
    }

    /// The attribute of that name, if the node has it.
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&crate::AttributeValue> {
        self.attributes(id)
            .iter()
            .find(|attribute| self.name(attribute.name) == name)
            .map(|attribute| &attribute.value)
    }

    /// What subgraphs inside a node read from the node's own graph, each value once.
    pub fn captures(&self, id: NodeId) -> impl Iterator<Item = ValueId> {
        let start = self.captures.partition_point(|(node, _)| *node < id);
        self.captures[start..].iter().take_while(move |(node, _)| *node == id).map(|pair| pair.1)
    }

    /// Metadata of a node: keys, and texts as evidence, read from the file now. A text that is not
    /// UTF-8 is left out.
    pub fn node_metadata_hints(&self, id: NodeId) -> impl Iterator<Item = (NameId, Hint<'_>)> {
        self.node_metadata(id).map(|(key, text)| (key, Hint::new(text)))
    }

    /// Metadata of a node: keys and texts, read from the file now. A text that is not UTF-8 is
    /// left out.
    pub(crate) fn node_metadata(&self, id: NodeId) -> impl Iterator<Item = (NameId, &str)> {
        let start = self.node_metadata.partition_point(|(node, ..)| *node < id);
        self.node_metadata[start..].iter().take_while(move |(node, ..)| *node == id).filter_map(
            |(_, key, text)| Some((*key, std::str::from_utf8(self.source.slice(*text)?).ok()?)),
        )
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// Every value of every graph.
    pub fn values(&self) -> impl ExactSizeIterator<Item = (ValueId, &Value)> {
        numbered(&self.values, ValueId::new)
    }

    /// Nodes that read a value, in subgraphs too.
    pub fn consumers(&self, id: ValueId) -> &[Consumer] {
        let index = id.index();
        &self.consumers[self.consumer_starts[index]..self.consumer_starts[index + 1]]
    }

    /// A type.
    pub fn value_type(&self, id: TypeId) -> &ValueType {
        &self.types[id.index()]
    }

    /// A stored tensor.
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.index()]
    }

    /// Every stored tensor.
    pub fn tensors(&self) -> impl ExactSizeIterator<Item = (TensorId, &Tensor)> {
        numbered(&self.tensors, TensorId::new)
    }

    /// A stored sparse tensor.
    pub fn sparse_tensor(&self, id: SparseId) -> &SparseTensor {
        &self.sparse_tensors[id.index()]
    }

    /// The elements of a small integer tensor; reads them now.
    pub fn integers(&self, id: TensorId, limit: u64) -> Result<Vec<i64>, DecodeError> {
        let decoder = self.decoder.ok_or(DecodeError::Absent)?;
        decoder.integers(&self.source, self.tensor(id), limit)
    }

    /// The elements of a small floating-point tensor; reads them now.
    pub fn floats(&self, id: TensorId, limit: u64) -> Result<Vec<f64>, DecodeError> {
        let decoder = self.decoder.ok_or(DecodeError::Absent)?;
        decoder.floats(&self.source, self.tensor(id), limit)
    }

    /// The elements of a tensor in the file as little-endian bytes, packed; reads them now.
    pub fn packed(&self, id: TensorId, limit: u64) -> Result<Vec<u8>, DecodeError> {
        let decoder = self.decoder.ok_or(DecodeError::Absent)?;
        decoder.packed(&self.source, self.tensor(id), limit)
    }

    /// How a person finds a node: its name, or its place when it has none.
    pub fn node_label(&self, id: NodeId) -> String {
        let node = self.node(id);
        let name = self.name(node.name);
        if !name.is_empty() {
            return name.to_owned();
        }
        let place = id.index() - self.graph(node.graph).nodes.start as usize;
        format!("{} (node {place})", self.name(node.op))
    }

    /// Number of nodes on the longest path through a graph, each node with its subgraphs counting
    /// as one. `None` when nodes wait for each other.
    pub fn depth(&self, id: GraphId) -> Option<u64> {
        let graph = self.graph(id);
        if !graph.cyclic.is_empty() {
            return None;
        }
        let mut depths = vec![0_u64; graph.nodes.len()];
        let start = graph.nodes.start as usize;
        for node in &graph.order {
            let before = self
                .inputs(*node)
                .iter()
                .flatten()
                .copied()
                .chain(self.captures(*node))
                .filter_map(|value| match self.value(value).producer {
                    Producer::Node { node, .. } if self.node(node).graph == id => {
                        Some(depths[node.index() - start])
                    }
                    _ => None,
                })
                .max();
            depths[node.index() - start] = before.unwrap_or(0) + 1;
        }
        Some(depths.into_iter().max().unwrap_or(0))
    }
}

/// The elements of an arena with their ids. Arenas only grow through checked ids, so none is lost.
fn numbered<T, Id>(
    arena: &[T],
    id: impl Fn(usize) -> Option<Id>,
) -> impl ExactSizeIterator<Item = (Id, &T)> {
    arena.iter().enumerate().map(move |(index, element)| {
        (id(index).expect("an arena holds only what has an id"), element)
    })
}

/// A range over an arena that is known to be counted by 32 bits.
pub(crate) fn id_range(start: usize, end: usize) -> Option<IdRange> {
    Some(IdRange { start: u32::try_from(start).ok()?, end: u32::try_from(end).ok()? })
}
