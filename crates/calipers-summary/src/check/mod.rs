//! Makes a summary of a language model's reply, in which Calipers writes every fact.
//!
//! A reply is a JSON object with a title and sentences. A sentence holds references to the facts of
//! the report, `{f3}`, and between them words of a closed list: no figure, name, comparison or
//! negation can be among them. Calipers fills in the references. A sentence that is not in the
//! grammar is struck, so what is kept is true of the report whatever the language model wrote. What
//! would mislead by its absence, such as errors, Calipers adds.
//!
//! ```
//! use calipers_summary::{Audience, check, facts};
//!
//! let mut report = calipers_report::Report::default();
//! report.parameters.total = Some(22_565_376);
//! let facts = facts::listed(&report, Audience::Engineer);
//! let id = 1 + facts.iter().position(|fact| fact.text == "22.6 million parameters").unwrap();
//! let reply = format!(r#"{{"title": "", "sentences": ["It has {{f{id}}}.", "It is fast."]}}"#);
//! let checked = check::read(&reply, &facts)?;
//! assert_eq!(checked.text(), "It has 22.6 million parameters.");
//! assert_eq!(checked.struck().count(), 1);
//! # Ok::<(), check::NotJson>(())
//! ```

mod grammar;
mod pattern;
#[cfg(test)]
mod tests;
mod tokens;
mod vocabulary;

use calipers_report::{Report, Summary, SummaryCheck};
pub use pattern::{example, schema, verbs};
use serde_json::Value;
use thiserror::Error;

use self::tokens::{Token, tokens};
use crate::facts::{self, Fact, Role};
use crate::wording::capitalized;
use crate::{Audience, summarize_for};

/// Sentences of a reply that are read.
const MAX_SENTENCES: usize = 16;
/// Bytes of a sentence.
const MAX_LENGTH: usize = 400;
/// The least that makes a summary.
const MIN_KEPT: usize = 2;

/// The reply is not the JSON object of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a JSON object with \"sentences\"")]
pub struct NotJson;

/// Why a reply makes no summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoSummary {
    /// It is not in the form that was asked for.
    #[error(transparent)]
    NotJson(#[from] NotJson),
    /// Too little of it can be kept.
    #[error("fewer than two of its sentences refer to facts of the report and to nothing else")]
    TooFew,
}

/// Why a sentence is struck.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// A character that no sentence of the protocol holds.
    #[error("the character {0:?} is not allowed")]
    Character(char),
    /// A word outside the closed list.
    #[error("the word {0:?} is not allowed")]
    UnknownWord(String),
    /// A reference to no fact.
    #[error("a reference must be the id of a listed fact in braces")]
    UnknownFact,
    /// No reference at all.
    #[error("it has no reference to a fact")]
    NoReference,
    /// A fact alone that is not a sentence.
    #[error("it has no subject and verb")]
    NoVerb,
    /// A fact that the verb does not take.
    #[error("{{f{id}}} cannot follow {word:?}")]
    WrongVerb {
        /// The number of the fact.
        id: usize,
        /// The verb or preposition before it.
        word: &'static str,
    },
    /// A word or mark where the grammar has another.
    #[error("{0:?} is not expected there")]
    Order(String),
    /// The sentence breaks off.
    #[error("it is not finished")]
    Unfinished,
    /// Nothing new.
    #[error("it repeats facts")]
    Repeated,
    /// Longer than a sentence.
    #[error("it is too long")]
    TooLong,
}

/// A sentence of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// As the language model wrote it.
    pub written: String,
    /// The sentence with its facts filled in, and the indices of these facts; or why it is struck.
    pub result: Result<(String, Vec<usize>), Fault>,
}

/// A reply, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The title; none where the reply has none.
    pub title: Option<Sentence>,
    /// The sentences, in order.
    pub sentences: Vec<Sentence>,
    /// Sentences of Calipers about facts that no summary leaves out, where the reply does.
    pub omitted: Vec<String>,
}

impl Checked {
    /// Sentences that are kept, with their facts filled in.
    pub fn kept(&self) -> impl Iterator<Item = &str> {
        let results = self.sentences.iter().map(|sentence| &sentence.result);
        results.filter_map(|result| result.as_ref().ok().map(|(text, _)| text.as_str()))
    }

    /// Sentences that are struck, each with the reason.
    pub fn struck(&self) -> impl Iterator<Item = (&str, &Fault)> {
        let all = self.sentences.iter();
        all.filter_map(|it| Some((it.written.as_str(), it.result.as_ref().err()?)))
    }

    /// The text: the kept sentences, and those that the reply left out.
    pub fn text(&self) -> String {
        let omitted = self.omitted.iter().map(String::as_str);
        self.kept().chain(omitted).collect::<Vec<_>>().join(" ")
    }

    /// Whether every sentence is kept, but for repetitions.
    pub fn is_clean(&self) -> bool {
        let title_is_clean = self.title.as_ref().is_none_or(|title| title.result.is_ok());
        title_is_clean && self.struck().all(|(_, fault)| *fault == Fault::Repeated)
    }

    /// References to facts in the kept sentences.
    pub fn references(&self) -> usize {
        let results = self.sentences.iter().map(|sentence| &sentence.result);
        results.filter_map(|result| result.as_ref().ok()).map(|(_, facts)| facts.len()).sum()
    }

    /// The summary with the kept sentences; fails where they are fewer than two.
    pub fn summary(&self, report: &Report, audience: Audience) -> Result<Summary, NoSummary> {
        // A connecting phrase states nothing.
        let states = |it: &&Sentence| it.result.as_ref().is_ok_and(|(_, facts)| !facts.is_empty());
        if self.sentences.iter().filter(states).count() < MIN_KEPT {
            return Err(NoSummary::TooFew);
        }
        let title = self.title.as_ref().and_then(|title| title.result.as_ref().ok());
        let mut notes = Vec::new();
        let title = match title {
            Some((title, _)) => title.clone(),
            None => {
                notes.push("The title is the built-in one.".to_owned());
                summarize_for(report, audience).title
            }
        };
        let claims = (self.references() + self.omitted.len()) as u64;
        let struck = self.struck().count() as u64;
        let check = Some(SummaryCheck { claims, struck });
        Ok(Summary { title, text: self.text(), source: String::new(), check, notes })
    }
}

/// The summary that a reply makes, with an empty source, for a reader of this kind. Any text is
/// safe to pass.
pub fn summary(report: &Report, audience: Audience, reply: &str) -> Result<Summary, NoSummary> {
    read(reply, &facts::listed(report, audience))?.summary(report, audience)
}

/// Checks a reply against the facts that its prompt listed.
pub fn read(reply: &str, facts: &[Fact]) -> Result<Checked, NotJson> {
    let (title, written) = object(reply).ok_or(NotJson)?;
    let title = (!title.trim().is_empty()).then(|| {
        let result =
            filled(&title, facts, grammar::title).map(|(text, facts)| (capitalized(&text), facts));
        Sentence { written: title, result }
    });
    let mut sentences: Vec<Sentence> = Vec::new();
    let mut stated: Vec<usize> = Vec::new();
    for written in written.iter().flat_map(|text| text.split('.')).map(str::trim) {
        if written.is_empty() {
            continue;
        }
        if sentences.len() == MAX_SENTENCES {
            break;
        }
        let mut result = filled(written, facts, grammar::sentence);
        if let Ok((text, own)) = &mut result {
            *text = format!("{}.", capitalized(text));
            let is_new = own.iter().any(|fact| !stated.contains(fact));
            stated.extend_from_slice(own);
            if !is_new && sentences.iter().any(|other| other.result.is_ok()) {
                result = Err(Fault::Repeated);
            }
        }
        sentences.push(Sentence { written: written.to_owned(), result });
    }
    let is_missing = |(index, fact): &(usize, &Fact)| fact.is_required && !stated.contains(index);
    let omitted = facts.iter().enumerate().filter(is_missing);
    let omitted = omitted.map(|(_, fact)| match fact.role {
        Role::Statement => format!("{}.", fact.text),
        _ => format!("It has {}.", fact.text),
    });
    Ok(Checked { title, sentences, omitted: omitted.collect() })
}

/// A function of the grammar: the facts that the tokens refer to.
type Rule = fn(&[Token<'_>], &[Fact]) -> Result<Vec<usize>, Fault>;

/// A sentence with its facts, if it is in the grammar. The text is made of the tokens, so that
/// nothing else of what was written is in it.
fn filled(written: &str, facts: &[Fact], rule: Rule) -> Result<(String, Vec<usize>), Fault> {
    if written.len() > MAX_LENGTH {
        return Err(Fault::TooLong);
    }
    let tokens = tokens(written)?;
    let found = rule(&tokens, facts)?;
    let mut text = String::new();
    for token in &tokens {
        if !text.is_empty() && !matches!(token, Token::Mark(_)) {
            text.push(' ');
        }
        match token {
            Token::Mark(mark) => text.push(*mark),
            Token::Reference(index) => text.push_str(&facts[*index].text),
            // The one name in the vocabulary.
            Token::Word(_) if token.is_word("calipers") => text.push_str("Calipers"),
            Token::Word(word) => text.push_str(&word.to_ascii_lowercase()),
        }
    }
    Ok((text, found))
}

/// The title and the sentences of a reply, with or without a fence or thoughts around the object.
fn object(reply: &str) -> Option<(String, Vec<String>)> {
    let answer = reply.rsplit_once("</think>").map_or(reply, |(_, answer)| answer);
    let inside = answer.get(answer.find('{')?..=answer.rfind('}')?)?;
    let value: Value = serde_json::from_str(inside).ok()?;
    let title = value["title"].as_str().unwrap_or_default().to_owned();
    let sentences = match &value["sentences"] {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => return None,
    };
    Some((title, sentences))
}
