//! ONNX as the JSON of its protobuf messages, as `google.protobuf.json_format` writes it.
//!
//! The JSON is rewritten as protobuf, field by field, and read as such. The mapping is described at
//! <https://protobuf.dev/programming-guides/json/>.

mod base64;
mod convert;
mod fields;

use calipers_ir::{Format, Model, Span};

use crate::input::Input;
use crate::{Error, Reader, Start};

/// Files of ONNX in JSON.
pub(crate) const READER: Reader =
    Reader { format: Format::OnnxJson, extensions: &["onnxjson"], in_folder: &[], sniff, read };

fn sniff(start: &Start<'_>) -> bool {
    let text = start.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start.bytes).trim_ascii_start();
    let has = |key: &[u8]| text.windows(key.len()).any(|window| window == key);
    text.first() == Some(&b'{')
        && (has(b"\"irVersion\"")
            || has(b"\"ir_version\"")
            || has(b"\"graph\"") && (has(b"\"opType\"") || has(b"\"op_type\"")))
}

/// Reads a model.
fn read(input: Input) -> Result<Model, Error> {
    let source = input.source.clone();
    let bytes = source.slice(Span { start: 0, end: source.size() });
    let Some(bytes) = bytes else { return Err(crate::incomplete(&source)) };
    convert::model(bytes)?.read(input, Format::OnnxJson)
}
