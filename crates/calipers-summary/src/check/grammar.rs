//! The grammar of sentences: subject, verb, references.
//!
//! ```text
//! sentence  = statement | [opener [","]] ["with" refs ","] clause { link clause }
//! clause    = [subject] [adverb] verb refs [adverb] ["with" refs]     (the first has a subject)
//! refs      = ref { "," | "and" | ", and"  ref }
//! link      = "," | "and" | ", and" | ";"
//! title     = ref [("with" | ":" | ",") refs] | name "with" refs
//! ```
//!
//! `with` follows only what the model is. A reference must have a role that its verb takes.

use super::Fault;
use super::tokens::Token;
use super::vocabulary::{ADVERBS, OPENERS, PHRASES, SUBJECTS, Subject, TITLES, VERBS, WITH};
use crate::facts::{Fact, Role};

/// Returns the indices of the facts that a sentence refers to, or why it is not in the grammar.
pub(super) fn sentence(tokens: &[Token<'_>], facts: &[Fact]) -> Result<Vec<usize>, Fault> {
    let mut parser = Parser::new(tokens, facts);
    if PHRASES.iter().any(|phrase| parser.is_all(phrase)) {
        return Ok(Vec::new());
    }
    if let [Token::Reference(index)] = tokens {
        return match parser.role(*index)? {
            Role::Statement => Ok(vec![*index]),
            _ => Err(Fault::NoVerb),
        };
    }
    if !tokens.iter().any(|token| matches!(token, Token::Reference(_))) {
        return Err(parser.unknown_word().unwrap_or(Fault::NoReference));
    }
    parser.sentence()?;
    parser.ended()
}

/// The same for a title.
pub(super) fn title(tokens: &[Token<'_>], facts: &[Fact]) -> Result<Vec<usize>, Fault> {
    let mut parser = Parser::new(tokens, facts);
    if parser.next_is_reference() {
        parser.references("", &[Role::Identity])?;
        if !parser.is_at_end() {
            let joins = parser.accept(WITH.0) || parser.mark(':') || parser.mark(',');
            if !joins {
                return Err(parser.unexpected());
            }
            parser.references(WITH.0, TITLE_ROLES)?;
        }
    } else {
        let is_named = TITLES.iter().any(|name| parser.accept(name));
        if !(is_named && parser.accept(WITH.0)) {
            return Err(parser.unexpected());
        }
        parser.references(WITH.0, WITH.1)?;
    }
    parser.ended()
}

/// Figures behind the name in a title.
const TITLE_ROLES: &[Role] =
    &[Role::Property, Role::Input, Role::Output, Role::Cost, Role::Time, Role::Finding];

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    facts: &'a [Fact],
    at: usize,
    found: Vec<usize>,
}

impl<'a> Parser<'a> {
    fn new(tokens: &'a [Token<'a>], facts: &'a [Fact]) -> Self {
        Self { tokens, facts, at: 0, found: Vec::new() }
    }

    fn sentence(&mut self) -> Result<(), Fault> {
        if OPENERS.iter().any(|opener| self.accept(opener)) {
            self.mark(',');
        }
        let has_lead = self.accept(WITH.0);
        if has_lead {
            self.references(WITH.0, WITH.1)?;
            if !self.mark(',') {
                return Err(self.unexpected());
            }
        }
        let start = self.at;
        let mut subject = self.subject().ok_or_else(|| self.unexpected())?;
        // What comes before the subject is about the subject.
        if has_lead && subject != Subject::Model {
            self.at = start;
            return Err(self.unexpected());
        }
        self.clause(subject)?;
        while !self.is_at_end() {
            if !self.link() {
                return Err(self.unexpected());
            }
            subject = self.subject().unwrap_or(subject);
            self.clause(subject)?;
        }
        Ok(())
    }

    fn clause(&mut self, subject: Subject) -> Result<(), Fault> {
        self.adverb();
        let mut verbs: Vec<_> = VERBS.iter().filter(|verb| verb.subject == subject).collect();
        // `fits on` before `fits`.
        verbs.sort_by_key(|verb| std::cmp::Reverse(verb.words.len()));
        let verb = verbs.into_iter().find(|verb| self.accept(verb.words));
        let verb = verb.ok_or_else(|| self.unexpected())?;
        self.adverb();
        let first = self.at;
        self.references(verb.words, verb.roles)?;
        let is_identity = self.tokens[first..self.at].iter().any(|token| match token {
            Token::Reference(index) => self.role(*index) == Ok(Role::Identity),
            _ => false,
        });
        if is_identity && self.accept(WITH.0) {
            self.references(WITH.0, WITH.1)?;
        }
        Ok(())
    }

    /// One reference or a list of them, all with a role that the word before them takes.
    fn references(&mut self, word: &'static str, roles: &[Role]) -> Result<(), Fault> {
        loop {
            let Some(Token::Reference(index)) = self.tokens.get(self.at) else {
                return Err(self.unexpected());
            };
            if !roles.contains(&self.role(*index)?) {
                return Err(Fault::WrongVerb { id: index + 1, word });
            }
            if self.found.contains(index) {
                return Err(Fault::Repeated);
            }
            self.found.push(*index);
            self.at += 1;
            let before = self.at;
            if !(self.separator() && self.next_is_reference()) {
                self.at = before;
                return Ok(());
            }
        }
    }

    fn subject(&mut self) -> Option<Subject> {
        let mut subjects: Vec<_> = SUBJECTS.iter().collect();
        subjects.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        subjects.into_iter().find(|(words, _)| self.accept(words)).map(|(_, subject)| *subject)
    }

    fn adverb(&mut self) {
        let _ = ADVERBS.iter().any(|adverb| self.accept(adverb));
    }

    fn separator(&mut self) -> bool {
        let comma = self.mark(',');
        self.accept("and") || comma
    }

    fn link(&mut self) -> bool {
        self.mark(';') || self.separator()
    }

    /// Steps over these words, if they are next.
    fn accept(&mut self, words: &str) -> bool {
        let length = words.split(' ').count();
        let next = self.tokens.get(self.at..self.at + length).unwrap_or_default();
        let is_next = next.len() == length
            && words.split(' ').zip(next).all(|(word, token)| token.is_word(word));
        self.at += if is_next { length } else { 0 };
        is_next
    }

    fn mark(&mut self, mark: char) -> bool {
        let is_next = self.tokens.get(self.at) == Some(&Token::Mark(mark));
        self.at += usize::from(is_next);
        is_next
    }

    fn next_is_reference(&self) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Reference(_)))
    }

    fn is_at_end(&self) -> bool {
        self.at == self.tokens.len()
    }

    /// Whether the sentence is these words and no others.
    fn is_all(&self, words: &str) -> bool {
        words.split(' ').count() == self.tokens.len()
            && words.split(' ').zip(self.tokens).all(|(word, token)| token.is_word(word))
    }

    fn role(&self, index: usize) -> Result<Role, Fault> {
        let fact = self.facts.get(index).ok_or(Fault::UnknownFact)?;
        Ok(fact.role)
    }

    fn ended(self) -> Result<Vec<usize>, Fault> {
        if self.is_at_end() { Ok(self.found) } else { Err(self.unexpected()) }
    }

    /// Why the grammar does not go on here; a word that is in no table is the better reason.
    fn unexpected(&self) -> Fault {
        if let Some(fault) = self.unknown_word() {
            return fault;
        }
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) => Fault::Order((*word).to_owned()),
            Some(Token::Mark(mark)) => Fault::Order(mark.to_string()),
            Some(Token::Reference(index)) => Fault::Order(format!("{{f{}}}", index + 1)),
            None => Fault::Unfinished,
        }
    }

    fn unknown_word(&self) -> Option<Fault> {
        self.tokens.iter().find_map(|token| match token {
            Token::Word(word) if !is_known(word) => Some(Fault::UnknownWord((*word).to_owned())),
            _ => None,
        })
    }
}

/// Whether a word is in the vocabulary.
pub(super) fn is_known(word: &str) -> bool {
    let phrases = SUBJECTS.iter().map(|(words, _)| *words);
    let verbs = VERBS.iter().map(|verb| verb.words);
    let others = [OPENERS, ADVERBS, PHRASES, TITLES, &[WITH.0, "and"]];
    let mut all = phrases.chain(verbs).chain(others.into_iter().flatten().copied());
    all.any(|words| words.split(' ').any(|known| known.eq_ignore_ascii_case(word)))
}
