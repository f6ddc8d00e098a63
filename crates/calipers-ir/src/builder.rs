//! How a reader puts a model together, piece by piece, in any order.

use hashbrown::HashMap;

use crate::ids::IdRange;
use crate::model::id_range;
use crate::{
    Affine, Attribute, Data, DataFile, Decoder, External, Function, FunctionId, GraphId, GraphKind,
    Hazard, Header, Layout, LayoutId, Model, NameId, Names, Node, NodeId, QuantizationAnnotation,
    Source, Span, SparseId, SparseTensor, StoredWeight, Tensor, TensorId, TypeId, UnknownFields,
    ValueType, link,
};

/// Graphs that a model may have. The largest real ones have hundreds, and a file can spend two
/// bytes on one.
const MAX_GRAPHS: usize = 1 << 20;

/// Nodes, tensors, types, values, or functions that a model may have, for the same reason.
const MAX_PARTS: usize = 1 << 24;

/// More parts of one kind than any real model has: what holds them would not fit in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the model has more than {MAX_GRAPHS} graphs, or {MAX_PARTS} parts of another kind"
        )
    }
}

impl std::error::Error for TooLarge {}

/// A model before its names are resolved.
#[derive(Debug, Default)]
pub struct ModelBuilder {
    /// What the file says of itself.
    pub header: Header,
    /// Every name so far.
    pub names: Names,
    /// Files outside the model file.
    pub data_files: Vec<DataFile>,
    /// The file's bytes.
    pub source: Source,
    /// Reads elements of its tensors.
    pub decoder: Option<&'static dyn Decoder>,
    /// What was skipped.
    pub unknown_fields: UnknownFields,
    pub(crate) graphs: Vec<GraphDraft>,
    pub(crate) functions: Vec<Function>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) operand_names: Vec<NameId>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) types: Vec<ValueType>,
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) sparse_tensors: Vec<SparseTensor>,
    pub(crate) node_metadata: Vec<(NodeId, NameId, Span)>,
    pub(crate) layouts: Vec<Layout>,
    layout_ids: HashMap<Layout, LayoutId>,
    /// Values that the file has no name for.
    pub(crate) constants: usize,
    /// What can do harm, or is not as the file states it.
    pub hazards: Vec<Hazard>,
    /// What each stored tensor is, where the graph does not say.
    pub stored_weights: Vec<StoredWeight>,
    /// Quantization that the file states of values, by graph and name.
    pub affine: Vec<(GraphId, NameId, Affine)>,
}

/// A graph before its names are resolved.
#[derive(Clone, Debug)]
pub struct GraphDraft {
    /// Its name.
    pub name: NameId,
    /// What it is.
    pub kind: GraphKind,
    /// Its inputs.
    pub inputs: Vec<TypedName>,
    /// Its outputs.
    pub outputs: Vec<TypedName>,
    /// Types declared for names inside it.
    pub value_types: Vec<TypedName>,
    /// Its dense initializers.
    pub initializers: Vec<TensorId>,
    /// Its sparse initializers.
    pub sparse_initializers: Vec<SparseId>,
    /// What it says about quantization.
    pub quantization: Vec<QuantizationAnnotation>,
    /// Free metadata.
    pub metadata: Vec<(NameId, NameId)>,
    /// What the author wrote about it.
    pub doc: NameId,
    pub(crate) nodes: IdRange,
}

/// A name and the type declared for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedName {
    /// The name.
    pub name: NameId,
    /// Its type, if declared.
    pub ty: Option<TypeId>,
}

impl TypedName {
    /// A name without a declared type.
    pub fn untyped(name: NameId) -> Self {
        Self { name, ty: None }
    }
}

/// A node before its names are resolved.
#[derive(Clone, Copy, Debug)]
pub struct NodeDraft {
    /// Its name.
    pub name: NameId,
    /// The operator.
    pub op: NameId,
    /// The operator's domain as written.
    pub domain: NameId,
    /// Which overload of a function it calls.
    pub overload: NameId,
    /// The operator as the file calls it, where that is another name than `op`.
    pub written: Option<NameId>,
    /// The order of its operands, where it is not that of the operator's row.
    pub layout: Option<LayoutId>,
}

impl Default for NodeDraft {
    fn default() -> Self {
        let empty = NameId::new(0).expect("0 is an index");
        Self { name: empty, op: empty, domain: empty, overload: empty, written: None, layout: None }
    }
}

impl ModelBuilder {
    /// Adds the main graph, which must come first.
    pub fn add_main_graph(&mut self) -> Result<GraphId, TooLarge> {
        self.add_graph(GraphKind::Main)
    }

    /// Adds a graph to be filled. All its nodes must be added before those of the next graph.
    pub fn add_graph(&mut self, kind: GraphKind) -> Result<GraphId, TooLarge> {
        let empty = self.names.empty();
        let draft = GraphDraft {
            name: empty,
            kind,
            inputs: Vec::new(),
            outputs: Vec::new(),
            value_types: Vec::new(),
            initializers: Vec::new(),
            sparse_initializers: Vec::new(),
            quantization: Vec::new(),
            metadata: Vec::new(),
            doc: empty,
            nodes: IdRange::default(),
        };
        if self.graphs.len() >= MAX_GRAPHS {
            return Err(TooLarge);
        }
        push(&mut self.graphs, draft, GraphId::new)
    }

    /// A graph to be filled.
    pub fn graph_mut(&mut self, id: GraphId) -> &mut GraphDraft {
        &mut self.graphs[id.index()]
    }

    /// The graph.
    pub fn graph(&self, id: GraphId) -> &GraphDraft {
        &self.graphs[id.index()]
    }

    /// The id that the next node will have: subgraphs in its attributes refer to it.
    pub fn next_node(&self) -> Result<NodeId, TooLarge> {
        NodeId::new(self.nodes.len()).ok_or(TooLarge)
    }

    /// Where the attributes of the next node begin.
    pub fn attributes_so_far(&self) -> usize {
        self.attributes.len()
    }

    /// Adds a node without attributes. An empty name among the operands is an optional one left out.
    pub fn add_node(
        &mut self,
        graph: GraphId,
        draft: NodeDraft,
        inputs: &[NameId],
        outputs: &[NameId],
    ) -> Result<NodeId, TooLarge> {
        let attributes_from = self.attributes.len();
        self.add_node_with_attributes(graph, draft, inputs, outputs, attributes_from)
    }

    /// Adds a node whose attributes are those added since `attributes_from`.
    pub fn add_node_with_attributes(
        &mut self,
        graph: GraphId,
        draft: NodeDraft,
        inputs: &[NameId],
        outputs: &[NameId],
        attributes_from: usize,
    ) -> Result<NodeId, TooLarge> {
        let start = self.operand_names.len();
        self.operand_names.extend_from_slice(inputs);
        let middle = self.operand_names.len();
        self.operand_names.extend_from_slice(outputs);
        let place = |operand: usize| u32::try_from(operand).map_err(|_| TooLarge);
        let node = Node {
            name: draft.name,
            op: draft.op,
            domain: draft.domain,
            overload: draft.overload,
            written: draft.written,
            layout: draft.layout,
            graph,
            operands: [place(start)?, place(middle)?, place(self.operand_names.len())?],
            attributes: id_range(attributes_from, self.attributes.len()).ok_or(TooLarge)?,
        };
        let id = push(&mut self.nodes, node, NodeId::new)?;
        let end = place(self.nodes.len())?;
        let range = &mut self.graphs[graph.index()].nodes;
        if range.is_empty() {
            range.start = end - 1;
        }
        range.end = end;
        Ok(id)
    }

    /// Adds an attribute to the node that is being read.
    pub fn add_attribute(&mut self, attribute: Attribute) {
        self.attributes.push(attribute);
    }

    /// Notes metadata of the node that is being read: its key, and where the file has its text.
    pub fn add_node_metadata(&mut self, node: NodeId, key: NameId, text: Span) {
        self.node_metadata.push((node, key, text));
    }

    /// Adds a function whose defaults are the attributes added since `defaults_from`.
    pub fn add_function(
        &mut self,
        mut function: Function,
        defaults_from: usize,
    ) -> Result<FunctionId, TooLarge> {
        function.defaults = id_range(defaults_from, self.attributes.len()).ok_or(TooLarge)?;
        push(&mut self.functions, function, FunctionId::new)
    }

    /// A function without a body's contents, to be filled and added.
    pub fn draft_function(&self, body: GraphId) -> Function {
        let empty = self.names.empty();
        Function {
            name: empty,
            domain: empty,
            overload: empty,
            body,
            opsets: Vec::new(),
            attributes: Vec::new(),
            defaults: IdRange::default(),
            metadata: Vec::new(),
            doc: empty,
        }
    }

    /// The id that the next function will have.
    pub fn next_function(&self) -> Result<FunctionId, TooLarge> {
        FunctionId::new(self.functions.len()).ok_or(TooLarge)
    }

    /// Adds a stored tensor.
    pub fn add_tensor(&mut self, tensor: Tensor) -> Result<TensorId, TooLarge> {
        push(&mut self.tensors, tensor, TensorId::new)
    }

    /// A stored tensor.
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.index()]
    }

    /// The places of all tensors that are outside the model file.
    pub fn externals_mut(&mut self) -> impl Iterator<Item = &mut External> {
        self.tensors.iter_mut().filter_map(|tensor| match &mut tensor.data {
            Data::External(external) => Some(&mut **external),
            Data::Raw(_) | Data::Inline(_) | Data::Fields { .. } | Data::Absent => None,
        })
    }

    /// Adds a stored sparse tensor.
    pub fn add_sparse_tensor(&mut self, tensor: SparseTensor) -> Result<SparseId, TooLarge> {
        push(&mut self.sparse_tensors, tensor, SparseId::new)
    }

    /// Adds a type.
    pub fn add_type(&mut self, ty: ValueType) -> Result<TypeId, TooLarge> {
        push(&mut self.types, ty, TypeId::new)
    }

    /// The id of an order of operands, the same for equal ones.
    pub fn add_layout(&mut self, layout: Layout) -> Result<LayoutId, TooLarge> {
        if let Some(id) = self.layout_ids.get(&layout) {
            return Ok(*id);
        }
        let id = push(&mut self.layouts, layout.clone(), LayoutId::new)?;
        self.layout_ids.insert(layout, id);
        Ok(id)
    }

    /// Resolves all names and returns the model.
    pub fn finish(self) -> Result<Model, TooLarge> {
        link::link(self)
    }
}

/// Adds to an arena what still has an id there.
pub(crate) fn push<T, Id>(
    arena: &mut Vec<T>,
    element: T,
    id: impl Fn(usize) -> Option<Id>,
) -> Result<Id, TooLarge> {
    if arena.len() >= MAX_PARTS {
        return Err(TooLarge);
    }
    let id = id(arena.len()).ok_or(TooLarge)?;
    arena.push(element);
    Ok(id)
}
