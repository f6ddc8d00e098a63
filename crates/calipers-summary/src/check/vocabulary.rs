//! The closed vocabulary: every word that may be in a sentence between two references.
//!
//! A sentence is made of a subject, verbs, and references to facts. A verb takes the facts of its
//! roles only, and every pair of a verb and a role makes a true statement about the model. A word
//! that is in none of these tables strikes the sentence, so adding one is a claim: with every fact
//! of its roles it must be true.

use crate::facts::Role;

/// What a sentence can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// The model.
    Model,
    /// The report, which states every fact.
    Report,
    /// Nothing: `There are`.
    There,
}

/// The first subjects of the table, which a prompt teaches.
pub(super) const TAUGHT_SUBJECTS: usize = 2;

/// Subjects.
pub(super) const SUBJECTS: &[(&str, Subject)] = &[
    ("the model", Subject::Model),
    ("it", Subject::Model),
    ("this model", Subject::Model),
    ("the network", Subject::Model),
    ("this network", Subject::Model),
    ("this", Subject::Model),
    ("the neural network", Subject::Model),
    ("this neural network", Subject::Model),
    ("calipers", Subject::Report),
    ("the report", Subject::Report),
    ("this report", Subject::Report),
    ("there", Subject::There),
];

/// A verb, and the facts that it takes.
pub(super) struct Verb {
    pub(super) words: &'static str,
    pub(super) subject: Subject,
    pub(super) roles: &'static [Role],
}

const fn verb(words: &'static str, roles: &'static [Role]) -> Verb {
    Verb { words, subject: Subject::Model, roles }
}

const fn reported(words: &'static str, subject: Subject, roles: &'static [Role]) -> Verb {
    Verb { words, subject, roles }
}

const IS: &[Role] = &[Role::Identity];
const HAS: &[Role] = &[Role::Property, Role::Input, Role::Output, Role::Finding];
const NEEDS: &[Role] = &[Role::Cost];
const NOUNS: &[Role] = &[
    Role::Identity,
    Role::Property,
    Role::Input,
    Role::Output,
    Role::Cost,
    Role::Time,
    Role::Rate,
    Role::Finding,
];
const FOUND: &[Role] = &[Role::Property, Role::Input, Role::Output, Role::Finding];

/// The first verbs of the table, which a prompt teaches: each role has one.
pub(super) const TAUGHT_VERBS: usize = 7;

/// Verbs.
pub(super) const VERBS: &[Verb] = &[
    verb("is", IS),
    verb("has", HAS),
    verb("takes", &[Role::Input, Role::Cost, Role::Time]),
    verb("returns", &[Role::Output]),
    verb("needs", NEEDS),
    verb("processes", &[Role::Rate]),
    verb("fits", &[Role::Fit]),
    verb("contains", HAS),
    verb("includes", HAS),
    verb("comes with", HAS),
    verb("accepts", &[Role::Input]),
    verb("expects", &[Role::Input]),
    verb("reads", &[Role::Input]),
    verb("produces", &[Role::Output]),
    verb("outputs", &[Role::Output]),
    verb("requires", NEEDS),
    verb("uses", &[Role::Property, Role::Cost]),
    verb("costs", &[Role::Cost]),
    verb("runs in", &[Role::Time]),
    verb("reaches", &[Role::Rate]),
    verb("achieves", &[Role::Rate]),
    verb("runs at", &[Role::Rate]),
    verb("fits on", &[Role::Fit]),
    verb("shows", &[Role::Finding]),
    verb("raises", &[Role::Finding]),
    reported("reports", Subject::Report, NOUNS),
    reported("shows", Subject::Report, NOUNS),
    reported("lists", Subject::Report, NOUNS),
    reported("states", Subject::Report, NOUNS),
    reported("finds", Subject::Report, FOUND),
    reported("found", Subject::Report, FOUND),
    reported("is", Subject::There, FOUND),
    reported("are", Subject::There, FOUND),
];

/// The preposition between what the model is and what it has, and the facts that it takes.
pub(super) const WITH: (&str, &[Role]) = ("with", HAS);

/// Words before a verb that claim nothing.
pub(super) const ADVERBS: &[&str] = &["also"];

/// Words at the start of a sentence that claim nothing.
pub(super) const OPENERS: &[&str] =
    &["overall", "in summary", "in short", "according to the report", "in addition", "also"];

/// Sentences without a reference that claim nothing.
pub(super) const PHRASES: &[&str] = &[
    "here is a summary of the model",
    "here is a summary of the report",
    "this is a summary of the model",
    "this is a summary of the report",
];

/// What a title may call the model before its figures.
pub(super) const TITLES: &[&str] = &["a model", "model", "a neural network", "neural network"];
