//! Encoder and decoder together: a sequence in, another out.

use calipers_report::Style;

use super::super::Kind;
use super::super::wording::{of_family, some};
use super::{attention_layers, is_style, number, sequence};

pub(in super::super) const KIND: Kind = Kind {
    name: "translator",
    is: |report| is_style(report, Style::EncoderDecoder),
    noun: |report| of_family(report, "encoder-decoder"),
    built: |report| {
        let mut sentences: Vec<String> = attention_layers(report).into_iter().collect();
        let facts = &report.architecture.facts;
        if facts.cross_attention == Some(true) {
            sentences.push(
                "The decoder looks at the encoder's output through cross-attention.".to_owned(),
            );
        }
        if let Some(words) = facts.vocab {
            sentences.push(format!("Its vocabulary is {}.", number(words)));
        }
        if facts.layers.is_none() {
            sentences.extend(
                some(facts.convs, "convolution", "convolutions")
                    .map(|convs| format!("It has {convs}.")),
            );
        }
        sentences
    },
    run: sequence,
};
