//! Looks every claim of a text up in the report.
//!
//! Numbers with their units, families, operators, kinds and other names: what the report does not
//! hold is a fault, and the sentence with it is removed. So a language model may write the prose,
//! and the figures are still the report's.
//!
//! ```
//! use calipers_summary::check::Checker;
//!
//! let mut report = calipers_report::Report::default();
//! report.parameters.total = Some(22_565_376);
//! let checker = Checker::new(&report);
//! assert!(checker.check("It has 22.6 million parameters.").is_clean());
//! assert!(!checker.check("It has 23.9 million parameters.").is_clean());
//! assert!(!checker.check("It has 22.6 million FLOPs.").is_clean());
//! ```
//!
//! The check is strict: a true sentence in words that it does not know may fall. A false one should
//! not be.

mod claims;
mod devices;
mod echoes;
mod numbers;
#[cfg(test)]
mod tests;
mod tokens;
mod units;

use calipers_report::Report;

use self::claims::Vocabulary;
use self::echoes::Echoes;
use self::tokens::tokens;
use super::facts::{self, Fact};

/// Checks texts against a report.
pub struct Checker<'a> {
    report: &'a Report,
    facts: Vec<Fact>,
    vocabulary: Vocabulary,
    echoes: Echoes,
    english: bool,
}

/// The result of checking a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The sentences, in order.
    pub sentences: Vec<Sentence>,
}

/// A sentence, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    /// As it is in the text.
    pub text: String,
    /// The paragraph that it is in, from 0.
    pub paragraph: usize,
    /// Claims that were looked up.
    pub claims: u64,
    /// What the report does not hold.
    pub faults: Vec<Fault>,
}

/// A claim that the report does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The claim, as it is written.
    pub claim: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl Verdict {
    /// Whether every claim is the report's.
    pub fn is_clean(&self) -> bool {
        self.sentences.iter().all(|sentence| sentence.faults.is_empty())
    }

    /// Sentences with a fault.
    pub fn faulty(&self) -> impl Iterator<Item = &Sentence> {
        self.sentences.iter().filter(|sentence| !sentence.faults.is_empty())
    }

    /// Claims of the sentences without a fault.
    pub fn claims(&self) -> u64 {
        let clean = self.sentences.iter().filter(|sentence| sentence.faults.is_empty());
        clean.map(|sentence| sentence.claims).sum()
    }

    /// The text without faulty sentences, paragraphs kept apart.
    pub fn clean_text(&self) -> String {
        let mut text = String::new();
        let mut last = None;
        for sentence in self.sentences.iter().filter(|sentence| sentence.faults.is_empty()) {
            text.push_str(match last {
                None => "",
                Some(paragraph) if paragraph == sentence.paragraph => " ",
                Some(_) => "\n\n",
            });
            text.push_str(&sentence.text);
            last = Some(sentence.paragraph);
        }
        text
    }
}

impl<'a> Checker<'a> {
    /// A checker of texts in English.
    pub fn new(report: &'a Report) -> Self {
        Self {
            report,
            facts: facts::from_report(report),
            vocabulary: Vocabulary::new(report),
            echoes: Echoes::new(report),
            english: true,
        }
    }

    /// A checker of texts in some other language: a comma may be a decimal's, and a capital letter
    /// makes no name.
    pub fn of_any_language(report: &'a Report) -> Self {
        Self { english: false, ..Self::new(report) }
    }

    /// Looks up every claim of a text.
    pub fn check(&self, text: &str) -> Verdict {
        let mut sentences = Vec::new();
        for (paragraph, words) in text.split("\n\n").enumerate() {
            for sentence in tokens::sentences(words) {
                sentences.push(self.sentence(sentence, paragraph));
            }
        }
        Verdict { sentences }
    }

    fn sentence(&self, text: &str, paragraph: usize) -> Sentence {
        let (named, mut claims) = self.vocabulary.faults(text, self.report, self.english);
        let mut faults: Vec<Fault> =
            named.into_iter().map(|(claim, why)| Fault { claim, why }).collect();
        let named = devices::named(text, self.report);
        let facts: Vec<&Fact> =
            self.facts.iter().filter(|fact| devices::may_state(fact, &named)).collect();
        for device in devices::misplaced(text, self.report) {
            let why = "is not so placed in the report: it fits, or does not";
            faults.push(Fault { claim: device, why });
        }
        let bare = self.without_names(text);
        for figure in numbers::figures(&tokens(&bare), self.english) {
            claims += 1;
            if figure.find(&facts).is_none() {
                faults.push(Fault { claim: figure.text, why: "is not a figure of the report" });
            }
        }
        if self.echoes.are_in(text) {
            faults
                .push(Fault { claim: String::new(), why: "repeats what the model's author wrote" });
        }
        if has_markup(text) {
            faults.push(Fault {
                claim: String::new(),
                why: "holds markup, an address or hidden characters",
            });
        }
        Sentence { text: text.to_owned(), paragraph, claims, faults }
    }

    /// The sentence without names of devices, whose digits are not figures: `RTX 4090`.
    fn without_names(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let architecture = &self.report.architecture;
        for name in architecture.variant.iter().chain(&architecture.backbone) {
            text = text.replace(name.as_str(), "network");
        }
        if let Some(hardware) = &self.report.hardware {
            let device = hardware.device.iter().flat_map(|device| [&device.name, &device.id]);
            let rows = hardware.devices.iter().flat_map(|row| [&row.name, &row.id]);
            let mut names: Vec<&String> = device.chain(rows).collect();
            names.sort_by_key(|name| std::cmp::Reverse(name.len()));
            for name in names.into_iter().filter(|name| name.len() > 1) {
                // People leave out what is in brackets, and the maker.
                let short = name.split(" (").next().unwrap_or(name);
                text = text.replace(name.as_str(), "device");
                for spelling in spellings(short) {
                    text = text.replace(spelling, "device");
                }
            }
        }
        text
    }
}

/// A device's name, and what is left of it without its first words; never a figure alone.
fn spellings(name: &str) -> impl Iterator<Item = &str> {
    let starts = name.match_indices(' ').map(|(at, _)| &name[at + 1..]);
    std::iter::once(name)
        .chain(starts)
        .filter(|spelling| spelling.starts_with(char::is_alphabetic) && spelling.contains(' '))
}

/// Whether a text would be more than text to whoever shows it.
fn has_markup(text: &str) -> bool {
    let lower = text.to_lowercase();
    let address = ["http:", "https:", "www.", "mailto:", "javascript:"];
    let marks = ['<', '`', '|', '{', '}', '[', ']', '\\', '*', '#'];
    let tag = text.contains("</") || text.contains("<!") || {
        // `<0.1%` is a figure; `<b` is not.
        text.match_indices('<').any(|(at, _)| text[at + 1..].starts_with(char::is_alphabetic))
    };
    address.iter().any(|start| lower.contains(start))
        || text.contains(|c: char| c.is_control())
        || text.chars().any(is_hidden)
        || tag
        || text.contains(|c: char| c != '<' && marks.contains(&c))
}

/// Characters that turn the direction of writing, or cannot be seen.
fn is_hidden(c: char) -> bool {
    matches!(u32::from(c), 0xad | 0x61c | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xe0000..=0xe0fff)
}
