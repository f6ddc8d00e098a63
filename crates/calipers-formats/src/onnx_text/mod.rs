//! ONNX in the text form of `onnx.parser` and `onnx.printer`.
//!
//! The text is rewritten as protobuf while it is parsed, and read as such. The syntax is described at
//! <https://github.com/onnx/onnx/blob/main/docs/Syntax.md>.

mod attribute;
mod graph;
mod model;
mod tensor;
mod tokens;
mod types;

use calipers_ir::{Format, Model, Span};

use crate::input::Input;
use crate::{Error, Reader, Start};

/// Files of ONNX in text form.
pub(crate) const READER: Reader = Reader {
    format: Format::OnnxText,
    extensions: &["onnxtxt", "onnxtext"],
    in_folder: &[],
    sniff,
    read,
};

fn sniff(start: &Start<'_>) -> bool {
    let mut text = start.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start.bytes);
    text = text.trim_ascii_start();
    // Comments may come first.
    while text.first() == Some(&b'#') {
        let line = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
        text = text.get(line..).unwrap_or_default().trim_ascii_start();
    }
    let is_named = READER.extensions.iter().any(|extension| start.has_extension(extension));
    let has_header =
        text.first() == Some(&b'<') && text.windows(10).any(|window| window == b"ir_version");
    has_header || is_named && !text.is_empty() && !text.contains(&0)
}

/// Reads a model.
fn read(input: Input) -> Result<Model, Error> {
    let source = input.source.clone();
    let bytes = source.slice(Span { start: 0, end: source.size() });
    let Some(bytes) = bytes else { return Err(crate::incomplete(&source)) };
    model::parse(bytes)?.read(input, Format::OnnxText)
}
