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

use std::path::{Path, PathBuf};

/// The files of these names in a model's folder. Links out of the folder are left out: nobody named
/// what they lead to.
fn beside(model: &Path, names: &[&str]) -> Vec<PathBuf> {
    let folder = match model.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let Ok(whole) = folder.canonicalize() else { return Vec::new() };
    let is_inside =
        |path: &PathBuf| path.canonicalize().is_ok_and(|path| path.parent() == Some(&*whole));
    let files = names.iter().map(|name| folder.join(name));
    files.filter(|path| path.is_file() && is_inside(path)).collect()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_folder_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("model");
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(folder.path().join("out.json"), "{}").unwrap();
        std::fs::write(inside.join("in.json"), "{}").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../out.json", inside.join("link.json")).unwrap();
        let names = ["link.json", "out.json", "in.json"];
        assert_eq!(beside(&inside.join("m.onnx"), &names), [inside.join("in.json")]);
    }
}
