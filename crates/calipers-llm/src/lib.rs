//! Has a language model write the summary of a report, in which Calipers writes every fact.
//!
//! Any server that speaks the chat-completions protocol will do, a hosted one or one on this
//! machine. What is sent is a list of facts with ids and nothing else: no file, no weight, and none
//! of the model's own names. The reply is JSON with sentences that refer to facts;
//! [`calipers_summary::check`] fills them in and strikes every sentence that holds more than
//! references and connecting words. A reply with struck sentences is asked for once more; where too
//! little is left, the built-in summary is used. [`write()`] always returns a summary, and its notes
//! say what happened.
//!
//! Nothing here is called unless somebody asks for it, and there is no other place in Calipers that
//! opens a connection.
#![forbid(unsafe_code)]

mod address;
#[cfg(feature = "connect")]
mod client;
#[cfg(not(feature = "connect"))]
#[path = "no_client.rs"]
mod client;
mod error;
mod key;
mod prompt;
mod proxy;

use std::time::{Duration, Instant};

pub use address::Address;
use calipers_report::{Report, Summary};
pub use calipers_summary::BUILT_IN;
use calipers_summary::check::{self, Checked};
use calipers_summary::facts;
use calipers_summary::{Audience, summarize_for};
use client::Client;
pub use error::Error;
pub use key::Key;
use prompt::Message;
pub use proxy::Proxy;

/// Which language model is asked, and for what.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it is.
    pub address: Address,
    /// What the server calls it.
    pub model: String,
    /// What opens the server, if anything does.
    pub key: Option<Key>,
    /// The proxy for https. Plain http and this machine are asked directly, whatever it is; a proxy
    /// that the environment names is never used.
    pub proxy: Option<Proxy>,
    /// Time for everything together, waiting and asking again included.
    pub time_limit: Duration,
    /// Pause before the first retry; each further one is twice as long.
    pub pause: Duration,
    /// The reader of the text.
    pub audience: Audience,
    /// The language of the text; none is English. There is a closed vocabulary for English only, so
    /// that another language gets the built-in summary.
    pub language: Option<String>,
}

impl Settings {
    /// Settings with a minute's time, for an engineer, in English.
    pub fn new(address: Address, model: impl Into<String>) -> Self {
        Self {
            address,
            model: model.into(),
            key: None,
            proxy: None,
            time_limit: Duration::from_secs(60),
            pause: Duration::from_millis(500),
            audience: Audience::Engineer,
            language: None,
        }
    }

    /// The language, where it is another than English.
    fn other_language(&self) -> Option<&str> {
        let language = self.language.as_deref()?;
        let is_english = ["en", "english"].contains(&language.to_lowercase().as_str());
        (!is_english).then_some(language)
    }
}

/// A summary of the report by the language model; where that fails, the built-in one with a note
/// that says why.
pub fn write(report: &Report, settings: &Settings) -> Summary {
    // A sentence that cannot be checked is not shown, so there is nothing to ask for.
    let result = match settings.other_language() {
        Some(language) => Err(Error::Language(language.to_owned())),
        None => asked(report, settings),
    };
    match result {
        Ok(summary) => Summary { source: shown(&settings.model), ..summary },
        Err(why) => {
            let mut summary = summarize_for(report, settings.audience);
            let model = shown(&settings.model);
            summary.notes.push(match why {
                Error::Language(_) => format!("Built-in summary: {why}"),
                why => format!(
                    "Built-in summary: the language model {model} returned no usable summary: {why}"
                ),
            });
            summary
        }
    }
}

/// The name of the language model, fit to print.
fn shown(model: &str) -> String {
    let letters = model.chars().filter(|c| !c.is_control());
    letters.take(80).collect()
}

fn asked(report: &Report, settings: &Settings) -> Result<Summary, Error> {
    let facts = facts::listed(report, settings.audience);
    let client = Client::new(settings, &facts, Instant::now() + settings.time_limit)?;
    let mut messages = prompt::messages(&facts, settings.audience);
    let reply = client.ask(&messages)?;
    let first = check::read(&reply, &facts);
    if let Ok(checked) = &first
        && checked.is_clean()
        && checked.references() > 0
    {
        return Ok(checked.summary(report, settings.audience)?);
    }
    messages.push(Message::assistant(reply));
    messages.push(match &first {
        Ok(checked) => prompt::correction(checked),
        Err(check::NotJson) => prompt::form_correction(),
    });
    // Whatever goes wrong now, what the first reply got right is still there.
    let second = client.ask(&messages).ok().map(|reply| check::read(&reply, &facts));
    let replies = [second, Some(first)].into_iter().flatten();
    let best = replies.filter_map(Result::ok).max_by_key(worth).ok_or(check::NotJson)?;
    Ok(best.summary(report, settings.audience)?)
}

/// Facts that the kept sentences state; the larger, the better.
fn worth(checked: &Checked) -> (usize, bool) {
    (checked.references(), checked.title.as_ref().is_some_and(|title| title.result.is_ok()))
}
