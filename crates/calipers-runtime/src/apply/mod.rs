//! Using a model for what it is made for: texts, images, sounds and tensors in, answers out.
//!
//! Functions here prepare inputs and read outputs; they do not run anything. Everything that is
//! inferred about a model's inputs (size, layout, mean and standard deviation) is a value that the
//! caller can print and override.

pub mod audio;
pub mod detect;
pub mod generate;
pub mod image;
pub mod npy;
pub mod pipeline;
pub mod scores;
pub mod spectrogram;
pub mod text;
pub mod text_regions;

use std::path::Path;

/// Says why a path does not name a file with contents.
fn check_file(path: &Path) -> Result<(), String> {
    let found = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    })?;
    match () {
        () if found.is_dir() => Err("it is a folder".to_owned()),
        // A pipe or a device could be endless.
        () if !found.is_file() => Err("it is not a regular file".to_owned()),
        () if found.len() == 0 => Err("it is empty".to_owned()),
        () => Ok(()),
    }
}
