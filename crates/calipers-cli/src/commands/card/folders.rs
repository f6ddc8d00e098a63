//! A folder for each card, named after where its model was found.

use std::collections::BTreeSet;

/// Letters of a name.
const LONGEST: usize = 80;

/// Names that the output folder has already: the index and what a card is called, with and without
/// an ending that some program adds.
const INDEX: [&str; 6] = ["readme", "readme.md", "index", "index.html", "card", "assets"];

/// Names that Windows keeps for devices, also before a dot: `con`, `con.v1`.
const DEVICES: [&str; 24] = [
    "aux", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con", "conin$",
    "conout$", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul",
    "prn",
];

/// Whether no folder may have this name, in lower case.
fn is_reserved(name: &str) -> bool {
    let device = name.split('.').next().unwrap_or(name);
    INDEX.contains(&name) || name.starts_with("card.") || DEVICES.contains(&device)
}

/// Names of folders, in the order of the paths: letters, digits, dots, dashes and underscores alone,
/// and each once, also where capitals do not count.
pub(super) fn name_all(paths: &[String]) -> Vec<String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    paths
        .iter()
        .map(|path| {
            let mut name = safe(path);
            if is_reserved(&name.to_ascii_lowercase()) {
                name = format!("model-{name}");
            }
            let mut found = name.clone();
            let mut number = 2;
            while !taken.insert(found.to_ascii_lowercase()) {
                found = format!("{name}-{number}");
                number += 1;
            }
            found
        })
        .collect()
}

/// The path without the ending of its file, with everything else that is no letter as a dash.
fn safe(path: &str) -> String {
    let stem = match path.rsplit_once('.') {
        Some((stem, ending)) if !ending.contains('/') && !stem.is_empty() => stem,
        _ => path,
    };
    let mut name = String::new();
    for c in stem.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') => name.push(c),
            _ if name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    // A long path is distinguished by its end.
    let start = name.len().saturating_sub(LONGEST);
    // No name is hidden, climbs out of the folder, or ends in what some systems drop.
    match name[start..].trim_matches(['.', '-']) {
        "" => "model".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(paths: &[&str]) -> Vec<String> {
        name_all(&paths.iter().map(|&path| path.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names_follow_paths_and_are_once() {
        assert_eq!(
            named(&["a/b.onnx", "a-b.onnx", "A-B.ONNX", "b.v1.onnx", "no-ending"]),
            ["a-b", "a-b-2", "A-B-3", "b.v1", "no-ending"]
        );
    }

    #[test]
    fn no_name_leaves_its_place() {
        assert_eq!(
            named(&[
                "../../etc/x.onnx",
                ".hidden.onnx",
                "con.onnx",
                "入力.onnx",
                "..",
                "a/<b>.onnx"
            ]),
            ["etc-x", "hidden", "model-con", "model", "model-2", "a-b"]
        );
        let long = named(&[&"x".repeat(5000)]);
        assert!(long[0].len() <= LONGEST);
    }

    #[test]
    fn no_name_is_that_of_the_index_or_of_a_device() {
        assert_eq!(
            named(&["README.md.onnx", "readme.onnx", "INDEX.HTML.onnx", "model-readme.onnx"]),
            ["model-README.md", "model-readme", "model-INDEX.HTML", "model-readme-2"]
        );
        assert_eq!(
            named(&["NUL.v1.onnx", "Con.onnx", "lpt9.x.y.onnx", "console.onnx", "card.txt.onnx"]),
            ["model-NUL.v1", "model-Con", "model-lpt9.x.y", "console", "model-card.txt"]
        );
    }
}
