//! Tasks on sounds.
//!
//! | task | outputs |
//! |---|---|
//! | speech-recognition | a score for each letter or word at each place, or words from a decoder |
//! | audio-classification | a score for each class |
//! | audio-to-audio | a waveform |
//! | speech-features | vectors for each place |

use calipers_report::Confidence::{High, Low, Medium};
use calipers_report::{ModelKind, Style, Task, TaskKind};

use super::{Seen, reported};
use crate::descriptions::counted;
use crate::stats::Given;

pub(super) fn task(seen: &Seen<'_, '_>) -> Option<Task> {
    let net = seen.net();
    let outputs = seen.outputs();
    let output = *outputs.first()?;
    let shown = seen.shown(output);
    if seen.styled(Style::EncoderDecoder) && seen.stats.takes(Given::Tokens) {
        let words = format!("audio input, vocabulary scores as output ({shown})");
        return Some(reported(TaskKind::SpeechRecognition, High, words, None));
    }
    if let Some(classes) = seen.classifier() {
        let scores = counted(classes, "class score", "class scores");
        let words = format!("audio input, {scores} as output");
        return Some(reported(TaskKind::AudioClassification, Medium, words, Some(classes)));
    }
    let hidden = seen.architecture.facts.hidden;
    let width = net.dim(output, -1);
    match net.rank(output)? {
        3 if seen.is_scores(output) && width != hidden => {
            let words = format!("audio input, scores for every frame as output ({shown})");
            Some(reported(TaskKind::SpeechRecognition, Medium, words, None))
        }
        3 if seen.is_kind(ModelKind::Transformer) || seen.is_kind(ModelKind::Hybrid) => {
            let words = format!("audio input, a vector for every frame as output ({shown})");
            Some(reported(TaskKind::SpeechFeatures, High, words, None))
        }
        2 if seen.is_scores(output) => {
            let words = format!("audio input, scores as output ({shown})");
            Some(reported(TaskKind::AudioClassification, Low, words, width))
        }
        _ if seen.stats.takes(Given::Waveform) && width.is_none() => {
            let words = format!("audio input, a signal as output ({shown})");
            Some(reported(TaskKind::AudioToAudio, Low, words, None))
        }
        _ => None,
    }
}
