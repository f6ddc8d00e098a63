//! Metadata that looks like keys and passwords.

use std::collections::BTreeMap;

use calipers_report::Severity;

use super::texts;
use crate::{Evidence, Hit, Rule, plural};

pub(crate) const RULE: Rule = Rule {
    id: "metadata-secrets",
    severity: Severity::Warning,
    group: "security",
    title: "Possible secret in metadata",
    checks: "Metadata and documentation: private keys, tokens in the format of known services, and \
             passwords in URLs. The secret itself is never shown.",
    why: "Models are shared more widely than passwords. Exporters copy settings, command lines and \
          training notes into the file.",
    example: "A metadata entry `train_args` that contains an access token.",
    recommendation: "Revoke the secret, remove the entry from `model.metadata_props` and save the \
                     model again.",
    check,
};

/// Prefixes of the tokens of known services, the least characters after them, and the description.
const TOKENS: [(&str, usize, &str); 12] = [
    ("AKIA", 16, "AWS access key"),
    ("ASIA", 16, "AWS access key"),
    ("AIza", 35, "Google API key"),
    ("ghp_", 36, "GitHub token"),
    ("gho_", 36, "GitHub token"),
    ("github_pat_", 50, "GitHub token"),
    ("glpat-", 20, "GitLab token"),
    ("hf_", 30, "Hugging Face token"),
    ("sk-", 32, "API key"),
    ("xoxb-", 20, "Slack token"),
    ("xoxp-", 20, "Slack token"),
    ("dckr_pat_", 20, "Docker token"),
];

/// Longest token that is examined: real ones are shorter, and a hostile text may be one long token.
const LONGEST: usize = 256;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let mut found: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut places = Vec::new();
    for (place, text) in texts(evidence.model) {
        if let Some(kind) = secret(text) {
            *found.entry(kind).or_default() += 1;
            places.push(place);
        }
    }
    let reported: Vec<&str> = found.keys().copied().collect();
    (!places.is_empty()).then(|| {
        Hit::new(
            format!("{}: {}", plural(places.len(), "entry", "entries"), reported.join(", ")),
            places,
        )
    })
}

/// Returns what kind of secret a text appears to contain.
fn secret(text: &str) -> Option<&'static str> {
    if text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----") {
        return Some("private key");
    }
    for (start, least, kind) in TOKENS {
        for (at, _) in text.match_indices(start) {
            // A token does not start in the middle of a word.
            let before = text[..at].chars().next_back();
            if before.is_some_and(|c| c.is_ascii_alphanumeric()) {
                continue;
            }
            let rest = &text[at + start.len()..];
            let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            let token: String = rest.chars().take_while(|c| letter(*c)).take(LONGEST).collect();
            // Tokens mix letters and digits; hyphenated prose does not.
            let mixed = token.contains(|c: char| c.is_ascii_digit())
                && token.contains(|c: char| c.is_ascii_alphabetic());
            if token.len() >= least && mixed {
                return Some(kind);
            }
        }
    }
    has_password(text).then_some("password in a URL")
}

/// Whether a URL contains a user name and a password.
fn has_password(text: &str) -> bool {
    text.match_indices("://").any(|(at, _)| {
        let rest = &text[at + 3..];
        let host = &rest[..rest.find(['/', ' ', '\n', '"', '\'']).unwrap_or(rest.len())];
        host.split_once('@').is_some_and(|(user, _)| {
            user.split_once(':').is_some_and(|(_, password)| !password.is_empty())
        })
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::ModelBuilder;

    use super::RULE;
    use crate::testing::raised;

    fn with(text: &str) -> Vec<u8> {
        ModelBuilder::new(17).metadata("notes", text).build()
    }

    #[test]
    fn keys_are_found_and_never_shown() {
        // Put together here, so that no scanner takes this file for a leak.
        let token = format!("{}{}", "hf_", "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cD3");
        let found = raised(&RULE, with(&format!("--token {token}"))).unwrap();
        assert_eq!(found.nodes, ["metadata notes"]);
        assert!(!format!("{found:?}").contains(&token[5..]), "{found:?}");
        let key = format!("-----BEGIN {} KEY-----\nabc", "RSA PRIVATE");
        assert!(raised(&RULE, with(&key)).unwrap().detail.contains("private key"));
        assert!(raised(&RULE, with("https://me:pass@example.org/x")).is_some());
    }

    #[test]
    fn prose_digests_and_plain_addresses_are_not() {
        for text in [
            "https://example.org/hf_models",
            "task-sk-learn-model-for-everyone-and-all-of-their-friends",
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "mail@example.org",
            "hf_transformers",
        ] {
            assert_eq!(raised(&RULE, with(text)), None, "{text}");
        }
    }
}
