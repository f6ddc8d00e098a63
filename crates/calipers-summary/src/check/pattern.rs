//! The form of a reply for servers that can be held to one, and an example for all others.

use serde_json::{Value, json};

use super::vocabulary::{SUBJECTS, TAUGHT_SUBJECTS, TAUGHT_VERBS, VERBS, Verb, WITH};
use crate::facts::{Fact, Role};
use crate::wording::capitalized;

/// Sentences that are asked for.
const SENTENCES: (usize, usize) = (3, 6);

/// The JSON Schema of a reply. Its pattern holds a sentence to the grammar, so that even a small
/// language model writes sentences that can be kept. It is a part of the grammar: the check decides.
pub fn schema(facts: &[Fact]) -> Value {
    let (least, most) = SENTENCES;
    json!({
        "type": "object",
        "properties": {
            "title": { "type": "string", "pattern": title_pattern(facts) },
            "sentences": {
                "type": "array",
                "items": { "type": "string", "pattern": sentence_pattern(facts) },
                "minItems": least,
                "maxItems": most,
            },
        },
        "required": ["title", "sentences"],
        "additionalProperties": false,
    })
}

fn sentence_pattern(facts: &[Fact]) -> String {
    let mut forms = Vec::new();
    let subjects: Vec<String> = subjects().collect();
    let mut predicates = Vec::new();
    for verb in taught_verbs() {
        let Some(references) = references(facts, verb.roles) else { continue };
        let with = references_after_with(facts, verb);
        predicates.push(format!("{} {references}{with}", verb.words));
    }
    if !predicates.is_empty() {
        forms.push(format!("({}) ({})", subjects.join("|"), predicates.join("|")));
    }
    forms.extend(reference(facts, &[Role::Statement]));
    format!("^({})\\.$", forms.join("|"))
}

fn title_pattern(facts: &[Fact]) -> String {
    match (reference(facts, &[Role::Identity]), references(facts, WITH.1)) {
        (Some(identity), Some(figures)) => format!("^{identity} {} {figures}$", WITH.0),
        (Some(identity), None) => format!("^{identity}$"),
        (None, Some(figures)) => format!("^A model {} {figures}$", WITH.0),
        (None, None) => "^$".to_owned(),
    }
}

/// `( with LIST)?` behind what the model is.
fn references_after_with(facts: &[Fact], verb: &Verb) -> String {
    match references(facts, WITH.1) {
        Some(list) if verb.roles.contains(&Role::Identity) => format!("( {} {list})?", WITH.0),
        _ => String::new(),
    }
}

/// One reference, or up to four in a list.
fn references(facts: &[Fact], roles: &[Role]) -> Option<String> {
    let one = reference(facts, roles)?;
    Some(format!("{one}(, {one}){{0,2}}( and {one})?"))
}

/// A reference to any fact of these roles.
fn reference(facts: &[Fact], roles: &[Role]) -> Option<String> {
    let ids: Vec<String> = ids(facts, roles).map(|id| id.to_string()).collect();
    (!ids.is_empty()).then(|| format!("\\{{f({})\\}}", ids.join("|")))
}

fn ids(facts: &[Fact], roles: &[Role]) -> impl Iterator<Item = usize> {
    let numbered = (1..).zip(facts);
    numbered.filter(|(_, fact)| roles.contains(&fact.role)).map(|(id, _)| id)
}

fn subjects() -> impl Iterator<Item = String> + Clone {
    SUBJECTS.iter().take(TAUGHT_SUBJECTS).map(|(words, _)| capitalized(words))
}

/// The verbs that a prompt teaches, and that the form offers.
fn taught_verbs() -> impl Iterator<Item = &'static Verb> {
    VERBS.iter().take(TAUGHT_VERBS)
}

/// The verbs that a prompt teaches for facts of a role; empty for sentences of their own.
pub fn verbs(role: Role) -> Vec<&'static str> {
    taught_verbs().filter(|verb| verb.roles.contains(&role)).map(|verb| verb.words).collect()
}

/// Sentences of the example: verb, role and number of facts.
const EXAMPLE: &[(&str, Role, usize)] = &[
    ("is", Role::Identity, 1),
    ("has", Role::Property, 2),
    ("takes", Role::Cost, 1),
    ("needs", Role::Cost, 1),
    ("takes", Role::Time, 1),
    ("processes", Role::Rate, 1),
    ("fits", Role::Fit, 1),
    ("has", Role::Finding, 2),
];

/// An example of a reply about these facts: a sentence for each of the most important kinds.
pub fn example(facts: &[Fact]) -> Value {
    let mut subjects = subjects().cycle();
    let (mut sentences, mut used) = (Vec::new(), Vec::new());
    for (verb, role, most) in EXAMPLE {
        let own: Vec<usize> =
            ids(facts, &[*role]).filter(|id| !used.contains(id)).take(*most).collect();
        if let (false, Some(subject)) = (own.is_empty(), subjects.next()) {
            let list: Vec<String> = own.iter().map(|id| format!("{{f{id}}}")).collect();
            sentences.push(format!("{subject} {verb} {}.", list.join(" and ")));
        }
        used.extend(own);
    }
    let title = match ids(facts, &[Role::Identity]).next() {
        Some(id) => format!("{{f{id}}}"),
        None => {
            let first = ids(facts, WITH.1).next();
            first.map_or(String::new(), |id| format!("A model {} {{f{id}}}", WITH.0))
        }
    };
    json!({ "title": title, "sentences": sentences })
}
