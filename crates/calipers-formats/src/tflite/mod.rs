//! TensorFlow Lite (LiteRT): a FlatBuffer with subgraphs, buffers and a table of operators.
//!
//! Graphs are read one after another from a list of those still to read, so nesting costs no stack.
//! Images have their channels last, and kernels their output channels first or last, by operator:
//! each node states the order of its operands. The schema is described at
//! <https://github.com/google-ai-edge/LiteRT/blob/main/tflite/converter/schema/schema.fbs>.

mod builtin;
mod graph;
mod map;
mod metadata;
mod operand;
mod reader;
mod tensor;

use calipers_ir::{Format, Model};

use crate::flatbuffer::has_identifier;
use crate::input::Input;
use crate::{Error, Reader};

/// Files of TensorFlow Lite.
pub(crate) const READER: Reader = Reader {
    format: Format::Tflite,
    extensions: &["tflite", "lite", "litert"],
    in_folder: &[],
    sniff: |start| has_identifier(start.bytes, b"TFL3"),
    read,
};

/// Reads a model of TensorFlow Lite.
fn read(input: Input) -> Result<Model, Error> {
    // The source is shared, so its bytes can be borrowed while the builder keeps it too.
    let source = input.source.clone();
    reader::Reader::read(input, &source)
}
