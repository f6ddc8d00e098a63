//! Who writes the summary, for whom, and what may leave this machine.

use std::time::Duration;

use calipers::Audience;
use calipers_llm::{Address, Proxy};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, ValueEnum};

use super::Cli;
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
    /// Have a language model write the summary; Calipers fills in every fact
    #[arg(long, requires = "llm_model", conflicts_with = "offline")]
    llm: bool,

    /// Server of the language model, any that speaks the chat-completions protocol
    #[arg(long, value_name = "URL", requires = "llm", value_parser = Address::parse)]
    #[arg(default_value = OPENAI, hide_default_value = false)]
    llm_url: Address,

    /// What the server calls the language model
    #[arg(long, value_name = "NAME", requires = "llm")]
    llm_model: Option<String>,

    /// Proxy for https to the language model, or CALIPERS_PROXY; other variables are not read
    #[arg(long, value_name = "URL", requires = "llm", value_parser = Proxy::parse)]
    proxy: Option<Proxy>,

    /// Seconds that the language model may take, retries included
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "llm")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=3600))]
    llm_timeout: u64,

    /// Whom the summary is for; without it, an engineer
    #[arg(long, value_name = "READER")]
    audience: Option<Reader>,

    /// Language of the summary; only English can be checked, so another gets the built-in summary
    #[arg(long, value_name = "NAME", requires = "llm", value_parser = parse_language)]
    language: Option<String>,

    /// Forbid every connection: for summaries, and for a model at an address
    #[arg(long)]
    offline: bool,
}

/// The one variable of the environment that names a proxy.
const PROXY: &str = "CALIPERS_PROXY";

/// Where language models are asked for unless reported.
const OPENAI: &str = "https://api.openai.com/v1";

impl SummaryArgs {
    pub(super) fn is_given(&self) -> bool {
        self.llm
            || self.llm_model.is_some()
            || self.audience.is_some()
            || self.language.is_some()
            || self.proxy.is_some()
            || self.offline
    }

    pub(super) fn resolve(self) -> Result<Summarizing, clap::Error> {
        let proxy = if self.llm { self.proxy()? } else { None };
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
                proxy,
                time_limit: Duration::from_secs(self.llm_timeout),
                ..calipers_llm::Settings::new(self.llm_url, model)
            })
        });
        Ok(Summarizing { is_asked_for: asked, audience, settings })
    }

    /// The proxy that is given; that of the environment does nothing where none may be used.
    fn proxy(&self) -> Result<Option<Proxy>, clap::Error> {
        if self.proxy.is_some() && !self.llm_url.may_use_a_proxy() {
            let message = "--proxy is for https to another machine; plain http and this machine are asked directly";
            return Err(Cli::command().error(ErrorKind::ArgumentConflict, message));
        }
        let named = std::env::var(PROXY).ok().filter(|text| !text.trim().is_empty());
        match (&self.proxy, named) {
            (Some(proxy), _) => Ok(Some(proxy.clone())),
            (None, Some(text)) => Proxy::parse(&text).map(Some).map_err(|error| {
                Cli::command().error(ErrorKind::InvalidValue, format!("{PROXY}: {error}"))
            }),
            (None, None) => Ok(None),
        }
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
