//! Addresses in the file.

use std::collections::BTreeSet;

use calipers_report::Severity;

use super::texts;
use crate::{Evidence, Hit, Rule, plural};

pub(crate) const RULE: Rule = Rule {
    id: "metadata-links",
    severity: Severity::Info,
    group: "security",
    title: "The metadata holds addresses",
    checks: "Metadata and documentation of the model, for addresses that begin with `http`, `https`, \
             `ftp`, `s3`, `gs` or `file`.",
    why: "Mostly a link to a license or a page. A tool that fetches what it finds would go there, and \
          an address inside a company tells of its network.",
    example: "A metadata entry `docs` of `https://docs.example.org`.",
    recommendation: "nothing to do, unless an address is not meant for others",
    check,
};

const SCHEMES: [&str; 6] = ["file", "ftp", "gs", "http", "https", "s3"];

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let mut hosts = BTreeSet::new();
    let mut places = Vec::new();
    for (place, text) in texts(evidence.model) {
        let before = hosts.len();
        let mut any = false;
        for host in addresses(text) {
            any = true;
            if before < 64 {
                hosts.insert(host.to_owned());
            }
        }
        if any {
            places.push(place);
        }
    }
    let reported: Vec<&str> = hosts.iter().take(4).map(String::as_str).collect();
    let more = if hosts.len() > reported.len() { " and others" } else { "" };
    (!places.is_empty()).then(|| {
        let entries = plural(places.len(), "entry", "entries");
        Hit::new(format!("{entries} with addresses of {}{more}", reported.join(", ")), places)
    })
}

/// The hosts of the addresses in a text.
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
        assert_eq!(found.detail, "1 entry with addresses of docs.example.org");
        assert_eq!(found.nodes, ["metadata docs"]);
        assert_eq!(raised(&RULE, with("aten::conv2d, torch://")), None);
    }
}
