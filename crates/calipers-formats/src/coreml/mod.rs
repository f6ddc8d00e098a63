//! Core ML: `CoreML.Specification.Model` in protobuf, alone or in a package with its weights.
//!
//! The messages are described at <https://apple.github.io/coremltools/mlmodel/index.html>. A
//! package is a folder with the model at `Data/com.apple.CoreML/model.mlmodel`.

mod blobs;
mod features;
mod fields;
mod mil;
mod model;
mod network;
mod sniff;

use calipers_ir::{Format, Model};

use crate::input::Input;
use crate::{Error, Reader, Start};

/// Files of Core ML.
pub(crate) const READER: Reader = Reader {
    format: Format::CoreMl,
    extensions: &["mlmodel", "mlpackage"],
    // The last two are in folders that hold a compiled model.
    in_folder: &["Data/com.apple.CoreML/model.mlmodel", "model.mil", "coremldata.bin"],
    sniff: sniff::is_core_ml,
    read,
};

/// Reads a Core ML model.
fn read(input: Input) -> Result<Model, Error> {
    let source = input.source.clone();
    if is_compiled(&input) {
        let hint = "it is a compiled Core ML model (.mlmodelc), whose network is in a form that \
                    only Core ML reads: pass the .mlmodel or .mlpackage that it was compiled from";
        return Err(Error::NoGraph { hint: hint.to_owned() });
    }
    model::read(input, &source)
}

fn is_compiled(input: &Input) -> bool {
    let end = input.source.size().min(crate::sniff::SNIFFED as u64);
    let start = input.source.slice(calipers_ir::Span { start: 0, end }).unwrap_or_default();
    sniff::is_compiled(&Start { bytes: start, name: &input.name })
}
