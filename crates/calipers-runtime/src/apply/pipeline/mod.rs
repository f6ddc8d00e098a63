//! From what a user has to what a model returns.

mod images;
mod sounds;
mod tensors;
mod texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use calipers_ir::Model;
use calipers_report::{ClassScore, RunOutcome, TaskKind};
pub use images::ImageOverrides;

use super::generate::Port;
use super::scores;
use crate::session::{Output, Session};
use crate::{Error, Tensor};

/// Bytes of a labels file at most.
const MOST_LABELS: u64 = 10_000_000;

/// What a model is used on.
#[derive(Clone, Debug)]
pub enum Request {
    /// Texts to embed or to classify.
    Texts(Vec<String>),
    /// A question about a context.
    Question {
        /// The question.
        question: String,
        /// The text that has the answer.
        context: String,
    },
    /// An image.
    Image {
        /// Its file.
        path: PathBuf,
        /// What is not to be inferred about it.
        overrides: ImageOverrides,
    },
    /// A sound.
    Audio {
        /// Its file.
        path: PathBuf,
    },
    /// A text to continue.
    Prompt {
        /// The text.
        text: String,
        /// Tokens to generate at most.
        most: usize,
    },
    /// Tensors by the names of inputs; without a name, the one input or the arrays of an archive.
    Tensors(Vec<(Option<String>, PathBuf)>),
}

/// The model that is used.
pub struct Subject<'a> {
    /// The model with every text as the file has it.
    pub model: &'a Model,
    /// Where the file is.
    pub path: &'a Path,
    /// The task that was recognized.
    pub task: TaskKind,
    /// Classes of the output, where they are known.
    pub classes: Option<usize>,
    /// The tokenizer's file, where it is named.
    pub tokenizer: Option<&'a Path>,
    /// The file of labels, where it is named.
    pub labels: Option<&'a Path>,
}

/// What a model returned.
pub struct Applied {
    /// The result.
    pub outcome: RunOutcome,
    /// How the input was prepared.
    pub preprocessing: BTreeMap<String, String>,
    /// The outputs of the last run.
    pub outputs: Vec<(String, Tensor)>,
    /// A PNG file with what was found.
    pub picture: Option<Vec<u8>>,
}

/// Uses a model on an input.
///
/// # Errors
///
/// [`Error::Request`] where the input does not fit the model, and those of the runtime.
pub fn apply(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    request: &Request,
) -> Result<Applied, Error> {
    match request {
        Request::Texts(texts) => texts::texts(session, subject, texts),
        Request::Question { question, context } => {
            texts::answer(session, subject, question, context)
        }
        Request::Prompt { text, most } => texts::generate(session, subject, text, *most),
        Request::Image { path, overrides } => images::image(session, subject, path, overrides),
        Request::Audio { path } => sounds::sound(session, subject, path),
        Request::Tensors(files) => tensors::tensors(session, subject, files),
    }
}

impl Subject<'_> {
    /// The inputs that a caller must feed.
    pub fn ports(&self) -> Vec<Port> {
        let inputs = calipers_infer::declared_inputs(self.model).into_iter();
        let port = |(value, fact): (calipers_ir::ValueId, calipers_ops::Fact)| {
            let tensor = fact.as_tensor()?;
            let sizes = tensor.dims().unwrap_or_default().iter();
            let sizes = sizes.map(|dim| usize::try_from(dim.as_const()?).ok()).collect();
            let name = self.model.name(self.model.value(value).name).to_owned();
            Some(Port { name, dtype: tensor.dtype, sizes })
        };
        inputs.filter_map(port).collect()
    }

    /// Labels of the classes: those of the named file, a line each, else those of the metadata.
    fn labels(&self) -> Result<Vec<String>, Error> {
        let Some(path) = self.labels else {
            let metadata = &self.model.header.metadata;
            let known = ["names", "id2label", "labels", "classes", "character"];
            let found = known.iter().find_map(|key| metadata.iter().find(|(name, _)| name == key));
            return Ok(found.map(|(_, text)| parse_labels(text)).unwrap_or_default());
        };
        let failed = |why: String| {
            Error::Request(format!("cannot read the labels {}: {why}", path.display()))
        };
        let bytes = read_file(path, MOST_LABELS).map_err(failed)?;
        let text = String::from_utf8(bytes).map_err(|error| failed(error.to_string()))?;
        Ok(text.lines().map(str::to_owned).collect())
    }
}

/// Reads a regular file of a size at most; a pipe or a device could be endless.
pub(super) fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let found = std::fs::metadata(path).map_err(|error| error.to_string())?;
    match found.is_file() {
        false => Err("it is not a file".to_owned()),
        true if found.len() > most => Err(format!("it is larger than {} MB", most / 1_000_000)),
        true => std::fs::read(path).map_err(|error| error.to_string()),
    }
}

/// Labels in metadata: a dictionary or a list as Python or JSON writes it, or a line each.
fn parse_labels(text: &str) -> Vec<String> {
    /// Classes at most: a key of a dictionary may be any number.
    const MOST: usize = 1_000_000;
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return text.lines().map(str::to_owned).collect();
    }
    let mut labels: Vec<String> = Vec::new();
    let mut rest = &text[1..];
    while let Some(start) = rest.find(['\'', '"']) {
        let quote = &rest[start..=start];
        let Some((inside, after)) = rest[start + 1..].split_once(quote) else { break };
        // A quoted number before a colon is the key of what follows.
        let key = match after.trim_start().strip_prefix(':') {
            Some(_) => {
                rest = &rest[start + 1..];
                let Some((_, value)) = after.split_once(['\'', '"']) else { break };
                let Some((label, left)) = value.split_once(['\'', '"']) else { break };
                rest = if left.len() < rest.len() { left } else { rest };
                (inside.trim().parse().ok(), label)
            }
            None => {
                // A bare number and a colon before the text, where this is a dictionary.
                let before = rest[..start].trim().trim_end_matches(':').trim_end();
                let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next();
                rest = after;
                (digits.and_then(|digits| digits.parse().ok()), inside)
            }
        };
        let (place, label) = (key.0.unwrap_or(labels.len()), key.1);
        if place >= MOST {
            break;
        }
        if labels.len() <= place {
            labels.resize(place + 1, String::new());
        }
        label.clone_into(&mut labels[place]);
    }
    labels
}

/// The first output that is a tensor of numbers and passes a test.
fn output(outputs: &[Output], test: impl Fn(&Tensor) -> bool) -> Option<&Tensor> {
    let tensors = outputs.iter().filter_map(|output| output.tensor.as_ref());
    tensors.into_iter().find(|tensor| tensor.dtype().is_float() && test(tensor))
}

/// The tensors of outputs, by name.
fn named(outputs: Vec<Output>) -> Vec<(String, Tensor)> {
    outputs.into_iter().filter_map(|output| Some((output.name, output.tensor?))).collect()
}

/// The most probable classes of the last axis of an output.
fn classes(tensor: &Tensor, labels: &[String]) -> Option<RunOutcome> {
    const SHOWN: usize = 5;
    let width = *tensor.shape().last()?;
    let values = tensor.to_f32()?;
    let scores = scores::probabilities(values.get(..width)?);
    let class = |(class, score): (usize, f32)| ClassScore {
        class,
        label: labels.get(class).cloned(),
        score,
    };
    let classes = scores::top(&scores, SHOWN).into_iter().map(class).collect();
    Some(RunOutcome::Classes { classes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_exporters_write_them() {
        assert_eq!(parse_labels("{0: 'person', 1: \"dog's\"}"), ["person", "dog's"]);
        assert_eq!(parse_labels(r#"{"0": "cat", "1": "dog"}"#), ["cat", "dog"]);
        assert_eq!(parse_labels(r#"{"1": "dog", "0": "cat"}"#), ["cat", "dog"]);
        assert_eq!(parse_labels("{2: 'c', 0: 'a'}"), ["a", "", "c"]);
        assert!(parse_labels("{99999999999: 'far'}").is_empty());
        assert_eq!(parse_labels("['a', 'b']"), ["a", "b"]);
        assert_eq!(parse_labels("a\nb\n"), ["a", "b"]);
        assert!(parse_labels("{0: 'unclosed").is_empty());
    }
}
