//! ONNX Runtime's own format: an ONNX model as it is after loading, in a FlatBuffer.
//!
//! Operators, domains and operator sets are those of ONNX. Graphs are read one after another from a
//! list of those still to read, so nesting costs no stack. The schema is described at
//! <https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/core/flatbuffers/schema/ort.fbs>.

mod attribute;
mod graph;
mod reader;
mod tensor;
mod types;

use calipers_ir::{Format, Model};

use crate::flatbuffer::has_identifier;
use crate::input::Input;
use crate::{Error, Reader};

/// Files of ONNX Runtime.
pub(crate) const READER: Reader = Reader {
    format: Format::Ort,
    extensions: &["ort"],
    in_folder: &[],
    sniff: |start| has_identifier(start.bytes, b"ORTM"),
    read,
};

/// Reads a model in the format of ONNX Runtime.
fn read(input: Input) -> Result<Model, Error> {
    // The source is shared, so its bytes can be borrowed while the builder keeps it too.
    let source = input.source.clone();
    reader::Reader::read(input, &source)
}
