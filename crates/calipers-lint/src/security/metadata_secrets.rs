//! Metadata that looks like keys and passwords.

use std::collections::BTreeSet;

use calipers_ir::secrets::{self, SecretKind};
use calipers_ir::{AttributeValue, Hint};
use calipers_report::Severity;

use super::harmful_names::names;
use super::{shortened, texts};
use crate::{Evidence, Hit, Rule, plural};

pub(crate) const RULE: Rule = Rule {
    id: "metadata-secrets",
    severity: Severity::Warning,
    group: "security",
    title: "Possible secret in metadata",
    checks: "Metadata, documentation, names and string attributes: private keys, tokens in the \
             format of known services, passwords in URLs, and values of names such as `password` and \
             `api_key`. The finding never shows the secret; `--show-secrets` shows it elsewhere.",
    why: "Models are shared more widely than passwords. Exporters copy settings, command lines and \
          training notes into the file.",
    example: "A metadata entry `train_args` that contains an access token.",
    recommendation: "Revoke the secret, remove it from the model (`model.metadata_props`, \
                     `doc_string`, names, attributes) and save the model again.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let mut found: BTreeSet<SecretKind> = BTreeSet::new();
    let mut places: Vec<String> = Vec::new();
    let mut add = |kind: SecretKind, place: String| {
        found.insert(kind);
        places.push(place);
    };
    for text in texts(model) {
        if let Some(kind) = entry(text.key, text.hint) {
            add(kind, text.place);
        }
    }
    for (shown, hint) in names(model) {
        if let Some(kind) = hint.judge(|name| secrets::find(name).first().map(|it| it.kind)) {
            add(kind, format!("name {}", shortened(shown)));
        }
    }
    for (node, _) in model.nodes() {
        for attribute in model.attributes(node) {
            let AttributeValue::Text(text) = &attribute.value else { continue };
            let text = text.setting().held().and_then(|bytes| std::str::from_utf8(bytes).ok());
            let kind = text.and_then(|text| entry(model.hint(attribute.name), Hint::new(text)));
            if let Some(kind) = kind {
                let name = shortened(model.name(attribute.name));
                add(kind, format!("attribute {name} of {}", shortened(&model.node_label(node))));
            }
        }
    }
    let kinds: BTreeSet<&str> = found.iter().map(|kind| kind.description()).collect();
    let kinds: Vec<&str> = kinds.into_iter().collect();
    (!places.is_empty()).then(|| {
        let count = plural(places.len(), "place", "places");
        Hit::new(format!("{count}: {}", kinds.join(", ")), places)
    })
}

/// The kind of the first secret in an entry.
fn entry(key: Hint<'_>, value: Hint<'_>) -> Option<SecretKind> {
    let first =
        |key: &str, value: &str| secrets::find_in_entry(key, value).first().map(|it| it.kind);
    key.judge(|key| value.judge(|value| first(key, value)))
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
