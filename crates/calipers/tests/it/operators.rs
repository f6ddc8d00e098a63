//! Operator names in the sources: a misspelled one matches nothing, and no compiler reports it.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

calipers_testkit::tests! {
    test: [
        every_quoted_name_is_an_operator_or_a_block,
        a_misspelled_name_is_found,
        comments_and_tests_are_left_out,
    ];
}

/// Crates that match operators by name.
const CRATES: &[&str] = &[
    "calipers-arch",
    "calipers-compare",
    "calipers-infer",
    "calipers-lint",
    "calipers-measure",
    "calipers-perf",
];

/// Folders without operators: names of devices, vendors and architectures.
const WITHOUT_OPERATORS: &[&str] = &["calipers-perf/src/devices"];

/// Quoted words that are something else, sorted.
const OTHER_WORDS: &[&str] = &[
    // Values of attributes.
    "AVERAGE",
    "NONE",
    // Labels of parts in diagrams.
    "Convolutions",
    "Inputs",
    "Layers",
    "Outputs",
    // The standard's `Attention`, by a name that no block has.
    "DotProductAttention",
    // Names of tools for ONNX, in advice.
    "ONNX",
    "ORT",
    "SessionOptions",
    // Names of types, for `Debug`.
    "Contents",
    "Subject",
];

fn every_quoted_name_is_an_operator_or_a_block() {
    let mut unknown = BTreeSet::new();
    let mut used = HashSet::new();
    let mut files = 0;
    for file in sources() {
        files += 1;
        for name in quoted(&std::fs::read_to_string(&file).unwrap()) {
            match OTHER_WORDS.iter().find(|word| **word == name) {
                Some(word) => {
                    used.insert(*word);
                }
                None if is_known(&name) => {}
                None => {
                    unknown.insert(format!("{name} in {}", file.display()));
                }
            }
        }
    }
    assert!(files > 100, "only {files} files were read");
    assert!(unknown.is_empty(), "neither operators nor blocks: {unknown:#?}");
    let unused: Vec<_> = OTHER_WORDS.iter().filter(|word| !used.contains(**word)).collect();
    assert!(unused.is_empty(), "words that no source has: {unused:?}");
}

fn a_misspelled_name_is_found() {
    let names = quoted(r#"match op { "MaxPol" | "Relu" => 1, '"' => "GELU" }"#);
    assert_eq!(names, ["MaxPol", "Relu", "GELU"]);
    let known: Vec<bool> = names.iter().map(|name| is_known(name)).collect();
    assert_eq!(known, [false, true, true]);
}

fn comments_and_tests_are_left_out() {
    let source = "
        /// `\"InDocs\"`
        #[cfg(test)]
        mod tests;
        const A: &str = \"Add\"; // \"InComment\"
        const B: &str = \"a sentence with Words\";
        const C: &[&str] = &[r#\"Raw\"#, \"Es\\\"caped\", \"Mul\"];
        #[cfg(test)]
        mod inline {
            const D: &str = \"InTest\";
        }
        fn f<'a>(x: &'a str) -> bool { x == \"Sub\" }
    ";
    assert_eq!(quoted(source), ["Add", "Raw", "Mul", "Sub"]);
}

/// Whether a name is an operator of any known domain, or the id of a kind of block.
fn is_known(name: &str) -> bool {
    calipers_ops::find_by_name(name).is_some()
        || calipers_ops::all_rows().any(|row| row.name == name)
        || calipers_arch::network::BlockKind::ALL.iter().any(|kind| kind.id() == name)
}

/// The source files that are compiled outside of tests.
fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let skipped: Vec<PathBuf> = WITHOUT_OPERATORS.iter().map(|path| crates.join(path)).collect();
    let mut folders: Vec<PathBuf> =
        CRATES.iter().map(|name| crates.join(name).join("src")).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            if skipped.contains(&path) || stem.ends_with("tests") || stem == "testing" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// Quoted words that look like names of operators, in order: a capital, then letters and digits.
fn quoted(source: &str) -> Vec<String> {
    let is_name = |text: &&String| {
        text.len() > 1
            && text.starts_with(|first: char| first.is_ascii_uppercase())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    literals(&without_tests(source)).iter().filter(is_name).cloned().collect()
}

/// The source without items under `#[cfg(test)]`: up to the brace that closes them, by indentation.
fn without_tests(source: &str) -> String {
    let mut kept = String::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        let mut item = lines.next();
        while item.is_some_and(|line| line.trim_start().starts_with("#[")) {
            item = lines.next();
        }
        if item.is_some_and(|line| line.ends_with('{')) {
            while lines.next().is_some_and(|line| line != end) {}
        }
    }
    kept
}

/// The texts of string literals, without those in comments.
fn literals(source: &str) -> Vec<String> {
    let chars: Vec<char> = source.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&char) = chars.get(at) {
        let next = chars.get(at + 1).copied();
        match (char, next) {
            ('/', Some('/')) => {
                while chars.get(at).is_some_and(|char| *char != '\n') {
                    at += 1;
                }
            }
            // A character: escaped, or one between quotes. Other quotes start lifetimes.
            ('\'', Some('\\')) => at += 4,
            ('\'', Some(_)) if chars.get(at + 2) == Some(&'\'') => at += 3,
            ('"', _) => {
                let hashes = chars[..at].iter().rev().take_while(|char| **char == '#').count();
                let is_raw = at > hashes && chars[at - hashes - 1] == 'r';
                let mut text = String::new();
                at += 1;
                while let Some(&char) = chars.get(at) {
                    let closing = chars[at + 1..].iter().take_while(|char| **char == '#').count();
                    at += 1;
                    match char {
                        '"' if !is_raw || closing >= hashes => break,
                        '\\' if !is_raw => {
                            text.push(char);
                            text.extend(chars.get(at));
                            at += 1;
                        }
                        char => text.push(char),
                    }
                }
                found.push(text);
            }
            _ => at += 1,
        }
    }
    found
}
