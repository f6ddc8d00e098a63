//! `TensorProto`: what it is and where its elements are. The elements are not read.

use calipers_ir::{DType, Data, StoredIn, Tensor, TensorId};

use super::reader::{Reader, integer, integer32, text};
use crate::error::Trace;
use crate::external::Reference;
use crate::wire::{Message, Part, Payload, WireError, WireErrorKind, varint};

/// Value of `TensorProto.data_location` for elements in another file.
const EXTERNAL: i32 = 1;

/// The elements of a tensor as its typed fields hold them, before anything is decided.
#[derive(Default)]
struct Typed<'a> {
    /// Bytes of their contents.
    bytes: u64,
    /// Elements that can be counted without reading them.
    counted: u64,
    /// Whether some cannot.
    uncounted: bool,
    /// The one packed run of floats there is, while there is just one.
    only: Option<(u32, Part<'a>)>,
    runs: usize,
}

impl<'a> Typed<'a> {
    fn add(&mut self, number: u32, payload: Payload<'a>) {
        self.runs += 1;
        match (number, payload) {
            (4 | 10, Payload::Bytes(part)) => {
                let width = if number == 4 { 4 } else { 8 };
                self.bytes += part.len();
                self.counted += part.len() / width;
                self.only = Some((number, part));
            }
            // Texts: one field each.
            (6, Payload::Bytes(part)) => {
                self.bytes += part.len();
                self.counted += 1;
            }
            // Packed integers of variable length: counting them means reading them.
            (_, Payload::Bytes(part)) => {
                self.bytes += part.len();
                self.uncounted = true;
            }
            (_, Payload::Fixed32(_)) => self.one(4),
            (_, Payload::Fixed64(_)) => self.one(8),
            (_, Payload::Varint(_) | Payload::Group) => self.one(1),
        }
    }

    fn one(&mut self, bytes: u64) {
        self.bytes += bytes;
        self.counted += 1;
    }

    fn data(&self, dtype: DType) -> Data {
        use DType::{Complex64, Complex128, Float32, Float64};
        match (self.only, dtype) {
            // A packed run of floats is laid out as raw data is.
            (Some((4, part)), Float32 | Complex64) | (Some((10, part)), Float64 | Complex128)
                if self.runs == 1 =>
            {
                Data::Raw(part.span())
            }
            _ if self.runs == 0 => Data::Absent,
            _ => Data::Fields {
                bytes: self.bytes,
                elements: (!self.uncounted).then_some(self.counted),
            },
        }
    }
}

impl<'a> Reader<'a> {
    /// Reads a tensor's description.
    pub(super) fn tensor(
        &mut self,
        message: &Message<'a>,
        stored_in: StoredIn,
    ) -> Result<TensorId, Trace> {
        let mut name = self.builder.names.empty();
        let mut dtype = DType::Undefined;
        let mut dims = Vec::new();
        let mut segment = None;
        let mut raw = None;
        let mut typed = Typed::default();
        let mut location = 0;
        let mut reference = Reference::default();
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Varint(dim)) => dims.push(integer(dim)),
                (1, Payload::Bytes(part)) => packed_integers(part, |dim| dims.push(dim))?,
                (2, Payload::Varint(number)) => dtype = DType::from_onnx(integer32(number)),
                (3, Payload::Bytes(part)) => {
                    self.segment(&Message::from(part), segment.get_or_insert((0, 0)))?;
                }
                (4, payload @ (Payload::Bytes(_) | Payload::Fixed32(_)))
                | (5 | 7 | 11, payload @ (Payload::Bytes(_) | Payload::Varint(_)))
                | (6, payload @ Payload::Bytes(_))
                | (10, payload @ (Payload::Bytes(_) | Payload::Fixed64(_))) => {
                    typed.add(field.number, payload);
                }
                (8, Payload::Bytes(part)) => name = self.name(part)?,
                (9, Payload::Bytes(part)) => raw = Some(part),
                (12 | 16, Payload::Bytes(_)) => {}
                (13, Payload::Bytes(part)) => {
                    self.external_entry(&Message::from(part), &mut reference)
                        .map_err(|trace| trace.within("external_data"))?;
                }
                (14, Payload::Varint(value)) => location = integer32(value),
                _ => self.unknown("TensorProto", &field),
            }
        }
        let data = match raw {
            _ if location == EXTERNAL => {
                let external = self.data_files.resolve(reference, &self.builder.names);
                Data::External(Box::new(external))
            }
            Some(part) => Data::Raw(part.span()),
            None => typed.data(dtype),
        };
        let described_at = message.span();
        self.passed(described_at);
        Ok(self.builder.add_tensor(Tensor {
            name,
            dtype,
            dims: dims.into(),
            data,
            described_at,
            stored_in,
            segment,
        })?)
    }

    /// `TensorProto.Segment`.
    fn segment(&mut self, message: &Message<'a>, segment: &mut (i64, i64)) -> Result<(), Trace> {
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Varint(value)) => segment.0 = integer(value),
                (2, Payload::Varint(value)) => segment.1 = integer(value),
                _ => self.unknown("TensorProto.Segment", &field),
            }
        }
        Ok(())
    }

    fn external_entry(
        &mut self,
        message: &Message<'a>,
        reference: &mut Reference,
    ) -> Result<(), Trace> {
        let (key, value) = self.entry_parts(message)?;
        let value = value.unwrap_or(Part::new(b"", 0));
        match key.map_or(Ok(&b""[..]), |key| key.bytes())? {
            b"location" => reference.location = Some(self.name(value)?),
            b"offset" => reference.offset = Some(text(value)),
            b"length" => reference.length = Some(text(value)),
            // A SHA-1 of the file: reading it all is not what a graph needs.
            b"checksum" => {}
            _ => {
                let key = key.map(|key| self.name(key)).transpose()?;
                reference.unknown_keys.extend(key);
            }
        }
        Ok(())
    }
}

/// Integers of variable length, one after another.
pub(crate) fn packed_integers(part: Part<'_>, mut visit: impl FnMut(i64)) -> Result<(), Trace> {
    let bytes = part.bytes()?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some((value, length)) = varint(rest) else {
            let at = part.start() + (bytes.len() - rest.len()) as u64;
            return Err(WireError { at, kind: WireErrorKind::UnendingVarint }.into());
        };
        visit(integer(value));
        rest = &rest[length..];
    }
    Ok(())
}
