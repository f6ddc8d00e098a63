//! `calipers run MODEL`: uses a model for what it is made for.

use std::path::{Path, PathBuf};

use calipers::{Model, Options};
use calipers_render::output::{Answer, Format};
use calipers_render::{chart, sections};
use calipers_report::{Report, RunResult, TaskKind};
use calipers_runtime::apply::npy;
use calipers_runtime::apply::pipeline::{Applied, Request, Subject, apply};
use calipers_runtime::{
    Engine, Error as RuntimeError, ModelSource, Session, SessionOptions, synthesize,
};

use super::model;
use super::verify::failed;
use crate::args::Execution;
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::{self, Problem};

/// The file name of the built-in model.
const BUILT_IN: &str = "digits.onnx";

/// The model, its input and where the result goes.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) model: Option<PathBuf>,
    pub(crate) request: Option<Request>,
    pub(crate) tokenizer: Option<PathBuf>,
    pub(crate) labels: Option<PathBuf>,
    pub(crate) file: RunFile,
    pub(crate) format: Option<&'static Format>,
    pub(crate) output: Target,
    pub(crate) execution: Execution,
}

/// What the output file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunFile {
    /// The result, as text or JSON.
    Report,
    /// The output tensors.
    Tensors,
    /// A picture of what was found.
    Picture,
}

impl Run {
    /// Runs the model and writes what it returned.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let model = match &self.model {
            Some(path) => {
                model::check(path, &self.output)?;
                model::open(path)?
            }
            None => Model::read(calipers_samples::digits(), BUILT_IN)?,
        };
        let path = self.model.as_deref().unwrap_or(Path::new(BUILT_IN));
        let report = {
            let _progress = model::progress(path);
            model.analyze(&Options::new()).map_err(|error| model::unusable(path, &error))?
        };
        let Some(request) = &self.request else {
            return Err(missing_input(&report).into());
        };
        let weights = match self.execution.synthesize {
            true => synthesize::weights(model.original_ir()).map_err(failed)?,
            false => Vec::new(),
        };
        // The built-in model is not trained.
        let random_weights = !weights.is_empty() || self.model.is_none();
        let source = ModelSource::new(model.original_ir(), self.model.as_deref(), weights)
            .map_err(failed)?;
        let mut session = self.session(&source).map_err(|error| self.explained(error, None))?;
        let subject = Subject {
            model: model.original_ir(),
            path,
            task: report.task.kind,
            family: report.architecture.family,
            classes: report.task.classes.and_then(|classes| usize::try_from(classes).ok()),
            tokenizer: self.tokenizer.as_deref(),
            labels: self.labels.as_deref(),
        };
        let applied = apply(&mut *session, &subject, request)
            .map_err(|error| self.explained(error, Some(report.task.kind)))?;
        let runtime = session.runtime();
        self.write(&report, applied, runtime, random_weights)?;
        Ok(ExitStatus::Done)
    }

    /// A session; where ONNX Runtime is missing, the built-in model runs with rten.
    fn session(&self, source: &ModelSource) -> Result<Box<dyn Session>, RuntimeError> {
        let options = &self.execution.session;
        match calipers_runtime::open(source, options) {
            Err(RuntimeError::NoLibrary) if self.model.is_none() => {
                problem::inform("ONNX Runtime is not installed; the built-in model runs with rten");
                let options = SessionOptions { engine: Engine::Rten, ..options.clone() };
                calipers_runtime::open(source, &options)
            }
            opened => opened,
        }
    }

    /// The problem with what to do about it.
    fn explained(&self, error: RuntimeError, task: Option<TaskKind>) -> Problem {
        let is_rten = self.execution.session.engine == Engine::Rten;
        let hint = match &error {
            RuntimeError::NoLibrary => {
                Some("try --runtime rten, which is built in and knows fewer operators".to_owned())
            }
            RuntimeError::Load { .. } | RuntimeError::Run { .. } if is_rten => Some(
                "run `pip install onnxruntime` and leave out --runtime rten; ONNX Runtime knows \
                 more operators"
                    .to_owned(),
            ),
            RuntimeError::Load { why, .. } if why.contains("not a registered") => Some(
                "the runtime does not have this operator; export the model with operators of the \
                 ONNX standard"
                    .to_owned(),
            ),
            RuntimeError::Run { why, .. } if why.contains("allocate") => Some(
                "the memory does not suffice; use a smaller input, e.g. --size 640x640".to_owned(),
            ),
            RuntimeError::Request(_) => task.and_then(|task| self.other_input(task)),
            _ => None,
        };
        let problem = failed(error);
        match hint {
            Some(hint) => problem.hint(&hint),
            None => problem,
        }
    }

    /// What models for a task take, where something else was passed.
    fn other_input(&self, task: TaskKind) -> Option<String> {
        let given = match self.request.as_ref()? {
            Request::Texts(_) => "--text",
            Request::Question { .. } => "--question",
            Request::Images { .. } => "--image",
            Request::Audio { .. } => "--audio",
            Request::File { .. } => "--file",
            Request::Prompt { .. } => "--prompt",
            Request::Tensors(_) => return None,
        };
        let wanted = example(task);
        let is_other = !wanted.starts_with(given) && !wanted.starts_with("--input");
        is_other.then(|| format!("the model is for {}: pass {wanted}", task.display_name()))
    }

    fn write(
        &self,
        report: &Report,
        applied: Applied,
        runtime: String,
        random_weights: bool,
    ) -> anyhow::Result<()> {
        let Applied { outcome, preprocessing, outputs, picture } = applied;
        let result = RunResult {
            model: report.model.file.clone(),
            task: report.task.kind,
            runtime,
            random_weights,
            preprocessing,
            result: outcome,
        };
        let answer = Answer::new(&result).documents(|| vec![sections::run_result(&result)]);
        match self.file {
            RunFile::Report => {
                let format = self.format.unwrap_or(&calipers_render::json::FORMAT);
                self.output.write_answer(&answer, format)
            }
            RunFile::Tensors => {
                self.output.write_bytes(&npy::write_archive(&outputs).map_err(failed)?)
            }
            RunFile::Picture => {
                let picture = picture.ok_or_else(|| {
                    Problem::unusable(
                        &"the result is not a picture; write -o result.json or -o result.npz",
                    )
                })?;
                self.output.write_bytes(&chart::marked_png(&picture))
            }
        }
    }
}

/// What to type for a model, by its task.
fn missing_input(report: &Report) -> Problem {
    let inputs: Vec<String> = report
        .graph
        .inputs
        .iter()
        .map(|port| format!("{} {}", port.name, port.type_text))
        .collect();
    let flag = example(report.task.kind);
    Problem::unusable(&format!("no input for the model: pass {flag}"))
        .hint(&format!("the model takes {}", inputs.join(", ")))
}

/// The flag for a task, with a value.
fn example(task: TaskKind) -> &'static str {
    match task {
        TaskKind::TextEmbedding
        | TaskKind::TextClassification
        | TaskKind::TokenClassification
        | TaskKind::FeatureExtraction => "--text 'A cat sleeps.'",
        TaskKind::FillMask => "--text 'Paris is the [MASK] of France.'",
        TaskKind::QuestionAnswering => "--question 'Who?' --context 'A text that says who.'",
        TaskKind::TextGeneration => "--prompt 'Once upon a time'",
        TaskKind::AudioClassification
        | TaskKind::AudioEmbedding
        | TaskKind::KeywordSpotting
        | TaskKind::VoiceActivityDetection => "--audio sound.wav",
        TaskKind::FileTypeClassification => "--file FILE",
        TaskKind::DepthEstimation
        | TaskKind::DocumentUnwarping
        | TaskKind::ImageClassification
        | TaskKind::ImageEmbedding
        | TaskKind::ImageSegmentation
        | TaskKind::ImageToImage
        | TaskKind::ObjectDetection
        | TaskKind::SuperResolution
        | TaskKind::TextDetection
        | TaskKind::TextRecognition => "--image picture.png",
        _ => "--input NAME=FILE.npy",
    }
}
