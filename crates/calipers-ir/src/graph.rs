//! Graphs, nodes and values.

use crate::ids::IdRange;
use crate::{FunctionId, GraphId, LayoutId, NameId, NodeId, SparseId, TensorId, TypeId, ValueId};

/// A graph: the main one, a subgraph of control flow, a function's body, or one for training.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Its name in the file.
    pub name: NameId,
    /// What it is.
    pub kind: GraphKind,
    /// The graph whose names it can see; `None` for the main graph and for functions.
    pub parent: Option<GraphId>,
    /// Number of graphs around it.
    pub nesting: usize,
    /// Its nodes as stored.
    pub nodes: IdRange,
    /// Its nodes in an order of execution. Nodes of a cycle are last, as stored.
    pub order: Vec<NodeId>,
    /// Whether the stored order was one of execution already.
    pub stored_in_order: bool,
    /// Nodes that wait for each other and so can never run.
    pub cyclic: Vec<NodeId>,
    /// Its inputs, those that an initializer fills included.
    pub inputs: Vec<ValueId>,
    /// Its outputs.
    pub outputs: Vec<ValueId>,
    /// Its dense initializers.
    pub initializers: Vec<TensorId>,
    /// Its sparse initializers.
    pub sparse_initializers: Vec<SparseId>,
    /// What it says about the quantization of its tensors.
    pub quantization: Vec<QuantizationAnnotation>,
    /// Free metadata.
    pub metadata: Vec<(NameId, NameId)>,
    /// What the author wrote about it.
    pub doc: NameId,
}

/// What a graph is to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphKind {
    /// The model itself.
    Main,
    /// The value of an attribute of a node.
    Subgraph {
        /// That node.
        node: NodeId,
        /// That attribute, such as `then_branch`.
        attribute: NameId,
    },
    /// The body of a function.
    Function(FunctionId),
    /// A graph of a training step.
    Training,
}

/// Which tensors hold the quantization parameters of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantizationAnnotation {
    /// The quantized tensor.
    pub tensor: NameId,
    /// Role, such as `SCALE_TENSOR`, and the tensor that has it.
    pub parameters: Vec<(NameId, NameId)>,
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Its name; often empty, and not always unique.
    pub name: NameId,
    /// The operator, such as `Conv`.
    pub op: NameId,
    /// The operator's domain as written; empty for the standard one.
    pub domain: NameId,
    /// Which overload of a function it calls.
    pub overload: NameId,
    /// The operator as the file calls it, where that is another name than `op`.
    pub written: Option<NameId>,
    /// The order of its operands, where it is not that of the operator's row.
    pub layout: Option<LayoutId>,
    /// The graph it is in.
    pub graph: GraphId,
    /// Its inputs and outputs among the model's operands: start, end of inputs, end of outputs.
    pub(crate) operands: [u32; 3],
    pub(crate) attributes: IdRange,
}

/// A function that the model defines.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: NameId,
    /// Its domain.
    pub domain: NameId,
    /// Which of the functions of that name it is.
    pub overload: NameId,
    /// Its body.
    pub body: GraphId,
    /// Operator sets its body uses.
    pub opsets: Vec<crate::OpsetImport>,
    /// Attributes a caller must give.
    pub attributes: Vec<NameId>,
    /// Attributes a caller may give, with what they are otherwise.
    pub(crate) defaults: IdRange,
    /// Free metadata.
    pub metadata: Vec<(NameId, NameId)>,
    /// What the author wrote about it.
    pub doc: NameId,
}

/// What a name represents.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The name.
    pub name: NameId,
    /// The graph that defines it.
    pub graph: GraphId,
    /// What defines it.
    pub producer: Producer,
    /// Its declared type.
    pub ty: Option<TypeId>,
    /// The tensor that fills it, also when it is a graph input that a caller may override.
    pub initializer: Option<TensorId>,
    /// The sparse tensor that fills it.
    pub sparse_initializer: Option<SparseId>,
}

/// What defines a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Producer {
    /// The caller: it is an input of its graph.
    Input,
    /// An initializer, and nothing else.
    Initializer,
    /// A node.
    Node {
        /// That node.
        node: NodeId,
        /// Which of its outputs.
        slot: u32,
    },
    /// Nothing: a node or output refers to an undefined name.
    Nobody,
}

/// A use of a value by a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consumer {
    /// That node, possibly in a subgraph.
    pub node: NodeId,
    /// Which of its inputs.
    pub slot: u32,
}
