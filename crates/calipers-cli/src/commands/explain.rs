//! `calipers explain ID`: what a finding means, why it matters and what to do.

use crate::args::ExplainFormat;
use crate::exit::ExitStatus;
use crate::output::{Target, write_styled};
use crate::screen;

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
        let text = |style| match self.ids {
            Some(_) => calipers_render::rules_to_terminal(&rules, &style),
            None => calipers_render::rule_list_to_terminal(&rules, &style),
        };
        match (self.format, &self.output) {
            (ExplainFormat::Text, Target::Stdout) => {
                let style = screen::style_for_stdout();
                write_styled(&text(style), style.color)?;
            }
            (ExplainFormat::Text, output) => output.write(&text(screen::style_for_file()))?,
            (ExplainFormat::Json, output) => {
                output.write(&calipers_render::rules_to_json(&rules))?;
            }
            (ExplainFormat::Markdown, output) => {
                output.write(&calipers_render::rules_to_markdown(&rules))?;
            }
        }
        Ok(ExitStatus::Done)
    }
}
