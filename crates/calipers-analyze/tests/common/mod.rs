//! Where the models of the tests are.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "each suite uses a part, and says what it skips"
)]

use std::path::{Path, PathBuf};

use calipers_analyze::Bindings;
use calipers_report::Report;
use serde_json::Value;

/// Models that come with the repository.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures")
}

/// The larger collection beside the checkout, or where `CALIPERS_SHARED` says; `None` when a
/// stranger's clone has none.
pub fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("CALIPERS_SHARED").map_or(beside, PathBuf::from);
    if folder.join("models").is_dir() {
        return Some(folder);
    }
    eprintln!("skipped the shared models: no folder at {}", folder.display());
    None
}

/// Folders of models: those of the repository, and those of the collection.
pub fn model_folders() -> Vec<PathBuf> {
    let mut folders = vec![fixtures().join("zoo")];
    if let Some(shared) = shared() {
        folders.extend(["zoo", "seeds", "latency"].map(|name| shared.join("models").join(name)));
    }
    folders
}

/// Files of a folder with an ending, sorted.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", folder.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

/// The report on a file.
pub fn report(path: &Path) -> Result<Report, calipers_formats::Error> {
    Ok(calipers_analyze::analyze(&calipers_formats::open(path)?))
}

/// Where a model is, such as `zoo/mlp.onnx`: in the repository, or in the shared collection.
pub fn find(name: &str) -> Option<PathBuf> {
    let shared = shared().map(|shared| shared.join("models").join(name));
    [Some(fixtures().join(name)), shared].into_iter().flatten().find(|path| path.exists())
}

/// Bindings that feed a model what its facts say it was fed.
pub fn feeds(truth: &Value) -> Bindings {
    let size = |dim: &Value| dim.as_i64().unwrap();
    let shape = |dims: &Value| dims.as_array().unwrap().iter().map(size).collect();
    let inputs = truth["feeds"].as_object().unwrap().iter();
    let inputs = inputs.map(|(name, dims)| (name.clone(), shape(dims))).collect();
    Bindings { inputs, ..Bindings::default() }
}
