//! Operators that generate tokens with networks in their attributes.
//!
//! ONNX Runtime's `BeamSearch`, `GreedySearch`, `Sampling` and `WhisperBeamSearch` hold a decoder,
//! and perhaps an encoder, as graphs. The attribute `model_type` says which networks they are.

use calipers_report::Confidence::{High, Medium};
use calipers_report::{Family, ModelKind, Style, Task, TaskKind};

use crate::kind::Decision;
use crate::network::Network;

const SEARCHES: [&str; 4] = ["BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"];

/// The networks that a search runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generator {
    Decoder,
    EncoderDecoder,
    Whisper,
}

impl Generator {
    /// The generator of a model; `None` where no operator searches, or its type is unknown.
    pub(crate) fn find(net: &Network<'_>) -> Option<(Self, &'static str)> {
        let (unit, name) = net.all().find_map(|unit| {
            let name = SEARCHES.into_iter().find(|name| unit.is(*name))?;
            Some((unit, name))
        })?;
        let default = if name == "WhisperBeamSearch" { 2 } else { 0 };
        let generator = match net.int(unit, "model_type").unwrap_or(default) {
            0 => Self::Decoder,
            1 => Self::EncoderDecoder,
            2 => Self::Whisper,
            _ => return None,
        };
        Some((generator, name))
    }

    const fn style(self) -> Style {
        match self {
            Self::Decoder => Style::Decoder,
            Self::EncoderDecoder | Self::Whisper => Style::EncoderDecoder,
        }
    }
}

/// What a model with a search is.
pub(crate) fn kind(net: &Network<'_>) -> Option<Decision> {
    let (generator, name) = Generator::find(net)?;
    let holds = match generator {
        Generator::Decoder => "a decoder",
        Generator::EncoderDecoder => "an encoder and a decoder",
        Generator::Whisper => "the encoder and the decoder of Whisper",
    };
    let family = (generator == Generator::Whisper).then_some(Family::Whisper);
    let words = format!("the operator `{name}` runs {holds}");
    let mut decision = Decision::new(ModelKind::Transformer, family, High, words);
    decision.style = Some(generator.style());
    Some(decision)
}

/// What a model with a search does.
pub(crate) fn task(net: &Network<'_>) -> Option<Task> {
    let (generator, name) = Generator::find(net)?;
    let (kind, confidence) = match generator {
        Generator::Whisper => (TaskKind::SpeechRecognition, High),
        Generator::Decoder | Generator::EncoderDecoder => (TaskKind::TextGeneration, Medium),
    };
    let evidence = vec![format!("`{name}` returns sequences of tokens")];
    Some(Task { kind, confidence, evidence, classes: None })
}

#[cfg(test)]
mod tests {
    use calipers_report::{Family, ModelKind, Style, TaskKind};
    use calipers_samples::{Attribute, DataType};

    use crate::blocks::testing::Tiny;

    type Reported = (Option<ModelKind>, Option<Style>, Option<Family>, TaskKind);

    fn reported(op: &str, model_type: Option<i64>) -> Reported {
        let mut t = Tiny::new();
        let ids = t.input_of(DataType::I32, &["2", "6"]);
        let most = t.ints(&[20]);
        let with: Vec<Attribute> =
            model_type.into_iter().map(|it| Attribute::int("model_type", it)).collect();
        let output = t.contrib_with(op, &[&ids, &most], &with);
        let model = calipers_formats::read(t.build(&output), "tiny.onnx").unwrap();
        let report = crate::testing::report(&model);
        let architecture = report.architecture;
        (architecture.kind, architecture.style, architecture.family, report.task.kind)
    }

    #[test]
    fn the_type_of_the_model_decides() {
        let transformer = Some(ModelKind::Transformer);
        let (decoder, both) = (Some(Style::Decoder), Some(Style::EncoderDecoder));
        let text = TaskKind::TextGeneration;
        assert_eq!(reported("GreedySearch", Some(0)), (transformer, decoder, None, text));
        assert_eq!(reported("BeamSearch", Some(1)), (transformer, both, None, text));
        let whisper = (transformer, both, Some(Family::Whisper), TaskKind::SpeechRecognition);
        assert_eq!(reported("BeamSearch", Some(2)), whisper);
        assert_eq!(reported("WhisperBeamSearch", None), whisper);
        assert_eq!(reported("BeamSearch", Some(9)).1, None, "a type that is not documented");
    }
}
