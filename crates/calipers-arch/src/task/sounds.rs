//! Tasks on sounds.
//!
//! | task | outputs |
//! |---|---|
//! | speech-recognition | a score for each letter or word at each frame, or words from a decoder |
//! | voice-activity-detection | one or two probabilities, for a chunk with a state or for each frame |
//! | keyword-spotting, audio-classification | a score for each class |
//! | audio-embedding | one vector |
//! | audio-to-audio | a waveform, or a spectrogram of the same shape |
//! | speech-features | vectors for each frame |

use calipers_report::Confidence::{High, Low, Medium};
use calipers_report::{ModelKind, Style, Task, TaskKind};

use super::ending::{Ending, Function, Layer};
use super::{Seen, reported};
use crate::descriptions::counted;
use crate::network::{BlockKind, Val};
use crate::stats::Given;

/// Fewer letters than this are classes.
const MIN_LETTERS: i64 = 20;

/// Fewer scores than this may be grades of a sound.
const MIN_CLASSES: i64 = 8;

/// Narrower vectors than this are not embeddings.
const MIN_EMBEDDING: i64 = 64;

pub(super) fn task(seen: &Seen<'_, '_>) -> Option<Task> {
    let outputs = seen.outputs();
    let output = *outputs.first()?;
    let speech = super::text::speech(seen, &outputs).filter(|_| seen.stats.takes(Given::Tokens));
    if speech.is_some() {
        return speech;
    }
    let scored = matches!(seen.net().rank(output), Some(2 | 3)) && seen.is_scores(output);
    if scored && seen.styled(Style::EncoderDecoder) && seen.stats.takes(Given::Tokens) {
        let shown = seen.shown(output);
        let words = format!("audio input, vocabulary scores as output ({shown})");
        return Some(reported(TaskKind::SpeechRecognition, High, words, None));
    }
    let end = seen.ending(output);
    // Several scores of as many classes are those of several things, such as characters.
    let width = |output: Val| seen.net().dim(output, -1);
    let alike =
        outputs.iter().filter(|other| width(**other).is_some() && width(**other) == width(output));
    if alike.count() > 2 {
        return None;
    }
    one_vector(seen, output, &end)
        .or_else(|| sound(seen, output, &end))
        .or_else(|| frames(seen, output, &end))
}

/// One vector for each sound: probabilities, scores or an embedding.
fn one_vector(seen: &Seen<'_, '_>, output: Val, end: &Ending) -> Option<Task> {
    let net = seen.net();
    let width = match net.rank(output)? {
        // A number for each chunk.
        1 => net.dim(output, 0).unwrap_or(1),
        _ => net.elements_next_to(output).filter(|width| {
            // The other axes have one element each.
            let dims = net.shape(output).unwrap_or_default().iter().skip(1);
            dims.filter_map(calipers_sym::Expr::as_const).any(|dim| dim == *width)
        })?,
    };
    let shown = seen.shown(output);
    if width <= 2 && end.is_probability() {
        let named = seen.interface_named(&["vad", "speech"]) || seen.stats.mentions("silero");
        let (kind, sure) = match (seen.stats.takes(Given::State), named) {
            (true, true) => (TaskKind::VoiceActivityDetection, High),
            (true, false) => (TaskKind::VoiceActivityDetection, Medium),
            (false, true) if seen.stats.takes(Given::Waveform) => {
                (TaskKind::VoiceActivityDetection, Medium)
            }
            _ => (classes_or_keywords(seen), Medium),
        };
        let words = match kind {
            TaskKind::VoiceActivityDetection => {
                format!("a chunk of audio as input, a speech probability as output ({shown})")
            }
            _ => format!("audio input, a probability as output ({shown})"),
        };
        let classes = if width == 1 { None } else { Some(width) };
        return Some(reported(kind, sure, words, classes));
    }
    let named = seen.output_named(output, &["emb", "feat", "vector"]);
    // A few numbers without a name may be grades, and round numbers of them a vector.
    let scored = seen.classifier().is_some()
        && !named
        && (seen.named_scores(output) && width > 1 || width >= MIN_CLASSES && width % 32 != 0);
    if width > 2 && end.is_probability() || scored && end.function.is_none() {
        let scores = counted(width, "class score", "class scores");
        let words = format!("audio input, {scores} as output");
        let sure = if end.is(Function::Softmax) { High } else { Medium };
        return Some(reported(classes_or_keywords(seen), sure, words, Some(width)));
    }
    let bare = matches!(end.layer, Layer::Product | Layer::Norm | Layer::Pool | Layer::Recurrence)
        || end.convolution().is_some();
    if end.is(Function::L2Norm) || bare && end.function.is_none() && width >= MIN_EMBEDDING {
        let words = format!("audio input, a vector of {width} numbers as output ({shown})");
        let sure = if end.is(Function::L2Norm) || named { High } else { Medium };
        let round = width % 32 == 0 || named;
        return round.then(|| reported(TaskKind::AudioEmbedding, sure, words, None));
    }
    if width >= MIN_CLASSES && !named && seen.is_scores(output) && end.function.is_none() {
        let words = format!("audio input, scores as output ({shown})");
        return Some(reported(classes_or_keywords(seen), Low, words, Some(width)));
    }
    None
}

/// Keywords where a name says so, else classes of sounds.
fn classes_or_keywords(seen: &Seen<'_, '_>) -> TaskKind {
    let words = ["hotword", "keyword", "kws", "wakeword", "wake_word"];
    if words.iter().any(|word| seen.stats.mentions(word)) || seen.interface_named(&words) {
        return TaskKind::KeywordSpotting;
    }
    TaskKind::AudioClassification
}

/// A waveform, or a spectrogram of the shape that went in.
fn sound(seen: &Seen<'_, '_>, output: Val, end: &Ending) -> Option<Task> {
    let net = seen.net();
    let shown = seen.shown(output);
    let inputs = seen.stats.inputs.iter();
    let mut sounds =
        inputs.filter(|(_, given)| matches!(given, Given::Waveform | Given::Spectrogram));
    let (input, given) = *sounds.next()?;
    if net.same_shape(input, output) && net.rank(input)? >= 2 {
        let words = format!("audio input, audio of the same shape as output ({shown})");
        return Some(reported(TaskKind::AudioToAudio, Medium, words, None));
    }
    // One channel, or two, and as many samples as went in.
    let free = net.shape(output)?.last()?.as_const().is_none();
    let channels = match net.rank(output)? {
        2 => Some(1),
        3 => net.dim(output, 1),
        _ => None,
    };
    // Fewer values than this share of the samples are measured from frames.
    const MIN_SHARE: i64 = 8;
    let lengths = [seen.stats.size(input, -1), seen.stats.size(output, -1)];
    let dense = match lengths {
        [Some(samples), Some(values)] => values.saturating_mul(MIN_SHARE) >= samples,
        _ => true,
    };
    let wave = given == Given::Waveform && free && dense && matches!(channels, Some(1 | 2));
    let made = end.convolution().is_some_and(|conv| conv.out_channels <= Some(2))
        || matches!(end.layer, Layer::Pool | Layer::Sum | Layer::Other);
    (wave && made && !end.is_probability()).then(|| {
        let words = format!("audio input, a signal as output ({shown})");
        reported(TaskKind::AudioToAudio, Medium, words, None)
    })
}

/// Scores or vectors for each frame.
fn frames(seen: &Seen<'_, '_>, output: Val, end: &Ending) -> Option<Task> {
    let net = seen.net();
    if net.rank(output) != Some(3) {
        return None;
    }
    let shown = seen.shown(output);
    let width = net.dim(output, -1);
    let letters = width.is_some_and(|width| width >= MIN_LETTERS);
    let made = seen.is_scores(output) || end.is_product() || end.convolution().is_some();
    let normalized = end.is(Function::Softmax) && end.along_last;
    let words = || format!("audio input, scores for every frame as output ({shown})");
    // Layers that see a whole word; others score the sounds of a frame.
    /// Convolutions that reach as far as recurrence does.
    const DEEP: usize = 20;
    let far = !seen.stats.attention.is_empty()
        || seen.stats.count(BlockKind::Recurrent) > 0
        || seen.stats.convs.len() >= DEEP;
    if letters && normalized && far {
        return Some(reported(TaskKind::SpeechRecognition, High, words(), None));
    }
    if width.is_some_and(|width| width <= 2) && end.is_probability() {
        let words = format!("audio input, a probability for every frame as output ({shown})");
        return Some(reported(TaskKind::VoiceActivityDetection, Medium, words, None));
    }
    let hidden = seen.architecture.facts.hidden;
    if letters && far && made && end.function.is_none() && width != hidden && seen.is_scores(output)
    {
        return Some(reported(TaskKind::SpeechRecognition, Medium, words(), None));
    }
    let sequential = seen.is_kind(ModelKind::Transformer) || seen.is_kind(ModelKind::Hybrid);
    if sequential && end.function.is_none() && width.is_some_and(|width| width >= MIN_EMBEDDING) {
        let words = format!("audio input, a vector for every frame as output ({shown})");
        let sure = if end.layer == Layer::Norm { High } else { Medium };
        return Some(reported(TaskKind::SpeechFeatures, sure, words, None));
    }
    None
}
