//! URLs in the metadata.

use std::collections::BTreeSet;

use calipers_report::Severity;

use super::texts;
use crate::{Evidence, Hit, Rule, plural};

pub(crate) const RULE: Rule = Rule {
    id: "metadata-links",
    severity: Severity::Info,
    group: "security",
    title: "URLs in metadata",
    checks: "URLs in metadata and documentation that start with `http`, `https`, `ftp`, `s3`, `gs` \
             or `file`.",
    why: "Most are links to a license or a project page. A tool that fetches links would contact \
          these hosts, and internal URLs reveal details of a network.",
    example: "A metadata entry `docs` with `https://docs.example.org`.",
    recommendation: "No action is needed unless a URL is internal; then remove its entry from \
                     `model.metadata_props` before you publish the file.",
    check,
};

const SCHEMES: [&str; 6] = ["file", "ftp", "gs", "http", "https", "s3"];

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let mut hosts = BTreeSet::new();
    let mut places = Vec::new();
    for text in texts(evidence.model) {
        if !text.hint.judge(|text| addresses(text).next().is_some()) {
            continue;
        }
        if hosts.len() < 64 {
            hosts.extend(addresses(text.shown).map(str::to_owned));
        }
        places.push(text.place);
    }
    let reported: Vec<&str> = hosts.iter().take(4).map(String::as_str).collect();
    let more = if hosts.len() > reported.len() { " and others" } else { "" };
    (!places.is_empty()).then(|| {
        let entries = plural(places.len(), "entry", "entries");
        let hosts = match reported.as_slice() {
            [] => String::new(),
            hosts => format!("; hosts: {}{more}", hosts.join(", ")),
        };
        Hit::new(format!("{entries} with URLs{hosts}"), places)
    })
}

/// Returns the hosts of the URLs in a text.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("://").filter_map(|(at, _)| {
        let before = &text[..at];
        let start = before
            .rfind(|c: char| !c.is_ascii_alphanumeric())
            .map_or(0, |last| last + before[last..].chars().next().map_or(1, char::len_utf8));
        let scheme = before[start..].to_ascii_lowercase();
        let rest = &text[at + 3..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !".-_".contains(c));
        let host = &rest[..end.unwrap_or(rest.len())];
        (SCHEMES.contains(&scheme.as_str()) && !host.is_empty()).then_some(host)
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::ModelBuilder;

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn addresses_are_found_and_names_with_colons_are_not() {
        let with = |text: &str| ModelBuilder::new(17).metadata("docs", text).build();
        let found = raised(&RULE, with("see https://docs.example.org/a?b")).unwrap();
        assert_eq!(found.detail, "1 entry with URLs; hosts: docs.example.org");
        assert_eq!(found.nodes, ["metadata docs"]);
        assert_eq!(raised(&RULE, with("aten::conv2d, torch://")), None);
    }
}
