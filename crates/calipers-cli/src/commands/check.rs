//! `calipers check MODEL`: the findings of a model.

use std::io::Write;
use std::path::{Component, Path, PathBuf};

use calipers::{Bindings, Model, Options, Selection, any_as_severe, finding_table, rules};
use calipers_render::output::{Answer, Format};
use calipers_render::sections;
use calipers_report::{Finding, Report, Severity};

use super::{Privacy, model};
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::{printable, warn};

/// The selected findings and the severity that fails the run.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    pub(crate) selection: Selection,
    pub(crate) fail_on: Option<Severity>,
}

impl Gate {
    /// Returns the exit status, and prints the failing findings on standard error.
    pub(crate) fn judge(&self, findings: &[Finding]) -> ExitStatus {
        let Some(threshold) = self.fail_on.filter(|least| any_as_severe(findings, *least)) else {
            return ExitStatus::Done;
        };
        let ids: Vec<&str> = findings
            .iter()
            .filter(|finding| finding.severity <= threshold)
            .map(|finding| finding.id.as_str())
            .collect();
        let message = format!("check failed: {}\n", printable(&ids.join(", ")));
        // The exit status still reports the failure if standard error is closed.
        let _ = std::io::stderr().lock().write_all(message.as_bytes());
        ExitStatus::GateFailed
    }
}

/// The model to check and the output.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) model: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) output: Target,
    /// Whether to read every weight.
    pub(crate) weights: bool,
    /// Bytes of weights to read at most.
    pub(crate) max_bytes: Option<u64>,
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
            .redact_names(self.privacy.redact_names)
            .show_secrets(self.privacy.show_secrets);
        let options = model::with_limit(options, self.max_bytes);
        let report = model::with_progress(&self.model, options, self.weights, Model::analyze)?;
        let table = finding_table(&report);
        let place = match self.privacy.redact_names {
            true => table.file.clone(),
            false => self.privacy.mask(&place(&self.model, &table.file)).into_owned(),
        };
        let rules = rules();
        let answer = Answer::new(&table)
            .documents(|| vec![sections::findings(&table)])
            .findings(&table, &rules, &place);
        self.output.write_answer(&answer, self.format)?;
        warn_unread(&report);
        Ok(self.gate.judge(&table.findings))
    }
}

/// Prints which weights were not read: no finding on them does not mean that they are fine.
fn warn_unread(report: &Report) {
    let unread = report.unknown.iter().filter(|unknown| unknown.what == "weights.unread");
    warn(&unread.map(|unknown| unknown.reason.clone()).collect::<Vec<_>>());
}

/// Returns the location of the model for code scanning: the relative path as given, or the file name
/// alone if the path would reveal details of this machine.
pub(super) fn place(path: &Path, file: &str) -> String {
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
    fn a_location_never_reveals_the_machine() {
        assert_eq!(place(Path::new("./models/m.onnx"), "m.onnx"), "models/m.onnx");
        assert_eq!(place(Path::new("/elsewhere/m.onnx"), "m.onnx"), "m.onnx");
        assert_eq!(place(Path::new("../m.onnx"), "m.onnx"), "m.onnx");
    }
}
