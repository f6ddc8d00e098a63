//! What readers of graphs other than ONNX share: nodes under the names of ONNX's operators, with
//! constants for what another format keeps in attributes.
//!
//! ```
//! use calipers_ir::assembly::{Assembly, Call};
//! use calipers_ir::{DType, Format, ModelBuilder};
//!
//! let mut builder = ModelBuilder::default();
//! builder.header.format = Format::Tflite;
//! let graph = builder.add_main_graph().unwrap();
//! let mut assembly = Assembly::new(&mut builder, graph);
//! let [x, y] = ["x", "y"].map(|name| assembly.name(name));
//! assembly.add_input(x, None);
//! let mut call = Call { written: "RELU".into(), inputs: vec![x], outputs: vec![y], ..Call::default() };
//! call.is("Relu");
//! let node = assembly.add(&call).unwrap();
//! let model = builder.finish().unwrap();
//! assert_eq!(model.name(model.node(node).op), "Relu");
//! assert_eq!((model.written_domain(node), model.written_op(node)), ("tflite", "RELU"));
//! ```
//!
//! An operator of another format becomes one node: of the operator in `calipers-ops` that computes
//! the same, with the name that the file has for it in `written`. What differs in the order of
//! dimensions is a [`Layout`]; what has no counterpart keeps its name, under the domain of the format.

use std::sync::Arc;

use crate::{
    Affine, Attribute, AttributeText, AttributeValue, Axes, DType, Data, Dim, GraphId, Layout,
    Leaf, List, ModelBuilder, NameId, NodeDraft, NodeId, Span, StoredIn, Tensor, TensorId,
    TensorType, TooLarge, TypeId, TypedName, ValueType,
};

/// Elements of an attribute that are kept.
const MAX_KEPT: usize = 1 << 16;

/// A graph that is being put together.
#[derive(Debug)]
pub struct Assembly<'b> {
    /// The model.
    pub builder: &'b mut ModelBuilder,
    /// The graph that nodes are added to.
    pub graph: GraphId,
}

/// A value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f32),
    /// A text.
    Text(String),
    /// Whole numbers.
    Ints(Vec<i64>),
    /// Numbers.
    Floats(Vec<f32>),
}

/// A node on its way into the graph: an operator of ONNX, and what it is called in the file.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The operator of `calipers-ops`; empty where there is none for it.
    pub op: &'static str,
    /// Its domain; empty for the standard one.
    pub domain: &'static str,
    /// The operator as the file calls it.
    pub written: String,
    /// The name of the node.
    pub name: String,
    /// Inputs in the order of the row; the empty name for one that is left out.
    pub inputs: Vec<NameId>,
    /// Outputs.
    pub outputs: Vec<NameId>,
    /// Attributes of the row.
    pub attributes: Vec<(&'static str, Setting)>,
    /// Operands in another order of dimensions than the row's.
    pub layout: Layout,
}

impl Call {
    /// Says what operator of the standard computes the same.
    pub fn is(&mut self, op: &'static str) -> &mut Self {
        self.op = op;
        self
    }

    /// The same for an operator of another domain.
    pub fn is_of(&mut self, domain: &'static str, op: &'static str) -> &mut Self {
        self.domain = domain;
        self.op = op;
        self
    }

    /// Gives an attribute.
    pub fn with(&mut self, name: &'static str, value: Setting) -> &mut Self {
        self.attributes.push((name, value));
        self
    }

    /// Gives a whole number.
    pub fn int(&mut self, name: &'static str, value: i64) -> &mut Self {
        self.with(name, Setting::Int(value))
    }

    /// Gives whole numbers.
    pub fn ints(&mut self, name: &'static str, values: &[i64]) -> &mut Self {
        self.with(name, Setting::Ints(values.to_vec()))
    }

    /// Gives a number.
    pub fn float(&mut self, name: &'static str, value: f32) -> &mut Self {
        self.with(name, Setting::Float(value))
    }

    /// Gives a text.
    pub fn text(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.with(name, Setting::Text(value.to_owned()))
    }

    /// States the order of an input's dimensions: place `i` of the row's order is dimension
    /// `order[i]` of the file's.
    pub fn input_order(&mut self, place: usize, order: &[u8]) -> &mut Self {
        if let Some(axes) = Axes::new(order) {
            self.layout.inputs.push((place, axes));
        }
        self
    }

    /// States the order of an input's dimensions, where several of the file's are one of the row's: place
    /// `i` of the row's order is the product of the dimensions `places[i]`, or 1 where that is empty.
    pub fn input_groups(&mut self, place: usize, places: &[&[u8]]) -> &mut Self {
        if let Some(axes) = Axes::grouped(places) {
            self.layout.inputs.push((place, axes));
        }
        self
    }

    /// States the order of an output's dimensions.
    pub fn output_order(&mut self, place: usize, order: &[u8]) -> &mut Self {
        if let Some(axes) = Axes::new(order) {
            self.layout.outputs.push((place, axes));
        }
        self
    }

    /// States that the first input and the first output have this many dimensions, the channels
    /// last.
    pub fn channels_last(&mut self, rank: u8) -> &mut Self {
        if let Some(axes) = Axes::channels_last(rank) {
            self.layout.inputs.push((0, axes.clone()));
            self.layout.outputs.push((0, axes));
        }
        self
    }

    /// An input; the empty name where it is left out.
    pub fn input(&self, place: usize, empty: NameId) -> NameId {
        self.inputs.get(place).copied().unwrap_or(empty)
    }
}

impl<'b> Assembly<'b> {
    /// Continues a graph of a model.
    pub fn new(builder: &'b mut ModelBuilder, graph: GraphId) -> Self {
        Self { builder, graph }
    }

    /// The id of a name.
    pub fn name(&mut self, name: &str) -> NameId {
        self.builder.names.intern(name)
    }

    /// The name of what is left out.
    pub fn none(&self) -> NameId {
        self.builder.names.empty()
    }

    /// The type of a tensor.
    pub fn tensor_type(
        &mut self,
        dtype: DType,
        shape: Option<Vec<Dim>>,
    ) -> Result<TypeId, TooLarge> {
        let leaf = Leaf::Tensor(TensorType { dtype, shape });
        self.builder.add_type(ValueType { leaf, ..ValueType::default() })
    }

    /// Declares the type of a value inside the graph.
    pub fn declare(&mut self, name: NameId, ty: TypeId) {
        let typed = TypedName { name, ty: Some(ty) };
        self.builder.graph_mut(self.graph).value_types.push(typed);
    }

    /// Adds an input of the graph.
    pub fn add_input(&mut self, name: NameId, ty: Option<TypeId>) {
        self.builder.graph_mut(self.graph).inputs.push(TypedName { name, ty });
    }

    /// Adds an output of the graph.
    pub fn add_output(&mut self, name: NameId, ty: Option<TypeId>) {
        self.builder.graph_mut(self.graph).outputs.push(TypedName { name, ty });
    }

    /// States the quantization of a value.
    pub fn add_affine(&mut self, name: NameId, affine: Affine) {
        self.builder.affine.push((self.graph, name, affine));
    }

    /// Adds a stored tensor that fills the value of its name.
    pub fn add_stored(
        &mut self,
        name: NameId,
        dtype: DType,
        dims: &[i64],
        data: Data,
    ) -> Result<TensorId, TooLarge> {
        let described_at = match &data {
            Data::Raw(span) => *span,
            _ => Span::default(),
        };
        let tensor = Tensor {
            name,
            dtype,
            dims: dims.into(),
            data,
            described_at,
            stored_in: StoredIn::Initializer,
            segment: None,
        };
        let id = self.builder.add_tensor(tensor)?;
        self.builder.graph_mut(self.graph).initializers.push(id);
        Ok(id)
    }

    /// A name for a value that the file has none for. `hint` says what it is.
    pub fn new_name(&mut self, hint: &str) -> NameId {
        // Several assemblies may fill one model.
        let text = format!("({hint} {})", self.builder.constants);
        self.builder.constants += 1;
        self.name(&text)
    }

    /// A constant that the operator of ONNX takes as an input, and the file keeps elsewhere.
    pub fn integers(&mut self, hint: &str, values: &[i64]) -> Result<NameId, TooLarge> {
        let dims = [i64::try_from(values.len()).map_err(|_| TooLarge)?];
        self.constant(hint, DType::Int64, &dims, values.iter().flat_map(|it| it.to_le_bytes()))
    }

    /// A constant number without dimensions.
    pub fn integer(&mut self, hint: &str, value: i64) -> Result<NameId, TooLarge> {
        self.constant(hint, DType::Int64, &[], value.to_le_bytes().into_iter())
    }

    /// Constant numbers.
    pub fn floats(&mut self, hint: &str, values: &[f32]) -> Result<NameId, TooLarge> {
        let dims = [i64::try_from(values.len()).map_err(|_| TooLarge)?];
        self.constant(hint, DType::Float32, &dims, values.iter().flat_map(|it| it.to_le_bytes()))
    }

    /// A constant number without dimensions.
    pub fn float(&mut self, hint: &str, value: f32) -> Result<NameId, TooLarge> {
        self.constant(hint, DType::Float32, &[], value.to_le_bytes().into_iter())
    }

    fn constant(
        &mut self,
        hint: &str,
        dtype: DType,
        dims: &[i64],
        bytes: impl Iterator<Item = u8>,
    ) -> Result<NameId, TooLarge> {
        let name = self.new_name(hint);
        let bytes: Arc<[u8]> = bytes.collect();
        self.add_stored(name, dtype, dims, Data::Inline(bytes))?;
        Ok(name)
    }

    /// Adds a node. One without an operator in `calipers-ops` keeps its name in the format's domain.
    pub fn add(&mut self, call: &Call) -> Result<NodeId, TooLarge> {
        let attributes_from = self.builder.attributes_so_far();
        for (name, setting) in &call.attributes {
            let name = self.name(name);
            let value = self.attribute(setting);
            self.builder.add_attribute(Attribute { name, value });
        }
        let is_known = !call.op.is_empty();
        let written = self.name(&call.written);
        let op = if is_known { self.name(call.op) } else { written };
        let domain = match is_known {
            true => call.domain,
            false => self.builder.header.format.domain(),
        };
        let layout = match call.layout == Layout::default() {
            true => None,
            false => Some(self.builder.add_layout(call.layout.clone())?),
        };
        let draft = NodeDraft {
            name: self.name(&call.name),
            op,
            domain: self.name(domain),
            overload: self.none(),
            written: is_known.then_some(written),
            layout,
        };
        self.builder.add_node_with_attributes(
            self.graph,
            draft,
            &call.inputs,
            &call.outputs,
            attributes_from,
        )
    }

    fn attribute(&mut self, setting: &Setting) -> AttributeValue {
        fn held<T: Clone>(elements: &[T]) -> List<T> {
            match elements.len() > MAX_KEPT {
                true => List::Stored { count: elements.len() as u64, at: Span::default() },
                false => List::Held(elements.into()),
            }
        }
        match setting {
            Setting::Int(value) => AttributeValue::Int(*value),
            Setting::Float(value) => AttributeValue::Float(*value),
            Setting::Text(text) => AttributeValue::Text(AttributeText::new(held(text.as_bytes()))),
            Setting::Ints(values) => AttributeValue::Ints(held(values)),
            Setting::Floats(values) => AttributeValue::Floats(held(values)),
        }
    }
}
