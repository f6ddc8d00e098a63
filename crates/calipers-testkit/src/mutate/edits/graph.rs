//! The fields of an ONNX graph, for edits.

use calipers_samples::wire::Message;

use crate::mutate::tree::{self, Field, Kind, Payload};

/// A model that is being edited.
#[derive(Clone)]
pub(super) struct Edited {
    pub(super) fields: Vec<Field>,
}

impl Edited {
    pub(super) fn parse(model: &[u8]) -> Self {
        let (fields, rest) = tree::parse(model, Kind::Model, 0);
        assert!(rest.is_empty(), "only whole models are edited");
        Self { fields }
    }

    pub(super) fn write(&self) -> Vec<u8> {
        tree::write(&self.fields).into_bytes()
    }

    /// The fields of the main graph.
    pub(super) fn graph(&self) -> &[Field] {
        self.fields.iter().find(|field| field.number == 7).and_then(fields).unwrap()
    }

    pub(super) fn graph_mut(&mut self) -> &mut Vec<Field> {
        self.fields.iter_mut().find(|field| field.number == 7).and_then(fields_mut).unwrap()
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &Field> {
        self.graph().iter().filter(|field| field.number == 1)
    }

    /// The place of the last node with a name that is like this.
    pub(super) fn last_node(&self, is_like: impl Fn(&Field) -> bool) -> Option<usize> {
        self.graph().iter().rposition(|field| {
            let name = fields(field).and_then(|fields| text(fields, 3));
            field.number == 1 && name.is_some_and(|name| !name.is_empty()) && is_like(field)
        })
    }

    pub(super) fn node_mut(&mut self, at: usize) -> &mut Field {
        &mut self.graph_mut()[at]
    }

    pub(super) fn node_name(&self, at: usize) -> Option<String> {
        text(fields(&self.graph()[at])?, 3)
    }

    /// Names of the inputs (11) or outputs (12).
    pub(super) fn names_of(&self, number: u32) -> Vec<String> {
        let ports = self.graph().iter().filter(|field| field.number == number);
        ports.filter_map(|port| text(fields(port)?, 1)).collect()
    }

    pub(super) fn has_subgraphs(&self) -> bool {
        self.nodes().any(|node| subgraphs(node).next().is_some())
    }

    /// Inputs without a stored value.
    pub(super) fn real_inputs(&self) -> Vec<String> {
        let tensors = self.graph().iter().filter(|field| field.number == 5);
        let stored: Vec<String> = tensors.filter_map(|tensor| text(fields(tensor)?, 8)).collect();
        self.names_of(11).into_iter().filter(|name| !stored.contains(name)).collect()
    }
}

pub(super) fn fields(field: &Field) -> Option<&[Field]> {
    match &field.payload {
        Payload::Message(_, fields) => Some(fields),
        _ => None,
    }
}

pub(super) fn fields_mut(field: &mut Field) -> Option<&mut Vec<Field>> {
    match &mut field.payload {
        Payload::Message(_, fields) => Some(fields),
        _ => None,
    }
}

pub(super) fn text(fields: &[Field], number: u32) -> Option<String> {
    fields.iter().find(|field| field.number == number).and_then(own_text)
}

fn own_text(field: &Field) -> Option<String> {
    match &field.payload {
        Payload::Bytes(_, bytes) => String::from_utf8(bytes.clone()).ok(),
        _ => None,
    }
}

pub(super) fn set_text(fields: &mut [Field], number: u32, text: &str) {
    for field in fields.iter_mut().filter(|field| field.number == number) {
        field.payload = Payload::Bytes(Kind::Text, text.as_bytes().to_vec());
    }
}

pub(super) fn number(fields: &[Field], number: u32) -> Option<u64> {
    fields.iter().find(|field| field.number == number).and_then(|field| match field.payload {
        Payload::Varint(value) => Some(value),
        _ => None,
    })
}

/// Whether the raw floats of a tensor are as many as its dimensions say.
pub(super) fn is_whole(tensor: &[Field]) -> bool {
    let dims = tensor.iter().filter(|field| field.number == 1);
    let elements: u64 = dims
        .flat_map(|field| match &field.payload {
            Payload::Varint(size) => vec![*size],
            Payload::Integers(sizes) => sizes.clone(),
            _ => Vec::new(),
        })
        .product();
    tensor.iter().any(|field| match &field.payload {
        Payload::Bytes(_, bytes) => field.number == 9 && bytes.len() as u64 == 4 * elements,
        _ => false,
    })
}

pub(super) fn op(node: &Field) -> Option<String> {
    let fields = fields(node)?;
    let is_standard = text(fields, 7).unwrap_or_default().is_empty();
    text(fields, 4).filter(|_| is_standard)
}

fn texts(node: &Field, number: u32) -> Vec<String> {
    let fields = fields(node).unwrap_or_default();
    fields.iter().filter(|field| field.number == number).filter_map(own_text).collect()
}

pub(super) fn inputs_of(node: &Field) -> Vec<String> {
    texts(node, 1)
}

pub(super) fn outputs_of(node: &Field) -> Vec<String> {
    texts(node, 2)
}

/// Every name that a node or its subgraphs read.
pub(super) fn reads(node: &Field) -> Vec<String> {
    let mut names = inputs_of(node);
    for graph in subgraphs(node) {
        names.extend(texts(graph, 12));
        for field in fields(graph).unwrap_or_default() {
            match field.number {
                1 => names.extend(reads(field)),
                // An output may be a value of the graph outside.
                12 => names.extend(fields(field).and_then(|fields| text(fields, 1))),
                _ => {}
            }
        }
    }
    names
}

fn subgraphs(node: &Field) -> impl Iterator<Item = &Field> {
    let attributes = fields(node).unwrap_or_default().iter().filter(|field| field.number == 5);
    attributes
        .flat_map(|attribute| fields(attribute).unwrap_or_default())
        .filter(|field| matches!(field.payload, Payload::Message(Kind::Graph, _)))
}

/// Gives every node and value of a graph and its subgraphs another name.
pub(super) fn rename(graph: &mut [Field], new: &dyn Fn(&str) -> String) {
    let change = |field: &mut Field| {
        if let Some(name) = own_text(field).filter(|name| !name.is_empty()) {
            field.payload = Payload::Bytes(Kind::Text, new(&name).into_bytes());
        }
    };
    for field in graph {
        let (in_graph, name) = (field.number, |number| match number {
            1 => [1, 2, 3],
            5 => [8; 3],
            _ => [1; 3],
        });
        let Some(inner) = fields_mut(field).filter(|_| matches!(in_graph, 1 | 5 | 11..=13)) else {
            continue;
        };
        for part in inner {
            if name(in_graph).contains(&part.number) {
                change(part);
            }
            for value in fields_mut(part).into_iter().flatten() {
                if let (1, Payload::Message(Kind::Graph, fields)) = (in_graph, &mut value.payload) {
                    rename(fields, new);
                }
            }
        }
    }
}

/// Makes every reader of a value read another one.
pub(super) fn redirect(graph: &mut [Field], from: &str, to: &str) {
    for field in graph.iter_mut() {
        let in_graph = field.number;
        for part in fields_mut(field).into_iter().flatten() {
            let is_read = matches!((in_graph, part.number), (1 | 12, 1));
            if is_read && own_text(part).as_deref() == Some(from) {
                part.payload = Payload::Bytes(Kind::Text, to.as_bytes().to_vec());
            }
            for value in fields_mut(part).into_iter().flatten() {
                if let (1, Payload::Message(Kind::Graph, fields)) = (in_graph, &mut value.payload) {
                    redirect(fields, from, to);
                }
            }
        }
    }
}

/// A node with one input and one output.
pub(super) fn node(name: &str, op: &str, input: &str, output: &str) -> Field {
    let mut message = Message::new();
    message.string(1, input).string(2, output).string(3, name).string(4, op);
    field(1, Kind::Node, &message)
}

fn field(number: u32, kind: Kind, message: &Message) -> Field {
    Field { number, payload: Payload::Message(kind, tree::parse(message.as_bytes(), kind, 0).0) }
}

/// An input `extra` of two floats.
pub(super) fn extra_input() -> Vec<Field> {
    let (mut dim, mut shape) = (Message::new(), Message::new());
    dim.int(1, 2);
    shape.message(1, &dim);
    let (mut tensor, mut kind, mut value) = (Message::new(), Message::new(), Message::new());
    tensor.int(1, 1).message(2, &shape);
    kind.message(1, &tensor);
    value.string(1, "extra").message(2, &kind);
    vec![field(11, Kind::ValueInfo, &value)]
}

/// The value of `extra` where the caller passes none.
pub(super) fn extra_initializer() -> Option<Field> {
    let mut tensor = Message::new();
    tensor.int(1, 2).int(2, 1).string(8, "extra").bytes(9, &[0; 8]);
    Some(field(5, Kind::Tensor, &tensor))
}

/// The dimensions of an input or output that is a tensor.
pub(super) fn dimensions(port: &mut Field) -> Vec<&mut Vec<Field>> {
    let types = fields_mut(port).into_iter().flatten().filter(|field| field.number == 2);
    let tensors = types.filter_map(fields_mut).flatten().filter(|field| field.number == 1);
    let shapes = tensors.filter_map(fields_mut).flatten().filter(|field| field.number == 2);
    shapes.filter_map(fields_mut).flatten().filter_map(fields_mut).collect()
}

/// Stores the raw floats of a tensor in 16 bits, cut off.
pub(super) fn to_float16(tensor: &mut [Field]) -> Option<()> {
    let data = tensor.iter_mut().find(|field| field.number == 9)?;
    let Payload::Bytes(_, bytes) = &mut data.payload else { return None };
    let half = |bytes: &[u8]| {
        let bits = u32::from_le_bytes(bytes.try_into().unwrap());
        let (sign, exponent) = ((bits >> 31) << 15, (bits >> 23) & 0xff);
        let value = match exponent.checked_sub(112) {
            // Below the smallest normal number.
            None | Some(0) => 0,
            Some(exponent) => (exponent.min(30) << 10) | ((bits >> 13) & 0x3ff),
        };
        u16::try_from(sign | value).unwrap().to_le_bytes()
    };
    *bytes = bytes.chunks_exact(4).flat_map(half).collect();
    let dtype = tensor.iter_mut().find(|field| field.number == 2)?;
    dtype.payload = Payload::Varint(10);
    Some(())
}

/// Declares a tensor of floats as float16.
pub(super) fn to_float16_type(value: &mut Field) {
    let types = fields_mut(value).into_iter().flatten().filter(|field| field.number == 2);
    let tensors = types.filter_map(fields_mut).flatten().filter(|field| field.number == 1);
    for element in tensors.filter_map(fields_mut).flatten().filter(|field| field.number == 1) {
        if element.payload == Payload::Varint(1) {
            element.payload = Payload::Varint(10);
        }
    }
}
