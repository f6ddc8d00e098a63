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
use crate::descriptions::grouped;
use crate::stats::Given;

pub(super) fn task(seen: &Seen<'_, '_>) -> Option<Task> {
    let net = seen.net();
    let outputs = seen.outputs();
    let output = *outputs.first()?;
    let shown = seen.shown(output);
    if seen.styled(Style::EncoderDecoder) && seen.stats.takes(Given::Tokens) {
        let words = format!("sound goes in, and scores of words come out ({shown})");
        return Some(reported(TaskKind::SpeechRecognition, High, words, None));
    }
    if let Some(classes) = seen.classifier() {
        let words = format!(
            "sound goes in, and a score for each of {} classes comes out",
            grouped(classes)
        );
        return Some(reported(TaskKind::AudioClassification, Medium, words, Some(classes)));
    }
    let hidden = seen.architecture.facts.hidden;
    let width = net.dim(output, -1);
    match net.rank(output)? {
        3 if seen.is_scores(output) && width != hidden => {
            let words = format!("sound goes in, and scores at each place come out ({shown})");
            Some(reported(TaskKind::SpeechRecognition, Medium, words, None))
        }
        3 if seen.is_kind(ModelKind::Transformer) || seen.is_kind(ModelKind::Hybrid) => {
            let words = format!("sound goes in, and vectors for each place come out ({shown})");
            Some(reported(TaskKind::SpeechFeatures, High, words, None))
        }
        2 if seen.is_scores(output) => {
            let words = format!("sound goes in, and scores come out ({shown})");
            Some(reported(TaskKind::AudioClassification, Low, words, width))
        }
        _ if seen.stats.takes(Given::Waveform) && width.is_none() => {
            let words = format!("sound goes in, and a signal comes out ({shown})");
            Some(reported(TaskKind::AudioToAudio, Low, words, None))
        }
        _ => None,
    }
}
