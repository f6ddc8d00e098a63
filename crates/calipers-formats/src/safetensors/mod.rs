//! SafeTensors: weights in one file, or in shards with an index, perhaps described by a
//! `config.json` next to them.
//!
//! Only headers are read. The format is described at <https://huggingface.co/docs/safetensors>.

mod configs;
mod describe;
mod header;
mod index;
mod json;
mod packing;
mod scheme;
mod set;

use calipers_ir::{Format, GraphOrigin, Model, Span};

use crate::input::Input;
use crate::{Error, Reader, sniff};

/// Files of SafeTensors, and indices of sharded sets.
pub(crate) const READER: Reader = Reader {
    format: Format::SafeTensors,
    extensions: &["safetensors", "safetensors.index.json"],
    in_folder: &[
        "model.safetensors.index.json",
        "model.safetensors",
        "adapter_model.safetensors",
        "diffusion_pytorch_model.safetensors.index.json",
        "diffusion_pytorch_model.safetensors",
    ],
    sniff: |start| header::is_header(start.bytes) || index::is_index(start.bytes),
    read,
};

/// Reads a file, or the set that an index describes.
fn read(input: Input) -> Result<Model, Error> {
    let Input { source, name, folder } = input;
    let mut set = set::Set::new(&source, folder)?;
    let header = &mut set.builder.header;
    header.format = Format::SafeTensors;
    header.graph_origin = GraphOrigin::Absent;
    header.bytes = source.size();
    header.file_name.clone_from(&name);
    let sniffed = Span { start: 0, end: source.size().min(sniff::SNIFFED as u64) };
    match source.slice(sniffed).is_some_and(header::is_header) {
        true => set.add_file(&source, &name)?,
        false => set.add_index(&source)?,
    }
    // The header was read from start to end; nothing else in the file was touched.
    source.release(Span { start: 0, end: source.size() });
    set.finish()
}
