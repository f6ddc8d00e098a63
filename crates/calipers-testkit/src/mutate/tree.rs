//! A protobuf message as a tree of fields, and which fields of ONNX hold messages.

use calipers_samples::wire::Message;

/// Messages nested deeper stay bytes, so that a file cannot drive the recursion.
const MAX_DEPTH: u32 = 40;

/// What the bytes of a field hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Model,
    Training,
    Graph,
    Node,
    Attribute,
    Tensor,
    Segment,
    Sparse,
    ValueInfo,
    Type,
    TensorType,
    ElementType,
    MapType,
    Shape,
    Dim,
    Opset,
    Entry,
    Annotation,
    Function,
    DeviceSetup,
    /// Varints without keys.
    Integers,
    Text,
    Data,
}

/// Fields of ONNX by message and number; other fields hold data.
const FIELDS: &[(Kind, u32, Kind)] = &[
    (Kind::Model, 2, Kind::Text),
    (Kind::Model, 3, Kind::Text),
    (Kind::Model, 4, Kind::Text),
    (Kind::Model, 6, Kind::Text),
    (Kind::Model, 7, Kind::Graph),
    (Kind::Model, 8, Kind::Opset),
    (Kind::Model, 14, Kind::Entry),
    (Kind::Model, 20, Kind::Training),
    (Kind::Model, 25, Kind::Function),
    (Kind::Training, 1, Kind::Graph),
    (Kind::Training, 2, Kind::Graph),
    (Kind::Training, 3, Kind::Entry),
    (Kind::Graph, 1, Kind::Node),
    (Kind::Graph, 2, Kind::Text),
    (Kind::Graph, 5, Kind::Tensor),
    (Kind::Graph, 10, Kind::Text),
    (Kind::Graph, 11, Kind::ValueInfo),
    (Kind::Graph, 12, Kind::ValueInfo),
    (Kind::Graph, 13, Kind::ValueInfo),
    (Kind::Graph, 14, Kind::Annotation),
    (Kind::Graph, 15, Kind::Sparse),
    (Kind::Graph, 16, Kind::Entry),
    (Kind::Node, 1, Kind::Text),
    (Kind::Node, 2, Kind::Text),
    (Kind::Node, 3, Kind::Text),
    (Kind::Node, 4, Kind::Text),
    (Kind::Node, 5, Kind::Attribute),
    (Kind::Node, 6, Kind::Text),
    (Kind::Node, 7, Kind::Text),
    (Kind::Node, 8, Kind::Text),
    (Kind::Node, 9, Kind::Entry),
    (Kind::Node, 10, Kind::DeviceSetup),
    (Kind::Attribute, 1, Kind::Text),
    (Kind::Attribute, 4, Kind::Text),
    (Kind::Attribute, 5, Kind::Tensor),
    (Kind::Attribute, 6, Kind::Graph),
    (Kind::Attribute, 8, Kind::Integers),
    (Kind::Attribute, 9, Kind::Text),
    (Kind::Attribute, 10, Kind::Tensor),
    (Kind::Attribute, 11, Kind::Graph),
    (Kind::Attribute, 14, Kind::Type),
    (Kind::Attribute, 15, Kind::Type),
    (Kind::Attribute, 21, Kind::Text),
    (Kind::Attribute, 22, Kind::Sparse),
    (Kind::Attribute, 23, Kind::Sparse),
    (Kind::Tensor, 1, Kind::Integers),
    (Kind::Tensor, 3, Kind::Segment),
    (Kind::Tensor, 5, Kind::Integers),
    (Kind::Tensor, 6, Kind::Text),
    (Kind::Tensor, 7, Kind::Integers),
    (Kind::Tensor, 8, Kind::Text),
    (Kind::Tensor, 11, Kind::Integers),
    (Kind::Tensor, 13, Kind::Entry),
    (Kind::Sparse, 1, Kind::Tensor),
    (Kind::Sparse, 2, Kind::Tensor),
    (Kind::Sparse, 3, Kind::Integers),
    (Kind::ValueInfo, 1, Kind::Text),
    (Kind::ValueInfo, 2, Kind::Type),
    (Kind::ValueInfo, 3, Kind::Text),
    (Kind::ValueInfo, 4, Kind::Entry),
    (Kind::Type, 1, Kind::TensorType),
    (Kind::Type, 4, Kind::ElementType),
    (Kind::Type, 5, Kind::MapType),
    (Kind::Type, 6, Kind::Text),
    (Kind::Type, 8, Kind::TensorType),
    (Kind::Type, 9, Kind::ElementType),
    (Kind::TensorType, 2, Kind::Shape),
    (Kind::ElementType, 1, Kind::Type),
    (Kind::MapType, 2, Kind::Type),
    (Kind::Shape, 1, Kind::Dim),
    (Kind::Dim, 2, Kind::Text),
    (Kind::Dim, 3, Kind::Text),
    (Kind::Opset, 1, Kind::Text),
    (Kind::Entry, 1, Kind::Text),
    (Kind::Entry, 2, Kind::Text),
    (Kind::Annotation, 1, Kind::Text),
    (Kind::Annotation, 2, Kind::Entry),
    (Kind::Function, 1, Kind::Text),
    (Kind::Function, 4, Kind::Text),
    (Kind::Function, 5, Kind::Text),
    (Kind::Function, 6, Kind::Text),
    (Kind::Function, 7, Kind::Node),
    (Kind::Function, 8, Kind::Text),
    (Kind::Function, 9, Kind::Opset),
    (Kind::Function, 10, Kind::Text),
    (Kind::Function, 11, Kind::Attribute),
    (Kind::Function, 12, Kind::ValueInfo),
    (Kind::Function, 14, Kind::Entry),
    (Kind::DeviceSetup, 1, Kind::Text),
];

fn kind_of_field(inside: Kind, number: u32) -> Kind {
    let found = FIELDS.iter().find(|(kind, field, _)| (*kind, *field) == (inside, number));
    found.map_or(Kind::Data, |(_, _, kind)| *kind)
}

/// A field with its number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) number: u32,
    pub(super) payload: Payload,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Payload {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    /// Packed varints.
    Integers(Vec<u64>),
    /// Bytes that are a text or data.
    Bytes(Kind, Vec<u8>),
    Message(Kind, Vec<Field>),
}

/// Parses a message as far as it can be parsed; the rest is returned as bytes.
pub(super) fn parse(bytes: &[u8], kind: Kind, depth: u32) -> (Vec<Field>, &[u8]) {
    let mut fields = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some((field, after)) = parse_field(rest, kind, depth) else { break };
        fields.push(field);
        rest = after;
    }
    (fields, rest)
}

fn parse_field(bytes: &[u8], inside: Kind, depth: u32) -> Option<(Field, &[u8])> {
    let (key, rest) = varint(bytes)?;
    let number = u32::try_from(key >> 3).ok()?;
    let (payload, rest) = match key & 7 {
        0 => varint(rest).map(|(value, rest)| (Payload::Varint(value), rest))?,
        1 => {
            let (value, rest) = rest.split_first_chunk()?;
            (Payload::Fixed64(u64::from_le_bytes(*value)), rest)
        }
        2 => {
            let (length, rest) = varint(rest)?;
            let (bytes, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            (parse_bytes(bytes, kind_of_field(inside, number), depth), rest)
        }
        5 => {
            let (value, rest) = rest.split_first_chunk()?;
            (Payload::Fixed32(u32::from_le_bytes(*value)), rest)
        }
        _ => return None,
    };
    Some((Field { number, payload }, rest))
}

fn parse_bytes(bytes: &[u8], kind: Kind, depth: u32) -> Payload {
    match kind {
        Kind::Text | Kind::Data => Payload::Bytes(kind, bytes.to_vec()),
        Kind::Integers => {
            let mut integers = Vec::new();
            let mut rest = bytes;
            while let Some((value, after)) = varint(rest) {
                integers.push(value);
                rest = after;
            }
            match rest.is_empty() {
                true => Payload::Integers(integers),
                false => Payload::Bytes(Kind::Data, bytes.to_vec()),
            }
        }
        _ if depth >= MAX_DEPTH => Payload::Bytes(Kind::Data, bytes.to_vec()),
        _ => match parse(bytes, kind, depth + 1) {
            (fields, []) => Payload::Message(kind, fields),
            _ => Payload::Bytes(Kind::Data, bytes.to_vec()),
        },
    }
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (index, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[index + 1..]));
        }
    }
    None
}

/// Writes the fields of a message.
pub(super) fn write(fields: &[Field]) -> Message {
    let mut message = Message::new();
    for Field { number, payload } in fields {
        match payload {
            Payload::Varint(value) => message.uint(*number, *value),
            Payload::Fixed64(bits) => message.double(*number, f64::from_bits(*bits)),
            Payload::Fixed32(bits) => message.float(*number, f32::from_bits(*bits)),
            Payload::Integers(values) => message.packed_ints(*number, values.iter().copied()),
            Payload::Bytes(_, bytes) => message.bytes(*number, bytes),
            Payload::Message(_, fields) => message.message(*number, &write(fields)),
        };
    }
    message
}
