//! A short way to write a model: graphs of nodes that name what they read and give.
#![allow(dead_code, reason = "each test file uses the part it needs")]

use calipers_ir::{
    DType, Data, GraphId, GraphKind, Model, ModelBuilder, NameId, NodeDraft, NodeId, Span,
    SparseTensor, StoredIn, Tensor, TensorId, TypedName, ValueId,
};

/// A builder with a main graph and short names for what tests do with it.
pub(crate) struct Writer {
    pub(crate) builder: ModelBuilder,
    pub(crate) main: GraphId,
}

impl Writer {
    pub(crate) fn new() -> Self {
        let mut builder = ModelBuilder::default();
        let main = builder.add_main_graph().expect("group");
        Self { builder, main }
    }

    pub(crate) fn name(&mut self, name: &str) -> NameId {
        self.builder.names.intern(name)
    }

    fn names(&mut self, names: &[&str]) -> Vec<NameId> {
        names.iter().map(|name| self.name(name)).collect()
    }

    /// Adds a node whose operator is its name too.
    pub(crate) fn node(
        &mut self,
        graph: GraphId,
        op: &str,
        inputs: &[&str],
        outputs: &[&str],
    ) -> NodeId {
        let op = self.name(op);
        let draft = NodeDraft { name: op, op, ..NodeDraft::default() };
        let (inputs, outputs) = (self.names(inputs), self.names(outputs));
        self.builder.add_node(graph, draft, &inputs, &outputs).expect("group")
    }

    /// Adds a graph inside a node.
    pub(crate) fn inside(&mut self, node: NodeId) -> GraphId {
        let attribute = self.name("body");
        self.builder.add_graph(GraphKind::Subgraph { node, attribute }).expect("group")
    }

    pub(crate) fn inputs(&mut self, graph: GraphId, names: &[&str]) {
        for name in self.names(names) {
            self.builder.graph_mut(graph).inputs.push(TypedName::untyped(name));
        }
    }

    pub(crate) fn outputs(&mut self, graph: GraphId, names: &[&str]) {
        for name in self.names(names) {
            self.builder.graph_mut(graph).outputs.push(TypedName::untyped(name));
        }
    }

    pub(crate) fn tensor(&mut self, name: &str) -> TensorId {
        let name = self.name(name);
        let tensor = Tensor {
            name,
            dtype: DType::Float32,
            dims: Box::default(),
            data: Data::Absent,
            described_at: Span::default(),
            stored_in: StoredIn::Initializer,
            segment: None,
        };
        self.builder.add_tensor(tensor).expect("group")
    }

    pub(crate) fn initializer(&mut self, graph: GraphId, name: &str) -> TensorId {
        let tensor = self.tensor(name);
        self.builder.graph_mut(graph).initializers.push(tensor);
        tensor
    }

    pub(crate) fn sparse_initializer(&mut self, graph: GraphId, name: Option<&str>) {
        let values = name.map(|name| self.tensor(name));
        let sparse = SparseTensor { values, indices: None, dims: Box::new([2, 2]) };
        let sparse = self.builder.add_sparse_tensor(sparse).expect("group");
        self.builder.graph_mut(graph).sparse_initializers.push(sparse);
    }

    pub(crate) fn finish(self) -> Model {
        self.builder.finish().expect("group")
    }
}

/// The operators of a graph in their order of execution.
pub(crate) fn order(model: &Model, graph: GraphId) -> Vec<&str> {
    model.graph(graph).order.iter().map(|node| model.name(model.node(*node).op)).collect()
}

/// The only input of a node.
pub(crate) fn reads(model: &Model, node: NodeId) -> ValueId {
    model.inputs(node)[0].expect("an input")
}

/// The only output of a node.
pub(crate) fn gives(model: &Model, node: NodeId) -> ValueId {
    model.outputs(node)[0].expect("an output")
}

/// Runs a test in a thread whose stack is too small for recursion over a deep model.
pub(crate) fn with_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(test);
    thread.expect("a thread").join().expect("no panic");
}
