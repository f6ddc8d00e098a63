//! GGUF: weights in the types of ggml, described by metadata.
//!
//! Only the header is read; arrays in it, such as vocabularies, are passed over.

mod big_endian;
mod cursor;
mod describe;
mod file;
mod metadata;
mod set;
mod types;
mod value;

use calipers_ir::{Format, GraphOrigin, Model, Source, Span};
use file::File;

use crate::input::Input;
use crate::{Error, Reader};

/// Files of GGUF, whole or split.
pub(crate) const READER: Reader = Reader {
    format: Format::Gguf,
    extensions: &["gguf"],
    in_folder: &[],
    sniff: |start| start.bytes.starts_with(file::MAGIC),
    read,
};

/// Reads a file, and the parts of a split one after its first.
fn read(input: Input) -> Result<Model, Error> {
    let Input { source, name, folder } = input;
    let file = read_file(&source)?;
    let mut set = set::Set::new(&source, folder, &file)?;
    let header = &mut set.builder.header;
    header.format = Format::Gguf;
    header.graph_origin = GraphOrigin::Absent;
    header.bytes = source.size();
    header.file_name.clone_from(&name);
    set.add(&source, &name)?;
    set.finish(&source)
}

fn read_file(source: &Source) -> Result<File<'_>, Error> {
    let file = File::read(source)?;
    // The header was read from start to end, and only texts of it are needed again.
    source.release(Span { start: 0, end: file.data_from.min(source.size()) });
    Ok(file)
}
