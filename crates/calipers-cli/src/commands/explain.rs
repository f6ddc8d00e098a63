//! `calipers explain ID`: the documentation of a finding.

use calipers_render::output::{Answer, Format};
use calipers_render::{sections, tables};

use crate::exit::ExitStatus;
use crate::output::Target;

/// The findings to explain and the output.
#[derive(Debug)]
pub(crate) struct Explain {
    /// Rules to explain; `None` lists all of them.
    pub(crate) ids: Option<Vec<&'static str>>,
    pub(crate) format: &'static Format,
    pub(crate) output: Target,
}

impl Explain {
    /// Prints the documentation.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let mut rules = calipers::rules();
        if let Some(ids) = &self.ids {
            rules.retain(|rule| ids.contains(&rule.id.as_str()));
        }
        let mut answer =
            Answer::table(&rules, tables::rules(&rules)).page(|| sections::rules(&rules));
        if self.ids.is_some() {
            answer = answer.documents(|| rules.iter().map(sections::rule).collect());
        }
        self.output.write_answer(&answer, self.format)?;
        Ok(ExitStatus::Done)
    }
}
