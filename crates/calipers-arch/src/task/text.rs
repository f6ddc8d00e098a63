//! Tasks on tokens.
//!
//! | task | outputs |
//! |---|---|
//! | text-to-speech | a waveform, or a spectrogram |
//! | text-generation, translation | a score for each word at each place, from a decoder |
//! | fill-mask | the same from an encoder |
//! | question-answering | two scores for each place: start and end |
//! | text-classification | a score for each class |
//! | token-classification | a score for each class at each place |
//! | text-embedding | the vectors themselves |

use calipers_ir::DType;
use calipers_report::Confidence::{self, High, Medium};
use calipers_report::{ModelKind, Style, Task, TaskKind};
use hashbrown::HashSet;

use super::ending::Function;
use super::{Seen, reported};
use crate::descriptions::counted;
use crate::network::{TableKind, Val};
use crate::stats::Given;

/// Fewer words than this are classes.
const MIN_WORDS: i64 = 5000;

/// Narrower vectors than this are not embeddings.
const MIN_EMBEDDING: i64 = 16;

/// More classes than this are none.
const MAX_CLASSES: i64 = 2000;

pub(super) fn task(seen: &Seen<'_, '_>) -> Option<Task> {
    let outputs = seen.outputs();
    speech(seen, &outputs)
        .or_else(|| picked(seen))
        .or_else(|| vocabulary_scores(seen, &outputs))
        .or_else(|| span(seen, &outputs))
        .or_else(|| {
            // As many scores as there are tokens are those of the next one, not of classes.
            let first = seen.net().dim(*outputs.first()?, -1);
            let next = first.is_some_and(|width| table_widths(seen).contains(&width));
            let other = || classes(seen, &outputs).or_else(|| vectors(seen, &outputs));
            if next { None } else { other() }
        })
}

/// A waveform of as many samples as the network decides, or the bands of a spectrogram.
pub(super) fn speech(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    let output = *outputs.first()?;
    let dims = net.shape(output)?;
    let samples = dims.last().filter(|samples| samples.as_const().is_none())?;
    let lone = dims[..dims.len() - 1].iter().all(|dim| matches!(dim.as_const(), None | Some(1)));
    let tokens = seen.stats.inputs.iter().filter_map(|(val, _)| net.shape(*val));
    let grows = !tokens.flatten().any(|dim| dim == samples);
    let end = seen.ending(output);
    let named = seen.output_named(output, &["audio", "wav", "speech", "pcm"]);
    let upsampled = seen.stats.convs.iter().any(|conv| conv.transposed);
    let signal = end.is(Function::Tanh) || end.convolution().is_some_and(|conv| conv.transposed);
    let shown = seen.shown(output);
    if lone && grows && (named || upsampled && signal) {
        let sure = if upsampled { High } else { Medium };
        let words = format!("token input, a waveform as output ({shown})");
        return Some(reported(TaskKind::TextToSpeech, sure, words, None));
    }
    let bands = dims.iter().filter_map(calipers_sym::Expr::as_const).any(|dim| dim == 80);
    (bands && seen.output_named(output, &["mel", "spec"])).then(|| {
        let words = format!("token input, a mel spectrogram as output ({shown})");
        reported(TaskKind::TextToSpeech, Medium, words, None)
    })
}

/// Whether a width is that of the vocabulary.
fn is_vocabulary(seen: &Seen<'_, '_>, tables: &HashSet<i64>, width: i64) -> bool {
    seen.architecture.facts.vocab == Some(width) || tables.contains(&width) || width >= MIN_WORDS
}

/// Numbers of rows of the tables that tokens are looked up in.
fn table_widths(seen: &Seen<'_, '_>) -> HashSet<i64> {
    let tables = seen.stats.embeddings.iter().filter_map(|unit| unit.embedding());
    let tables = tables.filter(|table| !matches!(table.of, TableKind::Position | TableKind::Type));
    tables.filter_map(|table| table.rows).collect()
}

fn vocabulary_scores(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    let hidden = seen.architecture.facts.hidden;
    let tables = &table_widths(seen);
    let scores = outputs.iter().copied().find(|output| {
        let width = net.dim(*output, -1).filter(|width| Some(*width) != hidden);
        let several = matches!(net.rank(*output), Some(2 | 3));
        // Scores behind an activation are recognized by their width.
        several
            && width.is_some_and(|width| {
                is_vocabulary(seen, tables, width)
                    && (seen.is_scores(*output) || tables.contains(&width))
            })
    });
    let shown = seen.shown(scores?);
    if seen.styled(Style::Encoder) {
        // What was masked is a token of the input's own vocabulary.
        let width = net.dim(scores?, -1)?;
        if net.rank(scores?) != Some(3) || !tables.contains(&width) {
            return None;
        }
        let words = format!("vocabulary scores for every token ({shown}), from an encoder");
        return Some(reported(TaskKind::FillMask, High, words, None));
    }
    let sure = if seen.architecture.style.is_some() { High } else { Medium };
    let words = format!("vocabulary scores for the next token ({shown})");
    let translates = ["marian", "nllb", "opus-mt", "translat"];
    if seen.styled(Style::EncoderDecoder) && translates.iter().any(|name| seen.stats.mentions(name))
    {
        return Some(reported(TaskKind::Translation, Medium, words, None));
    }
    Some(reported(TaskKind::TextGeneration, sure, words, None))
}

fn span(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    // Scores per token have the shape of the tokens.
    let tokens: Vec<Val> = seen.stats.inputs.iter().map(|(val, _)| *val).collect();
    let per_place = |output: &&Val| {
        net.rank(**output) == Some(2) && tokens.iter().any(|input| net.same_shape(**output, *input))
    };
    let places: Vec<&Val> = outputs.iter().filter(per_place).collect();
    if let [start, end] = places[..] {
        let (start, end) = (seen.shown(*start), seen.shown(*end));
        let words = format!("a start and an end score for every token ({start}; {end})");
        return Some(reported(TaskKind::QuestionAnswering, High, words, None));
    }
    if let [place] = places[..]
        && outputs.len() == 1
    {
        let words = format!("a score for every token ({})", seen.shown(*place));
        return Some(reported(TaskKind::TokenClassification, Medium, words, None));
    }
    None
}

/// The class of each token, as whole numbers.
fn picked(seen: &Seen<'_, '_>) -> Option<Task> {
    let net = seen.net();
    let [output] = net.outputs[..] else { return None };
    let end = seen.ending(output);
    let classes = end.classes.filter(|_| end.picks && seen.styled(Style::Encoder))?;
    let per_token = token_inputs(seen).any(|input| net.same_shape(output, input));
    (per_token && !is_vocabulary(seen, &table_widths(seen), classes)).then(|| {
        let words = format!("the class of every token as output ({})", seen.shown(output));
        reported(TaskKind::TokenClassification, Medium, words, Some(classes))
    })
}

/// Whether an output holds rows of whole numbers that were computed: the tokens that a loop or a
/// caller goes on with.
fn returns_tokens(seen: &Seen<'_, '_>) -> bool {
    let net = seen.net();
    net.given_outputs().any(|(val, value)| {
        let tensor = net.typed.fact(value).as_tensor();
        let rows = tensor.is_some_and(|tensor| {
            matches!(tensor.dtype, DType::Int32 | DType::Int64)
                && tensor.rank().is_some_and(|rank| rank >= 2)
        });
        rows && !net.inputs.contains(&val)
    })
}

fn classes(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    // Vectors that embed are as wide as processors like; classes are as many as there are.
    let scored = |classes: &i64| classes % 32 != 0 || outputs.iter().any(|it| named(seen, *it));
    if let Some(classes) = seen.classifier().filter(scored) {
        let words = counted(classes, "class score", "class scores");
        return Some(reported(TaskKind::TextClassification, High, words, Some(classes)));
    }
    if let [output] = outputs[..]
        && net.rank(output) == Some(2)
        && let Some(classes) =
            net.dim(output, 1).filter(|classes| (2..=MAX_CLASSES).contains(classes))
        && let Some(sure) = normalized(seen, output, classes)
    {
        let words =
            format!("{} ({})", counted(classes, "class score", "class scores"), seen.shown(output));
        return Some(reported(TaskKind::TextClassification, sure, words, Some(classes)));
    }
    let hidden = seen.architecture.facts.hidden;
    let scored = outputs.iter().copied().find_map(|output| {
        let width = net
            .dim(output, -1)
            .filter(|width| *width <= MAX_CLASSES || seen.named_scores(output))?;
        let reported = seen.is_biased(output) || net.rank(output) == Some(3) || named(seen, output);
        let scores = seen.is_scores(output) || is_pointwise(seen, output);
        let vector = net.rank(output) == Some(2) && width % 32 == 0 && !named(seen, output);
        (scores && Some(width) != hidden && reported && !vector).then_some((output, width))
    });
    let (output, classes) = scored?;
    let shown = seen.shown(output);
    // Tokens may come without a batch.
    let rank = match is_row_per_token(seen, output) {
        true => 3,
        false => net.rank(output)?,
    };
    match rank {
        2 => {
            let words = format!("{} ({shown})", counted(classes, "class score", "class scores"));
            Some(reported(TaskKind::TextClassification, Medium, words, Some(classes)))
        }
        3 if classes > 1 => {
            let words =
                format!("{} per token ({shown})", counted(classes, "class score", "class scores"));
            Some(reported(TaskKind::TokenClassification, Medium, words, Some(classes)))
        }
        _ => None,
    }
}

/// Whether an output has a row for each token of a text that comes without a batch.
fn is_row_per_token(seen: &Seen<'_, '_>, output: Val) -> bool {
    let net = seen.net();
    let Some([rows, _]) = net.shape(output) else { return false };
    token_inputs(seen).any(|input| matches!(net.shape(input), Some([tokens]) if tokens == rows))
}

/// Inputs that hold tokens.
fn token_inputs(seen: &Seen<'_, '_>) -> impl Iterator<Item = Val> {
    let inputs = seen.stats.inputs.iter();
    inputs.filter(|(_, given)| *given == Given::Tokens).map(|(input, _)| *input)
}

/// Whether a convolution scores each token by itself.
fn is_pointwise(seen: &Seen<'_, '_>, output: Val) -> bool {
    let net = seen.net();
    let end = seen.ending(output);
    let length = |val: Val| net.shape(val).and_then(|dims| dims.get(1));
    let per_token = net.rank(output) == Some(3)
        && token_inputs(seen)
            .any(|input| length(input).is_some_and(|it| Some(it) == length(output)));
    per_token && end.convolution().is_some_and(|conv| conv.side() == Some(1))
}

/// How surely a Softmax gives scores of classes: of as many as the output has, with nothing picked
/// from them; where several are joined, a name has to say so.
fn normalized(seen: &Seen<'_, '_>, output: Val, classes: i64) -> Option<Confidence> {
    let end = seen.ending(output);
    let whole = end.classes.is_none_or(|normalized| normalized == classes);
    match end.is(Function::Softmax) && !end.picks {
        true if whole && !end.joined => Some(High),
        true if seen.output_named(output, &["logit"]) => Some(Medium),
        _ => None,
    }
}

/// Whether an output's name says that it holds scores. A product without bias may be a projection.
fn named(seen: &Seen<'_, '_>, output: Val) -> bool {
    seen.net().output_hint(output).judge(|name| {
        let name = name.to_ascii_lowercase();
        ["logit", "score", "prob", "class", "label"].iter().any(|word| name.contains(word))
    })
}

fn vectors(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    if returns_tokens(seen) {
        return None;
    }
    let output = *outputs.first()?;
    let end = seen.ending(output);
    let wide = net.dim(output, -1).is_some_and(|width| width >= MIN_EMBEDDING);
    let bare = matches!(end.function, None | Some(Function::L2Norm | Function::Tanh));
    if net.rank(output) == Some(2) && end.is(Function::L2Norm) {
        let words = format!("a vector of unit length for each text ({})", seen.shown(output));
        return Some(reported(TaskKind::TextEmbedding, High, words, None));
    }
    if !seen.is_kind(ModelKind::Transformer)
        || !bare
        || !matches!(net.rank(output), Some(2 | 3))
        || !wide
    {
        return None;
    }
    // What a product widens to more than the hidden size may be scores.
    let hidden = seen.architecture.facts.hidden;
    let own = net.rank(output) == Some(3) || net.dim(output, -1) == hidden;
    if named(seen, output) && !own {
        return None;
    }
    let sure = if seen.styled(Style::Encoder) && own { High } else { Medium };
    let words = format!("text vectors as output, no scores ({})", seen.shown(output));
    Some(reported(TaskKind::TextEmbedding, sure, words, None))
}
