//! TensorFlow: SavedModels, and graphs whose variables are constants.
//!
//! The model's graph is what one signature of a SavedModel computes, or what leads to the outputs
//! of a graph: the nodes that are reached backwards from the outputs over inputs that carry data.
//! A call of a function is not a node: the nodes of the function take its place, with the name of
//! the call before theirs. Neither are constants and variables: both become stored tensors, and
//! reading a variable is the use of its tensor. Every other operator is one node.
//!
//! Limits: functions nested deeper than [`walk::MAX_DEPTH`], functions that call themselves, and calls
//! past [`walk::MAX_INSTANCES`] nodes stay calls.
//!
//! The messages are those of `saved_model.proto`, `meta_graph.proto`, `graph.proto` and
//! `function.proto` in <https://github.com/tensorflow/tensorflow/tree/master/tensorflow/core>.

mod body;
mod bundle;
mod control;
mod frozen;
mod graph;
mod hazards;
mod library;
mod message;
mod node;
mod objects;
mod operand;
mod ops;
mod ports;
mod saved;
mod tensor;
mod variables;
mod walk;

use calipers_ir::Format;

use crate::{Reader, Start};

/// SavedModels.
pub(crate) const SAVED_MODEL: Reader = Reader {
    format: Format::SavedModel,
    extensions: &["pb"],
    in_folder: &["saved_model.pb"],
    sniff: is_saved_model,
    read: saved::read,
};

/// Graphs whose variables are constants.
pub(crate) const GRAPH: Reader = Reader {
    format: Format::TensorFlowGraph,
    extensions: &["pb"],
    in_folder: &[],
    sniff: is_graph,
    read: frozen::read,
};

/// A version of the schema, then a `MetaGraphDef` that begins with its `MetaInfoDef` or its graph.
/// In an ONNX model, the second field is the producer's name, a text.
fn is_saved_model(start: &Start<'_>) -> bool {
    let bytes = start.bytes;
    let after = match bytes {
        [0x08, 0x01, rest @ ..] => rest,
        rest => rest,
    };
    let Some(meta) = field(after, 0x12) else { return false };
    match field(meta, 0x0a) {
        // `MetaInfoDef`: a version, operators, tags, or the version of TensorFlow.
        Some(info) => {
            matches!(info.first(), Some(0x0a | 0x12 | 0x1a | 0x22 | 0x2a)) && !is_text(meta)
        }
        None => field(meta, 0x12).is_some_and(|graph| graph.is_empty() || is_node(graph)),
    }
}

/// A `NodeDef` first, which begins with its name and its operator.
fn is_graph(start: &Start<'_>) -> bool {
    is_node(start.bytes)
}

fn is_node(bytes: &[u8]) -> bool {
    let Some(node) = field(bytes, 0x0a) else { return false };
    let Some((name, after)) = short_text(node, 0x0a) else { return false };
    let Some((op, _)) = short_text(after, 0x12) else { return false };
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_./>-\\".contains(byte);
    !name.is_empty()
        && name.iter().all(is_word)
        && op.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && op.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_>".contains(byte))
}

/// Bytes from the content of the field that comes first, if it has this tag.
fn field(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    let after = bytes.strip_prefix(&[tag])?;
    let (_, length) = crate::wire::varint(after)?;
    after.get(length..)
}

/// A text in the field that comes first, and what follows it.
fn short_text(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let after = bytes.strip_prefix(&[tag])?;
    let (count, length) = crate::wire::varint(after)?;
    after.get(length..)?.split_at_checked(usize::try_from(count).ok()?)
}

/// Whether these bytes read as text: then they are a name, not a message.
fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.get(..16).unwrap_or(bytes);
    !start.is_empty() && start.iter().all(|byte| (0x20..0x7f).contains(byte))
}
