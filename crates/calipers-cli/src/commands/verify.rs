//! `calipers verify MODEL`: inferred types and shapes against an execution.

use std::path::{Path, PathBuf};

use calipers::{Bindings, Options};
use calipers_render::output::{Answer, Format};
use calipers_render::{page, sections, tables};
use calipers_report::Verification;
use calipers_runtime::Engine;
use calipers_runtime::verify::{Subject, VerificationQuery, verify};

use super::{Privacy, model};
use crate::args::Execution;
use crate::exit::ExitStatus;
use crate::files::Scratch;
use crate::output::Target;
use crate::problem::Problem;

/// What to execute, how, and where the result goes.
#[derive(Debug)]
pub(crate) struct Verify {
    pub(crate) model: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) output: Target,
    pub(crate) execution: Execution,
    pub(crate) bindings: Bindings,
    pub(crate) privacy: Privacy,
}

impl Verify {
    /// Executes the model and writes what was compared.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let verified = {
            let _progress = model::progress(&self.model);
            let model = model::open(&self.model)?;
            let options = Options::new()
                .redact_names(self.privacy.redact_names)
                .show_secrets(self.privacy.show_secrets);
            verified(&model, &self.model, &options, &self.bindings, &self.execution)?
        };
        let answer = Answer::new(&verified)
            .tables(vec![tables::verification(&verified)])
            .documents(|| vec![sections::verification(&verified)])
            .html(|| page::verification(&verified));
        self.output.write_answer(&answer, self.format)?;
        match verified.is_equal() {
            true => Ok(ExitStatus::Done),
            false => Err(Problem::gate(&"the execution differs from what was inferred").into()),
        }
    }
}

/// Executes a model and compares.
pub(crate) fn verified(
    model: &calipers::Model,
    path: &Path,
    options: &Options,
    bindings: &Bindings,
    execution: &Execution,
) -> anyhow::Result<Verification> {
    let subject =
        Subject { model: model.original_ir(), shown: model.shown_ir(options), path: Some(path) };
    let scratch = Scratch::new()?;
    let query = VerificationQuery {
        bindings,
        session: &execution.session,
        synthesize: execution.synthesize,
        // rten writes no profile.
        scratch: (execution.session.engine == Engine::OnnxRuntime).then(|| scratch.path()),
    };
    Ok(verify(&subject, &query, &|_, _| {}).map_err(failed)?)
}

/// What a runtime's error means for the exit status.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
pub(crate) fn failed(error: calipers_runtime::Error) -> Problem {
    use calipers_runtime::Error as E;
    match error {
        E::Load { .. }
        | E::Run { .. }
        | E::MissingWeights(_)
        | E::RefusedData(..)
        | E::Type(..) => Problem::invalid(&error, None),
        _ => Problem::unusable(&error),
    }
}
