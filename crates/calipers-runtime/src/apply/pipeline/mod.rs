//! From what a user has to what a model returns.

mod files;
mod heads;
mod images;
mod labels;
mod preprocess;
mod sounds;
mod speech;
mod tensors;
mod texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use calipers_ir::Model;
use calipers_report::{ClassScore, Family, RunOutcome, TaskKind};
use labels::Labels;
pub use preprocess::ImageOverrides;

use super::generate::Port;
use super::{check_file, scores};
use crate::session::{Output, Session};
use crate::{Error, Tensor};

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
    /// Images; several where they are compared.
    Images {
        /// Their files.
        paths: Vec<PathBuf>,
        /// What is not to be inferred about them.
        overrides: ImageOverrides,
    },
    /// A sound.
    Audio {
        /// Its file.
        path: PathBuf,
    },
    /// A file whose bytes are read.
    File {
        /// The file.
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
    /// The family that was recognized.
    pub family: Option<Family>,
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
        Request::Images { paths, overrides } => images::images(session, subject, paths, overrides),
        Request::File { path } => files::file(session, subject, path),
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

    /// Width and height that the metadata states, as Ultralytics writes them: `[640, 640]` is
    /// height and width.
    fn trained_size(&self) -> Option<(u32, u32)> {
        let metadata = &self.model.header.metadata;
        let text = &metadata.iter().find(|(name, _)| name == "imgsz")?.1;
        let inside = text.trim().strip_prefix('[')?.strip_suffix(']')?;
        let (height, width) = inside.split_once(',')?;
        let side = |text: &str| text.trim().parse().ok().filter(|side| (1..=8192).contains(side));
        Some((side(width)?, side(height)?))
    }
}

/// Reads a file of a size at most.
fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    check_file(path)?;
    let found = std::fs::metadata(path).map_err(|error| error.to_string())?;
    match found.len() > most {
        true => Err(format!("it is larger than {} MB", most / 1_000_000)),
        false => std::fs::read(path).map_err(|error| error.to_string()),
    }
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

/// The most probable classes of the first row of an output.
fn classes(tensor: &Tensor, labels: &Labels) -> Option<Vec<ClassScore>> {
    const SHOWN: usize = 5;
    let width = *tensor.shape().last()?;
    let values = tensor.to_f32()?;
    let row = values.get(..width).filter(|row| !row.is_empty())?;
    let scores = match row {
        // One score is the probability of the one class, or its logarithmic odds.
        [one] if (0.0..=1.0).contains(one) => vec![*one],
        [one] => vec![1.0 / (1.0 + (-one).exp())],
        row => scores::probabilities(row),
    };
    let class = |(class, score): (usize, f32)| ClassScore {
        class,
        label: labels.label(class, width),
        score,
    };
    Some(scores::top(&scores, SHOWN).into_iter().map(class).collect())
}

/// The similarity of each vector with each.
fn similarities(vectors: &[Vec<f32>]) -> Vec<Vec<f32>> {
    vectors.iter().map(|a| vectors.iter().map(|b| scores::dot(a, b)).collect()).collect()
}

/// Vectors as the tensor `embeddings`, for a file.
fn embedding_tensor(vectors: &[Vec<f32>]) -> Result<Vec<(String, Tensor)>, Error> {
    let shape = vec![vectors.len(), vectors.first().map_or(0, Vec::len)];
    Ok(vec![("embeddings".to_owned(), Tensor::new(shape, vectors.concat())?)])
}

/// The preprocessing with the length of the vectors.
fn with_size(
    mut preprocessing: BTreeMap<String, String>,
    vectors: &[(String, Tensor)],
) -> BTreeMap<String, String> {
    let size = vectors.first().and_then(|(_, tensor)| tensor.shape().last());
    preprocessing.extend(size.map(|size| ("dimensions".to_owned(), size.to_string())));
    preprocessing
}
