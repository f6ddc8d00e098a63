//! ONNX: a `ModelProto` in protobuf, every message of its representation.
//!
//! Graphs are read one after another from a list of those still to read, so nesting costs no stack.
//! The messages are described at <https://onnx.ai/onnx/repo-docs/IR.html>.

mod attribute;
mod encode;
mod graph;
mod model;
mod node;
mod reader;
mod tensor;
mod types;

use calipers_ir::{Format, Model};
pub(crate) use encode::Encoder;
pub(crate) use tensor::packed_integers;

use crate::input::Input;
use crate::{Error, Reader, sniff};

/// Files of ONNX.
pub(crate) const READER: Reader = Reader {
    format: Format::Onnx,
    extensions: &["onnx", "pb"],
    in_folder: &[],
    // Protobuf has no mark of its own: what is nothing else may be ONNX.
    sniff: |start| sniff::foreign(start.bytes).is_none(),
    read,
};

/// Reads an ONNX model.
fn read(input: Input) -> Result<Model, Error> {
    // The source is shared, so its bytes can be borrowed while the builder keeps it too.
    let source = input.source.clone();
    reader::Reader::new(input, &source).read()
}
