//! Who writes the summary of a report, and which names it and everything else may hold.

use std::io::Write as _;

use calipers::Audience;
use calipers_llm::{Key, Settings};
use calipers_report::Report;

use crate::problem::printable;
use crate::progress::Progress;

/// Who writes the summary.
#[derive(Debug, Default)]
pub(crate) struct Summarizing {
    pub(crate) audience: Audience,
    /// Whether an option of the summary was given, so that a screen shows it.
    pub(crate) is_asked_for: bool,
    /// The language model, where one is asked for.
    pub(crate) settings: Option<Box<Settings>>,
}

/// Has a language model write the report's summary, where one is asked for. It must be the last to
/// touch the report: what the language model writes is made of the report's facts.
pub(crate) fn fill(report: &mut Report, summarizing: &Summarizing) {
    let Some(settings) = &summarizing.settings else { return };
    let settings = Settings { key: key(settings.address.host()), ..Settings::clone(settings) };
    let progress = Progress::start(format!("asking {}", printable(settings.address.host())));
    let summary = calipers_llm::write(report, &settings);
    drop(progress);
    if summary.source == calipers_llm::BUILT_IN {
        for note in &summary.notes {
            // The summary says it too; nothing is left to do when this fails.
            let _ = writeln!(std::io::stderr().lock(), "warning: {}", printable(note));
        }
    }
    report.summary = Some(summary);
}

/// The key from the environment. That of a well-known service goes to that service alone.
fn key(host: &str) -> Option<Key> {
    let read = |name: &str| Key::new(&std::env::var(name).ok()?);
    read("CALIPERS_LLM_KEY")
        .or_else(|| (host == "api.openai.com").then(|| read("OPENAI_API_KEY")).flatten())
}
