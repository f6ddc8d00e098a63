//! Texts: embeddings, classes, answers, continuations.

use std::collections::BTreeMap;

use calipers_ir::DType;
use calipers_report::{RunOutcome, TaskKind};

use super::{Applied, Subject, classes, named, output};
use crate::apply::generate::{self, Port};
use crate::apply::scores::{best_span, dot, mean_pooled, normalize};
use crate::apply::text::{Length, Tokenizer, Tokens};
use crate::session::{Output, Read, Session};
use crate::{Elements, Error, Tensor};

/// Tokens of a text at most, where the model leaves the length free.
const MOST_TOKENS: usize = 512;

/// The length that the model's inputs fix, else at most 512 tokens.
fn length(ports: &[Port]) -> Length {
    let fixed = ports.iter().filter(|port| port.sizes.len() == 2).find_map(|port| port.sizes[1]);
    fixed.map_or(Length::AtMost(MOST_TOKENS), Length::Fixed)
}

/// Feeds tokens to the inputs that their names show.
fn feeds(ports: &[Port], tokens: &Tokens) -> Result<Vec<(String, Tensor)>, Error> {
    let mut fed = Vec::new();
    for port in ports {
        let name = port.name.to_lowercase();
        let count = tokens.ids.shape()[1];
        let tensor = match () {
            () if name.contains("mask") => tokens.mask.clone(),
            () if name.contains("type") || name.contains("segment") => tokens.types.clone(),
            () if name.contains("position") => {
                let places = (0..count).map(|place| place as i64).collect::<Vec<i64>>();
                Tensor::new(vec![1, count], places)?
            }
            // Some exports carry an id of the example through.
            () if port.sizes.len() == 1 => Tensor::new(vec![1], vec![0_i64])?,
            () if port.sizes.len() == 2 && !port.dtype.is_float() => tokens.ids.clone(),
            () => {
                return Err(Error::Request(format!(
                    "the input `{}` is not one of a text model; pass tensors with --input",
                    port.name
                )));
            }
        };
        fed.push((port.name.clone(), cast(tensor, port)?));
    }
    Ok(fed)
}

fn cast(tensor: Tensor, port: &Port) -> Result<Tensor, Error> {
    let Elements::I64(values) = tensor.elements() else { return Ok(tensor) };
    let shape = tensor.shape().to_vec();
    match port.dtype {
        DType::Int64 => Ok(tensor),
        #[expect(clippy::cast_possible_truncation, reason = "vocabularies have fewer tokens")]
        DType::Int32 => Tensor::new(shape, values.iter().map(|it| *it as i32).collect::<Vec<_>>()),
        dtype => {
            let values = tensor.to_f32().unwrap_or_default();
            Tensor::from_f32(shape, values, dtype)
                .ok_or_else(|| Error::Type(port.name.clone(), dtype.to_string()))
        }
    }
}

fn described(tokenizer: &Tokenizer, pooling: Option<&str>) -> BTreeMap<String, String> {
    let file = tokenizer.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut how = BTreeMap::from([("tokenizer".to_owned(), file)]);
    how.extend(pooling.map(|pooling| ("pooling".to_owned(), pooling.to_owned())));
    how
}

/// Embeds texts, or classifies the first where the model is a classifier.
pub(super) fn texts(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    texts: &[String],
) -> Result<Applied, Error> {
    let mut tokenizer = Tokenizer::open(subject.tokenizer, subject.path)?;
    let ports = subject.ports();
    let length = length(&ports);
    let mut embeddings: Vec<Vec<f32>> = Vec::new();
    let mut pooling = "none";
    let mut outputs = Vec::new();
    for text in texts {
        let tokens = tokenizer.encode(&[(text, None)], length)?;
        outputs = session.run(&feeds(&ports, &tokens)?, None, Read::Values)?;
        if subject.task == TaskKind::TextClassification {
            let scores = output(&outputs, |tensor| tensor.shape().len() == 2);
            let outcome = scores.and_then(|scores| classes(scores, &subject.labels().ok()?));
            let outcome = outcome.ok_or_else(|| no_vector(&outputs))?;
            let preprocessing = described(&tokenizer, None);
            let outputs = named(outputs);
            return Ok(Applied { outcome, preprocessing, outputs, picture: None });
        }
        let (mut vector, how) = embedding(&outputs, &tokens).ok_or_else(|| no_vector(&outputs))?;
        pooling = how;
        normalize(&mut vector);
        embeddings.push(vector);
    }
    let similarity =
        embeddings.iter().map(|a| embeddings.iter().map(|b| dot(a, b)).collect()).collect();
    Ok(Applied {
        outcome: RunOutcome::Embeddings { texts: texts.to_vec(), embeddings, similarity },
        preprocessing: described(&tokenizer, Some(pooling)),
        outputs: named(outputs),
        picture: None,
    })
}

fn no_vector(outputs: &[Output]) -> Error {
    let names: Vec<String> = outputs.iter().map(|output| format!("`{}`", output.name)).collect();
    Error::Request(format!(
        "none of the outputs {} is a vector per text or per token",
        names.join(", ")
    ))
}

/// The vector of a text: a sentence embedding that the model returns, else the mean of its tokens.
fn embedding(outputs: &[Output], tokens: &Tokens) -> Option<(Vec<f32>, &'static str)> {
    let whole = outputs.iter().find(|output| {
        let name = output.name.to_lowercase();
        name.contains("sentence") || name.contains("embedding")
    });
    if let Some(tensor) = whole.and_then(|output| output.tensor.as_ref())
        && tensor.shape().len() == 2
    {
        return Some((tensor.to_f32()?, "by the model, normalized"));
    }
    if let Some(tensor) = output(outputs, |tensor| tensor.shape().len() == 3) {
        let Elements::I64(mask) = tokens.mask.elements() else { return None };
        let width = *tensor.shape().last()?;
        let rows = tensor.to_f32()?;
        return Some((mean_pooled(&rows, mask, width), "mean of the tokens, normalized"));
    }
    let tensor = output(outputs, |tensor| tensor.shape().len() == 2)?;
    Some((tensor.to_f32()?, "by the model, normalized"))
}

/// Answers a question with a span of the context.
pub(super) fn answer(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    question: &str,
    context: &str,
) -> Result<Applied, Error> {
    let mut tokenizer = Tokenizer::open(subject.tokenizer, subject.path)?;
    let ports = subject.ports();
    let tokens = tokenizer.encode(&[(question, Some(context))], length(&ports))?;
    let outputs = session.run(&feeds(&ports, &tokens)?, None, Read::Values)?;
    let count = tokens.ids.shape()[1];
    let (start, end) = logits(&outputs, count).ok_or_else(|| {
        Error::Request("the model does not score the first and last token of an answer".to_owned())
    })?;
    let (first, last, score) = best_span(&start, &end, tokens.second.clone())
        .ok_or_else(|| Error::Request("the context has no tokens".to_owned()))?;
    let (from, to) = (tokens.offsets[first].0, tokens.offsets[last].1);
    let answer = context.get(from..to).unwrap_or_default().to_owned();
    Ok(Applied {
        outcome: RunOutcome::Answer { answer, score, start: from, end: to },
        preprocessing: described(&tokenizer, None),
        outputs: named(outputs),
        picture: None,
    })
}

/// Scores of first and last tokens: two outputs, or the two columns of one.
fn logits(outputs: &[Output], count: usize) -> Option<(Vec<f32>, Vec<f32>)> {
    let rows: Vec<(&str, Vec<f32>)> = outputs
        .iter()
        .filter_map(|output| Some((output.name.as_str(), output.tensor.as_ref()?)))
        .filter(|(_, tensor)| tensor.dtype().is_float() && tensor.shape() == [1, count])
        .filter_map(|(name, tensor)| Some((name, tensor.to_f32()?)))
        .collect();
    if let [(first, a), (second, b), ..] = rows.as_slice() {
        let is_end = |name: &str| name.contains("end");
        // Without words, the numbers in the names decide: `unstack:0` is the start.
        let is_swapped = is_end(first) || !is_end(second) && first > second;
        let (start, end) = if is_swapped { (b, a) } else { (a, b) };
        return Some((start.clone(), end.clone()));
    }
    let both = output(outputs, |tensor| tensor.shape() == [1, count, 2])?.to_f32()?;
    let column = |offset: usize| both.iter().copied().skip(offset).step_by(2).collect();
    Some((column(0), column(1)))
}

/// Continues a text.
pub(super) fn generate(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    prompt: &str,
    most: usize,
) -> Result<Applied, Error> {
    let mut tokenizer = Tokenizer::open(subject.tokenizer, subject.path)?;
    let tokens = tokenizer.encode(&[(prompt, None)], Length::AtMost(usize::MAX))?;
    let Elements::I64(ids) = tokens.ids.elements() else { return Err(no_vector(&[])) };
    let ends = tokenizer.end_tokens();
    let made = generate::greedy(session, &subject.ports(), ids, most, &ends)?;
    let text = tokenizer.decode(&made)?;
    let mut preprocessing = described(&tokenizer, None);
    preprocessing.insert("decoding".to_owned(), format!("greedy, at most {most} tokens"));
    Ok(Applied {
        outcome: RunOutcome::Text { text, tokens: made.len() as u64 },
        preprocessing,
        outputs: Vec::new(),
        picture: None,
    })
}
