//! `ValueInfoProto`, `TypeProto` and `TensorShapeProto`.

use calipers_ir::{Container, DType, Dim, Leaf, TensorType, TypedName, ValueType};

use super::reader::{Reader, integer, integer32};
use crate::error::Trace;
use crate::wire::{Message, Payload};

/// Which of the kinds of type a message holds: the field's number, and its contents.
type Kind<'a> = (u32, Option<Message<'a>>);

impl<'a> Reader<'a> {
    /// `ValueInfoProto`.
    pub(super) fn value_info(&mut self, message: &Message<'a>) -> Result<TypedName, Trace> {
        let mut name = self.builder.names.empty();
        let mut ty = None;
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => name = self.name(part)?,
                (2, Payload::Bytes(part)) => Message::merge(&mut ty, part),
                // Doc string and metadata of a value: known, and no figure needs them.
                (3 | 4, Payload::Bytes(_)) => {}
                _ => self.unknown("ValueInfoProto", &field),
            }
        }
        let ty = match ty {
            Some(message) => {
                let ty = self.type_proto(message).map_err(|trace| trace.within("type"))?;
                Some(self.builder.add_type(ty)?)
            }
            None => None,
        };
        Ok(TypedName { name, ty })
    }

    /// `TypeProto`. Each turn of the loop takes one wrapper off.
    pub(super) fn type_proto(&mut self, message: Message<'a>) -> Result<ValueType, Trace> {
        let mut ty = ValueType::default();
        let mut next = Some(message);
        while let Some(message) = next.take() {
            let (kind, contents) = self.type_kind(&message, &mut ty)?;
            let Some(contents) = contents else { break };
            match kind {
                1 => ty.leaf = Leaf::Tensor(self.tensor_type(&contents)?),
                8 => ty.leaf = Leaf::SparseTensor(self.tensor_type(&contents)?),
                7 => ty.leaf = self.opaque(&contents)?,
                4 => {
                    ty.containers.push(Container::Sequence);
                    next = self.wrapped(&contents, "TypeProto.Sequence")?;
                }
                9 => {
                    ty.containers.push(Container::Optional);
                    next = self.wrapped(&contents, "TypeProto.Optional")?;
                }
                _ => {
                    let (key, value) = self.map_type(&contents)?;
                    ty.containers.push(Container::Map { key });
                    next = value;
                }
            }
        }
        Ok(ty)
    }

    /// The one kind that a type states: the last one given, whose parts are read together.
    fn type_kind(&mut self, message: &Message<'a>, ty: &mut ValueType) -> Result<Kind<'a>, Trace> {
        let mut kind: Kind<'a> = (0, None);
        let mut denotation = None;
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (number @ (1 | 4 | 5 | 7 | 8 | 9), Payload::Bytes(part)) => {
                    if kind.0 != number {
                        kind = (number, None);
                    }
                    Message::merge(&mut kind.1, part);
                }
                (6, Payload::Bytes(part)) => denotation = Some(self.name(part)?),
                _ => self.unknown("TypeProto", &field),
            }
        }
        // Of nested types the outermost says what the value represents.
        ty.denotation = ty.denotation.or(denotation);
        Ok(kind)
    }

    fn wrapped(
        &mut self,
        message: &Message<'a>,
        name: &'static str,
    ) -> Result<Option<Message<'a>>, Trace> {
        let mut inner = None;
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => Message::merge(&mut inner, part),
                _ => self.unknown(name, &field),
            }
        }
        Ok(inner)
    }

    fn map_type(&mut self, message: &Message<'a>) -> Result<(DType, Option<Message<'a>>), Trace> {
        let (mut key, mut value) = (DType::Undefined, None);
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Varint(number)) => key = DType::from_onnx(integer32(number)),
                (2, Payload::Bytes(part)) => Message::merge(&mut value, part),
                _ => self.unknown("TypeProto.Map", &field),
            }
        }
        Ok((key, value))
    }

    fn opaque(&mut self, message: &Message<'a>) -> Result<Leaf, Trace> {
        let empty = self.builder.names.empty();
        let (mut domain, mut name) = (empty, empty);
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => domain = self.name(part)?,
                (2, Payload::Bytes(part)) => name = self.name(part)?,
                _ => self.unknown("TypeProto.Opaque", &field),
            }
        }
        Ok(Leaf::Opaque { domain, name })
    }

    fn tensor_type(&mut self, message: &Message<'a>) -> Result<TensorType, Trace> {
        let mut ty = TensorType::default();
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Varint(number)) => ty.dtype = DType::from_onnx(integer32(number)),
                (2, Payload::Bytes(part)) => {
                    let shape = ty.shape.get_or_insert_default();
                    self.shape(&Message::from(part), shape)
                        .map_err(|trace| trace.within("shape"))?;
                }
                _ => self.unknown("TypeProto.Tensor", &field),
            }
        }
        Ok(ty)
    }

    fn shape(&mut self, message: &Message<'a>, shape: &mut Vec<Dim>) -> Result<(), Trace> {
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => {
                    let index = shape.len();
                    let dim = self.dimension(&Message::from(part));
                    shape.push(dim.map_err(|trace| trace.within_nth("dim", index))?);
                }
                _ => self.unknown("TensorShapeProto", &field),
            }
        }
        Ok(())
    }

    fn dimension(&mut self, message: &Message<'a>) -> Result<Dim, Trace> {
        let mut dim = Dim::Unknown;
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Varint(size)) => dim = Dim::Size(integer(size)),
                (2, Payload::Bytes(part)) if part.is_empty() => dim = Dim::Unknown,
                (2, Payload::Bytes(part)) => dim = Dim::Symbol(self.name(part)?),
                // What the dimension denotes: known, and no figure needs it.
                (3, Payload::Bytes(_)) => {}
                _ => self.unknown("TensorShapeProto.Dimension", &field),
            }
        }
        Ok(dim)
    }
}
