//! What the author of a file wrote into its metadata about the license and the like.
//!
//! Exporters and people spell the keys in their own ways; the value is text of anybody.

use calipers_report::Report;

/// License identifiers that model hubs know, in their spelling.
const LICENSES: [&str; 36] = [
    "afl-3.0",
    "agpl-3.0",
    "apache-2.0",
    "artistic-2.0",
    "bsd",
    "bsd-2-clause",
    "bsd-3-clause",
    "bsd-3-clause-clear",
    "bsl-1.0",
    "cc-by-2.0",
    "cc-by-3.0",
    "cc-by-4.0",
    "cc-by-nc-2.0",
    "cc-by-nc-3.0",
    "cc-by-nc-4.0",
    "cc-by-nc-nd-4.0",
    "cc-by-nc-sa-4.0",
    "cc-by-nd-4.0",
    "cc-by-sa-3.0",
    "cc-by-sa-4.0",
    "cc0-1.0",
    "ecl-2.0",
    "epl-2.0",
    "eupl-1.2",
    "gemma",
    "gpl-2.0",
    "gpl-3.0",
    "lgpl-2.1",
    "lgpl-3.0",
    "mit",
    "mpl-2.0",
    "openrail",
    "osl-3.0",
    "unlicense",
    "wtfpl",
    "zlib",
];

/// The text of an entry, by any of the spellings of its key; nothing where it is blank.
fn entry<'a>(report: &'a Report, keys: &[&str]) -> Option<&'a str> {
    let normal = |key: &str| key.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    let found = report.model.metadata.iter().find(|(key, _)| keys.contains(&normal(key).as_str()));
    found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
}

/// The license as the author wrote it.
pub fn license(report: &Report) -> Option<&str> {
    entry(report, &["license", "licence", "license_id", "spdx_license"])
}

/// The identifier that hubs use for the license, where they know it: `agpl-3.0`.
pub(crate) fn license_id(report: &Report) -> Option<&'static str> {
    let words = license(report)?.to_ascii_lowercase();
    let mut words = words.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.')));
    let first = words.find(|word| !word.is_empty())?;
    let id = ["-only", "-or-later"].iter().find_map(|end| first.strip_suffix(end)).unwrap_or(first);
    LICENSES.iter().copied().find(|known| *known == id)
}

/// The repository of the model that this one was made from, as hubs spell it: `owner/name`.
pub(crate) fn base_model(report: &Report) -> Option<&str> {
    let name = entry(report, &["base_model", "basemodel", "parent_model"])?;
    let is_part = |part: &str| {
        !part.is_empty()
            && part.len() <= 96
            && part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let parts: Vec<&str> = name.split('/').collect();
    (parts.len() <= 2 && parts.iter().all(|part| is_part(part))).then_some(name)
}

/// Codes of the languages that the model was made for: `en`, `deu`.
pub(crate) fn languages(report: &Report) -> Vec<&str> {
    let is_code =
        |word: &&str| matches!(word.len(), 2 | 3) && word.chars().all(|c| c.is_ascii_lowercase());
    let words = list(entry(report, &["language", "languages", "lang"])).filter(is_code);
    words.take(20).collect()
}

/// Tags that the author gave the model.
pub(crate) fn tags(report: &Report) -> Vec<&str> {
    let is_short = |word: &&str| word.chars().count() <= 60;
    list(entry(report, &["tags", "keywords"])).filter(is_short).take(20).collect()
}

/// The items of a list, with or without brackets and quotes.
fn list(text: Option<&str>) -> impl Iterator<Item = &str> {
    let items = text.unwrap_or_default().split([',', ';']);
    items
        .map(|item| item.trim_matches(|c: char| c.is_whitespace() || "[](){}'\"".contains(c)))
        .filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(entries: &[(&str, &str)]) -> Report {
        let mut report = Report::default();
        for (key, value) in entries {
            report.model.metadata.insert((*key).to_owned(), (*value).to_owned());
        }
        report
    }

    #[test]
    fn licenses_are_found_in_what_exporters_write() {
        for (text, id) in [
            ("AGPL-3.0 License (https://ultralytics.com/license)", Some("agpl-3.0")),
            ("Apache-2.0", Some("apache-2.0")),
            ("GPL-3.0-or-later", Some("gpl-3.0")),
            ("MIT", Some("mit")),
            ("Our own terms", None),
            ("mitochondrial", None),
            (" ", None),
        ] {
            assert_eq!(license_id(&report(&[("License", text)])), id, "{text}");
        }
        assert_eq!(license(&report(&[("licence", " x ")])), Some("x"));
        assert_eq!(license(&report(&[])), None);
    }

    #[test]
    fn other_entries_are_taken_only_in_the_form_that_hubs_read() {
        let found = report(&[
            ("base-model", "owner/name-1.0"),
            ("language", "['en', de, English]"),
            ("tags", "vision, edge"),
        ]);
        assert_eq!(base_model(&found), Some("owner/name-1.0"));
        assert_eq!(languages(&found), ["en", "de"]);
        assert_eq!(tags(&found), ["vision", "edge"]);
        for hostile in ["a/b/c", "../x", "a b", "a\nlicense: x", ""] {
            assert_eq!(base_model(&report(&[("base_model", hostile)])), None, "{hostile:?}");
        }
    }
}
