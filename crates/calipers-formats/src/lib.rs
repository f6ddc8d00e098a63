//! Readers of model files.
//!
//! [`open`] maps a file into memory, names it by its first bytes and hands it to the reader of its
//! format; [`read`] does the same for bytes that are in memory already. Only the graph is read: the
//! elements of tensors are found, measured and left where they are.
//!
//! ```
//! // The smallest model there is: a graph without nodes.
//! let model = calipers_formats::read(vec![0x3a, 0x00], "tiny.onnx").unwrap();
//! assert_eq!(model.main().nodes.len(), 0);
//!
//! let error = calipers_formats::read(b"<html>".to_vec(), "page.onnx").unwrap_err();
//! assert_eq!(error.to_string(), "this is an HTML page, not a model that Calipers reads");
//! ```
//!
//! What is promised: any bytes give a model or an [`Error`]; no panic, no recursion that a file can
//! drive, memory in proportion to the graph; nothing outside the model's folder is opened.
//! What is not: a file that another process shortens while it is mapped can end this process, as it
//! would with any program that maps files. A program that calls [`catch_shortened_files`] gets
//! [`Error::Shortened`] instead.
#![deny(unsafe_code)]

mod error;
mod external;
mod input;
pub mod onnx;
mod shortened;
pub mod sniff;
pub mod wire;

use std::path::Path;

use calipers_ir::{Model, Source};
pub use error::{DataError, Error};
use input::Input;
pub use shortened::catch_shortened_files;

/// A format that can be read.
pub struct Format {
    /// Its name, as the report spells it.
    pub name: &'static str,
    /// What its files are called.
    pub extensions: &'static [&'static str],
    /// Whether a file that starts so may be of this format.
    pub sniff: fn(&[u8]) -> bool,
    read: fn(Input) -> Result<Model, Error>,
}

/// The formats, in the order they are tried.
pub const FORMATS: &[Format] = &[Format {
    name: "onnx",
    extensions: &["onnx", "pb"],
    // Protobuf has no mark of its own: what is nothing else may be ONNX.
    sniff: |start| sniff::foreign(start).is_none(),
    read: onnx::read,
}];

/// Reads the model in a file.
pub fn open(path: &Path) -> Result<Model, Error> {
    read_input(Input::open(path)?)
}

/// Reads the model in these bytes. Files that it refers to are not looked for.
pub fn read(bytes: Vec<u8>, name: &str) -> Result<Model, Error> {
    read_source(Source::new(bytes), name)
}

/// Reads the model in these bytes, wherever they are. Files that it refers to are not looked for.
pub fn read_source(source: Source, name: &str) -> Result<Model, Error> {
    read_input(Input { source, name: name.to_owned(), folder: None })
}

/// Opens the data files of a model that was read from `path`, in the model's order; where one
/// cannot be read, why. Nothing outside the model's folder is opened.
pub fn open_data(path: &Path, model: &Model) -> Vec<Result<Source, DataError>> {
    let folder = input::folder_of(path);
    let files = model.data_files.iter();
    files.map(|file| external::open(&folder, model.name(file.location))).collect()
}

fn read_input(input: Input) -> Result<Model, Error> {
    let start = input.source.bytes();
    let start = &start[..start.len().min(sniff::SNIFFED)];
    if let Some(format) = FORMATS.iter().find(|format| (format.sniff)(start)) {
        let source = input.source.clone();
        let model = (format.read)(input);
        // Whatever the reader made of zeros in place of what is gone.
        return if source.is_shortened() { Err(Error::Shortened) } else { model };
    }
    Err(match sniff::foreign(start) {
        Some(kind) => Error::Foreign { what: kind.what, hint: kind.hint },
        None => Error::NoGraph { hint: "the format of the file is unknown".to_owned() },
    })
}
