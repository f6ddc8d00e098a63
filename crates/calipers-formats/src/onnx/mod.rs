//! ONNX: a `ModelProto` in protobuf, every message of its representation.
//!
//! Graphs are read one after another from a list of those still to read, so nesting costs no stack.
//! The messages are described at <https://onnx.ai/onnx/repo-docs/IR.html>.

mod attribute;
mod decode;
mod graph;
mod model;
mod node;
mod reader;
mod tensor;
mod types;

use calipers_ir::Model;

use crate::Error;
use crate::input::Input;

/// Reads an ONNX model.
pub(crate) fn read(input: Input) -> Result<Model, Error> {
    // The source is shared, so its bytes can be borrowed while the builder keeps it too.
    let source = input.source.clone();
    reader::Reader::new(input, &source).read()
}
