//! What a node is by itself, as numbers that equal nodes share.

use calipers_ir::{AttributeValue, DType, GraphId, List, Model, NodeId, TensorId};
use calipers_ops::{Class, Operator, attributes, canonical_domain};

use super::hash::{mix, of_all, of_bytes, of_hint, of_text};
use super::network::Source;

/// Elements of a stored tensor that are read with the graph: settings such as axes and shapes.
pub(crate) const FEW: u64 = 64;

/// Finds tensors that hold the same elements.
pub(crate) struct Contents<'a> {
    /// A number for the elements of a tensor, where they may be read.
    pub(crate) digest: &'a (dyn Fn(TensorId) -> Option<u64> + Sync),
}

impl std::fmt::Debug for Contents<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Contents")
    }
}

impl Contents<'_> {
    /// The number of a tensor: its type, its dimensions, and its elements where they are known.
    pub(crate) fn key(&self, model: &Model, id: TensorId) -> u64 {
        let tensor = model.tensor(id);
        let form = mix(of_dtype(tensor.dtype), of_dims(&tensor.dims));
        match model.packed(id, FEW) {
            Ok(bytes) => mix(form, of_bytes(&bytes)),
            Err(_) => mix(form, (self.digest)(id).unwrap_or(0)),
        }
    }
}

fn of_dtype(dtype: DType) -> u64 {
    of_text(&dtype.to_string())
}

fn of_dims(dims: &[i64]) -> u64 {
    of_all(dims.iter().map(|dim| dim.cast_unsigned()))
}

/// Numbers of every node of a graph, from the loosest to the strictest.
#[derive(Debug)]
pub(crate) struct Labels {
    /// The operator.
    pub(crate) op: Vec<u64>,
    /// The plain operator of a contraction, which its quantized and fused forms share; 0 for others.
    pub(crate) plain: Vec<u64>,
    /// Whether it converts between floats and integers of few bits.
    pub(crate) converts: Vec<bool>,
    /// The dimensions of the largest stored tensor; 0 where there is none.
    pub(crate) weight: Vec<u64>,
    /// The operator and the dimensions of its stored tensors.
    pub(crate) form: Vec<u64>,
    /// The operator, its attributes, and its stored tensors with their types and elements.
    pub(crate) exact: Vec<u64>,
    /// The name in the file; 0 where there is none.
    pub(crate) name: Vec<u64>,
}

impl Labels {
    pub(crate) fn new(
        model: &Model,
        nodes: &[NodeId],
        sources: &[Source],
        starts: &[u32],
        commutes: &[bool],
        contents: &Contents<'_>,
    ) -> Self {
        let mut labels = Self {
            op: Vec::with_capacity(nodes.len()),
            plain: Vec::with_capacity(nodes.len()),
            converts: Vec::with_capacity(nodes.len()),
            weight: Vec::with_capacity(nodes.len()),
            form: Vec::with_capacity(nodes.len()),
            exact: Vec::with_capacity(nodes.len()),
            name: Vec::with_capacity(nodes.len()),
        };
        for (at, id) in nodes.iter().enumerate() {
            let node = model.node(*id);
            let op = of_operator(model, *id);
            let inputs = &sources[starts[at] as usize..starts[at + 1] as usize];
            let (mut largest, mut weight) = (0, 0);
            let (mut form, mut exact) = (op, mix(op, of_attributes(model, *id, contents)));
            for (slot, source) in (0_u64..).zip(inputs) {
                if let Source::Stored(tensor) = source {
                    let slot = if commutes[at] { 0 } else { slot };
                    let dims = of_dims(&model.tensor(*tensor).dims);
                    form = mix(form, mix(slot, dims));
                    let elements = model.tensor(*tensor).elements().unwrap_or(0);
                    if elements > largest {
                        (largest, weight) = (elements, dims);
                    }
                    exact = mix(exact, mix(slot, contents.key(model, *tensor)));
                }
            }
            exact = mix(exact, model.outputs(*id).len() as u64);
            labels.op.push(op);
            let operator = calipers_ops::find(model.name(node.domain), model.name(node.op));
            labels.plain.push(operator.map_or(0, of_plain_operator));
            let converts = operator.is_some_and(|it| it.traits.class == Class::Quantization);
            labels.converts.push(converts);
            labels.weight.push(weight);
            labels.form.push(form);
            labels.exact.push(exact);
            labels.name.push(of_hint(model.hint(node.name)));
        }
        labels
    }
}

/// The number of a node's operator.
pub(crate) fn of_operator(model: &Model, id: NodeId) -> u64 {
    let node = model.node(id);
    let domain = of_text(canonical_domain(model.name(node.domain)));
    mix(mix(domain, of_text(model.name(node.op))), of_hint(model.hint(node.overload)))
}

/// The number of the contraction that an operator computes, in whatever form; 0 for other operators.
fn of_plain_operator(operator: &Operator) -> u64 {
    if !operator.traits.is_contraction() {
        return 0;
    }
    match operator.traits.lowering.contraction().unwrap_or(operator.name) {
        // A matrix product with a bias.
        "Gemm" => of_text("MatMul"),
        name => of_text(name),
    }
}

/// The number of a node's attributes. One that is set to its default is as good as one left out.
fn of_attributes(model: &Model, id: NodeId, contents: &Contents<'_>) -> u64 {
    let defaults = attributes::defaults_of(model, id);
    let mut sum = 0_u64;
    for attribute in model.attributes(id) {
        let name = model.name(attribute.name);
        let default = defaults.iter().find(|(known, _)| *known == name);
        if default.is_some_and(|(_, text)| attributes::text(model, &attribute.value) == *text) {
            continue;
        }
        let value = of_value(model, &attribute.value, contents);
        sum = sum.wrapping_add(mix(of_hint(model.hint(attribute.name)), value));
    }
    sum
}

/// The number of an attribute's value.
pub(crate) fn of_value(model: &Model, value: &AttributeValue, contents: &Contents<'_>) -> u64 {
    let of_graph = |id: &GraphId| {
        let nodes = model.graph(*id).order.iter();
        nodes.map(|node| mix(of_operator(model, *node), 1)).fold(0, u64::wrapping_add)
    };
    let of_sparse = |id| of_dims(&model.sparse_tensor(id).dims);
    match value {
        AttributeValue::Float(number) => mix(1, u64::from(number.to_bits())),
        AttributeValue::Int(number) => mix(2, number.cast_unsigned()),
        AttributeValue::Text(text) => {
            mix(3, of_list(model, text.setting(), |byte| u64::from(*byte)))
        }
        AttributeValue::Tensor(tensor) => mix(4, contents.key(model, *tensor)),
        AttributeValue::SparseTensor(tensor) => mix(5, of_sparse(*tensor)),
        AttributeValue::Graph(graph) => mix(6, of_graph(graph)),
        AttributeValue::Type(ty) => mix(7, of_text(&model.value_type(*ty).describe(&model.names))),
        AttributeValue::Floats(list) => mix(8, of_list(model, list, |x| u64::from(x.to_bits()))),
        AttributeValue::Ints(list) => mix(9, of_list(model, list, |x| x.cast_unsigned())),
        AttributeValue::Texts { count, at, .. } => {
            mix(10, mix(*count, model.source.slice(*at).map_or(0, of_bytes)))
        }
        AttributeValue::Tensors(all) => {
            mix(11, of_all(all.iter().map(|tensor| contents.key(model, *tensor))))
        }
        AttributeValue::SparseTensors(all) => mix(12, of_all(all.iter().map(|id| of_sparse(*id)))),
        AttributeValue::Graphs(all) => mix(13, of_all(all.iter().map(of_graph))),
        AttributeValue::Types(all) => {
            let texts = all.iter().map(|ty| model.value_type(*ty).describe(&model.names));
            mix(14, of_all(texts.map(|text| of_text(&text))))
        }
        AttributeValue::Reference(name) => mix(15, of_hint(model.hint(*name))),
        AttributeValue::Unknown(kind) => mix(16, u64::from(kind.cast_unsigned())),
    }
}

fn of_list<T>(model: &Model, list: &List<T>, number: impl Fn(&T) -> u64) -> u64 {
    match list {
        List::Held(elements) => of_all(elements.iter().map(number)),
        List::Stored { count, at } => mix(*count, model.source.slice(*at).map_or(0, of_bytes)),
    }
}
