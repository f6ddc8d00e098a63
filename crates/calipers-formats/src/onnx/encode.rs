//! Writing the messages of ONNX as protobuf, for forms of a model that are read as if they were.

use calipers_ir::{Format, Model, Source};

use super::reader;
use crate::Error;
use crate::input::Input;

/// A message that is being written.
#[derive(Debug, Default)]
pub(crate) struct Encoder(Vec<u8>);

impl Encoder {
    fn varint(&mut self, mut value: u64) {
        loop {
            let [low, ..] = value.to_le_bytes();
            value >>= 7;
            if value == 0 {
                self.0.push(low & 0x7f);
                return;
            }
            self.0.push(low | 0x80);
        }
    }

    fn tag(&mut self, number: u32, wire_type: u8) {
        self.varint(u64::from(number) << 3 | u64::from(wire_type));
    }

    /// A whole number.
    pub(crate) fn int(&mut self, number: u32, value: i64) {
        self.uint(number, value.cast_unsigned());
    }

    /// A whole number without a sign.
    pub(crate) fn uint(&mut self, number: u32, value: u64) {
        self.tag(number, 0);
        self.varint(value);
    }

    /// A number of 32 bits.
    pub(crate) fn float(&mut self, number: u32, value: f32) {
        self.tag(number, 5);
        self.0.extend(value.to_le_bytes());
    }

    /// A number of 64 bits.
    pub(crate) fn double(&mut self, number: u32, value: f64) {
        self.tag(number, 1);
        self.0.extend(value.to_le_bytes());
    }

    /// Text or bytes.
    pub(crate) fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.tag(number, 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A message in this one.
    pub(crate) fn message(&mut self, number: u32, message: &Self) {
        self.bytes(number, &message.0);
    }

    /// The message as a model, for a file in this form.
    pub(crate) fn read(self, input: Input, format: Format) -> Result<Model, Error> {
        let bytes = input.source.size();
        let source = Source::new(self.0);
        let input = Input { source: source.clone(), ..input };
        let mut model = reader::Reader::new(input, &source).read()?;
        model.header.format = format;
        model.header.bytes = bytes;
        Ok(model)
    }
}
