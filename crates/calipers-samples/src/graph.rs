//! Nodes and graphs.

use crate::types::value_info;
use crate::wire::Message;
use crate::{Attribute, DataType, SparseTensor, Tensor, Type};

/// One operation (`NodeProto`), for what [`Graph::node`] cannot say: a name, a domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The operator, such as `Conv`.
    pub op: String,
    /// Names of its inputs; an empty one is an optional input left out.
    pub inputs: Vec<String>,
    /// Names of its outputs.
    pub outputs: Vec<String>,
    /// Its own name.
    pub name: String,
    /// The operator's domain; empty for the standard one.
    pub domain: String,
    /// Which overload of a function it calls.
    pub overload: String,
    /// What the author wrote about it.
    pub doc: String,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

impl Node {
    /// A node of the standard domain, without a name.
    pub fn new(op: &str, inputs: &[&str], outputs: &[&str], attributes: &[Attribute]) -> Self {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Self {
            op: op.to_owned(),
            inputs: owned(inputs),
            outputs: owned(outputs),
            attributes: attributes.to_vec(),
            ..Self::default()
        }
    }

    /// The same node with a name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// The same node in another domain.
    #[must_use]
    pub fn in_domain(mut self, domain: &str) -> Self {
        domain.clone_into(&mut self.domain);
        self
    }

    pub(crate) fn message(&self) -> Message {
        let mut message = Message::new();
        for input in &self.inputs {
            message.string(1, input);
        }
        for output in &self.outputs {
            message.string(2, output);
        }
        message.text(3, &self.name).string(4, &self.op);
        for attribute in &self.attributes {
            message.message(5, attribute.message());
        }
        message.text(6, &self.doc).text(7, &self.domain).text(8, &self.overload);
        message
    }
}

/// A graph under construction (`GraphProto`): a model's main one, or a subgraph.
///
/// ```
/// use calipers_samples::{Attribute, DataType::F32, Graph};
///
/// let mut branch = Graph::new("then");
/// branch.node("Relu", &["x"], &["y"], &[]).output("y", F32, &["batch", "8"]);
/// let attribute = Attribute::graph("then_branch", &branch);
/// # let _ = attribute;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    // One buffer for each field, so that fields come out in the order of their numbers, as the
    // official writers have them, in whatever order they were added.
    name: String,
    doc: String,
    nodes: Message,
    initializers: Message,
    inputs: Message,
    outputs: Message,
    values: Message,
    sparse_initializers: Message,
}

impl Graph {
    /// A graph with nothing in it.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Names the graph.
    pub fn name(&mut self, name: &str) -> &mut Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Says what the graph is for.
    pub fn doc(&mut self, text: &str) -> &mut Self {
        text.clone_into(&mut self.doc);
        self
    }

    /// Adds an input that is a tensor; dimensions as for [`Type::tensor`].
    pub fn input(&mut self, name: &str, dtype: DataType, shape: &[&str]) -> &mut Self {
        self.input_of(name, &Type::tensor(dtype, shape))
    }

    /// Adds an input of any type.
    pub fn input_of(&mut self, name: &str, ty: &Type) -> &mut Self {
        self.inputs.message(11, &value_info(name, ty));
        self
    }

    /// Adds an output that is a tensor; dimensions as for [`Type::tensor`].
    pub fn output(&mut self, name: &str, dtype: DataType, shape: &[&str]) -> &mut Self {
        self.output_of(name, &Type::tensor(dtype, shape))
    }

    /// Adds an output of any type.
    pub fn output_of(&mut self, name: &str, ty: &Type) -> &mut Self {
        self.outputs.message(12, &value_info(name, ty));
        self
    }

    /// States the type of an intermediate value that is a tensor (`value_info`).
    pub fn value(&mut self, name: &str, dtype: DataType, shape: &[&str]) -> &mut Self {
        self.value_of(name, &Type::tensor(dtype, shape))
    }

    /// States the type of an intermediate value (`value_info`).
    pub fn value_of(&mut self, name: &str, ty: &Type) -> &mut Self {
        self.values.message(13, &value_info(name, ty));
        self
    }

    /// Adds a stored tensor, which its name represents.
    pub fn initializer(&mut self, tensor: &Tensor) -> &mut Self {
        self.initializers.message(5, tensor.message());
        self
    }

    /// Adds a stored sparse tensor, which the name of its values represents.
    pub fn sparse_initializer(&mut self, tensor: &SparseTensor) -> &mut Self {
        self.sparse_initializers.message(15, tensor.message());
        self
    }

    /// Adds a node of the standard domain. Nodes must come in an order in which they can run.
    pub fn node(
        &mut self,
        op: &str,
        inputs: &[&str],
        outputs: &[&str],
        attributes: &[Attribute],
    ) -> &mut Self {
        self.push(&Node::new(op, inputs, outputs, attributes))
    }

    /// Adds a node.
    pub fn push(&mut self, node: &Node) -> &mut Self {
        self.nodes.message(1, &node.message());
        self
    }

    pub(crate) fn message(&self) -> Message {
        let mut message = Message::new();
        message.merge(&self.nodes).text(2, &self.name).merge(&self.initializers);
        message.text(10, &self.doc).merge(&self.inputs).merge(&self.outputs);
        message.merge(&self.values).merge(&self.sparse_initializers);
        message
    }
}
