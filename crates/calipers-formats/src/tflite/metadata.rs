//! Signatures and metadata of the model.

use calipers_ir::Span;

use super::reader::{Held, MAX_TEXT, Reader};
use super::tensor::{inner_buffer, printable};
use crate::error::Trace;
use crate::flatbuffer::Table;

/// Bytes of a metadata buffer that are shown as text.
const MAX_SHOWN: u64 = 1024;

/// Signatures and entries of metadata that are reported.
const MAX_ENTRIES: usize = 256;

impl<'a> Reader<'a> {
    /// Reads what the model says of itself.
    pub(super) fn metadata(&mut self, root: &Table<'a>) -> Result<(), Trace> {
        for (index, signature) in root.references(7)?.tables().take(MAX_ENTRIES).enumerate() {
            let entry = signature.and_then(|signature| entry_of_signature(&signature));
            let entry = entry.map_err(|trace| trace.within_nth("signature_defs", index))?;
            self.builder.header.metadata.push(entry);
        }
        for (index, entry) in root.references(6)?.tables().take(MAX_ENTRIES).enumerate() {
            let read = entry.and_then(|entry| self.entry(&entry));
            read.map_err(|trace| trace.within_nth("metadata", index))?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Table<'a>) -> Result<(), Trace> {
        let key = entry.text(0)?.shown(MAX_TEXT)?;
        let buffer = usize::try_from(entry.u32(1, 0)?).unwrap_or(usize::MAX);
        let Some(Held::Here(span)) = self.buffers.get(buffer) else {
            self.builder.header.metadata.push((key, String::new()));
            return Ok(());
        };
        let span = *span;
        if key == "TFLITE_METADATA" && self.described(span) {
            return Ok(());
        }
        let start = Span { start: span.start, end: span.end.min(span.start + MAX_SHOWN) };
        let text = self.source.slice(start).and_then(printable);
        let value = match text.filter(|_| span.len() <= MAX_SHOWN) {
            Some(text) => text.to_owned(),
            None => format!("{} bytes", span.len()),
        };
        self.builder.header.metadata.push((key, value));
        Ok(())
    }

    /// Reads what the author wrote about the model, in a FlatBuffer of its own; returns whether it
    /// is one. Damage to it leaves the model as it is.
    fn described(&mut self, segment: Span) -> bool {
        let Some(buffer) = inner_buffer(self.source, segment, b"M001") else { return false };
        let Ok(root) = buffer.root() else { return false };
        // ModelMetadata: name, description, version, subgraphs, author, license.
        for (field, key) in
            [(0, "name"), (1, "description"), (2, "version"), (4, "author"), (5, "license")]
        {
            let text = root.text(field).and_then(|text| text.shown(MAX_TEXT));
            if let Some(text) = text.ok().filter(|text| !text.is_empty()) {
                self.builder.header.metadata.push((key.to_owned(), text));
            }
        }
        true
    }
}

/// The name of a signature, and the names that it has for inputs and outputs.
fn entry_of_signature(signature: &Table<'_>) -> Result<(String, String), Trace> {
    let names = |field: u16| -> Result<String, Trace> {
        let mut names = Vec::new();
        for entry in signature.references(field)?.tables().take(MAX_ENTRIES) {
            names.push(entry?.text(0)?.shown(MAX_SHOWN)?);
        }
        Ok(names.join(", "))
    };
    let key = signature.text(2)?.shown(MAX_SHOWN)?;
    Ok((format!("signature {key}"), format!("({}) -> ({})", names(0)?, names(1)?)))
}
