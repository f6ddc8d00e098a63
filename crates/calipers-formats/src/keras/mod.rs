//! Keras: archives of version 3, and HDF5 files of the versions before, whole or with weights alone.
//!
//! The configuration is JSON that describes layers and what each is called with; the weights are in
//! HDF5, in the archive too. Layers are nodes. Code that a file carries is reported and never
//! decoded.

mod build;
mod json;
mod layers;
mod missing;
mod network;
mod read;
mod variables;
mod weights;

use calipers_ir::Format;

use crate::{Reader, Start, hdf5};

/// Files of Keras.
pub(crate) const READER: Reader = Reader {
    format: Format::Keras,
    extensions: &["keras", "h5", "hdf5"],
    in_folder: &[],
    sniff,
    read: read::read,
};

/// What an archive of Keras begins with: one of its own members.
const MEMBERS: [&[u8]; 3] = [b"metadata.json", b"config.json", b"model.weights.h5"];

fn sniff(start: &Start<'_>) -> bool {
    if hdf5::signature_at(start.bytes).is_some() {
        return true;
    }
    let is_archive = start.bytes.starts_with(b"PK\x03\x04");
    let first = start.bytes.get(30..).unwrap_or_default();
    let has_member = || MEMBERS.iter().any(|member| first.starts_with(member));
    is_archive && (start.has_extension("keras") || has_member())
}
