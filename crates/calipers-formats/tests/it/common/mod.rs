//! A small protobuf encoder, so that tests write files byte by byte and depend on no library.
#![allow(dead_code, reason = "each test file uses the part it needs")]

pub(crate) mod flatbuffers;

use calipers_formats::Error;
use calipers_ir::Model;

/// A message being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Msg(pub(crate) Vec<u8>);

/// An empty message.
pub(crate) fn msg() -> Msg {
    Msg::default()
}

/// The bytes of an integer of variable length.
pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = value.to_le_bytes()[0] & 0x7f;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

impl Msg {
    fn tag(&mut self, number: u32, wire_type: u8) {
        self.0.extend(varint(u64::from(number) << 3 | u64::from(wire_type)));
    }

    /// An integer.
    pub(crate) fn int(mut self, number: u32, value: i64) -> Self {
        self.tag(number, 0);
        self.0.extend(varint(value.cast_unsigned()));
        self
    }

    /// Four bytes.
    pub(crate) fn fixed32(mut self, number: u32, bytes: [u8; 4]) -> Self {
        self.tag(number, 5);
        self.0.extend(bytes);
        self
    }

    /// Eight bytes.
    pub(crate) fn fixed64(mut self, number: u32, bytes: [u8; 8]) -> Self {
        self.tag(number, 1);
        self.0.extend(bytes);
        self
    }

    /// A number of 32 bits.
    pub(crate) fn float(self, number: u32, value: f32) -> Self {
        self.fixed32(number, value.to_le_bytes())
    }

    /// A number of 64 bits.
    pub(crate) fn double(self, number: u32, value: f64) -> Self {
        self.fixed64(number, value.to_le_bytes())
    }

    /// Bytes.
    pub(crate) fn bytes(mut self, number: u32, bytes: &[u8]) -> Self {
        self.tag(number, 2);
        self.0.extend(varint(bytes.len() as u64));
        self.0.extend(bytes);
        self
    }

    /// A text.
    pub(crate) fn text(self, number: u32, text: &str) -> Self {
        self.bytes(number, text.as_bytes())
    }

    /// A message.
    #[expect(clippy::needless_pass_by_value, reason = "messages are written inside each other")]
    pub(crate) fn msg(self, number: u32, inner: Msg) -> Self {
        self.bytes(number, &inner.0)
    }

    /// Integers in one packed run.
    pub(crate) fn ints(self, number: u32, values: &[i64]) -> Self {
        let packed: Vec<u8> = values.iter().flat_map(|v| varint(v.cast_unsigned())).collect();
        self.bytes(number, &packed)
    }

    /// Integers, a field each.
    pub(crate) fn each_int(self, number: u32, values: &[i64]) -> Self {
        values.iter().fold(self, |message, value| message.int(number, *value))
    }

    /// A group that holds what `inner` holds.
    pub(crate) fn group(mut self, number: u32, inner: Msg) -> Self {
        self.tag(number, 3);
        self.0.extend(inner.0);
        self.tag(number, 4);
        self
    }

    /// What another message holds, appended.
    pub(crate) fn and(mut self, other: Msg) -> Self {
        self.0.extend(other.0);
        self
    }
}

/// `StringStringEntryProto`.
pub(crate) fn entry(key: &str, value: &str) -> Msg {
    msg().text(1, key).text(2, value)
}

/// `ModelProto` with this graph.
pub(crate) fn model(graph: Msg) -> Msg {
    msg().int(1, 10).msg(7, graph)
}

/// `NodeProto` with an operator, inputs and outputs.
pub(crate) fn node(op: &str, inputs: &[&str], outputs: &[&str]) -> Msg {
    let message = inputs.iter().fold(msg(), |message, name| message.text(1, name));
    outputs.iter().fold(message, |message, name| message.text(2, name)).text(4, op)
}

/// `AttributeProto` that holds a graph.
pub(crate) fn graph_attribute(name: &str, graph: Msg) -> Msg {
    msg().text(1, name).msg(6, graph).int(20, 5)
}

/// `ValueInfoProto` without a type.
pub(crate) fn value_info(name: &str) -> Msg {
    msg().text(1, name)
}

/// What the reader makes of these bytes.
pub(crate) fn try_read(message: Msg) -> Result<Model, Error> {
    calipers_formats::read(message.0, "test.onnx")
}

/// The model in these bytes.
pub(crate) fn read(message: Msg) -> Model {
    try_read(message).expect("a model")
}

/// The model with this graph.
pub(crate) fn read_graph(graph: Msg) -> Model {
    read(model(graph))
}

/// The model whose only initializer is this tensor.
pub(crate) fn read_tensor(tensor: Msg) -> Model {
    read_graph(msg().msg(5, tensor))
}

/// Runs a test in a thread whose stack is too small for recursion over a deep file.
pub(crate) fn with_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(test);
    thread.expect("a thread").join().expect("no panic");
}
