//! `calipers explain ID`: what a finding means, why it matters and what to do.

use calipers_render::json;

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
            Some(_) => calipers_render::terminal::rules(&rules, style),
            None => calipers_render::terminal::rule_list(&rules, style),
        };
        match self.format {
            ExplainFormat::Text => self.output.write_screen(screen)?,
            ExplainFormat::Json => self.output.write(&json::to_string(&rules))?,
            ExplainFormat::Markdown => {
                self.output.write(&calipers_render::markdown::rules(&rules))?;
            }
        }
        Ok(ExitStatus::Done)
    }
}
