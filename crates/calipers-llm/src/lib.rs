//! Has a language model write the summary of a report, and holds it to the report.
//!
//! Any server that speaks the chat-completions protocol will do, a hosted one or one on this
//! machine. What is sent is the report's facts and nothing else: no file, no weight, and of the
//! model's own names only those of inputs, outputs and dimensions that look like nothing but names.
//! What comes back is text that is not believed: [`calipers_summary::check`] looks up every
//! claim in it. A text with a false one is asked for once more; then sentences are struck, or the
//! built-in summary is used. [`write()`] always gives a summary, and its notes say what happened.
//!
//! Nothing here is called unless somebody asks for it, and there is no other place in Calipers that
//! opens a connection.
#![forbid(unsafe_code)]

mod address;
mod answer;
mod client;
mod error;
mod key;
mod prompt;

use std::time::{Duration, Instant};

pub use address::Address;
use answer::Draft;
use calipers_report::{Report, Summary, SummaryCheck};
pub use calipers_summary::BUILT_IN;
use calipers_summary::check::{Checker, Verdict};
use calipers_summary::{Audience, summarize_for};
use client::Client;
pub use error::Error;
pub use key::Key;
use prompt::Message;

/// Which language model is asked, and for what.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it is.
    pub address: Address,
    /// What the server calls it.
    pub model: String,
    /// What opens the server, if anything does.
    pub key: Option<Key>,
    /// Time for everything together, waiting and asking again included.
    pub time_limit: Duration,
    /// Pause before the first retry; each further one is twice as long.
    pub pause: Duration,
    /// The reader of the text.
    pub audience: Audience,
    /// The language of the text; none is English.
    pub language: Option<String>,
}

impl Settings {
    /// Settings with a minute's time, for an engineer, in English.
    pub fn new(address: Address, model: impl Into<String>) -> Self {
        Self {
            address,
            model: model.into(),
            key: None,
            time_limit: Duration::from_secs(60),
            pause: Duration::from_millis(500),
            audience: Audience::Engineer,
            language: None,
        }
    }

    fn is_english(&self) -> bool {
        let language = self.language.as_deref().unwrap_or("en");
        ["en", "english"].contains(&language.to_lowercase().as_str())
    }
}

/// The least that makes a summary.
const SENTENCES: usize = 2;

/// Why a text that came back is not used.
const NOT_HELD: &str = "too many of its statements do not match the report";

/// A summary of the report by the language model; where that fails, the built-in one with a note
/// that says why.
pub fn write(report: &Report, settings: &Settings) -> Summary {
    match asked(report, settings) {
        Ok(summary) => summary,
        Err(why) => {
            let mut summary = summarize_for(report, settings.audience);
            let note = format!("Built-in summary: {}: {why}", who(settings));
            summary.notes.push(note);
            if !settings.is_english() {
                summary.notes.push("The built-in summary is in English.".to_owned());
            }
            summary
        }
    }
}

fn who(settings: &Settings) -> String {
    format!("the language model {} returned no usable summary", shown(&settings.model))
}

/// The name of the language model, fit to print.
fn shown(model: &str) -> String {
    let letters = model.chars().filter(|c| !c.is_control());
    letters.take(80).collect()
}

fn asked(report: &Report, settings: &Settings) -> Result<Summary, Error> {
    let client = Client::new(settings, Instant::now() + settings.time_limit)?;
    let checker = match settings.is_english() {
        true => Checker::new(report),
        false => Checker::of_any_language(report),
    };
    let mut messages = prompt::messages(report, settings);
    let first = checked(&checker, client.ask(&messages)?)?;
    if first.is_clean() {
        return first.summary(report, settings).ok_or(Error::NotHeld(NOT_HELD));
    }
    messages.push(Message::assistant(first.answer.clone()));
    messages.push(prompt::correction(&first.verdict));
    // Whatever goes wrong now, what the first answer got right is still there.
    let second = client.ask(&messages).and_then(|answer| checked(&checker, answer)).ok();
    let best = [second, Some(first)].into_iter().flatten().max_by_key(Checked::worth);
    best.and_then(|best| best.summary(report, settings)).ok_or(Error::NotHeld(NOT_HELD))
}

/// An answer, and what looking it up showed.
struct Checked {
    answer: String,
    draft: Draft,
    title: Verdict,
    verdict: Verdict,
}

fn checked(checker: &Checker<'_>, answer: String) -> Result<Checked, Error> {
    let draft = Draft::read(&answer)?;
    let (title, verdict) = (checker.check(&draft.title), checker.check(&draft.text));
    Ok(Checked { answer, draft, title, verdict })
}

impl Checked {
    fn is_clean(&self) -> bool {
        self.title.is_clean() && self.verdict.is_clean()
    }

    /// Sentences without a fault, minus those with one; the larger, the better.
    fn worth(&self) -> i64 {
        let struck = self.verdict.faulty().count() as i64;
        self.verdict.sentences.len() as i64 - 2 * struck + i64::from(self.title.is_clean())
    }

    /// What is left when everything false is struck; nothing where that is too little.
    fn summary(&self, report: &Report, settings: &Settings) -> Option<Summary> {
        let struck = self.verdict.faulty().count();
        let kept = self.verdict.sentences.len() - struck;
        if kept < SENTENCES || struck > kept {
            return None;
        }
        let mut notes = Vec::new();
        let title = if self.title.is_clean() && !self.draft.title.is_empty() {
            self.draft.title.clone()
        } else {
            notes.push(
                "its title did not match the report, so the built-in title is used".to_owned(),
            );
            summarize_for(report, settings.audience).title
        };
        let claims = self.verdict.claims() + self.title.claims();
        let check = Some(SummaryCheck { claims, struck: struck as u64 });
        let source = shown(&settings.model);
        Some(Summary { title, text: self.verdict.clean_text(), source, check, notes })
    }
}
