//! The versions and types that runtimes support, from `runtimes.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// A release of a runtime or converter, and what it supports.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Runtime {
    pub(super) name: String,
    pub(super) release: String,
    /// Newest supported version of the standard opset.
    pub(super) opset: Option<i64>,
    /// Newest supported IR version.
    pub(super) ir: Option<i64>,
    /// Supported element types; empty if no source states them.
    #[serde(default)]
    pub(super) dtypes: Vec<String>,
    #[allow(dead_code, reason = "checked when the table is read, and by tests")]
    evidence: Evidence,
    #[allow(dead_code, reason = "checked when the table is read, and by tests")]
    source: String,
    #[allow(dead_code, reason = "checked when the table is read, and by tests")]
    notes: Option<String>,
}

/// The evidence for the limits of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Evidence {
    /// One-node models of every version were loaded.
    Measured,
    /// The project documents the limit.
    Published,
}

/// The parsed file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    runtime: Vec<Runtime>,
}

impl Runtime {
    /// Whether it supports a model with these versions, as far as its limits are known.
    pub(super) fn takes(&self, opset: Option<i64>, ir: Option<i64>) -> bool {
        let within = |limit: Option<i64>, version: Option<i64>| match (limit, version) {
            (Some(limit), Some(version)) => version <= limit,
            _ => true,
        };
        within(self.opset, opset) && within(self.ir, ir)
    }

    /// Whether a limit is known.
    pub(super) fn is_limited(&self) -> bool {
        self.opset.is_some() || self.ir.is_some()
    }
}

/// Returns every release of the table; releases of one runtime are adjacent, oldest first.
pub(super) fn all() -> &'static [Runtime] {
    static ALL: LazyLock<Vec<Runtime>> =
        LazyLock::new(|| parse(include_str!("runtimes.toml")).unwrap_or_default());
    &ALL
}

fn parse(text: &str) -> Result<Vec<Runtime>, toml::de::Error> {
    toml::from_str::<Table>(text).map(|table| table.runtime)
}

#[cfg(test)]
mod tests {
    use calipers_ir::DType;

    use super::*;

    #[test]
    fn the_table_is_read_whole_and_sorted() {
        let all = all();
        assert!(all.len() >= 10, "{} releases", all.len());
        for group in all.chunk_by(|one, next| one.name == next.name) {
            for pair in group.windows(2) {
                assert!(pair[0].opset <= pair[1].opset, "{} {}", pair[1].name, pair[1].release);
                assert!(pair[0].ir <= pair[1].ir, "{} {}", pair[1].name, pair[1].release);
            }
        }
        let mut names: Vec<_> =
            all.chunk_by(|one, next| one.name == next.name).map(|group| &group[0].name).collect();
        names.sort_unstable();
        names.dedup();
        let runs = all.chunk_by(|one, next| one.name == next.name).count();
        assert_eq!(names.len(), runs, "releases of one name are apart");
    }

    #[test]
    fn types_are_spelt_as_ours() {
        let known: Vec<String> = (0..29).map(|n| DType::from_onnx(n).to_string()).collect();
        for dtype in all().iter().flat_map(|runtime| &runtime.dtypes) {
            assert!(known.contains(dtype), "{dtype}");
        }
    }

    #[test]
    fn every_stanza_has_its_source() {
        let read = parse(include_str!("runtimes.toml")).unwrap();
        assert_eq!(read, all());
        for Runtime { name, release, evidence, source, notes, .. } in &read {
            assert!(source.len() >= 5, "{name} {release} ({evidence:?}) has no source");
            assert!(notes.as_ref().is_none_or(|notes| !notes.is_empty()), "{name} {release}");
        }
    }

    #[test]
    fn unknown_keys_and_words_are_refused_with_their_line() {
        let stanza =
            "[[runtime]]\nname = 'x'\nrelease = '1'\nevidence = 'measured'\nsource = 'a test'\n";
        assert!(parse(stanza).is_ok());
        for (text, line, word) in [
            (format!("{stanza}opest = 3"), "line 6", "opest"),
            (stanza.replace("measured", "hearsay"), "line 4", "hearsay"),
        ] {
            let message = parse(&text).unwrap_err().to_string();
            assert!(message.contains(line) && message.contains(word), "{message}");
        }
    }
}
