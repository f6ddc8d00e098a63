//! `AttributeProto` of every kind.

use calipers_ir::{
    Attribute, AttributeText, AttributeValue, GraphId, GraphKind, List, NameId, NodeId, Span,
    StoredIn,
};

use super::reader::{Origin, Reader, integer, integer32};
use super::tensor::packed_integers;
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// Numbers beyond this stay in the file. Trees keep their structure in such lists, and their cost
/// is read off it.
const MAX_NUMBERS: usize = 1 << 20;

/// Bytes of one text beyond this stay in the file: they are tables, not settings.
const MAX_BYTES: usize = 1024;

/// Texts of a list that are kept.
const MAX_TEXTS: usize = 16;

/// Everything an attribute may hold, as found.
#[derive(Default)]
struct Found<'a> {
    name: Option<Part<'a>>,
    kind: i32,
    reference: Option<Part<'a>>,
    float: Option<f32>,
    int: Option<i64>,
    text: Option<Part<'a>>,
    tensor: Option<Message<'a>>,
    graph: Option<Message<'a>>,
    sparse: Option<Message<'a>>,
    ty: Option<Message<'a>>,
    floats: Numbers<f32>,
    ints: Numbers<i64>,
    texts: Vec<Part<'a>>,
    text_count: u64,
    text_bytes: u64,
    tensors: Vec<Part<'a>>,
    graphs: Vec<Part<'a>>,
    sparse_tensors: Vec<Part<'a>>,
    types: Vec<Part<'a>>,
}

/// Numbers of a list: all while they are few, then only how many.
#[derive(Default)]
struct Numbers<T> {
    held: Vec<T>,
    count: u64,
}

impl<T> Numbers<T> {
    fn push(&mut self, number: T) {
        self.count += 1;
        if self.held.len() <= MAX_NUMBERS {
            self.held.push(number);
        }
    }

    fn finish(self, at: Span) -> List<T> {
        if self.count > MAX_NUMBERS as u64 {
            List::Stored { count: self.count, at }
        } else {
            List::Held(self.held.into())
        }
    }
}

/// Who an attribute belongs to.
#[derive(Clone, Copy)]
struct Owner {
    graph: GraphId,
    /// The node, and its place in the graph; none for a function's defaults.
    node: Option<(NodeId, usize)>,
    attribute: usize,
}

impl<'a> Reader<'a> {
    /// Reads an attribute of the node that is being read.
    pub(super) fn node_attribute(
        &mut self,
        graph: GraphId,
        place: usize,
        attribute: usize,
        message: &Message<'a>,
    ) -> Result<(), Trace> {
        let node = Some((self.builder.next_node()?, place));
        self.attribute(Owner { graph, node, attribute }, message)
    }

    /// Reads the default of a function's attribute.
    pub(super) fn function_default(
        &mut self,
        body: GraphId,
        attribute: usize,
        message: &Message<'a>,
    ) -> Result<(), Trace> {
        self.attribute(Owner { graph: body, node: None, attribute }, message)
    }

    fn attribute(&mut self, owner: Owner, message: &Message<'a>) -> Result<(), Trace> {
        let found = self.find(message)?;
        let name = found.name.map(|part| self.name(part)).transpose()?;
        let name = name.unwrap_or(self.builder.names.empty());
        let value = self.value(owner, name, message.span(), found)?;
        self.builder.add_attribute(Attribute { name, value });
        Ok(())
    }

    fn find(&mut self, message: &Message<'a>) -> Result<Found<'a>, Trace> {
        let mut found = Found::default();
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => found.name = Some(part),
                (2, Payload::Fixed32(bits)) => found.float = Some(f32::from_bits(bits)),
                (3, Payload::Varint(value)) => found.int = Some(integer(value)),
                (4, Payload::Bytes(part)) => found.text = Some(part),
                (5, Payload::Bytes(part)) => Message::merge(&mut found.tensor, part),
                (6, Payload::Bytes(part)) => Message::merge(&mut found.graph, part),
                (7, Payload::Fixed32(bits)) => found.floats.push(f32::from_bits(bits)),
                (7, Payload::Bytes(part)) => {
                    for bytes in part.bytes()?.as_chunks::<4>().0 {
                        found.floats.push(f32::from_le_bytes(*bytes));
                    }
                }
                (8, Payload::Varint(value)) => found.ints.push(integer(value)),
                (8, Payload::Bytes(part)) => {
                    packed_integers(part, |number| found.ints.push(number))?;
                }
                (9, Payload::Bytes(part)) => {
                    found.text_count += 1;
                    found.text_bytes += part.len();
                    if found.texts.len() < MAX_TEXTS && part.len() <= MAX_BYTES as u64 {
                        found.texts.push(part);
                    }
                }
                (10, Payload::Bytes(part)) => found.tensors.push(part),
                (11, Payload::Bytes(part)) => found.graphs.push(part),
                (13, Payload::Bytes(_)) => {}
                (14, Payload::Bytes(part)) => Message::merge(&mut found.ty, part),
                (15, Payload::Bytes(part)) => found.types.push(part),
                (20, Payload::Varint(value)) => found.kind = integer32(value),
                (21, Payload::Bytes(part)) => found.reference = Some(part),
                (22, Payload::Bytes(part)) => Message::merge(&mut found.sparse, part),
                (23, Payload::Bytes(part)) => found.sparse_tensors.push(part),
                _ => self.unknown("AttributeProto", &field),
            }
        }
        if found.kind == 0 {
            found.kind = found.implied_kind();
        }
        Ok(found)
    }

    fn value(
        &mut self,
        owner: Owner,
        name: NameId,
        at: Span,
        found: Found<'a>,
    ) -> Result<AttributeValue, Trace> {
        if let Some(reference) = found.reference.filter(|part| !part.is_empty()) {
            return Ok(AttributeValue::Reference(self.name(reference)?));
        }
        // The numbers are those of `AttributeProto.AttributeType`.
        Ok(match found.kind {
            1 => AttributeValue::Float(found.float.unwrap_or_default()),
            2 => AttributeValue::Int(found.int.unwrap_or_default()),
            3 => AttributeValue::Text(AttributeText::new(held_bytes(found.text)?)),
            4 => match found.tensor {
                Some(message) => {
                    let tensor = self.tensor(&message, owner.stored_in());
                    AttributeValue::Tensor(tensor.map_err(|trace| trace.within("t"))?)
                }
                None => AttributeValue::Unknown(4),
            },
            5 => match found.graph {
                Some(message) => self
                    .subgraph(owner, name, None, message)?
                    .map_or(AttributeValue::Unknown(5), AttributeValue::Graph),
                None => AttributeValue::Unknown(5),
            },
            6 => AttributeValue::Floats(found.floats.finish(at)),
            7 => AttributeValue::Ints(found.ints.finish(at)),
            8 => {
                let first = found.texts.into_iter().map(|part| self.name(part));
                AttributeValue::Texts {
                    first: first.collect::<Result<_, _>>()?,
                    count: found.text_count,
                    bytes: found.text_bytes,
                    at,
                }
            }
            9 => {
                let mut tensors = Vec::with_capacity(found.tensors.len());
                for (index, part) in found.tensors.into_iter().enumerate() {
                    let tensor = self.tensor(&Message::from(part), owner.stored_in());
                    tensors.push(tensor.map_err(|trace| trace.within_nth("tensors", index))?);
                }
                AttributeValue::Tensors(tensors)
            }
            10 => {
                let mut graphs = Vec::with_capacity(found.graphs.len());
                for (index, part) in found.graphs.into_iter().enumerate() {
                    let graph = self.subgraph(owner, name, Some(index), Message::from(part))?;
                    graphs.extend(graph);
                }
                AttributeValue::Graphs(graphs)
            }
            11 => match found.sparse {
                Some(message) => {
                    let sparse = self.sparse_tensor(&message);
                    let sparse = sparse.map_err(|trace| trace.within("sparse_tensor"))?;
                    AttributeValue::SparseTensor(self.builder.add_sparse_tensor(sparse)?)
                }
                None => AttributeValue::Unknown(11),
            },
            12 => {
                let mut tensors = Vec::with_capacity(found.sparse_tensors.len());
                for (index, part) in found.sparse_tensors.into_iter().enumerate() {
                    let sparse = self.sparse_tensor(&Message::from(part));
                    let sparse = sparse.map_err(|t| t.within_nth("sparse_tensors", index))?;
                    tensors.push(self.builder.add_sparse_tensor(sparse)?);
                }
                AttributeValue::SparseTensors(tensors)
            }
            13 => match found.ty {
                Some(message) => {
                    let ty = self.type_proto(message).map_err(|trace| trace.within("tp"))?;
                    AttributeValue::Type(self.builder.add_type(ty)?)
                }
                None => AttributeValue::Unknown(13),
            },
            14 => {
                let mut types = Vec::with_capacity(found.types.len());
                for (index, part) in found.types.into_iter().enumerate() {
                    let ty = self.type_proto(Message::from(part));
                    let ty = ty.map_err(|trace| trace.within_nth("type_protos", index))?;
                    types.push(self.builder.add_type(ty)?);
                }
                AttributeValue::Types(types)
            }
            other => AttributeValue::Unknown(other),
        })
    }

    /// Puts a subgraph on the list. A function's default cannot own one: the standard has no
    /// scope for it.
    fn subgraph(
        &mut self,
        owner: Owner,
        attribute: NameId,
        nth: Option<usize>,
        message: Message<'a>,
    ) -> Result<Option<GraphId>, Trace> {
        let Some((node, place)) = owner.node else { return Ok(None) };
        let origin =
            Origin::Attribute { parent: owner.graph, node: place, attribute: owner.attribute, nth };
        let kind = GraphKind::Subgraph { node, attribute };
        Ok(Some(self.queue(kind, message, origin)?))
    }
}

impl Owner {
    fn stored_in(self) -> StoredIn {
        if self.node.is_some() { StoredIn::Attribute } else { StoredIn::FunctionAttribute }
    }
}

impl Found<'_> {
    /// The kind that the contents show, for files from before attributes stated it.
    fn implied_kind(&self) -> i32 {
        let signs = [
            (1, self.float.is_some()),
            (2, self.int.is_some()),
            (3, self.text.is_some()),
            (4, self.tensor.is_some()),
            (5, self.graph.is_some()),
            (6, self.floats.count > 0),
            (7, self.ints.count > 0),
            (8, self.text_count > 0),
            (9, !self.tensors.is_empty()),
            (10, !self.graphs.is_empty()),
            (11, self.sparse.is_some()),
            (12, !self.sparse_tensors.is_empty()),
            (13, self.ty.is_some()),
            (14, !self.types.is_empty()),
        ];
        signs.iter().find(|(_, there)| *there).map_or(0, |(kind, _)| *kind)
    }
}

fn held_bytes(part: Option<Part<'_>>) -> Result<List<u8>, Trace> {
    Ok(match part {
        None => List::Held(Box::default()),
        Some(part) if part.len() <= MAX_BYTES as u64 => List::Held(part.bytes()?.into()),
        Some(part) => List::Stored { count: part.len(), at: part.span() },
    })
}
