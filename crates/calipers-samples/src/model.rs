//! Models and the functions that they define.

use crate::wire::Message;
use crate::{Attribute, DataType, Graph, Node, SparseTensor, Tensor, Type};

/// A function that a model defines (`FunctionProto`).
///
/// ```
/// use calipers_samples::{Attribute, AttributeKind, Function};
///
/// let mut leaky = Function::new("my.domain", "Leaky", &["x"], &["y"]);
/// let slope = Attribute::reference("alpha", AttributeKind::Float, "slope");
/// leaky.opset("", 17).attribute("slope").node("LeakyRelu", &["x"], &["y"], &[slope]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    domain: String,
    name: String,
    overload: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    attributes: Message,
    nodes: Message,
    opsets: Message,
    defaults: Message,
}

impl Function {
    /// A function without a body. A node calls it by its domain and name.
    pub fn new(domain: &str, name: &str, inputs: &[&str], outputs: &[&str]) -> Self {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Self {
            domain: domain.to_owned(),
            name: name.to_owned(),
            inputs: owned(inputs),
            outputs: owned(outputs),
            ..Self::default()
        }
    }

    /// Makes it one of several functions of the same domain and name.
    pub fn overload(&mut self, overload: &str) -> &mut Self {
        overload.clone_into(&mut self.overload);
        self
    }

    /// Adds an operator set that the body uses.
    pub fn opset(&mut self, domain: &str, version: i64) -> &mut Self {
        self.opsets.message(9, &opset(domain, version));
        self
    }

    /// Declares an attribute that a caller must give.
    pub fn attribute(&mut self, name: &str) -> &mut Self {
        self.attributes.string(6, name);
        self
    }

    /// Declares an attribute that a caller may give, with its default.
    pub fn attribute_default(&mut self, attribute: &Attribute) -> &mut Self {
        self.defaults.message(11, attribute.message());
        self
    }

    /// Adds a node of the standard domain to the body.
    pub fn node(
        &mut self,
        op: &str,
        inputs: &[&str],
        outputs: &[&str],
        attributes: &[Attribute],
    ) -> &mut Self {
        self.push(&Node::new(op, inputs, outputs, attributes))
    }

    /// Adds a node to the body.
    pub fn push(&mut self, node: &Node) -> &mut Self {
        self.nodes.message(7, &node.message());
        self
    }

    fn message(&self) -> Message {
        let mut message = Message::new();
        message.string(1, &self.name);
        for input in &self.inputs {
            message.string(4, input);
        }
        for output in &self.outputs {
            message.string(5, output);
        }
        message.merge(&self.attributes).merge(&self.nodes).merge(&self.opsets);
        message.string(10, &self.domain).merge(&self.defaults).text(13, &self.overload);
        message
    }
}

/// A model under construction (`ModelProto`). Nothing is checked: what is built is what was said.
///
/// ```
/// use calipers_samples::{Attribute, DataType::F32, ModelBuilder, Tensor};
///
/// let bytes = ModelBuilder::new(17)
///     .input("image", F32, &["batch", "1", "28", "28"])
///     .initializer(&Tensor::f32("weight", &[1, 1, 1, 1], &[0.5]))
///     .node("Conv", &["image", "weight"], &["out"], &[Attribute::int("group", 1)])
///     .output("out", F32, &["batch", "1", "28", "28"])
///     .metadata("task", "none")
///     .build();
/// assert_eq!(bytes[..2], [0x08, 8], "field 1, the IR version");
/// ```
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    ir_version: i64,
    producer: (String, String),
    domain: String,
    version: i64,
    doc: String,
    graph: Graph,
    opsets: Message,
    metadata: Message,
    functions: Message,
}

impl ModelBuilder {
    /// A model of IR version 8 that uses `opset` of the standard operators.
    pub fn new(opset_version: i64) -> Self {
        let mut opsets = Message::new();
        opsets.message(8, &opset("", opset_version));
        Self {
            ir_version: 8,
            producer: ("calipers-samples".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            domain: String::new(),
            version: 0,
            doc: String::new(),
            graph: Graph::new("main"),
            opsets,
            metadata: Message::new(),
            functions: Message::new(),
        }
    }

    /// Sets the version of ONNX's representation.
    pub fn ir_version(&mut self, version: i64) -> &mut Self {
        self.ir_version = version;
        self
    }

    /// Says which tool wrote the model; two empty strings leave it unsaid.
    pub fn producer(&mut self, name: &str, version: &str) -> &mut Self {
        self.producer = (name.to_owned(), version.to_owned());
        self
    }

    /// Sets the author's namespace and the model's own version.
    pub fn identity(&mut self, domain: &str, version: i64) -> &mut Self {
        domain.clone_into(&mut self.domain);
        self.version = version;
        self
    }

    /// Says what the model is for.
    pub fn doc(&mut self, text: &str) -> &mut Self {
        text.clone_into(&mut self.doc);
        self
    }

    /// Adds a pair of metadata.
    pub fn metadata(&mut self, key: &str, value: &str) -> &mut Self {
        let mut entry = Message::new();
        entry.string(1, key).string(2, value);
        self.metadata.message(14, &entry);
        self
    }

    /// Adds an operator set of another domain.
    pub fn opset(&mut self, domain: &str, version: i64) -> &mut Self {
        self.opsets.message(8, &opset(domain, version));
        self
    }

    /// Adds a function, which nodes may then call.
    pub fn function(&mut self, function: &Function) -> &mut Self {
        self.functions.message(25, &function.message());
        self
    }

    /// Takes this as the main graph, in place of what was added so far.
    pub fn graph(&mut self, graph: Graph) -> &mut Self {
        self.graph = graph;
        self
    }

    /// Names the main graph.
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.graph.name(name);
        self
    }

    /// Adds an input that is a tensor, see [`Graph::input`].
    pub fn input(&mut self, name: &str, dtype: DataType, shape: &[&str]) -> &mut Self {
        self.graph.input(name, dtype, shape);
        self
    }

    /// Adds an input of any type.
    pub fn input_of(&mut self, name: &str, ty: &Type) -> &mut Self {
        self.graph.input_of(name, ty);
        self
    }

    /// Adds an output that is a tensor, see [`Graph::output`].
    pub fn output(&mut self, name: &str, dtype: DataType, shape: &[&str]) -> &mut Self {
        self.graph.output(name, dtype, shape);
        self
    }

    /// Adds an output of any type.
    pub fn output_of(&mut self, name: &str, ty: &Type) -> &mut Self {
        self.graph.output_of(name, ty);
        self
    }

    /// States the type of an intermediate value that is a tensor (`value_info`).
    pub fn value(&mut self, name: &str, dtype: DataType, shape: &[&str]) -> &mut Self {
        self.graph.value(name, dtype, shape);
        self
    }

    /// States the type of an intermediate value (`value_info`).
    pub fn value_of(&mut self, name: &str, ty: &Type) -> &mut Self {
        self.graph.value_of(name, ty);
        self
    }

    /// Adds a stored tensor.
    pub fn initializer(&mut self, tensor: &Tensor) -> &mut Self {
        self.graph.initializer(tensor);
        self
    }

    /// Adds a stored sparse tensor.
    pub fn sparse_initializer(&mut self, tensor: &SparseTensor) -> &mut Self {
        self.graph.sparse_initializer(tensor);
        self
    }

    /// Adds a node of the standard domain, see [`Graph::node`].
    pub fn node(
        &mut self,
        op: &str,
        inputs: &[&str],
        outputs: &[&str],
        attributes: &[Attribute],
    ) -> &mut Self {
        self.graph.node(op, inputs, outputs, attributes);
        self
    }

    /// Adds a node.
    pub fn push(&mut self, node: &Node) -> &mut Self {
        self.graph.push(node);
        self
    }

    /// The bytes of the model's file.
    pub fn build(&self) -> Vec<u8> {
        let mut message = Message::new();
        message.int(1, self.ir_version).text(2, &self.producer.0).text(3, &self.producer.1);
        message.text(4, &self.domain);
        if self.version != 0 {
            message.int(5, self.version);
        }
        message.text(6, &self.doc).message(7, &self.graph.message()).merge(&self.opsets);
        message.merge(&self.metadata).merge(&self.functions);
        message.into_bytes()
    }
}

fn opset(domain: &str, version: i64) -> Message {
    let mut message = Message::new();
    message.string(1, domain).int(2, version);
    message
}
