//! Who writes the summary, for whom, and what may leave this machine.

use std::time::Duration;

use calipers::Audience;
use calipers_llm::Address;
use clap::{Args, ValueEnum};

use crate::commands::{Privacy, Summarizing};

/// What is reported of names and secrets.
#[derive(Args, Debug)]
pub(super) struct PrivacyArgs {
    /// Replace names of layers, tensors, dimensions and files by words such as node-17
    #[arg(long)]
    redact_names: bool,

    /// Print secrets found in the model, such as tokens and passwords, instead of masking them
    #[arg(long)]
    show_secrets: bool,
}

impl PrivacyArgs {
    pub(super) fn is_given(&self) -> bool {
        self.redact_names || self.show_secrets
    }

    pub(super) fn resolve(&self) -> Privacy {
        Privacy { redact_names: self.redact_names, show_secrets: self.show_secrets }
    }
}

/// Whom the summary is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Reader {
    /// Who will run the model.
    Engineer,
    /// Who decides whether it is run.
    Manager,
}

/// Who writes the summary.
#[derive(Args, Debug)]
pub(super) struct SummaryArgs {
    /// Have a language model write the summary; every claim of it is looked up in the report
    #[arg(long, requires = "llm_model", conflicts_with = "offline")]
    llm: bool,

    /// Server of the language model, any that speaks the chat-completions protocol
    #[arg(long, value_name = "URL", requires = "llm", value_parser = Address::parse)]
    #[arg(default_value = OPENAI, hide_default_value = false)]
    llm_url: Address,

    /// What the server calls the language model
    #[arg(long, value_name = "NAME", requires = "llm")]
    llm_model: Option<String>,

    /// Seconds that the language model may take, retries included
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "llm")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=3600))]
    llm_timeout: u64,

    /// Whom the summary is for; without it, an engineer
    #[arg(long, value_name = "READER")]
    audience: Option<Reader>,

    /// Language of the summary, as German; the built-in one is in English
    #[arg(long, value_name = "NAME", requires = "llm", value_parser = parse_language)]
    language: Option<String>,

    /// Forbid every connection; without --llm there is none anyway
    #[arg(long)]
    offline: bool,
}

/// Where language models are asked for unless reported.
const OPENAI: &str = "https://api.openai.com/v1";

impl SummaryArgs {
    pub(super) fn is_given(&self) -> bool {
        self.llm
            || self.llm_model.is_some()
            || self.audience.is_some()
            || self.language.is_some()
            || self.offline
    }

    pub(super) fn resolve(self) -> Summarizing {
        let asked = self.audience.is_some();
        let audience = match self.audience {
            Some(Reader::Manager) => Audience::Manager,
            Some(Reader::Engineer) | None => Audience::Engineer,
        };
        let model = self.llm_model.filter(|_| self.llm && !self.offline);
        let settings = model.map(|model| {
            Box::new(calipers_llm::Settings {
                audience,
                language: self.language,
                time_limit: Duration::from_secs(self.llm_timeout),
                ..calipers_llm::Settings::new(self.llm_url, model)
            })
        });
        Summarizing { is_asked_for: asked, audience, settings }
    }
}

/// A language is a word or two: it is in what is asked of the language model.
fn parse_language(text: &str) -> Result<String, String> {
    let letters = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '(' | ')');
    match text.trim() {
        "" => Err("it names no language".to_owned()),
        text if text.chars().count() <= 40 && text.chars().all(letters) => Ok(text.to_owned()),
        _ => Err(format!("{text:?}: expected the name of a language, e.g. German")),
    }
}
