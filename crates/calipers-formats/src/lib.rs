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

mod archive;
mod built;
mod coreml;
mod elements;
mod error;
mod external;
mod flatbuffer;
mod folder;
mod gguf;
mod hdf5;
mod input;
mod keras;
mod misstated;
mod numpy;
pub mod onnx;
mod onnx_json;
mod onnx_text;
mod openvino;
mod ort;
mod parts;
mod pickle;
mod pytorch;
pub mod ranges;
mod roles;
mod safetensors;
mod shortened;
pub mod sniff;
mod tensorflow;
mod tflite;
pub mod wire;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use calipers_ir::{Format, Model, Source, Span};
pub use error::{DataError, Error};
pub use folder::Folder;
use input::Input;
pub use shortened::catch_shortened_files;

/// The reader of a format.
pub struct Reader {
    /// The format.
    pub format: Format,
    /// What its files are called.
    pub extensions: &'static [&'static str],
    /// The model among the files of a folder, by its path, in the order of preference.
    pub in_folder: &'static [&'static str],
    /// Whether a file that starts so is of this format.
    pub sniff: fn(&Start<'_>) -> bool,
    read: fn(Input) -> Result<Model, Error>,
}

/// What is known of a file before it is read.
pub struct Start<'a> {
    /// Its first bytes.
    pub bytes: &'a [u8],
    /// Its name, without a folder.
    pub name: &'a str,
}

impl Start<'_> {
    /// Whether the name ends in this extension.
    pub fn has_extension(&self, extension: &str) -> bool {
        ends_in(self.name, extension)
    }
}

/// The formats, in the order they are tried.
pub const READERS: &[&Reader] = &[
    &tflite::READER,
    &ort::READER,
    &openvino::READER,
    &tensorflow::SAVED_MODEL,
    &tensorflow::GRAPH,
    &coreml::READER,
    &keras::READER,
    &numpy::READER,
    &safetensors::READER,
    &gguf::READER,
    &pytorch::EXPORT,
    &pytorch::SCRIPT,
    &pytorch::PICKLE,
    &onnx_json::READER,
    &onnx_text::READER,
    &onnx::READER,
];

/// Extensions of models that most files with them are not: data files, arrays, any Python object.
const AMBIGUOUS: &[&str] = &["bin", "npy", "npz", "pickle", "pkl"];

/// Whether a file's name ends as models' do, and as few other files'.
pub fn has_model_extension(name: &str) -> bool {
    let mut extensions = READERS.iter().flat_map(|reader| reader.extensions);
    extensions.any(|extension| !AMBIGUOUS.contains(extension) && ends_in(name, extension))
}

/// Whether a name ends in an extension, which may have several parts.
fn ends_in(name: &str, extension: &str) -> bool {
    let start = name.len().checked_sub(extension.len()).and_then(|start| start.checked_sub(1));
    let ending = start.and_then(|start| name.get(start..));
    ending
        .and_then(|ending| ending.strip_prefix('.'))
        .is_some_and(|it| it.eq_ignore_ascii_case(extension))
}

/// The model file in a folder that is one model, such as a SavedModel; `None` where there is none.
pub fn model_in_folder(folder: &Path) -> Option<PathBuf> {
    let names = READERS.iter().flat_map(|reader| reader.in_folder);
    names.map(|name| folder.join(name)).find(|path| path.is_file())
}

/// Reads the model in a file.
pub fn open(path: &Path) -> Result<Model, Error> {
    let inside = path.is_dir().then(|| model_in_folder(path)).flatten();
    let Some(inside) = inside else { return read_input(Input::open(path)?) };
    let mut input = Input::open(&inside)?;
    // The folder is what the user knows the model by.
    if let Some(name) = path.file_name() {
        input.name = name.to_string_lossy().into_owned();
    }
    read_input(input)
}

/// Reads the model in these bytes. Files that it refers to are not looked for.
pub fn read(bytes: Vec<u8>, name: &str) -> Result<Model, Error> {
    read_source(Source::new(bytes), name, None)
}

/// Reads the model in a source: bytes that somebody else holds, or ranges of a remote file. Files that it
/// refers to are looked for in `folder`, where there is one.
pub fn read_source(
    source: Source,
    name: &str,
    folder: Option<Arc<dyn Folder>>,
) -> Result<Model, Error> {
    read_input(Input { source, name: name.to_owned(), folder })
}

/// Opens the data files of a model that was read from `path`, in the model's order; where one
/// cannot be read, why. Nothing outside the model's folder is opened.
pub fn open_data(path: &Path, model: &Model) -> Vec<Result<Source, DataError>> {
    // In a folder that is one model, what it refers to is next to the model file.
    let inside = path.is_dir().then(|| model_in_folder(path)).flatten();
    let folder = input::folder_of(inside.as_deref().unwrap_or(path));
    open_data_in(&folder::LocalFolder::new(folder), model)
}

/// Like [`open_data`], for a model whose files are in any kind of folder.
pub fn open_data_in(folder: &dyn Folder, model: &Model) -> Vec<Result<Source, DataError>> {
    let files = model.data_files.iter();
    files.map(|file| external::open(folder, model.name(file.location))).collect()
}

fn read_input(input: Input) -> Result<Model, Error> {
    let sniffed = input.source.size().min(sniff::SNIFFED as u64);
    let start = input.source.slice(Span { start: 0, end: sniffed });
    let Some(start) = start else { return Err(incomplete(&input.source)) };
    let name = input.name.clone();
    let start = Start { bytes: start, name: &name };
    if let Some(reader) = READERS.iter().find(|reader| (reader.sniff)(&start)) {
        let source = input.source.clone();
        let model = (reader.read)(input);
        // Whatever the reader made of zeros in place of what is gone.
        return check_complete(&source).and(model);
    }
    Err(match sniff::foreign(start.bytes) {
        Some(kind) => Error::Foreign { what: kind.what, hint: kind.hint },
        None => Error::NoGraph { hint: "the format of the file is unknown".to_owned() },
    })
}

/// Refuses what was read from a source that lacked bytes: a file that another process shortened, or ranges
/// that could not be fetched.
///
/// # Errors
///
/// [`Error::Shortened`] or [`Error::Unavailable`].
pub fn check_complete(source: &Source) -> Result<(), Error> {
    match source.is_shortened() || source.failure().is_some() {
        true => Err(incomplete(source)),
        false => Ok(()),
    }
}

fn incomplete(source: &Source) -> Error {
    match source.failure() {
        Some(reason) => Error::Unavailable(reason),
        None => Error::Shortened,
    }
}
