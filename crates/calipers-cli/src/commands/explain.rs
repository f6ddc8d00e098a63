//! `calipers explain ID`: what a finding means, why it matters and what to do.

use calipers_render::{json, markdown, sections, tables, terminal};

use crate::args::ExplainFormat;
use crate::exit::ExitStatus;
use crate::output::Target;

/// What to explain.
#[derive(Debug)]
pub(crate) struct Explain {
    /// Rules to explain; `None` is all of them, in short where that is text.
    pub(crate) ids: Option<Vec<&'static str>>,
    pub(crate) format: ExplainFormat,
    pub(crate) output: Target,
}

impl Explain {
    /// Prints the documentation.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let mut rules = calipers::rules();
        if let Some(ids) = &self.ids {
            rules.retain(|rule| ids.contains(&rule.id.as_str()));
        }
        let screen = |style: &_| match self.ids {
            Some(_) => {
                let documents: Vec<_> = rules.iter().map(sections::rule).collect();
                terminal::documents(&documents, style)
            }
            None => terminal::table(&tables::rules(&rules), style),
        };
        match self.format {
            ExplainFormat::Text => self.output.write_screen(screen)?,
            ExplainFormat::Json => self.output.write(&json::to_string(&rules))?,
            ExplainFormat::Markdown => {
                self.output.write(&markdown::document(&sections::rules(&rules), &[]))?;
            }
        }
        Ok(ExitStatus::Done)
    }
}
