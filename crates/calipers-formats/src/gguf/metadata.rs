//! What the metadata says of the file, for people.

use calipers_ir::{GraphId, ModelBuilder, Source, Span};

use super::file::File;
use super::value;

/// Bytes of all texts that are kept.
const MAX_BYTES: usize = 1 << 20;

/// Elements, and bytes, of an array that is shown whole.
const MAX_SHOWN: u64 = 16;
const MAX_SHOWN_BYTES: u64 = 1024;

/// Adds the metadata of a file to the header of its model. Vocabularies are counted, not listed.
pub(super) fn add(builder: &mut ModelBuilder, graph: GraphId, file: &File<'_>, source: &Source) {
    let mut bytes = 0_usize;
    let mut pairs = Vec::new();
    for (key, value) in &file.metadata {
        let mut shown =
            value.shown(|element, count, span| elements(file, source, element, count, span));
        bytes = bytes.saturating_add(key.len()).saturating_add(shown.len());
        if bytes > MAX_BYTES {
            shown = "(not shown)".to_owned();
        }
        pairs.push((key.clone().into_owned(), shown));
    }
    let header = &mut builder.header;
    header.ir_version = Some(file.version.into());
    header.doc = file.text("general.description").unwrap_or_default().to_owned();
    // What the parts of a set lack was noted before.
    pairs.append(&mut header.metadata);
    header.metadata = pairs;
    let name = file.text("general.name").unwrap_or_default();
    let name = builder.names.intern(name);
    builder.graph_mut(graph).name = name;
}

/// The elements of a short array; `None` where it is too long to be shown.
fn elements(
    file: &File<'_>,
    source: &Source,
    element: u32,
    count: u64,
    span: Span,
) -> Option<String> {
    if count > MAX_SHOWN || span.len() > MAX_SHOWN_BYTES {
        return None;
    }
    let mut from = file.cursor(source, span.start)?;
    let values = value::list(&mut from, element, count)?;
    let shown: Vec<String> = values.iter().map(|value| value.shown(|_, _, _| None)).collect();
    Some(format!("[{}]", shown.join(", ")))
}
