//! Texts in the file that look like keys and passwords.

use std::collections::BTreeMap;

use calipers_report::Severity;

use super::texts;
use crate::{Evidence, Hit, Rule, plural};

pub(crate) const RULE: Rule = Rule {
    id: "metadata-secrets",
    severity: Severity::Warning,
    group: "security",
    title: "The metadata seems to hold a secret",
    checks: "Metadata and documentation of the model, for private keys, tokens in the form of known \
             services, and passwords in addresses. The secret itself is never shown.",
    why: "A model is passed on more freely than a password. Exporters copy settings, command lines \
          and notes of training into the file.",
    example: "A metadata entry `train_args` that holds an access token.",
    recommendation: "revoke the secret, and export the model without this entry",
    check,
};

/// What a service's tokens begin with, and the fewest letters after that.
const TOKENS: [(&str, usize, &str); 12] = [
    ("AKIA", 16, "an access key of AWS"),
    ("ASIA", 16, "an access key of AWS"),
    ("AIza", 35, "a key of Google"),
    ("ghp_", 36, "a token of GitHub"),
    ("gho_", 36, "a token of GitHub"),
    ("github_pat_", 50, "a token of GitHub"),
    ("glpat-", 20, "a token of GitLab"),
    ("hf_", 30, "a token of Hugging Face"),
    ("sk-", 32, "a key of an API"),
    ("xoxb-", 20, "a token of Slack"),
    ("xoxp-", 20, "a token of Slack"),
    ("dckr_pat_", 20, "a token of Docker"),
];

/// Letters of a token that are looked at: none is longer, and a hostile text may be all one token.
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

/// What a text seems to hold.
fn secret(text: &str) -> Option<&'static str> {
    if text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----") {
        return Some("a private key");
    }
    for (start, least, kind) in TOKENS {
        for (at, _) in text.match_indices(start) {
            // A token is by itself, not in the middle of a word.
            let before = text[..at].chars().next_back();
            if before.is_some_and(|c| c.is_ascii_alphanumeric()) {
                continue;
            }
            let rest = &text[at + start.len()..];
            let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            let token: String = rest.chars().take_while(|c| letter(*c)).take(LONGEST).collect();
            // Words with dashes between them are prose; tokens mix letters and digits.
            let mixed = token.contains(|c: char| c.is_ascii_digit())
                && token.contains(|c: char| c.is_ascii_alphabetic());
            if token.len() >= least && mixed {
                return Some(kind);
            }
        }
    }
    has_password(text).then_some("a password in an address")
}

/// Whether an address has a name and a password before its host.
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
