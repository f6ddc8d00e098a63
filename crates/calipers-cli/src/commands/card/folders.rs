//! A folder for each card, named after where its model was found.

use std::collections::BTreeSet;

/// Letters of a name.
const LONGEST: usize = 80;

/// Names that one system or another keeps for itself.
const RESERVED: [&str; 26] = [
    "aux",
    "com1",
    "com2",
    "com3",
    "com4",
    "com5",
    "com6",
    "com7",
    "com8",
    "com9",
    "con",
    "index",
    "lpt1",
    "lpt2",
    "lpt3",
    "lpt4",
    "lpt5",
    "lpt6",
    "lpt7",
    "lpt8",
    "lpt9",
    "nul",
    "prn",
    "readme",
    "assets",
    "index.html",
];

/// Names of folders, in the order of the paths: letters, digits, dots, dashes and underscores alone,
/// and each once, also where capitals do not count.
pub(super) fn name_all(paths: &[String]) -> Vec<String> {
    let mut taken: BTreeSet<String> = RESERVED.iter().map(|&name| name.to_owned()).collect();
    paths
        .iter()
        .map(|path| {
            let name = safe(path);
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
            ["etc-x", "hidden", "con-2", "model", "model-2", "a-b"]
        );
        assert!(named(&[&"x".repeat(5000)])[0].len() <= LONGEST);
    }
}
