//! PyTorch: pickles of tensors in archives or files of their own, TorchScript, and `torch.export`.
//!
//! What a pickle would import and call is followed, and nothing is imported or called: see
//! [`pickle`](crate::pickle).

mod archive;
mod code;
mod dtype;
mod export;
mod flatten;
mod hazards;
mod legacy;
mod rebuilt;
mod script;
mod state;
mod store;

use calipers_ir::{Format, Model};

use crate::input::Input;
use crate::{Error, Reader, Start, pickle};

/// Checkpoints and state dicts.
pub(crate) const PICKLE: Reader = Reader {
    format: Format::PyTorch,
    extensions: &["pt", "pth", "ckpt", "bin", "pkl", "pickle"],
    in_folder: &["pytorch_model.bin"],
    sniff: |start| is_archive(start) || is_pickle(start),
    read,
};

/// TorchScript.
pub(crate) const SCRIPT: Reader = Reader {
    format: Format::TorchScript,
    extensions: &["jit", "ptl", "torchscript", "ts"],
    in_folder: &[],
    sniff: |start| is_archive(start) && contains(start.bytes, b"/code/"),
    read,
};

/// `torch.export`.
pub(crate) const EXPORT: Reader = Reader {
    format: Format::TorchExport,
    extensions: &["pt2"],
    in_folder: &[],
    sniff: |start| is_zip(start.bytes) && start.has_extension("pt2"),
    read,
};

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// An archive, by the names of its first records or by its own.
fn is_archive(start: &Start<'_>) -> bool {
    const RECORDS: &[&[u8]] =
        &[b"data.pkl", b"constants.pkl", b"/data/0", b"/.data/", b"serialized_exported_program"];
    let extensions = || [PICKLE.extensions, SCRIPT.extensions, EXPORT.extensions].concat();
    is_zip(start.bytes)
        && (RECORDS.iter().any(|record| contains(start.bytes, record))
            || extensions().iter().any(|extension| start.has_extension(extension)))
}

/// A pickle: of protocol 2 and above by its mark, of those before by its name too.
fn is_pickle(start: &Start<'_>) -> bool {
    let is_named = PICKLE.extensions.iter().any(|extension| start.has_extension(extension));
    match start.bytes {
        [0x80, ..] => pickle::may_start(start.bytes) || is_named && start.bytes.get(1) < Some(&2),
        _ => is_named && pickle::may_start(start.bytes),
    }
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// Reads any of them: what an archive is, its records say.
fn read(input: Input) -> Result<Model, Error> {
    let start = input.source.window(0, 4).unwrap_or_default();
    if is_zip(start) { state::read_archive(input) } else { legacy::read(input) }
}
