//! Where ONNX Runtime may be installed. Nothing is executed: folders are listed.

use std::env;
use std::path::{Path, PathBuf};

/// The first library that is found.
pub(super) fn find() -> Option<PathBuf> {
    let named = env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()).map(PathBuf::from);
    named.or_else(|| {
        python_folders().into_iter().chain(system_folders()).find_map(|folder| newest_in(&folder))
    })
}

/// `onnxruntime/capi` of the active Python environment: the virtual environment, the conda
/// environment, then the environments of the interpreters on the search path, and the user's own.
fn python_folders() -> Vec<PathBuf> {
    let variable = |name| env::var_os(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    let mut prefixes: Vec<PathBuf> =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable).collect();
    for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        for name in ["python3", "python", "python3.exe", "python.exe"] {
            let program = folder.join(name);
            if program.is_file() {
                prefixes.extend(folder.parent().map(Path::to_owned));
                // A link leads to the installation that has the packages.
                let real = program.canonicalize().ok();
                let prefix = real.as_deref().and_then(Path::parent).and_then(Path::parent);
                prefixes.extend(prefix.map(Path::to_owned));
            }
        }
    }
    prefixes.extend(variable("HOME").map(|home| home.join(".local")));
    let mut packages: Vec<PathBuf> = env::split_paths(&variable("PYTHONPATH").unwrap_or_default())
        .filter(|folder| folder != Path::new(""))
        .collect();
    for prefix in prefixes {
        packages.extend(site_packages(&prefix));
    }
    packages.into_iter().map(|folder| folder.join("onnxruntime").join("capi")).collect()
}

/// The folders of packages under a prefix, of the newest Python first.
fn site_packages(prefix: &Path) -> Vec<PathBuf> {
    let mut found = vec![prefix.join("Lib").join("site-packages")];
    for lib in [prefix.join("lib"), prefix.join("lib64"), prefix.join("local").join("lib")] {
        let mut versions: Vec<PathBuf> = names_in(&lib)
            .into_iter()
            .filter(|name| name.starts_with("python3"))
            .map(|name| lib.join(name))
            .collect();
        versions.sort_by_key(|path| std::cmp::Reverse(numbers(&path.to_string_lossy())));
        for version in versions {
            found.extend(["site-packages", "dist-packages"].map(|name| version.join(name)));
        }
    }
    found
}

fn system_folders() -> Vec<PathBuf> {
    let listed = |name| env::var_os(name).map(|text| env::split_paths(&text).collect::<Vec<_>>());
    let mut folders: Vec<PathBuf> = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"]
        .into_iter()
        .filter_map(listed)
        .flatten()
        .filter(|folder| folder != Path::new(""))
        .collect();
    let fixed = [
        "/usr/local/lib",
        "/usr/local/lib64",
        "/usr/lib",
        "/usr/lib64",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/opt/onnxruntime/lib",
        "/opt/homebrew/lib",
    ];
    folders.extend(fixed.map(PathBuf::from));
    folders
}

/// The library of the highest version in a folder.
fn newest_in(folder: &Path) -> Option<PathBuf> {
    let is_library = |name: &String| {
        name.starts_with("libonnxruntime.so")
            || name == "onnxruntime.dll"
            || name.starts_with("libonnxruntime.") && name.ends_with(".dylib")
    };
    let newest =
        names_in(folder).into_iter().filter(is_library).max_by_key(|name| numbers(name))?;
    Some(folder.join(newest))
}

fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The numbers in a text, for ordering versions.
fn numbers(text: &str) -> Vec<u64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_number() {
        assert!(numbers("libonnxruntime.so.1.31.1") > numbers("libonnxruntime.so.1.4.0"));
        assert!(numbers("libonnxruntime.so.1.31") > numbers("libonnxruntime.so"));
        assert!(numbers("python3.11") > numbers("python3.9"));
    }
}
