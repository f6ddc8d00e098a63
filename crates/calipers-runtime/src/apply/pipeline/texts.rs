//! Texts: embeddings, classes, answers, continuations.

use std::collections::BTreeMap;

use calipers_ir::DType;
use calipers_report::{ClassScore, ClassifiedText, ClassifiedToken, RunOutcome, TaskKind};

use super::labels::Labels;
use super::{Applied, Subject, classes, embedding_tensor, named, output, similarities, with_size};
use crate::apply::generate::{self, Port};
use crate::apply::scores::{best_span, mean_pooled, normalize, probabilities, top};
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

/// Embeds or classifies texts, labels their tokens or fills their masks.
pub(super) fn texts(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    texts: &[String],
) -> Result<Applied, Error> {
    let tokenizer = Tokenizer::open(subject.tokenizer, subject.path)?;
    let ports = subject.ports();
    let mut runs = Runs { session, subject, length: length(&ports), ports, tokenizer };
    match (subject.task, texts) {
        (TaskKind::TextClassification, _) => runs.classify(texts),
        (TaskKind::TokenClassification, [text]) => runs.label_tokens(text),
        (TaskKind::FillMask, [text]) => runs.fill_mask(text),
        (TaskKind::TokenClassification | TaskKind::FillMask, _) => Err(Error::Request(format!(
            "a model for {} takes one --text at a time",
            subject.task.display_name()
        ))),
        _ => runs.embed(texts),
    }
}

struct Runs<'a> {
    session: &'a mut dyn Session,
    subject: &'a Subject<'a>,
    ports: Vec<Port>,
    length: Length,
    tokenizer: Tokenizer,
}

impl Runs<'_> {
    fn run(&mut self, text: &str) -> Result<(Tokens, Vec<Output>), Error> {
        let tokens = self.tokenizer.encode(&[(text, None)], self.length)?;
        let outputs = run(self.session, self.subject, &self.ports, &tokens)?;
        Ok((tokens, outputs))
    }

    fn embed(&mut self, texts: &[String]) -> Result<Applied, Error> {
        let mut embeddings: Vec<Vec<f32>> = Vec::new();
        let mut pooling = "none";
        for text in texts {
            let (tokens, outputs) = self.run(text)?;
            let (mut vector, how) =
                embedding(&outputs, &tokens).ok_or_else(|| no_vector(&outputs))?;
            pooling = how;
            normalize(&mut vector);
            embeddings.push(vector);
        }
        let outputs = embedding_tensor(&embeddings)?;
        let (inputs, similarity) = (texts.to_vec(), similarities(&embeddings));
        Ok(Applied {
            outcome: RunOutcome::Embeddings { inputs, embeddings, similarity },
            preprocessing: with_size(described(&self.tokenizer, Some(pooling)), &outputs),
            outputs,
            picture: None,
        })
    }

    fn classify(&mut self, texts: &[String]) -> Result<Applied, Error> {
        let labels = Labels::find(self.subject)?;
        let mut found = Vec::new();
        let mut last = Vec::new();
        for text in texts {
            let (_, outputs) = self.run(text)?;
            let scores = output(&outputs, |tensor| tensor.shape().len() == 2);
            labels.check(scores.map_or(labels.len(), |scores| scores.shape()[1]))?;
            let classes = scores.and_then(|scores| classes(scores, &labels));
            let classes = classes.ok_or_else(|| no_vector(&outputs))?;
            found.push(ClassifiedText { text: text.clone(), classes });
            last = outputs;
        }
        let outcome = match found.as_mut_slice() {
            [only] => RunOutcome::Classes { classes: std::mem::take(&mut only.classes) },
            _ => RunOutcome::TextClasses { texts: found },
        };
        let mut preprocessing = described(&self.tokenizer, None);
        preprocessing.extend(labels.source.map(|it| ("labels".to_owned(), it)));
        Ok(Applied { outcome, preprocessing, outputs: named(last), picture: None })
    }

    /// The class of each token, without special tokens and without class `O` or 0.
    fn label_tokens(&mut self, text: &str) -> Result<Applied, Error> {
        let labels = Labels::find(self.subject)?;
        let (tokens, outputs) = self.run(text)?;
        let scores = output(&outputs, |tensor| tensor.shape().len() == 3);
        let rows = scores.and_then(Tensor::to_f32).ok_or_else(|| no_vector(&outputs))?;
        let width = scores.and_then(|scores| scores.shape().last().copied()).unwrap_or(1).max(1);
        labels.check(width)?;
        let mut found = Vec::new();
        for (row, (start, end)) in rows.chunks_exact(width).zip(&tokens.offsets) {
            let Some(&(class, score)) = top(&probabilities(row), 1).first() else { continue };
            let label = labels.label(class, width);
            let is_plain = label.as_deref().map_or(class == 0, |label| label == "O");
            if start < end && !is_plain {
                let text = text.get(*start..*end).unwrap_or_default().to_owned();
                let class = ClassScore { class, label, score };
                found.push(ClassifiedToken { text, start: *start, end: *end, class });
            }
        }
        let mut preprocessing = described(&self.tokenizer, None);
        preprocessing.extend(labels.source.map(|it| ("labels".to_owned(), it)));
        let outcome = RunOutcome::Tokens { tokens: found };
        Ok(Applied { outcome, preprocessing, outputs: named(outputs), picture: None })
    }

    /// The most probable tokens at the mask.
    fn fill_mask(&mut self, text: &str) -> Result<Applied, Error> {
        const SHOWN: usize = 5;
        let (mask, id) = self.tokenizer.mask().ok_or_else(|| {
            Error::Request("the tokenizer has no mask token, e.g. [MASK]".to_owned())
        })?;
        let (tokens, outputs) = self.run(text)?;
        let Elements::I64(ids) = tokens.ids.elements() else { return Err(no_vector(&outputs)) };
        let place = ids.iter().position(|it| *it == i64::from(id)).ok_or_else(|| {
            Error::Request(format!(
                "the text has no mask: write --text 'Paris is the {mask} of France.'"
            ))
        })?;
        let scores = output(&outputs, |tensor| tensor.shape().len() == 3);
        let width = scores.and_then(|scores| scores.shape().last().copied()).unwrap_or(1).max(1);
        let rows = scores.and_then(Tensor::to_f32).ok_or_else(|| no_vector(&outputs))?;
        let row = rows.chunks_exact(width).nth(place).ok_or_else(|| no_vector(&outputs))?;
        let class = |(class, score): (usize, f32)| {
            let id = u32::try_from(class).unwrap_or(u32::MAX);
            ClassScore { class, label: self.tokenizer.token(id), score }
        };
        let classes = top(&probabilities(row), SHOWN).into_iter().map(class).collect();
        let preprocessing = described(&self.tokenizer, None);
        let outcome = RunOutcome::Classes { classes };
        Ok(Applied { outcome, preprocessing, outputs: named(outputs), picture: None })
    }
}

/// Runs a model on tokens.
fn run(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    ports: &[Port],
    tokens: &Tokens,
) -> Result<Vec<Output>, Error> {
    if tokens.ids.shape()[1] == 0 {
        return Err(Error::Request("the text has no tokens".to_owned()));
    }
    let fed = feeds(ports, tokens)?;
    check_ids(subject, tokens)?;
    session.run(&fed, None, Read::Values)
}

/// Refuses tokens that the model's table of tokens does not have.
fn check_ids(subject: &Subject<'_>, tokens: &Tokens) -> Result<(), Error> {
    let Elements::I64(ids) = tokens.ids.elements() else { return Ok(()) };
    let largest = ids.iter().copied().max().unwrap_or(0);
    let rows = token_rows(subject.model).and_then(|rows| i64::try_from(rows).ok());
    match rows {
        Some(rows) if largest >= rows => Err(Error::Request(format!(
            "the tokenizer is not the model's: it returns the token {largest}, the model has {rows} \
             tokens; name the model's own with --tokenizer"
        ))),
        _ => Ok(()),
    }
}

/// Rows of the largest stored table that the model looks tokens up in.
fn token_rows(model: &calipers_ir::Model) -> Option<u64> {
    let inputs = calipers_infer::declared_inputs(model).into_iter();
    let mut next: Vec<calipers_ir::ValueId> = inputs
        .filter(|(_, fact)| fact.as_tensor().is_some_and(|fact| !fact.dtype.is_float()))
        .map(|(input, _)| input)
        .collect();
    let mut rows = None;
    // An input may be cast or reshaped before it is looked up.
    for _ in 0..4 {
        let mut casts = Vec::new();
        for value in next {
            for reader in model.consumers(value) {
                let op = model.name(model.node(reader.node).op);
                let table = model.inputs(reader.node).first().copied().flatten();
                match (op, reader.slot, table) {
                    ("Gather", 1, Some(table)) => {
                        let stored = model.value(table).initializer;
                        let found = stored.and_then(|id| model.tensor(id).dims.first().copied());
                        rows = rows.max(found.and_then(|rows| u64::try_from(rows).ok()));
                    }
                    ("Cast" | "Identity" | "Reshape" | "Squeeze" | "Unsqueeze", 0, _) => {
                        casts.extend(model.outputs(reader.node).iter().flatten());
                    }
                    _ => {}
                }
            }
        }
        next = casts;
    }
    rows
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
    let outputs = run(session, subject, &ports, &tokens)?;
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
    if ids.is_empty() {
        return Err(Error::Request("the prompt has no tokens; write some text".to_owned()));
    }
    check_ids(subject, &tokens)?;
    let ends = tokenizer.end_tokens();
    let made = generate::greedy(session, &subject.ports(), ids, most, &ends)?;
    let text = tokenizer.decode(&made)?;
    let mut preprocessing = described(&tokenizer, None);
    preprocessing.insert("decoding".to_owned(), format!("greedy, at most {most} tokens"));
    let ids: Vec<i64> = made.iter().map(|id| i64::from(*id)).collect();
    let outputs = vec![("tokens".to_owned(), Tensor::new(vec![ids.len()], ids)?)];
    Ok(Applied {
        outcome: RunOutcome::Text { text, tokens: made.len() as u64 },
        preprocessing,
        outputs,
        picture: None,
    })
}
