//! What models are called: by as little of their paths as makes the names distinct.

use std::path::{Path, PathBuf};

use super::Privacy;

/// Names of the models, in their order.
pub(super) fn labels(paths: &[PathBuf], privacy: Privacy) -> Vec<String> {
    if privacy.redact_names {
        let letters = ('A'..='Z').map(String::from);
        let numbers = (27_u64..).map(|number| format!("model {number}"));
        return letters.chain(numbers).take(paths.len()).collect();
    }
    let longest = paths.iter().map(|path| path.components().count()).max().unwrap_or(1);
    let named = |parts: usize| -> Vec<String> {
        paths.iter().map(|path| privacy.mask(&tail(path, parts)).into_owned()).collect()
    };
    let is_distinct = |names: &[String]| {
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    };
    (1..=longest).map(named).find(|names| is_distinct(names)).unwrap_or_else(|| named(1))
}

/// The last parts of a path, with slashes.
fn tail(path: &Path, parts: usize) -> String {
    let names: Vec<_> =
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    names[names.len().saturating_sub(parts)..].join("/")
}

/// A number of the paths, by which comments on models of the same name differ.
pub(super) fn key(paths: &[PathBuf]) -> String {
    // FNV-1a: the same for every run and every version.
    let bytes = paths.iter().flat_map(|path| path.to_string_lossy().into_owned().into_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{:08x}", hash >> 32)
}

/// Where code scanning finds the last model.
pub(super) fn place(paths: &[PathBuf], privacy: Privacy) -> String {
    let Some(path) = paths.last() else { return String::new() };
    match privacy.redact_names {
        true => "file".to_owned(),
        false => privacy.mask(&super::super::check::place(path, &tail(path, 1))).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_where_files_have_the_same_name() {
        let of = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            super::labels(&paths, Privacy::default())
        };
        assert_eq!(of(&["x/a.onnx", "y/b.onnx"]), ["a.onnx", "b.onnx"]);
        assert_eq!(of(&["x/old/m.onnx", "x/new/m.onnx"]), ["old/m.onnx", "new/m.onnx"]);
        assert_eq!(of(&["m.onnx", "m.onnx"]), ["m.onnx", "m.onnx"]);
        let hidden = Privacy { redact_names: true, ..Privacy::default() };
        assert_eq!(super::labels(&["a".into(), "b".into()], hidden), ["A", "B"]);
    }
}
