//! `calipers check MODEL`: what is risky about a model, and nothing else.

use std::io::Write;
use std::path::{Component, Path, PathBuf};

use calipers::{Bindings, Model, Options, Selection, any_as_severe, finding_table, rules};
use calipers_render::output::{Answer, Format};
use calipers_render::sections;
use calipers_report::{Finding, Severity};

use super::{Privacy, model};
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::printable;

/// Which findings count, and which of them fail the run.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    pub(crate) selection: Selection,
    pub(crate) fail_on: Option<Severity>,
}

impl Gate {
    /// The status to end with; says on standard error what failed.
    pub(crate) fn judge(&self, findings: &[Finding]) -> ExitStatus {
        let Some(threshold) = self.fail_on.filter(|least| any_as_severe(findings, *least)) else {
            return ExitStatus::Done;
        };
        let ids: Vec<&str> = findings
            .iter()
            .filter(|finding| finding.severity <= threshold)
            .map(|finding| finding.id.as_str())
            .collect();
        let message = format!("findings that fail the check: {}\n", printable(&ids.join(", ")));
        // Nothing is left to do when this fails; the status still shows it.
        let _ = std::io::stderr().lock().write_all(message.as_bytes());
        ExitStatus::GateFailed
    }
}

/// What to check and where the findings go.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) model: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) output: Target,
    /// Whether to read every weight.
    pub(crate) weights: bool,
    pub(crate) gate: Gate,
    pub(crate) bindings: Bindings,
    pub(crate) privacy: Privacy,
}

impl Check {
    /// Reads the model and writes its findings.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let options = Options::new()
            .bindings(self.bindings.clone())
            .findings(self.gate.selection.clone())
            .redact_names(self.privacy.redact_names);
        let report = model::with_progress(&self.model, options, self.weights, Model::analyze)?;
        let table = finding_table(&report);
        let place = match self.privacy.redact_names {
            true => table.file.clone(),
            false => place(&self.model, &table.file),
        };
        let rules = rules();
        let answer = Answer::new(&table)
            .documents(|| vec![sections::findings(&table)])
            .findings(&table, &rules, &place);
        self.output.write_answer(&answer, self.format)?;
        Ok(self.gate.judge(&table.findings))
    }
}

/// Where a code scan finds the model: the path as given where it leads down from here, else the
/// file's name alone, which says nothing of this machine.
fn place(path: &Path, file: &str) -> String {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            _ => return file.to_owned(),
        }
    }
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_never_names_the_machine() {
        assert_eq!(place(Path::new("./models/m.onnx"), "m.onnx"), "models/m.onnx");
        assert_eq!(place(Path::new("/elsewhere/m.onnx"), "m.onnx"), "m.onnx");
        assert_eq!(place(Path::new("../m.onnx"), "m.onnx"), "m.onnx");
    }
}
